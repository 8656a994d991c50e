"""The edits of TER: shifts of words, found one by one as tercom and sacrebleu find them, then insertions and the like.

Each round tries all shifts of words that stand elsewhere in the reference, and makes the best.  After 1,000 the search
ends, and what its last round has tried counts for nothing: so nothing of it is compared.  Of the others sacrebleu
compares only what may be the best: of each `_fewest` tells how many edits there are at least, in a tenth of the time.
"""

from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from math import ceil, floor, inf

LONGEST, FARTHEST = 10, 50  # words that are shifted, and how far apart they stand in the two texts
MOST = 1000  # shifts to try
BEAM = 25  # on both sides of the diagonal, where edits are looked for

Shift = tuple[int, int, int]  # how many words, minus where from, minus where to: of two as good the greater is made
Distance = Callable[[list[str]], tuple[int, str]]  # words -> how many edits they are from the reference, and which


def edits(words: list[str], reference: list[str]) -> int:
    """Return how many shifts, insertions, deletions and substitutions make the reference of words."""
    from sacrebleu.metrics.lib_ter import BeamEditDistance

    if not words or not reference:
        return len(words) + len(reference)
    distance, shifts, tried = BeamEditDistance(reference), 0, 0
    while True:
        number, trace = distance(words)
        found = list(islice(_shifts(words, reference, trace), MOST - tried))
        tried += len(found)
        better = _best(words, reference, number, found, distance) if tried < MOST else None
        if not better:
            return shifts + number
        words, shifts = better, shifts + 1


def _shifts(words: list[str], reference: list[str], trace: str) -> Iterator[Shift]:
    """Yield shifts of what is wrong, and right for where the reference has it; some may come twice."""
    wrong, missed, behind = list[bool](), list[bool](), [0]  # of words, of the reference; where in words that ends
    for edit in trace:
        wrong += [edit != " "] * (edit != "i")
        missed += [edit != " "] * (edit != "d")
        behind += [len(wrong)] * (edit != "d")
    places: dict[str, list[int]] = {}
    for place, word in enumerate(reference):
        places.setdefault(word, []).append(place)
    for start, word in enumerate(words):
        for place in [place for place in places.get(word, ()) if abs(place - start) <= FARTHEST]:
            for length in range(1, _alike(words[start:start + LONGEST], reference[place:place + LONGEST]) + 1):
                if (any(wrong[start:start + length]) and any(missed[place:place + length])
                        and not start < behind[place + 1] <= start + length):
                    for target in dict.fromkeys(behind[place:place + length + 1]):
                        yield length, -start, -target


def _alike(one: list[str], other: list[str]) -> int:
    """Return with how many equal words two lists begin."""
    return next((n for n, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))


def _best(words: list[str], reference: list[str], number: int, shifts: list[Shift],
          distance: Distance) -> list[str] | None:
    """Return words after the best of the shifts, None where all leave as many edits as there are, or more."""
    beam, places = _beam(len(words), len(reference)), dict[str, int]()
    for place, word in enumerate(reference):
        places[word] = places.get(word, 0) | 1 << place
    bounds = [(number - _fewest(_shifted(words, *shift), places, beam, len(reference)), *shift)
              for shift in set(shifts)]
    best: tuple = (0, inf)
    better = None
    for bound in sorted(bounds, reverse=True):
        if bound <= best:
            break
        shifted = _shifted(words, *bound[1:])
        gain = number - distance(shifted)[0], *bound[1:]
        if gain > best:
            best, better = gain, shifted
    return better


def _shifted(words: list[str], length: int, minus_start: int, minus_target: int) -> list[str]:
    """Return words, some of them shifted in front of a target; where it is among them, on by as many words."""
    start, target = -minus_start, -minus_target
    rest, at = words[:start] + words[start + length:], target - length if target > start + length else target
    return rest[:at] + words[start:start + length] + rest[at:]


def _beam(n: int, m: int) -> list[int]:
    """Return for each of n words at which of m places, as bits, it may be matched, as sacrebleu's beam goes."""
    ratio = m / n
    width = ceil(ratio / 2 + BEAM) if ratio / 2 > BEAM else BEAM
    diagonal = [floor(number * ratio) for number in range(1, n + 1)]
    rows = [(1 << min(m + 1, at + width)) - (1 << max(0, at - width)) for at in diagonal]
    return [(row & before << 1) >> 1 for before, row in pairwise([(1 << m + 1) - 1, *rows])]


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
