"""How much two texts share: clipped n-grams and longest common subsequences of tokens.

What is compared of a text is made once, however often that is compared: variants of one source are, with each other.
"""

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, pairwise, repeat
from operator import and_
from typing import TypeVar

from dialtools.wording import tokenizers

Feature = TypeVar("Feature")
Common = Callable[[list, list], Iterable[int]]  # columns of collections -> how much each two have in common
LONGEST = 20  # n-gram that scores over all orders count; each order takes as much time and memory as the text
FEW = 64  # edits; if these do not do, twice as many are tried, and so on


def best(features: Callable[[str], Feature], compare: Callable[[Feature, Feature], float], predictions: Sequence[str],
         references: Sequence[Sequence[str]], rule: str) -> list[float]:
    """Return, for each prediction, what comparing it with each of its references gives, together.

    features: text -> what is compared of it; asked once for each text.
    compare: (of the prediction, of the reference) -> score.
    rule: max, min or mean.
    """
    return best_of(of_each(features, predictions, references), functools.partial(map, compare), predictions, references,
                   rule)


def best_of(known: Mapping[str, Feature], compare: Callable[[list[Feature], list[Feature]], Iterable[float]],
            predictions: Sequence[str], references: Sequence[Sequence[str]], rule: str) -> list[float]:
    """Return the same of what is known of each text; compare: columns (of predictions, of references) -> scores."""
    own = [known[prediction] for prediction, texts in zip(predictions, references, strict=True) for _ in texts]
    scores = compare(own, [known[text] for texts in references for text in texts])
    if set(map(len, references)) == {1}:
        return list(scores)
    rest = iter(scores)
    return [_together(list(islice(rest, len(texts))), rule) for texts in references]


def of_each(features: Callable[[str], Feature], predictions: Sequence[str],
            references: Sequence[Sequence[str]]) -> dict[str, Feature]:
    """Return {text: its features} of all texts."""
    return {text: features(text) for text in dict.fromkeys(chain(predictions, chain.from_iterable(references)))}


def _together(values: list[float], rule: str) -> float:
    if rule == "mean":
        return sum(values) / len(values)
    return max(values) if rule == "max" else min(values)


def f1(common: int, predicted: int, expected: int) -> float:
    """Return the harmonic mean of precision and recall, from 0 to 1; 0 where nothing is in common."""
    if not common:
        return 0.0
    precision, recall = common / predicted, common / expected
    return 2 * precision * recall / (precision + recall)


def f1s(common: Common, own: list, others: list, less: int = 0) -> list[float]:
    """Return the F1 of pairs of collections, from columns of them; common: see there.

    less: how many fewer than its members a collection has of what is compared.
    """
    return [2 * (precision := shared / (one - less)) * (recall := shared / (other - less)) / (precision + recall)
            if shared else 0.0
            for shared, one, other in zip(common(own, others), map(len, own), map(len, others))]


def in_sets(own: list[set], others: list[set]) -> Iterable[int]:
    """Return what numbered sets have in common."""
    return map(len, map(and_, own, others))


def bags(tokenize: Callable[[str], list[str]], predictions: Sequence[str],
         references: Sequence[Sequence[str]]) -> dict[str, list[str]]:
    """Return {text: its tokens, sorted}: what two bags share is their longest common subsequence."""
    return {text: sorted(tokens) for text, tokens in of_each(tokenize, predictions, references).items()}


def in_neighbours(own: list[list[str]], others: list[list[str]]) -> Iterator[int]:
    """Yield how many pairs of neighbouring tokens are in common, of texts that are compared but once.

    Where one text has no pair twice, its set finds them among those of the other, of which no set is made.
    """
    for tokens, other in zip(own, others):
        found = set(pairwise(other))
        if len(found) >= len(other) - 1:
            yield len(found.intersection(pairwise(tokens)))
        else:
            yield len(numbered_neighbours(tokens) & numbered_neighbours(other))


def windows(tokens: list[str], n: int) -> list:
    """Return the n-grams of tokens in their order; those of one token are the tokens."""
    if n == 1:
        return tokens
    most = min(n, len(tokens) + 1)  # so many are enough to see that there is none
    return list(zip(*[tokens[i:] for i in range(most)], strict=False))


def numbered_neighbours(tokens: list[str]) -> set:
    """Return the pairs of neighbouring tokens numbered; most texts have none twice, so that no list is needed."""
    unique = set(pairwise(tokens))
    return unique if len(unique) >= len(tokens) - 1 else numbered(windows(tokens, 2))


def numbered_orders(tokens: list[str], most: int) -> list[set]:
    """Return the n-grams of tokens numbered, of one token, of two, up to so many."""
    rests, found = [tokens[i:] for i in range(most)], [numbered(tokens)]
    for n in range(2, most + 1):
        unique = set(zip(*rests[:n]))
        found.append(unique if len(unique) > len(tokens) - n else numbered(windows(tokens, n)))
    return found


def numbered(items: Sequence) -> set:
    """Return a set with as many members as there are items: a repeated one comes as (item, times before).

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


def in_bags(predictions: Sequence[str], references: Sequence[Sequence[str]]) -> Common:
    """Return the function that finds what bags of these texts have in common.

    That is the longest common subsequence of two sorted lists; but with long ones it takes longer than counting does.
    """
    if has_long(predictions, references):
        return lambda own, others: in_counters(map(Counter, own), map(Counter, others))
    return in_order


def has_long(predictions: Sequence[str], references: Sequence[Sequence[str]]) -> bool:
    """Is there a text so long that tokenizers keep nothing of it?"""
    return max(map(len, chain(predictions, chain.from_iterable(references))), default=0) > tokenizers.LONG


def in_counters(own: Iterable[Counter], others: Iterable[Counter]) -> Iterable[int]:
    """Return what multisets have in common, those of long texts: there numbered sets would fill the memory."""
    return map(_clipped, own, others)


def _clipped(one: Counter, other: Counter) -> int:
    few, many = (one, other) if len(one) < len(other) else (other, one)
    return sum(map(min, few.values(), map(many.get, few, repeat(0))))


def in_order(own: list[Sequence], others: list[Sequence]) -> Iterable[int]:
    """Return the lengths of the longest common subsequences of tokens."""
    return map(_longest(), own, others)


@functools.lru_cache(maxsize=None)
def _longest() -> Callable[[Sequence, Sequence], int]:
    from rapidfuzz.distance.LCSseq import similarity

    return similarity


def edits(one: str, other: str) -> int:
    """Return the fewest insertions, deletions and replacements of characters that make one text of the other.

    Whether a few do is looked at first where texts are long: there all takes time in proportion to both lengths.
    """
    hint = FEW if min(len(one), len(other)) > tokenizers.LONG else None
    return _levenshtein()(one, other, score_hint=hint)


@functools.lru_cache(maxsize=None)
def _levenshtein() -> Callable[..., int]:
    from rapidfuzz.distance.Levenshtein import distance

    return distance


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
        if (rows[at] & mask).bit_count() < (rows[at - 1] & mask).bit_count():  # longer with this token than without
            j -= 1
        else:
            at -= 1
    return taken
