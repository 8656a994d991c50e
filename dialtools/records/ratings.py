"""Ratings in a record: one, a list of them, or those of several raters, {rater: rating}."""

import re
from collections.abc import Mapping
from math import isfinite

from dialtools.records import values
from dialtools.system.errors import RecordError, show

LARGEST = 1e300  # sums of larger numbers could overflow
SMALLEST = 1e-300  # smaller numbers count as 0, because their differences would vanish

# what people call the column that names who rated
_RATER = re.compile(
    r"(?<![a-z])(rater|annotator|judge(?!ment)|assessor|evaluator|coder|worker)", re.IGNORECASE
)

Rating = float | str | None
# the ratings of a text, each with its rater; None for those of a list, which names none
Rated = list[tuple[str | None, Rating]]


def of_record(record: dict, path: str, takes_words: bool = False) -> Rated:
    """Return the ratings at a path. Raise RecordError for words where there must be numbers.

    An empty text is no rating, and one such as "4" is its number; true and false are 1 and 0.
    """
    value, lacking = values.at(record, path)
    if lacking is not None:
        return [(path, None)]
    rated: dict | list = value if isinstance(value, (dict, list)) else {path: value}
    pairs = rated.items() if isinstance(rated, dict) else ((None, item) for item in rated)
    ratings: Rated = []
    for rater, item in pairs:
        word = item.strip() if isinstance(item, str) else None
        if item is None or word == "":
            ratings.append((rater, None))
        elif takes_words and word is not None and values.number_of(word) is None:
            ratings.append((rater, word))
        else:
            ratings.append((rater, number(record, path, item)))
    return ratings


def number(record: dict, path: str, value: object) -> float:
    """Return a value at a path as a number. Raise RecordError for any other value."""
    parsed = values.number_of(value) if isinstance(value, str) else value
    if not isinstance(parsed, (int, float)):
        remedy = ""
        if isinstance(value, str) and values.number_with_comma(value) is not None:
            remedy = "; dt-convert --from csv:decimals=comma reads it"
        elif isinstance(value, str):
            remedy = "; leave the cell empty, or null, where there is none"
            if path.isidentifier() and value.strip().isalpha():
                command = f"dt-score -m rating:key={path},good={value.strip()}"
                remedy += f"; {command} makes numbers of words"
        raise RecordError(f'"{path}" must be a number, not {show(value)}{remedy}', record)
    if not abs(parsed) <= LARGEST or not isfinite(parsed):
        raise RecordError(f'"{path}" is infinite, not a number, or beyond {LARGEST:g}', record)
    return float(parsed) if abs(parsed) >= SMALLEST else 0.0


def hint(record: Mapping, option: str) -> str:
    """Return what to do with a row for each rating of a text; "" unless a key seems to name raters.

    >>> hint({"id": 1, "Annotator ID": "a7", "score": 3}, "dt-convert --raters")
    '; dt-convert --raters "Annotator ID" makes one record of the ratings of each text'
    """
    key = next((key for key in record if _RATER.search(key)), None)
    if key is None:
        return ""
    shown = key if key.isidentifier() else show(key)
    return f"; {option} {shown} makes one record of the ratings of each text"


def by_rater(texts: list[Rated]) -> list[list[Rating]]:
    """Return the ratings of each text in the order of the raters, None where one gave none.

    Those of lists stay as they are.
    """
    raters = {rater: None for ratings in texts for rater, _ in ratings}
    if None in raters:
        return [[rating for _, rating in ratings] for ratings in texts]
    return [list(map(dict(ratings).get, raters)) for ratings in texts]
