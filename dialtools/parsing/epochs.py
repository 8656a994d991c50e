"""A training run: epochs, each scored on a dev set; the best model kept in a folder."""

from collections.abc import Iterator
from time import perf_counter

from dialtools.parsing import accuracy
from dialtools.parsing import folder as folders
from dialtools.parsing.model import Model
from dialtools.parsing.trainer import Trainer
from dialtools.parsing.treebank import Sentence
from dialtools.system.errors import OptionError


def run(
    trainer: Trainer, dev: list[Sentence], folder: str, about: dict[str, str], resume: bool
) -> Iterator[dict]:
    """Yield a record for each epoch and one for the best; the folder keeps the best model.

    A state is written first, so that an unwritable folder fails at once.

    about: rows of the model card: how the model was made.
    resume: continue from the state of an interrupted run.
    """
    settings = {
        "recipe": trainer.recipe._asdict(),
        "sizes": trainer.model.config["sizes"],
        **{name: value for name, value in about.items() if name != "command"},
    }
    best, seconds = _resumed(trainer, folder, settings) if resume else ({}, 0.0)
    start = perf_counter() - seconds

    def save_state() -> None:
        folders.save_state(
            folder,
            trainer.tensors(),
            {
                "epoch": trainer.epoch,
                "step": trainer.step,
                "best": best,
                "seconds": seconds,
                "settings": settings,
            },
        )

    save_state()
    while trainer.epoch < trainer.recipe.epochs:
        losses = trainer.run_epoch()
        scores = accuracy.scores(trainer.average, dev, trainer.recipe.subtypes)
        seconds = round(perf_counter() - start, 1)
        if not best or _value(scores) >= _value(best):
            best = {"epoch": trainer.epoch, **scores}
            _save(folder, trainer.average, about, best)
        save_state()
        yield {
            "epoch": trainer.epoch,
            "step": trainer.step,
            "loss": losses,
            **scores,
            "seconds": seconds,
        }
    folders.remove_state(folder)
    scores = {name: value for name, value in best.items() if name != "epoch"}
    yield {"best": best["epoch"], **scores, "seconds": seconds, "model": folder}


def _value(scores: dict[str, float]) -> float:
    """Return what the best epoch maximises: LAS with gold plus LAS with predicted tags."""
    return scores["las"] + scores["las_own"]


def _resumed(trainer: Trainer, folder: str, settings: dict) -> tuple[dict, float]:
    """Restore the state of a folder; return its best scores and seconds.

    Raise OptionError if its treebanks or settings differ.
    """
    tensors, facts = folders.load_state(folder)
    before = facts["settings"]
    for name in (*settings, *before):
        if before.get(name) != settings.get(name):
            raise OptionError(
                f"--resume: the training in {folder} has other settings: {name} was "
                f"{before.get(name)}, now {settings.get(name)}"
            )
    if list(before) != list(settings):
        raise OptionError(
            f"--resume: the training in {folder} has its files in another order: "
            f"{', '.join(before)}"
        )
    trainer.restore(tensors, facts["epoch"], facts["step"])
    return facts["best"], facts["seconds"]


def _save(folder: str, model: Model, about: dict[str, str], best: dict) -> None:
    """Write a model with its hashes and its card."""
    hashes = folders.hashes(model.network, model.vocabulary, model.config["pieces"])
    dev = ", ".join(f"{name} {value}" for name, value in best.items())
    rows = {**about, "on dev": dev, "weights": hashes["hash"]}
    folders.save(
        folder, model._replace(config=model.config | hashes), folders.card(rows, f"Parser {folder}")
    )
