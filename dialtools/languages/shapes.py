"""What tables and keyboards of language data must hold to be of use; what is empty elsewhere means any, or none."""

from collections.abc import Iterable, Iterator

_RULES = ("form",)
FILLED: dict[str, tuple[str, ...]] = {  # columns without empty cells, by the table's name, or the folder's
    "aave": ("feature",), "aave_words": ("list", "word"), "adjectives": ("word",), "agreement": _RULES,
    "beginnings": ("word", "changed"), "compounds": ("word",), "contexts": ("context",),
    "contractions": ("long", "short"), "determiners": _RULES, "families": ("name",), "fillers": ("filler",),
    "followups": ("quality", "text"), "formality": ("cue",), "guards": ("phrase",), "hant": ("own", "other"),
    "homophones": ("set", "word", "weight"), "inflection": _RULES, "names": ("name",), "nicknames": ("name", "short"),
    "paraphrases": ("wording", "paraphrase"), "phrases": ("kind", "setting", "text"),
    "plurals": ("plural",), "pronouns": ("word",), "repeats": ("word",), "spellings": ("written",),
    "traditional": ("simplified", "traditional")}
_FORMALITY, _YES = ("casual", "formal"), ("", "yes")
KNOWN: dict[str, dict[str, tuple[str, ...]]] = {  # columns that hold one of some words, as above
    "aave": {"heads": ("no", "yes")}, "agreement": {"tokens": _YES}, "determiners": {"tokens": _YES},
    "inflection": {"tokens": _YES}, "beginnings": {"gender": ("", "f", "m"), "made": _YES},
    "endings": {"use": ("", "person", "call", "is", "plural")},
    "fillers": {"before": ("start", "comma", "word"), "formality": ("", *_FORMALITY)},
    "followups": {"side": ("good", "bad")}, "formality": {"formality": _FORMALITY},
    "names": {"gender": ("f", "m", "u")}, "paraphrases": {"formality": ("", *_FORMALITY)},
    "phrases": {"formality": _FORMALITY}, "pronouns": {"gender": ("f", "m", "n")},
    "spellings": {"place": ("start", "end", "any")}, "terms": {"kind": ("", "target", "attribute", "guard")}}
FLICK = (4, 3, 5)  # rows of keys of as many kana, some of which are ・


def odd_cells(name: str, rows: Iterable[dict]) -> Iterator[tuple[int, str]]:
    """Yield (line, what is wrong there) of the cells of a table that cannot be used; the first row is line 2."""
    table = name.partition("/")[0].removesuffix(".tsv")
    filled, known = FILLED.get(table, ()), KNOWN.get(table, {})
    for line, row in enumerate(rows, 2):
        for column, cell in row.items():
            if column in known and cell not in known[column]:
                yield line, f"{cell!r} is none of {', '.join(filter(None, known[column]))}"
            elif column in filled and not cell.strip():
                yield line, f"{column!r} is empty"


def keyboard_problem(found: dict) -> str | None:
    """Return what is wrong with a keyboard that has its keys, of the right types; None if it can be used.

    >>> keyboard_problem({"rows": ["qwertz", "asdf"], "offsets": [0]})
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
    if flick is not None and not (len(flick) == kana and all(
            len(row) == across and all(len(key) == letters for key in row) for row in flick)):
        return f"'flick' are {kana} rows of {across} keys of {letters} kana, ・ where there is none"
    return None
