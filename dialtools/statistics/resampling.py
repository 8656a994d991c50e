"""Resampling: bootstrap samples, random signs, and the intervals and p that come from them.

A sample is a matrix with a row for each unit that is drawn and a column for each
statistic; `score` computes the compared number, such as a mean, from sums of rows.
"""

from collections.abc import Callable, Sequence
from math import sqrt
from statistics import NormalDist
from typing import Any, Literal

from dialtools.statistics import effects, moments
from dialtools.statistics.results import no_result, result, t_result, too_few
from dialtools.system.errors import OptionError

Interval = Literal["bca", "percentile", "normal"]
RESAMPLES = 10_000
# values: t intervals of so many differ from the bootstrap's by less than its own error
MANY = 10_000
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
    sample_sums = _taking(rows[:, 0], draw, step) if rows.shape[1] == 1 else _counting(rows, draw)
    for start in range(0, resamples, step):
        sums[start : start + step] = sample_sums(min(step, resamples - start))
    return score(sums)


def _taking(values: Any, draw: Any, step: int) -> Callable[[int], Any]:
    """Return a function: number of samples of values, up to `step` -> their sums (samples, 1)."""
    import numpy

    n, width = len(values), _width(len(values))
    table = numpy.resize(values, width)  # the values repeated
    drawn = numpy.empty((step, n))  # allocating it anew each time would cost more than the draws

    def sample_sums(samples: int) -> Any:
        places = _places(draw, n, width, samples)
        table.take(places, out=drawn[:samples], mode="clip")  # the fastest mode
        return drawn[:samples].sum(axis=1, keepdims=True)

    return sample_sums


def _counting(rows: Any, draw: Any) -> Callable[[int], Any]:
    """Return the same for rows: counts of draws times the rows, faster than taking each column."""
    import numpy

    n, width = len(rows), _width(len(rows))

    def sample_sums(samples: int) -> Any:
        places = _places(draw, n, width, samples)
        places = (places % n if width > n else places) + numpy.arange(0, samples * n, n)[:, None]
        counts = numpy.bincount(places.ravel(), minlength=samples * n).reshape(samples, n)
        return counts.astype(float) @ rows

    return sample_sums


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
        tails = _corrected_tails(tails, observed, resampled, influence)
    return [float(bound) for bound in numpy.quantile(resampled, tails)]


def _corrected_tails(
    tails: list[float], observed: float, resampled: Any, influence: Any
) -> list[float]:
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


def mean_interval(
    values: Sequence[float], level: float, kind: Interval, resamples: int, seed: int
) -> list[float] | None:
    """Return the bootstrap interval of a mean, of MANY values that of t; None if all are equal."""
    import numpy

    n = len(values)
    if min(values) == max(values):
        return None
    if n >= MANY:
        error = moments.deviation(values) / sqrt(n)
        return t_result(moments.mean(values), error, n - 1, level)["ci"]
    sample = numpy.array(values)
    drawn = bootstrap(sample[:, None], lambda sums: sums[:, 0], resamples, seed) / n
    return interval(kind, level, float(sample.mean()), drawn, sample)


def gap_interval(
    a: Sequence[float], b: Sequence[float], level: float, kind: Interval, resamples: int, seed: int
) -> list[float] | None:
    """Return the same of mean(a) - mean(b); the groups are drawn independently."""
    import numpy

    if min(a) == max(a) and min(b) == max(b):
        return None
    if min(len(a), len(b)) >= MANY:
        return t_result(moments.gap(a, b), *moments.welch_error(a, b), level)["ci"]
    x, y = numpy.array(a), numpy.array(b)
    means_a, means_b = (
        bootstrap(group[:, None], lambda sums: sums[:, 0], resamples, seed, number) / len(group)
        for number, group in enumerate((x, y))
    )
    influence = numpy.concatenate([(x - x.mean()) / len(a), (y.mean() - y) / len(b)])
    return interval(kind, level, float(x.mean() - y.mean()), means_a - means_b, influence)


