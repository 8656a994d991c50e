"""Problems of language data: the form of files, keys and columns (schema.py), letters, sources."""

import json
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise

from dialtools import languages
from dialtools.languages import schema
from dialtools.languages.resources import HOME
from dialtools.languages.scripts import LETTERS, compiled
from dialtools.system.errors import OptionError, nearest, show

SOURCES = ["file", "rows", "what", "source", "licence", "date"]
ORDERED = ("beginnings", "endings", "phrases", "plurals", "terms/")  # their rows are not sorted
ALONE = ("pronouns.tsv",)  # useful without a language.json

Problem = tuple[str, str, int]  # what is wrong, an example, its line or 0


def files(folder: str) -> list[str]:
    """Return the paths, within a folder, of its .json, .tsv and .txt files."""
    found = (
        os.path.relpath(os.path.join(place, name), folder)
        for place, _, names in os.walk(folder)
        for name in names
        if name.endswith((".json", ".tsv", ".txt"))
    )
    return sorted(path.replace(os.sep, "/") for path in found)


def problems(folder: str) -> Iterator[tuple[str, list[Problem]]]:
    """Yield each data file of a folder, then SOURCES.tsv, with its problems.

    folder: "" for the one in use.
    """
    folder = folder or languages.own() or HOME
    if not os.path.isdir(folder):
        raise OptionError(f"there is no folder {folder}")
    paths = [path for path in files(folder) if path != "SOURCES.tsv"]
    rows = list(_sources(folder))
    sizes = {row[0]: row[1] for row in rows if len(row) == len(SOURCES)}
    for path in paths:
        yield path, [*_of_file(folder, path), *_of_size(folder, path, sizes)]
    yield "SOURCES.tsv", list(_of_sources(rows, paths))


def _of_file(folder: str, path: str) -> Iterator[Problem]:
    with open(os.path.join(folder, path), "rb") as file:
        data = file.read()
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        yield (
            "not UTF-8",
            f"byte 0x{data[error.start]:02x} at {error.start}",
            data.count(b"\n", 0, error.start) + 1,
        )
        return
    yield from _of_text(text)
    code, _, name = path.partition("/")
    if not name:
        yield "a file that is in no language's folder", path, 0
    elif name not in ALONE and not any(
        os.path.isfile(os.path.join(home, code, "language.json")) for home in (folder, HOME)
    ):
        yield "a new language without language.json", code, 0
    elif path.endswith(".json"):
        yield from _of_json(text, code, name)
    else:
        yield from _of_rows(text, name)
        yield from _of_letters(text, folder, code)


def _of_text(text: str) -> Iterator[Problem]:
    yield from _first(
        "not NFC",
        (
            (word, line)
            for line, words in enumerate(text.split("\n"), 1)
            for word in words.split()
            if word != unicodedata.normalize("NFC", word)
        ),
    )
    if not text.endswith("\n") or text.endswith("\n\n"):
        yield "no single newline at the end", show(text[-10:]), _line(text, len(text.rstrip("\n")))
    stray = compiled(r"[^\P{C}\n\t\u200c\u200d]|[\u2028\u2029\u00a0]").search(text)
    if stray:
        yield (
            "a control character, a no-break space or a line end other than LF",
            show(stray[0]),
            _line(text, stray.start()),
        )


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _of_json(text: str, code: str, name: str) -> Iterator[Problem]:
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        yield "not JSON", str(error), error.lineno
        return
    present = found if isinstance(found, dict) else {}
    missing = [key for key in schema.keys(code, name) if key not in present]
    if missing:
        yield "a key is missing", ", ".join(missing), 0
        return
    problem = schema.value_problem(code, name, found)
    if problem:
        yield "a value that cannot be used", problem, 0
    elif name == "language.json" and found["script"] not in LETTERS:
        yield "a script that is not known", f"{found['script']}; there are {', '.join(LETTERS)}", 0


def _of_rows(text: str, name: str) -> Iterator[Problem]:
    lines = list(enumerate(text.split("\n")[:-1], 1))
    columns = [""]
    if name.endswith(".tsv"):
        columns = lines[0][1].split("\t") if lines else [""]
        yield from _of_columns(columns, name)
        del lines[:1]
    cells = [(row.split("\t"), line) for line, row in lines]
    yield from _first(
        "a row that has not as many cells as the header",
        (("\t".join(row), line) for row, line in cells if len(row) != len(columns)),
    )
    yield from _first(
        "white space around a cell, or two spaces in it",
        ((cell, line) for row, line in cells for cell in row if cell != " ".join(cell.split())),
    )
    times = Counter(row for _, row in lines)
    yield from _first(
        "a row that is there twice", ((row, line) for line, row in lines if times[row] > 1)
    )
    if not name.startswith(ORDERED):
        yield from _first(
            "rows that are not sorted",
            ((row, line) for (_, before), (line, row) in pairwise(lines) if row < before),
        )
    if name.endswith(".tsv"):
        yield from _of_cells([dict(zip(columns, row, strict=False)) for row, _ in cells], name)


