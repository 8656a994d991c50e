"""Parts of a name: signs and titles around it, its family name and its given name; its gender."""

import functools
from collections.abc import Sequence
from typing import NamedTuple
from unicodedata import category

from dialtools import languages
from dialtools.languages.scripts import CJK, TO_HIRAGANA, compiled
from dialtools.names import lexicon as lexicons
from dialtools.names.lexicon import Lexicon, plain

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


def unsigned(name: str) -> tuple[str, str, str]:
    """Return the signs, bold type and remarks around a name in a label, and between them the name,
    with its titles.

    >>> unsigned("Ann (host)"), unsigned("**Mr. Bell** 🙂")
    (('', 'Ann', ' (host)'), ('**', 'Mr. Bell', '** 🙂'))
    """
    if name.isalnum():
        return "", name, ""
    return compiled(_SIGNED).fullmatch(name).groups("")


@functools.lru_cache(maxsize=4096)
def untitled(name: str, lexicon: Lexicon) -> tuple[str, str, str]:
    """Return the titles before a name, in any case, the name itself, and the title after it, each
    with its space.

    What `unsigned` takes away is no part of the name either.

    >>> from dialtools.languages import get
    >>> [
    ...     untitled(name, lexicons.of(get(tag)))
    ...     for name, tag in (("Pak Budi", "id"), ("**Ann**", "en"), ("田中さん (司会)", "ja"))
    ... ]
    [('Pak ', 'Budi', ''), ('**', 'Ann', '**'), ('', '田中', 'さん (司会)')]
    """
    signs, label, remark = unsigned(name)
    title, bare, title_after = lexicon.titled(label).groups("")
    return signs + title, bare, title_after + remark


def family_and_given(name: str, lexicon: Lexicon) -> tuple[str, str]:
    """Return the family name and the given one of a full name, "" for what it has not.

    Full names are Chinese ones of two to four characters, Korean ones whose
    given name has two and does not end as 구매자 (buyer) does, and Japanese
    ones of four, of which nothing is known.

    >>> from dialtools.languages import get
    >>> chinese, korean = lexicons.of(get("zh")), lexicons.of(get("ko"))
    >>> [family_and_given(name, chinese) for name in ("王芳", "诸葛亮", "王老师")]
    [('王', '芳'), ('诸葛', '亮'), ('王', '')]
    >>> [family_and_given(name, korean) for name in ("김민준", "김 과장님")]
    [('김', '민준'), ('김', '')]
    """
    split = lexicon.customs.family_and_given
    return split(name, lexicon) if split else ("", "")


def family_beside_title(form: str, lexicon: Lexicon) -> str:
    """Return the family name in a form that is no more than it and a title (王老师, 小张), "" for any
    other.
    """
    family, given_name = family_and_given(form, lexicon)
    return "" if given_name else family


def is_han(name: str) -> bool:
    """Is a name of Han characters alone?"""
    return all("一" <= char <= "鿿" for char in name)


@functools.lru_cache(maxsize=4096)
def parts(name: str, lexicon: Lexicon) -> tuple[Part, ...]:
    """Return the parts of a name that is a family name, or a full one, or has a title; () of any
    other.

    What is a given name, too, is taken for that.  Where family names are not
    told apart, what stands behind a title is one part (Mr. Smith), and a known
    name before one.

    >>> from dialtools.languages import get
    >>> japanese = lexicons.of(get("ja"))
    >>> [[part.text for part in parts(name, japanese)] for name in ("田中太郎", "花子さん", "太郎")]
    [['田中', '太郎'], ['花子', 'さん'], []]
    >>> names = (("王芳老师", "zh"), ("Dott. Rossi", "it"))
    >>> [[part.text for part in parts(name, lexicons.of(get(tag)))] for name, tag in names]
    [['王芳', '老师'], ['Dott. ', 'Rossi']]
    """
    signs, label, remark = unsigned(name)
    title, bare, title_after = untitled(label, lexicon)

    inside: tuple[Part, ...] = ()
    if lexicon.families and not {label, bare} & lexicon.given_names:
        inside = _of_two_words(bare, lexicon) or _of_one_word(bare, lexicon)
    if not inside and bare != label and label not in lexicon.given_names:
        # beside a title a known name; behind it what is no role; before it, where family names are
        # not told apart and a space parts words, what is no word (शर्मा जी)
        words = {bare, bare.partition(" ")[0], family_and_given(bare, lexicon)[1]}
        is_spaced = title_after[:1] in (" ", ",") and lexicon.facts["space"] != ""
        is_apart = is_spaced and not lexicon.families and bare.lower() not in lexicon.words
        may_be_name = (title != "" or is_apart) and not lexicon.language.is_role(bare)
        if words & lexicon.given_names or may_be_name:
            inside = (Part(bare, GIVEN),)

    # Agent (host), Host (Ann)
    is_role = lexicon.language.is_role(label) or names_others(remark, lexicon)
    if not inside and label != name and not is_role:
        title, inside, title_after = "", (Part(label, GIVEN),), ""
    around = Part(signs + title, ""), *inside, Part(title_after + remark, "")
    return tuple(part for part in around if part.text) if inside else ()


def names_others(remark: str, lexicon: Lexicon) -> bool:
    """Is a name in what stands behind another one: Tom (Anna's brother), but not JOHN (CONT'D)?"""
    words = compiled(r"[\p{L}\p{M}]+").findall(remark) if remark else ()
    return not lexicon.given_names.isdisjoint(words) or (
        compiled(r"['’]s\b").search(remark) is not None
    )


