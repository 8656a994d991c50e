"""The sentences of a CoNLL-U file, checked: comments, and ten columns for each word.

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


class Sentence(NamedTuple):
    """A sentence that was read: place of its first row, comments, ten columns for each row."""

    place: str
    comments: dict[str, str]
    rows: list[list[str]]


def sentences_of(file: BinaryIO, trees: bool) -> Iterator[Sentence]:
    """Yield the sentences of a file; RecordError for the first fault.

    trees: the heads of a sentence must form a tree with one root; else they need only exist.
        A sentence may have no heads at all.
    """
    comments: dict[str, str] = {}
    places: list[str] = []
    rows: list[list[str]] = []
    words: dict[str, str] = {}  # the place of each word: its head
    for place, line in chain(items.lines(file), [("", "")]):
        line = items.unended(line)
        if line.startswith("#"):
            key, _, value = line[1:].partition("=")
            comments[key.strip()] = value.strip()
        elif line:
            columns = line.split("\t")
            if problem := _problem_of_row(columns, len(words)):
                raise RecordError(problem, place=place)
            if columns[0].isdecimal():
                words[place] = columns[_HEAD]
            if "." not in columns[0]:
                places.append(place)
                rows.append(columns)
        else:
            if words:
                shared = 0  # the last word in a multiword token
                for row, columns in zip(places, rows, strict=True):
                    first, dash, last = columns[0].partition("-")
                    if dash and not shared < int(first) < int(last) <= len(words):
                        reason = f"no words for the multiword token {columns[0]} {columns[1]}"
                        raise RecordError(reason, place=row)
                    shared = int(last) if dash else shared
                word, problem = _problem_of_heads([*words.values()], trees)
                if problem:
                    raise RecordError(problem, place=[*words][word - 1])
                yield Sentence(places[0], comments, rows)
            comments, places, rows, words = {}, [], [], {}


def _problem_of_row(row: list[str], words: int) -> str:
    """Return what is wrong with a row that follows so many words, "" for nothing."""
    if len(row) != 10:
        return f"{len(row)} columns between tabs, not 10 as in CoNLL-U"
    if not re.fullmatch(rf"{words + 1}(-[0-9]+)?|{words}\.[0-9]+", row[0]):
        is_first = re.fullmatch("1(-[0-9]+)?", row[0])
        hint = ": is an empty line missing between two sentences?" if is_first else ""
        return f"the ID after word {words} is {show(row[0])}{hint}"
    if not re.fullmatch("[0-9]+|_", row[_HEAD]):
        return f"HEAD must be a number, not {show(row[_HEAD])}"
    return ""


def _problem_of_heads(heads: list[str], trees: bool) -> tuple[int, str]:
    """Return the number of a word and what is wrong with its head; (0, "") for nothing."""
    if heads.count("_") == len(heads):
        return 0, ""
    for number, head in enumerate(heads, 1):
        if head == "_":
            return number, f"word {number} has no HEAD, unlike others"
        if int(head) > len(heads):
            return (
                number,
                f"HEAD of word {number} is {head}, but the sentence has {len(heads)} words",
            )
    if not trees:
        return 0, ""
    allowed = " (conllu:trees=no accepts it)"
    head_of = [0, *map(int, heads)]
    roots = [number for number, head in enumerate(head_of) if number and not head]
    if not roots:
        return 1, f"no root: no word of the sentence has HEAD 0{allowed}"
    if len(roots) > 1:
        return roots[1], f"two roots, words {roots[0]} and {roots[1]}{allowed}"
    walk_of = [0] * len(head_of)  # the walk to the root that met a word
    for start in range(1, len(head_of)):
        word = start
        while word and not walk_of[word]:
            walk_of[word] = start
            word = head_of[word]
        if word and walk_of[word] == start:
            circle = [word]
            while head_of[circle[-1]] != word:
                circle.append(head_of[circle[-1]])
            shown = [*circle[:9], *(["…"] if len(circle) > 9 else []), word]
            return word, f"the heads run in a circle: {' → '.join(map(str, shown))}{allowed}"
    return 0, ""
