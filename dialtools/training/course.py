"""The course of a training: a record for each epoch, while the Trainer waits in its own thread.

It trains on when the next record is asked for, and no further than to the end of that epoch.
"""

from collections.abc import Callable, Iterator
from queue import SimpleQueue
from threading import Semaphore, Thread
from time import perf_counter
from typing import Any, NamedTuple

from dialtools.training import folder as folders
from dialtools.training import guards, trainer
from dialtools.training.trainer import Plan

_END = object()


class Keeping(NamedTuple):
    """What a folder keeps beside a model."""

    title: str
    about: dict[str, object]  # rows of the card
    files: Callable[[dict], dict[str, bytes]]  # the record of an epoch -> names and contents
    use: str = "dt-generate --model"  # for the card: what runs the model, and what made it
    by: str = "dt-train generator"
    more: tuple[Any, ...] = ()  # what else has a save_pretrained


class Judge(NamedTuple):
    """How a model is judged after an epoch."""

    judged: Callable[[Any, Callable], dict]  # the model, a context of its precision -> facts
    worth: Callable[[dict], float]  # of the record of an epoch; more is better
    warnings: Callable[[dict], list[str]]  # about the record of an epoch


def run(
    plan: Plan, judge: Judge, keeping: Keeping, state: dict, facts: Callable[[], dict]
) -> Iterator[dict]:
    """Yield a record for each epoch and one for the best; the folder keeps the best model.

    state: as `folder.state_of` returned it.
    facts: what is to be said of the data of the last epoch.

    Processes but the first yield nothing.
    """
    yield from handed(
        lambda tell, stopped: _train(plan, judge, keeping, state, facts, tell, stopped)
    )
    if plan.share.rank == 0:
        folders.end(plan.folder, state)
        yield folders.best(plan.folder, state)


def _train(
    plan: Plan,
    judge: Judge,
    keeping: Keeping,
    state: dict,
    facts: Callable[[], dict],
    tell: Callable[[dict], None],
    stopped: Callable[[], bool],
) -> None:
    """Train; call `tell` with the record of each epoch."""
    begun = perf_counter() - state["seconds"]

    def ended(found: dict, model: Any, context: Callable) -> bool:
        judged = judge.judged(model, context)
        guards.check_finite(
            judged.get("dev_loss", 0.0),
            f"on --dev after epoch {found['epoch']} the loss",
            plan.folder,
        )
        guards.check_weights(model, found["epoch"], plan.folder)
        if plan.share.rank:
            return _agreed(plan, False)
        state["seconds"] = perf_counter() - begun
        epoch = {**found, **judged, **facts(), "seconds": round(state["seconds"], 1)}
        if said := judge.warnings(epoch):
            epoch["warnings"] = said
        state["epochs"].append(epoch)
        if _is_best(state, judge.worth):
            state["best"] = epoch
            _save(plan, keeping, model, state["epochs"])
        state["ended"] = _is_over(state, plan)
        tell(epoch)
        return _agreed(plan, state["ended"])

    def saved(checkpoint: str) -> None:
        if plan.share.rank == 0:
            state["checkpoint"] = checkpoint
            folders.save_state(plan.folder, state)

    try:
        trainer.train(
            plan, folders.checkpoint(plan.folder, state), ended=ended, stopped=stopped, saved=saved
        )
    except trainer.Stopped:
        return
    except Exception as error:
        raise guards.explained(error, plan.folder) from error


def _agreed(plan: Plan, over: bool) -> bool:
    """Return what the first process decides."""
    import torch

    if plan.share.number == 1:
        return over
    decided = [over]
    torch.distributed.broadcast_object_list(decided, 0)
    return decided[0]


def _is_best(state: dict, worth: Callable[[dict], float]) -> bool:
    before, now = state["best"], state["epochs"][-1]
    return before is None or worth(now) > worth(before)


def _is_over(state: dict, plan: Plan) -> bool:
    last, patience = state["epochs"][-1]["epoch"], plan.recipe.early_stopping
    return last >= plan.recipe.epochs or (
        patience is not None and last - state["best"]["epoch"] >= patience
    )


def _save(plan: Plan, keeping: Keeping, model: Any, epochs: list[dict]) -> None:
    """Write the model into the folder, with its card."""
    about = {**keeping.about, "best epoch": epochs[-1]["epoch"]}
    card = folders.card(keeping.title, about, epochs, keeping.use, keeping.by)
    folders.save_model(
        plan.folder,
        [model, plan.tokenizer, *keeping.more],
        {**keeping.files(epochs[-1]), folders.CARD: card},
    )


def handed(work: Callable[[Callable, Callable[[], bool]], None]) -> Iterator[dict]:
    """Yield what work(tell, stopped) tells in a thread, which waits until more is asked for.

    What it raises is raised here.  Where nobody asks any more, stopped() says so to it.
    """
    found: SimpleQueue = SimpleQueue()
    asked = Semaphore(0)
    gone: list[bool] = []

    def tell(record: dict) -> None:
        found.put(record)
        asked.acquire()

    def run() -> None:
        asked.acquire()
        try:
            work(tell, lambda: bool(gone))
            found.put(_END)
        except BaseException as error:  # raised again where it is waited for
            found.put(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    try:
        asked.release()
        while (record := found.get()) is not _END:
            if isinstance(record, BaseException):
                raise record
            yield record
            asked.release()
    finally:
        gone.append(True)
        asked.release()
        thread.join()
