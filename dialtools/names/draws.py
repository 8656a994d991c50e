"""New names drawn for the people of one record."""

import functools
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from math import perm, prod
from typing import TYPE_CHECKING, NamedTuple

from dialtools.languages import Language
from dialtools.languages.scripts import compiled
from dialtools.names import customs, full_names, pools, roster
from dialtools.names.encoding import key
from dialtools.records import dialogue
from dialtools.system.errors import RecordError

if TYPE_CHECKING:  # else --help would import it
    from random import Random

# draws of all names of a record before a variant that differs is given up; 30 more for each there
# is
TRIES = 100
_ANY = "of any gender"
_LABELS = {
    "f": "female",
    "m": "male",
    "u": "unisex",
    None: "unisex",
    "": _ANY,
    full_names.FAMILY: "family",
}


class Taken:
    """The names that stand in a text already; of scripts without spaces all that is part of it."""

    def __init__(self, text: str):
        self.text = text.lower()

    @functools.cached_property
    def words(self) -> set[str]:
        """Return the words of the text."""
        return set(compiled(r"[\p{L}\p{M}\p{N}]+").findall(self.text))

    def __contains__(self, name: str) -> bool:
        lower = name.lower()
        if lower not in self.text:  # most names: the words are not asked for
            return False
        return not (lower.isascii() and lower.isalnum()) or lower in self.words


class Stock(NamedTuple):
    """A pool made ready to be drawn from; once for all records, since a pool may be large."""

    # for people of each gender: f, m, u, None (unknown), "" (any); "family"
    names: dict[str | None, list[str]]
    labels: dict[str, str]  # name -> what names of its gender are called


def stock(pool: Sequence[dict], unisex: Sequence[dict], family: Sequence[dict] = ()) -> Stock:
    """Return a pool made ready, with the unisex names of the language for those whose gender is
    unknown.

    family: the family names for those who are called by one; without any, a name is drawn for the
        whole of theirs.
    """
    names = {
        gender: _of_gender(pool, unisex, gender)
        for gender in _LABELS
        if gender != full_names.FAMILY
    }
    labels = {row["name"]: _LABELS[full_names.FAMILY] for row in family}
    labels |= {row["name"]: _LABELS[row["gender"]] for row in (*unisex, *pool)}
    return Stock(
        {**names, full_names.FAMILY: list(dict.fromkeys(row["name"] for row in family))}, labels
    )


