"""A language as its tag writes it: zh-TW has the tables of zh in traditional characters, hi-Latn has none.

A table with the name of a script (hant.tsv) says how the characters of the others
are written in it, and words where characters do not tell.  Without such a table a
language is known in the script of its tables only.
"""

import functools
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile

from dialtools import languages
from dialtools.languages.scripts import LETTERS, compiled

TELLS = 10  # letters of another script; fewer may be OK, or a name
_PLAIN = re.compile("[A-Za-z]").search  # tells most texts, before a library is loaded
_OF_TABLES = ("Hans", "Jpan", "Kore")  # scripts that language.json has by other names


@functools.lru_cache(maxsize=None)
def tag(lang: str) -> str:
    """Return the tag of a language's folder, and the script if its tag says, or means, another than that of its tables.

    >>> tag("zh-TW"), tag("zh-CN"), tag("hi-Latn"), tag("en-US")
    ('zh-Hant', 'zh', 'hi-Latn', 'en')
    """
    folder = languages.tag(lang)
    if folder not in languages.known():
        return folder
    data, parts = languages.load(folder), lang.replace("_", "-").lower().split("-")
    written = data.get("written", {})
    before_extensions = takewhile(lambda part: len(part) > 1, parts[1:])
    said = [part.title() for part in before_extensions if re.fullmatch("[a-z]{4}", part)]
    meant = [written[part] for part in parts if part in written]
    script = [*said, *meant, data["script"]][0]
    return folder if script in (data["script"], *_OF_TABLES) else f"{folder}-{script}"


def is_known(lang: str) -> bool:
    """Are the tables of a language known in the script of its tag?"""
    return tag(lang) == languages.tag(lang) or bool(_other(lang))


@functools.lru_cache(maxsize=None)
def table(lang: str, name: str) -> list[dict]:
    """Return the rows of a .tsv file of a language as its tag writes them, [] where the language has none."""
    rows, write = languages.table(lang, name), _writer(lang)
    return [{column: write(cell) for column, cell in row.items()} for row in rows] if write else rows


def seen(lang: str, texts: Iterable[str]) -> str:
    """Return the tag of a language with the script of some texts, where it names none and they are written in another.

    They are where they hold more characters that only the other script has than such of its own.

    >>> seen("zh", ["你說甚麼？"]), seen("zh", ["你说什么？"]), seen("zh-CN", ["你說甚麼？"])
    ('zh-Hant', 'zh', 'zh-CN')
    """
    if lang != languages.tag(lang):
        return lang
    scripts = _scripts(lang)
    letters = set().union(*texts) if scripts else set()
    for script in scripts:
        own, other = _letters(f"{lang}-{script}")
        if len(letters & other) > len(letters & own):
            return f"{lang}-{script}"
    return lang


def foreign(lang: str, texts: Sequence[str]) -> str:
    """Return the code of the script of some texts, where they have TELLS letters, but none of their language's.

    Else "".

    >>> foreign("hi", ["kya haal hai?"]), foreign("hi", ["OK"]), foreign("hi", ["Good morning, जी"])
    ('Latn', '', '')
    """
    script = languages.load(lang)["script"]
    if script == "Latn" and any(map(_PLAIN, texts)) or any(map(compiled(f"[{LETTERS[script]}]").search, texts)):
        return ""
    letters = "".join(filter(str.isalpha, "".join(texts)))
    found = next((code for code, known in LETTERS.items() if compiled(f"[{known}]").search(letters)), "another script")
    return found if len(letters) >= TELLS else ""


@functools.lru_cache(maxsize=None)
def _scripts(lang: str) -> list[str]:
    """Return the other scripts in which the tables of a language are known."""
    data = languages.load(lang) if lang in languages.known() else {}
    return [script for script in sorted(set(data.get("written", {}).values())) if _other(f"{lang}-{script}")]


@functools.lru_cache(maxsize=None)
def _other(lang: str) -> dict[str, str]:
    """Return {character or word as the tables have it: as the tag of a language writes it}."""
    return {row["own"]: row["other"] for row in _rows(lang)}


@functools.lru_cache(maxsize=None)
def _letters(lang: str) -> tuple[set[str], set[str]]:
    """Return the characters (and words) that only the tables have, and those that only the script of a tag has.

    Both have some: 台 is a simple 臺, and what is written in Taiwan; 著 is a 着 there, and everywhere in 著名.
    """
    found, both = _other(lang), set().union(*(row["both"] for row in _rows(lang)))
    return found.keys() - both, set(found.values()) - both


def _rows(lang: str) -> list[dict]:
    """Return the table of the script that the tag of a language says, [] where it is that of its tables."""
    _, _, script = tag(lang).partition("-")
    return languages.table(lang, script.lower()) if script else []


@functools.lru_cache(maxsize=None)
def _writer(lang: str) -> Callable[[str], str] | None:
    """Return what writes a text of the tables as the tag of a language does; None where it is the same."""
    other = _other(lang)
    if not other:
        return None
    pattern = re.compile("|".join(map(re.escape, sorted(other, key=len, reverse=True))))
    return functools.partial(pattern.sub, lambda match: other[match[0]])
