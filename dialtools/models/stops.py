"""Texts before which an output ends."""

from dialtools.system.errors import OptionError, show


def texts(stop: str) -> tuple[str, ...]:
    """Return the texts in an option: one, or a JSON list; none for "".

    >>> texts("###"), texts('["\\\\n", "Ann:"]'), texts("")
    (('###',), ('\\n', 'Ann:'), ())
    """
    import json

    try:
        found = json.loads(stop) if stop.startswith("[") else [stop] if stop else []
    except ValueError:
        found = [stop]
    if not all(isinstance(text, str) and text for text in found):
        raise OptionError(f"stop must be a text, or a JSON list of texts, not {show(stop)}")
    return tuple(found)


def place(text: str, stops: tuple[str, ...]) -> int:
    """Return the place of the first of them in a text, -1 for none.

    >>> place("Yes. Ann: Bob: No.", ("Bob:", "Ann:")), place("Yes.", ())
    (5, -1)
    """
    return min((found for found in map(text.find, stops) if found >= 0), default=-1)
