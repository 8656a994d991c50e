"""The schema of language data: what language.json, keyboard.json and each table must hold.

README.md in this folder explains each key and table.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from dialtools.system.errors import show

_TYPES: dict[str, Any] = {
    "text": str,
    "filled text": str,
    "flag": bool,
    "number": (int, float),
    "list": list,
    "pair": list,
    "mapping": dict,
}
_TEXTS = "list of filled texts"


def _all(kind: str, keys: str) -> dict[str, str]:
    return dict.fromkeys(keys.split(), kind)


# keys of language.json, and what they hold
REQUIRED = {
    **_all("text", "name tokenizer bleu_tokenizer speaker script space words"),
    **_all(_TEXTS, "roles titles_before titles_after function_words capitalised calls"),
    "gendered": "mapping of lists of filled texts",
    "gendered_roles": "list of pairs of filled texts",
}
OPTIONAL = {
    **_all("text", "bertscore pause place_tag subjects_end_in name_suffix roles_end_in"),
    **_all("text", "names_end_in families_begin_with surnames rare_surnames"),
    **_all("flag", "unspaced words_are_families"),
    **_all(_TEXTS, "nouns double_names name_particles"),
    **_all(_TEXTS, "before_roles no_roles agents asks prefixes clings clasps joined"),
    **_all(_TEXTS, "titles_of_families adjectives words_in_lower_case determiners"),
    **_all(_TEXTS, "before_clauses before_dates_and_places names_also_of surnames_of_two"),
    **_all(_TEXTS, "after_families places_end_in particles abbreviations"),
    **_all("mapping of texts", "endings written"),
    "surnames_as_words": f"text or {_TEXTS}",
    "agrees": "mapping",
}
_KEYBOARDS = {  # keys that some keyboard.json need besides rows and offsets
    "hi": {"shift": "list of texts"},
    "ja": {"flick": "list of lists of texts"},
    "zh": _all("list of lists of texts", "initials finals"),
}
FLICK = (4, 3, 5)  # rows of keys of as many kana, some of which are ・

FILLED, PATTERN, WEIGHT = "filled", "pattern", "weight"  # rules of a column's cells
Rule = str | tuple[str, ...]  # one of these, "" for any cell, or the words that a cell may hold
ANY = "*"  # other columns, too
_RULES = {"!": FILLED, "~": PATTERN, "#": WEIGHT}
_SENTENCES = "pattern~ other note!"
_REWRITING = "form! upos lemma feats left~ right~ other note tokens=|yes"
# The columns of tables, by the table's name, or the folder's: "!" is behind one whose cells are
# filled, "~" hold a pattern, "#" a weight, "=" one of some words; "?" behind one that may be missing.
_COLUMNS = {
    "address": "familiar! formal! kind=pronoun|verb",
    "adjectives": "word! synonyms stays_before stays_after?",
    "agreement": _REWRITING,
    "determiners": _REWRITING,
    "dialect_words": "list! word! other",
    "dialects": "order feature! ewave heads=no|yes aave indian nigerian scottish singapore",
    "inflection": _REWRITING,
    "british": "american! british! only=|american|british",
    "beginnings": "word! changed! before~ gender=|f|m made=|yes",
    "clauses": "sentence~ ends rearranged!",
    "compounds": "word!",
    "contexts": "context! known pattern~",
    "contractions": "long! short! lemma contract expand formality?=|casual|formal",
    "emoticons": "emoticon! emoji!",
    "endings": "use=|person|call|is|plural *",
    "families": "name! reading? latin",
    "fillers": "filler! before=start|comma|word formality?=|casual|formal",
    "followups": "quality! side=good|bad text!",
    "formality": "cue! formality=casual|formal",
    "genders": "to=f|m form! other upos when right~ place=|before",
    "groups": "name! gender=f|m|u reading? latin?",
    "guards": "phrase!",
    "hant": "own! other! both",
    "homophones": "set! word! upos? weight#",
    "introductions": "before after name=any|known",
    "negation": _SENTENCES,
    "names": "name! gender=f|m|u reading? latin?",
    "nicknames": "name! short!",
    "ocr": "written! read!",
    "paraphrases": "wording! before~ after~ paraphrase! formality?=|casual|formal",
    "phrases": "kind! setting! text! formality=casual|formal",
    "plurals": "ending~ plural!",
    "politeness": _SENTENCES,
    "pronouns": "word! gender=f|m|n",
    "remarks": "part=greeting|answer|address|closing text!",
    "repeats": "word!",
    "spellings": "written! alike place=start|end|any",
    "tags": _SENTENCES,
    "tense": _SENTENCES,
    "terms": "kind=|target|attribute|guard one two when? next?",
    "traditional": "simplified! traditional!",
}


def _columns(columns: str) -> dict[str, Rule]:
    rules: dict[str, Rule] = {}
    for column in columns.split():
        name, sign, words = column.partition("=")
        rule = _RULES.get(name[-1], "")
        rules[name.rstrip("!~#")] = tuple(words.split("|")) if sign else rule
    return rules


TABLES = {table: _columns(columns) for table, columns in _COLUMNS.items()}


def keys(code: str, name: str) -> dict[str, str]:
    """Return the required keys of language.json or keyboard.json, each with what it must be."""
    if name == "language.json":
        return REQUIRED
    return {"rows": "list of texts", "offsets": "list of numbers", **_KEYBOARDS.get(code, {})}


def value_problem(code: str, name: str, values: dict) -> str | None:
    """Return what is wrong with the values of an object that has the required keys, or None."""
    known = keys(code, name) | (OPTIONAL if name == "language.json" else {})
    for key, value in values.items():
        if key in known and not any(_fits(value, kind) for kind in known[key].split(" or ")):
            return f"{key!r} must be a {known[key]}, not {show(value)}"
    return None if name == "language.json" else _keyboard_problem(values)


def _fits(value: Any, kind: str) -> bool:
    """Tell whether a value is of a kind.

    >>> _fits([["a"], []], "list of lists of texts"), _fits([""], "list of filled texts")
    (True, False)
    """
    outer, _, inner = kind.partition(" of ")
    outer = outer.removesuffix("s")
    if not isinstance(value, _TYPES[outer]) or (outer == "filled text" and not value):
        return False
    if outer == "pair" and len(value) != 2:
        return False
    inside = value.values() if isinstance(value, dict) else value
    return not inner or all(_fits(item, inner) for item in inside)


def _keyboard_problem(keyboard: dict) -> str | None:
    """Return what is wrong with the shape of a keyboard, or None.

    >>> _keyboard_problem({"rows": ["qwertz", "asdf"], "offsets": [0]})
    'there are 2 rows and 1 offsets'
    """
    rows = len(keyboard["rows"])
    for key in ("offsets", "shift"):
        if len(keyboard.get(key, keyboard["rows"])) != rows:
            return f"there are {rows} rows and {len(keyboard[key])} {key}"
    for row, above in zip(keyboard["rows"], keyboard.get("shift", ()), strict=False):
        if len(above) > len(row):
            return f"'shift' has more keys than the row {row!r}"
    for key in ("initials", "finals"):
        if not all(len(pair) == 2 and all(pair) for pair in keyboard.get(key, ())):
            return f"{key!r} are pairs of sounds"
    kana, across, letters = FLICK
    flick = keyboard.get("flick")
    if flick is not None and not (
        len(flick) == kana
        and all(len(row) == across and all(len(key) == letters for key in row) for row in flick)
    ):
        return f"'flick' are {kana} rows of {across} keys of {letters} kana, ・ where there is none"
    return None


def table(name: str) -> dict[str, Rule] | None:
    """Return the rules of a table's columns, None for a table that nothing reads.

    >>> table("names/frequent")["name"], table("fillers.tsv")["before"]
    ('filled', ('start', 'comma', 'word'))
    """
    rules = TABLES.get(name.partition("/")[0].removesuffix(".tsv"))
    return rules and {column.removesuffix("?"): rule for column, rule in rules.items()}


def missing(name: str, columns: Iterable[str]) -> list[str]:
    """Return the required columns that a table lacks."""
    rules = TABLES.get(name.partition("/")[0].removesuffix(".tsv"), {})
    required = {column for column in rules if not column.endswith("?") and column != ANY}
    return sorted(required.difference(columns))


def odd_cells(name: str, rows: Iterable[dict]) -> Iterator[tuple[int, str]]:
    """Yield (line, what is wrong) of the cells of a table; the first row is line 2."""
    rules = table(name) or {}
    for line, row in enumerate(rows, 2):
        for column, cell in row.items():
            rule = rules.get(column, "")
            if isinstance(rule, tuple) and cell not in rule:
                yield line, f"{cell!r} is none of {', '.join(filter(None, rule))}"
            elif rule in (FILLED, WEIGHT) and not cell.strip():
                yield line, f"{column!r} is empty"


def cells_of(name: str, rule: str, rows: Iterable[dict]) -> Iterator[tuple[str, int]]:
    """Yield (cell, line) of the columns of a table that have a rule."""
    columns = [column for column, kind in (table(name) or {}).items() if kind == rule]
    return (
        (row[column], line)
        for line, row in enumerate(rows, 2)
        for column in columns
        if column in row
    )
