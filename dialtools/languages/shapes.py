"""What tables and keyboards of language data must hold to be of use; what is empty elsewhere means any, or none."""

from collections.abc import Iterable, Iterator

_RULES = ("form",)
_POOL = ("name", "gender")
FILLED = {  # columns without empty cells, by the table's name, or the folder's
    "aave": ("feature", "heads"), "aave_words": ("list", "word"), "adjectives": ("word",), "agreement": _RULES,
    "beginnings": ("word", "changed"), "compounds": ("word",), "contexts": ("context",),
    "contractions": ("long", "short"), "determiners": _RULES, "families": ("name",), "fillers": ("filler", "before"),
    "followups": ("side", "quality", "text"), "formality": ("cue", "formality"), "guards": ("phrase",),
    "homophones": ("set", "word", "weight"), "inflection": _RULES, "names": _POOL, "nicknames": ("name", "short"),
    "paraphrases": ("wording", "paraphrase"), "phrases": ("kind", "setting", "formality", "text"),
    "plurals": ("plural",), "pronouns": ("word", "gender"), "repeats": ("word",), "spellings": ("written", "place"),
    "terms": ("kind",), "traditional": ("simplified", "traditional")}
FLICK = (4, 3, 5)  # rows of keys of as many kana, some of which are ・


def empty(name: str, rows: Iterable[dict]) -> Iterator[tuple[int, str]]:
    """Yield (line, column) of the empty cells of a table that must hold something; the first row is line 2."""
    columns = FILLED.get(name.partition("/")[0].removesuffix(".tsv"), ())
    for line, row in enumerate(rows, 2):
        yield from ((line, column) for column in columns if not row.get(column, "x").strip())


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
