"""Values in records: what a path leads to, and texts, numbers and vectors there, checked.

Paths are such as lang, meta.age, scores.chrf:beta=0.5, data.answers.0.text.  Dots part a path into
keys, and numbers that count the items of a list from 0.  At each step a key that holds all that is
left of the path comes first, so that keys, such as the labels of scores, may have dots.
"""

import re
from collections.abc import Sequence
from math import isfinite

from dialtools.plugins.options import LARGEST
from dialtools.records import dialogue
from dialtools.system.errors import RecordError, show

LONGEST_INDEX = 19  # digits, for the index of a list; and int() refuses more than some thousands
LONGEST_NUMERAL = 300  # characters; int() refuses some thousands
_NUMERAL = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")


def is_empty(text: str) -> bool:
    """Tell whether a text has neither letter nor digit."""
    return not (text[:1].isalnum() or any(map(str.isalnum, text)))


def at(value: object, path: str) -> tuple[object, str | None]:
    """Return what a path leads to, and None; or how far it leads, and the part that is not there.

    >>> at({"data": [{"a": 1}, {"a": 2}]}, "data.1.a")
    (2, None)
    >>> at({"scores": {"chrf:beta=0.5": 3}}, "scores.chrf:beta=0.5")
    (3, None)
    >>> at({"a": {"b": None}}, "a.b.c.d")
    (None, 'c')
    """
    remaining: str | None = path
    while remaining is not None:
        is_key = isinstance(value, dict) and remaining in value
        part, dot, following = (remaining, "", "") if is_key else remaining.partition(".")
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif (
            isinstance(value, list)
            and part.isdecimal()
            and len(part) <= LONGEST_INDEX
            and int(part) < len(value)
        ):
            value = value[int(part)]
        else:
            return value, part
        remaining = following if dot else None
    return value, None


def of_score(record: dict, path: str) -> str:
    """Return the path of a score that is named by its label, or by what its label begins with.

    "rougeL" is scores.rougeL, and "cosine" the only one of cosine with any options, "chrf:beta=1"
    that with any more.  A key of the record comes first; any other path stays as it is.

    >>> of_score({"scores": {"rougeL": 1}}, "rougeL"), of_score({"rougeL": 2}, "rougeL")
    ('scores.rougeL', 'rougeL')
    >>> of_score({"scores": {"S:cosine:model=a/b": 1, "S:rougeL": 1}}, "S:cosine")
    'scores.S:cosine:model=a/b'
    """
    scores, label = record.get("scores"), path.removeprefix("scores.")
    is_key = label == path and (path in record or path.partition(".")[0] in record)
    if not isinstance(scores, dict) or is_key:
        return path
    if label in scores:
        return f"scores.{label}"
    labels = [
        name
        for name in scores
        if name.startswith(f"{label}:")
        and "=" in name[len(label) + 1 :].partition(":")[0]
        or name.startswith(f"{label},")
        and "=" in label
    ]
    return f"scores.{labels[0]}" if len(labels) == 1 else path


def text(record: dict, path: str | None = None) -> str:
    """Return the text under a path, or that of a list of one; without a path the "text", or else
    all utterances. Raise RecordError if there is none, or nothing but white space.
    """
    if path is None:
        value: object = "\n".join(holder["text"] for holder in dialogue.holders(record))
    else:
        value, lacking = at(record, path)
        value = value[0] if isinstance(value, list) and len(value) == 1 else value
        if lacking is not None or not isinstance(value, str):
            raise RecordError(f'no text under "{path}"')
    if not isinstance(value, str) or not value.strip():
        raise RecordError("its text is empty")
    return value


def texts(record: dict, key: str) -> list[str]:
    """Return the texts under a key, one or several.  Raise RecordError for anything else."""
    value = record[key]
    several = [value] if isinstance(value, str) else value
    if not isinstance(several, list) or not all(isinstance(one, str) for one in several):
        raise RecordError(
            f'"{key}" is a string or a list of strings, here is {show(value)}', record
        )
    return several


def number(record: dict, path: str) -> float:
    """Return the number under a path, which may be written as a text. Raise RecordError if there is
    none.
    """
    value, lacking = at(record, path)
    if lacking is not None or value is None:
        raise RecordError(f'no number under "{path}"')
    numeral = number_of(value) if isinstance(value, str) else value
    if not isinstance(numeral, (int, float)) or not abs(numeral) <= LARGEST:
        raise RecordError(f'"{path}" must be a number, not {show(value)}')
    return float(numeral)


def number_of(text: str) -> int | float | None:
    """Return the number that a text is, written as JSON writes it; None for any other text.

    White space around it does not count.  007, +49 and 4,5 are no numbers.

    >>> number_of(" 4"), number_of("-2.50"), number_of("1e3"), number_of("007"), number_of("")
    (4, -2.5, 1000.0, None, None)
    """
    text = text.strip()
    numeral = _NUMERAL.fullmatch(text) if len(text) <= LONGEST_NUMERAL else None
    if numeral is None:
        return None
    if numeral[1] is None and numeral[2] is None:
        return int(text)
    value = float(text)
    return value if isfinite(value) else None


def number_with_comma(text: str) -> int | float | None:
    """Return the number that a text is, with a comma before its decimals; None for any other text.

    >>> number_with_comma("3,5"), number_with_comma("3.5"), number_with_comma("4")
    (3.5, None, 4)
    """
    return None if "." in text else number_of(text.replace(",", ".", 1))


def vector(record: dict, path: str, others: Sequence[Sequence[float]] = ()) -> list[float]:
    """Return the vector under a path, not all of it 0. Raise RecordError if there is none, or if it
    is not as long as the first of the others.
    """
    value, lacking = at(record, path)
    if lacking is not None or value is None:
        raise RecordError(f'no vector under "{path}"')
    if not isinstance(value, list) or not value:
        raise RecordError(f'"{path}" must be a list of numbers, not {show(value)}')
    for component in value:
        if type(component) not in (int, float) or not abs(component) <= LARGEST:
            raise RecordError(
                f'"{path}" must be a list of numbers up to {LARGEST:g}, and one is '
                f"{show(component)}"
            )
    if others and len(value) != len(others[0]):
        raise RecordError(f'"{path}" has {len(value):,} numbers, the first has {len(others[0]):,}')
    if not sum(component * component for component in value):  # the squares of tiny ones are 0, too
        raise RecordError(f'"{path}" has a length of 0, and so no direction')
    return [float(component) for component in value]
