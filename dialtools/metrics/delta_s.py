"""ΔS of translations: macro-F1 of stereotypical minus other sentences, from -1 to 1; 0 is neutral.

The macro-F1 is the mean of the F1 of male and of female persons. A record has a "stereotype", pro
or anti, beside the "gender" (key=KEY and group=KEY name other keys). This is a value of a data set; a
group without records counts as 0. A single record scores 1 if the translation has the person's
gender, else 0. The papers give percent.

Source: Stanovsky et al. 2019, https://aclanthology.org/P19-1164, as in "Gender inflected or bias
inflicted", section 4.2: neutral is a false negative.

>>> translations = ["He is in.", "She is in.", "He is in.", "He is in."]
>>> genders = ["male", "female", "male", "female"]
>>> rows = statistics(translations, genders, ["pro", "pro", "anti", "anti"], language=get("en"))
>>> round(from_statistics(rows), 4)  # 1 - (2/3 + 0) / 2
0.6667
"""

from collections.abc import Iterable

from dialtools.languages import Language, get
from dialtools.metrics import _gender, _labels
from dialtools.plugins.metric import Corpus, Metric
from dialtools.system.errors import RecordError, show

_GROUPS = ("pro", "anti")
COUNTED, counts = _gender.COUNTED, _gender.counts


def needs(options: dict) -> tuple[str, ...]:
    """Return the keys of a record that the metric reads."""
    return ("prediction", options["key"], options["group"])


def score(
    predictions: list[str],
    genders: list[str],
    groups: list[str],
    *,
    key: str = "gender",
    group: str = "stereotype",
    language: Language = get("en"),
) -> list[float]:
    """Return 1.0 or 0.0 for each prediction.

    key: the key of a record that holds the person's gender.
    group: the key that says whether that is pro or anti the stereotype.
    """
    list(map(_checked, groups))
    return _gender.right(_gender.pairs(predictions, genders, language))


def statistics(
    predictions: list[str], genders: list[str], groups: list[str], *, language: Language = get("en")
) -> list[dict[str, int]]:
    """Return the counted group and genders of each record."""
    rows = zip(groups, _gender.pairs(predictions, genders, language), strict=True)
    return [{"\t".join([_checked(group), *pair]): 1} for group, (pair,) in rows]


def from_statistics(rows: Iterable[_labels.Counts]) -> float:
    """Return ΔS of a data set from the statistics of its records, or sums of them."""
    counts: dict[str, dict] = {group: {} for group in _GROUPS}
    for row in rows:
        for name, count in row.items():
            group, *pair = name.split("\t")
            counts[group][tuple(pair)] = counts[group].get(tuple(pair), 0) + count
    pro, anti = (sum(_gender.f1(counts[group]).values()) / 2 for group in _GROUPS)
    return pro - anti


def _checked(group: object) -> str:
    if group not in _GROUPS:
        raise RecordError(f'delta_s: the group is "pro" or "anti", here is {show(group)}')
    return str(group)


METRIC = Metric(
    score,
    bounds=(0, 1),
    needs=needs,
    corpus=Corpus(statistics, from_statistics, mean="their accuracy"),
    counts=counts,
    counted=COUNTED,
)
