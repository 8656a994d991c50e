"""ΔG of translations: F1 of male minus F1 of female persons, from -1 to 1; 0 is neutral.

It is the value of a data set, which `from_statistics` gives (dt-score --stats).
A record by itself scores 1 where the translation is of the person's gender,
else 0; the mean of that is the accuracy.  Records and genders as in
gender_accuracy, and so is "without_gender".  The papers give percent.

Source: Stanovsky et al. 2019, https://aclanthology.org/P19-1164, as in "Gender
inflected or bias inflicted", section 4.2: neutral is a false negative, and in
WinoMT somebody neutral who becomes male is a false positive of male.

>>> translations, genders = ["He is in.", "He is in.", "She is in."], ["male", "female", "female"]
>>> from_statistics(statistics(translations, genders, lang="en"))
0.0
"""

from collections.abc import Iterable

from dialtools.metrics import _gender, _labels

MEAN = "their accuracy"
COUNTED, counts = _gender.COUNTED, _gender.counts


def needs(options: dict) -> tuple[str, ...]:
    """Return the keys of a record that it needs."""
    return ("prediction", options["key"])


def score(predictions: list[str], genders: list[str], *, key: str = "gender", lang: str = "en") -> list[float]:
    """Return 1.0 or 0.0 for each prediction; key: what tells the gender of the person in a record."""
    return _gender.right(pairs(predictions, genders, lang=lang))


def pairs(predictions: list[str], genders: list[str], *, lang: str = "en") -> list[list[_labels.Pair]]:
    """Return of each record the person's gender and the translation's."""
    return _gender.pairs(predictions, genders, lang)


def statistics(predictions: list[str], genders: list[str], *, lang: str = "en") -> list[dict[str, int]]:
    """Return the genders of each record, counted."""
    return _labels.counted(pairs(predictions, genders, lang=lang))


def from_statistics(rows: Iterable[_labels.Counts]) -> float:
    """Return ΔG of a data set from the statistics of its records; sums of rows do as well."""
    found = _gender.f1(_labels.summed(rows))
    return found["male"] - found["female"]
