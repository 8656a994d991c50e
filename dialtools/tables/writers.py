"""Pages as text for a terminal or a file, as Markdown, as LaTeX; results as CSV.

Text has no colours; LaTeX has tables of booktabs to \\input, the best in bold, all words as
comments; CSV has full numbers, empty cells for missing values, JSON for lists and objects.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from dialtools.system import terminal
from dialtools.tables.grids import NOTHING, Cell, Grid, Page, keys, one_line, shortened

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
_OF_LATEX = re.compile(rf"[{re.escape(''.join(_SPECIAL))}]|-(?=-)|(?<=[?!,]),|,(?=,)")
_OF_MARKDOWN = re.compile(r"([\\`*_|~]|<(?=\S)|&(?=#?\w+;)|(?<=!)\[|\[(?=[^\]]*\]\())")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would compute


def text(page: Page, width: int) -> Iterator[str]:
    """Yield lines; a table that is too wide loses columns, stands upright, or goes on below."""
    for number, grid in enumerate(page.grids):
        if number:
            yield ""
        for line in map(one_line, grid.above):
            head, semicolon, tail = line.rpartition("; ")
            is_broken = semicolon and terminal.width(line) > width
            yield from [f"{head};", tail] if is_broken else [line]
        if grid.above and grid.head:
            yield ""
        rows = [[cell._replace(text=one_line(cell.text)) for cell in row] for row in grid.rows]
        yield from _fitted(grid._replace(head=list(map(one_line, grid.head)), rows=rows), width)
    notes = _notes(page)
    if notes and page.grids:
        yield ""
    yield from map(one_line, notes)


def _notes(page: Page) -> list[str]:
    return [*page.notes, *(f"signature: {signature}" for signature in page.signatures)]


def _fitted(grid: Grid, width: int) -> list[str]:
    """Return the lines of a table in a form that fits."""
    dropped: list[str] = []
    while grid.optional and _widest(aligned(grid)) > width:
        *optional, last = grid.optional
        dropped.insert(0, grid.head[last])
        columns = [column for column in range(len(grid.head)) if column != last]
        grid = grid.chosen(columns)._replace(optional=optional, blocks=grid.blocks)
    lines = _narrowed(grid, width)
    if dropped:
        names = ", ".join(f'"{name}"' for name in dropped)
        lines += ["", f"(no room for the columns {names}: see --format csv or json)"]
    return lines


def _narrowed(grid: Grid, width: int) -> list[str]:
    """Return the lines of a table with shorter names, upright or in parts, if it is too wide."""
    lines = aligned(grid)
    if _widest(lines) > width and len(grid.rows) > 1:
        rows = [list(row) for row in grid.rows]
        for column, right in enumerate(grid.right):
            if not right:
                short = shortened((row[column].text for row in rows), 20)
                for row in rows:
                    row[column] = row[column]._replace(text=short[row[column].text])
        grid = grid._replace(rows=rows)
        lines = aligned(grid)
    if _widest(lines) <= width or not grid.head:
        return lines
    upright = _upright(grid)
    if len(grid.rows) == 1 or _widest(upright) <= width:
        return upright
    return _stacked(grid, width)


def _widest(lines: Sequence[str]) -> int:
    return max(map(terminal.width, lines), default=0)


def aligned(grid: Grid) -> list[str]:
    """Return the head and a line for each row, with an empty line before each block."""
    if not grid.head:
        return []
    columns = [
        _column(name, [row[column] for row in grid.rows], grid.right[column])
        for column, name in enumerate(grid.head)
    ]
    lines = []
    for number, row in enumerate(zip(*columns, strict=True), -1):
        if number in grid.blocks:
            lines.append("")
        lines.append("  ".join(row).rstrip())
    return lines


def _column(name: str, cells: Sequence[Cell], right: bool) -> list[str]:
    """Return a column's cells, the head first, all as wide as the widest; intervals of one width,
    numbers behind ± on the right.
    """
    if not right:
        return _padded([name, *(cell.text for cell in cells)], False)
    numbers = _padded([cell.text for cell in cells], True)
    stars = _padded([f" {cell.stars}" if cell.stars else "" for cell in cells], False)
    width = max((len(cell.spread) for cell in cells), default=0)
    columns = []
    for number, cell, marks in zip(numbers, cells, stars, strict=True):
        spread = f"{cell.spread:<{width}}"
        if cell.spread.startswith("± "):
            spread = f"± {cell.spread[2:]:>{width - 2}}"
        columns.append(f"{number}{f' {spread}' if spread else ''}{marks}")
    return _padded([name, *columns], True)


def _padded(cells: Sequence[str], right: bool) -> list[str]:
    width = max(map(terminal.width, cells), default=0)
    spaces = [" " * (width - terminal.width(cell)) for cell in cells]
    return [
        space + cell if right else cell + space for space, cell in zip(spaces, cells, strict=True)
    ]


def _upright(grid: Grid) -> list[str]:
    """Return a line for each column."""
    if len(grid.rows) == 1:
        names = _padded(grid.head, False)
        texts = [" ".join(filter(None, cell[:3])) for cell in grid.rows[0]]
        return [f"{name}  {text}".rstrip() for name, text in zip(names, texts, strict=True)]
    rows = [
        [Cell(name), *(row[column] for row in grid.rows)] for column, name in enumerate(grid.head)
    ]
    head, *body = rows
    return aligned(Grid([cell.text for cell in head], body, [False, *[True] * len(grid.rows)]))


def _stacked(grid: Grid, width: int) -> list[str]:
    """Return a table in parts, one below the other, each with the columns that name the rows."""
    names = list(range(grid.names))
    columns, lines = list(range(grid.names, len(grid.head))), list[str]()
    while columns:
        for number in range(len(columns), 0, -1):  # as many as fit, and one even where it does not
            part = aligned(grid.chosen([*names, *columns[:number]]))
            if _widest(part) <= width:
                break
        columns = columns[number:]
        lines += [*part, *([""] if columns else [])]
    return lines


def markdown(page: Page, width: int) -> Iterator[str]:
    """Yield the lines of tables, each after what stands above it, and of a list of notes."""
    for grid in page.grids:
        for text in grid.above:
            yield from (_in_markdown(text), "")
        if grid.head:
            rule = ["---:" if right else "---" for right in grid.right]
            rows = [
                [" ".join(_in_markdown(part) for part in cell[:3] if part) for cell in row]
                for row in grid.rows
            ]
            for row in ([*map(_in_markdown, grid.head)], rule, *rows):
                yield f"| {' | '.join(row)} |"
            yield ""
    yield from (f"- {_in_markdown(note)}" for note in _notes(page))


def _in_markdown(text: str) -> str:
    """Return a text that Markdown shows as it is, on one line."""
    return _OF_MARKDOWN.sub(r"\\\1", one_line(text))


def latex(page: Page, width: int) -> Iterator[str]:
    """Yield tables, each after its comments, then all that stands below them as comments."""
    yield r"% needs \usepackage{booktabs}"
    for grid in page.grids:
        yield from (f"% {one_line(text)}" for text in grid.above)
        if grid.aside:
            yield from (f"% {line}" for line in aligned(grid))
        elif grid.head:
            # one optional column stays, the control: a small S says nothing without it
            columns = [
                column for column in range(len(grid.head)) if column not in grid.optional[1:]
            ]
            yield from _tabular(grid.chosen(columns)._replace(blocks=grid.blocks))
    verdicts = [verdict for verdict in page.verdicts if verdict not in page.notes]
    signatures = [f"signature: {signature}" for signature in page.signatures]
    for text in (*page.notes, *verdicts, *signatures):
        yield f"% {one_line(text)}"


def _tabular(grid: Grid) -> Iterator[str]:
    yield rf"\begin{{tabular}}{{{''.join('r' if right else 'l' for right in grid.right)}}}"
    yield r"\toprule"
    yield _row(map(_in_latex, grid.head))
    yield r"\midrule"
    for number, row in enumerate(grid.rows):
        if number in grid.blocks:
            yield r"\midrule"
        yield _row(map(_cell, row))
    yield r"\bottomrule"
    yield r"\end{tabular}"


def _row(cells: Iterable[str]) -> str:
    """Return a row; what the rule or line break before would take for its own is behind {}."""
    line = " & ".join(cells)
    return rf"{'{}' if line.startswith(('[', '*', '(')) else ''}{line} \\"


def _cell(cell: Cell) -> str:
    text = _in_latex(cell.text)
    shown = [rf"\textbf{{{text}}}" if cell.best else text, _in_latex(cell.spread)]
    stars = f"$^{{{cell.stars.replace('*', '{*}')}}}$" if cell.stars else ""
    return " ".join(filter(None, shown)) + stars


def _in_latex(text: str) -> str:
    """Return a text that LaTeX shows as it is, on one line."""
    text = _OF_LATEX.sub(lambda mark: _SPECIAL.get(mark[0], f"{mark[0]}{{}}"), one_line(text))
    return re.sub(r"(?<![\w.])-(?=\d)", "$-$", text)  # a minus, not a hyphen


def csv(results: list[dict]) -> Iterator[str]:
    """Yield CSV lines; a text that begins as a formula does gets an apostrophe before it."""
    import csv
    import io

    head = keys(results)
    rows: list[list] = [[_in_csv(result.get(key)) for key in head] for result in results]
    for row in ([_in_csv(key) for key in head], *rows):
        line = io.StringIO()
        csv.writer(line).writerow(row)  # what its lines end in, "\r\n", is what it quotes in cells
        yield line.getvalue().removesuffix("\r\n")


def _in_csv(value: object) -> object:
    import json

    if isinstance(value, (bool, list, dict)):
        return json.dumps(value, ensure_ascii=False)
    return f"'{value}" if isinstance(value, str) and _is_formula(value) else value


def _is_formula(text: str) -> bool:
    """Tell whether a spreadsheet may read a text as a formula; a number is none."""
    if not text.startswith(_FORMULA):
        return False
    try:
        float(text)
    except ValueError:
        return True
    return False
