"""Vectors of words: from a text file (word2vec, GloVe, fastText), or a model's input vectors."""

import functools
import os
from typing import Any

from dialtools.models import checkpoints
from dialtools.models.folders import Checkpoint
from dialtools.system.errors import MissingError


class Words:
    """A file of vectors, one word a line and its numbers after it; read line by line as words are
    asked for.

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
            header = len(first) == 2
            self.size = int(first[1]) if header and first[1].isdigit() else len(first) - 1
            if not header:
                file.seek(0)
            at = file.tell()
            for line in file:
                self.places.setdefault(line[: line.find(b" ")], at)
                at += len(line)

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


@functools.lru_cache(maxsize=2)
def words(path: str) -> Words:
    """Return the vectors in a file; the last two are kept."""
    return Words(path)


@functools.lru_cache(maxsize=2)
def inputs(name: str, offline: bool = False) -> tuple[Any, Any]:
    """Return (tokenizer, the vectors of its tokens, (tokens, dimensions)) that a model begins
    with.
    """
    tokenizer, model = checkpoints.network(
        "AutoModel", Checkpoint(name, offline), "cpu", "float32", spare="pooler."
    )
    return tokenizer, model.get_input_embeddings().weight.detach().double().numpy()
