"""A table before it is written: its columns, what stands above and below it; numbers and labels that fit.

Numbers have no more digits than their intervals support.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import combinations, zip_longest
from math import floor, log10
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
MOST_DIGITS = 2  # of percentages and points
_HUGE = 1e15

Interval = Sequence[float] | None


class Cell(NamedTuple):
    """A number or a text; spread: its interval, "± 1.3" or "[0.2, 4.1]"."""

    text: str
    spread: str = ""
    stars: str = ""
    best: bool = False


class Column(NamedTuple):
    """A column of a table; right: are its cells on the right, as numbers are?"""

    head: str
    cells: Sequence[Cell]
    right: bool = True


class Grid(NamedTuple):
    """A table.

    names: how many of the first columns name a row.
    blocks: the rows that begin a block.
    optional: the columns that are left out first where a line has no room, the last one first.
    aside: LaTeX has it as a comment.
    """

    columns: Sequence[Column]
    above: Sequence[str] = ()
    names: int = 1
    blocks: Sequence[int] = ()
    optional: Sequence[int] = ()
    aside: bool = False

    @property
    def head(self) -> list[str]:
        """The heads of the columns."""
        return [column.head for column in self.columns]

    @property
    def rows(self) -> list[tuple[Cell, ...]]:
        """The cells of each row."""
        return list(zip(*(column.cells for column in self.columns), strict=True))

    def chosen(self, places: Sequence[int]) -> "Grid":
        """Return the table with some of its columns."""
        return self._replace(
            columns=[self.columns[place] for place in places],
            optional=(),
            names=sum(place < self.names for place in places),
        )


class Page(NamedTuple):
    """Tables, and what stands below them; verdicts are comments in LaTeX."""

    grids: Sequence[Grid]
    notes: Sequence[str] = ()
    verdicts: Sequence[str] = ()
    signatures: Sequence[str] = ()


def texts(head: str, cells: Iterable[str], right: bool = False) -> Column:
    """Return a column of texts."""
    return Column(head, list(map(Cell, cells)), right)


def numbers(
    head: str,
    values: Sequence[float | None],
    digits: int,
    intervals: Sequence[Interval] = (),
    marks: Sequence[str] = (),
    best: Sequence[bool] = (),
    is_signed: bool = False,
) -> Column:
    """Return a column of numbers, with their intervals, marks, and which are the best.

    is_signed: a plus stands before those above 0.
    """
    cells = []
    columns = spreads(values, intervals or [None] * len(values), digits), marks, best
    for value, spread, mark, is_best in zip_longest(values, *columns):
        if value is None:
            cells.append(Cell(NOTHING))
            continue
        shown = plain(value, digits)
        sign = "+" if is_signed and float(shown) > 0 else ""
        cells.append(Cell(f"{sign}{shown}", spread, mark or "", bool(is_best)))
    return Column(head, cells)


def stars(p: float | None) -> str:
    """Return the marks of a p."""
    return "" if p is None else next((marks for bound, marks in STARS if p < bound), "")


def probability(value: float) -> str:
    """Return a p as people read it: never as 0.0000.

    >>> probability(0.03417), probability(4e-9)
    ('0.0342', '< 0.0001')
    """
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}"


def rounded(value: float, places: int) -> str:
    """Return a number with so many decimals, or one digit if rounding would leave zero.

    Of a huge one only the first digits are shown.

    >>> rounded(31.2409, 2), rounded(-0.0004, 2), rounded(1.25e300, 2)
    ('31.24', '-0.0004', '1.25e+300')
    """
    is_lost = value and abs(value) < _HUGE and not round(value, places)
    return f"{value:.1g}" if is_lost else plain(value, places)


def plain(value: float, places: int) -> str:
    """Return a number with so many decimals; never -0.

    >>> plain(-0.04, 1), plain(7.94, 1)
    ('0.0', '7.9')
    """
    if abs(value) >= _HUGE:
        return f"{value:.{places}e}"
    return f"{round(value, places) + 0.0:.{places}f}"


def decimals(column: Sequence[tuple]) -> int:
    """Return the decimals of a column of (value, unit): 2, or 4 if a value that is no percentage is
    below 1.
    """
    numbers = [
        number
        for value, unit in column
        if unit not in ("percent", "points")
        for number in (value if isinstance(value, list) else [value])
        if isinstance(number, float)
    ]
    return 4 if any(0 < abs(number) < 1 for number in numbers) else 2


def places(intervals: Sequence[Interval], values: Sequence[float | None], unit: str | None) -> int:
    """Return the decimals that the intervals of a column support: two digits of the median half.

    Without an interval it is 2, or 4 for numbers below 1 that are no percentages.

    >>> places([[6.9, 7.5], [5.0, 5.8], None], [7.2, 5.4, 1.0], "percent")
    2
    >>> places([[-5, 29]], [12.0], "percent")
    0
    """
    halves = sorted((high - low) / 2 for low, high in filter(None, intervals) if high > low)
    if not halves:
        return decimals([(value, unit) for value in values])
    digits = max(1 - floor(log10(halves[len(halves) // 2])), 0)
    return min(digits, MOST_DIGITS if unit in ("percent", "points") else 6)


def spreads(
    values: Sequence[float | None], intervals: Sequence[Interval], digits: int
) -> list[str]:
    """Return the intervals of a column as "± 1.3", or "[0.2, 4.1]" if one is not symmetric.

    An empty one is "".

    >>> spreads([2.0, 1.0], [[1.0, 3.0], None], 1), spreads([2.0, 2.0], [[1.0, 3.0], [1.0, 4.0]], 1)
    (['± 1.0', ''], ['[1.0, 3.0]', '[1.0, 4.0]'])
    """
    wide = [
        ends if value is not None and ends and ends[0] != ends[1] else None
        for value, ends in zip(values, intervals, strict=True)
    ]
    is_symmetric = all(
        abs(ends[0] + ends[1] - 2 * value) < 10.0**-digits
        for value, ends in zip(values, wide, strict=True)
        if ends and value is not None
    )
    if is_symmetric:
        return [f"± {rounded((ends[1] - ends[0]) / 2, digits)}" if ends else "" for ends in wide]
    return [
        f"[{plain(ends[0], digits)}, {plain(ends[1], digits)}]" if ends else "" for ends in wide
    ]


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

    # cut in the middle, with as many characters as it takes to tell them apart
    for length in range(most, max(map(len, short)) + 1):
        end = (length - 1) // 2
        cut = [
            name if len(name) <= length else f"{name[: length // 2]}{_CUT}{name[len(name) - end :]}"
            for name in short
        ]
        if len({*cut}) == len({*short}):
            short = cut
            break
    return dict(zip(distinct, short, strict=True))


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


def merged(signatures: Iterable[str]) -> list[str]:
    """Return signatures as few lines: those that differ in one part alone become one.

    >>> merged(["rouge2|lang:en|tok:rouge|v:1", "rouge2|lang:hi|tok:words|v:1",
    ...         "rouge2|lang:jv|tok:words|v:1", "rougeL|lang:en|tok:rouge|v:1"])
    ['rouge2,rougeL|lang:en|tok:rouge|v:1', 'rouge2|lang:hi,jv|tok:words|v:1']
    """
    lines = [[[part] for part in signature.split("|")] for signature in dict.fromkeys(signatures)]
    while pair := next(
        (pair for pair in combinations(range(len(lines)), 2) if _differ_in_one(lines, *pair)), None
    ):
        first, second = (lines[number] for number in pair)
        for values, others in zip(first, second, strict=True):
            values += [value for value in others if value not in values]
        del lines[pair[1]]
    together = []
    for line in lines:
        parts = []
        for values in line:
            keys = {value.partition(":")[0] if ":" in value else "" for value in values}
            if len(values) > 1 and len(keys) == 1 and "" not in keys:  # lang:en,hi
                parts.append(
                    f"{keys.pop()}:{','.join(value.partition(':')[2] for value in values)}"
                )
            else:
                parts.append(",".join(values))
        together.append("|".join(parts))
    return together


def _differ_in_one(lines: Sequence[list[list[str]]], first: int, second: int) -> bool:
    """Return whether two lines differ in one part alone: the name, or values of one key."""
    a, b = lines[first], lines[second]
    if len(a) != len(b):
        return False
    places = [place for place in range(len(a)) if a[place] != b[place]]
    if len(places) != 1:
        return False
    keys = {part.partition(":")[0] for part in a[places[0]] + b[places[0]]}
    return places[0] == 0 or len(keys) == 1


def keys(results: list[dict]) -> list[str]:
    """Return the keys of results, in the order of their first appearance."""
    return list(dict.fromkeys(key for result in results for key in result))


def one_line(text: str) -> str:
    """Return a text with spaces for line ends and control characters."""
    return re.sub("[\x00-\x1f\x7f-\x9f\u2028\u2029]", " ", text)
