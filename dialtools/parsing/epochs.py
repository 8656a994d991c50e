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
    trainer: Trainer,
    dev: list[Sentence],
    folder: str,
    about: dict[str, str],
    data: dict,
    resume: bool,
) -> Iterator[dict]:
    """Yield the record of the data, one for each epoch, and one of the best.

    The folder keeps the best model. A state is written first, so that an unwritable folder fails
    at once. Where earlier runs have ended epochs, the first record says how many, as "resumed".

    about: rows of the model card: how the model was made.
    resume: continue from the state of an earlier run, if there is one.
    """
    settings = {
        "recipe": trainer.recipe._asdict(),
        "sizes": trainer.model.config["sizes"],
        **{name: value for name, value in about.items() if name != "command"},
    }
    state: dict = {"epochs": [], "step": 0, "best": {}, "seconds": 0.0, "settings": settings}
    if resume and folders.begun(folder):
        state = _resumed(trainer, folder, settings)
    start = perf_counter() - state["seconds"]
    resumed = {"resumed": len(state["epochs"])} if state["epochs"] else {}
    if len(state["epochs"]) < trainer.recipe.epochs:
        folders.save_state(folder, trainer.tensors(), state)
    yield {**data, **resumed}
    yield from state["epochs"]
    while trainer.epoch < trainer.recipe.epochs:
        losses = trainer.run_epoch()
        scores = accuracy.scores(trainer.average, dev, trainer.recipe.subtypes)
        if not state["best"] or _value(scores) >= _value(state["best"]):
            state["best"] = {"epoch": trainer.epoch, **scores}
            _save(folder, trainer.average, about, state["best"])
        state["step"], state["seconds"] = trainer.step, round(perf_counter() - start, 1)
        epoch = {"epoch": trainer.epoch, "step": trainer.step, "loss": losses, **scores}
        state["epochs"].append({**epoch, "seconds": state["seconds"]})
        folders.save_state(folder, trainer.tensors(), state)
        yield state["epochs"][-1]
    folders.save_state(folder, {}, state)
    scores = {name: value for name, value in state["best"].items() if name != "epoch"}
    best = {"best": state["best"]["epoch"], **scores}
    yield {**best, "seconds": state["seconds"], "model": folder}


def _value(scores: dict[str, float]) -> float:
    """Return what the best epoch maximises: LAS with gold plus LAS with predicted tags."""
    return scores["las"] + scores["las_own"]


def _resumed(trainer: Trainer, folder: str, settings: dict) -> dict:
    """Restore the state of a folder, and return what it says.

    Raise OptionError if its treebanks or settings differ.
    """
    tensors, state = folders.load_state(folder)
    before = state["settings"]
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
    if tensors:
        trainer.restore(tensors, len(state["epochs"]), state["step"])
    trainer.epoch = len(state["epochs"])
    return state


def _save(folder: str, model: Model, about: dict[str, str], best: dict) -> None:
    """Write a model with its hashes and its card."""
    hashes = folders.hashes(model.network, model.vocabulary, model.config["pieces"])
    dev = ", ".join(f"{name} {value}" for name, value in best.items())
    rows = {**about, "on dev": dev, "weights": hashes["hash"]}
    folders.save(
        folder, model._replace(config=model.config | hashes), folders.card(rows, f"Parser {folder}")
    )
