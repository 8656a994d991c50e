"""The layout of any results: a row for each, a column for each key.

What is too long for a column (verdict, notes, anything that holds names) stands below the table,
and so do objects of numbers, each as a table of its own where there are several results.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from dialtools.records.wellformed import is_number
from dialtools.tables.grids import NOTHING, Cell, Grid, Page
from dialtools.tables.labels import shortened
from dialtools.tables.numbers import decimals, probability, rounded

_SENTENCES = ("verdict", "note", "notes")
_SIGNATURES = ("signature", "corpus_signature")
_LONG = (*_SIGNATURES, "reason", *_SENTENCES)
_GROUPS = ("group", "groups", "highest", "lowest", "a", "b")  # a number there is a name
_MOST = 40  # characters of a text in a column
_P = re.compile(r"p(_.*)?")


def page(results: list[dict]) -> Page:
    """Return a table of results, and one of each object of numbers within them that differs."""
    names = _texts(results)
    within = [
        key
        for key in keys(results)
        if any(r.get(key) != results[0].get(key) for r in results)
        and all(isinstance(r.get(key), dict) and _is_numbers(r[key].values()) for r in results)
    ]
    rest = [{key: value for key, value in r.items() if key not in within} for r in results]
    grids = [grid for grid in [_grid(rest)] if grid.head or grid.above]
    for key in within:
        own = _grid([{name: r.get(name) for name in names} | r[key] for r in results])
        grids.append(own._replace(above=[f"{key}:", *own.above]))
    signatures = [text for r in results for key in _SIGNATURES for text in _sentences(r.get(key))]
    return Page(grids, list(_below(rest)), (), signatures)


def keys(results: list[dict]) -> list[str]:
    """Return the keys of results, in the order of their first appearance."""
    return list(dict.fromkeys(key for result in results for key in result))


def _grid(results: list[dict]) -> Grid:
    """Return a table; what all results have alike and is no measured number stands above it."""
    head, rows, numeric = _cells(results)
    if len(rows) > 1:
        rows = _shortened(rows, numeric)
    same = [at for at, key in enumerate(head) if len(rows) > 1 and _is_same(key, results)]
    left = [at for at in range(len(head)) if at not in same]
    above = [", ".join(f"{head[at]} {rows[0][at]}" for at in same)] if same else []
    names = sum(head[at] in _texts(results) for at in left)
    order = sorted(left, key=lambda at: head[at] not in _texts(results)) if names else left
    cells = [[Cell(row[at]) for at in order] for row in rows if left]
    return Grid([head[at] for at in order], cells, [numeric[at] for at in order], above, names)


def _shortened(rows: list[list[str]], numeric: list[bool]) -> list[list[str]]:
    """Return cells without long paths, which are in JSON."""
    columns = []
    for column, of_numbers in zip(zip(*rows, strict=True), numeric, strict=True):
        short = {} if of_numbers else shortened(column, _MOST)
        columns.append([short.get(cell, cell) for cell in column])
    return [list(row) for row in zip(*columns, strict=True)]


def _is_same(key: str, results: list[dict]) -> bool:
    """Return whether all results have the same value of a key that is no measured number."""
    values = [result.get(key) for result in results]
    return not any(isinstance(value, (float, list)) for value in values) and values.count(
        values[0]
    ) == len(values)


def _cells(results: list[dict]) -> tuple[list[str], list[list[str]], list[bool]]:
    """Return the keys of the columns, the cells row by row, and which columns are numeric."""
    head, columns, numeric = [], [], []
    for key in keys(results):
        values = [result.get(key) for result in results]
        if not _is_long(key, values) and values.count(None) < len(values):
            places = decimals(
                [(value, result.get("unit")) for value, result in zip(values, results, strict=True)]
            )
            head.append(key)
            columns.append([_cell(key, value, places) for value in values])
            numeric.append(all(is_number(value) for value in values if value is not None))
    return head, [list(row) for row in zip(*columns, strict=True)], numeric


def _is_long(key: str, values: list) -> bool:
    return key in _LONG or any(
        isinstance(value, dict) or (isinstance(value, list) and not all(map(is_number, value)))
        for value in values
    )


def _is_numbers(values: Iterable) -> bool:
    return all(value is None or is_number(value) for value in values)


def _cell(key: str, value: object, places: int) -> str:
    """Return a value as people read it, on one line."""
    if value is None:
        return NOTHING
    if isinstance(value, list):
        return f"[{', '.join(_cell(key, number, places) for number in value)}]"
    if key in _GROUPS:
        return one_line(str(value))
    if isinstance(value, float):
        return probability(value) if _P.fullmatch(key) else rounded(value, places)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return one_line(str(value))


def one_line(text: str) -> str:
    """Return a text with spaces for line ends and control characters."""
    return "".join(
        " " if c < " " or "\x7f" <= c <= "\x9f" or c in "\u2028\u2029" else c for c in text
    )


def _below(results: list[dict]) -> Iterator[str]:
    """Yield what is too long for a column, one line each, with the names of its results."""
    names = _names(results)
    for key in keys(results):
        values = [result.get(key) for result in results]
        if _is_long(key, values) and key not in _SIGNATURES:
            texts = [
                _sentences(
                    value
                    if key in _LONG or not isinstance(value, list)
                    else ", ".join(map(str, value))
                )
                for value in values
            ]
            for text in dict.fromkeys(chain.from_iterable(texts)):
                whose = [name for name, own in zip(names, texts, strict=True) if text in own]
                label = [] if key in _SENTENCES else [key]
                if len(whose) < len(results) and key != "verdict":
                    label.append(", ".join(whose))
                yield f"{' of '.join(label)}: {text}" if label else text


def _names(results: list[dict]) -> list[str]:
    """Return what tells each result from the others: the texts in its columns."""
    texts = _texts(results)
    return [
        " ".join(one_line(r[key]) for key in texts if r.get(key)) or f"line {number}"
        for number, r in enumerate(results, 1)
    ]


def _texts(results: list[dict]) -> list[str]:
    """Return the keys of texts that tell results apart, each some that earlier ones do not."""
    found: list[str] = []
    told = [""] * len(results)
    for key in keys(results):
        if key not in _LONG and all(isinstance(r.get(key), (str, type(None))) for r in results):
            more = [f"{before}\n{r.get(key)}" for before, r in zip(told, results, strict=True)]
            if len(set(more)) > len(set(told)):
                found, told = [*found, key], more
    return found


def _sentences(value: object) -> list[str]:
    """Return a string, the items of a list, or an object in words; [] for nothing."""
    if isinstance(value, dict):
        value = ", ".join(f"{name} {_cell(name, item, 4)}" for name, item in value.items())
    return [
        one_line(str(item))
        for item in (value if isinstance(value, list) else [value])
        if item not in (None, "")
    ]
