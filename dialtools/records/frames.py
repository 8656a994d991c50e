"""Records as rows of tables: DataFrames of pandas and polars, tables of pyarrow, Hugging Face data sets."""

import json
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from dialtools.records import dialogue
from dialtools.system.errors import not_installed

if TYPE_CHECKING:
    import datasets
    import pandas
    import polars

HISTORY = "history"


class DataFrame(Protocol):
    """A table of pandas or polars."""

    @property
    def columns(self) -> Any:
        """The names of its columns."""

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns it has."""


def is_table(value: object) -> bool:
    """Tell whether a value is a table: of pandas, polars, pyarrow, or datasets."""
    return hasattr(value, "column_names") or (hasattr(value, "shape") and hasattr(value, "columns"))


def rows(table: Any) -> Iterator[dict]:
    """Yield the rows of a table as records, in Python's own types.

    What is empty (NaN, NA, None) is a missing key, within objects, too: Arrow gives each of them
    the keys of all.  An index with a name is a column.  Times become texts (ISO 8601); a history may
    be JSON.
    """
    dicts: Iterable[dict] = table
    if hasattr(table, "iter_rows"):
        dicts = table.iter_rows(named=True)
    elif hasattr(table, "iloc"):
        levels = [n for n in table.index.names if n is not None and n not in table.columns]
        table = table.reset_index(level=levels) if levels else table
        columns = list(table.columns)
        cells = table.itertuples(index=False, name=None)
        dicts = (dict(zip(columns, row, strict=True)) for row in cells)
    elif hasattr(table, "to_pylist"):
        dicts = table.to_pylist()
    for row in map(_plain, dicts):
        if isinstance(row, dict) and isinstance(row.get(HISTORY), str):
            row[HISTORY] = json.loads(row[HISTORY])
        yield row


def _plain(value: Any) -> Any:
    """Return a cell without numpy's types, and without keys of objects that hold nothing."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        cells = {key: _plain(cell) for key, cell in value.items()}
        return {key: cell for key, cell in cells.items() if not _is_empty(cell)}
    if isinstance(value, list | tuple):
        return list(map(_plain, value))
    return value.isoformat() if hasattr(value, "isoformat") and not _is_empty(value) else value


def _is_empty(cell: Any) -> bool:
    if type(cell).__name__ in ("NAType", "NaTType"):  # which are equal to nothing, and no booleans
        return True
    return cell is None or isinstance(cell, float) and cell != cell


def to_pandas(records: Iterable[dict]) -> "pandas.DataFrame":
    """Return records, or results, as a DataFrame with a column for each key."""
    return _library("pandas").DataFrame(list(records))


def to_polars(records: Iterable[dict]) -> "polars.DataFrame":
    """Return records, or results, as a DataFrame of polars; histories are JSON there."""
    return _library("polars").DataFrame(_columnar(records), infer_schema_length=None)


def to_dataset(records: Iterable[dict]) -> "datasets.Dataset":
    """Return records, or results, as a Dataset of Hugging Face; histories are JSON there."""
    return _library("datasets").Dataset.from_list(_columnar(records))


def _columnar(records: Iterable[dict]) -> list[dict]:
    """Return records that all have the same keys, as Arrow wants them.

    It has no lists of texts and numbers, as edits are: histories become JSON.  In a column with
    texts and lists a text becomes a list, a dialogue that of its turns.
    """
    records = list(records)
    keys = dict.fromkeys(key for record in records for key in record)
    listed = {key for record in records for key in record if isinstance(record[key], list)}
    rows = []
    for record in records:
        row = keys | record
        for key in listed:
            if isinstance(row[key], str):
                row[key] = dialogue.turns(record) if key == "dialogue" else [row[key]]
        if row.get(HISTORY):
            row[HISTORY] = json.dumps(row[HISTORY], ensure_ascii=False)
        rows.append(row)
    return rows


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise not_installed(name) from None
