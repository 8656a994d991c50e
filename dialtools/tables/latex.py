"""Pages in LaTeX: tables of booktabs to \\input, the best in bold; all words are comments."""

import re
from collections.abc import Iterator

from dialtools.tables import plaintext
from dialtools.tables.anything import one_line
from dialtools.tables.grids import NOTHING, Cell, Grid, Page

_SPECIAL = {
    **{mark: f"\\{mark}" for mark in "%_&#${}"},
    **{mark: f"${mark}$" for mark in "<>|"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    '"': r"\char34{}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
    NOTHING: "--",
    "…": r"\ldots{}",
    "±": r"$\pm$",
    "↓": r"$\downarrow$",
    "Δ": r"$\Delta$",
    "−": "$-$",
}
_MARKS = re.compile(rf"[{re.escape(''.join(_SPECIAL))}]|-(?=-)|(?<=[?!,]),|,(?=,)")


def lines(page: Page, width: int) -> Iterator[str]:
    """Yield tables, each after its comments, then all that stands below them as comments."""
    yield r"% needs \usepackage{booktabs}"
    for grid in page.grids:
        yield from (f"% {one_line(text)}" for text in grid.above)
        if grid.aside:
            yield from (f"% {line}" for line in plaintext.aligned(grid))
        else:
            yield from _tabular(_narrow(grid)) if grid.head else ()
    verdicts = [verdict for verdict in page.verdicts if verdict not in page.notes]
    for text in (
        *page.notes,
        *verdicts,
        *(f"signature: {signature}" for signature in page.signatures),
    ):
        yield f"% {one_line(text)}"


def _narrow(grid: Grid) -> Grid:
    """Return a table with one optional column, the control: a small S says nothing without it."""
    kept = [at for at in range(len(grid.head)) if at not in grid.optional[1:]]
    return grid.chosen(kept)._replace(blocks=grid.blocks)


def _tabular(grid: Grid) -> Iterator[str]:
    yield rf"\begin{{tabular}}{{{''.join('r' if right else 'l' for right in grid.right)}}}"
    yield r"\toprule"
    yield _row(map(escaped, grid.head))
    yield r"\midrule"
    for at, row in enumerate(grid.rows):
        if at in grid.blocks:
            yield r"\midrule"
        yield _row(map(_cell, row))
    yield r"\bottomrule"
    yield r"\end{tabular}"


def _row(cells: Iterator[str]) -> str:
    """Return a row; what the rule or line break before would take for its own is behind {}."""
    line = " & ".join(cells)
    return rf"{'{}' if line.startswith(('[', '*', '(')) else ''}{line} \\"


def _cell(cell: Cell) -> str:
    text = escaped(cell.text)
    shown = [rf"\textbf{{{text}}}" if cell.best else text, escaped(cell.spread)]
    stars = f"$^{{{cell.stars.replace('*', '{*}')}}}$" if cell.stars else ""
    return " ".join(filter(None, shown)) + stars


def escaped(text: str) -> str:
    """Return a text that LaTeX shows as it is, on one line."""
    text = _MARKS.sub(lambda found: _SPECIAL.get(found[0], f"{found[0]}{{}}"), one_line(text))
    return re.sub(r"(?<![\w.])-(?=\d)", "$-$", text)  # a minus, not a hyphen
