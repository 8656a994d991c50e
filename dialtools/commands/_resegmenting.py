"""A running translation cut into the sentences of its references, with the fewest words that differ.

The words of the translation and those of all references in a row are aligned by
minimum edit distance, case aside; where one reference ends in the alignment, a
part of the translation ends.  The edit distances of the parts then add up to
the least that any cuts could give.  Words at a cut that are like none of either
side go with the part before it, those at the very beginning with the first.

Source: Matusov et al. 2005, https://aclanthology.org/2005.iwslt-1.19, whose
mwerSegmenter does so for one reference or several.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

Span = tuple[int, int]


def spans(text: str, spaced: bool) -> list[Span]:
    """Return where the words of a text stand, or, in a language without spaces, its characters."""
    import re

    return [word.span() for word in re.finditer(r"\S+" if spaced else r"\S", text)]


def cuts(words: Sequence[str], references: Sequence[Sequence[str]]) -> list[Span]:
    """Return for each reference its part of the words, from which to which place.

    >>> cuts("the cat sat um on it goes".split(), ["the cat sat".split(), "It goes".split()])
    [(0, 5), (5, 7)]
    """
    from rapidfuzz.distance import Levenshtein

    said = [word.casefold() for word in words]
    wanted = [word.casefold() for reference in references for word in reference]
    changes = list(Levenshtein.opcodes(wanted, said))
    ends = [change.src_end for change in changes]
    places = [0]
    for end in list(accumulate(map(len, references)))[:-1]:
        at = bisect_right(ends, end)  # behind what is put in there
        places.append(_place(changes[at], end) if at < len(ends) else len(words))
    return list(pairwise([*places, len(words)]))


def _place(change: Any, end: int) -> int:
    """Return which word comes after so many of the references, within a change that ends beyond them."""
    return min(change.dest_start + end - change.src_start, change.dest_end)
