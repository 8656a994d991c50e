"""Word vectors of texts; shared by embedding_average and greedy_matching."""

import functools
from collections.abc import Callable
from typing import Any

from dialtools.metrics import _pairs
from dialtools.models import vectors
from dialtools.system.errors import OptionError, RecordError, show
from dialtools.text import overlap, tokenizers


def score(
    compare: Callable[[Any, Any], float],
    predictions: list[str],
    references: list[list[str]],
    *,
    vectors: str = "",
    model: str = "",
    tok: str = "words",
    refs: _pairs.Rule = "max",
    offline: bool = False,
) -> list[float]:
    """Return the comparison of each prediction's vectors with those of its reference.

    vectors: a file of word vectors.  model: a folder or hub name, instead of vectors.
    tok: a tokenizer of wording/tokenizers.py, for vectors.
    refs: take the best of several references (max), or their mean.
    """
    find = functools.partial(of_text, (vectors, tok, model, offline))
    return overlap.best(lambda text: find(text)[0], compare, predictions, references, refs)


def counts(
    predictions: list[str],
    references: list[list[str]],
    *,
    vectors: str,
    model: str,
    tok: str,
    offline: bool,
) -> list[dict[str, int]]:
    """Return the number of each record's words without a vector."""
    find = functools.partial(of_text, (vectors, tok, model, offline))
    return _pairs.counted("no_vector", lambda text: find(text)[1], predictions, references)


def described(options: dict) -> dict[str, object]:
    """Return the source of the vectors, and the tokenizer."""
    return {"model": None} if options["vectors"] else {"vectors": None, "tok": None}


def libraries(options: dict) -> tuple[str, ...]:
    """Return the library that finds the words."""
    return ("transformers",) if options["model"] else tokenizers.libraries(options["tok"])


def length_1(matrix: Any) -> Any:
    """Return vectors (words, dimensions) scaled to length 1; zero vectors stay."""
    import numpy

    lengths = numpy.linalg.norm(matrix, axis=-1, keepdims=True)
    return matrix / numpy.where(lengths, lengths, 1)


def of_text(source: tuple[str, str, str, bool], text: str) -> tuple[Any, int]:
    """Return the vectors (words, dimensions) of a text, and the number of words without one.

    source: path of a file of vectors, tokenizer of its words, or else model, whether offline.
    """
    import numpy

    find, look_up = _source(*source)
    words = find(text)
    found = [vector for vector in map(look_up, words) if vector is not None]
    if not found and not tokenizers.is_empty(text):
        raise RecordError(
            f"no word of {show(text, 40)} has a vector: those are of another language, perhaps"
        )
    return numpy.array(found), len(words) - len(found)


@functools.lru_cache(maxsize=4)
def _source(
    path: str, tok: str, model: str, offline: bool
) -> tuple[Callable[[str], list], Callable[[Any], Any]]:
    """Return the function that finds words in a text, and the one that finds their vectors."""
    if bool(path) == bool(model):
        raise OptionError(
            "word vectors are vectors=FILE, as fastText writes them, or the inputs of model=PATH"
        )
    if path:
        return tokenizers.named(tok), vectors.words(path)
    tokenizer, matrix = vectors.inputs(model, offline)
    return (
        lambda text: tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"],
        lambda token: None if token == tokenizer.unk_token_id else matrix[token],
    )
