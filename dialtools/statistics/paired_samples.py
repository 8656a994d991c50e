"""Paired samples of numbers, or of statistics of a corpus score, bootstrapped or exchanged."""

from collections.abc import Callable, Sequence
from typing import Any

from dialtools.statistics import effects, moments, resampling
from dialtools.statistics.bootstrap import MANY
from dialtools.statistics.results import no_result, result, too_few


class PairedSample:
    """The pairs of two systems as a matrix, with a row of sums for each pair or cluster.

    Of numbers its column is the difference (and for clusters their size), of statistics its
    columns are those of a, then those of b.
    """

    def __init__(
        self, a: list, b: list, score: Callable | None, clusters: Sequence[str | int] | None = None
    ):
        self.a, self.b, self.score, self.clustered = a, b, score, clusters is not None
        self.gaps = [] if score else moments.differences(a, b)
        if len(a):
            self.rows = self._matrix() if clusters is None else _summed(self._matrix(), clusters)
            self.difference = (
                moments.mean(self.gaps)
                if not score
                else float(self.differences(self.rows.sum(axis=0)[None, :])[0])
            )

    def _matrix(self) -> Any:
        import numpy

        if self.score:
            return numpy.hstack([numpy.array(own, dtype=float) for own in (self.a, self.b)])
        gaps = numpy.array(self.gaps)[:, None]
        return numpy.hstack([gaps, numpy.ones_like(gaps)]) if self.clustered else gaps

    def differences(self, sums: Any) -> Any:
        """Return the difference of the scores for each row of sums."""
        import numpy

        if not self.score:
            return sums[:, 0] / (sums[:, 1] if self.clustered else len(self.gaps))
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
        own = self.differences(self.rows).tolist() if self.clustered else self.gaps
        return moments.is_constant(own, of=self.a + self.b)

    def bootstrap_test(
        self, level: float, kind: resampling.Interval, resamples: int, seed: int
    ) -> dict:
        """Return the result of the bootstrap test.

        p is at least that of a permutation test of as many rows: all samples of two rows that
        agree lie nearer to their difference than 0, and p would be 0.
        """
        if none := self.untestable():
            return none
        if self.is_constant():
            of = " of clusters" if self.clustered else ""
            return no_result(
                f"no variance: all differences{of} are {self.difference:.6g}", self.difference
            )
        drawn = self._drawn(resamples, seed)
        p = resampling.p_of_drawn(drawn - self.difference, self.difference)
        more = {"clusters": len(self.rows)} if self.clustered else self.effect(level)
        return result(
            "difference",
            self.difference,
            max(p, 2.0 ** (1 - len(self.rows))),
            self.difference,
            ci=self._interval(drawn, level, kind),
            **more,
            resamples=resamples,
        )

    def interval(
        self, level: float, kind: resampling.Interval, resamples: int, seed: int
    ) -> list[float]:
        """Return the bootstrap interval of the difference."""
        return self._interval(self._drawn(resamples, seed), level, kind)

    def _drawn(self, resamples: int, seed: int) -> Any:
        """Return the differences of bootstrap samples (resamples,)."""
        return resampling.bootstrap(self.rows, self.differences, resamples, seed)

    def _interval(self, drawn: Any, level: float, kind: resampling.Interval) -> list[float]:
        influence = self._influence() if kind == "bca" else None
        return resampling.interval(kind, level, self.difference, drawn, influence)

    def _influence(self) -> Any:
        """Return how much each row raises the difference.

        With many rows of statistics, each of which changes next to nothing, the slopes of the
        score in each column stand for it.
        """
        import numpy

        whole = self.rows.sum(axis=0)
        if not self.score or len(self.rows) < MANY:
            return self.difference - self.differences(whole - self.rows)
        steps = numpy.diag(whole / len(self.rows))
        slopes = (self.differences(whole + steps) - self.differences(whole - steps)) / 2
        share = self.rows / numpy.where(whole, whole / len(self.rows), 1)  # zeros have no slope
        return share @ slopes

    def exchanged(self, resamples: int, seed: int) -> tuple[float, int]:
        """Return p of the permutation test, and the number of exchanges: at most all."""
        if 2 ** len(self.rows) <= resamples:
            null = self._exchanged_scores(resampling.all_signs)
            return resampling.as_far(null, self.difference) / len(null), len(null)
        null = self._exchanged_scores(lambda column: resampling.sign_flips(column, resamples, seed))
        return resampling.p_of_drawn(null, self.difference), len(null)

    def _exchanged_scores(self, signed: Callable[[Any], Any]) -> Any:
        """Return the differences after exchanges; signed: values -> sums for choices of signs."""
        import numpy

        if not self.score:
            return signed(self.rows[:, 0]) / len(self.rows)
        half = self.rows.shape[1] // 2
        both = self.rows.sum(axis=0)[:half] + self.rows.sum(axis=0)[half:]
        differences = (self.rows[:, :half] - self.rows[:, half:]).T
        gaps = numpy.column_stack([signed(column) for column in differences])
        return self.differences(numpy.hstack([both + gaps, both - gaps]) / 2)

    def effect(self, level: float) -> dict:
        """Return d_z with its interval; {} for corpus scores, which have no deviation."""
        if not self.gaps:
            return {}
        d_z = self.difference / moments.deviation(self.gaps)
        return effects.d_within(d_z, len(self.gaps), level)


def _summed(rows: Any, clusters: Sequence[str | int]) -> Any:
    """Return one row of sums for each cluster, in the order of their first rows."""
    import numpy

    places: dict = {}
    at = numpy.array([places.setdefault(cluster, len(places)) for cluster in clusters])
    sums = numpy.zeros((len(places), rows.shape[1]))
    numpy.add.at(sums, at, rows)
    return sums
