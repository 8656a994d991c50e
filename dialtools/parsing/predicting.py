"""What a network says of sentences: parts of speech, heads and labels."""

from typing import Any, NamedTuple

from dialtools.errors import need
from dialtools.parsing import batches, given, network, trees
from dialtools.parsing.vocabulary import SPECIAL, Vocabulary, numbers

GROUP = 2000  # words that are parsed at once, at most


class Model(NamedTuple):
    """A network with what belongs to it."""

    network: Any
    vocabulary: Vocabulary
    config: dict  # see saving.py


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
        batch["states"] = batches.states(given.states(model.config["transformer"], forms))
    batch = {name: tensor.to(place(model)) for name, tensor in batch.items()}
    read = network.read(model.network, batch, 0)
    if upos is None:
        best = network.tag(model.network, read, batch, 0)[..., len(SPECIAL):].argmax(-1) + len(SPECIAL)
        upos = [[model.vocabulary["upos"][tag] for tag in row[1:len(fs) + 1]]
                for fs, row in zip(forms, best.tolist(), strict=True)]
    batch["upos"] = batches.upos(upos, tables).to(place(model))
    arcs, words, heads = network.parse(model.network, read, batch, 0)
    chosen = [trees.best([row[:len(fs) + 1] for row in rows[1:len(fs) + 1]])
              for fs, rows in zip(forms, arcs.tolist(), strict=True)]
    labels = network.label(model.network, words, heads, batches.table([[0, *row] for row in chosen]).to(place(model)))
    names = labels[..., len(SPECIAL):].argmax(-1).tolist()
    return [Parse(tags, hs, [model.vocabulary["labels"][label + len(SPECIAL)] for label in row[1:len(hs) + 1]])
            for tags, hs, row in zip(upos, chosen, names, strict=True)]
