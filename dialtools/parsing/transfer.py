"""A model before training: with random weights, or with those of a parent model."""

import os
from typing import Any

from dialtools.parsing import embeddings, network, vocabulary
from dialtools.parsing.embeddings import Vectors
from dialtools.parsing.model import Model
from dialtools.parsing.network import Sizes
from dialtools.parsing.recipe import Recipe
from dialtools.parsing.treebank import Sentence
from dialtools.system.errors import OptionError, need


def initial(
    sentences: list[Sentence],
    sizes: Sizes,
    recipe: Recipe,
    seed: int,
    lang: str,
    parent: Model | None = None,
    vectors: Vectors | None = None,
    transformer: str | None = None,
    offline: bool = False,
) -> Model:
    """Return a model to train; it knows what a parent knows, and has room for new entries.

    transformer: folder or hub name; None takes the parent's.
    offline: open no socket for it.
    """
    need("torch", "models").manual_seed(seed % 2**64)  # torch takes no more
    entries = vocabulary.of(sentences, recipe.subtypes, parent.vocabulary if parent else None)
    pieces = vocabulary.pieces(sentences)
    if parent:
        transformer = transformer or parent.config.get("transformer")
        pieces = parent.config["pieces"] | pieces
    if sizes.vectors and not vectors:
        raise OptionError(
            "the parent model has word vectors: give --word-vectors for this language too"
        )
    if vectors:
        entries["vectors"] = vectors.words
        sizes = sizes._replace(vectors=vectors.table.shape[1])
    if transformer:
        transformer = os.path.abspath(transformer) if os.path.isdir(transformer) else transformer
        sizes = sizes._replace(transformer=embeddings.width(transformer, offline))
    made = network.build(sizes, {name: len(table) for name, table in entries.items()})
    if parent:
        _copy(parent.network.state_dict(), made.state_dict())
    if vectors:
        made["vectors"].weight.copy_(vectors.table)
    config = {
        "lang": lang,
        "sizes": sizes._asdict(),
        "recipe": {**recipe._asdict(), "seed": seed},
        "pieces": pieces,
        "transformer": transformer,
    }
    return Model(made, entries, config, offline)


def _copy(old: dict[str, Any], new: dict[str, Any]) -> None:
    """Copy old weights to the first rows of new ones, except vectors of words.

    New words start as the unknown word, which the old network is used to.
    """
    for name in (name for name in new if name in old and name != "vectors.weight"):
        if new[name].shape[1:] != old[name].shape[1:]:
            raise OptionError(
                f"the parent model has {old[name].shape[1]} dimensions in {name}, "
                f"not {new[name].shape[1]}"
            )
        new[name][: old[name].shape[0]] = old[name]
    known = old["words.weight"].shape[0]
    new["words.weight"][known:] = old["words.weight"][vocabulary.UNKNOWN]
