"""The files of language data: dialtools' own folder, and before it one of the user's.

DIALTOOLS_LANGUAGES names a folder with the same layout, whose files come before ours, one by one. A
folder in it with a new tag is a new language. A file is read when it is first asked for, and only once.
"""

import functools
import os
from collections.abc import Iterable, Sequence
from itertools import chain

from dialtools.errors import OptionError, RecordError, nearest, show
from dialtools.languages import shapes
from dialtools.languages.scripts import LETTERS

HOME = os.path.dirname(__file__)  # pathlib would cost every start 4 ms
REQUIRED = ("name", "tokenizer", "bleu_tokenizer", "speaker", "script", "space", "words", "roles",
            "titles_before", "titles_after", "function_words", "capitalised", "gendered",
            "gendered_roles", "calls")  # keys of language.json
_ALIASES = {
    "jw": "jv", "in": "id", "cmn": "zh", "yue": "zh", "arb": "ar", "deu": "de", "eng": "en",
    "fra": "fr", "heb": "he", "hin": "hi", "ind": "id", "ita": "it", "jav": "jv", "jpn": "ja",
    "kor": "ko", "rus": "ru", "spa": "es", "ukr": "uk", "zho": "zh",
}  # old codes, and codes of three letters as in NLLB and FLORES


def code(tag: str) -> str:
    """Return the folder's name for a BCP 47 tag: its first part, with old and three-letter codes replaced.

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
    for path in sorted(os.path.join(place, file) for place, _, files in os.walk(folder) for file in files):
        with open(path, "rb") as data:
            found.update(f"{os.path.relpath(path, folder)}\0".encode() + sha256(data.read()).digest())
    return found.hexdigest()[:8]


def known() -> list[str]:
    """Return the codes of the languages that have a folder."""
    return having("language.json")


def having(file: str) -> list[str]:
    """Return the codes of the languages whose folder has a file, such as "fillers.tsv"."""
    return sorted({name for home in _homes() for name in os.listdir(home)
                   if os.path.isfile(os.path.join(home, name, file))})


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
            raise broken(code, name, f"line {line} is not UTF-8: byte {error.object[error.start]:#x}") from None


@functools.lru_cache(maxsize=None)
def facts(code: str) -> dict:
    """Return the content of language.json of a language that has a folder."""
    text = _text(code, "language.json")
    if text is None:
        raise unknown(code)
    found = _json(code, "language.json", text)
    _check_json(code, "language.json", found, REQUIRED)
    if found["script"] not in LETTERS:
        raise broken(code, "language.json", f"no script is called {found['script']!r}; there are {', '.join(LETTERS)}")
    return found


@functools.lru_cache(maxsize=None)
def table(code: str, name: str) -> list[dict]:
    """Return the rows of a .tsv file of a language as dicts, [] if the language has no such file."""
    text = _text(code, f"{name}.tsv")
    if text is None:
        return []
    header, *rows = text.splitlines() or [""]
    keys = header.split("\t")
    lacking = _columns(name).difference(keys) if own() else None
    if lacking:
        raise broken(code, f"{name}.tsv", f"there is no column {', '.join(sorted(lacking))}")
    cells = [row.split("\t") for row in rows]
    for line, found in enumerate(cells, 2):
        if len(found) != len(keys):
            raise broken(code, f"{name}.tsv", f"line {line} has not as many cells as the header")
    made = [dict(zip(keys, found, strict=True)) for found in cells]
    for line, problem in shapes.odd_cells(name, made) if own() else ():
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
    _check_json(code, "keyboard.json", found, keys_of_keyboard(code))
    return found


def keys_of_keyboard(code: str) -> list[str]:
    """Return the keys that a language's keyboard.json must have: those of our own file, if there is one."""
    return list(_ours(code, "keyboard.json") or ["rows", "offsets"])


def _json(code: str, name: str, text: str) -> dict:
    import json

    try:
        return json.loads(text)
    except ValueError as error:
        raise broken(code, name, str(error)) from None


def _check_json(code: str, name: str, found: object, wanted: Iterable[str]) -> None:
    """Raise OptionError unless an object has the wanted keys and, in the user's own file, the types of ours."""
    if not isinstance(found, dict):
        raise broken(code, name, f"it holds no object, here is {show(found)}")
    lacking = [key for key in wanted if key not in found]
    if lacking:
        raise broken(code, name, f"there is no {', '.join(lacking)}")
    problem = odd_value(code, name, found) if own() else None
    if problem:
        raise broken(code, name, problem)


def odd_value(code: str, name: str, found: dict) -> str | None:
    """Return what differs in type or shape from our own files of this name, None if nothing does.

    found: an object with the required keys.
    """
    codes = os.listdir(HOME) if name == "language.json" else [code, "en"]
    ours = [json for json in (_ours(each, name) for each in codes) if json]
    for key, value in found.items():
        models = [json[key] for json in ours if key in json]
        if models and not _is_like(value, models):
            return f"{key!r} is such as {show(models[0])}, here is {show(value)}"
        lists = [one for one in (value, *_items(value)) if isinstance(one, list)]
        if name == "language.json" and any("" in one for one in lists):
            return f"{key!r} holds an empty text"
    return shapes.keyboard_problem(found) if name == "keyboard.json" else None


def _ours(code: str, name: str) -> dict | None:
    """Return the content of our own file of a language, None if there is none."""
    path = os.path.join(HOME, code, name)
    if not os.path.isfile(path):
        return None
    with open(path, encoding="utf-8") as file:
        return _json(code, name, file.read())


def _is_like(value: object, models: Sequence) -> bool:
    """Has a value, with all that is in it, the type of one of the models?"""
    same = [model for model in models if type(model) is type(value) or {type(model), type(value)} == {int, float}]
    if isinstance(value, (list, dict)):
        inside = list(chain.from_iterable(map(_items, same)))
        return bool(same) and all(not inside or _is_like(item, inside) for item in _items(value))
    return bool(same)


def _items(value: object) -> list:
    return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []


@functools.lru_cache(maxsize=None)
def _columns(name: str) -> set[str]:
    """Return the columns that all our own tables of this name have."""
    found = []
    for code in os.listdir(HOME):
        path = os.path.join(HOME, code, f"{name}.tsv")
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as file:
                found.append(set(file.readline().rstrip("\n").split("\t")))
    return set.intersection(*found) if found else set()


def unknown(tag: str) -> RecordError:
    """Return the error for a language without a folder."""
    shown = show(tag)[1:-1]
    return RecordError(f"no language '{shown}'{nearest(code(tag), known())}; there are {', '.join(known())}; "
                       "a folder that DIALTOOLS_LANGUAGES names can hold more")


def broken(code: str, name: str, reason: str) -> OptionError:
    """Return the error for a file of language data that cannot be used."""
    return OptionError(f"{code}/{name}: {reason}; dt-check --languages tells what is wrong with language data")
