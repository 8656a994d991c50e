"""Pretrained representations of words: vectors in fastText's text format, transformer states.

Neither is trained further; the network learns a projection of them.
"""

import functools
from math import isfinite
from typing import Any, NamedTuple

from dialtools.models import checkpoints
from dialtools.models.folders import Checkpoint
from dialtools.parsing.vocabulary import SPECIAL
from dialtools.system.errors import MissingError, RecordError, need, show
from dialtools.system.files import open_input

MOST = 50_000  # words of a file that are always kept: frequent words come first


class Vectors(NamedTuple):
    """Words, the special ones first, and their vectors, (words, dim)."""

    words: list[str]
    table: Any


def vectors(path: str, wanted: set[str]) -> Vectors:
    """Return the vectors of the wanted words and of the first words of a file.

    The first line of the file, which has the counts, may be missing.
    Source: https://fasttext.cc/docs/en/crawl-vectors.html.
    """
    words, rows, size = list(SPECIAL), [], 0
    with open_input(path) as file:
        for number, line in enumerate(file, 1):
            word, *values = line.decode(errors="replace").rstrip().split(" ")
            if number == 1 and len(values) == 1:
                continue
            place = f"{path}:{number}"
            size = size or len(values)
            if len(values) != size:
                raise RecordError(f"{len(values)} numbers, expected {size} as before", place=place)
            if number <= MOST or word in wanted:
                words.append(word)
                try:
                    rows.append(list(map(float, values)))
                except ValueError as error:
                    raise RecordError(f"not a vector: {error}", place=place) from None
                if not values or not all(map(isfinite, rows[-1])):
                    raise RecordError(f"not a vector: {show(' '.join(values))}", place=place)
    if not rows:
        raise RecordError("no vectors: expected lines of a word and numbers", place=path)
    torch = need("torch", "models")
    return Vectors(words, torch.cat([torch.zeros(len(SPECIAL), size), torch.tensor(rows)]))


def width(name: str, offline: bool) -> int:
    """Return the number of dimensions of a transformer's states."""
    return _transformer(name, offline)[1].config.hidden_size


def states(name: str, forms: list[list[str]], offline: bool) -> list[Any]:
    """Return the states of a transformer, (words, dim) for each sentence: means over pieces.

    The root has zeros, and so has a word without pieces or beyond the model's positions.
    """
    torch = need("torch", "models")
    tokenizer, model = _transformer(name, offline)
    positions = getattr(model.config, "max_position_embeddings", 512)
    read = tokenizer(
        forms,
        is_split_into_words=True,
        truncation=True,
        padding=True,
        max_length=min(tokenizer.model_max_length, positions) - 2,
        return_tensors="pt",
    )
    with torch.no_grad():
        last = model(**read).last_hidden_state
    states = []
    for number, sentence in enumerate(forms):
        size = len(sentence) + 1
        places = torch.tensor([0 if word is None else word + 1 for word in read.word_ids(number)])
        sums = torch.zeros(size, last.shape[-1]).index_add_(0, places, last[number])
        means = sums / torch.bincount(places, minlength=size).clamp(min=1).unsqueeze(-1)
        means[0] = 0
        states.append(means)
    return states


@functools.lru_cache(maxsize=2)
def _transformer(name: str, offline: bool) -> tuple[Any, Any]:
    """Return (tokenizer, model) of a transformer."""
    checkpoint = Checkpoint(name, offline)
    tokenizer = checkpoints.tokenizer_of(checkpoint)
    if not tokenizer.is_fast:
        raise MissingError(f"the tokenizer of {name} does not map its pieces to words")
    return tokenizer, checkpoints.load("AutoModel", checkpoint, use_safetensors=True).eval()
