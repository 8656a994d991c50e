"""Values of Parquet and Arrow columns as JSON knows them.

Dates become ISO 8601 and durations seconds.  Bytes (sounds, pictures) and NaN are no JSON: a
column of them is an error, unless it is left out.
"""

import math
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from dialtools.conversion import items
from dialtools.system.errors import OptionError, RecordError, nearest, show, show_names


def records(rows: Iterable[dict]) -> items.Placed:
    """Yield ("row N", record) for rows of any values."""
    for number, row in enumerate(rows, 1):
        try:
            yield f"row {number}", {key: plain(value, key) for key, value in row.items()}
        except RecordError as error:
            yield f"row {number}", error


def plain(value: Any, column: str) -> Any:
    """Return a value as JSON knows it; RecordError for bytes and NaN."""
    if isinstance(value, float) and not math.isfinite(value):
        raise RecordError(f"column {show(column)} holds {value}; a number that is missing is null")
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, dict):
        return {str(key): plain(inner, column) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner, column) for inner in value]
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, bytes):
        raise RecordError(
            f"column {show(column)} holds bytes, such as a sound or a picture: "
            f"without={column} leaves it out"
        )
    return str(value)


def left(names: Iterable[str], without: str) -> list[str]:
    """Return the columns but those that "a+b" names; OptionError for one that is not there."""
    there, away = list(names), [name for name in without.split("+") if name]
    for name in away:
        if name not in there:
            raise OptionError(
                f"without={without}: no column {show(name)}{nearest(name, there)}; "
                f"there is {show_names(there)}"
            )
    return [name for name in there if name not in away]


def batches(found: Iterable[Any]) -> Iterator[dict]:
    """Yield the rows of Arrow record batches, which are held one at a time.

    pyarrow believes what a file says about the places of its values: those of a damaged one would
    end the process.
    """
    for batch in found:
        batch.validate(full=True)
        yield from batch.to_pylist()
