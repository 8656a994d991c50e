"""Vectors of texts: one of an encoder of sentences, or one of each word."""

import functools
import os
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from dialtools.metrics import _pairs
from dialtools.models import checkpoints, encoders
from dialtools.models.checkpoints import Place
from dialtools.models.folders import Checkpoint
from dialtools.models.readers import Engine
from dialtools.records.values import is_empty
from dialtools.system.errors import MissingError, OptionError, RecordError, show
from dialtools.text import overlap, tokenizers


def embeddings(
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    model: str,
    place: Place,
    long: encoders.Long,
    engine: Engine = "torch",
) -> dict[str, encoders.Embedding]:
    """Return {text: its embedding} of predictions and references."""
    texts = dict.fromkeys(chain(predictions, *references))
    return encoders.embeddings(model, texts, place, long, engine)


def cosines(
    vectors: Mapping[str, Any],
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    refs: _pairs.Rule,
) -> list[float]:
    """Return the cosine of each prediction and its reference; 0 if one has no vector.

    vectors: {text: its embedding, or a vector of length 1, or None}.
    """

    def vector(text: str) -> Any:
        value = vectors[text]
        if isinstance(value, encoders.Embedding):
            return None if value.bare else value.vector
        return value

    return overlap.best(vector, cosine, predictions, references, refs)


def cosine(one: Any, other: Any) -> float:
    """Return the cosine of two vectors of length 1; 0 if one is None."""
    return 0.0 if one is None or other is None else float(one @ other)


class WordSource(NamedTuple):
    """Where the vectors of words are from: a file and a tokenizer of its words, or a model."""

    path: str
    tok: str
    model: str
    offline: bool


def of_words(source: WordSource, text: str) -> tuple[Any, int]:
    """Return the vectors (words, dimensions) of a text, and the number of words without one."""
    import numpy

    words_of, vector_of = _reader(source)
    words = words_of(text)
    vectors = [vector for vector in map(vector_of, words) if vector is not None]
    if not vectors and not is_empty(text):
        raise RecordError(
            f"no word of {show(text, 40)} has a vector: those are of another language, perhaps"
        )
    return numpy.array(vectors), len(words) - len(vectors)


def length_1(matrix: Any) -> Any:
    """Return vectors (words, dimensions) scaled to length 1; zero vectors stay."""
    import numpy

    lengths = numpy.linalg.norm(matrix, axis=-1, keepdims=True)
    return matrix / numpy.where(lengths, lengths, 1)


@functools.lru_cache(maxsize=2)
def _reader(source: WordSource) -> tuple[Callable[[str], list], Callable[[Any], Any]]:
    """Return the function that finds words in a text, and the one that finds their vectors."""
    if bool(source.path) == bool(source.model):
        raise OptionError(
            "word vectors are vectors=FILE, as fastText writes them, or the inputs of model=PATH"
        )
    if source.path:
        return tokenizers.named(source.tok), WordVectors(source.path)
    checkpoint = Checkpoint(source.model, source.offline)
    tokenizer, network = checkpoints.network(
        "AutoModel", checkpoint, "cpu", "float32", spare="pooler."
    )
    matrix = network.get_input_embeddings().weight.detach().double().numpy()  # (tokens, n)
    return (
        lambda text: tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"],
        lambda token: None if token == tokenizer.unk_token_id else matrix[token],
    )


class WordVectors:
    """A file of vectors, one word a line and its numbers after it; read as words are asked for.

    A first line with two numbers (how many words, how many dimensions) is skipped; of several
    lines for one word the first counts.
    """

    def __init__(self, path: str):
        if not os.path.isfile(path):
            raise MissingError(f"there is no file of word vectors {path}")
        self.path = path
        self.places: dict[bytes, int] = {}
        with open(path, "rb") as file:
            first = file.readline().split()
            has_header = len(first) == 2
            self.size = int(first[1]) if has_header and first[1].isdigit() else len(first) - 1
            if not has_header:
                file.seek(0)
            start = file.tell()
            for line in file:
                self.places.setdefault(line[: line.find(b" ")], start)
                start += len(line)

    @functools.lru_cache(maxsize=1 << 14)
    def __call__(self, word: str) -> Any | None:
        """Return a word's vector, (dimensions,), None where it has none or only zeros."""
        import numpy

        place = self.places.get(word.encode("utf-8", "surrogatepass"))
        if place is None:
            return None
        with open(self.path, "rb") as file:
            file.seek(place)
            numbers = file.readline().split()[1:]
        try:
            vector = numpy.array([float(number) for number in numbers])
        except ValueError:
            vector = numpy.array([])
        if len(vector) != self.size or not numpy.isfinite(vector).all():
            raise MissingError(f"{self.path}: the vector of {word!r} is not {self.size} numbers")
        return vector if vector.any() else None
