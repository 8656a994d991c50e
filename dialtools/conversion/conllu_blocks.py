r"""The sentences of a CoNLL-U file: blocks of comments and rows; what stands escaped in them.

Errors, each with its line: a row without ten columns, IDs that do not count
from 1, multiword tokens with missing or shared words, heads that are no tree.
Empty nodes (IDs such as 3.1) are dropped.

White space in MISC is written as by UDPipe (\s\n).  A value in a comment is plain,
unless it would be read as something else, such as a string of digits, a name
that ends in a space or a list: then it is JSON.

Source: https://universaldependencies.org/format.html.
"""

import json
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any, BinaryIO, NamedTuple

from dialtools.conversion import items
from dialtools.system.errors import RecordError, show

_HEAD = 6  # the column
_ESCAPES = {"\\": "\\\\", " ": "\\s", "\t": "\\t", "\n": "\\n", "\r": "\\r", "|": "\\p"}
_CHARACTERS = {code: character for character, code in _ESCAPES.items()}
_JSON = re.compile(r'-?(0|[1-9][0-9]*)|".*"|\[.*\]', re.DOTALL)
PlacedRow = tuple[str, list[str]]  # place, columns


class Block(NamedTuple):
    """A sentence: place of its first row, comments, and ten columns for each row."""

    place: str
    comments: dict[str, str]
    rows: list[list[str]]


def read(file: BinaryIO, trees: bool = True) -> Iterator[Block]:
    """Yield the sentences of a file; RecordError for the first fault.

    trees: the heads of a sentence must form a tree with one root; else they need only exist.
        A sentence may have no heads at all.
    """
    comments: dict[str, str] = {}
    rows: list[PlacedRow] = []
    words = 0
    for place, line in chain(items.lines(file), [("", "")]):
        line = items.unended(line)
        if line.startswith("#"):
            key, _, value = line[1:].partition("=")
            comments[key.strip()] = value.strip()
        elif line:
            columns = line.split("\t")
            _check_row(columns, words, place)
            if columns[0].isdecimal():
                words += 1
            if "." not in columns[0]:
                rows.append((place, columns))
        else:
            if words:
                _check_multiword(rows, words)
                _check_heads([row for row in rows if row[1][0].isdecimal()], trees)
                yield Block(rows[0][0], comments, [columns for _, columns in rows])
            comments, rows, words = {}, [], 0


def _check_row(row: list[str], words: int, place: str) -> None:
    """Raise RecordError for a malformed row that follows so many words."""
    if len(row) != 10:
        reason = f"{len(row)} columns between tabs, not 10 as in CoNLL-U"
    elif not re.fullmatch(rf"{words + 1}(-[0-9]+)?|{words}\.[0-9]+", row[0]):
        is_first = re.fullmatch("1(-[0-9]+)?", row[0])
        hint = ": is an empty line missing between two sentences?" if is_first else ""
        reason = f"the ID after word {words} is {show(row[0])}{hint}"
    elif not re.fullmatch("[0-9]+|_", row[_HEAD]):
        reason = f"HEAD must be a number, not {show(row[_HEAD])}"
    else:
        return
    raise RecordError(reason, place=place)


def _check_multiword(rows: list[PlacedRow], words: int) -> None:
    """Raise RecordError unless each multiword token has words of its own."""
    shared = 0  # the last word in a multiword token
    for place, columns in rows:
        first, dash, last = columns[0].partition("-")
        if dash:
            if not shared < int(first) < int(last) <= words:
                reason = f"no words for the multiword token {columns[0]} {columns[1]}"
                raise RecordError(reason, place=place)
            shared = int(last)


def _check_heads(words: list[PlacedRow], trees: bool) -> None:
    """Raise RecordError, at the faulty word, unless all words have valid heads or none has one."""
    heads = [columns[_HEAD] for _, columns in words]
    if heads.count("_") == len(heads):
        return
    for number, (head, (place, _)) in enumerate(zip(heads, words, strict=True), 1):
        if head == "_":
            raise RecordError(f"word {number} has no HEAD, unlike others", place=place)
        if int(head) > len(heads):
            reason = f"HEAD of word {number} is {head}, but the sentence has {len(heads)} words"
            raise RecordError(reason, place=place)
    if trees:
        number, reason = _tree_problem([0, *map(int, heads)])
        if number:
            raise RecordError(f"{reason} (conllu:trees=no accepts it)", place=words[number - 1][0])


def _tree_problem(heads: list[int]) -> tuple[int, str]:
    """Return (word, reason) if heads, after a 0 for the root, form no tree, else (0, "")."""
    roots = [number for number, head in enumerate(heads) if number and not head]
    if not roots:
        return 1, "no root: no word of the sentence has HEAD 0"
    if len(roots) > 1:
        return roots[1], f"two roots, words {roots[0]} and {roots[1]}"
    walk_of = [0] * len(heads)  # the walk to the root that met a word
    for start in range(1, len(heads)):
        word = start
        while word and not walk_of[word]:
            walk_of[word] = start
            word = heads[word]
        if word and walk_of[word] == start:
            circle = [word]
            while heads[circle[-1]] != word:
                circle.append(heads[circle[-1]])
            shown = [*circle[:9], *(["…"] if len(circle) > 9 else []), word]
            return word, f"the heads run in a circle: {' → '.join(map(str, shown))}"
    return 0, ""


def escape(spaces: str) -> str:
    r"""Return white space as in MISC.

    >>> escape(" \n")
    '\\s\\n'
    """
    return "".join(_ESCAPES.get(character, character) for character in spaces)


def unescape(spaces: str) -> str:
    """Return the white space of an escape in MISC."""
    return re.sub(r"\\.", lambda code: _CHARACTERS.get(code[0], code[0]), spaces)


def comment(value: object) -> str:
    """Return a value as in a comment.

    >>> [comment("d7"), comment(7), comment("7")]
    ['d7', '7', '"7"']
    """
    is_plain = isinstance(value, str) and value.isprintable() and value == value.strip() != ""
    if is_plain and value_of(str(value)) == value:
        return str(value)
    return json.dumps(value, ensure_ascii=False)


def value_of(comment: str) -> Any:
    """Return the value of a comment: a string, unless it is JSON that we write."""
    if not _JSON.fullmatch(comment):
        return comment
    try:
        return json.loads(comment)
    except ValueError:
        return comment
