"""The sentences of a CoNLL-U file: blocks of comments and rows, looked at closely.

An error for each of these, with its line: columns that are not ten, IDs that
do not count from 1, multiword tokens whose words are not there or shared,
heads that are no trees.  Empty nodes (IDs such as 3.1) are dropped.

Source: https://universaldependencies.org/format.html.
"""

import re
from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO, NamedTuple

from dialtools.converting import items
from dialtools.errors import RecordError, show

_HEAD = 6  # the column


class Sentence(NamedTuple):
    """A block of lines: the place of its first row, its comments, and the ten columns of each row."""

    place: str
    comments: dict[str, str]
    rows: list[list[str]]


def read(file: BinaryIO, trees: bool = True) -> Iterator[Sentence]:
    """Yield the sentences of a file; RecordError for the first thing that is wrong.

    trees: the heads of a sentence, where there are any, must be a tree with one root; else they must only be there.
    """
    comments: dict[str, str] = {}
    rows: list[list[str]] = []
    places: list[str] = []
    words = 0
    for place, line in chain(items.lines(file), [("", "")]):
        line = items.unended(line)
        if line.startswith("#"):
            key, _, value = line[1:].partition("=")
            comments[key.strip()] = value.strip()
        elif line:
            row = line.split("\t")
            problem = _problem(row, words)
            if problem:
                raise RecordError(problem, place=place)
            words += row[0].isdecimal()
            if "." not in row[0]:
                rows.append(row)
                places.append(place)
        else:
            if words:
                _check(rows, places, trees)
                yield Sentence(places[0], comments, rows)
            comments, rows, places, words = {}, [], [], 0


def _problem(row: list[str], words: int) -> str | None:
    """Return what is wrong with a row that comes after so many words, or None."""
    if len(row) != 10:
        return f"{len(row)} columns between tabs, not 10 as in CoNLL-U"
    if not re.fullmatch(rf"{words + 1}(-[0-9]+)?|{words}\.[0-9]+", row[0]):
        hint = ": is an empty line missing between two sentences?" if re.fullmatch("1(-[0-9]+)?", row[0]) else ""
        return f"the ID after word {words} is {show(row[0])}{hint}"
    if not re.fullmatch("[0-9]+|_", row[_HEAD]):
        return f"HEAD is a number, here is {show(row[_HEAD])}"
    return None


def _check(rows: list[list[str]], places: list[str], trees: bool) -> None:
    """Raise RecordError unless each multiword token has words of its own, and the heads are a tree."""
    words = [(row, place) for row, place in zip(rows, places, strict=True) if "-" not in row[0]]
    shared = 0  # the last word that is part of a multiword token
    for row, place in zip(rows, places, strict=True):
        first, dash, last = row[0].partition("-")
        if dash:
            if not shared < int(first) < int(last) <= len(words):
                raise RecordError(f"no words for the multiword token {row[0]} {row[1]}", place=place)
            shared = int(last)
    heads = [row[_HEAD] for row, _ in words]
    if heads.count("_") < len(heads):
        number, reason = _head_problem(heads, trees)
        if reason:
            raise RecordError(reason, place=words[number - 1][1])


def _head_problem(heads: list[str], trees: bool) -> tuple[int, str]:
    """Return which word's head is wrong (from 1), and how; (0, "") where all are right."""
    for number, head in enumerate(heads, 1):
        if head == "_":
            return number, f"word {number} has no HEAD, and others have"
        if int(head) > len(heads):
            return number, f"HEAD of word {number} is {head}, and the sentence has {len(heads)} words"
    return _tree_problem([0, *map(int, heads)]) if trees else (0, "")


def _tree_problem(heads: list[int]) -> tuple[int, str]:
    """Return as above; heads: of each word, behind a 0 for the root itself."""
    even_so = "(conllu:trees=no reads it even so)"
    roots = [number for number, head in enumerate(heads) if number and not head]
    if not roots:
        return 1, f"no root: no word of the sentence has HEAD 0 {even_so}"
    if len(roots) > 1:
        return roots[1], f"two roots, words {roots[0]} and {roots[1]} {even_so}"
    seen = [0] * len(heads)  # by which walk towards the root a word was met
    for start in range(1, len(heads)):
        at = start
        while at and not seen[at]:
            seen[at] = start
            at = heads[at]
        if at and seen[at] == start:
            return at, f"the heads run in a circle: {_circle(heads, at)} {even_so}"
    return 0, ""


def _circle(heads: list[int], start: int) -> str:
    """Return the words of a circle, beginning and ending with one of them."""
    passed, at = [start], heads[start]
    while at != start:
        passed.append(at)
        at = heads[at]
    return " → ".join(map(str, [*passed[:9], *["…"] * (len(passed) > 9), start]))
