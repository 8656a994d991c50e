"""Excel: the rows of a sheet of an .xlsx workbook; the first row names the keys.

As in csv, an empty cell is an empty text, a column KEY:json holds JSON, and texts,
ids and labels are strings.  Other numbers stay numbers, dates become ISO 8601.  A workbook
with several sheets needs xlsx:sheet=NAME.  A cell with an error (#N/A) is one for
its row, and so is a formula whose value was not saved.  A file that unpacks to more
than 100 times its size, or than 4 GB, is refused without xlsx:any_size=yes.

Source: ECMA-376, as openpyxl reads it (pip install 'dialtools[files]').

>>> from io import BytesIO
>>> from openpyxl import Workbook
>>> book, file = Workbook(), BytesIO()
>>> for row in (["id", "output", "rating"], [1, None, 4]):
...     book.active.append(row)
>>> book.save(file)
>>> list(read(BytesIO(file.getvalue())))
[('2', {'id': '1', 'output': '', 'rating': 4})]
"""

import warnings
from collections.abc import Collection, Iterator
from datetime import date, datetime, time
from io import BytesIO
from typing import Any, BinaryIO
from zipfile import ZipFile

from dialtools.conversion import items, rows
from dialtools.plugins.format import Format
from dialtools.records.values import number_of
from dialtools.system.errors import OptionError, RecordError, nearest, need, show_names

_ZIP = b"PK\x03\x04"
_LAST = 1_048_576


def read(
    file: BinaryIO,
    *,
    sheet: str = "",
    any_size: bool = False,
    declared: Collection[str] = (),
    note: rows.Note | None = None,
) -> items.Placed:
    """Yield each row of a sheet; the packed file is held, but not the unpacked one.

    sheet: its name; needed where several have cells.
    any_size: whatever it unpacks to.
    declared: columns that --field makes keys of texts.
    note: as `rows.Remarks.note`.
    """
    data = file.read()
    if not data.strip(b"\xef\xbb\xbf\r\n\t "):
        return
    need("openpyxl", "files")
    with ZipFile(BytesIO(data)) as packed:
        items.require_moderate(packed.infolist(), len(data), any_size)
    values, formulas = (_sheet(data, sheet, has_values) for has_values in (True, False))
    if values is None or formulas is None:
        return
    texts = rows.TEXTS | {*declared}
    kinds: dict[str, set[str]] = {}  # of the values in each column
    yield from rows.read(_shaped(_rows(values, formulas), kinds), ",", texts=texts, note=note)
    for name, kinds_of in kinds.items():
        if name in texts or note is None:
            continue
        if "numeral" in kinds_of and "text" not in kinds_of:
            note("texts", name)
        if "date" in kinds_of and len(kinds_of) > 1:
            note("dates", name)


def _sheet(data: bytes, name: str, has_values: bool) -> Any:
    """Return a sheet with the values of its formulas, or with these; None of an empty workbook."""
    openpyxl = need("openpyxl", "files")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of parts that it does not read, such as pictures
        book = openpyxl.load_workbook(BytesIO(data), read_only=True, data_only=has_values)
    sheets = {sheet.title: sheet for sheet in book.worksheets}
    for sheet in sheets.values():
        sheet.reset_dimensions()  # else each row is as wide as the sheet says that it is
    if name:
        if name not in sheets:
            raise OptionError(
                f"xlsx: no sheet {name!r}{nearest(name, sheets)}; there is {show_names(sheets)}"
            )
        return sheets[name]
    filled = [
        title
        for title, sheet in sheets.items()
        if any(cell.value is not None for row in sheet.iter_rows() for cell in row)
    ]
    if len(filled) > 1:
        raise OptionError(f"several sheets: xlsx:sheet=NAME chooses one of {show_names(filled)}")
    return sheets[filled[0]] if filled else None


def _rows(values: Any, formulas: Any) -> Iterator[tuple[int, list[Any] | RecordError]]:
    """Yield (number, cells) of each row that is not empty."""
    pairs = zip(values.iter_rows(), formulas.iter_rows(), strict=False)
    for number, (cells, written) in enumerate(pairs, 1):
        if number > _LAST:  # openpyxl makes all rows up to the number that a damaged one has
            raise RecordError(f"a row below row {_LAST:,}, the last that a sheet can have")
        unsaved = [
            cell.coordinate
            for cell, formula in zip(cells, written, strict=False)
            if cell.value is None and formula.data_type == "f"
        ]
        broken = [cell for cell in cells if cell.data_type == "e"]
        if unsaved:
            reason = (
                f"cell {unsaved[0]} holds a formula whose value was not saved: "
                "open the file in a spreadsheet program and save it"
            )
            yield number, RecordError(reason)
        elif broken:
            yield number, RecordError(f"cell {broken[0].coordinate} is {broken[0].value}")
        elif any(cell.value is not None for cell in cells):
            yield number, [cell.value for cell in cells]


def _shaped(
    numbered: Iterator[tuple[int, list[Any] | RecordError]], kinds: dict[str, set[str]]
) -> Iterator[rows.Row]:
    """Yield rows of cells, as many as the header has; `kinds` gets those of each column."""
    names: list[str] = []
    for number, cells in numbered:
        if isinstance(cells, RecordError):
            yield str(number), cells
            continue
        while len(cells) > len(names) and cells[-1] is None:
            cells.pop()
        if not names:
            names = list(map(str, cells))
        else:
            for name, value in zip(names, cells, strict=False):
                if value is not None:
                    kinds.setdefault(name, set()).add(_kind(value))
        yield str(number), [_cell(value) for value in cells + [None] * (len(names) - len(cells))]


def _kind(value: Any) -> str:
    """Return what people take a value for."""
    if isinstance(value, str):
        return "text" if number_of(value) is None else "numeral"
    return "date" if isinstance(value, (datetime, date, time)) else "number"


def _cell(value: Any) -> rows.Cell:
    """Return what a cell holds; a whole number is one, whatever Excel stores."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, datetime) and not (value.hour or value.minute or value.second):
        return value.date().isoformat()
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    return value if isinstance(value, (str, int, float)) else str(value)


def recognise(head: bytes) -> bool:
    """Tell whether it is a .zip with the parts of a workbook."""
    return head.startswith(_ZIP) and (b"xl/" in head or b"[Content_Types].xml" in head[:200])


FORMAT = Format(read, recognise=recognise)
