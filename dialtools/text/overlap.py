"""How much two texts share: clipped n-grams and longest common subsequences of tokens.

The features of a text are made once, however often it is compared: variants of a source are
compared with each other.
"""

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, islice, pairwise, repeat
from operator import and_
from typing import TypeVar

from dialtools.text import tokenizers

Feature = TypeVar("Feature")
Common = Callable[[list, list], Iterable[int]]  # columns of collections -> the size of each overlap
LONGEST = 20  # n-gram in scores over all orders; each order costs as much as the text
FEW = 64  # edits to try first in long texts


def best(
    features: Callable[[str], Feature],
    compare: Callable[[Feature, Feature], float],
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    rule: str,
) -> list[float]:
    """Return the score of each prediction against its references.

    features: text -> what is compared; called once for each distinct text.
    compare: (features of the prediction, of the reference) -> score.
    rule: max, min or mean over the references.
    """
    known = of_each(features, predictions, references)
    return best_of(known, functools.partial(map, compare), predictions, references, rule)


def best_of(
    known: Mapping[str, Feature],
    compare: Callable[[list[Feature], list[Feature]], Iterable[float]],
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    rule: str,
) -> list[float]:
    """Return the same from known features; compare: columns (predictions, references) -> scores."""
    own = [
        known[prediction]
        for prediction, texts in zip(predictions, references, strict=True)
        for _ in texts
    ]
    scores = compare(own, [known[text] for texts in references for text in texts])
    if set(map(len, references)) == {1}:
        return list(scores)
    rest = iter(scores)
    return [_together(list(islice(rest, len(texts))), rule) for texts in references]


def of_each(
    features: Callable[[str], Feature],
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
) -> dict[str, Feature]:
    """Return {text: its features} of all texts."""
    texts = dict.fromkeys(chain(predictions, chain.from_iterable(references)))
    return {text: features(text) for text in texts}


def _together(values: list[float], rule: str) -> float:
    if rule == "mean":
        return sum(values) / len(values)
    return max(values) if rule == "max" else min(values)


def f1(common: int, predicted: int, expected: int) -> float:
    """Return the harmonic mean of precision and recall, from 0 to 1; 0 without an overlap."""
    if not common:
        return 0.0
    precision, recall = common / predicted, common / expected
    return 2 * precision * recall / (precision + recall)


def f1s(common: Common, own: list, others: list) -> list[float]:
    """Return the F1 of each pair of collections in two columns."""
    return [
        2 * (precision := shared / one) * (recall := shared / other) / (precision + recall)
        if shared
        else 0.0
        for shared, one, other in zip(
            common(own, others), map(len, own), map(len, others), strict=False
        )
    ]


def bags(
    tokenize: Callable[[str], list[str]],
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
) -> dict[str, list[str]]:
    """Return {text: its tokens, sorted}: the overlap of two bags is their common subsequence."""
    return of_each(lambda text: sorted(tokenize(text)), predictions, references)


def in_bags(predictions: Sequence[str], references: Sequence[Sequence[str]]) -> Common:
    """Return the function that finds the overlaps of the bags of these texts.

    For short texts, common subsequences of sorted tokens take half the time of anything else; for
    long ones they take longer than counting.
    """
    if has_long(predictions, references):
        return lambda own, others: in_counters(map(Counter, own), map(Counter, others))
    return in_order


def has_long(predictions: Sequence[str], references: Sequence[Sequence[str]]) -> bool:
    """Tell whether a text is so long that tokenizers keep no results for it."""
    lengths = map(len, chain(predictions, chain.from_iterable(references)))
    return max(lengths, default=0) > tokenizers.LONG


def windows(tokens: list[str], n: int) -> list:
    """Return the n-grams of tokens in their order; those of one token are the tokens."""
    if n < 3:
        return tokens if n == 1 else list(pairwise(tokens))
    most = min(n, len(tokens) + 1)  # enough to see that there is none
    return list(zip(*[tokens[i:] for i in range(most)], strict=False))


def numbered(items: Sequence) -> set:
    """Return a set with as many members as items: a repeated item is (item, times before).

    The intersection of two such sets is as large as that of the multisets, and is found in C.

    >>> sorted(numbered("abba"), key=str)
    [('a', 1), ('b', 1), 'a', 'b']
    """
    unique = set(items)
    if len(unique) < len(items):
        before: dict = {}
        for item in items:
            if item in before:
                unique.add((item, before[item]))
                before[item] += 1
            else:
                before[item] = 1
    return unique


def in_sets(own: list[set], others: list[set]) -> Iterable[int]:
    """Return the sizes of the overlaps of numbered sets."""
    return map(len, map(and_, own, others))


def in_counters(own: Iterable[Counter], others: Iterable[Counter]) -> Iterable[int]:
    """Return the sizes of the overlaps of multisets, which take less memory than numbered sets."""
    return map(_clipped, own, others)


def _clipped(one: Counter, other: Counter) -> int:
    few, many = (one, other) if len(one) < len(other) else (other, one)
    return sum(map(min, few.values(), map(many.get, few, repeat(0))))


def in_order(own: list[Sequence], others: list[Sequence]) -> Iterable[int]:
    """Return the lengths of the longest common subsequences of tokens."""
    from rapidfuzz.distance.LCSseq import similarity

    return map(similarity, own, others)


def edits(one: str, other: str) -> int:
    """Return the character edit distance of two texts.

    Full search takes time in proportion to both lengths, so that in long texts few edits are tried
    first.
    """
    from rapidfuzz.distance.Levenshtein import distance

    is_long = min(len(one), len(other)) > tokenizers.LONG
    return distance(one, other, score_hint=FEW if is_long else None)


def places(tokens: list[str], others: list[str]) -> list[int]:
    """Return the places in `tokens` of one longest common subsequence, the last first.

    Of several the reference implementation of ROUGE takes the one that is found
    from the end, moving in `others` only where that alone keeps the length.

    Row i has a bit for each place in `others` where the length grows: 0 (Hyyrö
    2004, Bit-parallel LCS-length computation revisited).
    """
    where: dict[str, int] = {}
    for j, other in enumerate(others):
        where[other] = where.get(other, 0) | 1 << j
    kept = [i for i, token in enumerate(tokens) if token in where]
    rows = [(1 << len(others)) - 1]
    for i in kept:
        row, found = rows[-1], where[tokens[i]]
        rows.append((row + (row & found) | row & ~found) & rows[0])
    return _back(tokens, others, kept, rows)


def _back(tokens: list[str], others: list[str], kept: list[int], rows: list[int]) -> list[int]:
    """Return those places from the rows, one for each token that is kept, and one before them."""
    taken, at, j = [], len(kept), len(others)
    while at and j:
        if tokens[kept[at - 1]] == others[j - 1]:
            at, j = at - 1, j - 1
            taken.append(kept[at])
            continue
        mask = (1 << j) - 1
        # longer with this token than without
        if (rows[at] & mask).bit_count() < (rows[at - 1] & mask).bit_count():
            j -= 1
        else:
            at -= 1
    return taken
