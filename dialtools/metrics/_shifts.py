"""The edits of TER: shifts of words, found one by one as tercom and sacrebleu find them, then insertions and the like.

Each round tries all shifts of words that stand elsewhere in the reference, and makes the best.  After 1,000 the search
ends, and what its last round has tried counts for nothing: so nothing of it is compared.  Of the others sacrebleu
compares only what may be the best: of each `_fewest` tells how many edits there are at least, in a tenth of the time.
"""

from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from math import ceil, floor
from typing import NamedTuple

LONGEST, FARTHEST = 10, 50  # words that are shifted, and how far apart they stand in the two texts
MOST = 1000  # shifts to try
BEAM = 25  # on both sides of the diagonal, where edits are looked for
SAME, MISSING, TOO_MUCH = " ", "i", "d"  # a step of sacrebleu's trace; else a word stands in the place of another

Distance = Callable[[list[str]], tuple[int, str]]  # words -> how many edits they are from the reference, and which


class Shift(NamedTuple):
    """So many words from a start go in front of the word that is the target; by three numbers, counted from 0."""

    length: int
    start: int
    target: int


def edits(words: list[str], reference: list[str]) -> int:
    """Return how many shifts, insertions, deletions and substitutions make the reference of words."""
    from sacrebleu.metrics.lib_ter import BeamEditDistance

    if not words or not reference:
        return len(words) + len(reference)
    distance, made, tried = BeamEditDistance(reference), 0, 0
    while True:
        number, trace = distance(words)
        shifts = list(islice(_shifts(words, reference, trace), MOST - tried))
        tried += len(shifts)
        better = _best(words, reference, number, shifts, distance) if tried < MOST else None
        if not better:
            return made + number
        words, made = better, made + 1


def _shifts(words: list[str], reference: list[str], trace: str) -> Iterator[Shift]:
    """Yield shifts of what is wrong, and right for where the reference has it; some may come twice."""
    wrong, missed, behind = _compared(trace)
    for start, place, length in _equal_runs(words, reference):
        counterpart = behind[place + 1] - 1  # of the first word of the run in the reference
        if (any(wrong[start:start + length]) and any(missed[place:place + length])
                and not start <= counterpart < start + length):
            for target in dict.fromkeys(behind[place:place + length + 1]):
                yield Shift(length, start, target)


def _compared(trace: str) -> tuple[list[bool], list[bool], list[int]]:
    """Return of each word whether it is wrong, of each of the reference whether it is missed; and where those end.

    The last has a place in words for the beginning of the reference, and one behind each word of it.
    """
    wrong, missed, behind = list[bool](), list[bool](), [0]
    for step in trace:
        if step != MISSING:
            wrong.append(step != SAME)
        if step != TOO_MUCH:
            missed.append(step != SAME)
            behind.append(len(wrong))
    return wrong, missed, behind


def _equal_runs(words: list[str], reference: list[str]) -> Iterator[tuple[int, int, int]]:
    """Yield where words and the reference have the same run of words, and how long it is: each beginning of it, too."""
    places: dict[str, list[int]] = {}
    for place, word in enumerate(reference):
        places.setdefault(word, []).append(place)
    for start, word in enumerate(words):
        for place in places.get(word, ()):
            if abs(place - start) > FARTHEST:
                continue
            run = zip(words[start:start + LONGEST], reference[place:place + LONGEST])
            for length, (one, other) in enumerate(run, 1):
                if one != other:
                    break
                yield start, place, length


def _best(words: list[str], reference: list[str], number: int, shifts: list[Shift],
          distance: Distance) -> list[str] | None:
    """Return words after the best of the shifts, None where all leave as many edits as there are, or more."""
    beam, places = _beam(len(words), len(reference)), dict[str, int]()
    for place, word in enumerate(reference):
        places[word] = places.get(word, 0) | 1 << place
    bounds = [(_rank(number - _fewest(_shifted(words, shift), places, beam, len(reference)), shift), shift)
              for shift in set(shifts)]
    best: tuple[int, ...] = (1,)  # edit must be saved, at least
    better = None
    for bound, shift in sorted(bounds, reverse=True):
        if bound < best:
            break
        shifted = _shifted(words, shift)
        rank = _rank(number - distance(shifted)[0], shift)
        if rank > best:
            best, better = rank, shifted
    return better


def _rank(saved: int, shift: Shift) -> tuple[int, ...]:
    """Return what is greatest of the shift to make: of two that save as many edits the longer, then the first."""
    return saved, shift.length, -shift.start, -shift.target


def _shifted(words: list[str], shift: Shift) -> list[str]:
    """Return words, some of them shifted in front of a target; where it is among them, on by as many words."""
    length, start, target = shift
    rest = words[:start] + words[start + length:]
    at = target - length if target > start + length else target
    return rest[:at] + words[start:start + length] + rest[at:]


def _beam(n: int, m: int) -> list[int]:
    """Return for each of n words at which of m places, as bits, it may be matched, as sacrebleu's beam goes.

    A match is a step down and to the right in a table, from a cell of the beam to another.
    """
    ratio = m / n
    width = ceil(ratio / 2 + BEAM) if ratio / 2 > BEAM else BEAM
    rows = [(1 << m + 1) - 1]
    for number in range(1, n + 1):
        diagonal = floor(number * ratio)
        rows.append((1 << min(m + 1, diagonal + width)) - (1 << max(0, diagonal - width)))
    return [above & row >> 1 for above, row in pairwise(rows)]


def _fewest(words: list[str], places: dict[str, int], beam: list[int], m: int) -> int:
    """Return how many edits at least a search within the beam finds: out of it nothing is matched, all else goes.

    Myers 1999, https://doi.org/10.1145/316542.316550: the steps from place to place, up and down, are the bits of two
    numbers.
    """
    full, number = (1 << m) - 1, m
    up, down = full, 0
    for word, row in zip(words, beam, strict=True):
        same = places.get(word, 0) & row
        across = (((same & up) + up) ^ up) | same
        rises, falls = down | full & ~(across | up), up & across
        number += (rises >> m - 1 & 1) - (falls >> m - 1 & 1)
        rises, straight = rises << 1 | 1, same | down
        up, down = (falls << 1 | ~(straight | rises)) & full, rises & straight & full
    return number
