"""A source and its variants as a patch: a file with the texts of the original, and one for each
variant, copied from it and changed.
"""

import re
from collections.abc import Iterator
from difflib import unified_diff
from urllib.parse import quote

from dialtools.records import history
from dialtools.tables.differences import REMOVED
from dialtools.tables.sources import SourceView

ORIGINAL = "original"
NULL = "/dev/null"
_UNUSUAL = re.compile(r"^\.|[^\w.,:=@()+-]")


def lines(source: SourceView) -> Iterator[str]:
    """Yield the lines of a patch that writes the original, and then each variant, to files.

    They are called ID/original, ID/VARIANT, with the system before where there is one.  A turn is a
    line "Name: text", any other text one with its key; a text of several lines takes several.
    """
    named = [(row.label, row.original) for row in source.rows]
    before = _content([(label, text) for label, text in named if text is not None])
    first = _path(source.original)
    yield f"diff --git a/{first} b/{first}"
    yield "new file mode 100644"
    yield from _changes([], before, NULL, f"b/{first}")
    for number, variant in enumerate(source.variants):
        texts = []
        for row in source.rows:
            pieces = row.variants[number]
            if pieces is not None:
                text = "".join(piece.text for piece in pieces if piece.sign != REMOVED)
                texts.append((row.label, text))
        path = _path(variant)
        yield f"diff --git a/{first} b/{path}"
        yield f"copy from {first}"
        yield f"copy to {path}"
        yield from _changes(before, _content(texts), f"a/{first}", f"b/{path}")


def _content(texts: list[tuple[str, str]]) -> list[str]:
    """Return the lines of a file; texts: of turns, whose labels are numbers, and others."""
    rows: list[str] = []
    for label, text in texts:
        named = text if not label or label.isdecimal() else f"{label}: {text}"
        rows += named.split("\n")
    return rows


def _changes(before: list[str], after: list[str], old: str, new: str) -> Iterator[str]:
    yield from unified_diff(before, after, old, new, lineterm="")


def _path(record: dict) -> str:
    """Return the name of a record's file; what a file name should not hold is percent-escaped."""
    variant = history.typed(record.get("variant") or ORIGINAL)
    parts = [record.get("system"), record["id"], variant]
    return "/".join(
        _UNUSUAL.sub(lambda sign: "%2E" if sign[0] == "." else quote(sign[0], ""), str(part))
        for part in parts
        if part is not None
    )
