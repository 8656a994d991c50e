"""A table before it is written: cells, heads, what stands above and below it; labels that fit."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

LONGEST_NAME = 28  # characters of a name in a table
# of a path, alone or within a label
_FOLDERS = r"(?:[^\s,:=|/]*/){2,}(?=(?:[^\s,:=|/]+/){%d}[^\s,:=|/])"
_CUT = "…"
_LONG = 20  # characters of a label from which on its options matter less than its width
_OPTIONS = re.compile(r":(?=\w+=)")  # begin after it
NOTHING = "–"
STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
LEVELS = ", ".join(f"{marks} p < {bound:g}" for bound, marks in reversed(STARS))


class Cell(NamedTuple):
    """A number or a text; spread: its interval, "± 1.3" or "[0.2, 4.1]"."""

    text: str
    spread: str = ""
    stars: str = ""
    best: bool = False


class Grid(NamedTuple):
    """A table.

    names: how many of the first columns name a row.
    blocks: the rows that begin a block.
    optional: the columns that are left out first where a line has no room, the last one first.
    aside: LaTeX has it as a comment.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    right: Sequence[bool]
    above: Sequence[str] = ()
    names: int = 1
    blocks: Sequence[int] = ()
    optional: Sequence[int] = ()
    aside: bool = False

    def chosen(self, columns: Sequence[int]) -> "Grid":
        """Return the table with some of its columns."""
        return self._replace(
            head=[self.head[column] for column in columns],
            rows=[[row[column] for column in columns] for row in self.rows],
            right=[self.right[column] for column in columns],
            optional=(),
            names=sum(column < self.names for column in columns),
        )


class Page(NamedTuple):
    """Tables, and what stands below them; verdicts are comments in LaTeX."""

    grids: Sequence[Grid]
    notes: Sequence[str] = ()
    verdicts: Sequence[str] = ()
    signatures: Sequence[str] = ()


def stars(p: float | None) -> str:
    """Return the marks of a p."""
    return "" if p is None else next((marks for bound, marks in STARS if p < bound), "")


def shortened(names: Iterable[str], most: int = LONGEST_NAME) -> dict[str, str]:
    """Return a short form of each name, all different: paths lose folders, others their middle.

    >>> list(shortened(["bertscore:model=/data/models/roberta-large,layer=17", "rougeL"]).values())
    ['bertscore:mode…arge,layer=17', 'rougeL']
    >>> list(shortened(["/home/me/runs/a/out", "/home/me/runs/b/out"], 12).values())
    ['…/a/out', '…/b/out']
    """
    distinct = list(dict.fromkeys(names))
    if all(len(name) <= most for name in distinct):
        return {name: name for name in distinct}
    forms = (
        [re.sub(_FOLDERS % folders, f"{_CUT}/", name) for name in distinct] for folders in range(8)
    )
    short = next((form for form in forms if len({*form}) == len(distinct)), distinct)
    return dict(zip(distinct, _cut(short, most), strict=True))


def of_metrics(labels: Iterable[str]) -> dict[str, str]:
    """Return a short form of each label: long ones lose the options that tell none apart.

    >>> list(of_metrics(["bertscore:model=/data/models/roberta-large,layer=17", "rougeL"]).values())
    ['bertscore', 'rougeL']
    >>> list(of_metrics(["S:cosine:model=a/roberta,layer=1", "S:cosine:model=a/roberta,layer=2"
    ...                  ]).values())
    ['S:cosine:layer=1', 'S:cosine:layer=2']
    """
    distinct = list(dict.fromkeys(labels))
    parts = {label: _OPTIONS.split(label, maxsplit=1) for label in distinct}
    forms = []
    for label, (head, *options) in parts.items():
        if not options or len(label) <= _LONG:
            forms.append(label)
            continue
        namesakes = [
            "".join(options).split(",")
            for name, (metric, *options) in parts.items()
            if name != label and metric == head
        ]
        telling = [
            option
            for option in options[0].split(",")
            if any(option not in namesake for namesake in namesakes)
        ]
        forms.append(f"{head}:{','.join(telling)}" if telling else head)
    short = shortened(forms if len({*forms}) == len(distinct) else distinct)
    return dict(zip(distinct, short.values(), strict=True))


def _cut(names: Sequence[str], most: int) -> list[str]:
    """Return names cut in the middle, with as many characters as it takes to tell them apart."""
    for length in range(most, max(map(len, names), default=0) + 1):
        end = (length - 1) // 2
        cut = [
            name if len(name) <= length else f"{name[: length // 2]}{_CUT}{name[len(name) - end :]}"
            for name in names
        ]
        if len({*cut}) == len({*names}):
            return cut
    return list(names)


def merged(signatures: Iterable[str]) -> list[str]:
    """Return signatures as few lines: those that differ in one part alone become one.

    >>> merged(["rouge2|lang:en|tok:rouge|v:1", "rouge2|lang:hi|tok:words|v:1",
    ...         "rouge2|lang:jv|tok:words|v:1", "rougeL|lang:en|tok:rouge|v:1"])
    ['rouge2,rougeL|lang:en|tok:rouge|v:1', 'rouge2|lang:hi,jv|tok:words|v:1']
    """
    merged = [[[part] for part in signature.split("|")] for signature in dict.fromkeys(signatures)]
    first = 0
    while first < len(merged):
        for second in range(first + 1, len(merged)):
            place = _only_difference(merged[first], merged[second])
            if place is not None:
                values = merged[first][place]
                values += [value for value in merged[second][place] if value not in values]
                del merged[second]
                first = 0
                break
        else:
            first += 1
    return ["|".join(map(_joined, parts)) for parts in merged]


def _only_difference(a: list[list[str]], b: list[list[str]]) -> int | None:
    """Return the place of the only part that differs; None if there are more, or other keys."""
    if len(a) != len(b):
        return None
    places = [place for place in range(len(a)) if a[place] != b[place]]
    if len(places) != 1:
        return None
    (place,) = places
    keys = {part.partition(":")[0] for part in a[place] + b[place]}
    return place if place == 0 or len(keys) == 1 else None


def _joined(values: list[str]) -> str:
    """Return the values of a part: lang:en,hi."""
    if len(values) == 1:
        return values[0]
    key, colon, _ = values[0].partition(":")
    if not colon or len({value.partition(":")[0] for value in values}) > 1:
        return ",".join(values)
    return f"{key}:{','.join(value.partition(':')[2] for value in values)}"


def keys(results: list[dict]) -> list[str]:
    """Return the keys of results, in the order of their first appearance."""
    return list(dict.fromkeys(key for result in results for key in result))


def one_line(text: str) -> str:
    """Return a text with spaces for line ends and control characters."""
    return re.sub("[\x00-\x1f\x7f-\x9f\u2028\u2029]", " ", text)
