"""Family names, in languages where people are called by them, and the parts of a name.

They are data: families.tsv of a language, with readings and Latin forms.
Without that file a name is one whole.
"""

import functools
from collections.abc import Sequence
from typing import NamedTuple

from dialtools.languages import Language, once_per_language
from dialtools.languages.scripts import CJK, TO_HIRAGANA, compiled
from dialtools.names import customs, fullnames

FAMILY, GIVEN = "family", "given"


class Part(NamedTuple):
    """A part of a name."""

    text: str
    kind: str  # FAMILY, GIVEN, "" of what stays as it is: a space, a title


@once_per_language
def rows(language: Language) -> dict[str, dict]:
    """Return the family names of a language, {} if its data has none."""
    return {row["name"]: row for row in language.table("families")}


def drawn(language: Language) -> list[dict]:
    """Return the family names that can be new ones: those that are no words or places, as Japanese
    letters alone are.

    Chinese ones are those of full names.
    """
    data = language.facts
    other = {"", *language.words, *data["capitalised"], *data.get("surnames_as_words", ())}
    if not rows(language):
        found = {
            fullnames.full(row["name"], language)[0] for row in language.table("names/frequent")
        }
        return [{"name": name} for name in sorted(found - other)]
    is_han = compiled(r"\p{Han}").fullmatch
    return [row for name, row in rows(language).items() if name not in other and not is_han(name)]


def is_borne(family: str, text: str, language: Language) -> bool:
    """Does a Korean family name of one letter stand in a text, alone, with a title or a given
    name?
    """
    follow = "|".join({*language.facts["titles_after"], *_given(language)})
    pattern = rf"(?<!\p{{Hangul}}){family}(?:\s?(?:{follow})|(?!\p{{Hangul}}))"
    return compiled(pattern).search(text) is not None


@functools.lru_cache(maxsize=4096)
def parts(name: str, language: Language) -> tuple[Part, ...]:
    """Return the parts of a name that is a family name, or a full one, or has a title; () of any
    other.

    What is a given name, too, is taken for that.  Where family names are not
    told apart, what stands behind a title is one part (Mr. Smith), and a known
    name before one.

    >>> from dialtools.languages import get
    >>> [[part.text for part in parts(name, get("ja"))] for name in ("田中太郎", "花子さん", "太郎")]
    [['田中', '太郎'], ['花子', 'さん'], []]
    >>> names = (("王芳老师", "zh"), ("Dott. Rossi", "it"))
    >>> [[part.text for part in parts(name, get(tag))] for name, tag in names]
    [['王芳', '老师'], ['Dott. ', 'Rossi']]
    """
    first, label, last = fullnames.unsigned(name)
    before, inside, after = _titled(label, language)
    is_other = language.is_role(label) or names_others(last, language)  # Agent (host), Host (Ann)
    if not inside and label != name and not is_other:
        before, inside, after = "", (Part(label, GIVEN),), ""
    around = Part(first + before, ""), *inside, Part(after + last, "")
    return tuple(part for part in around if part.text) if inside else ()


def _titled(name: str, language: Language) -> tuple[str, tuple[Part, ...], str]:
    """Return the title before a name without signs, the parts of what is between, and the title
    after it.
    """
    before, bare, after = fullnames.untitled(name, language)
    known = _given(language)
    inside: tuple[Part, ...] = ()
    if rows(language) and not {name, bare} & known:
        inside = _spaced(bare, language) or _joined(bare, language)
    if (
        not inside
        and bare != name
        and name not in known
        and _is_name(before, bare, after, language)
    ):
        inside = (Part(bare, GIVEN),)
    return before, inside, after


def _is_name(before: str, bare: str, after: str, language: Language) -> bool:
    """Is what stands beside a title a name: a known one, what is no role behind one, or no word
    before one (शर्मा जी)?

    Where family names are told apart, or no space parts words, only a known name stands before a
    title.
    """
    if _is_given(bare, language):
        return True
    is_apart = after[:1] in (" ", ",") and language.facts["space"] != "" and not rows(language)
    is_word = bare.lower() in language.words
    return (before != "" or is_apart and not is_word) and not language.is_role(bare)


def names_others(after: str, language: Language) -> bool:
    """Is a name in what stands behind another one: Tom (Anna's brother), but not JOHN (CONT'D)?"""
    words = compiled(r"[\p{L}\p{M}]+").findall(after)
    return compiled(r"['’]s\b").search(after) is not None or any(
        word in _given(language) for word in words
    )


def _is_given(name: str, language: Language) -> bool:
    """Is a name known as a given one, or its first word, or what follows the family name in a full
    one?
    """
    return bool(
        {name, name.partition(" ")[0], fullnames.full(name, language)[1]} & _given(language)
    )


