"""Tokenizers for scoring, by name; each language's language.json says which is its default.

rouge       as rouge-score does: lower case, runs of a-z and 0-9; everything else is dropped
words       lower case, runs of letters, marks and digits of any script
characters  each Han, kana, Thai … character by itself, runs of other scripts as words

A text that holds letters or digits but yields no token is an error: its
language or its tokenizer is not what it says.
"""

import functools
import re
from collections.abc import Callable

from dialtools.errors import OptionError, RecordError, nearest, show

KEPT = 128  # texts whose tokens are kept: the variants of a source, or a batch of records; a text may be long
_ROUGE = re.compile(r"[a-z0-9]+").findall
# Scripts that are written without spaces.  Joiners change the shape of a word, not the word.
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー"
_WORD = r"[\p{L}\p{N}][\p{L}\p{M}\p{N}\u200c\u200d]*"


@functools.lru_cache(maxsize=None)
def named(name: str) -> Callable[[str], list[str]]:
    """Return the function text -> tokens of a tokenizer; it keeps its last results."""
    return functools.lru_cache(maxsize=KEPT)(functools.partial(_checked, lenient(name), name))


@functools.lru_cache(maxsize=None)
def lenient(name: str) -> Callable[[str], list[str]]:
    """Return the function text -> tokens of a tokenizer, to which a text without tokens is no error."""
    if name not in _TOKENIZERS:
        raise OptionError(f"no tokenizer is called {name!r}{nearest(name, _TOKENIZERS)}; "
                          f"there are {', '.join(_TOKENIZERS)}")
    find = _TOKENIZERS[name]()
    return lambda text: find(text.lower())


def _checked(tokenize: Callable[[str], list[str]], name: str, text: str) -> list[str]:
    tokens = tokenize(text)
    if not tokens and not is_empty(text):
        raise RecordError(f"the tokenizer {name} finds no token in {show(text, 40)}: "
                          "give the text's language (--lang) or another tokenizer (tok=words)")
    return tokens


def is_empty(text: str) -> bool:
    """Is there no letter and no digit in a text?"""
    return not any(map(str.isalnum, text))


def _words() -> Callable[[str], list[str]]:
    import regex

    return regex.compile(_WORD).findall


def _characters() -> Callable[[str], list[str]]:
    import regex

    return regex.compile(rf"[{_UNSPACED}]\p{{M}}*|(?:(?![{_UNSPACED}])[\p{{L}}\p{{N}}][\p{{M}}\u200c\u200d]*)+").findall


_TOKENIZERS: dict[str, Callable[[], Callable[[str], list[str]]]] = {
    "rouge": lambda: _ROUGE, "words": _words, "characters": _characters}
