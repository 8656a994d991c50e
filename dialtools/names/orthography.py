"""The ways to write a name (case, composition, joiners, nuktas, white space), and how it sounds.

The last sound decides which endings follow a name, the first one which words stand before it:
endings.tsv and beginnings.tsv of a language.
"""

import functools
import re
import unicodedata

from dialtools.languages import Language
from dialtools.languages.scripts import JOINED, JOINERS, compiled

OPEN = "…"  # ends an ending of endings.tsv after which the word may go on
_JOINER = f"[{JOINERS}]*"
_IGNORED = {
    **dict.fromkeys(map(ord, JOINERS + "\u093c")),
    ord("’"): "'",
    **dict.fromkeys(map(ord, "‐‑"), "-"),
}
_MARKS = {"'": "['’]", "-": "[-‐‑]"}  # each is written in several ways
# Hindi nasals that a dot (ं) is written for as well: अनन्त, अनंत.
_NASALS = "ङ्(?=[कखगघ])|ञ्(?=[चछजझ])|ण्(?=[टठडढ])|न्(?=[तथदध])|म्(?=[पफबभ])|ँ"
_HINDI = {
    "ं": f"(?:[ंँ]|[ङञणनम]{_JOINER}्)",
    **{
        letter: f"(?:{letter}\u093c?|{chr(0x958 + number)})"
        for number, letter in enumerate("कखगजडढफय")
    },
}


@functools.lru_cache(maxsize=4096)
def key(text: str) -> str:
    """Return what all ways to write a name have in common: composed, no joiners and nuktas, one
    space, any case.

    >>> key("Mary\u00a0ANN"), key("अनन्त") == key("अनंत")
    ('mary ann', True)
    """
    return " ".join(_composed(text).split()).lower()


def is_visible(text: str) -> bool:
    """Is there something to see in a text: no white space, joiners, marks and the like alone?

    >>> is_visible("Ann"), is_visible("🙂"), is_visible("\u200d\u2060"), is_visible("\u0301")
    (True, True, False, False)
    """
    unseen = r"\p{Default_Ignorable_Code_Point}\p{M}\p{Cc}\p{Cf}\s"
    return text.isalnum() or compiled(f"[^{unseen}]").search(text) is not None


def _composed(text: str) -> str:
    """Return a text composed, without joiners and nuktas, and with dots for Hindi nasals."""
    return re.sub(_NASALS, "ं", unicodedata.normalize("NFC", text).translate(_IGNORED))


@functools.lru_cache(maxsize=4096)
def tolerant(form: str) -> str:
    """Return a pattern (of re, to be used in any case) of all ways to write a form."""
    if form.isascii():
        spaced = r"\s+".join(map(re.escape, form.split()))
        return spaced.replace("'", _MARKS["'"]).replace(r"\-", _MARKS["-"])
    patterns: list[str] = []
    for cluster in compiled(r"\X").findall(_composed(form)):
        if compiled(r"\p{Devanagari}").match(cluster):
            patterns += [_HINDI.get(letter, letter) for letter in cluster]
        elif cluster.isspace():
            patterns.append(r"\s+")
        elif cluster in _MARKS:
            patterns.append(_MARKS[cluster])
        else:
            codes = sorted({cluster, unicodedata.normalize("NFD", cluster)})
            ways = "|".join(_JOINER.join(map(re.escape, code)) for code in codes)
            patterns.append(f"(?:{ways})" if len(codes) > 1 else ways)
    may_be_joined = re.search(f"[{JOINERS}]", form) or compiled(
        rf"(?![\p{{Latin}}{JOINED}])[\p{{L}}\p{{M}}]"
    ).match(form[-1])
    return (_JOINER if may_be_joined else "").join(patterns)


@functools.lru_cache(maxsize=4096)
def last_sound(name: str, language: Language) -> str:
    """Return the class of a name's last sound, a column of endings.tsv; "" in a language without
    endings.

    >>> from dialtools.languages import get
    >>> last_sound("민준", get("ko")), last_sound("민지", get("ko")), last_sound("James", get("en"))
    ('consonant', 'vowel', 'hiss')
    """
    for label, ends in language.facts.get("endings", {}).items():
        if compiled(f"(?i){ends}").search(_without_marks(name)):
            return label
    return ""


@functools.lru_cache(maxsize=4096)
def begins(name: str, before: str) -> bool:
    """Does a name begin as a pattern of beginnings.tsv says?"""
    return compiled(f"(?i){before}").match(_without_marks(name)) is not None


def _without_marks(name: str) -> str:
    """Return a name in letters without accents, Hangul in its sounds."""
    decomposed = unicodedata.normalize("NFD", name)
    return "".join(letter for letter in decomposed if unicodedata.category(letter) != "Mn")


@functools.lru_cache(maxsize=None)
def tails(sound: str, language: Language) -> str:
    """Return the pattern of what may follow, as part of the word, a name with this last sound; ""
    for nothing.
    """
    # those that are open, and then closed: 이 of 이가 is no ending of its own
    cells = {row[sound] for row in language.table("endings") if sound and row[sound]}
    patterns = [
        re.escape(cell.rstrip(OPEN)) + ("" if cell.endswith(OPEN) else r"(?![\p{L}\p{M}])")
        for cell in sorted(cells, key=lambda cell: (-len(cell.rstrip(OPEN)), cell))
    ]
    return f"(?i:{'|'.join(patterns)})".replace("'", "['’]") if patterns else ""


@functools.lru_cache(maxsize=4096)
def endings(tail: str, sound: str, language: Language) -> list[dict]:
    """Return the rows of endings.tsv that have an ending after a last sound, the usual one first."""
    return [row for row in language.table("endings") if sound and row[sound].rstrip(OPEN) == tail]
