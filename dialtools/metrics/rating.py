"""The mean, median or majority of what people rated, from 0 to 1; higher is better.

A record has its ratings under a key: {"ann": 5, "bob": 4} after dt-convert --raters or dt-join
--raters, a list, or a single one.  They become numbers from 0 to 1: true and false 1 and 0; those of
a scale by where they stand between its worst and its best, scale=1-5 or, where 1 is the best,
scale=5-1; words 1 if they are among those of good=yes+mostly, else 0, in any case of letters.  by=mean
is the mean of these, so that of words it is the share of raters who say one of them, by=median the
middle one, and by=majority the rating, number or word, that more raters gave than any other.  A record
whose ratings have no majority has no score and is counted as undecided, one without any rating as
unrated, and one with words of which good= lists none as without a good rating: of all records, it is
mistyped.

Source: majority, ties left out: Fryer et al. 2022, https://aclanthology.org/2022.woah-1.20.

>>> score([{"rating": {"ann": 5, "bob": 4}}, {"rating": [1, None]}], scale="1-5")
[0.875, 0.0]
>>> records = [{"fluent": ["yes", "no", "yes"]}, {"fluent": ["yes", "no"]}]
>>> score(records, key="fluent", good="yes", by="majority"), score(records, key="fluent", good="yes")
([1.0, None], [0.6666666666666666, 0.5])
"""

from collections import Counter
from statistics import fmean, median
from typing import Literal

from dialtools.plugins.metric import Metric
from dialtools.records import ratings, values
from dialtools.system.errors import OptionError, RecordError, show

By = Literal["mean", "median", "majority"]


def score(
    records: list[dict], *, key: str = "rating", by: By = "mean", scale: str = "", good: str = ""
) -> list[float | None]:
    """Return a number for each record; None without ratings, or without a majority.

    key: of the ratings.
    by: what is made of several.
    scale: "WORST-BEST", numbers; without it ratings are from 0 to 1 already.
    good: the words that count 1, joined by +.
    """
    ends = _ends(scale)
    words = _words(good)
    return [_of_record(record, key, by, ends, words) for record in records]


def _words(good: str) -> set[str]:
    words = {word.strip().casefold() for word in good.split("+") if word.strip()}
    if number := next((word for word in sorted(words) if values.number_of(word) is not None), None):
        raise OptionError(
            f"rating: good lists words, and {number} is a number: scale=WORST-BEST says which is good"
        )
    return words


def _of_record(
    record: dict, key: str, by: By, ends: tuple[float, float], words: set[str]
) -> float | None:
    worst, best = ends
    marks = [one for _, one in ratings.of_record(record, key, takes_words=True) if one is not None]
    if by == "majority":
        marks = _majority([one.casefold() if isinstance(one, str) else one for one in marks])
    numbers = []
    for rating in marks:
        if isinstance(rating, str):
            if not words:
                raise RecordError(
                    f"the rating {show(rating)} is a word: good=WORD+WORD says which count 1",
                    record,
                )
            numbers.append(float(rating.casefold() in words))
        elif not min(ends) <= rating <= max(ends):
            remedy = "" if ends != (0, 1) else ": scale=1-5 says from what to what they go"
            raise RecordError(
                f"the rating {rating:g} is not from {worst:g} to {best:g}{remedy}", record
            )
        else:
            numbers.append((rating - worst) / (best - worst))
    if not numbers:
        return None
    return float(median(numbers) if by == "median" else fmean(numbers))


def _majority(marks: list) -> list:
    """Return the rating that most raters gave, alone; [] for a tie."""
    (first, votes), *others = Counter(marks).most_common(2) or [(None, 0)]
    return [] if not votes or (others and others[0][1] == votes) else [first]


def _ends(scale: str) -> tuple[float, float]:
    """Return worst and best of a scale such as 1-5 or -2-2.

    >>> _ends("1-5"), _ends("-2-2"), _ends("")
    ((1.0, 5.0), (-2.0, 2.0), (0.0, 1.0))
    """
    first, dash, last = scale.rpartition("-") if scale else ("0", "-", "1")
    if first.endswith("-"):  # of a best below 0
        first, last = first[:-1], f"-{last}"
    worst, best = values.number_of(first), values.number_of(last)
    if worst is None or best is None or worst == best:
        raise OptionError(f"rating: scale is WORST-BEST, such as 1-5, not {scale!r}")
    return float(worst), float(best)


def counts(
    records: list[dict], *, key: str = "rating", by: By = "mean", scale: str = "", good: str = ""
) -> list[dict[str, int]]:
    """Return {"unrated": 1} or {"undecided": 1} for each record that has no score, and {"no_good": 1}
    for one with words, but none of `good`.
    """
    counted, words = [], _words(good)
    for record, number in zip(
        records, score(records, key=key, by=by, scale=scale, good=good), strict=True
    ):
        marks = [one for _, one in ratings.of_record(record, key, takes_words=True)]
        is_rated = any(one is not None for one in marks)
        if number is None:
            counted.append({"undecided" if is_rated else "unrated": 1})
        else:
            spoken = {one.casefold() for one in marks if isinstance(one, str)}
            counted.append({"no_good": 1} if words and spoken and words.isdisjoint(spoken) else {})
    return counted


def described(options: dict) -> dict[str, str | None]:
    """Return the options without those that are empty."""
    return {name: options[name] or None for name in ("scale", "good")}


METRIC = Metric(score, range=(0, 1), needs=("record",), counts=counts, described=described)
