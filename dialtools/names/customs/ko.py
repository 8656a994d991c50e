"""Customs of Korean: full names are a family name and a given name, joined or not; 김 과장님, 민준아."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from dialtools.languages import Language, once_per_language
from dialtools.languages.scripts import compiled
from dialtools.names import families, fullnames
from dialtools.names import forms as name_forms
from dialtools.names.customs.default import Forms
from dialtools.names.customs.default import is_free as is_plainly_free

_GAPS = ("", " ")


def full(name: str, language: Language) -> tuple[str, str]:
    """Return the parts of a name whose given name has two letters and does not end as 구매자 (buyer)
    does.
    """
    bare = fullnames.untitled(name, language)[1].replace(" ", "")  # 김 민준
    known = families.rows(language)
    if bare in known:
        return bare, ""
    family, given = bare[:-2], bare[-2:]
    is_role = given[-1:] in language.facts["roles_end_in"] and given not in _pools(language)
    return (family, given) if family in known and not is_role else ("", "")


@once_per_language
def _pools(language: Language) -> frozenset[str]:
    return frozenset(
        row["name"] for pool in language.pools for row in language.table(f"names/{pool}")
    )


def joined(name: str, language: Language) -> tuple[str, str]:
    """Return the parts of a full name, "" if it has not both."""
    family, given = full(name, language)
    return (family, given) if given else ("", "")


def forms(name: str, new: str, rows: Sequence[dict], language: Language) -> Forms:
    """Return the given name of a full one, and its family name with each title, except words (손님).

    A new name that is not a full one is a given name.
    """
    if name.isascii():
        return name_forms.of_parts(name, new, language)
    (family, given), (to_family, to_given) = full(name, language), full(new, language)
    titles = [("", gap + title) for title in language.facts["titles_after"] for gap in _GAPS]
    with_title = name_forms.around(family, to_family, titles)
    found: Forms = {
        form: None if to in language.words else to
        for form, to in with_title.items()
        if form not in language.words
    }
    if given:
        found[given] = to_given or new
        found |= {
            f"{family}{gap}{given}": f"{to_family}{gap}{to_given}".strip() or new for gap in _GAPS
        }
    return found


def undeclared(name: str, known: Collection[str], language: Language) -> set[str]:
    """Return the family name with each title."""
    family = full(name, language)[0]
    titles = language.facts["titles_after"] if family else ()
    called = {f"{family}{gap}{title}" for title in titles for gap in _GAPS}
    return called - language.words


def others(forms: Iterable[str], text: str, language: Language) -> Iterator[str]:
    """Yield full names in a text with the given name of one of the full ones, and another family
    name.
    """
    said = set(forms)
    known = {given for form in said for given in (full(form, language)[1],) if given}
    for given in known & said:
        surnames = "|".join(families.rows(language))
        for match in compiled(rf"(?<!\p{{Hangul}})(?:{surnames}){given}").finditer(text):
            if match[0] not in said:
                yield match[0]


def givens(name: str, language: Language) -> list[str]:
    """Return what may be the given name in a full name, or before a title (김민준, 김 민준 씨, 민준씨)."""
    known = ("", *families.rows(language))
    rests = (name.removeprefix(family).strip() for family in known if name.startswith(family))
    return [rest[:2] for rest in rests if rest[2:].strip() in ("", *language.facts["titles_after"])]


def is_free(name: str, taken: Any, barred: Collection[str], language: Language) -> bool:
    """Is nobody called by a family name of one letter, which is in many words, too?"""
    if len(name) == 1 and "가" <= name <= "힣":
        return not families.is_borne(name, taken.text, language)
    return is_plainly_free(name, taken, barred, language)
