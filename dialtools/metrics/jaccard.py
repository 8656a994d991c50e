"""Jaccard index of two sets of items, common ones by all, from 0 to 1; higher is better.

For predictions that are sets, such as the blocks that a builder places: "place oak 2 0 1; place
stone 2 1 1". `sep` or a line end separates items; white space and commas separate their fields,
and brackets around fields do not count. A repeated item counts once. Two empty sets agree (1);
one empty set scores 0. A set is one text: a list of predictions would be an n-best list whose
first counts, and a list of references several references. jq's join("; ") makes one text of a
list.

fields=2 compares only the second field of each item (the type of a block), fields=3-5 the third to
fifth (the place). Give an item that lacks a field, such as a broken block, a sign in its place:
"break - 2 0 1". An item without all compared fields equals only itself, so that sets of malformed
items do not agree by being empty.

Source: Jaccard 1912; as in "Modeling collaborative dialogue in Minecraft with action-utterance
model", equation 2.

>>> score(["place oak 2 0 1; place stone 2 1 1"], [["(place, oak, 2, 0, 1)"]])
[0.5]
>>> score(["place oak 2 0 1"], [["place oak 3 0 1"]], fields="2")
[1.0]
>>> score(["place oak 2 0 1; place stone"], [["place oak 2 0 1"]], fields="3-5")
[0.5]
"""

import re
from collections.abc import Iterator
from typing import Literal

from dialtools.plugins.metric import Metric
from dialtools.system.errors import OptionError
from dialtools.text import overlap


def score(
    predictions: list[str],
    references: list[list[str]],
    *,
    sep: str = ";",
    fields: str = "all",
    refs: Literal["max", "mean"] = "max",
) -> list[float]:
    """Return the index of each prediction.

    sep: what separates items, besides line ends.
    fields: "all", one number counted from 1, or FIRST-LAST.
    refs: take the best of several references (max), or their mean.
    """
    part = _part(fields)
    if part is None or not sep:
        raise OptionError(
            f"jaccard: fields is all, a number or FIRST-LAST, not {fields!r}, and sep is not empty"
        )
    return overlap.best(
        lambda text: set(_items(text, sep, part)), _index, predictions, references, refs
    )


def _part(fields: str) -> slice | None:
    """Return which fields of an item count, None for a malformed option."""
    if fields == "all":
        return slice(None)
    if not re.fullmatch("[1-9][0-9]*(-[1-9][0-9]*)?", fields):
        return None
    first, _, last = fields.partition("-")
    part = slice(int(first) - 1, int(last or first))
    return part if part.start < part.stop else None


def _index(predicted: set, expected: set) -> float:
    return len(predicted & expected) / len(predicted | expected) if predicted or expected else 1.0


def _items(text: str, sep: str, part: slice) -> Iterator[tuple[str | None, ...]]:
    for item in text.replace(sep, "\n").split("\n"):
        fields = re.findall(r"[^\s,()\[\]{}]+", item)
        if fields:
            yield tuple(fields[part]) if len(fields) >= (part.stop or 0) else (None, *fields)


METRIC = Metric(score, range=(0, 1), symmetric=True)
