r"""How CoNLL-U writes what it has no place for: white space in MISC, values in comments.

White space is written as UDPipe does it (\s\n).  A value in a comment stands
as it is; one that would be read as something else, such as a string of
digits, a name that ends in a space or a list, stands as JSON.
"""

import json
import re
from typing import Any

_ESCAPES = {"\\": "\\\\", " ": "\\s", "\t": "\\t", "\n": "\\n", "\r": "\\r", "|": "\\p"}
_CHARACTERS = {code: character for character, code in _ESCAPES.items()}
_JSON = re.compile(r'-?(0|[1-9][0-9]*)|".*"|\[.*\]', re.DOTALL)


def escape(spaces: str) -> str:
    r"""Return white space as MISC has it.

    >>> escape(" \n")
    '\\s\\n'
    """
    return "".join(_ESCAPES.get(character, character) for character in spaces)


def unescape(spaces: str) -> str:
    """Return white space that MISC tells."""
    return re.sub(r"\\.", lambda code: _CHARACTERS.get(code[0], code[0]), spaces)


def comment(value: object) -> str:
    """Return a value as a comment has it.

    >>> [comment("d7"), comment(7), comment("7")]
    ['d7', '7', '"7"']
    """
    if isinstance(value, str) and value.isprintable() and value == value.strip() and said(value) == value != "":
        return value
    return json.dumps(value, ensure_ascii=False)


def said(comment: str) -> Any:
    """Return the value that a comment has, a string where it is no JSON of ours."""
    if not _JSON.fullmatch(comment):
        return comment
    try:
        return json.loads(comment)
    except ValueError:
        return comment
