"""Resampling: bootstrap samples, random signs, and intervals and p from them.

A sample is a matrix with a row for each unit that is drawn and a column for each
statistic; `score` computes the compared number, such as a mean, from sums of rows.
"""

from collections.abc import Callable
from statistics import NormalDist
from typing import Any, Literal

from dialtools.statistics import moments
from dialtools.system.errors import OptionError

Interval = Literal["bca", "percentile", "normal"]
RESAMPLES = 10_000
_BLOCK = 1 << 17  # draws held at once, as many as fit into the processor's cache
_FEW = 1 << 12  # rows that 16 random bits tell apart with few of them rejected
_EIGHTS = 128  # tables of sums of eight values held at once
_EPSILON = 1e-12  # of the largest value: a smaller difference is rounding


def rng(*seeds: int) -> Any:
    """Return numpy's random generator, the same for the same seeds on every machine."""
    import numpy

    seeds = tuple(seed % 2**64 for seed in seeds)  # numpy rejects negative seeds
    return numpy.random.Generator(numpy.random.PCG64(seeds))


def bootstrap(rows: Any, score: Callable[[Any], Any], resamples: int, *seeds: int) -> Any:
    """Return the scores of samples of as many rows, drawn with replacement (resamples,)."""
    import numpy

    sums = numpy.empty((_checked(resamples), rows.shape[1]))
    draw, step = rng(*seeds), max(1, _BLOCK // len(rows))
    summed = _taking(rows[:, 0], draw, step) if rows.shape[1] == 1 else _counting(rows, draw)
    for start in range(0, resamples, step):
        sums[start : start + step] = summed(min(step, resamples - start))
    return score(sums)


def _taking(values: Any, draw: Any, step: int) -> Callable[[int], Any]:
    """Return a function: number of samples of values, up to `step` -> their sums (samples, 1)."""
    import numpy

    n, width = len(values), _width(len(values))
    table = numpy.resize(values, width)  # the values repeated
    drawn = numpy.empty((step, n))  # allocating it anew each time would cost more than the draws

    def summed(samples: int) -> Any:
        places = _places(draw, n, width, samples)
        table.take(places, out=drawn[:samples], mode="clip")  # the fastest mode
        return drawn[:samples].sum(axis=1, keepdims=True)

    return summed


def _counting(rows: Any, draw: Any) -> Callable[[int], Any]:
    """Return the same for rows: counts of draws times the rows, faster than taking each column."""
    import numpy

    n, width = len(rows), _width(len(rows))

    def summed(samples: int) -> Any:
        places = _places(draw, n, width, samples)
        places = (places % n if width > n else places) + numpy.arange(0, samples * n, n)[:, None]
        counts = numpy.bincount(places.ravel(), minlength=samples * n).reshape(samples, n)
        return counts.astype(float) @ rows

    return summed


def _width(n: int) -> int:
    """Return the smallest power of two that few rows, repeated, fill to 15/16; n for many rows."""
    if n > _FEW:
        return n
    width = 1
    while width < n or 16 * (width % n) > width:
        width *= 2
    return width


def _places(draw: Any, n: int, width: int, samples: int) -> Any:
    """Return random places below `width` (samples, n); place i is that of row i % n.

    Every row is exactly equally likely: random bits that fall beyond the last whole repetition
    of the rows are drawn again.  Bits are twice as fast as bounded integers.
    """
    import numpy

    if n > _FEW:
        return draw.integers(0, n, size=(samples, n))
    words = draw.bit_generator.random_raw(-(-samples * n // 4))
    places = words.astype("<u8", copy=False).view("<u2")[: samples * n] & (width - 1)
    over = numpy.flatnonzero(places >= width - width % n)
    places[over] = draw.integers(0, n, size=len(over))
    return places.reshape(samples, n)


def _checked(resamples: int) -> int:
    if resamples < 2:
        raise OptionError(f"resamples must be 2 or more, not {resamples}")
    return resamples


def of_items(
    score: Callable[[Any], float | None], n: int, level: float, resamples: int, seed: int
) -> list[float] | None:
    """Return the percentile interval of a score of items drawn with replacement.

    score: how often each of the n items is counted (n,) -> a score; None where it has none.
    """
    import numpy

    draws = rng(seed)
    drawn = [
        score(numpy.bincount(draws.integers(0, n, n), minlength=n))
        for _ in range(_checked(resamples))
    ]
    known = numpy.array([one for one in drawn if one is not None])
    return interval("percentile", level, 0.0, known, None) if len(known) else None


def interval(
    kind: Interval, level: float, observed: float, resampled: Any, influence: Any
) -> list[float]:
    """Return the interval of a score from resampled scores (Efron and Tibshirani 1993, chapter 14).

    kind: percentile for their quantiles, normal for their standard deviation, bca for quantiles
    corrected for bias and skewness.
    influence: for bca, how much each row raises the score, in any unit and from any origin.
    """
    import numpy

    tails = [(1 - level) / 2, (1 + level) / 2]
    if kind == "normal":
        half = NormalDist().inv_cdf(tails[1]) * moments.deviation(resampled.tolist())
        return [observed - half, observed + half]
    if kind == "bca":
        tails = _corrected(tails, observed, resampled, influence)
    return [float(bound) for bound in numpy.quantile(resampled, tails)]


def _corrected(tails: list[float], observed: float, resampled: Any, influence: Any) -> list[float]:
    """Return the tails of the BCa interval; the given ones if nothing can be estimated."""
    normal = NormalDist()
    rounding = _EPSILON * float(abs(resampled).max())
    less, not_more = resampled < observed - rounding, resampled <= observed + rounding
    below = float(less.mean() + not_more.mean()) / 2
    gaps = influence - influence.mean()
    largest = float(abs(gaps).max())
    if not 0 < below < 1 or not largest:
        return tails
    gaps /= largest  # their cubes would overflow or vanish
    bias = normal.inv_cdf(below)
    acceleration = float((gaps**3).sum() / (6 * (gaps**2).sum() ** 1.5))
    moved = [bias + normal.inv_cdf(tail) for tail in tails]
    return [normal.cdf(bias + z / (1 - acceleration * z)) for z in moved]


def as_far(null: Any, observed: float) -> int:
    """Return how many scores under the null are at least as far from 0 as the observed one."""
    import numpy

    away = numpy.abs(null)
    return int((away >= abs(observed) - _EPSILON * away.max()).sum())


def p_of_drawn(null: Any, observed: float) -> float:
    """Return (c + 1) / (n + 1), where c of n null scores are as far from 0 as the observed one."""
    return (as_far(null, observed) + 1) / (len(null) + 1)


def sign_flips(values: Any, resamples: int, seed: int) -> Any:
    """Return sums of the values with random signs (resamples,); equal seeds give equal signs.

    A random byte holds eight signs, and a table the sum of eight values for each byte.
    """
    import numpy

    padded = numpy.zeros((-(-len(values) // 8), 8))
    padded.flat[: len(values)] = values
    signs = 1.0 - 2.0 * numpy.unpackbits(numpy.arange(256, dtype=numpy.uint8)[:, None], axis=1)
    draw, sums = rng(seed), numpy.zeros(_checked(resamples))
    for start in range(0, len(padded), _EIGHTS):
        tables = padded[start : start + _EIGHTS] @ signs.T  # (eights, 256)
        drawn = draw.integers(0, 256, (len(tables), resamples), numpy.uint8)
        for table, byte in zip(tables, drawn, strict=True):
            sums += table.take(byte)
    return sums


def all_signs(values: Any) -> Any:
    """Return the sums of the values for all choices of signs (2^n,)."""
    import numpy

    sums = numpy.zeros(1)
    for value in values:
        sums = numpy.concatenate([sums + value, sums - value])
    return sums
