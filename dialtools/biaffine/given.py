"""What others know of words: vectors of a file in fastText's text format, and states of a transformer.

Neither is trained further; the network learns what to make of them.
"""

import functools
from math import isfinite
from typing import Any, NamedTuple

from dialtools.biaffine.vocabulary import SPECIAL
from dialtools.errors import MissingError, RecordError, need, show
from dialtools.files import open_input
from dialtools.models import loading
from dialtools.models.folders import Checkpoint

MOST = 50_000  # words of a file that are kept anyway: the file has the frequent ones first


class Vectors(NamedTuple):
    """Words, the special ones first, and their vectors, (words, dim)."""

    words: list[str]
    table: Any


def vectors(path: str, wanted: set[str]) -> Vectors:
    """Return the vectors of the words that are wanted, and of the first of the file.

    Source: https://fasttext.cc/docs/en/crawl-vectors.html; the first line, which says how many, may be missing.
    """
    words, rows, size = list(SPECIAL), [], 0
    with open_input(path) as file:
        for number, line in enumerate(file, 1):
            word, *values = line.decode(errors="replace").rstrip().split(" ")
            if number == 1 and len(values) == 1:
                continue
            size = size or len(values)
            if len(values) != size:
                raise RecordError(f"{len(values)} numbers, and {size} before", place=f"{path}:{number}")
            if number <= MOST or word in wanted:
                words.append(word)
                rows.append(_numbers(values, f"{path}:{number}"))
    if not rows:
        raise RecordError("no vectors, lines of a word and numbers", place=path)
    torch = need("torch", "models")
    return Vectors(words, torch.cat([torch.zeros(len(SPECIAL), size), torch.tensor(rows)]))


def _numbers(values: list[str], place: str) -> list[float]:
    try:
        numbers = list(map(float, values))
    except ValueError as error:
        raise RecordError(f"not a vector: {error}", place=place) from None
    if not (numbers and all(map(isfinite, numbers))):
        raise RecordError(f"not a vector: {show(' '.join(values))}", place=place)
    return numbers


def width(name: str, offline: bool) -> int:
    """Return the dimensions of a transformer's states; offline: open no socket."""
    return _transformer(name, offline)[1].config.hidden_size


def states(name: str, forms: list[list[str]], offline: bool) -> list[Any]:
    """Return the states of a transformer for each sentence, (words, dim): of a word, the mean of its pieces.

    The root has none (zeros), nor has a word that the transformer sees nothing of, or beyond its positions.
    """
    torch = need("torch", "models")
    tokenizer, model = _transformer(name, offline)
    longest = min(tokenizer.model_max_length, getattr(model.config, "max_position_embeddings", 512)) - 2
    read = tokenizer(forms, is_split_into_words=True, truncation=True, max_length=longest, padding=True,
                     return_tensors="pt")
    with torch.no_grad():
        found = model(**read).last_hidden_state
    made = []
    for number, sentence in enumerate(forms):
        places = torch.tensor([0 if word is None else word + 1 for word in read.word_ids(number)])
        sums = torch.zeros(len(sentence) + 1, found.shape[-1]).index_add_(0, places, found[number])
        means = sums / torch.bincount(places, minlength=len(sentence) + 1).clamp(min=1).unsqueeze(-1)
        means[0] = 0
        made.append(means)
    return made


@functools.lru_cache(maxsize=2)
def _transformer(name: str, offline: bool) -> tuple[Any, Any]:
    tokenizer = loading.tokenizer_of(Checkpoint(name, offline))
    if not tokenizer.is_fast:
        raise MissingError(f"the tokenizer of {name} does not tell which word a piece is of")
    return tokenizer, loading.load("AutoModel", Checkpoint(name, offline), use_safetensors=True).eval()
