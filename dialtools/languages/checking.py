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
ORDERED = (
    "beginnings",
    "endings",
    "genders",
    "phrases",
    "plurals",
    "terms/",
)  # their rows are not sorted
ALONE = ("pronouns.tsv",)  # useful without a language.json

Problem = tuple[str, str, int]  # what is wrong, an example, its line or 0
Places = Iterable[tuple[str, int]]  # examples with their lines


def files(folder: str) -> list[str]:
    """Return the paths, within a folder, of its .json, .tsv and .txt files."""
    paths = (
        os.path.relpath(os.path.join(place, name), folder)
        for place, _, names in os.walk(folder)
        for name in names
        if name.endswith((".json", ".tsv", ".txt"))
    )
    return sorted(path.replace(os.sep, "/") for path in paths)


def problems(folder: str) -> Iterator[tuple[str, list[Problem]]]:
    """Yield each data file of a folder, then SOURCES.tsv, with its problems.

    folder: "" for the one in use.
    """
    folder = folder or languages.own() or HOME
    if not os.path.isdir(folder):
        raise OptionError(f"there is no folder {folder}")
    paths = [path for path in files(folder) if path != "SOURCES.tsv"]
    sources, path_of_sources = "", os.path.join(folder, "SOURCES.tsv")
    if os.path.isfile(path_of_sources):
        with open(path_of_sources, encoding="utf-8", errors="replace") as file:
            sources = file.read()
    rows = [line.split("\t") for line in sources.split("\n")[:-1]]
    sizes = {row[0]: row[1] for row in rows if len(row) == len(SOURCES)}
    for path in paths:
        with open(os.path.join(folder, path), "rb") as data:
            content = data.read()
        yield path, [*_of_file(folder, path, content), *_of_size(path, content, sizes)]
    yield "SOURCES.tsv", list(_of_sources(rows, paths))


def _of_file(folder: str, path: str, content: bytes) -> Iterator[Problem]:
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        place = f"byte 0x{content[error.start]:02x} at {error.start}"
        yield "not UTF-8", place, content.count(b"\n", 0, error.start) + 1
        return
    words = [(word, line) for line, row in enumerate(text.split("\n"), 1) for word in row.split()]
    yield from _first(
        "not NFC",
        ((word, line) for word, line in words if not unicodedata.is_normalized("NFC", word)),
    )
    if not text.endswith("\n") or text.endswith("\n\n"):
        line = _line(text, len(text.rstrip("\n")))
        yield "no single newline at the end", show(text[-10:]), line
    if stray := compiled(r"[^\P{C}\n\t\u200c\u200d]|[\u2028\u2029\u00a0]").search(text):
        kind = "a control character, a no-break space or a line end other than LF"
        yield kind, show(stray[0]), _line(text, stray.start())

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


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _first(what: str, places: Places) -> Iterator[Problem]:
    """Yield a problem with its first example, if there is one."""
    for example, line in places:
        yield what, show(example), line
        return


def _of_json(text: str, code: str, name: str) -> Iterator[Problem]:
    try:
        values = json.loads(text)
    except json.JSONDecodeError as error:
        yield "not JSON", str(error), error.lineno
        return
    present = values if isinstance(values, dict) else {}
    missing = [key for key in schema.keys(code, name) if key not in present]
    if missing:
        yield "a key is missing", ", ".join(missing), 0
        return
    problem = schema.value_problem(code, name, values)
    if problem:
        yield "a value that cannot be used", problem, 0
    elif name == "language.json" and values["script"] not in LETTERS:
        script = f"{values['script']}; there are {', '.join(LETTERS)}"
        yield "a script that is not known", script, 0


