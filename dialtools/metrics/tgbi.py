"""TGBI: how evenly sentences without gender are translated, from 0 to 1; higher is fairer.

P of a set of sentences is √(male share × female share + neutral share); TGBI is the mean of P
over the sets. A record names its set under "set" (key=KEY names another key). This is a value of
a data set; a single record scores 1 if its translation is neutral, else 0. The page of gender says
which gender a text has.

Source: Cho et al. 2019, https://aclanthology.org/W19-3824, as in "Gender inflected or bias
inflicted", equation 1.

>>> translations = ["He is in.", "She is in.", "They are in."]
>>> rows = statistics(translations, ["formal", "formal", "polite"], language=get("en"))
>>> from_statistics(rows)  # (√(1/2 × 1/2) + 1) / 2
0.75
"""

from collections.abc import Iterable
from math import sqrt

from dialtools.languages import Language, get
from dialtools.metrics import _gender, _labels
from dialtools.plugins.metric import Corpus, Metric
from dialtools.system.errors import RecordError, show
from dialtools.text import pronouns

COUNTED, counts = _gender.COUNTED, _gender.counts


def needs(options: dict) -> tuple[str, ...]:
    """Return the keys of a record that the metric reads."""
    return ("prediction", options["key"])


def score(
    predictions: list[str], sets: list[str], *, key: str = "set", language: Language = get("en")
) -> list[float]:
    """Return the P of each prediction; key: the key that names a record's set."""
    return list(map(of_record, statistics(predictions, sets, language=language)))


def statistics(
    predictions: list[str], sets: list[str], *, language: Language = get("en")
) -> list[dict[str, int]]:
    """Return the counted set and gender of each record."""
    return [
        {f"{_name(name)}\t{pronouns.gender(text, language)}": 1}
        for text, name in zip(predictions, sets, strict=True)
    ]


def of_record(row: _labels.Counts) -> float:
    """Return the P of a record from its statistics."""
    return from_statistics([row])


def from_statistics(rows: Iterable[_labels.Counts]) -> float:
    """Return the TGBI of a data set from the statistics of its records, or sums of them."""
    sets: dict[str, dict[str, float]] = {}
    for row in rows:
        for name, count in row.items():
            group, _, gender = name.rpartition("\t")
            counts = sets.setdefault(group, {})
            counts[gender] = counts.get(gender, 0) + count
    found = [_index(counts) for counts in sets.values() if any(counts.values())]
    return sum(found) / len(found) if found else 0.0


def _index(counts: dict[str, float]) -> float:
    male, female, neutral = (
        counts.get(gender, 0) / sum(counts.values()) for gender in ("male", "female", "neutral")
    )
    return sqrt(male * female + neutral)


def _name(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise RecordError(f"tgbi: a set of sentences has a name, here is {show(value)}")
    return str(value)


METRIC = Metric(
    score,
    range=(0, 1),
    needs=needs,
    corpus=Corpus(
        statistics, from_statistics, mean="the share of neutral ones", of_record=of_record
    ),
    counts=counts,
    counted=COUNTED,
)
