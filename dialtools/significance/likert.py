"""Ratings of each group: how many of each, the share of good ones, mean and median.

A rating of `top` or more (4 on the usual scale from 1 to 5) is good; its share
has an interval by Wilson's score.  It compares nothing: that is for
mann-whitney, or for wilcoxon where the same items were rated.  One input alone
is one group.

Source: interval: Wilson 1927, https://doi.org/10.1080/01621459.1927.10502953.

>>> test([5.0, 4.0, 2.0, 4.0], 0.95)["share"]
0.75
"""

from collections import Counter
from math import isfinite, sqrt
from statistics import median

from dialtools.errors import OptionError
from dialtools.statistics import distributions, moments

GROUPS = "one"
RATINGS = 100  # more different values are no ratings


def test(values: list[float], level: float, *, top: float = 4) -> dict:
    """Return counts, share, share_ci, mean and median of one group; null with a reason where there are no ratings."""
    if not isfinite(top):
        raise OptionError(f"likert: top is a rating, not {top}")
    counts = Counter(values)
    if not values or len(counts) > RATINGS:
        reason = f"ratings are up to {RATINGS} different values, here are {len(counts)}" if counts else "there are none"
        return {"counts": None, "share": None, "share_ci": None, "mean": None, "median": None, "reason": reason}
    n, good = len(values), sum(value >= top for value in values)
    return {"counts": {f"{value:.15g}": counts[value] for value in sorted(counts)}, "top": top, "share": good / n,
            "share_ci": wilson(good, n, level), "mean": moments.mean(values), "median": median(values)}


def wilson(good: int, n: int, level: float) -> list[float]:
    """Return the interval of a share."""
    z, share = distributions.normal_critical(level), good / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return [max(0.0, middle - half), min(1.0, middle + half)]