def _of_rows(text: str, name: str) -> Iterator[Problem]:
    lines = [(row, line) for line, row in enumerate(text.split("\n")[:-1], 1)]
    columns = [""]
    if name.endswith(".tsv"):
        columns = lines[0][0].split("\t") if lines else [""]
        yield from _of_columns(columns, name)
        del lines[:1]
    table = [(row.split("\t"), line) for row, line in lines]
    times = Counter(row for row, _ in lines)
    cells = [(cell, line) for row, line in table for cell in row]
    yield from _first(
        "a row that has not as many cells as the header",
        (("\t".join(row), line) for row, line in table if len(row) != len(columns)),
    )
    yield from _first(
        "white space around a cell, or two spaces in it",
        ((cell, line) for cell, line in cells if cell != " ".join(cell.split())),
    )
    yield from _first(
        "a row that is there twice", ((row, line) for row, line in lines if times[row] > 1)
    )
    if not name.startswith(ORDERED):
        yield from _first(
            "rows that are not sorted",
            ((row, line) for (before, _), (row, line) in pairwise(lines) if row < before),
        )
    if name.endswith(".tsv"):
        rows = [dict(zip(columns, row, strict=False)) for row, _ in table]
        patterns = schema.cells_of(name, schema.PATTERN, rows)
        weights = schema.cells_of(name, schema.WEIGHT, rows)
        yield from _first(
            "a cell that cannot be used",
            ((odd, line) for line, odd in schema.odd_cells(name, rows)),
        )
        yield from _first(
            "a pattern that cannot be read", (cell for cell in patterns if not _is_pattern(cell[0]))
        )
        yield from _first(
            "a weight that is no number above 0",
            (cell for cell in weights if not _is_weight(cell[0])),
        )


def _of_columns(columns: list[str], name: str) -> Iterator[Problem]:
    rules = schema.table(name)
    if rules is None:
        tables = [f"{table}.tsv" for table in schema.TABLES]
        yield "a table that nothing reads", name + nearest(name, tables), 0
        return
    strange = [column for column in columns if column not in rules and schema.ANY not in rules]
    if strange or len(set(columns)) < len(columns):
        shown = ", ".join(f"{column!r}{nearest(column, rules)}" for column in strange)
        yield "a column that is not known, or there twice", shown or " ".join(columns), 1
    if missing := schema.missing(name, columns):
        yield "a column is missing", ", ".join(missing), 1


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


def _of_letters(text: str, folder: str, code: str) -> Iterator[Problem]:
    """Yield a word with letters of a script that is neither the language's nor Latin."""
    users = os.path.join(folder, code, "language.json")
    path = users if os.path.isfile(users) else os.path.join(HOME, code, "language.json")
    try:
        with open(path, encoding="utf-8") as file:
            letters = LETTERS[json.load(file)["script"]]
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return  # the file is optional here, and its own problems are reported with it
    strange = compiled(rf"\S*[^\P{{L}}{letters}\p{{Latin}}\p{{Common}}]\S*").search(text)
    if strange:
        kind = "a letter of another script than the language's"
        yield kind, show(strange[0]), _line(text, strange.start())


def _of_size(path: str, content: bytes, sizes: dict[str, str]) -> Iterator[Problem]:
    """Yield a problem if a file is not in SOURCES.tsv, or with another number of rows."""
    if path.endswith("language.json"):
        return
    size = content.count(b"\n") - path.endswith(".tsv")
    if path.endswith(".json"):
        try:
            size = len(json.loads(content.decode(errors="replace"))["rows"])
        except (ValueError, KeyError, TypeError):
            size = -1
    if path not in sizes:
        yield "a file whose source is not in SOURCES.tsv", path, 0
    elif sizes[path] != str(size):
        yield "another number of rows than SOURCES.tsv says", f"{size}, not {sizes[path]}", 0


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
    is_date = re.compile(r"\d{4}-\d\d-\d\d").fullmatch
    yield from _first(
        "a date that is not as 2026-01-31",
        ((row[-1], line) for row, line in numbered if not is_date(row[-1])),
    )
    yield from _first(
        "rows that are not sorted, or there twice",
        ((row[0], line) for (before, _), (row, line) in pairwise(numbered) if row[0] <= before[0]),
    )
    yield from _first(
        "a row without a file", ((row[0], line) for row, line in numbered if row[0] not in paths)
    )
