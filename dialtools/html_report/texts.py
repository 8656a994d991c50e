"""Texts of the data as they are shown: what cannot be seen is made visible, what is long is cut."""

import re

MOST = 4_000  # characters of one text
_ALLOWED = "\t\n\r"
# Overrides and embeddings of direction would turn the text around them, too.
_HIDDEN = {
    code: f"\u27e8U+{code:04X}\u27e9" for code in (*range(0x80, 0xA0), *range(0x202A, 0x202F))
}
_HIDDEN |= {code: chr(0x2400 + code) for code in range(32) if chr(code) not in _ALLOWED}
_HIDDEN |= {0x7F: "\u2421"}
_LANG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")


def visible(text: str) -> str:
    """Return a text with a sign for each control character.

    >>> visible("a\\x00b\\u202ec")
    'a␀b⟨U+202E⟩c'
    """
    return text.translate(_HIDDEN)


def cut(text: str, most: int = MOST) -> str:
    """Return a text without what is beyond some thousand characters, and how much that is.

    >>> cut("abcdef", 4)
    'abcd … (2 more characters)'
    """
    return text if len(text) <= most else f"{text[:most]} … ({len(text) - most:,} more characters)"


def tag(lang: str) -> str:
    """Return a language tag for an attribute; "" for what is none."""
    return lang if _LANG.fullmatch(lang) and lang != "und" else ""
