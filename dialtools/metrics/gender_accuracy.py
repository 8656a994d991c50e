"""Gender accuracy, 1 where a translation is of the person's gender, from 0 to 1; higher is better.

A record gives the person's "gender": male, female or neutral (m, f, n); key=KEY names another key.
A neutral translation is wrong, except of a neutral person (WinoMT has 240). A text without a
pronoun is neutral too, although other words may tell the gender (la doctora llegó): results count
such texts as "without_gender". The mean over records is the accuracy of a data set. The page of
gender says which gender a text has.

Source: Stanovsky et al. 2019, https://aclanthology.org/P19-1164, as in "Gender inflected or bias
inflicted", section 4.2.

>>> translations = ["The nurse said he was late.", "They were late."]
>>> score(translations, ["female", "male"], language=get("en"))
[0.0, 0.0]
>>> score(["The nurse said he was late."], ["m"], language=get("en"))
[1.0]
"""

from dialtools.languages import Language, get
from dialtools.metrics import _gender, _labels
from dialtools.plugins.metric import Metric

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
    """Return 1.0 or 0.0 for each prediction.

    key: the key of a record that holds the person's gender.
    """
    return _gender.right(pairs(predictions, genders, language=language))


def pairs(
    predictions: list[str], genders: list[str], *, language: Language = get("en")
) -> list[list[_labels.Pair]]:
    """Return the person's gender and the translation's for each record."""
    return _gender.pairs(predictions, genders, language)


METRIC = Metric(score, range=(0, 1), needs=needs, pairs=pairs, counts=counts, counted=COUNTED)
