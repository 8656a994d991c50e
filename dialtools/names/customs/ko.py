"""Customs of Korean: full names are a family name and a given name, joined or not; 김 과장님, 민준아."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from dialtools.languages.scripts import compiled
from dialtools.names import forms as name_forms
from dialtools.names import full_names
from dialtools.names.customs import Customs, Forms
from dialtools.names.lexicon import Lexicon

_GAPS = ("", " ")


def family_and_given(name: str, lexicon: Lexicon) -> tuple[str, str]:
    """Return the parts of a name whose given name has two letters and does not end as 구매자 (buyer)
    does.
    """
    bare = full_names.untitled(name, lexicon)[1].replace(" ", "")  # 김 민준
    surnames = lexicon.families
    if bare in surnames:
        return bare, ""
    family, given_name = bare[:-2], bare[-2:]
    if family not in surnames:
        return "", ""
    is_role = given_name[-1:] in lexicon.facts["roles_end_in"] and given_name not in lexicon.known
    return ("", "") if is_role else (family, given_name)


def joined(name: str, lexicon: Lexicon) -> tuple[str, str]:
    """Return the parts of a full name, "" if it has not both."""
    family, given_name = family_and_given(name, lexicon)
    return (family, given_name) if given_name else ("", "")


def forms(name: str, new: str, rows: Sequence[dict], lexicon: Lexicon) -> Forms:
    """Return the given name of a full one, and its family name with each title, except words (손님).

    A new name that is not a full one is a given name.
    """
    if name.isascii():
        return name_forms.of_parts(name, new, lexicon)
    family, given_name = family_and_given(name, lexicon)
    new_family, new_given = family_and_given(new, lexicon)
    titles = [("", gap + title) for title in lexicon.facts["titles_after"] for gap in _GAPS]
    derived: Forms = {
        form: None if to in lexicon.words else to
        for form, to in name_forms.around(family, new_family, titles).items()
        if form not in lexicon.words
    }
    if given_name:
        derived[given_name] = new_given or new
        derived |= {
            f"{family}{gap}{given_name}": f"{new_family}{gap}{new_given}".strip() or new
            for gap in _GAPS
        }
    return derived


def undeclared(name: str, known: Collection[str], lexicon: Lexicon) -> set[str]:
    """Return the family name with each title."""
    family = family_and_given(name, lexicon)[0]
    titles = lexicon.facts["titles_after"] if family else ()
    return {f"{family}{gap}{title}" for title in titles for gap in _GAPS} - lexicon.words


def namesakes(forms: Iterable[str], text: str, lexicon: Lexicon) -> Iterator[str]:
    """Yield full names in a text with the given name of one of the full ones, and another family
    name.
    """
    known = set(forms)
    surnames = "|".join(lexicon.families)
    for given_name in {family_and_given(form, lexicon)[1] for form in known} & known - {""}:
        for match in compiled(rf"(?<!\p{{Hangul}})(?:{surnames}){given_name}").finditer(text):
            if match[0] not in known:
                yield match[0]


def possible_given(name: str, lexicon: Lexicon) -> list[str]:
    """Return what may be the given name in a full name, or before a title (김민준, 김 민준 씨, 민준씨)."""
    families = ("", *lexicon.families)
    behind = [name.removeprefix(family).strip() for family in families if name.startswith(family)]
    endings = ("", *lexicon.facts["titles_after"])
    return [text[:2] for text in behind if text[2:].strip() in endings]


def is_free(name: str, taken: Any, barred: Collection[str], lexicon: Lexicon) -> bool:
    """Is nobody called by a family name of one letter, which is in many words, too?"""
    if len(name) == 1 and "가" <= name <= "힣":
        return not is_borne(name, taken.text, lexicon)
    return name not in taken and name.lower() not in barred


def is_borne(family: str, text: str, lexicon: Lexicon) -> bool:
    """Does a family name of one letter stand in a text, alone, with a title or a given name?"""
    follow = "|".join({*lexicon.facts["titles_after"], *lexicon.given_names})
    pattern = rf"(?<!\p{{Hangul}}){family}(?:\s?(?:{follow})|(?!\p{{Hangul}}))"
    return compiled(pattern).search(text) is not None


CUSTOMS = Customs(
    family_and_given=family_and_given,
    joined=joined,
    forms=forms,
    undeclared=undeclared,
    namesakes=namesakes,
    possible_given=possible_given,
    is_free=is_free,
)