def items_interval(
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
    known = numpy.array([value for value in drawn if value is not None])
    return interval("percentile", level, 0.0, known, None) if len(known) else None


def as_far(null: Any, observed: float) -> int:
    """Return how many scores under the null are at least as far from 0 as the observed one."""
    import numpy

    distances = numpy.abs(null)
    return int((distances >= abs(observed) - _EPSILON * distances.max()).sum())


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


class PairedSample:
    """The pairs of two systems as a matrix, with a row of sums for each pair or cluster.

    Of numbers its column is the difference (and for clusters their size), of statistics its
    columns are those of a, then those of b.

    score: sums of statistics -> corpus score, if a and b hold statistics; None for numbers.
    """

    def __init__(
        self, a: list, b: list, score: Callable | None, clusters: Sequence[str | int] | None = None
    ):
        import numpy

        self.a, self.b, self.score, self.is_clustered = a, b, score, clusters is not None
        self.gaps = [] if score else moments.differences(a, b)
        if not len(a):
            return
        if score:
            self.rows = numpy.hstack([numpy.array(a, dtype=float), numpy.array(b, dtype=float)])
        else:
            gaps = numpy.array(self.gaps)[:, None]
            self.rows = numpy.hstack([gaps, numpy.ones_like(gaps)]) if self.is_clustered else gaps
        if clusters is not None:
            # a row of sums for each cluster, in the order of their first rows
            places: dict = {}
            row_places = numpy.array([places.setdefault(one, len(places)) for one in clusters])
            sums = numpy.zeros((len(places), self.rows.shape[1]))
            numpy.add.at(sums, row_places, self.rows)
            self.rows = sums
        self.difference = (
            float(self.differences(self.rows.sum(axis=0)[None, :])[0])
            if score
            else moments.mean(self.gaps)
        )

    def differences(self, sums: Any) -> Any:
        """Return the difference of the scores for each row of sums."""
        import numpy

        if not self.score:
            return sums[:, 0] / (sums[:, 1] if self.is_clustered else len(self.gaps))
        half = sums.shape[1] // 2
        return numpy.array(
            [self.score(row[:half].tolist()) - self.score(row[half:].tolist()) for row in sums]
        )

    def untestable(self) -> dict | None:
        """Return the result where there is nothing to test, else None."""
        if none := too_few(len(self.a)):
            return none
        if len(self.rows) < 2:
            return no_result("the test needs at least 2 clusters, got 1", self.difference)
        if self.a == self.b or (self.gaps and not any(self.gaps)):
            return no_result("all differences are 0", 0.0)
        return None

    def is_constant(self) -> bool:
        """Tell whether the difference is the same in every bootstrap sample."""
        if self.score:
            return bool((self.rows == self.rows[0]).all())
        gaps = self.differences(self.rows).tolist() if self.is_clustered else self.gaps
        return moments.is_constant(gaps, of=self.a + self.b)

    def bootstrap_test(self, level: float, kind: Interval, resamples: int, seed: int) -> dict:
        """Return the result of the bootstrap test.

        p is at least that of a permutation test of as many rows: all samples of two rows that
        agree lie nearer to their difference than 0, and p would be 0.
        """
        if none := self.untestable():
            return none
        if self.is_constant():
            of = " of clusters" if self.is_clustered else ""
            return no_result(
                f"no variance: all differences{of} are {self.difference:.6g}", self.difference
            )
        drawn = bootstrap(self.rows, self.differences, resamples, seed)
        p = p_of_drawn(drawn - self.difference, self.difference)
        return result(
            "difference",
            self.difference,
            max(p, 2.0 ** (1 - len(self.rows))),
            self.difference,
            ci=self._interval(drawn, level, kind),
            **({"clusters": len(self.rows)} if self.is_clustered else self._effect(level)),
            resamples=resamples,
        )

    def permutation_test(self, level: float, kind: Interval, resamples: int, seed: int) -> dict:
        """Return the result of the permutation test, with a bootstrap interval."""
        if none := self.untestable():
            return none
        if 2 ** len(self.rows) <= resamples:
            null = self._exchanged(all_signs)
            p = as_far(null, self.difference) / len(null)
        else:
            null = self._exchanged(lambda column: sign_flips(column, resamples, seed))
            p = p_of_drawn(null, self.difference)
        spread: dict = {}
        if not self.is_constant():
            spread["ci"] = (
                self.interval(level, kind, resamples, seed)
                if self.score
                else mean_interval(self.gaps, level, kind, resamples, seed)
            )
            spread |= self._effect(level)
        return result(
            "difference", self.difference, p, self.difference, **spread, resamples=len(null)
        )

    def _exchanged(self, signed: Callable[[Any], Any]) -> Any:
        """Return the differences after exchanges; signed: values -> sums for choices of signs."""
        import numpy

        if not self.score:
            return signed(self.rows[:, 0]) / len(self.rows)
        half = self.rows.shape[1] // 2
        both = self.rows.sum(axis=0)[:half] + self.rows.sum(axis=0)[half:]
        differences = (self.rows[:, :half] - self.rows[:, half:]).T
        gaps = numpy.column_stack([signed(column) for column in differences])
        return self.differences(numpy.hstack([both + gaps, both - gaps]) / 2)

    def interval(self, level: float, kind: Interval, resamples: int, seed: int) -> list[float]:
        """Return the bootstrap interval of the difference."""
        drawn = bootstrap(self.rows, self.differences, resamples, seed)
        return self._interval(drawn, level, kind)

    def _interval(self, drawn: Any, level: float, kind: Interval) -> list[float]:
        """Return the interval of the difference from those of bootstrap samples."""
        influence = self._influence() if kind == "bca" else None
        return interval(kind, level, self.difference, drawn, influence)

    def _influence(self) -> Any:
        """Return how much each row raises the difference.

        With many rows of statistics, each of which changes next to nothing, the slopes of the
        score in each column stand for it.
        """
        import numpy

        total = self.rows.sum(axis=0)
        if not self.score or len(self.rows) < MANY:
            return self.difference - self.differences(total - self.rows)
        steps = numpy.diag(total / len(self.rows))
        slopes = (self.differences(total + steps) - self.differences(total - steps)) / 2
        share = self.rows / numpy.where(total, total / len(self.rows), 1)  # zeros have no slope
        return share @ slopes

    def _effect(self, level: float) -> dict:
        """Return d_z with its interval; {} for corpus scores, which have no deviation."""
        if not self.gaps:
            return {}
        d_z = self.difference / moments.deviation(self.gaps)
        return effects.d_within(d_z, len(self.gaps), level)