def _spaced(name: str, language: Language) -> tuple[Part, ...]:
    """Return the parts of a name of two words, of Latin letters in either order."""
    letters = rf"[{CJK}ー\p{{Hangul}}]"
    latin = r"\p{Latin}{2,}"
    match = compiled(rf"({letters}+|{latin})([\s・]+)({letters}{{1,4}}|{latin})").fullmatch(name)
    if match is None:
        return ()
    first, gap, last = match.groups()
    found = []
    if _is_family(first, language):
        found.append((Part(first, FAMILY), Part(gap, ""), Part(last, GIVEN)))
    if name.isascii() and _is_family(last, language):
        found.append((Part(first, GIVEN), Part(gap, ""), Part(last, FAMILY)))
    return _best(found, language)


def _joined(name: str, language: Language) -> tuple[Part, ...]:
    """Return a family name, or it and what follows it: a given name, or one to three letters that
    may be one.
    """
    if _is_family(name, language):
        return (Part(name, FAMILY),)
    joined = customs.of(language).joined(name, language)
    if joined is not None:
        return (Part(joined[0], FAMILY), Part(joined[1], GIVEN)) if joined[1] else ()
    found = []
    for size in range(len(name) - 1, 0, -1):
        first, rest = name[:size], name[size:]
        may_be = (
            size > 1 and first in rows(language) and compiled(rf"[{CJK}ー]{{1,3}}").fullmatch(rest)
        )
        if _is_family(first, language) and (may_be or rest in _given(language)):
            found.append((Part(first, FAMILY), Part(rest, GIVEN)))
    return _best(found, language)


def _best(found: Sequence[tuple[Part, ...]], language: Language) -> tuple[Part, ...]:
    """Return the first way to part a name that leaves a known given name, else the first one."""
    for parts in found:
        if any(part.kind == GIVEN and part.text in _given(language) for part in parts):
            return parts
    return found[0] if found else ()


def given(name: str, language: Language) -> str:
    """Return the given name of a full name, "" of any other."""
    return next((part.text for part in parts(name, language) if part.kind == GIVEN), "")


@once_per_language
def _given(language: Language) -> frozenset[str]:
    """Return the names of the pools of a language in each way to write them, and the given ones of
    full names.
    """
    found = [row for pool in language.pools for row in language.table(f"names/{pool}")]
    forms = {
        form
        for row in found
        for form in (
            row["name"],
            row.get("reading"),
            row.get("latin"),
            fullnames.full(row["name"], language)[1],
        )
        if form
    }
    traditional = {
        ord(row["simplified"]): row["traditional"] for row in language.table("traditional")
    }
    return frozenset(forms | {form.translate(traditional) for form in forms})


def is_known(name: str, language: Language) -> bool:
    """Is a name, or what is given in it, in the pools of a language?"""
    return name in _given(language)


@once_per_language
def _written(language: Language) -> tuple[frozenset[str], frozenset[str]]:
    """Return the family names and their Latin forms, and their readings."""
    found = rows(language).values()
    return (
        frozenset(form for row in found for form in (row["name"], row["latin"])),
        frozenset(row["reading"] for row in found if "reading" in row),
    )


def _is_family(text: str, language: Language) -> bool:
    names, readings = _written(language)
    return text in names or text.translate(TO_HIRAGANA) in readings


def is_reading(form: str, language: Language) -> bool:
    """Is a form in kana the reading of a family name, of which many are words (さとう, はら)?

    Katakana of three letters or more are taken for a name.
    """
    plain = form.translate(TO_HIRAGANA)
    return (
        plain in _written(language)[1]
        and plain not in _given(language)
        and (form == plain or len(form) < 3)
    )


def goes_on(form: str, before: str, after: str, language: Language) -> bool:
    """Is a form a part of a longer family name in a text: 林 in 小林, 原 in 原田, 田中 in 小田中?"""
    known = rows(language)
    first, beginnings = before[-1:], language.facts.get("families_begin_with", "")
    begun = first and (first + form in known or first in beginnings)
    return form in known and bool(begun or after[:1] and form + after[0] in known)


def is_beside_others(form: str, before: str, after: str, language: Language) -> bool:
    """Do letters of names stand beside a family name, and after it no title and no given name:
    高田馬場, 田中リタ?
    """
    if not (
        form in rows(language) or form.translate(TO_HIRAGANA) in _written(language)[1] - {form}
    ):
        return False
    if compiled(r"\p{Han}\Z").search(before):
        return True
    if not compiled(r"[\p{Han}\p{Katakana}]").match(after) or after.startswith(_follow(language)):
        return False
    # of_others tells whose it is
    return all(after[:size] not in _given(language) for size in range(1, len(after) + 1))


@once_per_language
def _follow(language: Language) -> tuple[str, ...]:
    """Return what may well follow a family name: titles, and words such as 家 and 夫妻."""
    data = language.facts
    words = (row["word"] for row in language.table("compounds"))
    return (*data["titles_after"], *data.get("after_families", ()), *words)
