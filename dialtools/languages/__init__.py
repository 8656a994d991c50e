"""What is known of each language: a folder each, data only.

languages/TAG/language.json   name, tokenizers, the ids that stand for speakers, which perturbations exist
languages/TAG/names/POOL.tsv  name, gender (f, m, u), and what else the header says
languages/TAG/….tsv           words and phrases, one row each, the header first

Where a fact comes from stands in languages/SOURCES.tsv.
"""

import functools
import re
from pathlib import Path

from dialtools.errors import RecordError, nearest

_HOME = Path(__file__).parent
_ALIASES = {"jw": "jv", "in": "id", "cmn": "zh", "yue": "zh"}


def known() -> list[str]:
    """Return the tags of the languages that have a folder."""
    return sorted(path.parent.name for path in _HOME.glob("*/language.json"))


def tag(lang: str) -> str:
    """Return the folder's tag for a BCP 47 tag: its first part, old codes made new.

    >>> tag("zh-Hans"), tag("jw")
    ('zh', 'jv')
    """
    first = lang.replace("_", "-").partition("-")[0].lower()
    return _ALIASES.get(first, first)


@functools.lru_cache(maxsize=None)
def load(lang: str) -> dict:
    """Return what language.json says; RecordError for a language without a folder."""
    import json

    path = _HOME / tag(lang) / "language.json"
    if not path.is_file():
        raise RecordError(f"no language {lang!r}{nearest(tag(lang), known())}; there are {', '.join(known())}")
    return json.loads(path.read_text(encoding="utf-8"))


@functools.lru_cache(maxsize=None)
def table(lang: str, name: str) -> list[dict]:
    """Return the rows of a .tsv file of a language as dicts, [] where the language has none."""
    path = _HOME / tag(lang) / f"{name}.tsv"
    if not path.is_file():
        load(lang)  # an unknown language is another matter
        return []
    header, *rows = path.read_text(encoding="utf-8").splitlines()
    keys = header.split("\t")
    return [dict(zip(keys, row.split("\t"), strict=True)) for row in rows]


@functools.lru_cache(maxsize=None)
def words(lang: str) -> frozenset[str]:
    """Return the common words of a language, in lower case; none where it has no words.txt."""
    path = _HOME / tag(lang) / "words.txt"
    return frozenset(path.read_text(encoding="utf-8").split("\n") if path.is_file() else ())


@functools.lru_cache(maxsize=None)
def keyboard(lang: str) -> dict | None:
    """Return the rows of keys of a language's keyboard and their offsets in key widths; None where it has none."""
    import json

    path = _HOME / tag(lang) / "keyboard.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def is_role(name: str, lang: str) -> bool:
    """Is a speaker's label a role or a number (Agent, 客服, A, Speaker 1) and nobody's name?"""
    roles = {role for tags in ("en", lang) for role in load(tags)["roles"]}
    return re.fullmatch(r"[A-Za-z]", name) is not None or re.sub(r"[\s_-]*\d*$", "", name.lower()) in roles


def tables(lang: str, folder: str) -> list[str]:
    """Return the names of the .tsv files in a folder of a language."""
    return sorted(path.stem for path in (_HOME / tag(lang) / folder).glob("*.tsv"))
