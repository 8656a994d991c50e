"""Other ways to write a name: widths, scripts, readings, familiar forms.

A form that cannot be carried over (a kana reading, where the new name has
none) maps to None, one that several people share to AMBIGUOUS: both are found,
left and reported.
"""

import functools
from collections.abc import Iterable

from dialtools.languages import Language
from dialtools.names import customs, full_names, pools
from dialtools.names.customs import Forms

AMBIGUOUS = ""
_FULL_WIDTH = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}


@functools.lru_cache(maxsize=4096)
def of(
    name: str, new: str, language: Language, readings: tuple[tuple[str, str, str], ...] = ()
) -> Forms:
    """Return all forms of a name, the name first, each with the form of the new name.

    readings: (name, reading, latin) of names that the pools of the language do not know.
    """
    rows_of = {name: {"reading": reading, "latin": latin} for name, reading, latin in readings}
    rows = [rows_of.get(word) or pools.row(word, language) for word in (name, new)]
    forms: Forms = {name: new}
    bare, to = _unsigned(name, new, language)
    if bare == name:
        bare, to = untitled(name, new, language)
    if bare != name:
        return forms | {
            form: other for form, other in of(bare, to, language, readings).items() if form != new
        }
    if name.isascii() and len(name) > 1:
        forms[name.translate(_FULL_WIDTH)] = new.translate(_FULL_WIDTH)
    if further := customs.of(language).forms:
        forms |= further(name, new, rows, language)
    forms |= _latin(name, rows) | _native(name, new, language)
    return {form: to for form, to in forms.items() if form and (form == name or form != new)}


def add(forms: Forms, form: str, new: str | None) -> None:
    """Add what a form becomes, AMBIGUOUS if it already becomes something else."""
    forms[form] = new if forms.get(form, new) == new else AMBIGUOUS


def untitled(name: str, new: str, language: Language) -> tuple[str, str]:
    """Return a name that has a title (王芳老师) and its new one, both without that; as they are, if it
    has no parts.
    """
    name, new = _unsigned(name, new, language)
    parts = full_names.parts(name, language)
    if not parts:
        return name, new
    before, after = ("" if part.kind else part.text for part in (parts[0], parts[-1]))
    return (
        name.removeprefix(before).removesuffix(after),
        new.removeprefix(before).removesuffix(after),
    )


def _unsigned(name: str, new: str, language: Language) -> tuple[str, str]:
    """Return a name in signs (**Ann**) and its new one without these; as they are, if it has no
    parts: Host (Ann).
    """
    first, label, last = full_names.unsigned(name)
    if label == name or not full_names.parts(name, language):
        return name, new
    return label, new.removeprefix(first).removesuffix(last)


def _latin(name: str, rows: list[dict]) -> Forms:
    """Return the usual Latin spelling of a name in another script (Taro for 太郎)."""
    old, to = (row.get("latin") for row in rows)
    return {old: to or None} if old and old != name else {}


def _native(name: str, new: str, language: Language) -> Forms:
    """Return a name of Latin letters in the language's own script, if its pools spell one name so
    (राहुल of Rahul).
    """
    old, to = (pools.spelled(language).get(word, ()) for word in (name, new))
    if len(old) != 1:
        return {}
    if not new.isascii():
        return {old[0]: new}
    return {old[0]: to[0] if len(to) == 1 else None}


def of_parts(name: str, new: str, language: Language) -> Forms:
    """Return the forms of the family name and of the given one in a Japanese name or a romanised
    one, and of both.
    """
    pairs = paired(name, new, language)
    forms = {form: new for pair in pairs for form, new in of(*pair, language).items()}
    if len(pairs) > 1:
        before, after = ([pair[side] for pair in pairs] for side in (0, 1))
        forms |= {gap.join(before): gap.join(after) for gap in ("", " ")}
    return forms


def paired(name: str, new: str, language: Language) -> list[tuple[str, str]]:
    """Return the parts of a name, each with that of the new name; [] if that has other parts:
    those are left then.
    """
    old, to = full_names.parts(name, language), full_names.parts(new, language)
    if len(old) < 2 or [part.kind for part in old] != [part.kind for part in to]:
        return []
    return [(part.text, other.text) for part, other in zip(old, to, strict=True) if part.kind]


def around(old: str, new: str, pairs: Iterable[tuple[str, str]]) -> Forms:
    """Return a part of a name with what stands before and after it; nothing of an empty one."""
    return {
        before + old + after: before + new + after if new else None
        for before, after in pairs
        if old
    }
