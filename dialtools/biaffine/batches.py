"""Sentences as tensors, a batch at a time."""

from collections.abc import Iterable, Iterator
from typing import Any

from dialtools.biaffine import vocabulary
from dialtools.biaffine.treebank import Sentence
from dialtools.biaffine.vocabulary import PADDING, ROOT, UNKNOWN
from dialtools.errors import need

INSIDE, SPLIT, WORD, SENTENCE = range(4)  # what ends at a character: nothing, a part of a written word, a word, …


def grouped(lengths: list[int], size: int) -> Iterator[list[int]]:
    """Yield the numbers of sentences of like length, about so many words in each group."""
    group: list[int] = []
    for number in sorted(range(len(lengths)), key=lengths.__getitem__):
        if group and (len(group) + 1) * (lengths[number] + 1) > size:
            yield group
            group = []
        group.append(number)
    if group:
        yield group


def words(forms: list[list[str]], tables: dict[str, dict[str, int]]) -> dict[str, Any]:
    """Return the tensors of sentences without annotation, (sentences, words) with the root first."""
    torch = need("torch", "models")
    lengths = torch.tensor([len(sentence) + 1 for sentence in forms])
    places = torch.arange(int(lengths.max()))
    real = places < lengths.unsqueeze(-1)
    allowed = real.unsqueeze(1) & ~torch.eye(real.shape[1], dtype=torch.bool)
    return {"padding": ~real, "heads_allowed": allowed,
            "backwards": (lengths.unsqueeze(-1) - 1 - places).clamp(min=0),
            "words": table([[ROOT, *(tables["words"].get(vocabulary.key(f), UNKNOWN) for f in fs)] for fs in forms]),
            "vectors": table([[ROOT, *(_vector(form, tables.get("vectors", {})) for form in fs)] for fs in forms]),
            **_spelling(forms)}


def _spelling(forms: list[list[str]]) -> dict[str, Any]:
    """Return the stretches of characters in words; each distinct form is spelled once.

    "forms" says which one a word is, "grams" has the stretches of all of them, one after the other, "starts" where
    those of each begin, "roots" the square root of their number.
    """
    torch = need("torch", "models")
    distinct = {form: number for number, form in enumerate(dict.fromkeys(f for fs in forms for f in fs), 1)}
    spelled = [[ROOT], *map(vocabulary.grams, distinct)]
    counts = torch.tensor(list(map(len, spelled)))
    return {"forms": table([[0, *(distinct[form] for form in fs)] for fs in forms]),
            "grams": torch.tensor([gram for row in spelled for gram in row]),
            "starts": counts.cumsum(0) - counts, "roots": counts.sqrt().unsqueeze(-1)}


def _vector(form: str, known: dict[str, int]) -> int:
    return known.get(form) or known.get(form.lower(), UNKNOWN)


def states(rows: list[Any]) -> Any:
    """Return what a transformer says, (sentences, words, dim)."""
    return need("torch", "models").nn.utils.rnn.pad_sequence(rows, batch_first=True)


def upos(tags: list[list[str]], tables: dict[str, dict[str, int]]) -> Any:
    """Return parts of speech, (sentences, words) with the root first."""
    return table([[ROOT, *(tables["upos"].get(tag, UNKNOWN) for tag in row)] for row in tags])


def answers(sentences: list[Sentence], subtypes: bool, tables: dict[str, dict[str, int]]) -> dict[str, Any]:
    """Return heads and labels, (sentences, words); -100 for the root and where there is no word."""
    labels = [[tables["labels"].get(label, -100) for label in sentence.labels(subtypes)] for sentence in sentences]
    return {"heads": table([[-100, *sentence.heads()] for sentence in sentences], -100),
            "labels": table([[-100, *row] for row in labels], -100)}


def characters(texts: Iterable[Iterable[str]], tables: dict[str, dict[str, int]]) -> Any:
    """Return the characters of texts, (texts, characters)."""
    return table([[tables["characters"].get(character, UNKNOWN) for character in text] for text in texts])


def ends(sentence: Sentence) -> list[int]:
    """Return what ends at each character of a sentence."""
    found = [INSIDE] * len(sentence.text)
    for token in sentence.tokens:
        place, count = token.get("part", (1, 1))
        found[token["end"] - 1] = WORD if place == count else SPLIT
    found[-1] = SENTENCE
    return found


def table(rows: list[list[int]], padding: int = PADDING) -> Any:
    """Return rows as one tensor, with padding after those that are short."""
    torch = need("torch", "models")
    width = max(map(len, rows))
    return torch.tensor([row + [padding] * (width - len(row)) for row in rows])
