"""Pages as text for a terminal or a file, as Markdown, LaTeX or HTML; results as CSV.

Text has no colours; LaTeX has tables of booktabs to \\input, the best in bold, all words as
comments; CSV has full numbers, empty cells for missing values, JSON for lists and objects.
"""

import re
from collections.abc import Iterator, Sequence

from dialtools.system import terminal
from dialtools.tables.grids import NOTHING, Cell, Column, Grid, Page, keys, one_line, shortened

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


def text(page: Page, width: int, complete: str = "--format csv or json") -> Iterator[str]:
    """Yield lines; a table that is too wide loses columns, stands upright, or goes on below.

    complete: what has all columns.
    """
    for number, grid in enumerate(page.grids):
        if number:
            yield ""
        for line in map(one_line, grid.above):
            head, semicolon, tail = line.rpartition("; ")
            is_broken = semicolon and terminal.width(line) > width
            yield from [f"{head};", tail] if is_broken else [line]
        if grid.above and grid.columns:
            yield ""
        columns = [
            Column(
                one_line(head), [cell._replace(text=one_line(cell.text)) for cell in cells], right
            )
            for head, cells, right in grid.columns
        ]
        yield from _fitted(grid._replace(columns=columns), width, complete)
    notes = _notes(page)
    if notes and page.grids:
        yield ""
    yield from map(one_line, notes)


def _notes(page: Page) -> list[str]:
    return [*page.notes, *(f"signature: {signature}" for signature in page.signatures)]


def _fitted(grid: Grid, width: int, complete: str) -> list[str]:
    """Return the lines of a table: where it is too wide without columns, with shorter names,
    upright, or in parts.
    """
    dropped: list[str] = []
    while grid.optional and _widest(aligned(grid)) > width:
        *optional, last = grid.optional
        dropped.insert(0, f'"{grid.columns[last].head}"')
        places = [place for place in range(len(grid.columns)) if place != last]
        grid = grid.chosen(places)._replace(optional=optional)

    lines = aligned(grid)
    if _widest(lines) > width and len(grid.rows) > 1:
        columns = []
        for head, cells, right in grid.columns:
            short = {} if right else shortened((cell.text for cell in cells), 20)
            cells = [cell._replace(text=short.get(cell.text, cell.text)) for cell in cells]
            columns.append(Column(head, cells, right))
        grid = grid._replace(columns=columns)
        lines = aligned(grid)
    if _widest(lines) > width and grid.columns:
        lines = _upright(grid)
        if len(grid.rows) > 1 and _widest(lines) > width:
            lines = _stacked(grid, width)
    if dropped:
        names = ", ".join(dropped)
        lines += ["", f"(no room for the columns {names}: see {complete})"]
    return lines


def _widest(lines: Sequence[str]) -> int:
    return max(map(terminal.width, lines), default=0)


def aligned(grid: Grid) -> list[str]:
    """Return the head and a line for each row, with an empty line before each block."""
    lines = []
    for number, row in enumerate(zip(*map(_column, grid.columns), strict=True), -1):
        if number in grid.blocks:
            lines.append("")
        lines.append("  ".join(row).rstrip())
    return lines


def _column(column: Column) -> list[str]:
    """Return a column's cells, the head first, all as wide as the widest; intervals of one width,
    numbers behind ± on the right.
    """
    head, cells, right = column
    if not right:
        return _padded([head, *(cell.text for cell in cells)], False)
    numbers = _padded([cell.text for cell in cells], True)
    stars = _padded([f" {cell.stars}" if cell.stars else "" for cell in cells], False)
    width = max((len(cell.spread) for cell in cells), default=0)
    texts = []
    for number, cell, marks in zip(numbers, cells, stars, strict=True):
        spread = f"{cell.spread:<{width}}"
        if cell.spread.startswith("± "):
            spread = f"± {cell.spread[2:]:>{width - 2}}"
        texts.append(f"{number}{f' {spread}' if spread else ''}{marks}")
    return _padded([head, *texts], True)


def _padded(texts: Sequence[str], right: bool) -> list[str]:
    width = _widest(texts)
    spaces = [" " * (width - terminal.width(text)) for text in texts]
    return [
        space + text if right else text + space for space, text in zip(spaces, texts, strict=True)
    ]


def _upright(grid: Grid) -> list[str]:
    """Return a line for each column."""
    if len(grid.rows) == 1:
        texts = [" ".join(filter(None, cell[:3])) for cell in grid.rows[0]]
        names = _padded(grid.head, False)
        return [f"{name}  {text}".rstrip() for name, text in zip(names, texts, strict=True)]
    first, *names = grid.head
    columns = [Column(first, list(map(Cell, names)), False)]
    return aligned(Grid([*columns, *(Column(head.text, cells) for head, *cells in grid.rows)]))


def _stacked(grid: Grid, width: int) -> list[str]:
    """Return a table in parts, one below the other, each with the columns that name the rows."""
    names = list(range(grid.names))
    places, lines = list(range(grid.names, len(grid.columns))), list[str]()
    while places:
        for number in range(len(places), 0, -1):  # as many as fit, and one even where it does not
            part = aligned(grid.chosen([*names, *places[:number]]))
            if _widest(part) <= width:
                break
        places = places[number:]
        lines += [*part, *([""] if places else [])]
    return lines


