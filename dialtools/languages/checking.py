"""What is wrong with language data: the shape of files and tables, their columns, letters and sources.

A folder of the user's own is held to what dialtools' own data is like: a
table has the columns that the table of that name has there.
"""

import json
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from dialtools import languages
from dialtools.errors import OptionError, nearest, show
from dialtools.languages import shapes
from dialtools.languages.scripts import LETTERS, compiled

HOME = os.path.dirname(languages.__file__)
SOURCES = ["file", "rows", "what", "source", "licence", "date"]
ORDERED = ("beginnings", "endings", "phrases", "plurals", "terms/")  # tables whose rows have an order of their own
ALONE = ("pronouns.tsv",)  # tables that are of use where a language has nothing else, no language.json either
PATTERNS = {"beginnings.tsv": ("before",), "contexts.tsv": ("pattern",), "paraphrases.tsv": ("before", "after"),
            "plurals.tsv": ("ending",), **dict.fromkeys(("agreement.tsv", "determiners.tsv", "inflection.tsv"),
                                                        ("left", "right"))}  # columns that hold them

Problem = tuple[str, str, int]  # what is wrong, an example, and in which line it stands; 0: nowhere in particular


def files(folder: str) -> list[str]:
    """Return the data files of a folder, as paths within it; files of other kinds than these three are no matter."""
    found = (os.path.relpath(os.path.join(place, name), folder) for place, _, names in os.walk(folder)
             for name in names if name.endswith((".json", ".tsv", ".txt")))
    return sorted(path.replace(os.sep, "/") for path in found)


def problems(folder: str) -> Iterator[tuple[str, list[Problem]]]:
    """Yield each data file of a folder, and SOURCES.tsv, with what is wrong there; "" is the folder in use."""
    folder = folder or languages.own() or HOME
    if not os.path.isdir(folder):
        raise OptionError(f"there is no folder {folder}")
    there = [path for path in files(folder) if path != "SOURCES.tsv"]
    rows = list(_sources(folder))
    told = {row[0]: row[1] for row in rows if len(row) == len(SOURCES)}
    for path in there:
        yield path, [*_of_file(folder, path), *_of_source(folder, path, told)]
    yield "SOURCES.tsv", list(_of_sources(rows, there))


def _of_file(folder: str, path: str) -> Iterator[Problem]:
    with open(os.path.join(folder, path), "rb") as file:
        data = file.read()
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        yield "not UTF-8", f"byte 0x{data[error.start]:02x} at {error.start}", data.count(b"\n", 0, error.start) + 1
        return
    yield from _of_text(text)
    tag, _, name = path.partition("/")
    if not name:
        yield "a file that is in no language's folder", path, 0
    elif not os.path.isfile(os.path.join(folder, tag, "language.json")) and tag not in _own() \
            and name not in ALONE:
        yield "a new language without language.json", tag, 0
    elif path.endswith(".json"):
        yield from _of_json(text, tag, name)
    else:
        yield from _of_rows(text, name)
        yield from _foreign(text, folder, tag)


def _of_text(text: str) -> Iterator[Problem]:
    yield from _examples("not NFC", ((word, line) for line, words in enumerate(text.split("\n"), 1)
                                     for word in words.split() if word != unicodedata.normalize("NFC", word)))
    if not text.endswith("\n") or text.endswith("\n\n"):
        yield "no single newline at the end", show(text[-10:]), _line(text, len(text.rstrip("\n")))
    stray = compiled(r"[^\P{C}\n\t\u200c\u200d]|[\u2028\u2029\u00a0]").search(text)
    if stray:
        yield ("a control character, a no-break space or a line end other than LF", show(stray[0]),
               _line(text, stray.start()))


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _of_json(text: str, tag: str, name: str) -> Iterator[Problem]:
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        yield "not JSON", str(error), error.lineno
        return
    wanted = languages.REQUIRED if name == "language.json" else languages.keys_of_keyboard(tag)
    lacking = [key for key in wanted if key not in found] if isinstance(found, dict) else wanted
    if lacking:
        yield "a key is missing", ", ".join(lacking), 0
        return
    problem = languages.odd_value(tag, name, found)
    if problem:
        yield "a value that cannot be used", problem, 0
    elif name == "language.json" and found["script"] not in LETTERS:
        yield "a script that is not known", f"{found['script']}; there are {', '.join(LETTERS)}", 0


def _of_rows(text: str, name: str) -> Iterator[Problem]:
    lines = text.split("\n")[:-1]
    header, rows = ([], lines) if name.endswith(".txt") else (lines[:1], lines[1:])
    columns = header[0].split("\t") if header else [""]
    numbered = list(enumerate(rows, 1 + len(header)))
    cells = [(row.split("\t"), line) for line, row in numbered]
    if header:
        yield from _of_columns(columns, name)
    yield from _examples("a row that has not as many cells as the header",
                         (("\t".join(row), line) for row, line in cells if len(row) != len(columns)))
    yield from _examples("white space around a cell, or two spaces in it",
                         ((cell, line) for row, line in cells for cell in row if cell != " ".join(cell.split())))
    times = Counter(rows)
    yield from _examples("a row that is there twice", ((row, line) for line, row in numbered if times[row] > 1))
    if not name.startswith(ORDERED):
        yield from _examples("rows that are not sorted",
                             ((row, line) for (_, before), (line, row) in pairwise(numbered) if row < before))
    yield from _of_cells([dict(zip(columns, row, strict=False)) for row, _ in cells], name)


