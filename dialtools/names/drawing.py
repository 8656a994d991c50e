"""New names drawn for the people of a record, for each variant and from each of several pools."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from math import perm, prod
from typing import TYPE_CHECKING, NamedTuple

from dialtools.languages.scripts import compiled
from dialtools.names import full_names, pools, roster
from dialtools.names.forms import key
from dialtools.names.full_names import FAMILY, GIVEN, Part
from dialtools.names.lexicon import Lexicon
from dialtools.names.record_texts import RecordTexts
from dialtools.system import stable_hash
from dialtools.system.errors import RecordError

if TYPE_CHECKING:  # else --help would import it
    from random import Random

# draws of all names of a record before a variant that differs is given up; 30 more for each there
# is
TRIES = 100
_ANY = "of any gender"
_LABELS = {"f": "female", "m": "male", "u": "unisex", None: "unisex", "": _ANY, FAMILY: "family"}


class NamesDrawn(NamedTuple):
    """The new names of one variant."""

    kind: str
    number: int
    names: dict[str, str]
    counts: dict[str, int] = {}
    # the features of the only one who is renamed, for the history
    speaker: Mapping[str, object] = {}
    readings: Sequence[list[str]] = ()  # as swaps.swap wants them
    pool: str = ""  # its label
    signed: Mapping[str, object] = {}  # what the signature says


class Draws:
    """Draws the names of variants from each of several pools, whatever the others are."""

    def __init__(
        self, chosen: Sequence[pools.Pool], variants: int, one: bool, gender: bool, seed: int
    ):
        self.pools, self.variants, self.one = chosen, variants, one
        self.gender, self.seed = gender, seed
        self.readings = [pool.readings for pool in chosen]
        self.signed = [{**pool.signed, "gender": gender, "seed": seed} for pool in chosen]
        self._stocks: dict[tuple, list[Stock]] = {}

    def of(self, source: RecordTexts, people: list[dict]) -> Iterator[NamesDrawn]:
        """Yield the names of each variant of a record, pool by pool."""
        lexicon, writing = source.lexicon, roster.writing(source)
        if (lexicon, writing) not in self._stocks:  # a pool may not be there
            self._stocks[lexicon, writing] = [_stock(pool, lexicon, writing) for pool in self.pools]
        for pool, stock, readings, signed in zip(
            self.pools, self._stocks[lexicon, writing], self.readings, self.signed, strict=True
        ):
            drawing = Drawing(source, people, stock, self.gender)
            try:
                for choice in self._of_pool(drawing):
                    known = [readings[name] for name in choice.names.values() if name in readings]
                    yield choice._replace(readings=known, pool=pool.label, signed=signed)
            except RecordError as error:
                if not pool.label:
                    raise
                raise RecordError(f"pool {pool.label}: {error.reason}", source.record) from None

    def _of_pool(self, drawing: "Drawing") -> Iterator[NamesDrawn]:
        """Yield the names of each variant from one pool."""
        everybody = list(drawing.parts)
        sets: list[tuple[str, list[str], dict]] = [("names", everybody, {})]
        if self.one:
            sets = [
                (f"one{number}", [name], roster.features(drawing.source, name))
                for number, name in enumerate(everybody, 1)
            ] or [("one", [], {})]
        for kind, names, speaker in sets:
            before: list[dict[str, str]] = []
            for number in range(1, self.variants + 1):
                # not by the label: the draws of a pool are those of the pool alone
                rng = stable_hash.rng(self.seed, kind, drawing.source.record["id"], number)
                renamed = drawing.draw(rng, names, before, self.variants)
                # nobody to rename: all variants are unchanged, and say so
                before += [renamed] if renamed else []
                counts = {"unknown_gender": drawing.unknown(names)}
                yield NamesDrawn(kind, number, renamed, counts, speaker)


class Taken:
    """The names that stand in a text already; of scripts without spaces all that is part of it."""

    def __init__(self, text: str):
        self.text = text.lower()
        self._words: set[str] = set()

    def __contains__(self, name: str) -> bool:
        lower = name.lower()
        if lower not in self.text:  # most names: the words are not asked for
            return False
        if not (lower.isascii() and lower.isalnum()):
            return True
        self._words = self._words or set(compiled(r"[\p{L}\p{M}\p{N}]+").findall(self.text))
        return lower in self._words


class Stock(NamedTuple):
    """A pool made ready to be drawn from; once for all records, since a pool may be large."""

    # for people of each gender: f, m, u, None (unknown), "" (any); "family"
    names: dict[str | None, list[str]]
    labels: dict[str, str]  # name -> what names of its gender are called


def _stock(pool: pools.Pool, lexicon: Lexicon, writing: str) -> Stock:
    """Return the names to draw from, written as the records of a language write names.

    A pool of a user's own replaces whole names, also of those who are called by a family name, and
    no unisex names of the language are added to it.
    """
    families: Sequence[dict] = ()
    unisex: Sequence[dict] = ()
    rows = pool.rows
    if rows is None:
        rows = pools.named(pool.name, lexicon.language)
        unisex_pool = lexicon.language.table("names/unisex")
        unisex = roster.written_as(writing, unisex_pool, lexicon)
        families = roster.written_as(writing, full_names.drawable_families(lexicon), lexicon)
    rows = roster.written_as(writing, rows, lexicon)
    names: dict[str | None, list[str]] = {FAMILY: [row["name"] for row in families]}
    tells_genders = any(row["gender"] in ("f", "m") for row in rows)
    for gender in _LABELS.keys() - {FAMILY}:
        # all names for people of no gender, unisex ones where it is not known: where there are
        # none, everybody's serve; the closing line counts those people in any case
        is_unknown = gender in ("u", None)
        wanted = ("u", "") if is_unknown else (gender, "")
        fitting = [row for row in rows if row["gender"] in wanted]
        if gender == "" or not tells_genders:
            fitting = list(rows)
        elif not fitting and is_unknown:
            fitting = list(unisex or rows)
        names[gender] = [row["name"] for row in fitting]
    names = {gender: list(dict.fromkeys(of_gender)) for gender, of_gender in names.items()}
    labels = dict.fromkeys(names[FAMILY], _LABELS[FAMILY])
    labels |= {row["name"]: _LABELS[row["gender"]] for row in (*unisex, *rows)}
    return Stock(names, labels)


class Drawing:
    """Draws new names for the people of one record, without replacement, each allowed one with
    equal chance.
    """

    def __init__(
        self,
        source: RecordTexts,
        people: Sequence[dict],
        stock: Stock,
        keep_gender: bool,
    ):
        self.source, self.lexicon = source, source.lexicon
        lexicon = source.lexicon
        self.parts = {person["name"]: _parts(person["name"], lexicon, stock) for person in people}
        # of the new name of each part, by its key; u for one of both (Pak Budi, Bu Budi)
        self.genders: dict[str, str | None] = {}
        for person in people:
            gender = person["gender"] if keep_gender else ""
            for part in self.parts[person["name"]]:
                if part.kind:
                    wanted = gender if part.kind == GIVEN else FAMILY
                    same = key(part.text)
                    self.genders[same] = wanted if self.genders.get(same, wanted) == wanted else "u"
        self.pools = {gender: stock.names[gender] for gender in set(self.genders.values())}
        self.labels = stock.labels
        self.taken = Taken("\n".join([source.whole, *roster.labels(people)]))
        self.barred = frozenset(lexicon.facts["function_words"])

    def draw(
        self,
        rng: "Random",
        names: Sequence[str],
        before: Collection[Mapping[str, str]],
        variants: int = 1,
    ) -> dict[str, str]:
        """Return new names for some of the people, other ones than before; none is in the record
        already.

        variants: how many are wanted in all, for the message where the pool is too small for them.
        """
        # each part once: a family shares its name
        wanted = list(
            dict.fromkeys(
                key(part.text) for name in names for part in self.parts[name] if part.kind
            )
        )
        for _ in range(TRIES + 30 * len(before)):
            drawn = self._draw_once(rng, wanted)
            if drawn is not None:
                renamed = {name: self._full_name(name, drawn) for name in names}
                if renamed not in before:
                    return renamed
                continue
            # is the pool too small, of one gender or in all, in any order of drawing?
            people = Counter(self.genders[part] for part in wanted)
            if len(wanted) > self._free().total() or any(
                count > sum(map(self._is_free, self.pools[gender]))
                for gender, count in people.items()
            ):
                break
        raise RecordError(
            self._too_small(len(names), wanted, len(before), variants), self.source.record
        )

    def unknown(self, names: Sequence[str]) -> int:
        """Return the number of people whose name has an unknown gender; family names have none."""
        return sum(
            any(self.genders.get(key(part.text), "") is None for part in self.parts[name])
            for name in names
        )

    def _full_name(self, name: str, drawn: Mapping[str, str]) -> str:
        """Return a name made of the parts drawn for it; in Latin letters or in capitals, if it is
        one of such.

        Letters with points, or two, are initials; a remark is as it is: JOHN (whispering).
        """
        parts = self.parts[name]
        borne = "".join(part.text for part in parts if part.kind)
        shouted = borne.isupper() and re.search(r"[^\W\d_]{3}", borne)
        new = [drawn.get(key(part.text), part.text) if part.kind else part.text for part in parts]
        if name.isascii() and len(parts) > 1:
            new = [self.lexicon.row(text).get("latin") or text for text in new]
        return "".join(
            text.upper() if shouted and part.kind else text
            for part, text in zip(parts, new, strict=True)
        )

    def _draw_once(self, rng: "Random", wanted: Sequence[str]) -> dict[str, str] | None:
        """Return a new name for each part, None if the first ones left too few for the others.

        Two people do not share what their names are known by: the family name of a Chinese one,
        which may be a word, too (任).
        """
        drawn: dict[str, str] = {}
        shared = self.lexicon.customs.shared
        # as long as there are others
        avoided = {*self.lexicon.facts.get("surnames_as_words", ())}

        def is_apart(name: str) -> bool:
            is_avoided = name in avoided or shared and shared(name, self.lexicon) in avoided
            return not is_avoided and self._is_free(name)

        for part in wanted:
            pool = self.pools[self.genders[part]]
            new = draw(pool, rng, is_apart) or draw(
                pool, rng, lambda name: name not in drawn.values() and self._is_free(name)
            )
            if new is None:
                return None
            drawn[part] = new
            avoided |= {new, shared(new, self.lexicon) if shared else new}
        return drawn

    def _is_free(self, name: str) -> bool:
        if is_free := self.lexicon.customs.is_free:
            return is_free(name, self.taken, self.barred, self.lexicon)
        return name not in self.taken and name.lower() not in self.barred

    def _free(self) -> Counter:
        """Return how many names of each gender can be drawn, each counted once."""
        return Counter(
            self.labels[name] for name in set().union(*self.pools.values()) if self._is_free(name)
        )

    def _too_small(self, count: int, wanted: Sequence[str], reached: int, variants: int) -> str:
        """Return the message that a pool is too small, and how many names would be enough.

        count: of people.  k of them have n!/(n-k)! ways to be called by n names.  Names without a
        gender, which serve anybody, are of no account.
        """
        tells_genders = bool(set(self.labels.values()) - {_ANY})
        people: Counter = Counter()  # of each gender; _ANY: of those whom all names serve
        for gender in map(self.genders.__getitem__, wanted):
            serving = {self.labels[name] for name in self.pools[gender]} - {_ANY}
            is_apart = tells_genders and serving <= {_LABELS[gender]}
            people[_LABELS[gender] if is_apart else _ANY] += 1

        free, family = self._free(), _LABELS[FAMILY]
        with_gender = len(wanted) - people[_ANY] - people[family]
        free[_ANY] = max(free.total() - free[family] - with_gender, 0)
        sizes = {label: max(count, free[label]) for label, count in people.items() if count}
        while prod(perm(sizes[label], people[label]) for label in sizes) < variants:
            sizes[min(sizes, key=lambda label: sizes[label])] += 1

        needed = " and ".join(
            f"{size:,} {label}" for label, size in sizes.items() if size > free[label]
        )
        held = ", ".join(
            f"{number:,} {'without gender' if label == _ANY else label}"
            for label, number in sorted(self._free().items())
        )
        renamed = "1 person" if count == 1 else f"{count:,} people"
        several = f"{variants:,} variants of {renamed} that differ ({reached:,} could be made)"
        return (
            f"too few names for {several if variants > 1 else renamed}: {needed} are needed, "
            f"and the pool holds {held or 'none'} that do not occur in the record"
        )


def draw(pool: Sequence[str], rng: "Random", allowed: Callable[[str], bool]) -> str | None:
    """Return an allowed name of the pool, each with equal chance; None if there is none."""
    # the last one comes to where one was taken: a pool may be large, and is not copied
    moved: dict[int, str] = {}
    for size in range(len(pool), 0, -1):
        index = rng.randrange(size)
        name = moved.get(index, pool[index])
        if allowed(name):
            return name
        moved[index] = moved.get(size - 1, pool[size - 1])
    return None


def _parts(name: str, lexicon: Lexicon, stock: Stock) -> tuple[Part, ...]:
    """Return the parts of a name for which new ones are drawn, 王 and 医生 of 王医生; one that has none
    is a given name.
    """
    parts: list[Part] = []
    for part in full_names.parts(name, lexicon) or (Part(name, GIVEN),):
        family = full_names.family_beside_title(part.text, lexicon)
        if 0 < len(family) < len(part.text):
            before, _, after = part.text.partition(family)
            parts += Part(before, ""), Part(family, FAMILY), Part(after, "")
        else:
            parts.append(part)
    if not stock.names[FAMILY] and any(part.kind == FAMILY for part in parts):
        signs, label, remark = full_names.unsigned(name)
        parts = [Part(signs, ""), Part(label, GIVEN), Part(remark, "")]
    return tuple(part for part in parts if part.text)
