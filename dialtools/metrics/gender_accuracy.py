"""Gender accuracy, 1 where a translation is of the person's gender, from 0 to 1; higher is better.

The record tells the person's "gender", male, female or neutral (m, f, n);
key=KEY names another key.  What is translated as neutral is wrong, but for
somebody of neutral gender, of whom WinoMT has 240.  So is a text without a
pronoun, whose gender other words may tell (la doctora llegó): results count
these as "without_gender".  The mean over records is the accuracy of a data set.
Which gender a text has: see gender.

Source: Stanovsky et al. 2019, https://aclanthology.org/P19-1164, as in "Gender
inflected or bias inflicted", section 4.2.

>>> score(["The nurse said he was late.", "They were late."], ["female", "male"], lang="en")
[0.0, 0.0]
>>> score(["The nurse said he was late."], ["m"], lang="en")
[1.0]
"""

from dialtools.metrics import _gender, _labels

RANGE = (0, 1)
COUNTED, counts = _gender.COUNTED, _gender.counts


def needs(options: dict) -> tuple[str, ...]:
    """Return the keys of a record that it needs."""
    return ("prediction", options["key"])


def score(predictions: list[str], genders: list[str], *, key: str = "gender", lang: str = "en") -> list[float]:
    """Return 1.0 or 0.0 for each prediction.

    key: what tells the gender of the person in a record.
    """
    return _gender.right(pairs(predictions, genders, lang=lang))


def pairs(predictions: list[str], genders: list[str], *, lang: str = "en") -> list[list[_labels.Pair]]:
    """Return of each record the person's gender and the translation's."""
    return _gender.pairs(predictions, genders, lang)
