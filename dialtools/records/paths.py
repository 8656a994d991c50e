"""What stands at a path in a JSON object: lang, meta.age, scores.chrf:beta=0.5, data.answers.0.text.

Dots part a path into keys, and numbers that count the items of a list from 0.
At each step a key that holds all that is left of the path comes first, so that
keys, such as the labels of scores, may have dots.
"""

TOO_LONG = 20  # digits, for the index of a list; and int() refuses more than some thousands


def at(value: object, path: str) -> tuple[object, str | None]:
    """Return what a path leads to, and None; or how far it leads, and the part that is not there.

    >>> at({"data": [{"a": 1}, {"a": 2}]}, "data.1.a")
    (2, None)
    >>> at({"scores": {"chrf:beta=0.5": 3}}, "scores.chrf:beta=0.5")
    (3, None)
    >>> at({"a": {"b": None}}, "a.b.c.d")
    (None, 'c')
    """
    left: str | None = path
    while left is not None:
        part, dot, rest = (left, "", "") if isinstance(value, dict) and left in value else left.partition(".")
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdecimal() and len(part) < TOO_LONG and int(part) < len(value):
            value = value[int(part)]
        else:
            return value, part
        left = rest if dot else None
    return value, None
