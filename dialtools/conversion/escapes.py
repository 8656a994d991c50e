r"""Escapes in CoNLL-U: white space in MISC, values in comments.

White space is written as by UDPipe (\s\n).  A value in a comment is plain,
unless it would be read as something else, such as a string of digits, a name
that ends in a space or a list: then it is JSON.
"""

import json
import re
from typing import Any

_ESCAPES = {"\\": "\\\\", " ": "\\s", "\t": "\\t", "\n": "\\n", "\r": "\\r", "|": "\\p"}
_CHARACTERS = {code: character for character, code in _ESCAPES.items()}
_JSON = re.compile(r'-?(0|[1-9][0-9]*)|".*"|\[.*\]', re.DOTALL)


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
    if isinstance(value, str) and value.isprintable() and value == value.strip() != "":
        if said(value) == value:
            return value
    return json.dumps(value, ensure_ascii=False)


def said(comment: str) -> Any:
    """Return the value of a comment: a string, unless it is JSON that we write."""
    if not _JSON.fullmatch(comment):
        return comment
    try:
        return json.loads(comment)
    except ValueError:
        return comment
