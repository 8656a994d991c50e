"""The ways to write a name: case, composition, widths, scripts, readings, familiar forms; its sounds.

A form that cannot be carried over (a kana reading, where the new name has none) maps to None, one
that several people share to AMBIGUOUS: both are found, left and reported.
"""

import functools
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from dialtools.languages.scripts import JOINED, JOINERS, compiled
from dialtools.names import full_names
from dialtools.names.customs import Forms
from dialtools.names.lexicon import Lexicon

AMBIGUOUS = ""
_FULL_WIDTH = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
_JOINER = f"[{JOINERS}]*"
_IGNORED = {
    **dict.fromkeys(map(ord, JOINERS + "\u093c")),
    ord("’"): "'",
    **dict.fromkeys(map(ord, "‐‑"), "-"),
}
_MARKS = {"'": "['’]", "-": "[-‐‑]"}  # each is written in several ways
# Hindi nasals that a dot (ं) is written for as well: अनन्त, अनंत.
_NASALS = "ङ्(?=[कखगघ])|ञ्(?=[चछजझ])|ण्(?=[टठडढ])|न्(?=[तथदध])|म्(?=[पफबभ])|ँ"
_HINDI = {
    "ं": f"(?:[ंँ]|[ङञणनम]{_JOINER}्)",
    **{
        letter: f"(?:{letter}\u093c?|{chr(0x958 + number)})"
        for number, letter in enumerate("कखगजडढफय")
    },
}
_UNSEEN = r"\p{Default_Ignorable_Code_Point}\p{M}\p{Cc}\p{Cf}\s"


@functools.lru_cache(maxsize=4096)
def key(text: str) -> str:
    """Return what all ways to write a name have in common: composed, no joiners and nuktas, one
    space, any case.

    >>> key("Mary\u00a0ANN"), key("अनन्त") == key("अनंत")
    ('mary ann', True)
    """
    return folded(text)


def folded(text: str) -> str:
    """Return the key of a text of any length, without keeping it."""
    return " ".join((text if text.isascii() else _composed(text)).split()).lower()


def _composed(text: str) -> str:
    """Return a text composed, without joiners and nuktas, and with dots for Hindi nasals."""
    composed = unicodedata.normalize("NFC", text).translate(_IGNORED)
    return re.sub(_NASALS, "ं", composed) if "्" in composed or "ँ" in composed else composed


def is_visible(text: str) -> bool:
    """Is there something to see in a text: no white space, joiners, marks and the like alone?

    >>> is_visible("Ann"), is_visible("🙂"), is_visible("\u200d\u2060"), is_visible("\u0301")
    (True, True, False, False)
    """
    return text.isalnum() or compiled(f"[^{_UNSEEN}]").search(text) is not None


def is_new_name(text: str, letters: int = 1) -> bool:
    """Can a text be a new name: not empty, without a colon, tab or line break?

    letters: how many there must be, if it is a Latin one.
    """
    is_long = len(text.strip()) >= (letters if text.isascii() else 1)
    return is_long and is_visible(text) and not set(":：\n\r\t") & set(text)


def is_initial(form: str) -> bool:
    """Is a form a single Latin letter, which is a name only as a speaker's label?"""
    return len(form) == 1 and form.isascii()


def tolerant(form: str) -> str:
    """Return a pattern (of re, to be used in any case) of all ways to write a form."""
    if form.isascii():
        spaced = r"\s+".join(map(re.escape, form.split()))
        return spaced.replace("'", _MARKS["'"]).replace(r"\-", _MARKS["-"])
    patterns: list[str] = []
    for cluster in compiled(r"\X").findall(_composed(form)):
        if compiled(r"\p{Devanagari}").match(cluster):
            patterns += [_HINDI.get(letter, letter) for letter in cluster]
        elif cluster.isspace():
            patterns.append(r"\s+")
        elif cluster in _MARKS:
            patterns.append(_MARKS[cluster])
        else:
            codes = sorted({cluster, unicodedata.normalize("NFD", cluster)})
            ways = "|".join(_JOINER.join(map(re.escape, code)) for code in codes)
            patterns.append(f"(?:{ways})" if len(codes) > 1 else ways)
    may_be_joined = re.search(f"[{JOINERS}]", form) or compiled(
        rf"(?![\p{{Latin}}{JOINED}])[\p{{L}}\p{{M}}]"
    ).match(form[-1])
    return (_JOINER if may_be_joined else "").join(patterns)


def last_sound(name: str, lexicon: Lexicon) -> str:
    """Return the class of a name's last sound, a column of endings.tsv; "" in a language without
    endings.

    >>> from dialtools.languages import get
    >>> from dialtools.names import lexicon
    >>> korean, english = (lexicon.of(get(tag)) for tag in ("ko", "en"))
    >>> last_sound("민준", korean), last_sound("민지", korean), last_sound("James", english)
    ('consonant', 'vowel', 'hiss')
    """
    endings = lexicon.facts.get("endings", {})
    letters = without_marks(name) if endings else ""
    return next(
        (sound for sound, end in endings.items() if compiled(f"(?i){end}").search(letters)), ""
    )


def without_marks(name: str) -> str:
    """Return a name in letters without accents, Hangul in its sounds."""
    if name.isascii():
        return name
    decomposed = unicodedata.normalize("NFD", name)
    return "".join(letter for letter in decomposed if unicodedata.category(letter) != "Mn")