def _of_cells(rows: list[dict], name: str) -> Iterator[Problem]:
    """Yield what a row says that cannot be."""
    numbered = list(enumerate(rows, 2))
    yield from _examples("a cell that cannot be used", ((odd, line) for line, odd in shapes.odd_cells(name, rows)))
    yield from _examples("a pattern that cannot be read", (
        (row[column], line) for column in PATTERNS.get(name, ()) for line, row in numbered
        if not _is_pattern(row.get(column, ""))))
    yield from _examples("a weight that is no number above 0", (
        (row["weight"], line) for line, row in numbered if not _is_weight(row.get("weight", "1"))))


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


def _examples(what: str, found: Iterator[tuple[str, int]]) -> Iterator[Problem]:
    """Yield the problem with its first example and where that stands, if there is one."""
    for example, line in found:
        yield what, show(example), line
        return


def _of_columns(columns: list[str], name: str) -> Iterator[Problem]:
    known = _headers().get("names/" if name.startswith("names/") else "terms/" if name.startswith("terms/") else name)
    if known is None:
        yield "a table that nothing reads", name + nearest(name, _headers()), 0
        return
    allowed, needed = set().union(*known), set(known[0]).intersection(*known)
    wrong = [f"{column!r}" + nearest(column, allowed) for column in columns if column not in allowed]
    if wrong or len(set(columns)) < len(columns):
        yield "a column that is not known, or there twice", ", ".join(wrong) or " ".join(columns), 1
    if needed - set(columns):
        yield "a column is missing", ", ".join(sorted(needed - set(columns))), 1


@lru_cache(maxsize=1)
def _own() -> list[str]:
    return [name for name in os.listdir(HOME) if os.path.isfile(os.path.join(HOME, name, "language.json"))]


@lru_cache(maxsize=1)
def _headers() -> dict[str, list[list[str]]]:
    """Return the headers of each table of dialtools' own; all pools of names are one table, and all of terms."""
    found: dict[str, list[list[str]]] = {}
    for path in files(HOME):
        name = path.partition("/")[2]
        if name.endswith(".tsv"):
            folder = name.partition("/")[0] + "/" if "/" in name else name
            with open(os.path.join(HOME, path), encoding="utf-8") as file:
                found.setdefault(folder, []).append(file.readline().rstrip("\n").split("\t"))
    return found


def _foreign(text: str, folder: str, tag: str) -> Iterator[Problem]:
    """Yield a word with letters of a script that is neither the language's nor Latin."""
    home = folder if os.path.isfile(os.path.join(folder, tag, "language.json")) else HOME
    try:
        with open(os.path.join(home, tag, "language.json"), encoding="utf-8") as file:
            letters = LETTERS[json.load(file)["script"]]
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return  # there need not be one, or what is wrong with it is told
    other = compiled(rf"\S*[^\P{{L}}{letters}\p{{Latin}}\p{{Common}}]\S*").search(text)
    if other:
        yield "a letter of another script than the language's", show(other[0]), _line(text, other.start())


def _sources(folder: str) -> Iterator[list[str]]:
    """Yield the cells of the rows of SOURCES.tsv, the header first; nothing where there is no such file."""
    path = os.path.join(folder, "SOURCES.tsv")
    if os.path.isfile(path):
        with open(path, encoding="utf-8", errors="replace") as file:
            yield from (line.split("\t") for line in file.read().split("\n")[:-1])


def _of_source(folder: str, path: str, told: dict[str, str]) -> Iterator[Problem]:
    if path.endswith("language.json"):
        return
    size = str(_size(os.path.join(folder, path)))
    if path not in told:
        yield "a file whose source is not in SOURCES.tsv", path, 0
    elif told[path] != size:
        yield "another number of rows than SOURCES.tsv says", f"{size}, not {told[path]}", 0


def _of_sources(rows: list[list[str]], there: list[str]) -> Iterator[Problem]:
    if rows and rows[0] != SOURCES:
        yield "the columns are others", f"{' '.join(rows[0])}; they are {' '.join(SOURCES)}", 1
    numbered = [(row, line) for line, row in enumerate(rows[1:], 2)]
    yield from _examples("a row with an empty cell, or not with six", (
        ("\t".join(row), line) for row, line in numbered if len(row) != len(SOURCES) or not all(row)))
    yield from _examples("a date that is not as 2026-01-31", (
        (row[-1], line) for row, line in numbered if not re.fullmatch(r"\d{4}-\d\d-\d\d", row[-1])))
    yield from _examples("rows that are not sorted, or there twice", (
        (row[0], line) for (before, _), (row, line) in pairwise(numbered) if row[0] <= before[0]))
    yield from _examples("a row without a file", ((row[0], line) for row, line in numbered if row[0] not in there))


def _size(path: str) -> int:
    """Return how many rows a data file has: of a table without its header, of a keyboard of keys; -1 if broken."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    if path.endswith(".json"):
        try:
            return len(json.loads(text)["rows"])
        except (ValueError, KeyError, TypeError):
            return -1
    return text.count("\n") - path.endswith(".tsv")