def _of_columns(columns: list[str], name: str) -> Iterator[Problem]:
    rules = schema.table(name)
    if rules is None:
        known = [f"{table}.tsv" for table in schema.TABLES]
        yield "a table that nothing reads", name + nearest(name, known), 0
        return
    unknown = (
        []
        if schema.ANY in rules
        else [f"{column!r}" + nearest(column, rules) for column in columns if column not in rules]
    )
    if unknown or len(set(columns)) < len(columns):
        yield (
            "a column that is not known, or there twice",
            ", ".join(unknown) or " ".join(columns),
            1,
        )
    missing = schema.missing(name, columns)
    if missing:
        yield "a column is missing", ", ".join(missing), 1


def _of_cells(rows: list[dict], name: str) -> Iterator[Problem]:
    yield from _first(
        "a cell that cannot be used", ((odd, line) for line, odd in schema.odd_cells(name, rows))
    )
    yield from _first(
        "a pattern that cannot be read",
        (
            (cell, line)
            for cell, line in schema.cells_of(name, schema.PATTERN, rows)
            if not _is_pattern(cell)
        ),
    )
    yield from _first(
        "a weight that is no number above 0",
        (
            (cell, line)
            for cell, line in schema.cells_of(name, schema.WEIGHT, rows)
            if not _is_weight(cell)
        ),
    )


def _is_pattern(text: str) -> bool:
    import regex

    try:
        regex.compile(text)
    except regex.error:
        return False
    return True


def _is_weight(text: str) -> bool:
    try:
        return 0 < float(text) < float("inf")
    except ValueError:
        return False


def _first(what: str, found: Iterable[tuple[str, int]]) -> Iterator[Problem]:
    """Yield a problem with its first (example, line), if there is one."""
    for example, line in found:
        yield what, show(example), line
        return


def _of_letters(text: str, folder: str, code: str) -> Iterator[Problem]:
    """Yield a word with letters of a script that is neither the language's nor Latin."""
    own = os.path.join(folder, code, "language.json")
    path = own if os.path.isfile(own) else os.path.join(HOME, code, "language.json")
    try:
        with open(path, encoding="utf-8") as file:
            letters = LETTERS[json.load(file)["script"]]
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return  # the file is optional here, and its own problems are reported with it
    other = compiled(rf"\S*[^\P{{L}}{letters}\p{{Latin}}\p{{Common}}]\S*").search(text)
    if other:
        yield (
            "a letter of another script than the language's",
            show(other[0]),
            _line(text, other.start()),
        )


def _sources(folder: str) -> Iterator[list[str]]:
    """Yield the cells of each row of SOURCES.tsv, the header first; nothing without the file."""
    path = os.path.join(folder, "SOURCES.tsv")
    if os.path.isfile(path):
        with open(path, encoding="utf-8", errors="replace") as file:
            yield from (line.split("\t") for line in file.read().split("\n")[:-1])


def _of_size(folder: str, path: str, sizes: dict[str, str]) -> Iterator[Problem]:
    """Yield a problem if a file is not in SOURCES.tsv, or with another number of rows."""
    if path.endswith("language.json"):
        return
    size = str(_size(os.path.join(folder, path)))
    if path not in sizes:
        yield "a file whose source is not in SOURCES.tsv", path, 0
    elif sizes[path] != size:
        yield "another number of rows than SOURCES.tsv says", f"{size}, not {sizes[path]}", 0


def _size(path: str) -> int:
    """Return the number of rows of a table, or of a keyboard (-1 if it is broken)."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    if path.endswith(".json"):
        try:
            return len(json.loads(text)["rows"])
        except (ValueError, KeyError, TypeError):
            return -1
    return text.count("\n") - path.endswith(".tsv")


def _of_sources(rows: list[list[str]], paths: list[str]) -> Iterator[Problem]:
    if rows and rows[0] != SOURCES:
        yield "the columns are others", f"{' '.join(rows[0])}; they are {' '.join(SOURCES)}", 1
    numbered = [(row, line) for line, row in enumerate(rows[1:], 2)]
    yield from _first(
        "a row with an empty cell, or not with six",
        (
            ("\t".join(row), line)
            for row, line in numbered
            if len(row) != len(SOURCES) or not all(row)
        ),
    )
    yield from _first(
        "a date that is not as 2026-01-31",
        (
            (row[-1], line)
            for row, line in numbered
            if not re.fullmatch(r"\d{4}-\d\d-\d\d", row[-1])
        ),
    )
    yield from _first(
        "rows that are not sorted, or there twice",
        ((row[0], line) for (before, _), (row, line) in pairwise(numbered) if row[0] <= before[0]),
    )
    yield from _first(
        "a row without a file", ((row[0], line) for row, line in numbered if row[0] not in paths)
    )
