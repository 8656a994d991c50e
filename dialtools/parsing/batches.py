"""Sentences as tensors, a batch at a time."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from dialtools.parsing import vocabulary
from dialtools.parsing.treebank import Sentence
from dialtools.parsing.vocabulary import PADDING, ROOT, UNKNOWN, Tables
from dialtools.system.errors import need

INSIDE, SPLIT, WORD, SENTENCE = range(4)  # what ends at a character: nothing, part of a word, …


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
    """Return the tensors of unannotated sentences, (sentences, words) with the root first."""
    torch = need("torch", "models")
    lengths = torch.tensor([len(sentence) + 1 for sentence in forms])
    places = torch.arange(int(lengths.max()))
    real = places < lengths.unsqueeze(-1)
    known, vectors = tables["words"], tables.get("vectors", {})
    rows = [[known.get(vocabulary.key(form), UNKNOWN) for form in sentence] for sentence in forms]
    of_vectors = [
        [vectors.get(form) or vectors.get(form.lower(), UNKNOWN) for form in sentence]
        for sentence in forms
    ]
    return {
        "padding": ~real,
        "heads_allowed": real.unsqueeze(1) & ~torch.eye(real.shape[1], dtype=torch.bool),
        "backwards": (lengths.unsqueeze(-1) - 1 - places).clamp(min=0),
        "words": table([[ROOT, *row] for row in rows]),
        "vectors": table([[ROOT, *row] for row in of_vectors]),
        **_spelling(forms),
    }


def _spelling(forms: list[list[str]]) -> dict[str, Any]:
    """Return the character n-grams of words; each distinct form is spelled once.

    "forms" gives the row of each word, "grams" the n-grams of all rows in a
    sequence, "starts" where each row begins, "roots" the square root of its length.
    """
    torch = need("torch", "models")
    distinct = {form: row for row, form in enumerate(dict.fromkeys(chain.from_iterable(forms)), 1)}
    spelled = [[ROOT], *map(vocabulary.grams, distinct)]
    counts = torch.tensor(list(map(len, spelled)))
    return {
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


def answers(sentences: list[Sentence], subtypes: bool, tables: Tables) -> dict[str, Any]:
    """Return heads and labels, (sentences, words); -100 for the root and for padding."""
    labels = [
        [tables["labels"].get(label, -100) for label in sentence.labels(subtypes)]
        for sentence in sentences
    ]
    return {
        "heads": table([[-100, *sentence.heads()] for sentence in sentences], -100),
        "labels": table([[-100, *row] for row in labels], -100),
    }


def characters(texts: Iterable[Iterable[str]], tables: Tables) -> Any:
    """Return the characters of texts, (texts, characters)."""
    known = tables["characters"]
    return table([[known.get(character, UNKNOWN) for character in text] for text in texts])


def ends(sentence: Sentence) -> list[int]:
    """Return what ends at each character of a sentence."""
    found = [INSIDE] * len(sentence.text)
    for token in sentence.tokens:
        place, count = token.get("part", (1, 1))
        found[token["end"] - 1] = WORD if place == count else SPLIT
    found[-1] = SENTENCE
    return found


def table(rows: list[list[int]], padding: int = PADDING) -> Any:
    """Return rows as one tensor, padded on the right."""
    width = max(map(len, rows))
    return need("torch", "models").tensor([row + [padding] * (width - len(row)) for row in rows])
