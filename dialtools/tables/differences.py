"""Two texts compared word by word, and two lists of texts aligned.

A word is a run of letters, digits and marks; in a script that is written
without spaces, such as Han, kana or Thai, each character is one.  What people
see as one character, an extended grapheme cluster, is never cut.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import NamedTuple

from dialtools.languages.scripts import UNSPACED, compiled

SAME, REMOVED, ADDED = "=", "-", "+"
_LETTER = rf"(?=[\p{{L}}\p{{N}}])(?![{UNSPACED}])\X"
_UNIT = rf"(?:{_LETTER})+(?:['’](?:{_LETTER})+)*|\X"
_LONG = 4_000  # words of a text that is compared; what is longer has changed as a whole
_MANY = 10_000  # pairs of texts whose likeness is looked at; more are paired in their order
_ALIKE = 0.5  # likeness of texts that surely belong together
_RELATED = 0.2  # share of words in common below which a text was replaced as a whole
_NEAR = 0.01  # what a pair is worth that has nothing in common


class Piece(NamedTuple):
    """A part of a text: the same in both, removed from the old one, or added to the new one."""

    sign: str
    text: str


Pair = tuple[int | None, int | None]


def pieces(old: str, new: str) -> list[Piece]:
    """Return two texts as one: what they share, and what was removed and added between.

    >>> [*map("".join, pieces("Ann: see you", "Ann: CU, Bob"))]
    ['=Ann: ', '-see you', '+CU, Bob']
    """
    if old == new:
        return [Piece(SAME, old)] if old else []
    before, after = units(old), units(new)
    blocks = [*_blocks(before, after)]
    shared = sum(_words(before[start:end]) for is_same, start, end, *_ in blocks if is_same)
    if 2 * shared < _RELATED * (_words(before) + _words(after)):
        return [Piece(sign, text) for sign, text in ((REMOVED, old), (ADDED, new)) if text]
    pieces: list[Piece] = []
    for is_same, start, end, new_start, new_end in blocks:
        removed, added = "".join(before[start:end]), "".join(after[new_start:new_end])
        changes = (
            Piece(SAME if is_same else REMOVED, removed),
            Piece(ADDED, "" if is_same else added),
        )
        pieces += [piece for piece in changes if piece.text]
    return pieces


def _words(units: Iterable[str]) -> int:
    """Return how many units have letters or digits."""
    return sum(unit[0].isalnum() for unit in units)


def _blocks(old: list[str], new: list[str]) -> Iterator[tuple[bool, int, int, int, int]]:
    """Yield (is it the same, from, to in the old units, from, to in the new ones), in order.

    Spaces alone between two changes belong to the change.  Of long texts only what they begin and
    end with is compared.
    """
    if max(len(old), len(new)) <= _LONG:
        opcodes = _opcodes(old, new)
    else:
        shorter = min(len(old), len(new))
        head = next(
            (place for place in range(shorter) if old[place] != new[place]),
            shorter,
        )
        most = shorter - head
        tail = next((place for place in range(most) if old[-1 - place] != new[-1 - place]), most)
        parts = [
            ("equal", 0, head, 0, head),
            ("replace", head, len(old) - tail, head, len(new) - tail),
            ("equal", len(old) - tail, len(old), len(new) - tail, len(new)),
        ]
        opcodes = [part for part in parts if part[1] < part[2] or part[3] < part[4]]

    change: tuple[int, int, int, int] | None = None
    for number, (tag, start, end, new_start, new_end) in enumerate(opcodes):
        is_between = change and number + 1 < len(opcodes) and not "".join(old[start:end]).strip()
        if tag == "equal" and not is_between:
            if change:
                yield False, *change
            change = None
            yield True, start, end, new_start, new_end
        else:
            first = change or (start, start, new_start, new_start)
            change = first[0], end, first[2], new_end
    if change:
        yield False, *change


def _opcodes(old: Sequence[str], new: Sequence[str]) -> Sequence[tuple[str, int, int, int, int]]:
    from difflib import SequenceMatcher

    return SequenceMatcher(None, old, new, autojunk=False).get_opcodes()


@lru_cache(maxsize=64)
def units(text: str) -> list[str]:
    """Return the words of a text, its spaces and its signs, one by one; together they are the text.

    >>> units("I don't, नि東京")
    ['I', ' ', "don't", ',', ' ', 'नि', '東', '京']
    """
    return compiled(_UNIT).findall(text)


def clusters(text: str) -> list[str]:
    """Return what people see as the characters of a text: extended grapheme clusters."""
    return compiled(r"\X").findall(text)


def is_unspaced(unit: str) -> bool:
    """Return whether a unit is of a script without spaces, where a line may end anywhere."""
    return compiled(f"[{UNSPACED}]").match(unit) is not None


def aligned(old: Sequence[str], new: Sequence[str]) -> list[Pair]:
    """Return pairs of places of texts that belong together, in order; None for what has no other.

    >>> aligned(["a b", "c d", "e"], ["c d", "x", "e"])
    [(0, None), (1, 0), (None, 1), (2, 2)]
    """
    pairs: list[Pair] = []
    for _, start, end, new_start, new_end in _opcodes(old, new):
        for a, b in _paired(old[start:end], new[new_start:new_end]):
            pairs.append((None if a is None else start + a, None if b is None else new_start + b))
    return pairs


def _paired(old: Sequence[str], new: Sequence[str]) -> list[Pair]:
    """Return the pairs of two runs of texts whose likeness is the highest in all."""
    in_order: list[Pair] = list(zip_longest(range(len(old)), range(len(new))))
    if old == new or not old or not new:
        return in_order
    words, new_words = [*map(_words_of, old)], [*map(_words_of, new)]
    if len(old) == len(new) and all(
        _likeness(a, b) >= _ALIKE for a, b in zip(words, new_words, strict=True)
    ):
        return in_order
    if len(old) * len(new) > _MANY:
        return in_order
    changes = [[-_NEAR - _likeness(a, b) for b in new_words] for a in words]
    pairs: list[Pair] = []
    row = column = 0
    for next_row, next_column in [*matched(changes, alone=0), (len(old), len(new))]:
        pairs += [(place, None) for place in range(row, next_row)]
        pairs += [(None, place) for place in range(column, next_column)]
        pairs.append((next_row, next_column))
        row, column = next_row + 1, next_column + 1
    return pairs[:-1]


def matched(changes: Sequence[Sequence[float]], alone: float) -> list[tuple[int, int]]:
    """Return the cheapest match of two rows of items in order, as pairs of places (Needleman and
    Wunsch); of equally cheap ones, the earliest.

    changes: the cost of matching each item with each of the other row.
    alone: the cost of an item that has no match.

    >>> matched([[0, 2], [2, 0.5]], alone=1), matched([[0.5, 0]], alone=1)
    ([(0, 0), (1, 1)], [(0, 1)])
    """
    rows, columns = len(changes), len(changes[0]) if changes else 0
    costs = [
        [alone * float(rows - i + columns - j) for j in range(columns + 1)] for i in range(rows + 1)
    ]
    for i in reversed(range(rows)):
        for j in reversed(range(columns)):
            costs[i][j] = min(
                changes[i][j] + costs[i + 1][j + 1],
                alone + costs[i + 1][j],
                alone + costs[i][j + 1],
            )
    matches, i, j = [], 0, 0
    while i < rows and j < columns:
        if costs[i][j] == changes[i][j] + costs[i + 1][j + 1]:
            matches.append((i, j))
            i, j = i + 1, j + 1
        elif costs[i][j] == alone + costs[i + 1][j]:
            i += 1
        else:
            j += 1
    return matches


@lru_cache(maxsize=256)
def _words_of(text: str) -> Counter:
    """Return how often each word is in a text, in any case."""
    return Counter(unit for unit in units(text.lower()) if not unit.isspace())


def _likeness(a: Counter, b: Counter) -> float:
    """Return the share of words that two texts have in common, from 0 to 1 (Dice)."""
    number = a.total() + b.total()
    return 2 * (a & b).total() / number if number else 1.0
