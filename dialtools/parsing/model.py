"""A trained parser and the parses that it predicts: parts of speech, heads and labels."""

from typing import Any, NamedTuple

from dialtools.parsing import batches, embeddings, network, trees
from dialtools.parsing.vocabulary import SPECIAL, Tables, Vocabulary, numbers
from dialtools.system.errors import need

GROUP = 2000  # words of a batch, at most


class Parse(NamedTuple):
    """The parse of a sentence, an entry for each word."""

    upos: list[str]
    heads: list[int]
    labels: list[str]


class Model(NamedTuple):
    """A network and what belongs to it."""

    network: Any
    vocabulary: Vocabulary
    config: dict  # see folder.py
    offline: bool = False  # open no socket for the transformer

    def device(self) -> Any:
        """Return the device of the network."""
        return next(self.network.parameters()).device


def parse(model: Model, forms: list[list[str]], upos: list[list[str]] | None = None) -> list[Parse]:
    """Return a tree for each sentence; upos: the parts of speech, predicted if None."""
    found: dict[int, Parse] = {}
    tables = numbers(model.vocabulary)
    with need("torch", "models").no_grad():
        for group in batches.grouped(list(map(len, forms)), GROUP):
            tags = None if upos is None else [upos[number] for number in group]
            parses = _batch(model, tables, [forms[number] for number in group], tags)
            found |= zip(group, parses, strict=True)
    return [found[number] for number in range(len(forms))]


def _batch(
    model: Model, tables: Tables, forms: list[list[str]], upos: list[list[str]] | None
) -> list[Parse]:
    """Return the parses of one batch of sentences."""
    net, device = model.network, model.device()
    batch = batches.words(forms, tables)
    if model.config.get("transformer"):
        rows = embeddings.states(model.config["transformer"], forms, model.offline)
        batch["states"] = batches.states(rows)
    batch = {name: tensor.to(device) for name, tensor in batch.items()}
    read = network.read(net, batch, 0)
    if upos is None:
        upos = _likeliest(network.tag(net, read, batch, 0), model.vocabulary["upos"], forms)
    batch["upos"] = batches.upos(upos, tables).to(device)
    arcs, words, heads = network.parse(net, read, batch, 0)
    chosen = [
        trees.best([row[: len(sentence) + 1] for row in rows[1 : len(sentence) + 1]])
        for sentence, rows in zip(forms, arcs.tolist(), strict=True)
    ]
    indexes = batches.table([[0, *row] for row in chosen]).to(device)
    scores = network.label(net, words, heads, indexes)
    labels = _likeliest(scores, model.vocabulary["labels"], forms)
    return [Parse(*parts) for parts in zip(upos, chosen, labels, strict=True)]


def _likeliest(scores: Any, entries: list[str], forms: list[list[str]]) -> list[list[str]]:
    """Return the entry with the highest score for each word.

    scores: (sentences, words with the root, entries).
    """
    best = scores[..., len(SPECIAL) :].argmax(-1) + len(SPECIAL)
    return [
        [entries[number] for number in row[1 : len(sentence) + 1]]
        for sentence, row in zip(forms, best.tolist(), strict=True)
    ]
