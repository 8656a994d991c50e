"""Ratings of each group: counts, the share of good ones, mean and median.

A rating of `top` or more (4 on the usual scale from 1 to 5) is good; its share,
in percent, has Wilson's score interval.  Groups are described, not compared: use
mann-whitney for that, or wilcoxon if the same items were rated.  A single input
is one group.

Source: interval: Wilson 1927, https://doi.org/10.1080/01621459.1927.10502953.

>>> test([5.0, 4.0, 2.0, 4.0], 0.95)["share"]
75.0
"""

from collections import Counter
from math import isfinite
from statistics import median

from dialtools.plugins.hypothesis_test import HypothesisTest
from dialtools.statistics import effects, moments
from dialtools.system.errors import OptionError

RATINGS = 100  # more distinct values are hardly ratings


def test(values: list[float], level: float, *, top: float = 4) -> dict:
    """Return counts, share, share_ci, mean and median of one group; None without ratings."""
    if not isfinite(top):
        raise OptionError(f"likert: top must be a rating, not {top}")
    counts = Counter(values)
    if not values or len(counts) > RATINGS:
        reason = f"{len(counts)} distinct values, too many for ratings" if counts else "no values"
        empty = dict.fromkeys(("counts", "share", "share_ci", "mean", "median"))
        return {**empty, "reason": reason}
    n = len(values)
    share = sum(value >= top for value in values) / n
    return {
        "counts": {f"{value:.15g}": counts[value] for value in sorted(counts)},
        "top": top,
        "share": 100 * share,
        "share_ci": [100 * end for end in effects.proportion_interval(share, n, level)],
        "mean": moments.mean(values),
        "median": median(values),
    }


TEST = HypothesisTest(test, takes="one")
