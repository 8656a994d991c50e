"""What the network reads: rows of its tables for words, characters and the like, and tensors of them.

A vocabulary is {table: [entry, …]}; the row of an entry is its index.  The
first rows of each table are for padding, the unknown, and (words, characters,
parts of speech) the root.

Word vectors in fastText's text format and the states of a transformer are pretrained representations of
words.  Neither is trained further; the network learns a projection of them.
"""

import functools
from collections.abc import Iterable, Iterator
from itertools import chain
from math import isfinite
from typing import Any, NamedTuple
from zlib import crc32

from dialtools.models import checkpoints
from dialtools.models.folders import Checkpoint
from dialtools.system.errors import MissingError, RecordError, need, show
from dialtools.system.files import open_input

PADDING, UNKNOWN, ROOT = range(3)
SPECIAL = ["", "?", "^"]  # in these places
FREQUENT = 50_000  # words of a file that are always kept: frequent words come first
GRAMS = 10_000  # rows that hashed n-grams share, so that they need no table and fit any language
LONGEST = 30  # characters of a word that count
INSIDE, SPLIT, WORD, SENTENCE = range(4)  # what ends at a character: nothing, part of a word, …

Vocabulary = dict[str, list[str]]
Tables = dict[str, dict[str, int]]  # {table: {entry: row}}


class Vectors(NamedTuple):
    """Words, the special ones first, and their vectors, (words, dim)."""

    words: list[str]
    table: Any


def key(form: str) -> str:
    """Return the entry that a word is looked up by: lower case, each digit a 0.

    >>> key("Pasar-99")
    'pasar-00'
    """
    return "".join("0" if character.isdecimal() else character for character in form.lower())


@functools.lru_cache(maxsize=100_000)
def grams(form: str) -> list[int]:
    """Return the rows, from 1, of a word's n-grams (1 to 5 characters), itself and its case."""
    word = f"<{form.lower()[:LONGEST]}>"
    grams = {
        word[start : start + size] for size in range(1, 6) for start in range(len(word) - size + 1)
    }
    shape = "".join(map(_shape, form[:4]))
    return sorted(
        1 + crc32(gram.encode()) % (GRAMS - 1) for gram in {*grams, word, f"capitals {shape}"}
    )


def _shape(character: str) -> str:
    """Return X, x or 0 for a capital, another letter, a digit; other characters as they are."""
    if character.isupper():
        return "X"
    return "x" if character.isalpha() else "0" if character.isdecimal() else character


def numbers(vocabulary: Vocabulary) -> Tables:
    """Return the row of each entry of each table."""
    return {
        name: {entry: row for row, entry in enumerate(entries)}
        for name, entries in vocabulary.items()
    }


def grouped(lengths: list[int], size: int) -> Iterator[list[int]]:
    """Yield the indexes of sentences of similar length in groups of about `size` words."""
    group: list[int] = []
    for number in sorted(range(len(lengths)), key=lengths.__getitem__):
        if group and (len(group) + 1) * (lengths[number] + 1) > size:
            yield group
            group = []
        group.append(number)
    if group:
        yield group


def words(forms: list[list[str]], tables: Tables) -> dict[str, Any]:
    """Return the tensors of unannotated sentences, (sentences, words) with the root first.

    Each distinct form is spelled once, by its character n-grams: "forms" gives the row of each
    word, "grams" the n-grams of all rows in a sequence, "starts" where each row begins, "roots" the
    square root of its length.
    """
    torch = need("torch", "models")
    lengths = torch.tensor([len(sentence) + 1 for sentence in forms])
    places = torch.arange(int(lengths.max()))
    real = places < lengths.unsqueeze(-1)
    known, vectors = tables["words"], tables.get("vectors", {})
    rows = [[known.get(key(form), UNKNOWN) for form in sentence] for sentence in forms]
    of_vectors = [
        [vectors.get(form) or vectors.get(form.lower(), UNKNOWN) for form in sentence]
        for sentence in forms
    ]
    distinct = {form: row for row, form in enumerate(dict.fromkeys(chain.from_iterable(forms)), 1)}
    spelled = [[ROOT], *map(grams, distinct)]
    counts = torch.tensor(list(map(len, spelled)))
    return {
        "padding": ~real,
        "heads_allowed": real.unsqueeze(1) & ~torch.eye(real.shape[1], dtype=torch.bool),
        "backwards": (lengths.unsqueeze(-1) - 1 - places).clamp(min=0),
        "words": table([[ROOT, *row] for row in rows]),
        "vectors": table([[ROOT, *row] for row in of_vectors]),
        "forms": table([[0, *map(distinct.__getitem__, sentence)] for sentence in forms]),
        "grams": torch.tensor(list(chain.from_iterable(spelled))),
        "starts": counts.cumsum(0) - counts,
        "roots": counts.sqrt().unsqueeze(-1),
    }


def states(rows: list[Any]) -> Any:
    """Return the states of a transformer as one tensor, (sentences, words, dim)."""
    return need("torch", "models").nn.utils.rnn.pad_sequence(rows, batch_first=True)


def upos(tags: list[list[str]], tables: Tables) -> Any:
    """Return parts of speech, (sentences, words) with the root first."""
    return table([[ROOT, *(tables["upos"].get(tag, UNKNOWN) for tag in row)] for row in tags])


def characters(texts: Iterable[Iterable[str]], tables: Tables) -> Any:
    """Return the characters of texts, (texts, characters)."""
    known = tables["characters"]
    return table([[known.get(character, UNKNOWN) for character in text] for text in texts])


def table(rows: list[list[int]], padding: int = PADDING) -> Any:
    """Return rows as one tensor, padded on the right."""
    width = max(map(len, rows))
    return need("torch", "models").tensor([row + [padding] * (width - len(row)) for row in rows])


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
            if number <= FREQUENT or word in wanted:
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


def contextual(name: str, forms: list[list[str]], offline: bool) -> list[Any]:
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
