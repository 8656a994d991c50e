"""What is wrong or odd in a pool of names: (level, finding, example) triples.

Wrong is what dt-swap-names refuses, never draws, or would take for another
name; odd is what can be drawn, but makes some mentions uncertain.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from dialtools import languages
from dialtools.languages import Language
from dialtools.languages.scripts import compiled
from dialtools.names import orthography, own
from dialtools.records.wellformed import GENDERS
from dialtools.system.errors import show

Found = tuple[str, str, str]


def rows(lines: Iterable[tuple[str, bytes]], lang: str) -> Iterator[dict]:
    """Yield a dict for each line of a pool: name, gender, language, place; "bytes" instead of a
    name that is not UTF-8.

    "beyond" is what stands beyond the columns.
    """
    keys, separator = own.COLUMNS, own.TAB
    for place, line in lines:
        try:
            text = line.decode()
        except UnicodeDecodeError:
            yield {"bytes": line, "lang": lang, "place": place}
            continue
        if place.endswith(":1") and (named := own.header(text)):
            keys, separator = named
        else:
            cells = own.cells(text, separator)
            yield {
                "name": "",
                "gender": "",
                **dict(zip(keys, cells, strict=False)),
                "beyond": own.beyond(cells, keys),
                "lang": lang,
                "place": place,
            }


def findings(row: dict, before: dict[str, dict]) -> Iterator[Found]:
    """Yield what is wrong or odd with a row of a pool.

    before: the rows that came before, by what their names have in common; gets this one.
    """
    name, gender = row.get("name"), row.get("gender", "")
    if name is None:
        yield "wrong", "a line that is not UTF-8", show(repr(row.get("bytes")))
        return
    if not name.strip():
        yield "wrong", "a line without a name", show(row.get("gender", ""))
        return
    if row.get("beyond"):
        yield "wrong", "cells beyond the columns that the first line names", show(row["beyond"])
    if own.is_of_table(name):
        yield "wrong", "a row of a table whose first line names no columns", show(name)
        return
    if own.gender(gender) not in GENDERS:
        yield "wrong", "a gender that is not f, m or u", f"{name}: {show(gender)}"
    if not gender.strip():
        yield "odd", "a name without a gender", show(name)
    first = before.setdefault(f"{row.get('group', '')}\t{orthography.key(name)}", row)
    if first is not row:
        yield _repeated(name, gender, first)
    yield from _written(name)
    yield from _meant(name, languages.get(row["lang"]))


def few(rows: Iterable[dict]) -> Iterator[Found]:
    """Yield that there are no names, or few of a gender, if a pool tells genders at all."""
    genders = Counter(own.gender(row["gender"]) for row in rows)
    if not genders:
        yield "wrong", "no names", ""
    elif (genders["f"] or genders["m"]) and min(genders["f"], genders["m"]) < 10:
        yield "odd", "few names of a gender", f"{genders['f']} f, {genders['m']} m"


def _repeated(name: str, gender: str, first: dict) -> Found:
    if first["name"] != name:
        both = f"{show(first['name'])}, {show(name)}"
        return "wrong", "names that differ in case, encoding or white space only", both
    if first["gender"] != gender:
        return (
            "wrong",
            "a name with two genders",
            f"{name}: {show(first['gender'])}, {show(gender)}",
        )
    return "wrong", "a name that is there twice", show(name)


def _written(name: str) -> Iterator[Found]:
    """Yield what is wrong or odd with the characters of a name."""
    import unicodedata

    if compiled(r"\p{Cc}|\ufeff|\ufffd").search(name):
        yield "wrong", "a control character, or one that was not decoded", show(name)
    if name != " ".join(name.split()):
        yield "wrong", "white space that is doubled, or around the name", show(name)
    if compiled(r"\p{Latin}\p{M}*\.?").fullmatch(name.strip()):
        yield "wrong", "a name of one letter", show(name)
    if not unicodedata.is_normalized("NFC", name):
        yield "odd", "a name that is not in Unicode's composed form (NFC)", show(name)
    if compiled(r"[^\p{L}\p{M} .'’·・‧\u200c\u200d-]").search(name):
        yield "odd", "digits or signs in a name", show(name)


def _meant(name: str, language: Language) -> Iterator[Found]:
    """Yield what a name means else than its bearer."""
    data, lower = language.facts, name.strip().lower()
    if lower in {word.lower() for word in data["function_words"]}:
        yield "wrong", "a function word, which is never drawn", show(name)
    elif lower in language.words or lower in data["capitalised"]:
        yield "odd", "a word of the language, too", show(name)
    if language.is_role(name):
        yield "odd", "a role, or a letter that stands for somebody", show(name)
    if compiled(rf"[^{language.letters}\P{{L}}]").search(name):
        yield "odd", f"letters that are not of the script of {language.code}", show(name)
