"""N-grams that the two sequences of each pair have in common, for all orders from one sort.

Each place of each sequence makes one integer: the number of its pair, the symbols from there on,
and one bit for which of the two sequences it is in.  Among sorted integers, equal n-grams of a
pair are neighbours, whatever n; what has no counterpart of one order has none of a higher order.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

Codes = Any  # numpy array of integers from 0, the symbols of all sequences one after the other
PLACES = 1 << 17  # that are sorted at once
_WORD = 63  # bits of an integer


def in_texts(
    texts: Mapping[str, str], pairs: Collection[tuple[str, str]], order: int
) -> dict[tuple[str, str], list[int]]:
    """Return how many n-grams of characters the two texts of each pair share, for n from 1 on.

    texts: what stands for each text that the pairs name.
    """
    import numpy

    sequences = [texts[name] for pair in pairs for name in pair]
    coded = "".join(sequences).encode("utf-32-le", "surrogatepass")
    found = common(numpy.frombuffer(coded, numpy.uint32), list(map(len, sequences)), order)
    return dict(zip(pairs, found.tolist(), strict=True))


def in_tokens(
    texts: Mapping[str, list[str]], pairs: Collection[tuple[str, str]], order: int
) -> dict[tuple[str, str], list[int]]:
    """Return the same for n-grams of tokens."""
    import numpy

    sequences = [texts[name] for pair in pairs for name in pair]
    numbers: dict[str, int] = defaultdict(lambda: len(numbers))
    codes = numpy.array([numbers[token] for tokens in sequences for token in tokens], numpy.int64)
    found = common(codes, list(map(len, sequences)), order)
    return dict(zip(pairs, found.tolist(), strict=True))


def common(codes: Codes, lengths: Sequence[int], order: int) -> Any:
    """Return how many n-grams the sequences of each pair share, for n from 1 on (pairs, order).

    lengths: of the sequences; those of a pair stand beside each other.
    """
    import numpy

    sizes = numpy.array(lengths, numpy.int64)
    ends = numpy.cumsum(sizes)[1::2]
    found = numpy.zeros((len(ends), order), numpy.int64)
    start = first = 0
    while first < len(ends):
        last = max(first + 1, int(numpy.searchsorted(ends, start + PLACES, "right")))
        end = int(ends[last - 1])
        found[first:last] = _common(codes[start:end], sizes[2 * first : 2 * last], order)
        start, first = end, last
    return found


def _common(codes: Codes, sizes: Any, order: int) -> Any:
    """Return the same for as many pairs as are sorted at once."""
    import numpy

    pairs = len(sizes) // 2
    found = numpy.zeros((pairs, order), numpy.int64)
    if not len(codes):
        return found
    symbols = _dense(codes)
    bits, pair_bits = int(symbols.max()).bit_length(), max(1, (pairs - 1).bit_length())
    words = _words(symbols, sizes, order, bits, pair_bits)
    if len(words) == 1:
        words[0].sort()
    else:
        words = [word[numpy.lexsort(words[::-1])] for word in words]
    pair = words[0] >> (_WORD - pair_bits)
    own = words[-1] & 1
    within, mask = (_WORD - 1 - pair_bits) // bits, (1 << bits) - 1
    new = numpy.ones(len(pair), bool)
    new[1:] = pair[1:] != pair[:-1]
    for n in range(order):
        word, at = divmod(n, within)
        symbol = words[word] >> (_WORD - pair_bits - bits * (at + 1)) & mask
        new[1:] |= symbol[1:] != symbol[:-1]
        starts = numpy.flatnonzero(new)
        ours = numpy.add.reduceat(own, starts)
        theirs = numpy.diff(starts, append=len(new)) - ours
        shared = numpy.minimum(ours, theirs) * (symbol[starts] > 0)
        found[:, n] = numpy.bincount(pair[starts], shared, pairs)
        kept = numpy.repeat(shared > 0, ours + theirs)
        words = [one[kept] for one in words]
        pair, own, new = pair[kept], own[kept], new[kept]
        if not len(pair):
            break
    return found


def _dense(codes: Codes) -> Any:
    """Return symbols numbered from 1, so that they have few bits."""
    import numpy

    there = numpy.zeros(int(codes.max()) + 1, numpy.int64)
    there[codes] = 1
    return numpy.cumsum(there)[codes]


def _words(symbols: Any, sizes: Any, order: int, bits: int, pair_bits: int) -> list:
    """Return the integers of all places, one word after the other if a place needs several.

    A word holds the pair, symbols from the highest bit down, 0 beyond the end of the sequence,
    and 1 in its lowest bit if the sequence is the first of its pair.
    """
    import numpy

    sequence = numpy.repeat(numpy.arange(len(sizes)), sizes)
    left = numpy.repeat(numpy.cumsum(sizes), sizes) - numpy.arange(len(symbols))
    head = (sequence >> 1 << (_WORD - pair_bits)) + (1 - (sequence & 1))
    within = (_WORD - 1 - pair_bits) // bits
    words = []
    for n in range(order):
        at = n % within
        if not at:
            words.append(head.copy())
        shift = _WORD - pair_bits - bits * (at + 1)
        there = numpy.flatnonzero(left > n)
        words[-1][there] += symbols[there + n] << shift
    return words
