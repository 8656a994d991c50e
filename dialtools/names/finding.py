"""Mentions of known names in a text: one pass from left to right, longest first, never rescanned."""

import functools
import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from dialtools import languages
from dialtools.words import ADDRESSES, MARKS

# Words of these scripts follow each other without a space, or take endings: no boundary beside such a letter.
_JOINED = r"[\p{Han}\p{Hiragana}\p{Hangul}\p{Thai}]"
_LATIN, _KATAKANA, _OTHER = r"\p{Latin}", r"\p{Katakana}ー", r"\p{L}"
# What may follow a name as part of the word, by language; and its last letter stretched to three or more (Annaaa).
_STRETCH = r"(?<=(?P<last>\p{L}))(?:(?P=last){2,}|(?<=(?P=last)(?P=last))(?P=last))"
_TAILS = {"en": "es|s", "de": "s", "id": "nya|ku|mu|lah|kah|pun", "jv": "nipun|ipun|ne|e|ku|mu", "hi": "जी"}
_ADDRESS, _SPELLED = re.compile(r"@|//|www\.|\.[a-z]"), re.compile(r"[A-Z]([-. ])[A-Z]\1")  # where any may be
FEW = 20  # names that are sooner looked for one by one than by the words of a text
_PARTICLES = "(?:이랑|랑|으로|로|이|가|은|는|을|를|과|와|아|야)"  # Korean ones that depend on the last sound of the name


class Mention(NamedTuple):
    """A name in a text: where it stands (code points), the form that was found, as it is written there."""

    start: int
    end: int
    form: str
    written: str  # without what follows
    tail: str  # what follows as part of the word: letters of a stretched name, an ending
    spelled: str  # what parts the letters of a name that is spelled out, "" for any other


@functools.lru_cache(maxsize=4096)
def key(text: str) -> str:
    """Return what two ways to write one name have in common: composed, without joiners, one space, any case."""
    import unicodedata

    plain = unicodedata.normalize("NFC", text).replace("\u200c", "").replace("\u200d", "").replace("’", "'")
    return " ".join(plain.split()).lower()


@functools.lru_cache(maxsize=1024)
def pattern(forms: tuple[str, ...], lang: str, guards: tuple[str, ...] = (), addresses: bool = True):
    """Return one compiled pattern for all forms of all names, and for the spans that are never touched."""
    import regex

    groups: dict[tuple[str, str], list[str]] = {}
    for form in sorted({key(form): form for form in forms}.values(), key=lambda form: (-len(form), form)):
        groups.setdefault((_script(form[0]), _script(form[-1])), []).append(_tolerant(form))
    found = [_before(first) + f"(?P<form>(?i:{'|'.join(names)}))" + _after(last, lang)
             for (first, last), names in groups.items()]
    letters = [_spelled(form) for form in forms if form.isascii() and form.isalpha() and len(form) > 2]
    spelled = [rf"\b(?P<spelled>{'|'.join(letters)})(?!\w)"] if letters else []
    # a name may look like a placeholder (#Person1#), but what looks like an address is none
    return regex.compile("|".join([*(ADDRESSES if addresses else ()), *map(regex.escape, sorted(guards, key=len)[::-1]),
                                   *found, *spelled, *MARKS]))


def _before(script: str) -> str:
    return rf"(?<![{script}\p{{M}}\p{{N}}]|[\p{{L}}\p{{N}}][-_])" if script else ""


def _after(script: str, lang: str) -> str:
    tag = languages.tag(lang)
    if not script:
        return rf"(?P<tail>{_PARTICLES}(?!\p{{L}}))?" if tag == "ko" else ""
    tails = "|".join(filter(None, [_STRETCH, _TAILS.get(tag)]))
    return rf"(?P<tail>{tails})?(?![{script}\p{{M}}\p{{N}}]|[\u200c\u200d]*\p{{M}}|[-_][\p{{L}}\p{{N}}])"


