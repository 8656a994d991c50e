"""What a test declares: a test of numbers, or a coefficient with its interval."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, eq=False)
class HypothesisTest:
    """A test of numbers, or a coefficient of them with its interval.

    test(a, b, level, *, options): a dict of results, made by statistics/results.py: statistic and
        its name, p (two-sided), difference (mean of a minus mean of b), ci (its interval), effect
        with its name and effect_ci, and what else the test has to say.  A value that cannot be
        computed is None, with a "reason", never NaN.  a, b: the numbers of the two groups, all
        finite; a group may have few or none.  level: of the interval, between 0 and 1.
    takes: "two" groups; "many" for test(groups, level), with follow_up the test of each pair; "one"
        for test(values, level), which describes each group by itself; "against" for test(a, b,
        ratings, level), which compares two values by a third; "raters" for test(items, level),
        where an item is the list of its ratings, None where a rater gave none.
    paired: number i of `a` belongs to number i of `b`, which may then be another value of the same
        record (--versus).
    follow_up: the test of each pair after one of many groups.
    words: True if ratings may be words; or the options with which they may ({"scale": "nominal"}).
    assumes: what to check and to note: "normal differences", "equal variances", "equal variances of
        no effect" (variances do not matter if effect_ci, which does not assume them equal, excludes
        0), "many values", "many ranks".
    clusters: the test allows for values of one cluster that are not independent.

    A parameter `clusters` receives the cluster of each pair, a parameter `score` the function that
    computes a corpus score from sums of statistics.  A test of ratings tells on which scale it took
    them: "scale" or "weights", and "whole_numbers".
    """

    test: Callable[..., dict]
    takes: Literal["one", "two", "many", "against", "raters"] = "two"
    paired: bool = False
    follow_up: str = ""
    words: bool | Mapping[str, str] = False
    assumes: tuple[str, ...] = ()
    clusters: bool = False
    summary: str = ""
