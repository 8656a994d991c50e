"""What is known of each language: a folder each, data only.

README.md in this folder tells what each key of language.json and each table
holds, SOURCES.tsv where a fact comes from.

A folder of the user's own with the same layout, named by the environment
variable DIALTOOLS_LANGUAGES, comes first, file by file; a folder in it whose
tag is new is a new language.  Signatures tell of it.  It is read when a
file is first wanted, and then no more.
"""

import functools
import os
import re
from collections.abc import Iterable, Sequence
from itertools import chain

from dialtools.errors import OptionError, RecordError, nearest, show
from dialtools.languages import shapes
from dialtools.languages.scripts import LETTERS

_HOME = os.path.dirname(__file__)  # pathlib would cost every start 4 ms
REQUIRED = ("name", "tokenizer", "bleu_tokenizer", "speaker", "script", "space", "words", "roles", "titles_before",
            "titles_after", "function_words", "capitalised", "gendered", "gendered_roles", "calls")  # of language.json
_ALIASES = {"jw": "jv", "in": "id", "cmn": "zh", "yue": "zh", "arb": "ar", "deu": "de", "eng": "en", "fra": "fr",
            "heb": "he", "hin": "hi", "ind": "id", "ita": "it", "jav": "jv", "jpn": "ja", "kor": "ko", "rus": "ru",
            "spa": "es", "ukr": "uk", "zho": "zh"}  # old codes, and those of three letters (NLLB, FLORES)


def own() -> str | None:
    """Return the user's own folder of language data, None where there is none."""
    folder = os.environ.get("DIALTOOLS_LANGUAGES")
    if folder and not os.path.isdir(folder):
        raise OptionError(f"DIALTOOLS_LANGUAGES: there is no folder {folder}")
    return folder or None


def _homes() -> list[str]:
    folder = own()
    return [folder, _HOME] if folder else [_HOME]


@functools.lru_cache(maxsize=None)
def digest() -> str | None:
    """Return eight digits that stand for all files of the user's own folder, None where there is none."""
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
    """Return the tags of the languages that have a folder."""
    return having("language.json")


def having(file: str) -> list[str]:
    """Return the tags of the languages whose folder has a file, such as "fillers.tsv"."""
    return sorted({name for home in _homes() for name in os.listdir(home)
                   if os.path.isfile(os.path.join(home, name, file))})


def tag(lang: str) -> str:
    """Return the folder's tag for a BCP 47 tag: its first part, old codes and those of three letters made its own.

    >>> tag("zh-Hans"), tag("jw"), tag("jpn_Jpan")
    ('zh', 'jv', 'ja')
    """
    first = lang.replace("_", "-").partition("-")[0].lower()
    return _ALIASES.get(first, first)


def _text(lang: str, name: str) -> str | None:
    """Return what a language's file holds, None where it has none of that name."""
    paths = [os.path.join(home, tag(lang), name) for home in _homes()]
    path = next(filter(os.path.isfile, paths), None)
    if path is None:
        return None
    with open(path, encoding="utf-8") as file:
        try:
            return file.read().removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            raise _broken(lang, name, f"line {line} is not UTF-8: byte {error.object[error.start]:#x}") from None


@functools.lru_cache(maxsize=None)
def load(lang: str) -> dict:
    """Return what language.json says; RecordError for a language without a folder."""
    text = _text(lang, "language.json")
    if text is None:
        raise RecordError(f"no language {lang!r}{nearest(tag(lang), known())}; there are {', '.join(known())}; "
                          "a folder that DIALTOOLS_LANGUAGES names can hold more")
    found = _json(lang, "language.json", text)
    _check_json(lang, "language.json", found, REQUIRED)
    if found["script"] not in LETTERS:
        raise _broken(lang, "language.json", f"no script is called {found['script']!r}; there are {', '.join(LETTERS)}")
    return found


def _json(lang: str, name: str, text: str) -> dict:
    import json

    try:
        return json.loads(text)
    except ValueError as error:
        raise _broken(lang, name, str(error)) from None


