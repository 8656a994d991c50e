"""Templates with slots, filled from tables: a record for each combination of their rows."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, product

from dialtools.conversion import items, rows
from dialtools.system.errors import OptionError, RecordError, nearest, show
from dialtools.system.files import called, open_input

_PARTS = re.compile(r"\{\{|\}\}|\{([^{}]+)\}|([{}])")

Table = Sequence[dict]  # rows: dicts of strings


def _slots(template: str) -> list[str]:
    """Return the slots of a template in their order; OptionError for a brace that stands alone.

    >>> _slots("{a} {{b}} {c}{a}")
    ['a', 'c', 'a']
    """
    slots = []
    for part in _PARTS.finditer(template):
        slot, brace = part.groups()
        if brace:
            raise OptionError(
                f"a {brace} stands alone at {part.start() + 1} of {show(template)}: "
                f"a slot is {{NAME}}, a brace {brace * 2}"
            )
        if slot:
            slots.append(slot)
    return slots


def _filled(template: str, row: dict) -> str:
    """Return a template with its slots filled; a slot that the row lacks is empty.

    >>> _filled("{{{a}}} {b}.", {"a": "x"})
    '{x} .'
    """
    return _PARTS.sub(lambda part: row.get(part[1], "") if part[1] else part[0][0], template)


def check(templates: dict[str, str], tables: Sequence[Table]) -> None:
    """Raise OptionError unless each slot has a column in one table, and each table a slot."""
    if not all(isinstance(row, dict) for table in tables for row in table):
        raise OptionError("tables must be a list of lists of rows, each a dict of strings")
    for number, table in enumerate(tables, 1):
        if not table:
            raise OptionError(f"table {number} has no rows")
    columns = [list(dict.fromkeys(chain.from_iterable(table))) for table in tables]
    known = list(chain.from_iterable(columns))
    for name in known:
        if known.count(name) > 1:
            raise OptionError(f"two tables have a column {name!r}")
        if name in ("id", "history", *templates):
            raise OptionError(f"no column can be called {name!r}: the records have that key")
    wanted = dict.fromkeys(chain.from_iterable(map(_slots, templates.values())))
    for name in wanted:
        if name not in known:
            raise OptionError(
                f"no table has a column {name!r}{nearest(name, known)}; "
                f"there are {', '.join(known) or 'none'}"
            )
    for number, names in enumerate(columns, 1):
        if wanted.keys().isdisjoint(names):
            raise OptionError(
                f"table {number} fills no slot; its columns are {', '.join(names) or 'none'}"
            )


def combinations(templates: dict[str, str], tables: Sequence[Table]) -> Iterator[dict]:
    """Yield a record for each combination of rows, the last table varying fastest.

    The id consists of the first cell of each row, so that it stays the same when rows are added;
    the other keys are the columns and the filled templates.
    """
    labelled = [
        zip(_labels(table, number), table, strict=True) for number, table in enumerate(tables, 1)
    ]
    for picked in product(*labelled):
        row = {name: cell for _, cells in picked for name, cell in cells.items() if cell}
        filled = {key: _filled(template, row) for key, template in templates.items()}
        yield {"id": "/".join(label for label, _ in picked), **filled, **row}


def _labels(table: Table, number: int) -> list[str]:
    """Return the name of each row, percent-escaped; RecordError for a missing or repeated name."""
    labels: dict[str, None] = {}
    first = next(iter(table[0]), "") if table else ""
    for place, row in enumerate(table, 1):
        for name, cell in row.items():
            if not isinstance(cell, str | None):
                raise RecordError(
                    f"table {number}, row {place}: {name!r} is no string: {show(cell)}"
                )
        name = row.get(first)
        label = str(name).replace("%", "%25").replace("/", "%2F")
        if not name or label in labels:
            fault = f"two rows are called {show(name)}" if name else "it is empty here"
            raise RecordError(
                f"table {number}, row {place}: the first cell names a row, but {fault}"
            )
        labels[label] = None
    return list(labels)


def read(path: str) -> list[dict]:
    """Return the rows of a table with tabs, empty cells included."""
    with open_input(path) as file:
        try:
            return [row for _, row in items.sound(rows.plain(file, whole=True))]
        except RecordError as error:
            place = f"{called(path)}:{error.place or 1}"
            raise RecordError(error.reason, place=place) from None
