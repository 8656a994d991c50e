"""Customs of Chinese: 小王, 王老师, 芳姐 and 芳芳 of 王芳; simplified and traditional characters."""

from collections import Counter
from collections.abc import Collection, Sequence

from dialtools.languages import Language, once_per_language
from dialtools.names import forms as name_forms
from dialtools.names import fullnames, pools
from dialtools.names.customs.default import Forms

_KIN = "姐哥妹弟儿兒"


def full(name: str, language: Language) -> tuple[str, str]:
    """Return the parts of a full name of two to four characters, (王, "") of 小王 and 王老师."""
    if not 2 <= len(name) <= 4 or not fullnames.is_han(name):
        return "", ""
    data = language.facts
    if len(name) == 2 and name[0] in "小老" and name[1] in data["surnames"]:
        return name[1], ""  # 小张, but not 小雨
    if name[0] in data["surnames"] + data["rare_surnames"] or name[:2] in data["surnames_of_two"]:
        rest = _behind_family(name, language)
        is_title = fullnames.untitled(rest, language)[2] != ""
        return name.removesuffix(rest), "" if is_title else rest
    is_given = name[0] in data["titles_before"] or name[-1] in data["names_end_in"]
    return "", name if is_given else ""


def _behind_family(name: str, language: Language) -> str:
    """Return what follows the first character of a name, or its family name of two: 芳 of 王芳 and of
    小芳.
    """
    return name[2 if name[:2] in language.facts["surnames_of_two"] else 1 :]


def forms(name: str, new: str, rows: Sequence[dict], language: Language) -> Forms:
    """Return a name in other characters, and the familiar forms of it."""
    tables = pools.to_traditional(language), pools.to_simplified(language)
    return {name.translate(table): new.translate(table) for table in tables} | _familiar(
        name, new, language
    )


def _familiar(name: str, new: str, language: Language) -> Forms:
    """Return 小芳, 芳芳, 芳姐, 芳儿, 小王, 老王, 王老师 … of a full name such as 王芳, 国强 of 张国强.

    A name that is not a full one has no family name: 小明 is called 明哥, 小姐 is somebody else.
    """
    (family, given), (to_family, to_given) = full(name, language), full(new, language)
    titles = [("", title) for title in language.facts["titles_after"]]
    called = name_forms.around(family, to_family, [*titles, ("小", ""), ("老", ""), ("姓", "")])
    beside = [("小", ""), ("阿", ""), *(("", kin) for kin in _KIN)]
    called |= name_forms.around(given[-1:], to_given[-1:], beside)
    called[given[-1:] * 2] = to_given[-1:] * 2 or None
    if family and len(given) == 2:
        called[given] = to_given if len(to_given) == 2 else new
    return {form: to for form, to in called.items() if not language.is_role(form)}  # 弟弟 of 王弟


def undeclared(name: str, known: Collection[str], language: Language) -> set[str]:
    """Return a family name of two characters."""
    family = full(name, language)[0]
    return {family} if len(family) > 1 else set()


def gender(given: str, language: Language) -> str | None:
    """Return the gender of those who bear a given name in full names."""
    return _genders(language).get(
        _behind_family(given.translate(pools.to_simplified(language)), language)
    )


@once_per_language
def _genders(language: Language) -> dict[str, str]:
    """Return the gender of the given names in full names; u if women and men bear one."""
    found: dict[str, Counter] = {}
    for name, row in pools.known(language).items():
        found.setdefault(_behind_family(name, language), Counter())[row["gender"]] += 1
    return {
        given: "u"
        if counts["f"] and counts["m"] or 2 * counts["u"] >= counts.total()
        else counts.most_common(1)[0][0]
        for given, counts in found.items()
    }


def shared(name: str, language: Language) -> str:
    """Return the family name of a full name: two people would be called alike by it."""
    return full(name, language)[0] or name


def is_free(name: str, taken: Collection[str], barred: Collection[str], language: Language) -> bool:
    """Is no form of a name (王老师, 小王) in the record?"""
    is_taken = any(form in taken for form in name_forms.of(name, name, language))
    return not is_taken and name.lower() not in barred
