"""The files of language data: dialtools' own folder, and before it one of the user's.

DIALTOOLS_LANGUAGES names a folder with the same layout, whose files come before ours, one by one. A
folder in it with a new tag is a new language. A file is read when it is first asked for, and only
once.
"""

import functools
import os

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

    found = sha256()
    for path in sorted(
        os.path.join(place, file) for place, _, files in os.walk(folder) for file in files
    ):
        with open(path, "rb") as data:
            found.update(
                f"{os.path.relpath(path, folder)}\0".encode() + sha256(data.read()).digest()
            )
    return found.hexdigest()[:8]


def known() -> list[str]:
    """Return the codes of the languages that have a folder."""
    return having("language.json")


def having(file: str) -> list[str]:
    """Return the codes of the languages whose folder has a file, such as "fillers.tsv"."""
    return sorted(
        {
            name
            for home in _homes()
            for name in os.listdir(home)
            if os.path.isfile(os.path.join(home, name, file))
        }
    )


def tables(code: str, folder: str) -> list[str]:
    """Return the names of the .tsv files in a subfolder of a language."""
    paths = [os.path.join(home, code, folder) for home in _homes()]
    names = {name for path in paths if os.path.isdir(path) for name in os.listdir(path)}
    return sorted(name.removesuffix(".tsv") for name in names if name.endswith(".tsv"))


def _text(code: str, name: str) -> str | None:
    """Return the content of a language's file, None if there is none of that name."""
    paths = [os.path.join(home, code, name) for home in _homes()]
    path = next(filter(os.path.isfile, paths), None)
    if path is None:
        return None
    with open(path, encoding="utf-8") as file:
        try:
            return file.read().removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            raise broken(
                code, name, f"line {line} is not UTF-8: byte {error.object[error.start]:#x}"
            ) from None


@functools.lru_cache(maxsize=None)
def facts(code: str) -> dict:
    """Return the content of language.json of a language that has a folder."""
    text = _text(code, "language.json")
    if text is None:
        raise unknown(code)
    found = _json(code, "language.json", text)
    _check_json(code, "language.json", found)
    if found["script"] not in LETTERS:
        raise broken(
            code,
            "language.json",
            f"no script is called {found['script']!r}; there are {', '.join(LETTERS)}",
        )
    return found


@functools.lru_cache(maxsize=None)
def table(code: str, name: str) -> list[dict]:
    """Return the rows of a .tsv file of a language as dicts, [] if the language has no such file."""
    text = _text(code, f"{name}.tsv")
    if text is None:
        return []
    header, *rows = text.splitlines() or [""]
    keys = header.split("\t")
    missing = schema.missing(name, keys) if own() else None
    if missing:
        raise broken(code, f"{name}.tsv", f"there is no column {', '.join(missing)}")
    cells = [row.split("\t") for row in rows]
    for line, found in enumerate(cells, 2):
        if len(found) != len(keys):
            raise broken(code, f"{name}.tsv", f"line {line} has not as many cells as the header")
    made = [dict(zip(keys, found, strict=True)) for found in cells]
    for line, problem in schema.odd_cells(name, made) if own() else ():
        raise broken(code, f"{name}.tsv", f"line {line}: {problem}")
    return made


@functools.lru_cache(maxsize=None)
def words(code: str, name: str) -> frozenset[str]:
    """Return the words of a .txt file of a language, in lower case; none if there is no such file."""
    text = _text(code, f"{name}.txt")
    return frozenset(text.split("\n") if text else ())


@functools.lru_cache(maxsize=None)
def keyboard(code: str) -> dict | None:
    """Return the rows of keys of a language's keyboard and their offsets in key widths, or None."""
    if (text := _text(code, "keyboard.json")) is None:
        return None
    found = _json(code, "keyboard.json", text)
    _check_json(code, "keyboard.json", found)
    return found


def _json(code: str, name: str, text: str) -> dict:
    import json

    try:
        return json.loads(text)
    except ValueError as error:
        raise broken(code, name, str(error)) from None


def _check_json(code: str, name: str, found: object) -> None:
    """Raise OptionError unless an object has its keys and, in a user's own file, fitting values."""
    if not isinstance(found, dict):
        raise broken(code, name, f"it holds no object, here is {show(found)}")
    missing = [key for key in schema.keys(code, name) if key not in found]
    if missing:
        raise broken(code, name, f"there is no {', '.join(missing)}")
    problem = schema.value_problem(code, name, found) if own() else None
    if problem:
        raise broken(code, name, problem)


def unknown(tag: str) -> RecordError:
    """Return the error for a language without a folder."""
    shown = show(tag)[1:-1]
    return RecordError(
        f"no language '{shown}'{nearest(code(tag), known())}; there are "
        f"{', '.join(known())}; a folder that DIALTOOLS_LANGUAGES names can hold "
        "more"
    )


def broken(code: str, name: str, reason: str) -> OptionError:
    """Return the error for a file of language data that cannot be used."""
    return OptionError(
        f"{code}/{name}: {reason}; dt-check --languages tells what is wrong with language data"
    )
