"""What a network says of sentences: parts of speech, heads and labels."""

from typing import Any, NamedTuple

from dialtools.biaffine import batches, given, network, trees
from dialtools.biaffine.vocabulary import SPECIAL, Vocabulary, numbers
from dialtools.errors import need

GROUP = 2000  # words that are parsed at once, at most


class Model(NamedTuple):
    """A network with what belongs to it."""

    network: Any
    vocabulary: Vocabulary
    config: dict  # see saving.py
    offline: bool = False  # open no socket for its transformer


class Parse(NamedTuple):
    """What is said of a sentence, an entry for each word."""

    upos: list[str]
    heads: list[int]
    labels: list[str]


def place(model: Model) -> Any:
    """Return the device that a network is on."""
    return next(model.network.parameters()).device


def parse(model: Model, forms: list[list[str]], upos: list[list[str]] | None = None) -> list[Parse]:
    """Return a tree for each sentence; upos: parts of speech to go by, the model's own where there are none."""
    found: dict[int, Parse] = {}
    tables = numbers(model.vocabulary)
    with need("torch", "models").no_grad():
        for group in batches.grouped(list(map(len, forms)), GROUP):
            tags = None if upos is None else [upos[number] for number in group]
            found |= dict(zip(group, _group(model, tables, [forms[number] for number in group], tags), strict=True))
    return [found[number] for number in range(len(forms))]


def _group(model: Model, tables: dict, forms: list[list[str]], upos: list[list[str]] | None) -> list[Parse]:
    batch = batches.words(forms, tables)
    if model.config.get("transformer"):
        batch["states"] = batches.states(given.states(model.config["transformer"], forms, model.offline))
    batch = {name: tensor.to(place(model)) for name, tensor in batch.items()}
    read = network.read(model.network, batch, 0)
    if upos is None:
        upos = _likeliest(network.tag(model.network, read, batch, 0), model.vocabulary["upos"], forms)
    batch["upos"] = batches.upos(upos, tables).to(place(model))
    arcs, words, heads = network.parse(model.network, read, batch, 0)
    chosen = [trees.best([row[:len(sentence) + 1] for row in rows[1:len(sentence) + 1]])
              for sentence, rows in zip(forms, arcs.tolist(), strict=True)]
    scores = network.label(model.network, words, heads, batches.table([[0, *row] for row in chosen]).to(place(model)))
    labels = _likeliest(scores, model.vocabulary["labels"], forms)
    return [Parse(*of_sentence) for of_sentence in zip(upos, chosen, labels, strict=True)]


def _likeliest(scores: Any, entries: list[str], forms: list[list[str]]) -> list[list[str]]:
    """Return the entry with the highest score for each word; scores: (sentences, words with the root, entries)."""
    best = scores[..., len(SPECIAL):].argmax(-1) + len(SPECIAL)
    return [[entries[number] for number in row[1:len(sentence) + 1]]
            for sentence, row in zip(forms, best.tolist(), strict=True)]
