"""Candidates of the generator nearest: a file of records with an id, and a vector or a text."""

import functools
import json
from typing import Any, NamedTuple

from dialtools.records import values
from dialtools.system.errors import OptionError, RecordError, about
from dialtools.system.files import called, open_input

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
            with about(place=f"{called(path)}:{number}"):
                row = _row(line)
                found.ids.append(row["id"] if isinstance(row["id"], str) else json.dumps(row["id"]))
                if VECTOR in row:
                    vectors.append(values.vector(row, VECTOR, vectors))
                else:
                    found.texts.append(row[TEXT])
                if vectors and found.texts:
                    raise RecordError("the candidates need a vector each, or a text each")
    if not found.ids:
        raise OptionError(f"{path}: no candidates")
    if not vectors:
        return found
    import numpy

    rows = numpy.array(vectors, float)
    return found._replace(vectors=rows / numpy.linalg.norm(rows, axis=1, keepdims=True))


def _row(line: bytes) -> dict:
    """Return a line's object with an id, and a vector or a text."""
    try:
        row = json.loads(line)
    except ValueError as error:
        raise RecordError(f"not JSON: {error}") from None
    if not isinstance(row, dict) or not isinstance(row.get("id"), (str, int)):
        raise RecordError('a candidate is an object with an "id"')
    if VECTOR not in row and not isinstance(row.get(TEXT), str):
        raise RecordError(f'a candidate has a "{VECTOR}" or a "{TEXT}"')
    return row
