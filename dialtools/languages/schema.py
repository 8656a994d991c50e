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
REQUIRED = {  # keys of language.json, and what they hold
    **dict.fromkeys(
        ("name", "tokenizer", "bleu_tokenizer", "speaker", "script", "space", "words"), "text"
    ),
    **dict.fromkeys(
        ("roles", "titles_before", "titles_after", "function_words", "capitalised", "calls"), _TEXTS
    ),
    "gendered": "mapping of lists of filled texts",
    "gendered_roles": "list of pairs of filled texts",
}
OPTIONAL = {
    **dict.fromkeys(
        (
            "bertscore",
            "pause",
            "place_tag",
            "subjects_end_in",
            "name_suffix",
            "roles_end_in",
            "names_end_in",
            "families_begin_with",
            "surnames",
            "rare_surnames",
        ),
        "text",
    ),
    **dict.fromkeys(("unspaced", "words_are_families"), "flag"),
    **dict.fromkeys(
        (
            "nouns",
            "double_names",
            "introductions",
            "introductions_behind",
            "name_particles",
            "before_roles",
            "no_roles",
            "agents",
            "asks",
            "prefixes",
            "clings",
            "clasps",
            "joined",
            "titles_of_families",
            "adjectives",
            "words_in_lower_case",
            "determiners",
            "before_clauses",
            "before_dates_and_places",
            "names_also_of",
            "surnames_of_two",
            "after_families",
            "places_end_in",
            "particles",
            "abbreviations",
        ),
        _TEXTS,
    ),
    **dict.fromkeys(("endings", "written"), "mapping of texts"),
    "surnames_as_words": f"text or {_TEXTS}",
    "agrees": "mapping",
}
_KEYBOARDS = {  # keys that some keyboard.json need besides rows and offsets
    "hi": {"shift": "list of texts"},
    "ja": {"flick": "list of lists of texts"},
    "zh": dict.fromkeys(("initials", "finals"), "list of lists of texts"),
}
FLICK = (4, 3, 5)  # rows of keys of as many kana, some of which are ・

FILLED, PATTERN, WEIGHT = "filled", "pattern", "weight"  # rules of a column's cells
Rule = str | tuple[str, ...]  # one of these, "" for any cell, or the words that a cell may hold
_FORMALITY, _YES = ("casual", "formal"), ("", "yes")
_REWRITING: dict[str, Rule] = {
    "form": FILLED,
    "upos": "",
    "lemma": "",
    "feats": "",
    "left": PATTERN,
    "right": PATTERN,
    "other": "",
    "note": "",
    "tokens": _YES,
}
ANY = "*"  # other columns, too
TABLES: dict[str, dict[str, Rule]] = {  # by the table's name, or the folder's; "?": may be missing
    "aave": {"order": "", "feature": FILLED, "ewave": "", "rating": "", "heads": ("no", "yes")},
    "aave_words": {"list": FILLED, "word": FILLED, "other": ""},
    "adjectives": {"word": FILLED, "synonyms": "", "stays_before": "", "stays_after?": ""},
    "agreement": _REWRITING,
    "determiners": _REWRITING,
    "inflection": _REWRITING,
    "beginnings": {
        "word": FILLED,
        "changed": FILLED,
        "before": PATTERN,
        "gender": ("", "f", "m"),
        "made": _YES,
    },
    "clauses": {"sentence": PATTERN, "ends": "", "rearranged": FILLED},
    "compounds": {"word": FILLED},
    "contexts": {"context": FILLED, "known": "", "pattern": PATTERN},
    "contractions": {
        "long": FILLED,
        "short": FILLED,
        "lemma": "",
        "contract": "",
        "expand": "",
        "formality?": ("", *_FORMALITY),
    },
    "endings": {"use": ("", "person", "call", "is", "plural"), ANY: ""},
    "families": {"name": FILLED, "reading?": "", "latin": ""},
    "fillers": {
        "filler": FILLED,
        "before": ("start", "comma", "word"),
        "formality?": ("", *_FORMALITY),
    },
    "followups": {"quality": FILLED, "side": ("good", "bad"), "text": FILLED},
    "formality": {"cue": FILLED, "formality": _FORMALITY},
    "groups": {"name": FILLED, "gender": ("f", "m", "u"), "reading?": "", "latin?": ""},
    "guards": {"phrase": FILLED},
    "hant": {"own": FILLED, "other": FILLED, "both": ""},
    "homophones": {"set": FILLED, "word": FILLED, "upos?": "", "weight": WEIGHT},
    "names": {"name": FILLED, "gender": ("f", "m", "u"), "reading?": "", "latin?": ""},
    "nicknames": {"name": FILLED, "short": FILLED},
    "paraphrases": {
        "wording": FILLED,
        "before": PATTERN,
        "after": PATTERN,
        "paraphrase": FILLED,
        "formality?": ("", *_FORMALITY),
    },
    "phrases": {"kind": FILLED, "setting": FILLED, "text": FILLED, "formality": _FORMALITY},
    "plurals": {"ending": PATTERN, "plural": FILLED},
    "pronouns": {"word": FILLED, "gender": ("f", "m", "n")},
    "repeats": {"word": FILLED},
    "spellings": {"written": FILLED, "alike": "", "place": ("start", "end", "any")},
    "terms": {
        "kind": ("", "target", "attribute", "guard"),
        "one": "",
        "two": "",
        "when?": "",
        "next?": "",
    },
    "traditional": {"simplified": FILLED, "traditional": FILLED},
}


def keys(code: str, name: str) -> dict[str, str]:
    """Return the required keys of language.json or keyboard.json, each with what it must be."""
    if name == "language.json":
        return REQUIRED
    return {"rows": "list of texts", "offsets": "list of numbers", **_KEYBOARDS.get(code, {})}


def value_problem(code: str, name: str, found: dict) -> str | None:
    """Return what is wrong with the values of an object that has the required keys, or None."""
    known = keys(code, name) | (OPTIONAL if name == "language.json" else {})
    for key, value in found.items():
        if key in known and not any(_fits(value, kind) for kind in known[key].split(" or ")):
            return f"{key!r} must be a {known[key]}, not {show(value)}"
    return None if name == "language.json" else _keyboard_problem(found)


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


def _keyboard_problem(found: dict) -> str | None:
    """Return what is wrong with the shape of a keyboard, or None.

    >>> _keyboard_problem({"rows": ["qwertz", "asdf"], "offsets": [0]})
    'there are 2 rows and 1 offsets'
    """
    rows = len(found["rows"])
    for key in ("offsets", "shift"):
        if len(found.get(key, found["rows"])) != rows:
            return f"there are {rows} rows and {len(found[key])} {key}"
    for row, above in zip(found["rows"], found.get("shift", ()), strict=False):
        if len(above) > len(row):
            return f"'shift' has more keys than the row {row!r}"
    for key in ("initials", "finals"):
        if not all(len(pair) == 2 and all(pair) for pair in found.get(key, ())):
            return f"{key!r} are pairs of sounds"
    kana, across, letters = FLICK
    flick = found.get("flick")
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
    found = TABLES.get(name.partition("/")[0].removesuffix(".tsv"))
    return found and {column.removesuffix("?"): rule for column, rule in found.items()}


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
    columns = [column for column, own in (table(name) or {}).items() if own == rule]
    return (
        (row[column], line)
        for line, row in enumerate(rows, 2)
        for column in columns
        if column in row
    )