class Drawing:
    """Draws new names for the people of one record, without replacement, each allowed one with
    equal chance.
    """

    def __init__(
        self,
        record: dict,
        language: Language,
        people: Sequence[dict],
        stock: Stock,
        keep_gender: bool,
    ):
        self.record, self.language, self.people = record, language, people
        self.customs = customs.of(language)
        self.parts = {person["name"]: _parts(person["name"], language, stock) for person in people}
        self.genders = self._genders(keep_gender)
        self.pools = {gender: stock.names[gender] for gender in set(self.genders.values())}
        self.labels = stock.labels
        self.taken = Taken(
            "\n".join([*(text for _, text in dialogue.strings(record)), *roster.labels(people)])
        )
        self.barred = frozenset(language.facts["function_words"])

    def _genders(self, keep_gender: bool) -> dict[str, str | None]:
        """Return the gender that the new name of each part has, u for one of both (Pak Budi, Bu
        Budi).
        """
        found: dict[str, str | None] = {}
        for person in self.people:
            gender = person["gender"] if keep_gender else ""
            for part in self.parts[person["name"]]:
                if part.kind:
                    wanted = gender if part.kind == full_names.GIVEN else full_names.FAMILY
                    same = key(part.text)
                    found[same] = wanted if found.get(same, wanted) == wanted else "u"
        return found

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
        parts = self._drawn(names)
        for _ in range(TRIES + 30 * len(before)):
            drawn = self._draw_once(rng, parts)
            if drawn is not None:
                new = {name: self._whole(name, drawn) for name in names}
                if new not in before:
                    return new
            elif self._is_hopeless(parts):
                break
        raise RecordError(self._too_small(names, len(before), variants), self.record)

    def unknown(self, names: Sequence[str]) -> int:
        """Return the number of people whose name has an unknown gender; family names have none."""
        return sum(
            any(self.genders.get(key(part.text), "") is None for part in self.parts[name])
            for name in names
        )

    def _drawn(self, names: Sequence[str]) -> list[str]:
        """Return the keys of the parts to draw, each once: a family shares its name."""
        return list(
            dict.fromkeys(
                key(part.text) for name in names for part in self.parts[name] if part.kind
            )
        )

    def _whole(self, name: str, drawn: Mapping[str, str]) -> str:
        """Return a name made of the parts drawn for it; in Latin letters or in capitals, if it is
        one of such.

        Letters with points, or two, are initials; a remark is as it is: JOHN (whispering).
        """
        parts = self.parts[name]
        borne = "".join(part.text for part in parts if part.kind)
        shouted = borne.isupper() and re.search(r"[^\W\d_]{3}", borne)
        new = [drawn.get(key(part.text), part.text) if part.kind else part.text for part in parts]
        if name.isascii() and len(parts) > 1:
            new = [pools.row(part, self.language).get("latin") or part for part in new]
        return "".join(
            text.upper() if shouted and part.kind else text
            for part, text in zip(parts, new, strict=True)
        )

    def _draw_once(self, rng: "Random", names: Sequence[str]) -> dict[str, str] | None:
        """Return a new name for each part, None if the first ones left too few for the others."""
        drawn: dict[str, str] = {}
        avoided = {*self.language.facts.get("surnames_as_words", ())}  # as long as there are others
        for name in names:
            pool = self.pools[self.genders[name]]
            new = pools.draw(
                pool, rng, lambda new: not avoided & {new, self._shared(new)} and self._is_free(new)
            )
            new = new or pools.draw(
                pool, rng, lambda new: new not in drawn.values() and self._is_free(new)
            )
            if new is None:
                return None
            drawn[name] = new
            avoided |= {new, self._shared(new)}
        return drawn

    def _shared(self, name: str) -> str:
        """Return what two new names would share: the family name of a Chinese one, which may be a
        word, too (任).
        """
        shared = self.customs.shared
        return shared(name, self.language) if shared else name

    def _is_free(self, name: str) -> bool:
        if is_free := self.customs.is_free:
            return is_free(name, self.taken, self.barred, self.language)
        return name not in self.taken and name.lower() not in self.barred

    def _is_hopeless(self, names: Sequence[str]) -> bool:
        """Is the pool too small, of one gender or in all, in any order of drawing?"""
        people = Counter(self.genders[name] for name in names)
        return len(names) > self._free().total() or any(
            count > sum(map(self._is_free, self.pools[gender])) for gender, count in people.items()
        )

    def _free(self) -> Counter:
        """Return how many names of each gender can be drawn, each counted once."""
        return Counter(
            self.labels[name] for name in set().union(*self.pools.values()) if self._is_free(name)
        )

    def _people(self, names: Sequence[str]) -> Counter:
        """Return the number of people of each gender; "any" for those whom all names serve."""
        tells_genders = bool(set(self.labels.values()) - {_ANY})
        people: Counter = Counter()
        for gender in map(self.genders.__getitem__, names):
            serving = {self.labels[name] for name in self.pools[gender]} - {_ANY}
            is_apart = tells_genders and serving <= {_LABELS[gender]}
            people[_LABELS[gender] if is_apart else _ANY] += 1
        return people

    def _needed(self, names: Sequence[str], variants: int) -> dict[str, int]:
        """Return how many names would be enough for the variants, {gender: n}, where there are
        fewer.

        k people have n!/(n-k)! ways to be called by n names.  Names without a
        gender, which serve anybody, are of no account.
        """
        people, free = self._people(names), self._free()
        family = _LABELS[full_names.FAMILY]
        free[_ANY] = max(
            free.total() - free[family] - (len(names) - people[_ANY] - people[family]), 0
        )
        sizes = {label: max(count, free[label]) for label, count in people.items() if count}
        while prod(perm(sizes[label], people[label]) for label in sizes) < variants:
            sizes[min(sizes, key=lambda label: sizes[label])] += 1
        return {label: size for label, size in sizes.items() if size > free[label]}

    def _too_small(self, names: Sequence[str], reached: int, variants: int) -> str:
        needed = " and ".join(
            f"{size:,} {label}"
            for label, size in self._needed(self._drawn(names), variants).items()
        )
        held = ", ".join(
            f"{count:,} {'without gender' if label == _ANY else label}"
            for label, count in sorted(self._free().items())
        )
        people = "1 person" if len(names) == 1 else f"{len(names):,} people"
        several = f"{variants:,} variants of {people} that differ ({reached:,} could be made)"
        wanted = several if variants > 1 else people
        return (
            f"too few names for {wanted}: {needed} are needed, and the pool holds "
            f"{held or 'none'} that do not occur in the record"
        )


def _parts(name: str, language: Language, stock: Stock) -> tuple[full_names.Part, ...]:
    """Return the parts of a name for which new ones are drawn, 王 and 医生 of 王医生; one that has none
    is a given name.
    """
    found = [
        each
        for part in full_names.parts(name, language) or (full_names.Part(name, full_names.GIVEN),)
        for each in _titled(part, language)
    ]
    if not stock.names[full_names.FAMILY] and any(part.kind == full_names.FAMILY for part in found):
        first, label, last = full_names.unsigned(name)
        found = [
            full_names.Part(first, ""),
            full_names.Part(label, full_names.GIVEN),
            full_names.Part(last, ""),
        ]
    return tuple(part for part in found if part.text)


def _titled(part: full_names.Part, language: Language) -> tuple[full_names.Part, ...]:
    """Return the family name and the title in a part of a name that is no more than these, else
    the part.
    """
    family = full_names.family_beside_title(part.text, language)
    if not 0 < len(family) < len(part.text):
        return (part,)
    before, _, after = part.text.partition(family)
    return (
        full_names.Part(before, ""),
        full_names.Part(family, full_names.FAMILY),
        full_names.Part(after, ""),
    )


def _of_gender(pool: Sequence[dict], unisex: Sequence[dict], gender: str | None) -> list[str]:
    """Return the names for people of a gender: all for those of none, unisex ones where it is not
    known.

    Where there are no unisex names at all, everybody's serve; the closing line counts those people
    in any case.
    """
    if gender == "" or not any(row["gender"] in ("f", "m") for row in pool):
        return list(dict.fromkeys(row["name"] for row in pool))
    wanted = ("u", "") if gender in ("u", None) else (gender, "")
    rows = [row for row in pool if row["gender"] in wanted]
    if not rows and gender in ("u", None):
        rows = list(unisex or pool)
    return list(dict.fromkeys(row["name"] for row in rows))
