"""How much two texts share: clipped n-grams and longest common subsequences of tokens.

The features of a text are made once, however often it is compared: variants of a source are
compared with each other.

N-grams of all orders are found from one sort. Each place of each sequence makes one integer: the
number of its pair, the symbols from there on, and one bit for which of the two sequences it is in.
Among sorted integers, equal n-grams of a pair are neighbours, whatever n; what has no counterpart
of one order has none of a higher order.
"""

import functools
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain, islice, pairwise, repeat
from operator import and_
from typing import Any, TypeVar

from dialtools.text import tokenizers

Feature = TypeVar("Feature")
Common = Callable[[list, list], Iterable[int]]  # columns of collections -> the size of each overlap
LONGEST = 20  # n-gram in scores over all orders; each order costs as much as the text
FEW = 64  # edits to try first in long texts
Codes = Any  # numpy array of integers from 0, the symbols of all sequences one after the other
PLACES = 1 << 17  # of n-grams that are sorted at once
_WORD = 63  # bits of an integer


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
    features_of = of_each(features, predictions, references)
    return best_of(features_of, functools.partial(map, compare), predictions, references, rule)


def best_of(
    features_of: Mapping[str, Feature],
    compare: Callable[[list[Feature], list[Feature]], Iterable[float]],
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    rule: str,
) -> list[float]:
    """Return the same from known features; compare: columns (predictions, references) -> scores."""
    predicted = [
        features_of[prediction]
        for prediction, texts in zip(predictions, references, strict=True)
        for _ in texts
    ]
    scores = compare(predicted, [features_of[text] for texts in references for text in texts])
    if set(map(len, references)) == {1}:
        return list(scores)
    remaining = iter(scores)
    of_each_prediction = (list(islice(remaining, len(texts))) for texts in references)
    if rule == "mean":
        return [sum(scores) / len(scores) for scores in of_each_prediction]
    return list(map(max if rule == "max" else min, of_each_prediction))


def of_each(
    features: Callable[[str], Feature],
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
) -> dict[str, Feature]:
    """Return {text: its features} of all texts."""
    texts = dict.fromkeys(chain(predictions, chain.from_iterable(references)))
    return {text: features(text) for text in texts}


def f1(common: int, predicted: int, expected: int) -> float:
    """Return the harmonic mean of precision and recall, from 0 to 1; 0 without an overlap."""
    if not common:
        return 0.0
    precision, recall = common / predicted, common / expected
    return 2 * precision * recall / (precision + recall)


