"""The gender that a record gives and that of its translation; gender_accuracy, delta_g, delta_s."""

from collections.abc import Iterable, Mapping, Sequence

from dialtools.languages import Language, get
from dialtools.metrics import _labels
from dialtools.system.errors import RecordError, show
from dialtools.text import pronouns

COUNTED = ("without_gender",)
_TOLD = {name: gender for gender in ("male", "female", "neutral") for name in (gender, gender[0])}


def pairs(
    predictions: Sequence[str], genders: Sequence[object], language: Language
) -> list[list[_labels.Pair]]:
    """Return the person's gender and the translation's for each record."""
    return [
        [(_told(gender), pronouns.gender(text, language))]
        for text, gender in zip(predictions, genders, strict=True)
    ]


def counts(
    predictions: Sequence[str], *others: Sequence, language: Language = get("en")
) -> list[dict[str, int]]:
    """Return {"without_gender": 1} for each text in which no pronoun tells a gender."""
    return [
        {} if pronouns.genders(text, language) else {"without_gender": 1} for text in predictions
    ]


def f1(counts: Mapping[_labels.Pair, float]) -> dict[str, float]:
    """Return the F1 of male and of female; a neutral translation is a miss."""
    found = _labels.f1(counts)
    return {gender: found.get(gender, 0.0) for gender in ("male", "female")}


def right(rows: Iterable[Sequence[_labels.Pair]]) -> list[float]:
    """Return 1.0 if the gender is the person's, else 0.0."""
    return [float(one == other) for ((one, other),) in rows]


def _told(value: object) -> str:
    """Return male, female or neutral. Raise RecordError for anything else."""
    found = _TOLD.get(value.strip().lower()) if isinstance(value, str) else None
    if found is None:
        raise RecordError(
            f'the gender of the person is "male", "female" or "neutral", here is {show(value)}'
        )
    return found
