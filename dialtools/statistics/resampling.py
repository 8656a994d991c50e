"""Resampling: drawing again from the values at hand, ten thousand times, fast.

A sample is a matrix, a row for each thing that is drawn and a column for each
statistic; `score` turns sums of its rows into the number that is compared.
For plain numbers that is their mean.
"""

from collections.abc import Callable
from statistics import NormalDist
from typing import Any, Literal

from dialtools.errors import OptionError
from dialtools.statistics import moments

Interval = Literal["bca", "percentile", "normal"]
RESAMPLES = 10_000
_BLOCK = 1 << 17  # draws that are held at once: as many as the processor's cache holds
_FEW = 1 << 12  # rows that 16 random bits tell apart, with few of them left over
_EIGHTS = 128  # tables of the sums of eight values that are held at once
_EPSILON = 1e-12  # of the largest value: what differs by less is a tie that rounding broke


def rng(*seeds: int) -> Any:
    """Return numpy's random generator, the same one for the same seeds on every machine."""
    import numpy

    return numpy.random.Generator(numpy.random.PCG64([seed % 2**64 for seed in seeds]))  # it knows none below 0


def bootstrap(rows: Any, score: Callable[[Any], Any], resamples: int, *seeds: int) -> Any:
    """Return the scores of so many samples, each of as many rows drawn with replacement (resamples,)."""
    import numpy

    sums = numpy.empty((_checked(resamples), rows.shape[1]))
    draw, step = rng(*seeds), max(1, _BLOCK // len(rows))
    summed = _taking(rows[:, 0], draw, step) if rows.shape[1] == 1 else _counting(rows, draw)
    for start in range(0, resamples, step):
        sums[start:start + step] = summed(min(step, resamples - start))
    return score(sums)


def _taking(values: Any, draw: Any, step: int) -> Callable[[int], Any]:
    """Return a function: so many samples of values, up to `step` -> their sums (samples, 1)."""
    import numpy

    n, width = len(values), _width(len(values))
    table = numpy.resize(values, width)  # the values over and over
    drawn = numpy.empty((step, n))  # held throughout: new memory each time would cost more than the draws

    def summed(samples: int) -> Any:
        table.take(_places(draw, n, width, samples), out=drawn[:samples], mode="clip")  # the fastest mode
        return drawn[:samples].sum(axis=1, keepdims=True)
    return summed


def _counting(rows: Any, draw: Any) -> Callable[[int], Any]:
    """Return the same for rows: how often each is drawn times the row, which is faster than to take each column."""
    import numpy

    n, width = len(rows), _width(len(rows))

    def summed(samples: int) -> Any:
        places = _places(draw, n, width, samples)
        places = (places % n if width > n else places) + numpy.arange(0, samples * n, n)[:, None]
        return numpy.bincount(places.ravel(), minlength=samples * n).reshape(samples, n).astype(float) @ rows
    return summed


def _width(n: int) -> int:
    """Return n or, of few rows, the smallest power of two that they fill but for a sixteenth, over and over."""
    if n > _FEW:
        return n
    width = 1
    while width < n or 16 * (width % n) > width:
        width *= 2
    return width


def _places(draw: Any, n: int, width: int, samples: int) -> Any:
    """Return places below width for so many samples of n rows, place i being that of row i % n (samples, n).

    Every row is equally likely, exactly: where random bits fall on what the rows
    leave over at the end of the width, a row is drawn instead.  Bits are twice as fast.
    """
    import numpy

    if n > _FEW:
        return draw.integers(0, n, size=(samples, n))
    words = draw.bit_generator.random_raw(-(-samples * n // 4)).astype("<u8", copy=False)  # of the same bytes anywhere
    places = words.view("<u2")[:samples * n] & (width - 1)
    over = numpy.flatnonzero(places >= width - width % n)
    places[over] = draw.integers(0, n, size=len(over))
    return places.reshape(samples, n)


def _checked(resamples: int) -> int:
    if resamples < 2:
        raise OptionError(f"resamples is 2 or more, not {resamples}")
    return resamples


def interval(kind: Interval, level: float, observed: float, resampled: Any, influence: Any) -> list[float]:
    """Return the confidence interval of a score from resampled scores (Efron and Tibshirani 1993, chapter 14).

    bca corrects for bias and skewness, and needs the influence of each row: how much higher the score is with it
    than without, in any unit and from any origin; percentile takes the quantiles as they are; normal takes the
    standard deviation of the resampled scores.
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
    """Return the tails of the BCa interval; where nothing can be estimated, the given ones."""
    normal = NormalDist()
    rounding = _EPSILON * float(abs(resampled).max())
    below = float((resampled < observed - rounding).mean() + (resampled <= observed + rounding).mean()) / 2
    gaps = influence - influence.mean()
    largest = float(abs(gaps).max())
    if not 0 < below < 1 or not largest:
        return tails
    gaps /= largest  # whose cubes would overflow or vanish
    bias, acceleration = normal.inv_cdf(below), float((gaps**3).sum() / (6 * (gaps**2).sum()**1.5))
    moved = [bias + normal.inv_cdf(tail) for tail in tails]
    return [normal.cdf(bias + z / (1 - acceleration * z)) for z in moved]


def as_far(null: Any, observed: float) -> int:
    """Return how many scores under the null are as far from 0 as the observed one, or further."""
    import numpy

    away = numpy.abs(null)
    return int((away >= abs(observed) - _EPSILON * away.max()).sum())


def p_of_drawn(null: Any, observed: float) -> float:
    """Return (c + 1) / (n + 1), c of n scores drawn under the null being as far from 0 as the observed one."""
    return (as_far(null, observed) + 1) / (len(null) + 1)


def sign_flips(values: Any, resamples: int, seed: int) -> Any:
    """Return the sums of values whose signs are drawn at random (resamples,); a seed gives the same signs again.

    Eight signs are one random byte, and the sums of eight values for each byte a table.
    """
    import numpy

    padded = numpy.zeros((-(-len(values) // 8), 8))
    padded.flat[:len(values)] = values
    signs = 1.0 - 2.0 * numpy.unpackbits(numpy.arange(256, dtype=numpy.uint8)[:, None], axis=1)
    draw, sums = rng(seed), numpy.zeros(_checked(resamples))
    for start in range(0, len(padded), _EIGHTS):
        tables = padded[start:start + _EIGHTS] @ signs.T  # (eights, 256)
        for table, byte in zip(tables, draw.integers(0, 256, (len(tables), resamples), numpy.uint8), strict=True):
            sums += table.take(byte)
    return sums


def all_signs(values: Any) -> Any:
    """Return the sums of values under every choice of their signs (2^n,)."""
    import numpy

    sums = numpy.zeros(1)
    for value in values:
        sums = numpy.concatenate([sums + value, sums - value])
    return sums
