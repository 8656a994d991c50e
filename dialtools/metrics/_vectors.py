"""Word vectors of texts; shared by embedding_average and greedy_matching."""

import functools
from collections.abc import Callable
from typing import Any

from dialtools.errors import OptionError, RecordError, show
from dialtools.metrics import _pairs
from dialtools.models import vectors
from dialtools.wording import overlap, tokenizers


def score(compare: Callable[[Any, Any], float], predictions: list[str], references: list[list[str]], *,
          vectors: str = "", model: str = "", tok: str = "words", refs: _pairs.Rule = "max",
          offline: bool = False) -> list[float]:
    """Return what comparing the vectors of each prediction with those of its reference gives.

    vectors: a file of word vectors.  model: instead of them, a folder or a hub name.
    tok: one of tokenizers.py, for vectors.  refs: take the best of several references (max), or their mean.
    """
    find = functools.partial(_of_text, (vectors, tok, model, offline))
    return overlap.best(lambda text: find(text)[0], compare, predictions, references, refs)


def counts(predictions: list[str], references: list[list[str]], *, vectors: str, model: str, tok: str,
           offline: bool) -> list[dict[str, int]]:
    """Return how many words of each record have no vector."""
    find = functools.partial(_of_text, (vectors, tok, model, offline))
    return _pairs.counted("no_vector", lambda text: find(text)[1], predictions, references)


def described(options: dict) -> dict[str, object]:
    """Return where vectors come from, and what finds their words."""
    return {"model": None} if options["vectors"] else {"vectors": None, "tok": None}


def libraries(options: dict) -> tuple[str, ...]:
    """Return the library that finds the words."""
    return ("transformers",) if options["model"] else tokenizers.libraries(options["tok"])


def length_1(matrix: Any) -> Any:
    """Return vectors, (words, dimensions), each of length 1; where it is 0 it stays."""
    import numpy

    lengths = numpy.linalg.norm(matrix, axis=-1, keepdims=True)
    return matrix / numpy.where(lengths, lengths, 1)


def _of_text(source: tuple[str, str, str, bool], text: str) -> tuple[Any, int]:
    """Return the vectors of the words of a text that have one, (words, dimensions), and how many have none.

    source: path of a file of vectors, tokenizer of its words, or else model, whether offline.
    """
    import numpy

    find, look_up = _source(*source)
    words = find(text)
    found = [vector for vector in map(look_up, words) if vector is not None]
    if not found and not tokenizers.is_empty(text):
        raise RecordError(f"no word of {show(text, 40)} has a vector: those are of another language, perhaps")
    return numpy.array(found), len(words) - len(found)


@functools.lru_cache(maxsize=4)
def _source(path: str, tok: str, model: str, offline: bool) -> tuple[Callable[[str], list], Callable[[Any], Any]]:
    """Return what finds the words of a text, and what finds the vector of a word."""
    if bool(path) == bool(model):
        raise OptionError("word vectors are vectors=FILE, as fastText writes them, or the inputs of model=PATH")
    if path:
        return tokenizers.named(tok), vectors.words(path)
    tokenizer, matrix = vectors.inputs(model, offline)
    return (lambda text: tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"],
            lambda token: None if token == tokenizer.unk_token_id else matrix[token])
