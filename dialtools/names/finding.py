"""Mentions of known names in a text: one pass from left to right, longest first, never rescanned."""

import functools
import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from dialtools.names import sounds
from dialtools.scripts import JOINED, JOINERS, KATAKANA
from dialtools.words import ADDRESSES, MARKS

_LATIN, _OTHER = r"\p{Latin}", r"\p{L}"
# The last letter of a name stretched to three or more (Annaaa).
_STRETCH = r"(?<=(?P<last>\p{L}))(?:(?P=last){2,}|(?<=(?P=last)(?P=last))(?P=last))"
_GAP = r" ?[-–,/·] ?|\. ?| "  # what parts the letters of a name that is spelled out
_ADDRESS, _SPELLED = re.compile(r"@|//|www\.|\.[a-z]"), re.compile(rf"\b[^\W\d_]({_GAP})[^\W\d_]\1[^\W\d_]\b")
_IGNORED = {**dict.fromkeys(map(ord, JOINERS + "\u093c")), ord("’"): "'"}
FEW = 20  # names that are sooner looked for one by one than by the words of a text


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
    """Return what all ways to write a name have in common: composed, no joiners and nuktas, one space, any case."""
    import unicodedata

    plain = _nasals().sub("ं", unicodedata.normalize("NFC", text).translate(_IGNORED))
    return " ".join(plain.split()).lower()


@functools.lru_cache(maxsize=1024)
def pattern(forms: tuple[str, ...], lang: str, guards: tuple[str, ...] = (), addresses: bool = True,
            spelled: bool = True):
    """Return one compiled pattern for all forms of all names, and for the spans that are never touched."""
    import regex

    groups: dict[tuple[str, str, str], list[str]] = {}
    for form in sorted({key(form): form for form in forms}.values(), key=lambda form: (-len(form), form)):
        ends = (_script(form[0]), _script(form[-1]), sounds.last(form, lang))
        groups.setdefault(ends, []).append(_tolerant(form))
    found = [_before(first) + f"(?P<form>(?i:{'|'.join(names)}))" + _after(last, sound, lang)
             for (first, last, sound), names in groups.items()]
    letters = [_spelled(form) for form in forms if _is_spelled(form)] if spelled else []
    apart = [rf"(?<![\p{{L}}\p{{N}}]|[\p{{L}}\p{{N}}][-.])(?P<spelled>(?i:{'|'.join(letters)}))"
             r"(?!\w|(?P=gap)\w\b)"] if letters else []
    # a name may look like a placeholder (#Person1#), but what looks like an address is none
    return regex.compile("|".join([*(ADDRESSES if addresses else ()), *map(regex.escape, sorted(guards, key=len)[::-1]),
                                   *found, *apart, *MARKS]))


def _before(script: str) -> str:
    return rf"(?<![{script}\p{{M}}\p{{N}}]|[\p{{L}}\p{{N}}]_)" if script else ""


def _after(script: str, sound: str, lang: str) -> str:
    tails = sounds.tails(sound, lang)
    if not script:
        return f"(?P<tail>{tails})?" if tails else ""
    found = f"(?P<tail>{'|'.join(filter(None, [_STRETCH, tails]))})?"
    return rf"{found}(?![{script}\p{{M}}\p{{N}}]|[{JOINERS}]*\p{{M}}|_[\p{{L}}\p{{N}}])"


def _tolerant(form: str) -> str:
    """Return a pattern of a form in any encoding: composed or not, any white space, joiners in between."""
    import unicodedata

    import regex

    parts = []
    for cluster in regex.findall(r"\X", _nasals().sub("ं", unicodedata.normalize("NFC", form).translate(_IGNORED))):
        if cluster.isspace():
            parts.append(r"\s+")
        elif cluster == "'":
            parts.append("['’]")
        elif regex.match(r"\p{Devanagari}", cluster):
            parts += [_devanagari().get(letter, letter) for letter in cluster]
        else:
            codes = {cluster, unicodedata.normalize("NFD", cluster)}
            joined = [f"[{JOINERS}]*".join(map(regex.escape, code)) for code in sorted(codes)]
            parts.append(joined[0] if len(joined) == 1 else f"(?:{'|'.join(joined)})")
    return (f"[{JOINERS}]*" if _script(form[-1]) == _OTHER else "").join(parts)


@functools.lru_cache(maxsize=1)
def _nasals():
    """Return the pattern of the Hindi nasals that a dot (ं) is written for as well: अनन्त, अनंत."""
    import regex

    return regex.compile("ङ्(?=[कखगघ])|ञ्(?=[चछजझ])|ण्(?=[टठडढ])|न्(?=[तथदध])|म्(?=[पफबभ])|ँ")


@functools.lru_cache(maxsize=1)
def _devanagari() -> dict[str, str]:
    """Return the patterns of letters that are written in several ways: nasals; with or without a nukta, apart or not."""
    import unicodedata

    dotted = {unicodedata.normalize("NFD", chr(code))[0]: chr(code) for code in range(0x958, 0x960)}
    nasal = {"ं": f"(?:[ंँ]|[ङञणनम][{JOINERS}]*्)"}
    return nasal | {letter: f"(?:{letter}\u093c?|{whole})" for letter, whole in dotted.items()}


def _is_spelled(form: str) -> bool:
    return len(form) > 2 and form.isalpha() and form.lower() != form.upper()


def _spelled(form: str) -> str:
    return f"(?P<gap>{_GAP})".join(form[:2]) + "".join(f"(?P=gap){letter}" for letter in form[2:])


@functools.lru_cache(maxsize=4096)
def _script(letter: str) -> str:
    """Return the class of letters that may not stand beside a name's first or last letter, "" for any."""
    import regex

    word = letter.isalnum() or regex.match(r"\p{M}", letter)  # a vowel sign that ends a name is no letter
    if regex.match(f"[{KATAKANA}]", letter):
        return KATAKANA
    if not word or regex.match(f"[{JOINED}]", letter):
        return ""
    return _LATIN if letter.isascii() or regex.match(_LATIN, letter) else _OTHER


def _candidates(text: str, forms: tuple[str, ...]) -> tuple[str, ...]:
    """Return the forms that a text may hold, as far as that is quick to say: in plain ASCII it is."""
    if not text.isascii():
        return forms
    beginnings, always = _beginnings(forms)
    if len(forms) < FEW:
        lower = text.lower()
        found_any = always or any(word in lower for word in beginnings)
        return _ascii(forms) if found_any or _SPELLED.search(text) else ()
    if _SPELLED.search(text):
        return _ascii(forms)
    found = set(always)
    for word in set(re.findall("[a-z0-9]+", text.lower())):
        for end in range(1, len(word) + 1):
            found.update(beginnings.get(word[:end], ()))
    return tuple(forms[at] for at in sorted(found))


@functools.lru_cache(maxsize=1024)
def _ascii(forms: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(filter(str.isascii, forms))


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
    [('Anna', 'aaa'), ('Ann', "'s")]
    """
    candidates = _candidates(text, tuple(forms))
    if not candidates:
        return
    known = {key(form): form for form in candidates}
    found_in = pattern(candidates, lang, guards, _ADDRESS.search(text) is not None, _SPELLED.search(text) is not None)
    for match in found_in.finditer(text):
        found = match.groupdict()
        if found["form"] is not None:
            written = found["form"]
            form = written if written in forms else known[key(written)]
            yield Mention(match.start(), match.end(), form, written, found.get("tail") or "", "")
        elif found.get("spelled"):
            gap = found["gap"]
            yield Mention(match.start(), match.end(), known[key(found["spelled"].replace(gap, ""))],
                          found["spelled"], "", gap)
