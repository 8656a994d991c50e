"""Paths into JSON objects: lang, meta.age, scores.chrf:beta=0.5, data.answers.0.text.

Dots part a path into keys, and numbers that count the items of a list from 0.
At each step a key that holds all that is left of the path comes first, so that
keys, such as the labels of scores, may have dots.
"""

TOO_LONG = 20  # digits, for the index of a list; and int() refuses more than some thousands


def _is_index(part: str, items: list) -> bool:
    return part.isdecimal() and len(part) < TOO_LONG and int(part) < len(items)


def of_score(record: dict, path: str) -> str:
    """Return the path of a score that is named by its label, or by what its label begins with.

    "rougeL" is scores.rougeL, and "cosine" the only one of cosine with any options.  A key of the
    record comes first; any other path stays as it is.

    >>> of_score({"scores": {"rougeL": 1}}, "rougeL"), of_score({"rougeL": 2}, "rougeL")
    ('scores.rougeL', 'rougeL')
    >>> of_score({"scores": {"S:cosine:model=a/b": 1, "S:rougeL": 1}}, "S:cosine")
    'scores.S:cosine:model=a/b'
    """
    scores, label = record.get("scores"), path.removeprefix("scores.")
    is_key = label == path and (path in record or path.partition(".")[0] in record)
    if not isinstance(scores, dict) or is_key:
        return path
    if label in scores:
        return f"scores.{label}"
    fitting = [
        name
        for name in scores
        if name.startswith(f"{label}:") and "=" in name[len(label) + 1 :].partition(":")[0]
    ]
    return f"scores.{fitting[0]}" if len(fitting) == 1 else path


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
        is_key = isinstance(value, dict) and left in value
        part, dot, rest = (left, "", "") if is_key else left.partition(".")
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and _is_index(part, value):
            value = value[int(part)]
        else:
            return value, part
        left = rest if dot else None
    return value, None
