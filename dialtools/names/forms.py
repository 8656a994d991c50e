"""How else a name can be written, and what a new name is then: widths, scripts, readings, familiar forms.

A form that cannot be carried over (a kana reading, where the new name has
none) maps to None, one that several people share to AMBIGUOUS: both are found,
left and reported.
"""

import functools
from collections.abc import Iterable

from dialtools.languages import Language
from dialtools.languages.scripts import TO_HIRAGANA, TO_KATAKANA
from dialtools.names import families, fullnames, pools

Forms = dict[str, str | None]
AMBIGUOUS = ""
_FULL_WIDTH = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}


@functools.lru_cache(maxsize=4096)
def of(name: str, new: str, language: Language, readings: tuple[tuple[str, str, str], ...] = ()) -> Forms:
    """Return all forms of a name, the name itself first, and what the new name is in each.

    readings: (name, reading, latin) of names that the pools of the language do not know.
    """
    own = {name: {"reading": reading, "latin": latin} for name, reading, latin in readings}
    rows = [own.get(word) or pools.row(word, language) for word in (name, new)]
    forms: Forms = {name: new}
    tag = language.code
    bare, to = _unsigned(name, new, language)
    if bare == name:
        bare, to = untitled(name, new, language)
    if bare != name:
        return forms | {form: other for form, other in of(bare, to, language, readings).items() if form != new}
    if name.isascii() and len(name) > 1:
        forms[name.translate(_FULL_WIDTH)] = new.translate(_FULL_WIDTH)
    if tag == "zh":
        forms |= _traditional(name, new, language) | _familiar(name, new, language)
    if tag == "ko":
        forms |= _of_parts(name, new, language) if name.isascii() else _of_korean(name, new, language)
    if tag == "ja":
        forms |= _of_parts(name, new, language) | _kana(name, new, rows)
    if tag == "hi":
        forms |= _oblique(name, new, language)
    forms |= _latin(name, rows) | _native(name, new, language)
    return {form: to for form, to in forms.items() if form and (form == name or form != new)}


def add(forms: Forms, form: str, new: str | None) -> None:
    """Add what a form becomes; it is ambiguous if it becomes something else already."""
    forms[form] = new if forms.get(form, new) == new else AMBIGUOUS


def untitled(name: str, new: str, language: Language) -> tuple[str, str]:
    """Return a name that has a title (王芳老师) and its new one, both without that; as they are, if it has no parts."""
    name, new = _unsigned(name, new, language)
    parts = families.parts(name, language)
    if not parts:
        return name, new
    before, after = ("" if part.kind else part.text for part in (parts[0], parts[-1]))
    return name.removeprefix(before).removesuffix(after), new.removeprefix(before).removesuffix(after)


def _unsigned(name: str, new: str, language: Language) -> tuple[str, str]:
    """Return a name in signs (**Ann**) and its new one without these; as they are, if it has no parts: Host (Ann)."""
    first, label, last = fullnames.unsigned(name)
    if label == name or not families.parts(name, language):
        return name, new
    return label, new.removeprefix(first).removesuffix(last)


def _oblique(name: str, new: str, language: Language) -> Forms:
    """Return the oblique of a Hindi name of a man that ends in ā (मुन्ने for मुन्ना)."""
    if not name.endswith("ा") or pools.gender(name, language) == "f":
        return {}
    declined = new.endswith("ा") and pools.gender(new, language) != "f"
    return {name[:-1] + "े": new[:-1] + "े" if declined else new}


def _latin(name: str, rows: list[dict]) -> Forms:
    """Return the usual Latin spelling of a name in another script (Taro for 太郎)."""
    old, to = (row.get("latin") for row in rows)
    return {old: to or None} if old and old != name else {}


def _native(name: str, new: str, language: Language) -> Forms:
    """Return a name of Latin letters in the language's own script, if its pools spell one name so (राहुल of Rahul)."""
    old, to = (pools.spelled(language).get(word, ()) for word in (name, new))
    if len(old) != 1:
        return {}
    if not new.isascii():
        return {old[0]: new}
    return {old[0]: to[0] if len(to) == 1 else None}


def _kana(name: str, new: str, rows: list[dict]) -> Forms:
    """Return the hiragana, katakana and half-width forms of a Japanese name that has a reading."""
    old, to = (row.get("reading") or _hiragana(word) for word, row in zip((name, new), rows, strict=True))
    if not old:
        return {}
    return {write(old): write(to) if to else None for write in (str, _katakana, _half_width)}


