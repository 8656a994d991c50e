"""What is taken out of a model's output: the text in braces, the first line, what a regular expression finds."""

import re
from collections.abc import Callable

from dialtools.generating import prompts
from dialtools.errors import OptionError, show

_NAMED = {"braces": r"\{([^{}]*)\}", "first-line": r"^\s*(\S[^\n]*)"}


def extractor(spec: str) -> Callable[[str], str]:
    """Return output -> the answer in it, without white space around it; "" where there is none.

    spec: braces (what the first pair holds), first-line (the first that is not blank), or a regular
        expression: its first group, or where it has none all that it finds first.

    >>> extractor("braces")("Sure: {It rains.} or {It pours.}"), extractor("first-line")("\\n Yes.\\nNo.")
    ('It rains.', 'Yes.')
    >>> extractor("Score: ([0-9]+)")("Score: 85 of 100"), extractor("[0-9]+")("none")
    ('85', '')
    """
    try:
        pattern = re.compile(_NAMED.get(spec, spec))
    except re.error as error:
        raise OptionError(f"extract is {', '.join(_NAMED)} or a regular expression, "
                          f"not {show(spec)}: {error}") from None

    def extract(output: str) -> str:
        found = pattern.search(output)
        return (found[1 if pattern.groups else 0] or "").strip() if found else ""

    return extract


def called(spec: str) -> str:
    """Return what a signature calls it; an expression may hold any character, a signature not."""
    return spec if spec in _NAMED else f"regex-{prompts.digest(spec)}"
