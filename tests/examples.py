"""Examples in documentation: shell commands after "$ ", with what they write."""

import re
from typing import NamedTuple


class Example(NamedTuple):
    """A command, which may go over several lines, and the lines that it writes."""

    command: str
    shown: str


def examples(text: str) -> list[Example]:
    """Return the examples of a text; an empty line, or the next command, ends what one writes."""
    found = []
    for block in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        lines = block.partition("\n\n")[0].splitlines()
        size = next(i for i, line in enumerate(lines, 1) if not line.endswith(("|", "\\")))
        found.append(
            Example("\n".join(lines[:size]), "".join(f"{line}\n" for line in lines[size:]))
        )
    return found