def _hiragana(text: str) -> str:
    """Return a text of kana alone as hiragana, "" for any other."""
    plain = text.translate(TO_HIRAGANA)
    return plain if all("ぁ" <= letter <= "ゖ" or letter == "ー" for letter in plain) else ""


def _katakana(text: str) -> str:
    return text.translate(TO_KATAKANA)


@functools.lru_cache(maxsize=1)
def _halves() -> dict[str, str]:
    """Return the half-width form of each katakana letter, with its sound mark as a letter of its own."""
    from unicodedata import normalize

    halves = [chr(code) for code in range(0xFF66, 0xFF9E)] + ["ｰ"]
    pairs = [half + mark for half in halves for mark in ("", "ﾞ", "ﾟ")]
    folded = {normalize("NFKC", pair): pair for pair in reversed(pairs)}
    return {full: pair for full, pair in folded.items() if len(full) == 1}


def _half_width(text: str) -> str:
    return "".join(_halves().get(c, c) for c in _katakana(text))


def _traditional(name: str, new: str, language: Language) -> Forms:
    tables = pools.to_traditional(language), pools.to_simplified(language)
    return {name.translate(table): new.translate(table) for table in tables}


def _familiar(name: str, new: str, language: Language) -> Forms:
    """Return 小芳, 芳芳, 芳姐, 芳儿, 小王, 老王, 王老师 … of a full Chinese name such as 王芳, 国强 of 张国强.

    What is no full name has no family name: 小明 is called 明哥, 小姐 is somebody else.
    """
    (family, given), (to_family, to_given) = fullnames.full(name, language), fullnames.full(new, language)
    titles = [("", title) for title in language.facts["titles_after"]]
    called = _around(family, to_family, [*titles, ("小", ""), ("老", ""), ("姓", "")])
    called |= _around(given[-1:], to_given[-1:], [("小", ""), ("阿", ""), *(("", kin) for kin in "姐哥妹弟儿兒")])
    called[given[-1:] * 2] = to_given[-1:] * 2 or None
    if family and len(given) == 2:
        called[given] = to_given if len(to_given) == 2 else new
    return {form: to for form, to in called.items() if not language.is_role(form)}  # 弟弟 of 王弟


def _of_parts(name: str, new: str, language: Language) -> Forms:
    """Return the forms of the family name and of the given one in a Japanese name or a romanised one, and of both.

    Nothing where the new name has other parts: those of the old one are left then.
    """
    old, to = families.parts(name, language), families.parts(new, language)
    if len(old) < 2 or [part.kind for part in old] != [part.kind for part in to]:
        return {}
    pairs = [(part.text, other.text) for part, other in zip(old, to, strict=True) if part.kind]
    forms = {form: new for pair in pairs for form, new in of(*pair, language).items()}
    if len(pairs) > 1:
        before, after = ([pair[side] for pair in pairs] for side in (0, 1))
        forms |= {gap.join(before): gap.join(after) for gap in ("", " ")}
        forms |= _kana("", "", [{"reading": _reading(words, language)} for words in (before, after)])
    return forms


def _reading(words: Iterable[str], language: Language) -> str:
    """Return the reading of several words as one, "" where that of one is not known."""
    found = [pools.row(word, language).get("reading") or _hiragana(word) for word in words]
    return "".join(found) if all(found) else ""


def _around(old: str, new: str, pairs: Iterable[tuple[str, str]]) -> Forms:
    """Return a part of a name with what stands before and after it; nothing of an empty one."""
    return {before + old + after: before + new + after if new else None for before, after in pairs if old}


def _of_korean(name: str, new: str, language: Language) -> Forms:
    """Return the given name of a full Korean one, and its family name with each title, but what is a word, too (손님).

    A new name that is not a full one is a given name.
    """
    (family, given), (to_family, to_given) = fullnames.full(name, language), fullnames.full(new, language)
    titles = [("", gap + title) for title in language.facts["titles_after"] for gap in ("", " ")]
    words = language.words
    with_title = _around(family, to_family, titles)
    forms: Forms = {form: None if to in words else to for form, to in with_title.items() if form not in words}
    if given:
        forms[given] = to_given or new
        forms |= {f"{family}{gap}{given}": f"{to_family}{gap}{to_given}".strip() or new for gap in ("", " ")}
    return forms