@functools.lru_cache(maxsize=4096)
def of(
    name: str, new: str, lexicon: Lexicon, readings: tuple[tuple[str, str, str], ...] = ()
) -> Forms:
    """Return all forms of a name, the name first, each with the form of the new name.

    readings: (name, reading, latin) of names that the pools of the language do not know.
    """
    forms: Forms = {name: new}
    bare, bare_new = unsigned(name, new, lexicon)
    if bare == name:
        bare, bare_new = untitled(name, new, lexicon)
    if bare != name:
        of_bare = of(bare, bare_new, lexicon, readings).items()
        return forms | {form: to for form, to in of_bare if form != new}
    if name.isascii() and len(name) > 1:
        forms[name.translate(_FULL_WIDTH)] = new.translate(_FULL_WIDTH)

    rows_of = {name: {"reading": reading, "latin": latin} for name, reading, latin in readings}
    rows = [rows_of.get(word) or lexicon.row(word) for word in (name, new)]
    if further := lexicon.customs.forms:
        forms |= further(name, new, rows, lexicon)

    # the usual Latin spelling of a name in another script (Taro for 太郎), and the reverse, if the
    # pools spell one name so
    latin, new_latin = (row.get("latin") for row in rows)
    if latin and latin != name:
        forms[latin] = new_latin or None
    native, new_native = (lexicon.native.get(word, ()) for word in (name, new))
    if len(native) == 1:
        in_new_script = new_native[0] if len(new_native) == 1 else None
        forms[native[0]] = in_new_script if new.isascii() else new
    return {form: to for form, to in forms.items() if form and (form == name or form != new)}


def add(forms: Forms, form: str, new: str | None) -> None:
    """Add what a form becomes, AMBIGUOUS if it already becomes something else."""
    forms[form] = new if forms.get(form, new) == new else AMBIGUOUS


def untitled(name: str, new: str, lexicon: Lexicon) -> tuple[str, str]:
    """Return a name that has a title (王芳老师) and its new one, both without that; as they are, if it
    has no parts.
    """
    name, new = unsigned(name, new, lexicon)
    parts = full_names.parts(name, lexicon)
    if not parts:
        return name, new
    before, after = ("" if part.kind else part.text for part in (parts[0], parts[-1]))
    return (
        name.removeprefix(before).removesuffix(after),
        new.removeprefix(before).removesuffix(after),
    )


def unsigned(name: str, new: str, lexicon: Lexicon) -> tuple[str, str]:
    """Return a name in signs (**Ann**) and its new one without these; as they are, if it has no
    parts: Host (Ann).
    """
    first, label, last = full_names.unsigned(name)
    if label == name or not full_names.parts(name, lexicon):
        return name, new
    return label, new.removeprefix(first).removesuffix(last)


def of_parts(name: str, new: str, lexicon: Lexicon) -> Forms:
    """Return the forms of the family name and of the given one in a Japanese name or a romanised
    one, and of both.
    """
    pairs = paired(name, new, lexicon)
    forms = {form: new for pair in pairs for form, new in of(*pair, lexicon).items()}
    if len(pairs) > 1:
        before, after = ([pair[side] for pair in pairs] for side in (0, 1))
        forms |= {gap.join(before): gap.join(after) for gap in ("", " ")}
    return forms


def paired(name: str, new: str, lexicon: Lexicon) -> list[tuple[str, str]]:
    """Return the parts of a name, each with that of the new name; [] if that has other parts:
    those are left then.
    """
    parts, new_parts = full_names.parts(name, lexicon), full_names.parts(new, lexicon)
    if len(parts) < 2 or [part.kind for part in parts] != [part.kind for part in new_parts]:
        return []
    return [
        (part.text, new_part.text)
        for part, new_part in zip(parts, new_parts, strict=True)
        if part.kind
    ]


def around(part: str, new: str, pairs: Iterable[tuple[str, str]]) -> Forms:
    """Return a part of a name with what stands before and after it; nothing of an empty one."""
    return {
        before + part + after: before + new + after if new else None
        for before, after in pairs
        if part
    }


def of_all(
    names: Mapping[str, str],
    declared: Mapping[str, str | None],
    lexicon: Lexicon,
    readings: Iterable[Sequence[str]] = (),
) -> Forms:
    """Return each form of all names with what it becomes; None where the new name has no such form.

    Names come first, then declared aliases, as `of_aliases` returns them, then what follows from
    the language (readings, widths, familiar forms).  A form that two people share is AMBIGUOUS.
    """
    stated: Forms = {**declared, **names}
    derived: Forms = {}
    known = tuple((name, reading, latin) for name, reading, latin in readings)
    for old, new in names.items():
        for form, to in of(old, new, lexicon, known).items():
            if form not in stated:
                add(derived, form, to)
    return stated | derived


def of_aliases(people: Iterable[dict], names: Mapping[str, str], lexicon: Lexicon) -> Forms:
    """Return what declared aliases become: the initial of J. Smith follows the new name, else it
    is the new name.

    An alias without a title gets none (Anna of Dr. Anna Smith).  One that two
    people share is AMBIGUOUS.
    """
    renamed: Forms = {}
    for person in people:
        old = person["name"]
        if old not in names or not person["aliases"]:
            continue
        bare, new = untitled(old, names[old], lexicon)
        for alias in person["aliases"]:
            to = new
            if alias[:2] == f"{bare[:1]}." and not old.startswith(alias):
                to = f"{new[:1]}.{alias[2:]}"
            elif full_names.untitled(alias, lexicon)[1] != alias:
                to = names[old]
            add(renamed, alias, to)
    return renamed
