"""Tests of means: of pairs, of two independent groups, of several groups, and of equivalence.

paired: t = mean of the differences within pairs / (their standard deviation / √n), df = n - 1.  It
assumes that differences are independent and that their mean is normal, as it nearly is for some
dozens of pairs.  effect is d_z, the mean difference over the standard deviation of the differences;
d is the mean difference over the pooled standard deviation of the two groups, comparable with that
of unpaired tests.  Source: Student 1908, https://doi.org/10.2307/2331554; d_z: Lakens 2013,
https://doi.org/10.3389/fpsyg.2013.00863.

student: t = difference of the means / (pooled deviation √(1/n_a + 1/n_b)), df = n_a + n_b - 2.  If
the variances may differ, use welch: t = difference of the means / √(s_a²/n_a + s_b²/n_b), with
Satterthwaite's df.  effect is Cohen's d, the difference over the pooled standard deviation.
Source: Student 1908; Welch 1947, https://doi.org/10.1093/biomet/34.1-2.28.

anova: statistic is F, the variance between the groups over the variance within them, which is
assumed to be equal.  effect is eta squared, the share of the variance between the groups, from 0 to
1.  Welch's test of each pair follows.  Source: Fisher 1925, Statistical methods for research
workers.  Equal to scipy.stats.f_oneway.

tost: a difference that is not significant is no evidence of equivalence; this test shows that the
difference lies within ±margin, in the unit that is shown: margin=2 is 2 points of a score in
percent.  A margin that no difference can reach is an error.  p is the larger of the two one-sided
p, and statistic its t.  Equivalence at the level 0.95 means that the 90 % interval lies within the
margin; ci is that interval (none at a level of 0.5 or less).  p_difference is the two-sided p of
the paired t test.  effect is d_z.  Source: Schuirmann 1987, https://doi.org/10.1007/BF01068419;
Lakens 2017, https://doi.org/10.1177/1948550617697177.

>>> round(paired.test([1.0, 4.0, 4.0], [1.0, 2.0, 3.0], 0.95)["statistic"], 4)
1.7321
>>> student.test([3.0, 4.0, 5.0], [1.0, 2.0, 3.0], 0.95)["df"]
4
>>> welch.test([3.0, 4.0, 5.0], [1.0, 1.0, 1.0], 0.95)["df"]
2.0
>>> groups = [[1.0, 2.0, 3.0], [2.0, 3.0, 4.0], [5.0, 6.0, 7.0]]
>>> round(anova.test(groups, 0.95)["statistic"], 6)
13.0
>>> a, b = [0.1, 0.2, 0.3, 0.2], [0.2, 0.1, 0.3, 0.1]
>>> [tost.test(a, b, 0.95, margin=margin)["equivalent"] for margin in (1, 0.01)]
[True, False]
"""

from math import inf, sqrt

from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.statistics import distributions, moments
from dialtools.statistics.effects import d_between, d_within
from dialtools.statistics.results import (
    alpha,
    f_test,
    no_result,
    result,
    t_result,
    too_few,
    untestable,
)
from dialtools.system.errors import OptionError


def paired_test(a: list[float], b: list[float], level: float) -> dict:
    """Return the test of a - b; it needs two pairs, and differences that vary."""
    if none := too_few(len(a)):
        return none
    gaps, n = moments.differences(a, b), len(a)
    difference = moments.mean(gaps)
    if moments.is_constant(gaps, of=a + b):
        return no_result(f"no variance: all differences are {difference:.6g}", difference)
    deviation = moments.deviation(gaps)
    effect = d_within(difference / deviation, n, level)
    tested = t_result(difference, deviation / sqrt(n), n - 1, level, **effect)
    return tested | {"d": difference / moments.pooled(a, b)}


def student_test(a: list[float], b: list[float], level: float) -> dict:
    """Return the test of mean(a) - mean(b); it needs two values in each group and variance."""
    if none := untestable(a, b):
        return none
    difference, pooled = moments.gap(a, b), moments.pooled(a, b)
    error = pooled * sqrt(1 / len(a) + 1 / len(b))
    effect = d_between(difference, pooled, error, len(a) + len(b), level)
    return t_result(difference, error, len(a) + len(b) - 2, level, **effect)


def welch_test(a: list[float], b: list[float], level: float) -> dict:
    """Return the same for groups whose variances may differ."""
    if none := untestable(a, b):
        return none
    difference, (error, df) = moments.gap(a, b), moments.welch_error(a, b)
    effect = d_between(difference, moments.pooled(a, b), error, len(a) + len(b), level, df)
    return t_result(difference, error, df, level, **effect)


def analysis_of_variance(groups: list[list[float]], level: float) -> dict:
    """Return the test; it needs two values in each group and some variance within groups."""
    if none := untestable(*groups):
        return none
    f, p, share, df = f_test(groups)
    return result("F", f, p, None, effect=("eta2", share), df=df)


def equivalence_test(a: list[float], b: list[float], level: float, *, margin: float = 0.0) -> dict:
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
    tail = distributions.t_outside(t, df) / 2
    p = tail if t < 0 else 1 - tail
    ci = None
    if level > 0.5:
        half = distributions.t_critical(2 * level - 1, df) * error
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
        p_difference=distributions.t_outside(difference / error, df),
    )


paired = HypothesisTest(
    paired_test,
    paired=True,
    assumes=("normal differences",),
    summary="Paired t test: is the mean of the differences within pairs other than 0?",
)
student = HypothesisTest(
    student_test,
    assumes=("equal variances",),
    summary="Student's t test of two independent groups with equal variances.",
)
welch = HypothesisTest(
    welch_test,
    summary="Welch's t test of two independent groups whose variances may differ.",
)
anova = HypothesisTest(
    analysis_of_variance,
    takes="many",
    follow_up="welch",
    assumes=("equal variances",),
    summary="One-way analysis of variance: does any of several independent groups have another mean?",
)
tost = HypothesisTest(
    equivalence_test,
    paired=True,
    assumes=("normal differences",),
    summary="Equivalence by two one-sided t tests (TOST): is the difference smaller than a margin?",
)
