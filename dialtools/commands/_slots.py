"""Templates: a text with slots, {name}, filled from tables; {{ and }} are braces."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, product

from dialtools.errors import OptionError, RecordError, nearest, show

_PARTS = re.compile(r"\{\{|\}\}|\{([^{}]+)\}|([{}])")


def names(template: str) -> list[str]:
    """Return the slots of a template in their order, each once; OptionError for a brace that stands alone.

    >>> names("{a} {{b}} {c}{a}")
    ['a', 'c']
    """
    found = dict.fromkeys(match[1] for match in _PARTS.finditer(template) if match[1])
    odd = next((match for match in _PARTS.finditer(template) if match[2]), None)
    if odd:
        raise OptionError(f"a {odd[2]} stands alone at {odd.start() + 1} of {show(template)}: a slot is {{NAME}}, "
                          f"a brace {odd[2] * 2}")
    return list(found)


def fill(template: str, row: dict) -> str:
    """Return a template with its slots filled; one that the row does not have is empty.

    >>> fill("{{{a}}} {b}.", {"a": "x"})
    '{x} .'
    """
    return _PARTS.sub(lambda match: row.get(match[1], "") if match[1] else match[0][0], template)


def check(templates: dict[str, str], tables: Sequence[Sequence[dict]]) -> None:
    """Raise OptionError unless each slot is a column of one table, and each table has a slot, and rows."""
    if not all(isinstance(row, dict) for table in tables for row in table):
        raise OptionError("a table is a list of rows, dicts of strings, and the tables are a list, too")
    bare = next((number for number, table in enumerate(tables, 1) if not table), None)
    if bare is not None:
        raise OptionError(f"table {bare} has no rows")
    columns = [list(dict.fromkeys(chain.from_iterable(table))) for table in tables]
    known = [name for own in columns for name in own]
    twice = next((name for name in known if known.count(name) > 1), None)
    if twice is not None:
        raise OptionError(f"two tables have a column {twice!r}")
    taken = next((name for name in known if name in ("id", "history", *templates)), None)
    if taken is not None:
        raise OptionError(f"no column can be called {taken!r}: it is a key of what is made")
    wanted = dict.fromkeys(name for template in templates.values() for name in names(template))
    unknown = next((name for name in wanted if name not in known), None)
    if unknown is not None:
        raise OptionError(f"no table has a column {unknown!r}{nearest(unknown, known)}; "
                          f"there are {', '.join(known) or 'none'}")
    for number, own in enumerate(columns, 1):
        if not wanted.keys() & set(own):
            raise OptionError(f"table {number} fills no slot; its columns are {', '.join(own) or 'none'}")


def expand(templates: dict[str, str], tables: Sequence[Sequence[dict]]) -> Iterator[dict]:
    """Yield a record for each combination of a row of each table, the last one varying fastest.

    Its id is what stands first in each of the rows, so that it stays the same
    when rows are added; its other keys are the columns, and the filled templates.
    """
    labelled = [zip(_labels(table, number), table, strict=True) for number, table in enumerate(tables, 1)]
    for picked in product(*labelled):
        row = {name: cell for _, cells in picked for name, cell in cells.items() if cell}
        filled = {key: fill(template, row) for key, template in templates.items()}
        yield {"id": "/".join(label for label, _ in picked), **filled, **row}


def _labels(table: Sequence[dict], number: int) -> list[str]:
    """Return what names each row, percent-escaped; RecordError where it is missing, or names two rows."""
    labels: dict[str, None] = {}
    first = next(iter(table[0]), "") if table else ""
    for at, row in enumerate(table, 1):
        odd = next((name for name, cell in row.items() if not isinstance(cell, str | None)), None)
        if odd is not None:
            raise RecordError(f"table {number}, row {at}: {odd!r} is no string: {show(row[odd])}")
        name = row.get(first)
        label = str(name).replace("%", "%25").replace("/", "%2F")
        if not name or label in labels:
            what = f"there are two rows called {show(name)}" if name else "it is empty here"
            raise RecordError(f"table {number}, row {at}: the first cell names a row, but {what}")
        labels[label] = None
    return list(labels)
