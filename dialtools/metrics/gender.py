"""Gender of a translation, 1 if it is the one asked for, else 0; from 0 to 1, higher is more of it.

share=male, share=female or share=neutral; the mean over records is the share in a data set. The
pronouns of a text tell its gender; a text with pronouns of both genders (he or she) or with none
is neutral. Pronouns come from languages/TAG/pronouns.tsv. A language whose pronouns tell no
gender (Indonesian, Javanese, Hindi; German, where sie is also they) is an error. Nothing else is
looked at, verbs included, so that languages which often drop pronouns (Spanish, Italian, Arabic,
Hebrew, Japanese, Korean) have more neutral texts. A pronoun of a thing counts like one of a
person, and so does the polite lei.

Source: as OTSC-Hindi and N are measured in "Gender inflected or bias inflicted", sections 4 and 5:
he, him, his against she, her.

>>> score(["He works as a nurse.", "She told him."], share="male", language=get("en"))
[1.0, 0.0]
"""

from dialtools.languages import Language, get
from dialtools.metrics import _gender
from dialtools.plugins.metric import Metric
from dialtools.text import pronouns

COUNTED, counts = _gender.COUNTED, _gender.counts


def score(
    predictions: list[str], *, share: pronouns.Gender = "neutral", language: Language = get("en")
) -> list[float]:
    """Return 1.0 or 0.0 for each prediction."""
    return [float(pronouns.gender(text, language) == share) for text in predictions]


METRIC = Metric(
    score, bounds=(0, 1), texts="of people", needs=("prediction",), counts=counts, counted=COUNTED
)