def markdown(page: Page) -> Iterator[str]:
    """Yield the lines of tables, each after what stands above it, and of a list of notes."""
    for grid in page.grids:
        for text in grid.above:
            yield from (_in_markdown(text), "")
        if grid.columns:
            yield f"| {' | '.join(map(_in_markdown, grid.head))} |"
            yield f"| {' | '.join('---:' if column.right else '---' for column in grid.columns)} |"
            for row in grid.rows:
                cells = (" ".join(_in_markdown(part) for part in cell[:3] if part) for cell in row)
                yield f"| {' | '.join(cells)} |"
            yield ""
    yield from (f"- {_in_markdown(note)}" for note in _notes(page))


def _in_markdown(text: str) -> str:
    """Return a text that Markdown shows as it is, on one line."""
    return _OF_MARKDOWN.sub(r"\\\1", one_line(text))


def html(page: Page) -> Iterator[str]:
    """Yield tables of HTML, each after what stands above it, then notes; without a style."""
    from html import escape

    def row(cells: Sequence[Cell], kind: str, begins: bool = False) -> str:
        texts = []
        for column, (text, spread, stars, is_best) in zip(grid.columns, cells, strict=True):
            shown = f"<b>{escape(text)}</b>" if is_best else escape(text)
            shown += f" {escape(spread)}" if spread else ""
            shown += f"<sup>{escape(stars)}</sup>" if stars else ""
            side = "right" if column.right else "left"
            texts.append(f'<{kind} style="text-align: {side}">{shown}</{kind}>')
        line = ' style="border-top: 1px solid"' if begins else ""
        return f"<tr{line}>{''.join(texts)}</tr>"

    for grid in page.grids:
        yield from (f"<p>{escape(one_line(text))}</p>" for text in grid.above)
        if grid.columns:
            yield f"<table><thead>{row(list(map(Cell, grid.head)), 'th')}</thead><tbody>"
            for number, cells in enumerate(grid.rows):
                yield row(cells, "td", number in grid.blocks)
            yield "</tbody></table>"
    yield from (f"<div><small>{escape(one_line(note))}</small></div>" for note in _notes(page))


def latex(page: Page) -> Iterator[str]:
    """Yield tables, each after its comments, then all that stands below them as comments."""
    yield r"% needs \usepackage{booktabs}"
    for grid in page.grids:
        yield from (f"% {one_line(text)}" for text in grid.above)
        if grid.aside:
            yield from (f"% {line}" for line in aligned(grid))
        elif grid.columns:
            # one optional column stays, the control: a small S says nothing without it
            places = range(len(grid.columns))
            chosen = grid.chosen([p for p in places if p not in grid.optional[1:]])
            marks = "".join(cell.stars for cells in chosen.rows for cell in cells)
            legend = [note for note in page.notes if note[:1] in ("*", "?") and note[0] in marks]
            yield from _tabular(chosen, legend)
    verdicts = [verdict for verdict in page.verdicts if verdict not in page.notes]
    signatures = [f"signature: {signature}" for signature in page.signatures]
    for text in (*page.notes, *verdicts, *signatures):
        yield f"% {one_line(text)}"


def _tabular(grid: Grid, legend: Sequence[str]) -> Iterator[str]:
    """Yield a table; legend: what its marks mean, in its last rows, so that it is printed, too."""

    def row(cells: Sequence[Cell]) -> str:
        texts = []
        for text, spread, stars, is_best in cells:
            shown = rf"\textbf{{{_in_latex(text)}}}" if is_best else _in_latex(text)
            marks = f"$^{{{stars.replace('*', '{*}')}}}$" if stars else ""
            texts.append(" ".join(filter(None, [shown, _in_latex(spread)])) + marks)
        line = " & ".join(texts)
        # what the rule or line break before would take for its own is behind {}
        return rf"{'{}' if line.startswith(('[', '*', '(')) else ''}{line} \\"

    yield rf"\begin{{tabular}}{{{''.join('r' if c.right else 'l' for c in grid.columns)}}}"
    yield r"\toprule"
    yield row(list(map(Cell, grid.head)))
    yield r"\midrule"
    for number, cells in enumerate(grid.rows):
        if number in grid.blocks:
            yield r"\midrule"
        yield row(cells)
    yield r"\bottomrule"
    for line in (part for note in legend for part in note.split(": ")):
        shown = re.sub(r"\*+", lambda m: f"$^{{{'{*}' * len(m[0])}}}$", _in_latex(line))
        yield rf"\multicolumn{{{len(grid.columns)}}}{{l}}{{\footnotesize {shown}}} \\"
    yield r"\end{tabular}"


def _in_latex(text: str) -> str:
    """Return a text that LaTeX shows as it is, on one line."""
    text = _OF_LATEX.sub(lambda mark: _SPECIAL.get(mark[0], f"{mark[0]}{{}}"), one_line(text))
    return re.sub(r"(?<![\w.])-(?=\d)", "$-$", text)  # a minus, not a hyphen


def csv(results: list[dict]) -> Iterator[str]:
    """Yield CSV lines; a text that begins as a formula does gets an apostrophe before it."""
    import csv
    import io
    import json

    def is_formula(text: str) -> bool:
        """Tell whether a spreadsheet may read a text as a formula; a number is none."""
        if not text.startswith(_FORMULA):
            return False
        try:
            float(text)
        except ValueError:
            return True
        return False

    def cell(value: object) -> object:
        if isinstance(value, (bool, list, dict)):
            return json.dumps(value, ensure_ascii=False)
        return f"'{value}" if isinstance(value, str) and is_formula(value) else value

    head = keys(results)
    rows: list[list] = [head, *([result.get(key) for key in head] for result in results)]
    for row in rows:
        line = io.StringIO()
        # what its lines end in, "\r\n", is what it quotes in cells
        csv.writer(line).writerow(list(map(cell, row)))
        yield line.getvalue().removesuffix("\r\n")
