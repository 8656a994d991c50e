"""The sentences of a CoNLL-U file: blocks of comments and rows.

Errors, each with its line: a row without ten columns, IDs that do not count
from 1, multiword tokens with missing or shared words, heads that are no tree.
Empty nodes (IDs such as 3.1) are dropped.

Source: https://universaldependencies.org/format.html.
"""

import re
from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO, NamedTuple

from dialtools.conversion import items
from dialtools.system.errors import RecordError, show

_HEAD = 6  # the column
Row = tuple[str, list[str]]  # place, columns


class Sentence(NamedTuple):
    """A block of lines: place of the first row, comments, and ten columns for each row."""

    place: str
    comments: dict[str, str]
    rows: list[list[str]]


def read(file: BinaryIO, trees: bool = True) -> Iterator[Sentence]:
    """Yield the sentences of a file; RecordError for the first fault.

    trees: the heads of a sentence must form a tree with one root; else they need only exist.
        A sentence may have no heads at all.
    """
    comments: dict[str, str] = {}
    rows: list[Row] = []
    words = 0
    for place, line in chain(items.lines(file), [("", "")]):
        line = items.unended(line)
        if line.startswith("#"):
            key, _, value = line[1:].partition("=")
            comments[key.strip()] = value.strip()
        elif line:
            columns = line.split("\t")
            problem = _problem(columns, words)
            if problem:
                raise RecordError(problem, place=place)
            if columns[0].isdecimal():
                words += 1
            if "." not in columns[0]:
                rows.append((place, columns))
        else:
            if words:
                _check_multiword(rows, words)
                _check_heads([row for row in rows if row[1][0].isdecimal()], trees)
                yield Sentence(rows[0][0], comments, [columns for _, columns in rows])
            comments, rows, words = {}, [], 0


def _problem(row: list[str], words: int) -> str | None:
    """Return what is wrong with a row that follows so many words, or None."""
    if len(row) != 10:
        return f"{len(row)} columns between tabs, not 10 as in CoNLL-U"
    if not re.fullmatch(rf"{words + 1}(-[0-9]+)?|{words}\.[0-9]+", row[0]):
        is_first = re.fullmatch("1(-[0-9]+)?", row[0])
        hint = ": is an empty line missing between two sentences?" if is_first else ""
        return f"the ID after word {words} is {show(row[0])}{hint}"
    if not re.fullmatch("[0-9]+|_", row[_HEAD]):
        return f"HEAD must be a number, not {show(row[_HEAD])}"
    return None


def _check_multiword(rows: list[Row], words: int) -> None:
    """Raise RecordError unless each multiword token has words of its own."""
    shared = 0  # the last word in a multiword token
    for place, columns in rows:
        first, dash, last = columns[0].partition("-")
        if dash:
            if not shared < int(first) < int(last) <= words:
                raise RecordError(
                    f"no words for the multiword token {columns[0]} {columns[1]}", place=place
                )
            shared = int(last)


def _check_heads(words: list[Row], trees: bool) -> None:
    """Raise RecordError, at the faulty word, unless all words have valid heads or none has one."""
    heads = [columns[_HEAD] for _, columns in words]
    if heads.count("_") == len(heads):
        return
    for number, (place, columns) in enumerate(words, 1):
        head = columns[_HEAD]
        if head == "_":
            raise RecordError(f"word {number} has no HEAD, unlike others", place=place)
        if int(head) > len(heads):
            raise RecordError(
                f"HEAD of word {number} is {head}, but the sentence has {len(heads)} words",
                place=place,
            )
    if trees:
        problem = _tree_problem([0, *map(int, heads)])
        if problem:
            number, reason = problem
            raise RecordError(f"{reason} (conllu:trees=no accepts it)", place=words[number - 1][0])


def _tree_problem(heads: list[int]) -> tuple[int, str] | None:
    """Return (word, reason) if heads, after a 0 for the root, form no tree, else None."""
    roots = [number for number, head in enumerate(heads) if number and not head]
    if not roots:
        return 1, "no root: no word of the sentence has HEAD 0"
    if len(roots) > 1:
        return roots[1], f"two roots, words {roots[0]} and {roots[1]}"
    seen = [0] * len(heads)  # the walk to the root that met a word
    for start in range(1, len(heads)):
        at = start
        while at and not seen[at]:
            seen[at] = start
            at = heads[at]
        if at and seen[at] == start:
            return at, f"the heads run in a circle: {_circle(heads, at)}"
    return None


def _circle(heads: list[int], start: int) -> str:
    """Return the words of a circle, with the first one again at the end."""
    passed, at = [start], heads[start]
    while at != start:
        passed.append(at)
        at = heads[at]
    shown = [str(number) for number in passed[:9]]
    if len(passed) > 9:
        shown.append("…")
    return " → ".join([*shown, str(start)])
