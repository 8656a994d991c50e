"""Texts, numbers and vectors that a record holds under a path, checked."""

from collections.abc import Sequence

from dialtools.records import dialogue, numerals, paths
from dialtools.system.errors import RecordError, show

LARGEST = 1e30  # of a number


def text(record: dict, path: str | None = None) -> str:
    """Return the text under a path, or that of a list of one; without a path the "text", or else
    all utterances. Raise RecordError if there is none, or nothing but white space.
    """
    if path is None:
        found: object = "\n".join(holder["text"] for holder in dialogue.holders(record))
    else:
        found, lacking = paths.at(record, path)
        found = found[0] if isinstance(found, list) and len(found) == 1 else found
        if lacking is not None or not isinstance(found, str):
            raise RecordError(f'no text under "{path}"')
    if not isinstance(found, str) or not found.strip():
        raise RecordError("its text is empty")
    return found


def number(record: dict, path: str) -> float:
    """Return the number under a path, which may be written as a text. Raise RecordError if there is
    none.
    """
    value, lacking = paths.at(record, path)
    if lacking is not None or value is None:
        raise RecordError(f'no number under "{path}"')
    number = numerals.number_of(value) if isinstance(value, str) else value
    if not isinstance(number, (int, float)) or not abs(number) <= LARGEST:
        raise RecordError(f'"{path}" must be a number, not {show(value)}')
    return float(number)


def vector(record: dict, path: str, others: Sequence[Sequence[float]] = ()) -> list[float]:
    """Return the vector under a path, not all of it 0. Raise RecordError if there is none, or if it
    is not as long as the first of the others.
    """
    value, lacking = paths.at(record, path)
    if lacking is not None or value is None:
        raise RecordError(f'no vector under "{path}"')
    if not isinstance(value, list) or not value:
        raise RecordError(f'"{path}" must be a list of numbers, not {show(value)}')
    for one in value:
        if type(one) not in (int, float) or not abs(one) <= LARGEST:
            raise RecordError(
                f'"{path}" must be a list of numbers up to {LARGEST:g}, and one is {show(one)}'
            )
    if others and len(value) != len(others[0]):
        raise RecordError(f'"{path}" has {len(value):,} numbers, the first has {len(others[0]):,}')
    if not sum(one * one for one in value):  # the squares of tiny numbers are 0, too
        raise RecordError(f'"{path}" has a length of 0, and so no direction')
    return [float(one) for one in value]
