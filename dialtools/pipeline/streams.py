"""What the functions give to callers of Python: items that are made as they are asked for, and shown."""

from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeVar

from dialtools.pipeline.work import counted
from dialtools.records import frames
from dialtools.system import terminal

if TYPE_CHECKING:
    import datasets
    import pandas
    import polars

    from dialtools.tables.grids import Page

Item = TypeVar("Item", covariant=True)
FIRST = 5  # records that are shown
_READ = "<Stream: empty, or all of it has been read; list(…) keeps what is read>"
_MORE = f"The first {FIRST} records: list(…) has all of them, .to_pandas() a table of them."


class Stream(Iterator[Item]):
    """Records, results or lines, each made when it is asked for, and once: list(stream) keeps them.

    The end of a notebook's cell and print show a stream: the table of results, lines as they are,
    of records the first ones.  What was read to be shown, or put into a table, is kept: it can still be
    iterated over, once, and shown again.
    """

    def __init__(self, items: Iterator[Item]):
        self.items = items
        self._kept: list[Item] | None = None

    def __next__(self) -> Item:
        return next(self.items)

    def close(self) -> None:
        """End what makes the items, such as a training that is under way."""
        close = getattr(self.items, "close", None)
        if close:
            close()

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a DataFrame of all records or results, with a column for each key."""
        return frames.to_pandas(self._all())  # type: ignore[arg-type]

    def to_polars(self) -> "polars.DataFrame":
        """Return the same for polars; histories are JSON, which all functions read."""
        return frames.to_polars(self._all())  # type: ignore[arg-type]

    def to_dataset(self) -> "datasets.Dataset":
        """Return the same as a Dataset of Hugging Face; histories are JSON there, too."""
        return frames.to_dataset(self._all())  # type: ignore[arg-type]

    def __repr__(self) -> str:
        from dialtools.tables import markup

        return self._shown(lambda page: markup.text(page, terminal.columns(), ".to_pandas()"))

    def _repr_html_(self) -> str | None:
        from dialtools.tables import markup

        is_text = isinstance(next(iter(self._first(1)), ""), str)
        return None if is_text else self._shown(markup.html)

    def _shown(self, lines: "Callable[[Page], Iterator[str]]") -> str:
        from dialtools.tables import tables

        items: list[Any] = self._first(FIRST + 1)
        if not items:
            return _READ
        if isinstance(items[0], dict) and "id" in items[0]:
            page = tables.page([_row(record) for record in items[:FIRST]])
            page = page._replace(notes=[_MORE] if len(items) > FIRST else [])
            return "\n".join(lines(page))
        items = [*self._all()]
        is_table = all(isinstance(item, dict) for item in items)
        return "\n".join(lines(tables.page(items)) if is_table else map(str, items))

    def _first(self, number: int) -> list[Item]:
        """Return the first items of what was kept, or is left."""
        if self._kept is not None:
            return self._kept[:number]
        items = list(islice(self.items, number))
        self.items = chain(items, self.items)
        return items

    def _all(self) -> list[Item]:
        """Return all that was kept, or is left."""
        if self._kept is None:
            self._kept = list(self.items)
            self.items = iter(self._kept)
        return self._kept


def _row(record: dict) -> dict[str, Any]:
    """Return what a table shows of a record: no history, and of a dialogue how many turns."""
    row: dict[str, Any] = {}
    for key, value in record.items():
        if isinstance(value, str | int | float):
            row[key] = value
        elif key == "dialogue" and isinstance(value, list):
            row[key] = counted("turns", len(value))
        elif key == "scores" and isinstance(value, dict):
            row |= value
        elif key in ("reference", "prediction") and value:
            row[key] = value[0]
    return row


def taken(value: Any) -> Any:
    """Return an argument as functions take it: tables and streams as records, paths as texts."""
    if isinstance(value, Stream):
        return value.items
    if hasattr(value, "__fspath__"):
        return value.__fspath__()
    if frames.is_table(value):
        return frames.rows(value)
    if hasattr(value, "tolist"):  # a column, or a number, of numpy or pandas
        return value.tolist()
    if isinstance(value, list | tuple) and not isinstance(next(iter(value), None), dict):
        items = map(taken, value)
        return value._make(items) if hasattr(value, "_make") else type(value)(items)
    return value
