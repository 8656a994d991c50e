"""Numbers that arrive as texts, such as those in the cells of tables."""

import re
from math import isfinite

LONGEST = 300  # characters; int() refuses some thousands
_NUMERAL = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")


def number_of(text: str) -> int | float | None:
    """Return the number that a text is, written as JSON writes it; None for any other text.

    White space around it does not count.  007, +49 and 4,5 are no numbers.

    >>> number_of(" 4"), number_of("-2.50"), number_of("1e3"), number_of("007"), number_of("")
    (4, -2.5, 1000.0, None, None)
    """
    text = text.strip()
    numeral = _NUMERAL.fullmatch(text) if len(text) <= LONGEST else None
    if numeral is None:
        return None
    if numeral[1] is None and numeral[2] is None:
        return int(text)
    return number if isfinite(number := float(text)) else None