def _check_json(lang: str, name: str, found: object, wanted: Iterable[str]) -> None:
    """Raise OptionError unless an object has the keys that are wanted; one of the user's own, of the types of ours."""
    if not isinstance(found, dict):
        raise _broken(lang, name, f"it holds no object, here is {show(found)}")
    lacking = [key for key in wanted if key not in found]
    if lacking:
        raise _broken(lang, name, f"there is no {', '.join(lacking)}")
    problem = odd_value(lang, name, found) if own() else None
    if problem:
        raise _broken(lang, name, problem)


def odd_value(lang: str, name: str, found: dict) -> str | None:
    """Return what is not as in dialtools' own files of a name, None where every value has a type and shape of theirs.

    found: an object with the keys that it must have.
    """
    tags = os.listdir(_HOME) if name == "language.json" else [tag(lang), "en"]
    ours = [json for json in (_ours(tag, name) for tag in tags) if json]
    for key, value in found.items():
        models = [json[key] for json in ours if key in json]
        if models and not _is_like(value, models):
            return f"{key!r} is such as {show(models[0])}, here is {show(value)}"
        lists = [one for one in (value, *_items(value)) if isinstance(one, list)]
        if name == "language.json" and any("" in one for one in lists):
            return f"{key!r} holds an empty text"
    return shapes.keyboard_problem(found) if name == "keyboard.json" else None


def _ours(tag: str, name: str) -> dict | None:
    """Return what dialtools' own file of a language holds, None where there is none."""
    path = os.path.join(_HOME, tag, name)
    if not os.path.isfile(path):
        return None
    with open(path, encoding="utf-8") as file:
        return _json(tag, name, file.read())


def _is_like(value: object, models: Sequence) -> bool:
    """Is a value of the type of one of some, and so is all that is in it?"""
    same = [model for model in models if type(model) is type(value) or {type(model), type(value)} == {int, float}]
    if isinstance(value, (list, dict)):
        inside = list(chain.from_iterable(map(_items, same)))
        return bool(same) and all(not inside or _is_like(item, inside) for item in _items(value))
    return bool(same)


def _items(value: object) -> list:
    return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []


def _broken(lang: str, name: str, reason: str) -> OptionError:
    return OptionError(f"{tag(lang)}/{name}: {reason}; dt-check --languages tells what is wrong with language data")


@functools.lru_cache(maxsize=None)
def table(lang: str, name: str) -> list[dict]:
    """Return the rows of a .tsv file of a language as dicts, [] where the language has none."""
    text = _text(lang, f"{name}.tsv")
    if text is None:
        load(lang)  # an unknown language is another matter
        return []
    header, *rows = text.splitlines() or [""]
    keys = header.split("\t")
    lacking = _columns(name).difference(keys) if own() else None
    if lacking:
        raise _broken(lang, f"{name}.tsv", f"there is no column {', '.join(sorted(lacking))}")
    cells = [row.split("\t") for row in rows]
    for line, found in enumerate(cells, 2):
        if len(found) != len(keys):
            raise _broken(lang, f"{name}.tsv", f"line {line} has not as many cells as the header")
    made = [dict(zip(keys, found, strict=True)) for found in cells]
    for line, problem in shapes.odd_cells(name, made) if own() else ():
        raise _broken(lang, f"{name}.tsv", f"line {line}: {problem}")
    return made


@functools.lru_cache(maxsize=None)
def _columns(name: str) -> set[str]:
    """Return the columns that dialtools' own tables of a name share."""
    found = []
    for lang in os.listdir(_HOME):
        path = os.path.join(_HOME, lang, f"{name}.tsv")
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as file:
                found.append(set(file.readline().rstrip("\n").split("\t")))
    return set.intersection(*found) if found else set()


def pattern(lang: str, name: str, text: str, flags: int = 0) -> re.Pattern:
    """Return a pattern of a table, compiled; OptionError where it is none."""
    import regex

    try:
        return regex.compile(text, flags)
    except regex.error as error:
        raise _broken(lang, f"{name}.tsv", f"{text!r} is no pattern: {error}") from None


