"""The ids of the candidates that an encoder puts nearest to the text, best first.

It reads the "text", or all utterances; of=KEY names another key.  candidates is a file of JSON
Lines with an "id" and a "vector", or a "text" that the encoder reads too.  model is an encoder of
sentence-transformers, a folder or a hub name, such as dt-train encoder --vectors makes.  The
prediction is a list of number=5 ids by falling cosine, for dt-score -m accuracy_at; "cosines" in
the history are those of the ids written.
"""

import functools
import json
from typing import Any, NamedTuple

from dialtools.models import checkpoints, encoders
from dialtools.plugins.generator import Generator
from dialtools.records import history, values
from dialtools.system.errors import OptionError, RecordError, about
from dialtools.system.files import called, open_input

VECTOR, TEXT = "vector", "text"


def needs(options: dict) -> tuple[str, ...]:
    """Return the keys that a record must have."""
    return () if options["of"] else ("dialogue|text",)


def settings(*, model: str, candidates: str, of: str, number: int, **_: object) -> dict:
    """Return the options that change the output, as they take effect."""
    if not model or not candidates:
        raise OptionError(
            "nearest needs an encoder and a file: -g nearest:candidates=FILE --model PATH"
        )
    if number < 1:
        raise OptionError(f"number is 1 or more, not {number}")
    return {
        "model": model,
        "candidates": history.digits_of(candidates),
        "of": of or None,
        "number": number,
    }


def generate(
    records: list[dict],
    *,
    model: str = "",
    candidates: str = "",
    of: str = "",
    number: int = 5,
    device: str = "auto",
    offline: bool = False,
    window: int = 256,
    batch_size: int = 32,
) -> list[dict]:
    """Return the nearest candidates of each record.

    number: how many of them.
    """
    import numpy

    encode = functools.partial(
        _encoder(model, device, offline).encode,
        batch_size=batch_size,
        show_progress_bar=False,
        normalize_embeddings=True,
    )
    listed, texts = _candidates(candidates), []
    for record in records:
        with about(record):
            texts.append(values.text(record, of or None))
    with checkpoints.hushed(offline=offline):
        vectors = encode(listed.texts) if listed.vectors is None else listed.vectors
        text_vectors = encode(texts)
    if text_vectors.shape[1] != vectors.shape[1]:
        raise OptionError(
            f"the vectors of {candidates} have {vectors.shape[1]} numbers, those of "
            f"{model} {text_vectors.shape[1]}"
        )
    cosines = text_vectors.astype(float) @ vectors.T
    order = numpy.argsort(-cosines, axis=1, kind="stable")[:, :number]
    return [
        {
            "prediction": [listed.ids[place] for place in best],
            "cosines": [round(float(row[place]), 6) for place in best],
        }
        for row, best in zip(cosines, order, strict=True)
    ]


@functools.lru_cache(maxsize=2)
def _encoder(model: str, device: str, offline: bool) -> Any:
    return encoders.transformer(model, device, offline)


class Candidates(NamedTuple):
    """Candidates in the order of their file; they have vectors, or else texts."""

    ids: list[str]
    vectors: Any  # (candidates, dimensions), each of length 1; None if they have texts
    texts: list[str]


@functools.lru_cache(maxsize=2)
def _candidates(path: str) -> Candidates:
    """Return the candidates of a file. Raise RecordError for one that is none."""
    ids: list[str] = []
    texts: list[str] = []
    vectors: list[list[float]] = []
    with open_input(path) as file:
        for number, line in enumerate(file, 1):
            with about(place=f"{called(path)}:{number}"):
                try:
                    row = json.loads(line)
                except ValueError as error:
                    raise RecordError(f"not JSON: {error}") from None
                if not isinstance(row, dict) or not isinstance(row.get("id"), (str, int)):
                    raise RecordError('a candidate is an object with an "id"')
                if VECTOR not in row and not isinstance(row.get(TEXT), str):
                    raise RecordError(f'a candidate has a "{VECTOR}" or a "{TEXT}"')
                ids.append(row["id"] if isinstance(row["id"], str) else json.dumps(row["id"]))
                if VECTOR in row:
                    vectors.append(values.vector(row, VECTOR, vectors))
                else:
                    texts.append(row[TEXT])
                if vectors and texts:
                    raise RecordError("the candidates need a vector each, or a text each")
    if not ids:
        raise OptionError(f"{path}: no candidates")
    if not vectors:
        return Candidates(ids, None, texts)
    import numpy

    rows = numpy.array(vectors, float)
    return Candidates(ids, rows / numpy.linalg.norm(rows, axis=1, keepdims=True), texts)


GENERATOR = Generator(generate, needs=needs, settings=settings)
