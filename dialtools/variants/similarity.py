"""Similarity of texts to sentences: functions (texts, sentences, *, lang) -> rows of numbers."""

import functools
from collections.abc import Callable

from dialtools import languages
from dialtools.text import overlap, tokenizers


def rouge1(texts: list[str], sentences: list[str], *, lang: str) -> list[list[float]]:
    """Return the F1 of the words that texts share with sentences, from 0 to 1 (ROUGE-1)."""
    find = tokenizers.lenient(languages.get(lang).facts["words"])
    wanted = [overlap.numbered(find(sentence)) for sentence in sentences]
    bags = [overlap.numbered(find(text)) for text in texts]
    return [
        [overlap.f1(len(bag & other), len(bag), len(other)) for other in wanted] for bag in bags
    ]


def named(
    encoder: str | Callable | None, offline: bool = False
) -> Callable[..., list[list[float]]]:
    """Return the cosine of sentence embeddings, from -1 to 1; rouge1 without an encoder.

    encoder: folder or hub name of a model whose embedding is the mean of its last states, or such
        a function.
    """
    if encoder is None or callable(encoder):
        return encoder or rouge1
    measure = functools.partial(_cosines, encoder, offline)
    measure.__name__ = encoder  # type: ignore[attr-defined]
    return measure


def _cosines(
    model: str, offline: bool, texts: list[str], sentences: list[str], *, lang: str
) -> list[list[float]]:
    from dialtools.models import encoders

    vectors, wanted = (encoders.vectors(model, part, offline) for part in (texts, sentences))
    return [
        [sum(a * b for a, b in zip(vector, other, strict=True)) for other in wanted]
        for vector in vectors
    ]
