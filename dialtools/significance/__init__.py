"""Significance tests, one file each: test(a, b, level, *, options) -> dict of results.

a, b: the numbers of the two groups, at least two in each, all finite.
level: of the confidence interval, between 0 and 1.
PAIRED: whether number i of `a` belongs with number i of `b`; False where it says nothing.

The results of a t test: t, df, p (two-sided), difference (mean of a minus mean
of b), ci (its confidence interval), effect and effect_name.  What cannot be
had is None, with a "reason": a test never answers NaN.
"""