def choice(lang: str, name: str, text: str, known: Iterable[str]) -> str:
    """Return a word of a table that is one of some; OptionError where it is another."""
    known = list(known)
    if text not in known:
        raise _broken(lang, f"{name}.tsv", f"{text!r} is none of {', '.join(filter(None, known))}")
    return text


def weight(lang: str, name: str, text: str) -> float:
    """Return a number of a table that is above 0; OptionError where it is none."""
    try:
        found = float(text)
    except ValueError:
        found = 0
    if not 0 < found < float("inf"):
        raise _broken(lang, f"{name}.tsv", f"{text!r} is no number above 0")
    return found


@functools.lru_cache(maxsize=None)
def words(lang: str, name: str = "words") -> frozenset[str]:
    """Return the common words of a language, in lower case, or those of another list; none where it has no such."""
    text = _text(lang, f"{name}.txt")
    return frozenset(text.split("\n") if text else ())


@functools.lru_cache(maxsize=None)
def keyboard(lang: str) -> dict | None:
    """Return the rows of keys of a language's keyboard and their offsets in key widths; None where it has none."""
    if (text := _text(lang, "keyboard.json")) is None:
        return None
    found = _json(lang, "keyboard.json", text)
    _check_json(lang, "keyboard.json", found, keys_of_keyboard(lang))
    return found


def keys_of_keyboard(lang: str) -> list[str]:
    """Return the keys that a language's keyboard.json must have: those of dialtools' own one, if there is one."""
    return list(_ours(tag(lang), "keyboard.json") or ["rows", "offsets"])


def letters(lang: str) -> str:
    """Return the letters that a language is written in, as a regular expression has them inside of [ ]."""
    return LETTERS[load(lang)["script"]]


@functools.lru_cache(maxsize=None)
def space(lang: str) -> str:
    """Return what stands between the words of a language: a space, or nothing; a space if it has no folder."""
    return load(lang)["space"] if tag(lang) in known() else " "


@functools.lru_cache(maxsize=4096)  # speakers come back
def is_role(name: str, lang: str) -> bool:
    """Is a speaker's label a role or a number (Agent, 客服, A, Speaker 1, The Old Man) and nobody's name?

    One that is written with capitals in the data (AI) is one only so: Ai is a name.
    """
    label, is_sign = _bare(name, lang), re.fullmatch(r"[A-Za-z]\.?|\d+", name) is not None
    return is_sign or not {label, label.lower()}.isdisjoint(_roles(tag(lang)))


@functools.lru_cache(maxsize=None)
def _roles(lang: str) -> set[str]:
    return {*load("en")["roles"], *load(lang)["roles"]} - {*load(lang).get("no_roles", ())}


def gender_of_role(name: str, lang: str) -> str | None:
    """Return f or m for the label of a role that tells it (Mom, 爸爸, Sister 2), None for others."""
    known, label = [load(tags)["gendered_roles"] for tags in (lang, "en")], _bare(name, lang).lower()
    return next((gender for genders in known for gender, roles in genders.items() if label in roles), None)


def _bare(label: str, lang: str) -> str:
    """Return the label of a role without a number or a letter behind it (说话人A), and a word such as The before it."""
    words = re.sub(r"[\s_-]*#?\d*$|(?:[\s_-]|(?<=[^\x00-\u024f]))[A-Za-z]$", "", label).split(" ")
    while len(words) > 1 and words[0].lower() in load(lang).get("before_roles", ()):
        del words[0]
    return " ".join(words)


def tables(lang: str, folder: str) -> list[str]:
    """Return the names of the .tsv files in a folder of a language."""
    paths = [os.path.join(home, tag(lang), folder) for home in _homes()]
    names = {name for path in paths if os.path.isdir(path) for name in os.listdir(path)}
    return sorted(name.removesuffix(".tsv") for name in names if name.endswith(".tsv"))
