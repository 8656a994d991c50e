"""Ratings of several people, gathered in one row for each text: {"score": {"ann": 5, "bob": 4}}.

A long table has a row for each rating, and --raters KEY says where a row names its rater.  Numbers
are by rater, and so is in all texts what differs between the rows of any one; other texts are kept
once.

A wide table has a column for each rater, and --raters score=r1+r2+r3 gathers these.  An empty cell
is no rating.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from dialtools.conversion.items import FoundItem
from dialtools.records import jsonl, values
from dialtools.system.errors import OptionError, RecordError, nearest, show, show_names

TEXT = ("id", "system", "variant")  # the keys that identify a text
# what a text has once, whoever rates it
_OF_TEXTS = (*jsonl.KEYS, "variant", "history", "scores", "statistics", "errors")

_ONE_SYSTEM = "; --field system=COLUMN tells systems apart"

Placed = Iterator[tuple[str, Any]]  # (place, a row or its error, or a FoundItem of these)
Note = Callable[[str, str], object]


class Raters:
    """Where a table has its raters: --raters KEY, and KEY=COLUMN+COLUMN for each kind of ratings.

    key: of the rater, in a long table.
    columns: of the raters, in a wide one.
    note: told ("ratings", key) and ("raters", name) of all that were gathered.
    """

    def __init__(self, options: Iterable[str] = (), note: Note = lambda kind, name: None) -> None:
        self.key, self.columns, self.note = "", dict[str, list[str]](), note
        for option in options:
            key, equals, names = option.partition("=")
            columns = names.split("+") if equals else []
            if not key or not all(columns) or key in self.columns or (self.key and not equals):
                raise OptionError(
                    "--raters KEY names the rater of each row, --raters KEY=COLUMN+COLUMN gathers "
                    f"columns, and each KEY comes once: not {option!r}"
                )
            if equals:
                self.columns[key] = columns
            else:
                self.key = key

    def texts(
        self,
        placed: Iterable[tuple[str, Any]],
        paths: Mapping[str, str],
        text: Sequence[str] = TEXT,
    ) -> Placed:
        """Yield a row for each text; those of a long table when all are read.

        paths: where --field finds keys that the table calls otherwise.
        """
        if self.columns:
            placed = self._of_columns(placed)
        if self.key:
            placed = self._of_rows(placed, {name: paths.get(name, name) for name in text})
        yield from placed

    def _of_columns(self, placed: Iterable[tuple[str, Any]]) -> Placed:
        """Yield each row with its ratings under their keys."""
        used = {column for names in self.columns.values() for column in names}
        seen: dict[str, None] = {}
        for place, item in placed:
            row = _row(item)
            if isinstance(row, RecordError):
                yield place, item
                continue
            seen |= dict.fromkeys(row)
            gathered = {name: value for name, value in row.items() if name not in used}
            taken = [key for key in self.columns if key in gathered]
            for key, names in self.columns.items():
                if ratings := {name: row[name] for name in names if _has(row, name)}:
                    gathered[key] = ratings
            reason = f"{show(taken[0])} is another column: --raters OTHER=…" if taken else ""
            yield place, _replaced(item, RecordError(reason) if taken else gathered)
        if lacking := [name for name in sorted(used) if seen and name not in seen]:
            raise OptionError(
                f"--raters: no row has {show(lacking[0])}{nearest(lacking[0], seen)}; there is "
                f"{show_names(seen)}"
            )
        for key in self.columns:
            self.note("ratings", key)

    def _of_rows(self, placed: Iterable[tuple[str, Any]], paths: Mapping[str, str]) -> Placed:
        """Yield a row for each text; paths: of the keys that identify it, an id first."""
        rows_of: dict[str, list[tuple[str, Any]]] = {}
        (id_key, id_path), *_ = paths.items()
        for place, item in placed:
            row = _row(item)
            if isinstance(row, RecordError):
                yield place, item
            elif not isinstance(row.get(self.key), (str, int)) or not _has(row, self.key):
                reason = f"no rater in {show(self.key)}"
                if self.key not in row:
                    reason += f"{nearest(self.key, row)}; there is {show_names(row)}"
                yield place, _replaced(item, RecordError(reason))
            elif values.at(row, id_path)[0] in (None, "", row):
                reason = f"no {show(id_path)}, by which the ratings of one text are found"
                reason += f"{nearest(id_path, row)}; --field {id_key}=COLUMN says where it is"
                yield place, _replaced(item, RecordError(reason))
            else:
                named = [(name, values.at(row, path)) for name, path in paths.items()]
                text = ", ".join(f"{name} {show(value)}" for name, (value, no) in named if not no)
                rows_of.setdefault(text, []).append((place, item))

        differing: dict[str, None] = {}
        for (_, first), *others in rows_of.values():
            for _, item in others:
                differing |= _differences(_row(first), _row(item))
        for rows in rows_of.values():
            for _, item in rows:  # on which all may agree
                differing |= {name: None for name, cell in _row(item).items() if _is_number(cell)}
        kept = {*_OF_TEXTS, *paths.values(), self.key}
        by_rater = [name for name in differing if name not in kept]
        raters: dict[str, None] = {}
        for text, rows in rows_of.items():
            place, item = rows[0]
            gathered: dict | RecordError
            try:
                gathered = self._gathered([_row(item) for _, item in rows], by_rater)
                raters |= {str(_row(item)[self.key]): None for _, item in rows}
            except RecordError as error:
                gathered = RecordError(f"{text}: {error.reason}")
            yield place, _replaced(item, gathered)
        for kind, names in (("ratings", by_rater), ("raters", raters)):
            for name in names if by_rater else ():
                self.note(kind, name)

    def _gathered(self, rows: list[dict], by_rater: Sequence[str]) -> dict:
        """Return one row for a text, with the ratings of each kind by the names of their raters."""
        raters = [str(row[self.key]) for row in rows]
        if len({*raters}) < len(raters):
            twice = next(name for name in raters if raters.count(name) > 1)
            raise RecordError(f"two rows of the rater {show(twice)}{_ONE_SYSTEM}")
        gathered: dict = {}
        for name in dict.fromkeys(name for row in rows for name in row):
            present = [row[name] for row in rows if _has(row, name)]
            if name in _OF_TEXTS and any(value != present[0] for value in present):
                raise RecordError(f"its raters have another {show(name)} each{_ONE_SYSTEM}")
            if name in by_rater:
                ratings = {
                    rater: row[name]
                    for rater, row in zip(raters, rows, strict=True)
                    if _has(row, name)
                }
                gathered |= {name: ratings} if ratings else {}
            elif name != self.key or not by_rater:
                gathered[name] = present[0] if present else rows[0].get(name)
        return gathered


def _row(item: Any) -> Any:
    return item.item if isinstance(item, FoundItem) else item


def _replaced(item: Any, row: dict | RecordError) -> Any:
    return item._replace(item=row) if isinstance(item, FoundItem) else row


def _has(row: dict, name: str) -> bool:
    return row.get(name) not in (None, "")


def _differences(first: dict, row: dict) -> dict[str, None]:
    """Return the names of cells that differ; an empty one is one that is not there."""
    return {
        name: None
        for name in first | row
        if (_has(first, name) or _has(row, name)) and first.get(name) != row.get(name)
    }


def _is_number(cell: object) -> bool:
    is_numeral = isinstance(cell, str) and values.number_of(cell) is not None
    return is_numeral or isinstance(cell, (int, float))
