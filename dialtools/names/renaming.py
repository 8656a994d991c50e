"""Variants of a record whose people have other names: drawn, numbered, or those of a map."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count

from dialtools import languages
from dialtools.names import drawing, forms, maps, roster, swaps
from dialtools.names import lexicon as lexicons
from dialtools.names.drawing import NamesDrawn
from dialtools.names.record_texts import RecordTexts
from dialtools.records import history
from dialtools.system.errors import OptionError

BY = "dt-swap-names"

Choose = Callable[[RecordTexts, list[dict]], Iterable[NamesDrawn]]


@dataclass(frozen=True)
class Renaming:
    """How new names are chosen, and for whom.

    choose(source, people): the new names of each variant.
    known: a map, whose aliases and guarded phrases hold too.
    person: further people to rename, who do not speak.
    guard: phrases that are kept, whatever names they hold.
    roles: rename Agent, A, 客服, Speaker 1 … too.
    """

    choose: Choose
    known: maps.NameMap = maps.NameMap({}, {}, ())
    person: tuple[str, ...] = ()
    guard: tuple[str, ...] = ()
    roles: bool = False

    def variants(self, record: dict) -> Iterator[dict]:
        """Yield the variants of a record, with what was done in their history."""
        lexicon = lexicons.of(languages.get(record["lang"]))
        source = RecordTexts(record, lexicon)
        people = roster.people(source, self.person, self.roles)
        searched = swaps.SearchedRecord(source)
        for choice in self.choose(source, people):
            aliases = forms.of_aliases(people, choice.names, lexicon) | self.known.aliases
            renamed, edits, facts = swaps.swap(
                searched, choice.names, aliases, self.guard + self.known.guards, choice.readings
            )
            facts["counts"] |= choice.counts
            kind = choice.kind
            if choice.pool:
                kind, facts["pool"] = f"{kind}.{choice.pool}", choice.pool
            signature = history.signature(
                choice.kind.rstrip("0123456789"),
                lang=record["lang"],
                **choice.signed,
                also=self.person or None,
                guard=self.guard or None,
                roles=self.roles or None,
            )
            yield history.add(
                renamed | {"variant": history.variant(record, kind, choice.number)},
                BY,
                signature,
                edits=edits,
                changed=bool(edits),
                **facts,
                **choice.speaker,
            )


def mapped(known: maps.NameMap, cross_gender: bool) -> Choose:
    """Return the choice of the names of a map.

    cross_gender: let it change a gender even if words of the text agree with it.
    """
    digits = history.digits(known)

    def choose(source: RecordTexts, people: list[dict]) -> list[NamesDrawn]:
        names = maps.for_record(known, source, people, cross_gender)
        disagreeing = maps.disagreeing(names, source) if cross_gender else 0
        counts = {"words_that_agree_with_the_old_gender": disagreeing} if disagreeing else {}
        return [NamesDrawn("map", 1, names, counts, signed={"names": digits})]

    return choose


def numbered(pattern: str | None) -> Choose:
    """Return the choice of numbered names that do not occur in the record.

    pattern: their pattern, such as "P{n}"; None: the language's own.
    """

    def choose(source: RecordTexts, people: list[dict]) -> list[NamesDrawn]:
        shape = pattern or source.lexicon.facts["speaker"]
        if "{n}" not in shape or not forms.is_new_name(shape.replace("{n}", "")):
            raise OptionError(
                f"--pattern: needs {{n}} for the number and no colon, such as P{{n}}, not {shape!r}"
            )
        taken = drawing.Taken(source.whole)
        labels = (shape.replace("{n}", str(number)) for number in count(1))
        free = (label for label in labels if label not in taken)
        names = {person["name"]: next(free) for person in people}
        return [NamesDrawn("ids", 1, names, signed={"template": pattern})]

    return choose
