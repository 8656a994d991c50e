"""Parts of a name: signs and titles around it, its family name and its given name.

Family names and titles are data: families.tsv of a language, with readings and Latin forms, and
lists in its language.json. Without families.tsv a name is one whole.
"""

import functools
from collections.abc import Sequence
from typing import NamedTuple

from dialtools.languages import Language, once_per_language
from dialtools.languages.scripts import CJK, TO_HIRAGANA, compiled
from dialtools.names import customs

FAMILY, GIVEN = "family", "given"
_SIGN = r"[\p{So}\u200d\ufe0f\U0001f3fb-\U0001f3ff]+"  # emoji and their like
_REMARK = r"[(（][^()（）]+[)）]"
# What may stand around a name in a label: signs, bold type, and behind it a remark (Anna (host)).
_BEFORE = rf"{_SIGN}\s*(?=.*\p{{L}})|\*{{1,3}}(?=.*\p{{L}}.*\*(?:\s|{_SIGN}|{_REMARK})*$)"
_AFTER = rf"\s*(?:{_SIGN}|{_REMARK})|(?<=^\*.+)\*{{1,3}}"
_SIGNED = rf"(?s)((?:{_BEFORE})*)(?|(\S*?[\p{{L}}\p{{N}}].*?)((?:{_AFTER})+)|(.*)())"


class Part(NamedTuple):
    """A part of a name."""

    text: str
    kind: str  # FAMILY, GIVEN, "" of what stays as it is: a space, a title


@functools.lru_cache(maxsize=4096)
def unsigned(name: str) -> tuple[str, str, str]:
    """Return the signs, bold type and remarks around a name in a label, and between them the name,
    with its titles.

    >>> unsigned("Ann (host)"), unsigned("**Mr. Bell** 🙂")
    (('', 'Ann', ' (host)'), ('**', 'Mr. Bell', '** 🙂'))
    """
    return compiled(_SIGNED).fullmatch(name).groups("")


@functools.lru_cache(maxsize=4096)
def untitled(name: str, language: Language) -> tuple[str, str, str]:
    """Return the titles before a name, in any case, the name itself, and the title after it, each
    with its space.

    What `unsigned` takes away is no part of the name either.

    >>> from dialtools.languages import get
    >>> untitled("Pak Budi", get("id")), untitled("김서연 씨", get("ko"))
    (('Pak ', 'Budi', ''), ('', '김서연', ' 씨'))
    >>> untitled("**Ann**", get("en")), untitled("田中さん (司会)", get("ja"))
    (('**', 'Ann', '**'), ('', '田中', 'さん (司会)'))
    """
    signs, label, remark = unsigned(name)
    title, bare, title_after = _titles(language).fullmatch(label).groups("")
    return signs + title, bare, title_after + remark


@once_per_language
def _titles(language: Language):
    import regex

    before, after = (
        "|".join(sorted(map(regex.escape, language.facts[key]), key=len, reverse=True)) or "(?!)"
        for key in ("titles_before", "titles_after")
    )
    is_word = r"(?<!\p{Latin}(?=\p{Latin}))"  # no III of VIII, but the さん of Tomさん
    return regex.compile(rf"((?:(?i:{before})\s+)*)(.*?)(\s*{is_word}(?:{after}))?", regex.DOTALL)


def family_and_given(name: str, language: Language) -> tuple[str, str]:
    """Return the family name and the given one of a full name, "" for what it has not.

    Full names are Chinese ones of two to four characters, Korean ones whose
    given name has two and does not end as 구매자 (buyer) does, and Japanese
    ones of four, of which nothing is known.

    >>> from dialtools.languages import get
    >>> [family_and_given(name, get("zh")) for name in ("王芳", "诸葛亮", "王老师")]
    [('王', '芳'), ('诸葛', '亮'), ('王', '')]
    >>> [family_and_given(name, get("ko")) for name in ("김민준", "김 과장님")]
    [('김', '민준'), ('김', '')]
    """
    split = customs.of(language).family_and_given
    return split(name, language) if split else ("", "")


