"""What commands wrote, compared line by line: JSON as JSON, all else as it stands."""

import json
import math


def same_text(given: str, expected: str) -> bool:
    """Are two texts the same but for white space and the seventh digit in lines of JSON?"""
    lines, wanted = given.split("\n"), expected.split("\n")
    return len(lines) == len(wanted) and all(map(_same_line, lines, wanted))


def _same_line(line: str, wanted: str) -> bool:
    if line == wanted:
        return True
    if not (line.startswith(("{", "[")) and wanted.startswith(("{", "["))):
        return False
    try:
        return _same(json.loads(line), json.loads(wanted))
    except ValueError:
        return False


def _same(a: object, b: object) -> bool:
    """Are two JSON values the same, keys in the same order, floats to six digits?"""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(_same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9)
    return a == b