def f1s(common: Common, predicted: list, expected: list) -> list[float]:
    """Return the F1 of each pair of collections in two columns."""
    sizes = zip(common(predicted, expected), map(len, predicted), map(len, expected), strict=False)
    return [
        2 * (precision := shared / size) * (recall := shared / other_size) / (precision + recall)
        if shared
        else 0.0
        for shared, size, other_size in sizes
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
        return lambda left, right: in_counters(map(Counter, left), map(Counter, right))
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


def in_sets(left: list[set], right: list[set]) -> Iterable[int]:
    """Return the sizes of the overlaps of numbered sets."""
    return map(len, map(and_, left, right))


def in_counters(left: Iterable[Counter], right: Iterable[Counter]) -> Iterable[int]:
    """Return the sizes of the overlaps of multisets, which take less memory than numbered sets."""

    def clipped(one: Counter, other: Counter) -> int:
        shorter, longer = (one, other) if len(one) < len(other) else (other, one)
        return sum(map(min, shorter.values(), map(longer.get, shorter, repeat(0))))

    return map(clipped, left, right)


def in_order(left: list[Sequence], right: list[Sequence]) -> Iterable[int]:
    """Return the lengths of the longest common subsequences of tokens."""
    from rapidfuzz.distance.LCSseq import similarity

    return map(similarity, left, right)


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
    bits: dict[str, int] = {}  # the places of each token in `others`
    for j, symbol in enumerate(others):
        bits[symbol] = bits.get(symbol, 0) | 1 << j
    known_places = [i for i, token in enumerate(tokens) if token in bits]
    rows = [(1 << len(others)) - 1]
    for i in known_places:
        row, matching = rows[-1], bits[tokens[i]]
        rows.append((row + (row & matching) | row & ~matching) & rows[0])

    # back from the end, by the row of each token and the one before it
    taken, number, j = [], len(known_places), len(others)
    while number and j:
        if tokens[known_places[number - 1]] == others[j - 1]:
            number, j = number - 1, j - 1
            taken.append(known_places[number])
            continue
        mask = (1 << j) - 1
        is_longer = (rows[number] & mask).bit_count() < (rows[number - 1] & mask).bit_count()
        if is_longer:  # with this token than without
            j -= 1
        else:
            number -= 1
    return taken


def shared_ngrams(
    texts: Mapping[str, Sequence[str]], pairs: Collection[tuple[str, str]], order: int
) -> dict[tuple[str, str], list[int]]:
    """Return how many n-grams the two texts of each pair share, for n from 1 on.

    texts: what stands for each text that the pairs name: a string, whose symbols are characters,
        or a list of tokens.
    """
    import numpy

    sequences = [texts[name] for pair in pairs for name in pair]
    if all(isinstance(sequence, str) for sequence in sequences):
        coded = "".join(map(str, sequences)).encode("utf-32-le", "surrogatepass")
        codes = numpy.frombuffer(coded, numpy.uint32)
    else:
        number_of: dict[str, int] = defaultdict(lambda: len(number_of))
        codes = numpy.array(
            [number_of[token] for tokens in sequences for token in tokens], numpy.int64
        )
    sizes = numpy.array(list(map(len, sequences)), numpy.int64)
    ends = numpy.cumsum(sizes)[1::2]
    counts = numpy.zeros((len(ends), order), numpy.int64)
    start = first = 0
    while first < len(ends):
        last = max(first + 1, int(numpy.searchsorted(ends, start + PLACES, "right")))
        end = int(ends[last - 1])
        counts[first:last] = _shared(codes[start:end], sizes[2 * first : 2 * last], order)
        start, first = end, last
    return dict(zip(pairs, counts.tolist(), strict=True))


def _shared(codes: Codes, sizes: Any, order: int) -> Any:
    """Return how many n-grams the sequences of each pair share (pairs, order), from one sort."""
    import numpy

    pairs = len(sizes) // 2
    counts = numpy.zeros((pairs, order), numpy.int64)
    if not len(codes):
        return counts

    # symbols numbered from 1, so that they have few bits
    occurs = numpy.zeros(int(codes.max()) + 1, numpy.int64)
    occurs[codes] = 1
    symbols = numpy.cumsum(occurs)[codes]

    bits, pair_bits = int(symbols.max()).bit_length(), max(1, (pairs - 1).bit_length())
    words = _words(symbols, sizes, order, bits, pair_bits)
    if len(words) == 1:
        words[0].sort()
    else:
        words = [word[numpy.lexsort(words[::-1])] for word in words]
    pair = words[0] >> (_WORD - pair_bits)
    is_first = words[-1] & 1
    within, mask = (_WORD - 1 - pair_bits) // bits, (1 << bits) - 1
    begins = numpy.ones(len(pair), bool)  # another n-gram than the one before
    begins[1:] = pair[1:] != pair[:-1]
    for n in range(order):
        word, place = divmod(n, within)
        symbol = words[word] >> (_WORD - pair_bits - bits * (place + 1)) & mask
        begins[1:] |= symbol[1:] != symbol[:-1]
        starts = numpy.flatnonzero(begins)
        of_first = numpy.add.reduceat(is_first, starts)
        of_second = numpy.diff(starts, append=len(begins)) - of_first
        shared = numpy.minimum(of_first, of_second) * (symbol[starts] > 0)
        counts[:, n] = numpy.bincount(pair[starts], shared, pairs)
        is_shared = numpy.repeat(shared > 0, of_first + of_second)
        words = [column[is_shared] for column in words]
        pair, is_first, begins = pair[is_shared], is_first[is_shared], begins[is_shared]
        if not len(pair):
            break
    return counts


def _words(symbols: Any, sizes: Any, order: int, bits: int, pair_bits: int) -> list:
    """Return the integers of all places, one word after the other if a place needs several.

    A word holds the pair, symbols from the highest bit down, 0 beyond the end of the sequence,
    and 1 in its lowest bit if the sequence is the first of its pair.
    """
    import numpy

    sequence = numpy.repeat(numpy.arange(len(sizes)), sizes)
    remaining = numpy.repeat(numpy.cumsum(sizes), sizes) - numpy.arange(len(symbols))
    head = (sequence >> 1 << (_WORD - pair_bits)) + (1 - (sequence & 1))
    within = (_WORD - 1 - pair_bits) // bits
    words = []
    for n in range(order):
        place = n % within
        if not place:
            words.append(head.copy())
        starts = numpy.flatnonzero(remaining > n)  # of the n-grams that end within their sequence
        words[-1][starts] += symbols[starts + n] << _WORD - pair_bits - bits * (place + 1)
    return words