def family_beside_title(form: str, language: Language) -> str:
    """Return the family name in a form that is no more than it and a title (王老师, 小张), "" for any
    other.
    """
    family, given = family_and_given(form, language)
    return "" if given else family


def is_han(name: str) -> bool:
    """Is a name of Han characters alone?"""
    return all("一" <= char <= "鿿" for char in name)


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
    signs, label, remark = unsigned(name)
    title, bare, title_after = untitled(label, language)
    known = given_names(language)

    inside: tuple[Part, ...] = ()
    if families(language) and not {label, bare} & known:
        inside = _of_two_words(bare, language) or _of_one_word(bare, language)
    has_title = bare != label and label not in known
    if not inside and has_title and _is_beside_title(title, bare, title_after, language):
        inside = (Part(bare, GIVEN),)

    is_role = language.is_role(label) or names_others(remark, language)  # Agent (host), Host (Ann)
    if not inside and label != name and not is_role:
        title, inside, title_after = "", (Part(label, GIVEN),), ""
    around = Part(signs + title, ""), *inside, Part(title_after + remark, "")
    return tuple(part for part in around if part.text) if inside else ()


def _is_beside_title(before: str, bare: str, after: str, language: Language) -> bool:
    """Is what stands beside a title a name: a known one, what is no role behind one, or no word
    before one (शर्मा जी)?

    Where family names are told apart, or no space parts words, only a known name stands before a
    title.
    """
    given = family_and_given(bare, language)[1]
    if {bare, bare.partition(" ")[0], given} & given_names(language):
        return True
    is_apart = after[:1] in (" ", ",") and language.facts["space"] != "" and not families(language)
    is_word = bare.lower() in language.words
    return (before != "" or is_apart and not is_word) and not language.is_role(bare)


def names_others(remark: str, language: Language) -> bool:
    """Is a name in what stands behind another one: Tom (Anna's brother), but not JOHN (CONT'D)?"""
    words = compiled(r"[\p{L}\p{M}]+").findall(remark)
    return compiled(r"['’]s\b").search(remark) is not None or any(
        word in given_names(language) for word in words
    )


def _of_two_words(name: str, language: Language) -> tuple[Part, ...]:
    """Return the parts of a name of two words, of Latin letters in either order."""
    letters = rf"[{CJK}ー\p{{Hangul}}]"
    latin = r"\p{Latin}{2,}"
    match = compiled(rf"({letters}+|{latin})([\s・]+)({letters}{{1,4}}|{latin})").fullmatch(name)
    if match is None:
        return ()
    first, gap, last = match.groups()
    ways = []
    if _is_family(first, language):
        ways.append((Part(first, FAMILY), Part(gap, ""), Part(last, GIVEN)))
    if name.isascii() and _is_family(last, language):
        ways.append((Part(first, GIVEN), Part(gap, ""), Part(last, FAMILY)))
    return _best(ways, language)


def _of_one_word(name: str, language: Language) -> tuple[Part, ...]:
    """Return a family name, or it and what follows it: a given name, or one to three letters that
    may be one.
    """
    if _is_family(name, language):
        return (Part(name, FAMILY),)
    if joined := customs.of(language).joined:
        family, given = joined(name, language)
        return (Part(family, FAMILY), Part(given, GIVEN)) if given else ()
    ways = []
    for size in range(len(name) - 1, 0, -1):
        family, given = name[:size], name[size:]
        if not _is_family(family, language):
            continue
        may_be_given = (
            size > 1
            and family in families(language)
            and compiled(rf"[{CJK}ー]{{1,3}}").fullmatch(given)
        )
        if may_be_given or given in given_names(language):
            ways.append((Part(family, FAMILY), Part(given, GIVEN)))
    return _best(ways, language)


def _best(ways: Sequence[tuple[Part, ...]], language: Language) -> tuple[Part, ...]:
    """Return the first way to part a name that leaves a known given name, else the first one."""
    for way in ways:
        if any(part.kind == GIVEN and part.text in given_names(language) for part in way):
            return way
    return ways[0] if ways else ()


