"""Pairs of numbers, or of statistics that a corpus score is computed from, drawn anew or exchanged."""

from collections.abc import Callable, Sequence
from typing import Any

from dialtools.statistics import moments, resampling
from dialtools.statistics.answers import d_within, differences, no_answer, too_few
from dialtools.statistics.bootstrap import MANY


class Pairs:
    """Pairs of two systems as a matrix: a row for each pair or cluster, the sums of what is counted.

    For numbers the column is the difference (and for clusters how many), for statistics those of a and those of b.
    """

    def __init__(self, a: list, b: list, score: Callable | None, clusters: Sequence[str | int] | None = None):
        self.a, self.b, self.score, self.clustered = a, b, score, clusters is not None
        self.gaps = [] if score else differences(a, b)
        if len(a):
            self.rows = self._matrix() if clusters is None else _summed(self._matrix(), clusters)
            self.difference = self._whole() if score else moments.mean(self.gaps)

    def _matrix(self) -> Any:
        import numpy

        if self.score:
            return numpy.hstack([numpy.array(self.a, dtype=float), numpy.array(self.b, dtype=float)])
        gaps = numpy.array(self.gaps)
        return numpy.column_stack([gaps, numpy.ones(len(gaps))]) if self.clustered else gaps[:, None]

    def _whole(self) -> float:
        return float(self.differences(self.rows.sum(axis=0)[None, :])[0])

    def differences(self, sums: Any) -> Any:
        """Return the difference of the scores for each row of sums."""
        import numpy

        if not self.score:
            return sums[:, 0] / (sums[:, 1] if self.clustered else len(self.gaps))
        half = sums.shape[1] // 2
        return numpy.array([self.score(row[:half].tolist()) - self.score(row[half:].tolist()) for row in sums])

    def untestable(self) -> dict | None:
        """Return the answer where there is nothing to test; None where there is."""
        if none := too_few(len(self.a)):
            return none
        if len(self.rows) < 2:
            return no_answer("a test needs two clusters, here is 1", self.difference)
        if self.a == self.b or (self.gaps and not any(self.gaps)):
            return no_answer("all differences are 0", 0.0)
        return None

    def undrawable(self) -> dict | None:
        """Return the answer where there is nothing to test, or nothing that differs to draw; None where there is."""
        if none := self.untestable():
            return none
        if self.is_constant():
            of = " of clusters" if self.clustered else ""
            return no_answer(f"no variance: all differences{of} are {self.difference:.6g}", self.difference)
        return None

    def is_constant(self) -> bool:
        """Is the difference the same whatever is drawn?"""
        if self.score:
            return bool((self.rows == self.rows[0]).all())
        own = self.differences(self.rows).tolist() if self.clustered else self.gaps
        return moments.is_constant(own, of=self.a + self.b)

    def drawn(self, resamples: int, seed: int) -> Any:
        """Return the differences of the bootstrap's samples (resamples,)."""
        return resampling.bootstrap(self.rows, self.differences, resamples, seed)

    def drawn_p(self, drawn: Any) -> float:
        """Return p of the bootstrap; of few rows no less than exchanges of their labels could give.

        All samples of two rows that agree lie nearer to their difference than 0 does: p would be 0.
        """
        return max(resampling.p_of_drawn(drawn - self.difference, self.difference), 2.0**(1 - len(self.rows)))

    def interval(self, drawn: Any, level: float, kind: resampling.Interval) -> list[float]:
        """Return the interval of the difference by the bootstrap."""
        return resampling.interval(kind, level, self.difference, drawn, self._influence() if kind == "bca" else None)

    def _influence(self) -> Any:
        """Return how much higher the difference is with each row than without.

        Of many statistics, to which each row is next to nothing, by the slope of the score in each column.
        """
        import numpy

        whole = self.rows.sum(axis=0)
        if not self.score or len(self.rows) < MANY:
            return self.difference - self.differences(whole - self.rows)
        steps = numpy.diag(whole / len(self.rows))
        slopes = (self.differences(whole + steps) - self.differences(whole - steps)) / 2
        return self.rows / numpy.where(whole, whole / len(self.rows), 1) @ slopes  # a column of zeros has no slope

    def exchanged(self, resamples: int, seed: int) -> tuple[float, int]:
        """Return p of the permutation test, and how many exchanges were tried: all, if they are no more."""
        if 2**len(self.rows) <= resamples:
            null = self._exchanged_scores(resampling.all_signs)
            return resampling.as_far(null, self.difference) / len(null), len(null)
        null = self._exchanged_scores(lambda column: resampling.sign_flips(column, resamples, seed))
        return resampling.p_of_drawn(null, self.difference), len(null)

    def _exchanged_scores(self, signed: Callable[[Any], Any]) -> Any:
        """Return the differences after exchanges; signed: values -> their sums under each drawing of signs."""
        import numpy

        if not self.score:
            return signed(self.rows[:, 0]) / len(self.rows)
        half = self.rows.shape[1] // 2
        both = self.rows.sum(axis=0)[:half] + self.rows.sum(axis=0)[half:]
        gaps = numpy.column_stack([signed(column) for column in (self.rows[:, :half] - self.rows[:, half:]).T])
        return self.differences(numpy.hstack([both + gaps, both - gaps]) / 2)

    def effect(self, level: float) -> dict:
        """Return d_z with its interval; {} for corpus scores, which have no deviation."""
        if not self.gaps:
            return {}
        return d_within(self.difference / moments.deviation(self.gaps), len(self.gaps), level)


def _summed(rows: Any, clusters: Sequence[str | int]) -> Any:
    """Return one row for each cluster, in the order of their first rows."""
    import numpy

    places: dict = {}
    at = numpy.array([places.setdefault(cluster, len(places)) for cluster in clusters])
    sums = numpy.zeros((len(places), rows.shape[1]))
    numpy.add.at(sums, at, rows)
    return sums
