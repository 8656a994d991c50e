"""Candidates of the generator nearest: a file of records with an id, and a vector or a text."""

import functools
import json
from typing import Any, NamedTuple

from dialtools.errors import OptionError, RecordError, show
from dialtools.files import called, open_input

VECTOR, TEXT = "vector", "text"


class Candidates(NamedTuple):
    """Candidates in the order of their file; they have vectors, or else texts."""

    ids: list[str]
    vectors: Any  # (candidates, dimensions), each of length 1; None if they have texts
    texts: list[str]


@functools.lru_cache(maxsize=2)
def read(path: str) -> Candidates:
    """Return the candidates of a file. Raise RecordError for one that is none."""
    found = Candidates([], None, [])
    vectors: list[list[float]] = []
    with open_input(path) as file:
        for number, line in enumerate(file, 1):
            row = _row(line, f"{called(path)}:{number}")
            found.ids.append(row["id"] if isinstance(row["id"], str) else json.dumps(row["id"]))
            if VECTOR in row:
                vectors.append(row[VECTOR])
            else:
                found.texts.append(row[TEXT])
            if vectors and (found.texts or len(vectors[-1]) != len(vectors[0])):
                raise RecordError("the candidates need a vector each, all of one length, or a text "
                                  "each", place=f"{called(path)}:{number}")
    if not found.ids:
        raise OptionError(f"{path}: no candidates")
    if not vectors:
        return found
    import numpy

    rows = numpy.array(vectors, float)
    lengths = numpy.linalg.norm(rows, axis=1, keepdims=True)
    if not lengths.all():
        first = int((lengths[:, 0] == 0).argmax()) + 1
        raise OptionError(f"{path}: the vector of candidate {first} has a length of 0, and so no "
                          "direction")
    return found._replace(vectors=rows / lengths)


def _row(line: bytes, place: str) -> dict:
    """Return a line's object with an id, and a vector or a text."""
    try:
        row = json.loads(line)
    except ValueError as error:
        raise RecordError(f"not JSON: {error}", place=place) from None
    if not isinstance(row, dict) or not isinstance(row.get("id"), (str, int)):
        raise RecordError('a candidate is an object with an "id"', place=place)
    vector = row.get(VECTOR)
    if VECTOR in row and not (isinstance(vector, list) and vector and all(
            type(one) in (int, float) and abs(one) < 1e30 for one in vector)):
        raise RecordError(f'"{VECTOR}" must be a list of numbers, not {show(vector)}', place=place)
    if VECTOR not in row and not isinstance(row.get(TEXT), str):
        raise RecordError(f'a candidate has a "{VECTOR}" or a "{TEXT}"', place=place)
    return row
