"""Equivalence by two one-sided t tests (TOST): is the difference smaller than a margin?

A difference that is not significant is no evidence of equivalence; this test
shows that the difference lies within ±margin, in the unit that is shown: margin=2 is 2 points
of a score in percent.  A margin that no difference can reach is an error.  p is
the larger of the two one-sided p, and statistic its t.  Equivalence at the level
0.95 means that the 90 % interval lies within the margin; ci is that interval
(none at a level of 0.5 or less).  p_difference is the two-sided p of the paired
t test.  effect is d_z.

Source: Schuirmann 1987, https://doi.org/10.1007/BF01068419; Lakens 2017,
https://doi.org/10.1177/1948550617697177.

>>> a, b = [0.1, 0.2, 0.3, 0.2], [0.2, 0.1, 0.3, 0.1]
>>> test(a, b, 0.95, margin=1)["equivalent"], test(a, b, 0.95, margin=0.01)["equivalent"]
(True, False)
"""

from math import inf, sqrt

from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.statistics import moments, t_distribution
from dialtools.statistics.effects import d_within
from dialtools.statistics.results import alpha, no_result, result, too_few
from dialtools.system.errors import OptionError


def test(a: list[float], b: list[float], level: float, *, margin: float = 0.0) -> dict:
    """Return the test of |a - b| < margin; without variance it is decided without a statistic."""
    if not 0 < margin < inf:
        raise OptionError("tost needs a margin above 0, in the unit that is shown: tost:margin=1")
    if none := too_few(len(a)):
        return none
    gaps, n = moments.differences(a, b), len(a)
    difference = moments.mean(gaps)
    if moments.is_constant(gaps, of=[*a, *b, margin]):
        return no_result(
            f"no variance: all differences are {difference:.6g}",
            difference,
            margin=margin,
            equivalent=abs(difference) < margin,
        )
    deviation = moments.deviation(gaps)
    error, df = deviation / sqrt(n), n - 1
    t = max((difference - margin) / error, (-margin - difference) / error)
    tail = t_distribution.outside(t, df) / 2
    p = tail if t < 0 else 1 - tail
    ci = None
    if level > 0.5:
        half = t_distribution.critical(2 * level - 1, df) * error
        ci = [difference - half, difference + half]
    return result(
        "t",
        t,
        p,
        difference,
        ci=ci,
        df=df,
        margin=margin,
        **d_within(difference / deviation, n, level),
        equivalent=p < alpha(level),
        p_difference=t_distribution.outside(difference / error, df),
    )


TEST = HypothesisTest(test, paired=True, assumes=("normal differences",))
