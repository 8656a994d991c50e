"""Significance tests, one file each: test(a, b, level, *, options) -> dict of results.

a, b: the numbers of the two groups, all finite; a group may have few or none.
level: of the confidence interval, between 0 and 1.

A test may define these constants:

PAIRED: True if number i of `a` belongs to number i of `b`.
GROUPS: "many" for test(groups, level), with FOLLOW_UP the test of each pair; "one" for
test(values, level), which describes each group by itself; "against" for test(a, b, ratings,
level), which compares two values by a third; "raters" for test(items, level), where an item is the
list of its ratings, None where a rater gave none.
WORDS: True if ratings may be words; the options with which they may, such as {"scale": "nominal"}.
ASSUMES: the assumptions to check and to note: "normal differences", "equal variances", "equal
variances of no effect" (variances do not matter if effect_ci, which does not assume them equal,
excludes 0), "many values", "many ranks".
CLUSTERS: True if the test allows for values of one cluster that are not independent.

A parameter `clusters` receives the cluster of each pair, a parameter `score` the function that
computes a corpus score from sums of statistics.

A test of ratings tells on which scale it took them: "scale" or "weights", and "whole_numbers".

statistics/results.py makes the results: statistic and its name, p (two-sided), difference (mean
of a minus mean of b), ci (its confidence interval), effect with its name and effect_ci, and what
else the test has to say.  A value that cannot be computed is None, with a "reason", never NaN.
"""
