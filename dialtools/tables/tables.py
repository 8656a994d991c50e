"""Results as tables for people (text, Markdown, LaTeX) or for programs (CSV, JSON Lines).

What dt-score and dt-ttest say has a layout of its own: groups by metrics, with intervals and marks;
any other results are a row each, with a column for each key.  What is too long for a column
(verdict, notes, anything that holds names) stands below the table, and so do objects of numbers,
each as a table of its own where there are several results.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from dialtools.records import jsonl
from dialtools.records.values import number_of
from dialtools.records.wellformed import is_number
from dialtools.tables import grids
from dialtools.tables.grids import (
    NOTHING,
    Grid,
    Page,
    decimals,
    keys,
    one_line,
    probability,
    rounded,
    texts,
)

_OF_PROGRAMS = ("agreement", "chain", "failures")  # stands whole in JSON alone
_SENTENCES = ("verdict", "note", "notes")
_SIGNATURES = ("signature", "sentence_signature")
_LONG = (*_SIGNATURES, "reason", *_SENTENCES)
_GROUPS = ("group", "groups", "highest", "lowest", "a", "b")  # a number there is a name
_MOST = 40  # characters of a text in a column
_P = re.compile(r"p(_.*)?")


def render(
    results: Iterable[dict],
    format: str = "json",
    width: int = 80,
    signatures: bool = False,
    baseline: bool = False,
) -> Iterator[bytes]:
    """Yield the lines of tables; none where there are no results.

    format: text, markdown, latex, csv or json (JSON Lines; streams, the others hold the results).
    width: of a line of text.
    signatures: write each signature in full, and not what they have in common once.
    baseline: all results are comparisons with one group, in one table.
    """
    if format == "json":
        yield from map(jsonl.dumps, results)
        return
    from dialtools.tables import markup

    table = list(results)
    if not table:
        return
    if format == "csv":
        lines = markup.csv(_for_people(table))
    elif format == "text":
        lines = markup.text(page(table, signatures, baseline), width)
    else:
        write = markup.markdown if format == "markdown" else markup.latex
        lines = write(page(table, signatures, baseline))
    yield from (f"{line}\n".encode() for line in lines)


def _for_people(results: Iterable[dict]) -> list[dict]:
    return [
        {key: value for key, value in result.items() if key not in _OF_PROGRAMS}
        for result in results
    ]


def page(results: list[dict], signatures: bool = False, baseline: bool = False) -> Page:
    """Return the tables of results, and what stands below them."""
    from dialtools.tables import comparison_tables, score_tables

    made_by: dict[tuple[str, str], list[str]] = {}
    places: dict[tuple[str, str], int] = {}
    for result in results:
        steps = (result.get("chain") or [])[:-1]  # the last is the result's own
        for place, step in enumerate(steps):
            key = step["by"], step["signature"].partition("|")[0]
            made_by.setdefault(key, []).append(step["signature"])
            places[key] = max(place, places.get(key, 0))

    results = _for_people(results)
    if all(map(score_tables.knows, results)):
        tables = score_tables.page(results)
    elif all(map(comparison_tables.knows, results)):
        tables = comparison_tables.page(results, baseline)
    else:
        tables = _of_any(results)
    shown = list if signatures else grids.merged
    notes = [
        f"made by {key[0]}: {signature}"
        for key in sorted(made_by, key=places.__getitem__)
        for signature in shown(dict.fromkeys(made_by[key]))
    ]
    return tables._replace(
        notes=[*tables.notes, *notes], signatures=shown(dict.fromkeys(tables.signatures))
    )


def _of_any(results: list[dict]) -> Page:
    """Return a table of results, and one of each object of numbers within them that differs."""
    names = _names(results)
    within = [
        key
        for key in keys(results)
        if any(result.get(key) != results[0].get(key) for result in results)
        and all(
            isinstance(result.get(key), dict)
            and all(number is None or is_number(number) for number in result[key].values())
            for result in results
        )
    ]
    flat = [
        {key: value for key, value in result.items() if key not in within} for result in results
    ]
    tables = [grid for grid in [_grid(flat)] if grid.columns or grid.above]
    for key in within:
        counted = keys([result[key] for result in results])
        if None not in map(number_of, counted):  # ratings, from the lowest to the highest
            counted.sort(key=float)
        grid = _grid(
            [
                {name: result.get(name) for name in names}
                | {name: result[key].get(name) for name in counted}
                for result in results
            ]
        )
        tables.append(grid._replace(above=[f"{key}:", *grid.above]))
    signatures = [
        text for result in results for key in _SIGNATURES for text in _sentences(result.get(key))
    ]
    return Page(tables, list(_below(flat)), (), signatures)


def _grid(results: list[dict]) -> Grid:
    """Return a table; what all results have alike and is no measured number stands above it."""
    names = _names(results)
    alike, columns = [], []
    for key in keys(results):
        values = [result.get(key) for result in results]
        if _is_long(key, values) or values.count(None) == len(values):
            continue
        places = decimals([(result.get(key), result.get("unit")) for result in results])
        cells = [_cell(key, value, places) for value in values]
        is_numeric = all(is_number(value) for value in values if value is not None)
        if len(results) > 1 and not is_numeric:
            short = grids.shortened(cells, _MOST)
            cells = [short[cell] for cell in cells]
        is_measured = any(isinstance(value, (float, list)) for value in values)
        if len(results) > 1 and not is_measured and values.count(values[0]) == len(values):
            alike.append(f"{key} {cells[0]}")
        else:
            columns.append(texts(key, cells, right=is_numeric))
    columns.sort(key=lambda column: column.head not in names)
    return Grid(
        columns,
        [", ".join(alike)] if alike else [],
        sum(column.head in names for column in columns),
    )


def _is_long(key: str, values: list) -> bool:
    """Tell whether values stand below the table."""
    return key in _LONG or any(
        isinstance(value, dict) or (isinstance(value, list) and not all(map(is_number, value)))
        for value in values
    )


def _cell(key: str, value: object, places: int) -> str:
    """Return a value as people read it, on one line."""
    if value is None:
        return NOTHING
    if isinstance(value, list):
        return f"[{', '.join(_cell(key, number, places) for number in value)}]"
    if isinstance(value, float) and key not in _GROUPS:
        return probability(value) if _P.fullmatch(key) else rounded(value, places)
    if isinstance(value, bool) and key not in _GROUPS:
        return "yes" if value else "no"
    return one_line(str(value))


def _below(results: list[dict]) -> Iterator[str]:
    """Yield what is too long for a column, one line each, with the names of its results."""
    columns = _names(results)
    names = [
        " ".join(one_line(result[key]) for key in columns if result.get(key)) or f"line {number}"
        for number, result in enumerate(results, 1)
    ]
    for key in keys(results):
        values = [result.get(key) for result in results]
        if not _is_long(key, values) or key in _SIGNATURES:
            continue
        if key not in _LONG:
            values = [
                ", ".join(map(str, value)) if isinstance(value, list) else value for value in values
            ]
        sentences = list(map(_sentences, values))
        for text in dict.fromkeys(chain.from_iterable(sentences)):
            having = [name for name, own in zip(names, sentences, strict=True) if text in own]
            label = [] if key in _SENTENCES else [key]
            if len(having) < len(results) and key != "verdict":
                label.append(", ".join(having))
            yield f"{' of '.join(label)}: {text}" if label else text


def _names(results: list[dict]) -> list[str]:
    """Return the keys of texts that tell results apart, each some that earlier ones do not."""
    telling: list[str] = []
    names = [""] * len(results)
    for key in keys(results):
        if key not in _LONG and all(
            isinstance(result.get(key), (str, type(None))) for result in results
        ):
            longer = [
                f"{name}\n{result.get(key)}" for name, result in zip(names, results, strict=True)
            ]
            if len(set(longer)) > len(set(names)):
                telling, names = [*telling, key], longer
    return telling


def _sentences(value: object) -> list[str]:
    """Return a string, the items of a list, or an object in words; [] for nothing."""
    if isinstance(value, dict):
        value = ", ".join(f"{name} {_cell(name, item, 4)}" for name, item in value.items())
    return [
        one_line(str(item))
        for item in (value if isinstance(value, list) else [value])
        if item not in (None, "")
    ]


def without_chain(results: Iterable[dict], format: str, signatures: bool = False) -> str:
    """Return results as one text, for standard error; what made the records is in JSON alone."""
    kept = results if format == "json" else _for_people(results)
    return b"".join(render(kept, format, signatures=signatures)).decode()
