"""Results as CSV: full numbers, empty cells for missing values, JSON for lists and objects."""

from collections.abc import Iterator

from dialtools.tables.anything import keys

_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would compute


def lines(results: list[dict]) -> Iterator[str]:
    """Yield CSV lines; a text that begins as a formula does gets an apostrophe before it."""
    import csv
    import io

    head = keys(results)
    rows: list[list] = [[_cell(result.get(key)) for key in head] for result in results]
    for row in ([_cell(key) for key in head], *rows):
        line = io.StringIO()
        csv.writer(line).writerow(row)  # what its lines end in, "\r\n", is what it quotes in cells
        yield line.getvalue().removesuffix("\r\n")


def _cell(value: object) -> object:
    import json

    if isinstance(value, (bool, list, dict)):
        return json.dumps(value, ensure_ascii=False)
    return f"'{value}" if isinstance(value, str) and _is_formula(value) else value


def _is_formula(text: str) -> bool:
    """Tell whether a spreadsheet may read a text as a formula; a number is none."""
    if not text.startswith(_FORMULA):
        return False
    try:
        float(text)
    except ValueError:
        return True
    return False
