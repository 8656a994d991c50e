"""What is known of each language: a folder each, data only.

languages/TAG/language.json   name, tokenizers, the ids that stand for speakers, which perturbations exist
languages/TAG/names/POOL.tsv  name, gender (f, m, u), and what else the header says
languages/TAG/….tsv           words and phrases, one row each, the header first

Where a fact comes from stands in languages/SOURCES.tsv.
"""

import functools
import os
import re

from dialtools.errors import RecordError, nearest

_HOME = os.path.dirname(__file__)  # pathlib would cost every start 4 ms
SCRIPTS = {"Latn": r"\p{Latin}", "Hani": r"\p{Han}\p{Hiragana}\p{Katakana}ー", "Deva": r"\p{Devanagari}",
           "Hang": r"\p{Hangul}"}  # the letters of each, inside of a regular expression's [ ]
_ALIASES = {"jw": "jv", "in": "id", "cmn": "zh", "yue": "zh"}


def known() -> list[str]:
    """Return the tags of the languages that have a folder."""
    return sorted(name for name in os.listdir(_HOME) if os.path.isfile(os.path.join(_HOME, name, "language.json")))


def having(file: str) -> list[str]:
    """Return the tags of the languages whose folder has a file, such as "fillers.tsv"."""
    return [name for name in known() if os.path.isfile(os.path.join(_HOME, name, file))]


def tag(lang: str) -> str:
    """Return the folder's tag for a BCP 47 tag: its first part, old codes made new.

    >>> tag("zh-Hans"), tag("jw")
    ('zh', 'jv')
    """
    first = lang.replace("_", "-").partition("-")[0].lower()
    return _ALIASES.get(first, first)


def _text(lang: str, name: str) -> str | None:
    """Return what a language's file holds, None where it has none of that name."""
    path = os.path.join(_HOME, tag(lang), name)
    if not os.path.isfile(path):
        return None
    with open(path, encoding="utf-8") as file:
        return file.read()


@functools.lru_cache(maxsize=None)
def load(lang: str) -> dict:
    """Return what language.json says; RecordError for a language without a folder."""
    import json

    text = _text(lang, "language.json")
    if text is None:
        raise RecordError(f"no language {lang!r}{nearest(tag(lang), known())}; there are {', '.join(known())}")
    return json.loads(text)


@functools.lru_cache(maxsize=None)
def table(lang: str, name: str) -> list[dict]:
    """Return the rows of a .tsv file of a language as dicts, [] where the language has none."""
    text = _text(lang, f"{name}.tsv")
    if text is None:
        load(lang)  # an unknown language is another matter
        return []
    header, *rows = text.splitlines()
    keys = header.split("\t")
    return [dict(zip(keys, row.split("\t"), strict=True)) for row in rows]


@functools.lru_cache(maxsize=None)
def words(lang: str) -> frozenset[str]:
    """Return the common words of a language, in lower case; none where it has no words.txt."""
    text = _text(lang, "words.txt")
    return frozenset(text.split("\n") if text else ())


@functools.lru_cache(maxsize=None)
def keyboard(lang: str) -> dict | None:
    """Return the rows of keys of a language's keyboard and their offsets in key widths; None where it has none."""
    import json

    text = _text(lang, "keyboard.json")
    return json.loads(text) if text else None


def letters(lang: str) -> str:
    """Return the letters that a language is written in, as a regular expression has them inside of [ ]."""
    return SCRIPTS[load(lang)["script"]]


def space(lang: str) -> str:
    """Return what stands between the words of a language: a space, or nothing; a space if it has no folder."""
    return load(lang)["space"] if tag(lang) in known() else " "


def is_role(name: str, lang: str) -> bool:
    """Is a speaker's label a role or a number (Agent, 客服, A, Speaker 1) and nobody's name?"""
    roles = {role for tags in ("en", lang) for role in load(tags)["roles"]}
    return re.fullmatch(r"[A-Za-z]", name) is not None or re.sub(r"[\s_-]*\d*$", "", name.lower()) in roles


def tables(lang: str, folder: str) -> list[str]:
    """Return the names of the .tsv files in a folder of a language."""
    path = os.path.join(_HOME, tag(lang), folder)
    names = os.listdir(path) if os.path.isdir(path) else []
    return sorted(name.removesuffix(".tsv") for name in names if name.endswith(".tsv"))
