"""Pages as text for a terminal, a pager or a file; no colours."""

from collections.abc import Iterator, Sequence

from dialtools.system import terminal
from dialtools.tables.anything import one_line
from dialtools.tables.grids import Cell, Grid, Page
from dialtools.tables.labels import shortened


def lines(page: Page, width: int) -> Iterator[str]:
    """Yield lines; a table that is too wide loses columns, stands upright, or goes on below."""
    first = True
    for grid in page.grids:
        yield from [] if first else [""]
        first = False
        for text in grid.above:
            yield from _broken(one_line(text), width)
        yield from [""] if grid.above and grid.head else []
        yield from _fitted(_on_one_line(grid), width)
    notes = [*page.notes, *(f"signature: {signature}" for signature in page.signatures)]
    yield from [""] if notes and not first else []
    yield from map(one_line, notes)


def _broken(text: str, width: int) -> list[str]:
    """Return a text in two lines, at a semicolon, if one is too short."""
    head, mark, tail = text.rpartition("; ")
    return [f"{head};", tail] if mark and terminal.width(text) > width else [text]


def _on_one_line(grid: Grid) -> Grid:
    rows = [[cell._replace(text=one_line(cell.text)) for cell in row] for row in grid.rows]
    return grid._replace(head=list(map(one_line, grid.head)), rows=rows)


def _fitted(grid: Grid, width: int) -> list[str]:
    """Return the lines of a table in a form that fits."""
    dropped: list[str] = []
    while (found := aligned(grid)) and _widest(found) > width and grid.optional:
        last = grid.optional[-1]
        dropped.insert(0, grid.head[last])
        kept = grid.optional[:-1]
        grid = grid.chosen([at for at in range(len(grid.head)) if at != last])._replace(
            optional=kept, blocks=grid.blocks
        )
    if dropped:
        names = ", ".join(f'"{name}"' for name in dropped)
        told = f"(no room for the columns {names}: see --format csv or json)"
        return [*_narrowed(grid, width), "", told]
    return _narrowed(grid, width)


def _narrowed(grid: Grid, width: int) -> list[str]:
    found = aligned(grid)
    if _widest(found) > width and len(grid.rows) > 1:
        grid = _shortened(grid)
        found = aligned(grid)
    if _widest(found) <= width or not grid.head:
        return found
    upright = _upright(grid)
    if len(grid.rows) == 1 or _widest(upright) <= width:
        return upright
    return _stacked(grid, width)


def _shortened(grid: Grid) -> Grid:
    """Return the table with shorter names."""
    rows = [list(row) for row in grid.rows]
    for at, right in enumerate(grid.right):
        if not right:
            short = shortened((row[at].text for row in rows), 20)
            for row in rows:
                row[at] = row[at]._replace(text=short[row[at].text])
    return grid._replace(rows=rows)


def _widest(found: Sequence[str]) -> int:
    return max(map(terminal.width, found), default=0)


def aligned(grid: Grid) -> list[str]:
    """Return the head and a line for each row, with an empty line before each block."""
    if not grid.head:
        return []
    columns = [
        _column(name, [row[at] for row in grid.rows], grid.right[at])
        for at, name in enumerate(grid.head)
    ]
    found = []
    for at, row in enumerate(zip(*columns, strict=True)):
        if at - 1 in grid.blocks:
            found.append("")
        found.append("  ".join(row).rstrip())
    return found


def _column(name: str, cells: Sequence[Cell], right: bool) -> list[str]:
    """Return a column's cells, the head first, all as wide as the widest."""
    if not right:
        return _padded([name, *(cell.text for cell in cells)], False)
    numbers = _padded([cell.text for cell in cells], True)
    spreads = _spreads([cell.spread for cell in cells])
    stars = _padded([f" {cell.stars}" if cell.stars else "" for cell in cells], False)
    whole = [
        f"{number}{f' {spread}' if spread else ''}{mark}"
        for number, spread, mark in zip(numbers, spreads, stars, strict=True)
    ]
    return _padded([name, *whole], True)


def _spreads(spreads: Sequence[str]) -> list[str]:
    """Return intervals of one width, numbers behind ± on the right."""
    width = max(map(len, spreads), default=0)
    return [
        f"± {spread[2:]:>{width - 2}}" if spread.startswith("± ") else f"{spread:<{width}}"
        for spread in spreads
    ]


def _padded(cells: Sequence[str], right: bool) -> list[str]:
    width = max(map(terminal.width, cells), default=0)
    spaces = [" " * (width - terminal.width(cell)) for cell in cells]
    return [
        space + cell if right else cell + space for space, cell in zip(spaces, cells, strict=True)
    ]


def _upright(grid: Grid) -> list[str]:
    """Return a line for each column."""
    rows = [[Cell(name), *(row[at] for row in grid.rows)] for at, name in enumerate(grid.head)]
    if len(grid.rows) == 1:
        texts = [[row[0].text, " ".join(filter(None, row[1][:3]))] for row in rows]
        names = _padded([name for name, _ in texts], False)
        return [f"{name}  {text}".rstrip() for name, (_, text) in zip(names, texts, strict=True)]
    head, *rest = rows
    return aligned(Grid([cell.text for cell in head], rest, [False, *[True] * len(grid.rows)]))


def _stacked(grid: Grid, width: int) -> list[str]:
    """Return a table in parts, one below the other, each with the columns that name the rows."""
    named = list(range(grid.names))
    left, found = list(range(grid.names, len(grid.head))), list[str]()
    while left:
        for number in range(len(left), 0, -1):  # as many as fit, and one even where it does not
            part = aligned(grid.chosen([*named, *left[:number]]))
            if _widest(part) <= width:
                break
        left = left[number:]
        found += [*part, *([""] if left else [])]
    return found
