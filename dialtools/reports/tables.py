"""Results as a table for people (text, Markdown, LaTeX) or for programs (CSV, JSON Lines).

A result is a dict, one line of the table; its keys are the columns.  What is
too long for a column (signature, verdict, notes, anything that holds names)
stands below a table that people read, and so do objects of numbers, each as a
table of its own where there are several results.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from dialtools import terminal
from dialtools.records import jsonl as records
from dialtools.records.wellformed import is_number

_OF_PROGRAMS = ("chain",)  # stands in JSON alone
_SENTENCES = ("verdict", "note", "notes")
_LONG = ("signature", "corpus_signature", "reason", *_SENTENCES)
_GROUPS = ("group", "groups", "highest", "lowest", "a", "b")  # a number there is a name
_P = re.compile(r"p(_.*)?")
_NOTHING = "–"
_HUGE = 1e15
# of a path, alone or within a label
_FOLDERS = r"(?:[^\s,:=|/]*/){2,}(?=(?:[^\s,:=|/]+/){%d}[^\s,:=|/])"
_MARKDOWN = re.compile(r"([\\`*_|~]|<(?=\S)|&(?=#?\w+;))")
_LATEX = {**{mark: f"\\{mark}" for mark in "%_&#${}"}, **{mark: f"${mark}$" for mark in "<>|"},
          "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
          _NOTHING: "--"}
_LATEX_MARKS = re.compile(rf"[{re.escape(''.join(_LATEX))}]|-(?=-)")  # two hyphens would be a dash


def render(results: Iterable[dict], format: str = "json", width: int = 80) -> Iterator[bytes]:
    """Yield the lines of a table; none where there are no results.

    format: text, markdown, latex, csv or json (JSON Lines; streams, the others hold the results).
    width: a text table that is wider shows the ends of paths alone; if it still is, it stands
        upright, a line for each
        key, or, of many results, goes on below.
    """
    if format == "json":
        yield from map(records.dumps, results)
    else:
        held = [{key: value for key, value in result.items() if key not in _OF_PROGRAMS}
                for result in results]
        lines = _csv(held) if format == "csv" else _for_people(held, *_PEOPLE[format], width)
        yield from (f"{line}\n".encode() for line in lines if held)


def _for_people(results: list[dict], written: Callable[[list[dict], int], Iterator[str]],
                escaped: Callable[[str], str], width: int) -> Iterator[str]:
    """Yield the lines of a table, then of those within it: objects of numbers that differ."""
    names = _texts(results)
    within = [key for key in _keys(results) if any(r.get(key) != results[0].get(key)
                                                   for r in results)
              and all(isinstance(r.get(key), dict) and _is_numbers(r[key].values())
                      for r in results)]
    yield from written([{key: value for key, value in r.items() if key not in within}
                        for r in results], width)
    for key in within:
        yield from ["", f"{escaped(key)}:", ""]
        yield from written([{name: r.get(name) for name in names} | r[key] for r in results], width)


def _keys(results: list[dict]) -> list[str]:
    return list(dict.fromkeys(key for result in results for key in result))


def _csv(results: list[dict]) -> Iterator[str]:
    """Yield CSV lines: full numbers, empty cells for missing values, JSON for lists and objects."""
    import csv
    import io

    keys = _keys(results)
    rows: list[list] = [[_plain(result.get(key)) for key in keys] for result in results]
    for row in (keys, *rows):
        line = io.StringIO()
        csv.writer(line).writerow(row)  # what its lines end in, "\r\n", is what it quotes in cells
        yield line.getvalue().removesuffix("\r\n")


def _plain(value: object) -> object:
    import json

    return json.dumps(value, ensure_ascii=False) if isinstance(value, (bool, list, dict)) else value


def _text(results: list[dict], width: int) -> Iterator[str]:
    keys, rows, numeric = _cells(results)
    same = [at for at, key in enumerate(keys) if len(rows) > 1 and _is_same(key, results)]
    if same:
        yield ", ".join(f"{keys[at]} {rows[0][at]}" for at in same)
        yield ""
    keys, *rows = [[cell for at, cell in enumerate(row) if at not in same] for row in (keys, *rows)]
    numeric = [right for at, right in enumerate(numeric) if at not in same]
    lines = _aligned([keys, *rows], numeric)
    if _widest(lines) > width and len(rows) > 1:
        rows = _without_folders(rows)
        lines = _aligned([keys, *rows], numeric)
    if _widest(lines) > width:
        upright = _aligned([list(row) for row in zip(keys, *rows, strict=True)],
                           [False] * (len(rows) + 1))
        stacked = len(rows) > 1 and _widest(upright) > width
        lines = list(_stacked([keys, *rows], numeric, results, width)) if stacked else upright
    yield from lines
    below = list(_below(results))
    yield from ["", *below] if below and lines else below


def _without_folders(rows: list[list[str]]) -> list[list[str]]:
    """Return cells with "…/" for the folders of paths that do not tell cells apart."""
    columns = []
    for column in zip(*rows, strict=True):
        shorter = ([re.sub(_FOLDERS % kept, "…/", cell) for cell in column] for kept in range(8))
        columns.append(next((short for short in shorter if len({*short}) == len({*column})),
                            column))
    return [list(row) for row in zip(*columns, strict=True)]


def _widest(lines: list[str]) -> int:
    return max(map(terminal.width, lines), default=0)


def _stacked(rows: list[list[str]], right: list[bool], results: list[dict],
             width: int) -> Iterator[str]:
    """Yield a table in parts, one below the other, each with the columns that name the results."""
    texts = [at for at, key in enumerate(rows[0]) if key in _texts(results)]
    left = [at for at in range(len(rows[0])) if at not in texts]
    while left:
        for number in range(len(left), 0, -1):  # as many as fit, and one even where it does not
            part = [*texts, *left[:number]]
            lines = _aligned([[row[at] for at in part] for row in rows], [right[at] for at in part])
            if _widest(lines) <= width:
                break
        left = left[number:]
        yield from lines
        yield from [""] if left else []


def _is_same(key: str, results: list[dict]) -> bool:
    """Return whether all results have the same value of a key that is no measured number."""
    values = [result.get(key) for result in results]
    return not any(isinstance(value, (float, list))
                   for value in values) and values.count(values[0]) == len(values)


def _aligned(rows: list[list[str]], right: list[bool]) -> list[str]:
    """Return a line for each row, its cells padded to the columns' widths on a terminal."""
    widths = [max(map(terminal.width, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(_padded(*cell) for cell in zip(row, widths, right, strict=True)).rstrip()
            for row in rows if row]


def _padded(cell: str, width: int, right: bool) -> str:
    space = " " * (width - terminal.width(cell))
    return space + cell if right else cell + space


def _markdown(results: list[dict], width: int) -> Iterator[str]:
    keys, rows, numeric = _cells(results)
    if keys:
        rule = ["---:" if right else "---" for right in numeric]
        yield from (f"| {' | '.join(map(_escaped_markdown, row))} |" for row in [keys, rule, *rows])
        yield ""
    yield from (f"- {_escaped_markdown(line)}" for line in _below(results))


def _escaped_markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", text)


def _latex(results: list[dict], width: int) -> Iterator[str]:
    keys, rows, numeric = _cells(results)
    if keys:
        yield rf"\begin{{tabular}}{{{''.join('r' if right else 'l' for right in numeric)}}}"
        lines = (" & ".join(map(_escaped_latex, row)) for row in [keys, *rows])
        # what \\ of the line before would take for its own
        lines = (f"{{}}{line}" if line.startswith(("[", "*")) else line for line in lines)
        yield rf"{next(lines)} \\ \hline"
        yield from (rf"{line} \\" for line in lines)
        yield r"\end{tabular}"
    for line in _below(results):
        yield f"\n{_escaped_latex(line)}"


def _escaped_latex(text: str) -> str:
    text = _LATEX_MARKS.sub(lambda found: _LATEX.get(found[0], "-{}"), text)
    return re.sub(r"(?<![\w.])-(?=\d)", "$-$", text)  # a minus, not a hyphen


_PEOPLE: dict[str, tuple[Callable[[list[dict], int], Iterator[str]],
                         Callable[[str], str]]] = {"text": (_text, str),
                                                   "markdown": (_markdown, _escaped_markdown),
                                                   "latex": (_latex, _escaped_latex)}
FORMATS = (*_PEOPLE, "csv", "json")


def _cells(results: list[dict]) -> tuple[list[str], list[list[str]], list[bool]]:
    """Return the keys of the columns, the cells row by row, and which columns are numeric."""
    keys, columns, numeric = [], [], []
    for key in _keys(results):
        values = [result.get(key) for result in results]
        if not _is_long(key, values) and values.count(None) < len(values):
            places = decimals([(value, result.get("unit"))
                               for value, result in zip(values, results, strict=True)])
            keys.append(key)
            columns.append([_cell(key, value, places) for value in values])
            numeric.append(all(is_number(value) for value in values if value is not None))
    return keys, [list(row) for row in zip(*columns, strict=True)], numeric


def _is_long(key: str, values: list) -> bool:
    return key in _LONG or any(isinstance(value, dict) or (isinstance(value, list)
                                                           and not all(map(is_number, value)))
                               for value in values)


def _is_numbers(values: Iterable) -> bool:
    return all(value is None or is_number(value) for value in values)


def decimals(column: list[tuple]) -> int:
    """Return the decimals of a column: 2, or 4 if a value that is no percentage is below 1."""
    numbers = [number for value, unit in column if unit != "percent"
               for number in (value if isinstance(value, list) else [value])
               if isinstance(number, float)]
    return 4 if any(0 < abs(number) < 1 for number in numbers) else 2


def _cell(key: str, value: object, places: int) -> str:
    """Return a value as people read it, on one line."""
    if value is None:
        return _NOTHING
    if isinstance(value, list):
        return f"[{', '.join(_cell(key, number, places) for number in value)}]"
    if key in _GROUPS:
        return _one_line(str(value))
    if isinstance(value, float):
        return probability(value) if _P.fullmatch(key) else rounded(value, places)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _one_line(str(value))


def probability(value: float) -> str:
    """Return a p as people read it: never as 0.0000.

    >>> probability(0.03417), probability(4e-9)
    ('0.0342', '< 0.0001')
    """
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}"


def rounded(value: float, places: int) -> str:
    """Return a number with so many decimals, or one digit if rounding would leave zero.

    Of one that is huge only the first digits are told.

    >>> rounded(31.2409, 2), rounded(-0.0004, 2), rounded(1.25e300, 2)
    ('31.24', '-0.0004', '1.25e+300')
    """
    if abs(value) >= _HUGE:
        return f"{value:.{places}e}"
    return f"{value:.1g}" if value and not round(value, places) else f"{value + 0.0:.{places}f}"


def _one_line(text: str) -> str:
    return "".join(" " if c < " " or "\x7f" <= c <= "\x9f" or c in "\u2028\u2029" else c
                   for c in text)


def _below(results: list[dict]) -> Iterator[str]:
    """Yield what is too long for a column, one line each, with the names of its results."""
    names = _names(results)
    for key in _keys(results):
        values = [result.get(key) for result in results]
        if _is_long(key, values):
            texts = [_sentences(value if key in _LONG or not isinstance(value, list)
                                else ", ".join(map(str, value))) for value in values]
            for text in dict.fromkeys(chain.from_iterable(texts)):
                whose = [name for name, own in zip(names, texts, strict=True) if text in own]
                label = [] if key in _SENTENCES else [key]
                if len(whose) < len(results) and key != "verdict":
                    label.append(", ".join(whose))
                yield f"{' of '.join(label)}: {text}" if label else text


def _names(results: list[dict]) -> list[str]:
    """Return what tells each result from the others: the texts in its columns."""
    texts = _texts(results)
    return [" ".join(_one_line(r[key]) for key in texts if r.get(key)) or f"line {number}"
            for number, r in enumerate(results, 1)]


def _texts(results: list[dict]) -> list[str]:
    """Return the keys of texts that tell results apart, each some that earlier ones do not."""
    found: list[str] = []
    told = [""] * len(results)
    for key in _keys(results):
        if key not in _LONG and all(isinstance(r.get(key), (str, type(None))) for r in results):
            more = [f"{before}\n{r.get(key)}" for before, r in zip(told, results, strict=True)]
            if len(set(more)) > len(set(told)):
                found, told = [*found, key], more
    return found


def _sentences(value: object) -> list[str]:
    """Return a string, the items of a list, or an object in words; [] for nothing."""
    if isinstance(value, dict):
        value = ", ".join(f"{name} {_cell(name, item, 4)}" for name, item in value.items())
    return [_one_line(str(item)) for item in (value if isinstance(value, list) else [value])
            if item not in (None, "")]
