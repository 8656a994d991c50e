"""A parser trained from beginning to end: its network made or taken over, its best state kept in a folder."""

import os
from collections.abc import Iterator
from time import perf_counter
from typing import Any

from dialtools.biaffine import evaluating, given, network, saving, vocabulary
from dialtools.biaffine.network import Sizes
from dialtools.biaffine.predicting import Model
from dialtools.biaffine.training import Recipe, Trainer
from dialtools.biaffine.treebank import Sentence
from dialtools.errors import OptionError, need


def new(sentences: list[Sentence], sizes: Sizes, recipe: Recipe, lang: str, parent: Model | None,
        vectors: given.Vectors | None, transformer: str | None, offline: bool) -> Model:
    """Return a model before training; with a parent, one that knows what it knows, and has room for new entries.

    transformer: folder or hub name; the parent's, where there is none.
    offline: open no socket for it.
    """
    torch = need("torch", "models")
    torch.manual_seed(recipe.seed % 2**64)  # more torch does not take
    entries = vocabulary.of(sentences, recipe.subtypes, parent.vocabulary if parent else None)
    pieces = vocabulary.pieces(sentences)
    if parent:
        transformer = transformer or parent.config.get("transformer")
        pieces = parent.config["pieces"] | pieces
    if sizes.vectors and not vectors:
        raise OptionError("the model to start from has word vectors: give --vectors for this language too")
    if vectors:
        entries["vectors"] = vectors.words
        sizes = sizes._replace(vectors=vectors.table.shape[1])
    if transformer:
        transformer = os.path.abspath(transformer) if os.path.isdir(transformer) else transformer
        sizes = sizes._replace(transformer=given.width(transformer, offline))
    made = network.build(sizes, {name: len(table) for name, table in entries.items()})
    if parent:
        _take_over(parent.network.state_dict(), made.state_dict())
    if vectors:
        made["vectors"].weight.copy_(vectors.table)
    return Model(made, entries, {"lang": lang, "sizes": sizes._asdict(), "recipe": recipe._asdict(), "pieces": pieces,
                                 "transformer": transformer}, offline)


def _take_over(old: dict[str, Any], new: dict[str, Any]) -> None:
    """Make the first rows of new weights the old ones; vectors of words are those of the new language.

    New words begin as what the old network knows best how to do without: the unknown word.
    """
    for name in (name for name in new if name in old and name != "vectors.weight"):
        if new[name].shape[1:] != old[name].shape[1:]:
            raise OptionError(f"the model to start from has {old[name].shape[1]} dimensions in {name}, not "
                              f"{new[name].shape[1]}")
        new[name][:old[name].shape[0]] = old[name]
    new["words.weight"][old["words.weight"].shape[0]:] = old["words.weight"][vocabulary.UNKNOWN]


def fit(trainer: Trainer, dev: list[Sentence], folder: str, about: dict[str, str], resume: bool) -> Iterator[dict]:
    """Yield a record after each epoch, and one for the best; the best model is in the folder, with its card.

    A state to go on from is there from the beginning, so that a folder that cannot be written is told then.

    about: what the card says of how the model came about.
    resume: go on from the state that an interrupted run left.
    """
    settings = {"recipe": trainer.recipe._asdict(), "sizes": trainer.model.config["sizes"],
                **{name: value for name, value in about.items() if name != "command"}}
    best, seconds = _resumed(trainer, folder, settings) if resume else ({}, 0.0)
    start = perf_counter() - seconds

    def keep() -> None:
        saving.save_state(folder, trainer.tensors(), {"epoch": trainer.epoch, "step": trainer.step, "best": best,
                                                      "seconds": seconds, "settings": settings})

    keep()
    while trainer.epoch < trainer.recipe.epochs:
        losses = trainer.run_epoch()
        scores = evaluating.scores(trainer.average, dev, trainer.recipe.subtypes)
        seconds = round(perf_counter() - start, 1)
        record = {"epoch": trainer.epoch, "step": trainer.step, "loss": losses, **scores, "seconds": seconds}
        if not best or _value(scores) >= _value(best):
            best = {"epoch": trainer.epoch, **scores}
            save(folder, trainer.average, about, best)
        keep()
        yield record
    saving.forget_state(folder)
    scores = {name: value for name, value in best.items() if name != "epoch"}
    yield {"best": best["epoch"], **scores, "seconds": seconds, "model": folder}


def _value(scores: dict[str, float]) -> float:
    """Return what tells one state from a better one: LAS from given and from own parts of speech alike."""
    return scores["las"] + scores["las_own"]


def _resumed(trainer: Trainer, folder: str, settings: dict) -> tuple[dict, float]:
    """Take up the state in a folder, if it is of the same treebanks and settings; return the best and the seconds."""
    tensors, facts = saving.load_state(folder)
    before = facts["settings"]
    for name in (*settings, *before):
        if before.get(name) != settings.get(name):
            raise OptionError(f"--resume: the training in {folder} has other settings: {name} was "
                              f"{before.get(name)}, and is {settings.get(name)}")
    if list(before) != list(settings):
        raise OptionError(f"--resume: the training in {folder} has its files in another order: {', '.join(before)}")
    trainer.take_up(tensors, facts["epoch"], facts["step"])
    return facts["best"], facts["seconds"]


def save(folder: str, model: Model, about: dict[str, str], best: dict) -> None:
    """Write the model, with the hashes of its weights and its vocabulary in its settings."""
    config = model.config | saving.hashes(model.network, model.vocabulary, model.config["pieces"])
    dev = ", ".join(f"{name} {value}" for name, value in best.items())
    saving.save(folder, model._replace(config=config), saving.card({**about, "on dev": dev, "weights": config["hash"]},
                                                                   f"Parser {folder}"))
