"""Customs of Chinese: 小王, 王老师, 芳姐 and 芳芳 of 王芳; simplified and traditional characters."""

from collections import Counter
from collections.abc import Collection, Sequence

from dialtools.languages import Language, once_per_language
from dialtools.names import forms as name_forms
from dialtools.names import full_names
from dialtools.names import lexicon as lexicons
from dialtools.names.customs import Customs, Forms
from dialtools.names.lexicon import Lexicon

_KIN = "姐哥妹弟儿兒"


def family_and_given(name: str, lexicon: Lexicon) -> tuple[str, str]:
    """Return the parts of a full name of two to four characters, (王, "") of 小王 and 王老师."""
    if not 2 <= len(name) <= 4 or not full_names.is_han(name):
        return "", ""
    facts = lexicon.facts
    if len(name) == 2 and name[0] in "小老" and name[1] in facts["surnames"]:
        return name[1], ""  # 小张, but not 小雨
    if (
        name[0] in facts["surnames"] + facts["rare_surnames"]
        or name[:2] in facts["surnames_of_two"]
    ):
        given_name = _behind_family(name, lexicon)
        is_title = full_names.untitled(given_name, lexicon)[2] != ""
        return name.removesuffix(given_name), "" if is_title else given_name
    is_given = name[0] in facts["titles_before"] or name[-1] in facts["names_end_in"]
    return "", name if is_given else ""


def _behind_family(name: str, lexicon: Lexicon) -> str:
    """Return what follows the first character of a name, or its family name of two: 芳 of 王芳 and of
    小芳.
    """
    return name[2 if name[:2] in lexicon.facts["surnames_of_two"] else 1 :]


def forms(name: str, new: str, rows: Sequence[dict], lexicon: Lexicon) -> Forms:
    """Return a name in other characters, and 小芳, 芳芳, 芳姐, 芳儿, 小王, 老王, 王老师 … of a full name
    such as 王芳, 国强 of 张国强.

    A name that is not a full one has no family name: 小明 is called 明哥, 小姐 is somebody else.
    """
    family, given_name = family_and_given(name, lexicon)
    new_family, new_given = family_and_given(new, lexicon)
    titles = [("", title) for title in lexicon.facts["titles_after"]]
    called = name_forms.around(family, new_family, [*titles, ("小", ""), ("老", ""), ("姓", "")])
    beside = [("小", ""), ("阿", ""), *(("", kin) for kin in _KIN)]
    called |= name_forms.around(given_name[-1:], new_given[-1:], beside)
    called[given_name[-1:] * 2] = new_given[-1:] * 2 or None
    if family and len(given_name) == 2:
        called[given_name] = new_given if len(new_given) == 2 else new

    characters = lexicon.to_traditional, lexicon.to_simplified
    return {name.translate(table): new.translate(table) for table in characters} | {
        form: to
        for form, to in called.items()
        if not lexicon.language.is_role(form)  # 弟弟 of 王弟
    }


def undeclared(name: str, known: Collection[str], lexicon: Lexicon) -> set[str]:
    """Return a family name of two characters."""
    family = family_and_given(name, lexicon)[0]
    return {family} if len(family) > 1 else set()


def gender(given: str, lexicon: Lexicon) -> str | None:
    """Return the gender of those who bear a given name in full names."""
    simplified = given.translate(lexicon.to_simplified)
    return _genders(lexicon.language).get(_behind_family(simplified, lexicon))


@once_per_language
def _genders(language: Language) -> dict[str, str]:
    """Return the gender of the given names in full names; u if women and men bear one."""
    lexicon = lexicons.of(language)
    bearers: dict[str, Counter] = {}
    for name, row in lexicon.known.items():
        bearers.setdefault(_behind_family(name, lexicon), Counter())[row["gender"]] += 1
    return {
        given_name: "u"
        if counts["f"] and counts["m"] or 2 * counts["u"] >= counts.total()
        else counts.most_common(1)[0][0]
        for given_name, counts in bearers.items()
    }


def shared(name: str, lexicon: Lexicon) -> str:
    """Return the family name of a full name: two people would be called alike by it."""
    return family_and_given(name, lexicon)[0] or name


def is_free(name: str, taken: Collection[str], barred: Collection[str], lexicon: Lexicon) -> bool:
    """Is no form of a name (王老师, 小王) in the record?"""
    is_taken = any(form in taken for form in name_forms.of(name, name, lexicon))
    return not is_taken and name.lower() not in barred


CUSTOMS = Customs(
    family_and_given=family_and_given,
    forms=forms,
    undeclared=undeclared,
    gender=gender,
    shared=shared,
    is_free=is_free,
)
