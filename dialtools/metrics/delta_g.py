"""ΔG of translations: F1 of male minus F1 of female persons, from -1 to 1; 0 is neutral.

This is a value of a data set. A single record scores 1 if the translation has the person's gender,
else 0; the mean over records is the accuracy. Records and genders are those of gender_accuracy. The
papers give percent.

Source: Stanovsky et al. 2019, https://aclanthology.org/P19-1164, as in "Gender inflected or bias
inflicted", section 4.2: neutral is a false negative, and a neutral person of WinoMT who becomes
male is a false positive of male.

>>> translations, genders = ["He is in.", "He is in.", "She is in."], ["male", "female", "female"]
>>> from_statistics(statistics(translations, genders, language=get("en")))
0.0
"""

from collections.abc import Iterable

from dialtools.languages import Language, get
from dialtools.metrics import _gender, _labels
from dialtools.plugins.metric import Corpus, Metric

COUNTED, counts = _gender.COUNTED, _gender.counts


def needs(options: dict) -> tuple[str, ...]:
    """Return the keys of a record that the metric reads."""
    return ("prediction", options["key"])


def score(
    predictions: list[str],
    genders: list[str],
    *,
    key: str = "gender",
    language: Language = get("en"),
) -> list[float]:
    """Return 1.0 or 0.0 for each prediction; key: the key of the person's gender."""
    return _gender.right(pairs(predictions, genders, language=language))


def pairs(
    predictions: list[str], genders: list[str], *, language: Language = get("en")
) -> list[list[_labels.Pair]]:
    """Return the person's gender and the translation's for each record."""
    return _gender.pairs(predictions, genders, language)


def statistics(
    predictions: list[str], genders: list[str], *, language: Language = get("en")
) -> list[dict[str, int]]:
    """Return the counted genders of each record."""
    return _labels.counted(pairs(predictions, genders, language=language))


def from_statistics(rows: Iterable[_labels.Counts]) -> float:
    """Return ΔG of a data set from the statistics of its records, or sums of them."""
    found = _gender.f1(_labels.summed(rows))
    return found["male"] - found["female"]


METRIC = Metric(
    score,
    bounds=(0, 1),
    needs=needs,
    corpus=Corpus(statistics, from_statistics, mean="their accuracy"),
    pairs=pairs,
    counts=counts,
    counted=COUNTED,
)
