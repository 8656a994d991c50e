"""The ways to write the same name: case, composition, joiners, nuktas and nasals, white space."""

import functools
import re

from dialtools.languages.scripts import JOINED, JOINERS, compiled

_JOINER = f"[{JOINERS}]*"
_IGNORED = {
    **dict.fromkeys(map(ord, JOINERS + "\u093c")),
    ord("’"): "'",
    **dict.fromkeys(map(ord, "‐‑"), "-"),
}
_MARKS = {"'": "['’]", "-": "[-‐‑]"}  # each is written in several ways
# Hindi nasals that a dot (ं) is written for as well: अनन्त, अनंत.
_NASALS = "ङ्(?=[कखगघ])|ञ्(?=[चछजझ])|ण्(?=[टठडढ])|न्(?=[तथदध])|म्(?=[पफबभ])|ँ"
_DOTTED = {letter: f"(?:{letter}\u093c?|{chr(0x958 + at)})" for at, letter in enumerate("कखगजडढफय")}
_HINDI = _DOTTED | {"ं": f"(?:[ंँ]|[ङञणनम]{_JOINER}्)"}


@functools.lru_cache(maxsize=4096)
def key(text: str) -> str:
    """Return what all ways to write a name have in common: composed, no joiners and nuktas, one
    space, any case.

    >>> key("Mary\u00a0ANN"), key("अनन्त") == key("अनंत")
    ('mary ann', True)
    """
    return " ".join(_plain(text).split()).lower()


def is_visible(text: str) -> bool:
    """Is there something to see in a text: no white space, joiners, marks and the like alone?

    >>> is_visible("Ann"), is_visible("🙂"), is_visible("\u200d\u2060"), is_visible("\u0301")
    (True, True, False, False)
    """
    unseen = r"\p{Default_Ignorable_Code_Point}\p{M}\p{Cc}\p{Cf}\s"
    return text.isalnum() or compiled(f"[^{unseen}]").search(text) is not None


def _plain(text: str) -> str:
    import unicodedata

    return re.sub(_NASALS, "ं", unicodedata.normalize("NFC", text).translate(_IGNORED))


@functools.lru_cache(maxsize=4096)
def tolerant(form: str) -> str:
    """Return a pattern (of re, to be used in any case) of all ways to write a form."""
    if form.isascii():
        spaced = r"\s+".join(map(re.escape, form.split()))
        return spaced.replace("'", _MARKS["'"]).replace(r"\-", _MARKS["-"])
    parts = []
    for cluster in compiled(r"\X").findall(_plain(form)):
        if compiled(r"\p{Devanagari}").match(cluster):
            parts += [_HINDI.get(letter, letter) for letter in cluster]
        else:
            parts.append(_cluster(cluster))
    joins = re.search(f"[{JOINERS}]", form) or compiled(
        rf"(?![\p{{Latin}}{JOINED}])[\p{{L}}\p{{M}}]"
    ).match(form[-1])
    return (_JOINER if joins else "").join(parts)


def _cluster(cluster: str) -> str:
    """Return the pattern of one character as people see it."""
    import unicodedata

    if cluster.isspace():
        return r"\s+"
    if cluster in _MARKS:
        return _MARKS[cluster]
    codes = {cluster, unicodedata.normalize("NFD", cluster)}
    joined = [_JOINER.join(map(re.escape, code)) for code in sorted(codes)]
    return joined[0] if len(joined) == 1 else f"(?:{'|'.join(joined)})"
