"""The ids of the candidates that an encoder puts nearest to the text, best first.

It reads the "text", or all utterances; of=KEY names another key.  candidates is a file of JSON
Lines with an "id" and a "vector", or a "text" that the encoder reads too.  model is an encoder of
sentence-transformers, a folder or a hub name, such as dt-train encoder --vectors makes.  The
prediction is a list of number=5 ids by falling cosine, for dt-score -m accuracy_at; "cosines" in
the history are those of the ids written.
"""

import functools
from typing import Any

from dialtools.inference import candidates as listed
from dialtools.models import checkpoints, sentences
from dialtools.plugins.generator import Generator
from dialtools.records import history, values
from dialtools.system.errors import OptionError, about


def needs(options: dict) -> tuple[str, ...]:
    """Return the keys that a record must have."""
    return () if options["of"] else ("dialogue|text",)


def settings(
    *,
    model: str = "",
    candidates: str = "",
    of: str = "",
    number: int = 5,
    device: str = "auto",
    offline: bool = False,
    window: int = 256,
    batch_size: int = 32,
) -> dict:
    """Return the options that change the output, as they take effect."""
    if not model or not candidates:
        raise OptionError(
            "nearest needs an encoder and a file: -g nearest:model=PATH,candidates=FILE"
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
    found = listed.read(candidates)
    with checkpoints.hushed(offline=offline):
        others = encode(found.texts) if found.vectors is None else found.vectors
        own = encode([_text(record, of) for record in records])
    if own.shape[1] != others.shape[1]:
        raise OptionError(
            f"the vectors of {candidates} have {others.shape[1]} numbers, those of "
            f"{model} {own.shape[1]}"
        )
    cosines = own.astype(float) @ others.T
    order = numpy.argsort(-cosines, axis=1, kind="stable")[:, :number]
    return [
        {
            "prediction": [found.ids[at] for at in best],
            "cosines": [round(float(row[at]), 6) for at in best],
        }
        for row, best in zip(cosines, order, strict=True)
    ]


@functools.lru_cache(maxsize=2)
def _encoder(model: str, device: str, offline: bool) -> Any:
    return sentences.transformer(model, device, offline)


def _text(record: dict, of: str) -> str:
    with about(record):
        return values.text(record, of or None)


GENERATOR = Generator(generate, needs=needs, settings=settings)
