"""What is known of each language: a folder each, data only, and one object made of it.

`get(tag)` returns the object. README.md in this folder explains each key of language.json and each
table; SOURCES.tsv says where each fact comes from.
"""

import re
from collections.abc import Iterable

from dialtools.languages import resources
from dialtools.languages.language import Language, get
from dialtools.languages.resources import digest, having, known, own
from dialtools.languages.resources import code as tag

__all__ = ["Language", "digest", "get", "having", "known", "own", "tag"]


def load(lang: str) -> dict:
    return get(lang).facts  # type: ignore[return-value]


def table(lang: str, name: str) -> list[dict]:
    return get(lang).table(name)


def pattern(lang: str, name: str, text: str, flags: int = 0) -> re.Pattern:
    return get(lang).pattern(name, text, flags)


def choice(lang: str, name: str, text: str, words: Iterable[str]) -> str:
    return get(lang).choice(name, text, words)


def weight(lang: str, name: str, text: str) -> float:
    return get(lang).weight(name, text)


def words(lang: str, name: str = "words") -> frozenset[str]:
    return resources.words(get(lang).code, name)


def keyboard(lang: str) -> dict | None:
    return get(lang).keyboard


def letters(lang: str) -> str:
    return get(lang).letters


def space(lang: str) -> str:
    return get(lang).space


def is_role(name: str, lang: str) -> bool:
    return get(lang).is_role(name)


def gender_of_role(name: str, lang: str) -> str | None:
    return get(lang).gender_of_role(name)


def tables(lang: str, folder: str) -> list[str]:
    return get(lang).tables(folder)
