"""Significance tests, one file each: test(a, b, level, *, options) -> dict of results.

a, b: the numbers of the two groups, all finite; how few there are is the test's to mind.
level: of the confidence interval, between 0 and 1.

PAIRED: whether number i of `a` belongs with number i of `b`; False where it says nothing.
GROUPS: "two" where it says nothing; "many" for test(groups, level), whose FOLLOW_UP is the test of each
pair; "one" for test(values, level), which describes each group by itself.
ASSUMES: "normal differences", "equal variances", "equal variances of no effect" (where effect_ci, which does without,
leaves one out, they do not matter), "many values", "many ranks": what is looked at and noted.
CLUSTERS: whether it minds that values of one cluster are not independent.
A parameter `clusters` gets the cluster of each pair, a parameter `score` what makes a
corpus score of sums of statistics.

The results are those of _answers.py: statistic and its name, p (two-sided),
difference (mean of a minus mean of b), ci (its confidence interval), effect with
its name and effect_ci, and what else the test has to say.  What cannot be had is
None, with a "reason": a test never answers NaN.
"""