def given(name: str, language: Language) -> str:
    """Return the given name of a full name, "" of any other."""
    return next((part.text for part in parts(name, language) if part.kind == GIVEN), "")


@once_per_language
def given_names(language: Language) -> frozenset[str]:
    """Return the names of the pools of a language in each way to write them, and the given ones of
    full names.
    """
    rows = [row for pool in language.pools for row in language.table(f"names/{pool}")]
    forms = {row.get(key, "") for row in rows for key in ("name", "reading", "latin")}
    if split := customs.of(language).family_and_given:
        forms |= {split(row["name"], language)[1] for row in rows}
    forms.discard("")
    traditional = {
        ord(row["simplified"]): row["traditional"] for row in language.table("traditional")
    }
    return frozenset(forms | {form.translate(traditional) for form in forms})


@once_per_language
def families(language: Language) -> dict[str, dict]:
    """Return the rows of the family names of a language by name, {} if its data has none."""
    return {row["name"]: row for row in language.table("families")}


def drawable_families(language: Language) -> list[dict]:
    """Return the family names that can be new ones: those that are no words or places, as Japanese
    letters alone are.

    Chinese ones are those of full names.
    """
    facts = language.facts
    words = {"", *language.words, *facts["capitalised"], *facts.get("surnames_as_words", ())}
    if families(language):
        is_han = compiled(r"\p{Han}").fullmatch
        return [
            row
            for name, row in families(language).items()
            if name not in words and not is_han(name)
        ]
    if not (split := customs.of(language).family_and_given):
        return []
    borne = {split(row["name"], language)[0] for row in language.table("names/frequent")}
    return [{"name": name} for name in sorted(borne - words)]


@once_per_language
def _written_families(language: Language) -> tuple[frozenset[str], frozenset[str]]:
    """Return the family names and their Latin forms, and their readings."""
    rows = families(language).values()
    return (
        frozenset(form for row in rows for form in (row["name"], row["latin"])),
        frozenset(row["reading"] for row in rows if "reading" in row),
    )


def _is_family(text: str, language: Language) -> bool:
    names, readings = _written_families(language)
    return text in names or text.translate(TO_HIRAGANA) in readings


def is_reading(form: str, language: Language) -> bool:
    """Is a form in kana the reading of a family name, of which many are words (さとう, はら)?

    Katakana of three letters or more are taken for a name.
    """
    _, readings = _written_families(language)
    hiragana = form.translate(TO_HIRAGANA)
    return (
        hiragana in readings
        and hiragana not in given_names(language)
        and (form == hiragana or len(form) < 3)
    )


def goes_on(form: str, before: str, after: str, language: Language) -> bool:
    """Is a form a part of a longer family name in a text: 林 in 小林, 原 in 原田, 田中 in 小田中?"""
    known = families(language)
    if form not in known:
        return False
    previous, beginnings = before[-1:], language.facts.get("families_begin_with", "")
    is_begun = previous and (previous + form in known or previous in beginnings)
    return bool(is_begun or after[:1] and form + after[0] in known)


def is_beside_others(form: str, before: str, after: str, language: Language) -> bool:
    """Do letters of names stand beside a family name, and after it no title and no given name:
    高田馬場, 田中リタ?
    """
    readings = _written_families(language)[1]
    if form not in families(language) and form.translate(TO_HIRAGANA) not in readings - {form}:
        return False
    if compiled(r"\p{Han}\Z").search(before):
        return True
    if not compiled(r"[\p{Han}\p{Katakana}]").match(after) or after.startswith(
        _after_families(language)
    ):
        return False
    # the customs of the language tell whose it is
    return all(after[:size] not in given_names(language) for size in range(1, len(after) + 1))


@once_per_language
def _after_families(language: Language) -> tuple[str, ...]:
    """Return what may well follow a family name: titles, and words such as 家 and 夫妻."""
    facts = language.facts
    words = (row["word"] for row in language.table("compounds"))
    return (*facts["titles_after"], *facts.get("after_families", ()), *words)
