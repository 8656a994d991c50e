"""The files of language data: dialtools' own folder, and before it one of the user's.

DIALTOOLS_LANGUAGES names a folder with the same layout, whose files come before ours, one by one. A
folder in it with a new tag is a new language. A file is read when it is first asked for, and only
once.
"""

import functools
import os
from typing import Any

from dialtools.languages import schema
from dialtools.languages.scripts import LETTERS
from dialtools.system.errors import OptionError, RecordError, nearest, show

HOME = os.path.dirname(__file__)  # pathlib would cost every start 4 ms
_ALIASES = {
    "jw": "jv",
    "in": "id",
    "cmn": "zh",
    "yue": "zh",
    "arb": "ar",
    "deu": "de",
    "eng": "en",
    "fra": "fr",
    "heb": "he",
    "hin": "hi",
    "ind": "id",
    "ita": "it",
    "jav": "jv",
    "jpn": "ja",
    "kor": "ko",
    "rus": "ru",
    "spa": "es",
    "ukr": "uk",
    "zho": "zh",
}  # old codes, and codes of three letters as in NLLB and FLORES


def code(tag: str) -> str:
    """Return the folder's name for a BCP 47 tag: its first part, with old and three-letter codes
    replaced.

    >>> code("zh-Hans"), code("jw"), code("jpn_Jpan")
    ('zh', 'jv', 'ja')
    """
    first = tag.replace("_", "-").partition("-")[0].lower()
    return _ALIASES.get(first, first)


def own() -> str | None:
    """Return the user's own folder of language data, or None."""
    folder = os.environ.get("DIALTOOLS_LANGUAGES")
    if folder and not os.path.isdir(folder):
        raise OptionError(f"DIALTOOLS_LANGUAGES: there is no folder {folder}")
    return folder or None


def _homes() -> list[str]:
    folder = own()
    return [folder, HOME] if folder else [HOME]


@functools.lru_cache(maxsize=None)
def digest() -> str | None:
    """Return eight hex digits that identify all files of the user's own folder, or None."""
    folder = own()
    if folder is None:
        return None
    from hashlib import sha256

    total = sha256()
    for path in sorted(
        os.path.join(place, file) for place, _, files in os.walk(folder) for file in files
    ):
        with open(path, "rb") as data:
            total.update(
                f"{os.path.relpath(path, folder)}\0".encode() + sha256(data.read()).digest()
            )
    return total.hexdigest()[:8]


def known() -> list[str]:
    """Return the codes of the languages that have a folder."""
    return having("language.json")


def having(file: str) -> list[str]:
    """Return the codes of the languages whose folder has a file, such as "fillers.tsv"."""
    codes = {name for home in _homes() for name in os.listdir(home)}
    return sorted(name for name in codes if has(name, file))


def has(code: str, file: str) -> bool:
    """Return whether a language has a file."""
    return any(os.path.isfile(os.path.join(home, code, file)) for home in _homes())


def tables(code: str, folder: str) -> list[str]:
    """Return the names of the .tsv files in a subfolder of a language."""
    paths = [os.path.join(home, code, folder) for home in _homes()]
    names = {name for path in paths if os.path.isdir(path) for name in os.listdir(path)}
    return sorted(name.removesuffix(".tsv") for name in names if name.endswith(".tsv"))


@functools.lru_cache(maxsize=None)
def content(code: str, file: str) -> Any:
    """Return what a file of a language holds, None if there is none of that name.

    .json: an object; .tsv: its rows as dicts; .txt: its words, a frozenset.
    """
    paths = [os.path.join(home, code, file) for home in _homes()]
    path = next(filter(os.path.isfile, paths), None)
    if path is None:
        return None
    with open(path, encoding="utf-8") as opened:
        try:
            text = opened.read().removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            reason = f"line {line} is not UTF-8: byte {error.object[error.start]:#x}"
            raise broken(code, file, reason) from None
    if file.endswith(".json"):
        return _object(code, file, text)
    if file.endswith(".tsv"):
        return _rows(code, file, text)
    return frozenset(text.split("\n") if text else ())


def _rows(code: str, file: str, text: str) -> list[dict]:
    """Return the rows of a table; OptionError for one without a column, or cells that do not fit."""
    is_users, name = own() is not None, file.removesuffix(".tsv")
    header, *lines = text.splitlines() or [""]
    columns = header.split("\t")
    missing = schema.missing(name, columns) if is_users else None
    if missing:
        raise broken(code, file, f"there is no column {', '.join(missing)}")
    rows = [line.split("\t") for line in lines]
    for number, cells in enumerate(rows, 2):
        if len(cells) != len(columns):
            raise broken(code, file, f"line {number} has not as many cells as the header")
    table = [dict(zip(columns, cells, strict=True)) for cells in rows]
    for number, problem in schema.odd_cells(name, table) if is_users else ():
        raise broken(code, file, f"line {number}: {problem}")
    return table


def _object(code: str, file: str, text: str) -> dict:
    """Return an object of JSON; OptionError unless it has its keys and, in a user's own file,
    fitting values.
    """
    import json

    try:
        values = json.loads(text)
    except ValueError as error:
        raise broken(code, file, str(error)) from None
    if not isinstance(values, dict):
        raise broken(code, file, f"it holds no object, here is {show(values)}")
    missing = [key for key in schema.keys(code, file) if key not in values]
    if missing:
        raise broken(code, file, f"there is no {', '.join(missing)}")
    problem = schema.value_problem(code, file, values) if own() else None
    if problem:
        raise broken(code, file, problem)
    if file == "language.json" and values["script"] not in LETTERS:
        reason = f"no script is called {values['script']!r}; there are {', '.join(LETTERS)}"
        raise broken(code, file, reason)
    return values


def unknown(tag: str) -> RecordError:
    """Return the error for a language without a folder."""
    shown = show(tag)[1:-1]
    return RecordError(
        f"no language '{shown}'{nearest(code(tag), known())}; there are "
        f"{', '.join(known())}; a folder that DIALTOOLS_LANGUAGES names can hold "
        "more"
    )


def broken(code: str, file: str, reason: str) -> OptionError:
    """Return the error for a file of language data that cannot be used."""
    return OptionError(
        f"{code}/{file}: {reason}; dt-check --languages tells what is wrong with language data"
    )
