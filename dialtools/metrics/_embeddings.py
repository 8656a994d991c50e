"""Embeddings of predictions and references; shared by am_fm and ruber."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from dialtools.metrics import _pairs
from dialtools.models import encoders, likelihoods, sentences
from dialtools.text import overlap


def read(
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    model: str,
    long: encoders.Long,
    where: likelihoods.Place,
) -> dict[str, sentences.Embedding]:
    """Return {text: its embedding}."""
    encoder = encoders.encoder(
        model, None, "torch", where.precision, where.device, where.offline, where.batch_size
    )
    return sentences.vectors(
        encoder,
        sentences.manner(model, where.offline),
        dict.fromkeys(chain(predictions, *references)),
        long,
    )


def of_texts(found: Mapping[str, sentences.Embedding]) -> dict[str, Any]:
    """Return {text: its vector of length 1}, None for a text without a token."""
    return {text: None if own.bare else own.vector for text, own in found.items()}


def cosines(
    vectors: Mapping[str, Any],
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    refs: _pairs.Rule,
) -> list[float]:
    """Return the cosine of each prediction and its reference; 0 if one has no vector.

    vectors: {text: its vector of length 1, or None}.
    """
    return overlap.best(vectors.__getitem__, _cosine, predictions, references, refs)


def _cosine(one: Any, other: Any) -> float:
    return 0.0 if one is None or other is None else float(one @ other)