def _tolerant(form: str) -> str:
    """Return a pattern of a form in any encoding: composed or not, any white space, joiners in between."""
    import unicodedata

    import regex

    parts = []
    for cluster in regex.findall(r"\X", unicodedata.normalize("NFC", form)):
        if cluster.isspace():
            parts.append(r"\s+")
        elif cluster in ("'", "’"):
            parts.append("['’]")
        else:
            codes = {cluster, unicodedata.normalize("NFD", cluster), *_nukta(cluster)}
            joined = ["[\u200c\u200d]*".join(map(regex.escape, code)) for code in sorted(codes)]
            parts.append(joined[0] if len(joined) == 1 else f"(?:{'|'.join(joined)})")
    joiner = "[\u200c\u200d]*" if _script(form[-1]) == _OTHER else ""
    return joiner.join(parts)


def _nukta(cluster: str) -> list[str]:
    """Return a Devanagari cluster with its composed letters, which normalisation always takes apart (क़)."""
    import unicodedata

    for code in range(0x958, 0x960):
        parts = unicodedata.normalize("NFD", chr(code))
        if parts in cluster:
            return [cluster.replace(parts, chr(code))]
    return []


def _spelled(form: str) -> str:
    return r"(?P<gap>[-. ])".join(form.upper()[:2]) + "".join(f"(?P=gap){letter}" for letter in form.upper()[2:])


def _script(letter: str) -> str:
    """Return the class of letters that may not stand beside a name's first or last letter, "" for any."""
    import regex

    word = letter.isalnum() or regex.match(r"\p{M}", letter)  # a vowel sign that ends a name is no letter
    if not word or regex.match(_JOINED, letter):
        return ""
    if regex.match(f"[{_KATAKANA}]", letter):
        return _KATAKANA
    return _LATIN if letter.isascii() or regex.match(_LATIN, letter) else _OTHER


def _candidates(text: str, forms: tuple[str, ...]) -> tuple[str, ...]:
    """Return the forms that a text may hold, as far as that is quick to say: in plain ASCII it is."""
    if not text.isascii() or _SPELLED.search(text):
        return forms
    beginnings, always = _beginnings(forms)
    if len(forms) < FEW:
        lower = text.lower()
        return forms if always or any(word in lower for word in beginnings) else ()
    found = set(always)
    for word in set(re.findall("[a-z0-9]+", text.lower())):
        for end in range(1, len(word) + 1):
            found.update(beginnings.get(word[:end], ()))
    return tuple(forms[at] for at in sorted(found))


@functools.lru_cache(maxsize=1024)
def _beginnings(forms: tuple[str, ...]) -> tuple[dict[str, list[int]], list[int]]:
    """Return {first letters and digits: places of forms}, and the places of those that begin with something else."""
    beginnings: dict[str, list[int]] = {}
    always = []
    for at, form in enumerate(forms):
        first = re.match("[a-z0-9]+", key(form))
        if first and key(form).isascii():
            beginnings.setdefault(first[0], []).append(at)
        elif key(form).isascii():
            always.append(at)
    return beginnings, always


def mentions(text: str, forms: Collection[str], lang: str, guards: tuple[str, ...] = ()) -> Iterator[Mention]:
    """Yield each place where one of the forms stands in a text, in any case.

    >>> [(found.form, found.tail) for found in mentions("Hi Annaaaa, is Annie with Ann's?", ["Ann", "Anna"], "en")]
    [('Anna', 'aaa'), ('Ann', '')]
    """
    candidates = _candidates(text, tuple(forms))
    if not candidates:
        return
    known = {key(form): form for form in candidates}
    for match in pattern(candidates, lang, guards, _ADDRESS.search(text) is not None).finditer(text):
        found = match.groupdict()
        if found["form"] is not None:
            written = found["form"]
            form = written if written in forms else known[key(written)]
            yield Mention(match.start(), match.end(), form, written, found.get("tail") or "", "")
        elif found.get("spelled"):
            gap = found["gap"]
            yield Mention(match.start(), match.end(), known[found["spelled"].replace(gap, "").lower()],
                          found["spelled"], "", gap)
