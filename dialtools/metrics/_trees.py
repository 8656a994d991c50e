"""Dependency trees of one text, compared word by word; shared by uas, las, clas and upos."""

from collections.abc import Callable, Iterable, Sequence
from math import sqrt
from typing import NamedTuple

from dialtools.metrics import _alignment
from dialtools.metrics._alignment import Word
from dialtools.records import tokens as annotation
from dialtools.system.errors import RecordError, show

Z = 1.959963984540054  # the normal quantile of 95 %
Said = list[dict]  # what holds a "text" and "tokens": the turns of a record, or the record itself


class Trees(NamedTuple):
    """The words of a turn in the gold standard and in a system's parse, and which match."""

    gold: list[Word]
    system: list[Word]
    matches: list[_alignment.Match]
    gold_of: dict[int | None, int]  # a word of the system -> that of the gold standard

    def is_attached(self, match: _alignment.Match) -> bool:
        """Tell whether a word has the same head in both."""
        true, found = self.gold[match[0]].parent, self.system[match[1]].parent
        return found is None if true is None else self.gold_of.get(found) == true

    def is_labelled(self, match: _alignment.Match, subtypes: bool) -> bool:
        """Tell whether a word has the same head in both, and the same relation to it."""
        true, found = self.gold[match[0]], self.system[match[1]]
        return self.is_attached(match) and relation(true, subtypes) == relation(found, subtypes)


def compared(
    said: Sequence[Said], gold: Sequence[Said], kind: str, *keys: str
) -> list[list[Trees]]:
    """Return the trees of each record's turns. Raise RecordError for missing keys or turns."""
    return [
        [
            _turn(one, other, kind, keys)
            for one, other in zip(*_both(turns, others, kind), strict=True)
        ]
        for turns, others in zip(said, gold, strict=True)
    ]


def _both(turns: Said, others: Said, kind: str) -> tuple[Said, Said]:
    if len(turns) != len(others):
        raise RecordError(
            f"{kind}: the record has {len(turns)} turns, what it is compared with has {len(others)}"
        )
    return turns, others


def _turn(holder: dict, gold: dict, kind: str, keys: Sequence[str]) -> Trees:
    if not annotation.has(gold, *keys):
        raise RecordError(f"{kind}: the tokens to compare with lack {', '.join(keys)}")
    for one in (holder, gold):
        word = annotation.without(one)
        if word and one.get("tokens") is not None:
            raise RecordError(
                f"{kind}: {show(word)} of {show(one['text'])} has no token: dt-parse "
                "after dt-perturb"
            )
    system, true = (
        _alignment.words(annotation.annotated(one, kind, *keys)) for one in (holder, gold)
    )
    matches = _alignment.matched(true, system)
    return Trees(true, system, matches, {found: place for place, found in matches})


def relation(word: Word, subtypes: bool) -> str:
    """Return a word's relation to its head; without subtypes, acl:relcl is acl."""
    found = fact(word, "deprel")
    return found if subtypes else found.partition(":")[0]


def fact(word: Word, key: str) -> str:
    """Return a string of a token. Raise RecordError if it is no string."""
    found = word.token[key]
    if not isinstance(found, str):
        raise RecordError(f'"{key}" is a string, here is {show(found)}')
    return found


def counts(
    records: Iterable[list[Trees]],
    is_right: Callable[[Trees, _alignment.Match], bool],
    is_counted: Callable[[Word], bool] = lambda word: True,
) -> list[list[int]]:
    """Return for each record the numbers of right words, gold words and the system's words.

    is_counted: which words count; the gold word decides for a matched pair.
    """
    return [
        [
            sum(
                is_right(trees, match)
                for trees in record
                for match in trees.matches
                if is_counted(trees.gold[match[0]])
            ),
            sum(is_counted(word) for trees in record for word in trees.gold),
            sum(is_counted(word) for trees in record for word in trees.system),
        ]
        for record in records
    ]


def f1(rows: Iterable[Sequence[float]]) -> float:
    """Return the F1 of counts or sums of counts; 1 for records without words, 0 for no records."""
    rows = list(rows)
    right, gold, system = _sums(rows)
    return 2 * right / (gold + system) if gold + system else float(len(rows) > 0)


def f1_of_record(row: Sequence[float]) -> float:
    """Return the F1 of the counts of one record."""
    return f1([row])


def margin(rows: Iterable[Sequence[float]]) -> float:
    """Return the margin of error of the F1 at 95 %: that of a share of the gold words."""
    rows = list(rows)
    share, words = f1(rows), _sums(rows)[1]
    return Z * sqrt(share * (1 - share) / words) if words else 0.0


def _sums(rows: Iterable[Sequence[float]]) -> list[float]:
    return [sum(column) for column in zip(*rows, strict=True)] or [0, 0, 0]


def pairs(
    records: Iterable[list[Trees]], value: Callable[[Word], str]
) -> list[list[tuple[str, str]]]:
    """Return (gold, system) values of each record's gold words; "" if the system lacks a word."""
    return [[pair for trees in record for pair in _pairs(trees, value)] for record in records]


def _pairs(trees: Trees, value: Callable[[Word], str]) -> list[tuple[str, str]]:
    said = {place: value(trees.system[found]) for place, found in trees.matches}
    return [(value(word), said.get(place, "")) for place, word in enumerate(trees.gold)]