def _of_two_words(name: str, lexicon: Lexicon) -> tuple[Part, ...]:
    """Return the parts of a name of two words, of Latin letters in either order."""
    letters = rf"[{CJK}ー\p{{Hangul}}]"
    latin = r"\p{Latin}{2,}"
    match = compiled(rf"({letters}+|{latin})([\s・]+)({letters}{{1,4}}|{latin})").fullmatch(name)
    if match is None:
        return ()
    first, gap, last = match.groups()
    ways = []
    if _is_family(first, lexicon):
        ways.append((Part(first, FAMILY), Part(gap, ""), Part(last, GIVEN)))
    if name.isascii() and _is_family(last, lexicon):
        ways.append((Part(first, GIVEN), Part(gap, ""), Part(last, FAMILY)))
    return _best(ways, lexicon)


def _of_one_word(name: str, lexicon: Lexicon) -> tuple[Part, ...]:
    """Return a family name, or it and what follows it: a given name, or one to three letters that
    may be one.
    """
    if _is_family(name, lexicon):
        return (Part(name, FAMILY),)
    if joined := lexicon.customs.joined:
        family, given_name = joined(name, lexicon)
        return (Part(family, FAMILY), Part(given_name, GIVEN)) if given_name else ()
    ways = []
    for size in range(len(name) - 1, 0, -1):
        family, given_name = name[:size], name[size:]
        if not _is_family(family, lexicon):
            continue
        may_be_given = (
            size > 1
            and family in lexicon.families
            and compiled(rf"[{CJK}ー]{{1,3}}").fullmatch(given_name)
        )
        if may_be_given or given_name in lexicon.given_names:
            ways.append((Part(family, FAMILY), Part(given_name, GIVEN)))
    return _best(ways, lexicon)


def _is_family(text: str, lexicon: Lexicon) -> bool:
    return text in lexicon.family_forms or text.translate(TO_HIRAGANA) in lexicon.family_readings


def _best(ways: Sequence[tuple[Part, ...]], lexicon: Lexicon) -> tuple[Part, ...]:
    """Return the first way to part a name that leaves a known given name, else the first one."""
    for way in ways:
        if any(part.kind == GIVEN and part.text in lexicon.given_names for part in way):
            return way
    return ways[0] if ways else ()


def given(name: str, lexicon: Lexicon) -> str:
    """Return the given name of a full name, "" of any other."""
    return next((part.text for part in parts(name, lexicon) if part.kind == GIVEN), "")


def drawable_families(lexicon: Lexicon) -> list[dict]:
    """Return the family names that can be new ones: those that are no words or places, as Japanese
    letters alone are.

    Chinese ones are those of full names.
    """
    facts = lexicon.facts
    words = {"", *lexicon.words, *facts["capitalised"], *facts.get("surnames_as_words", ())}
    if lexicon.families:
        is_letter = compiled(r"\p{Han}").fullmatch
        return [
            row
            for name, row in lexicon.families.items()
            if name not in words and not is_letter(name)
        ]
    if not (split := lexicon.customs.family_and_given):
        return []
    borne = {split(row["name"], lexicon)[0] for row in lexicon.language.table("names/frequent")}
    return [{"name": name} for name in sorted(borne - words)]


@functools.lru_cache(maxsize=1 << 15)  # speakers come back
def gender(name: str, lexicon: Lexicon) -> str | None:
    """Return f, m or u, None for an unknown gender, "" for a handle.

    A title tells it, too (Mr. Smith, Pak Budi, 王先生); one word behind a title
    that does not (Dr. Smith) is no given name in some languages.  A placeholder
    (#Person1#), a role but one such as Mom, and a nickname in lower case or
    with digits (zykotick9) have no gender that could be kept.
    """
    facts, language = lexicon.facts, lexicon.language
    by_title, title, bare = None, "", name
    titles_before = {*map(str.lower, facts["titles_before"])}
    while (words := bare.partition(" "))[2] and words[0].lower() in titles_before:
        title, _, bare = words
        by_title = by_title or _told_by([title], lexicon)
    titles_of_families = map(str.lower, facts.get("titles_of_families", ()))
    if title and title.lower() in titles_of_families and not by_title:
        if " " not in bare and not language.is_role(bare):  # Agent 1
            return None

    known = by_title or language.gender_of_role(name) or _of_given(name, bare, lexicon)
    if known in (None, "u"):
        titles = [title for title in facts["titles_after"] if name.endswith(title)]
        known = _told_by(titles, lexicon) or known
    if known:
        return known
    # a handle is a role, or a nickname in lower case or with digits
    is_odd = any(category(letter)[0] in "NPS" for letter in name if letter not in "-'’.")
    return "" if is_odd or name[0].islower() or language.is_role(name) else None


def _of_given(name: str, bare: str, lexicon: Lexicon) -> str | None:
    """Return the gender of the given name in a name, by the pools of its language, else by those
    of others.
    """
    given_name = given(name, lexicon) or bare
    names = [name.lower(), bare.lower(), given_name.lower().partition(" ")[0]]
    if possible_given := lexicon.customs.possible_given:
        names += possible_given(bare, lexicon)
    known = next(filter(None, map(lexicon.genders.get, names)), None)
    if known is None and (gender_of := lexicon.customs.gender):
        known = gender_of(given_name, lexicon)
    for tag in (*lexicon.facts.get("names_also_of", ()), "en") if known is None else ():
        foreign = lexicons.of(languages.get(tag)).genders
        known = known or next(filter(None, map(foreign.get, map(plain, names))), None)
    return known


def _told_by(titles: Sequence[str], lexicon: Lexicon) -> str | None:
    """Return the gender that one of some titles of a language tells."""
    for gender, words in lexicon.facts["gendered"].items():
        if {*map(str.lower, words)} & {*map(str.lower, titles)}:
            return gender
    return None
