"""One way of fitting: a record for each epoch of a Trainer, the best model kept in a folder.

The Trainer knows optimiser, schedule, precision, processes and checkpoints.  It waits in its own
thread: it trains on when the next record is asked for, and no further than to the end of that
epoch.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from math import ceil
from queue import SimpleQueue
from threading import Semaphore, Thread
from time import perf_counter
from typing import Any, NamedTuple

from dialtools.models import checkpoints
from dialtools.system.errors import need
from dialtools.training import folder as folders
from dialtools.training import guards, settings
from dialtools.training.folder import State
from dialtools.training.recipe import Job
from dialtools.training.steps import Share

_TALKATIVE = ("PrinterCallback", "ProgressCallback", "SentenceTransformerModelCardCallback")
_END = object()


class Judge(NamedTuple):
    """How a model is judged after an epoch."""

    judged: Callable[[Any, Callable, int], dict]  # the model, a context of its precision, the epoch
    worth: Callable[[dict], float]  # of the record of an epoch; more is better
    warnings: Callable[[dict], list[str]] = lambda epoch: []  # about the record of an epoch
    facts: Callable[[], dict] = dict  # what is to be said of the data of the last epoch


class Keeping(NamedTuple):
    """What a folder keeps of a training."""

    title: str
    use: str  # what runs the model, for the card
    by: str
    about: dict[str, object]  # rows of the card
    writers: list[Callable[[str], object]]  # of the model, its tokenizer and the like
    files: Callable[[dict], dict[str, bytes]] = lambda epoch: {}  # names and contents, of an epoch


class Fitting(NamedTuple):
    """What is trained, and what differs between a generator, a scorer and an encoder."""

    job: Job
    share: Share
    offline: bool
    precision: str
    trainer: Callable[[Any], Any]  # a callback -> a Trainer of transformers that calls it
    meter: Any  # has begin(sums), sums, facts(state, device) and is_end(state)
    judge: Judge
    keeping: Keeping
    patience: int | None = None  # epochs without a better one until the end
    keeps_epochs: bool = False  # the model of each, too, in a folder of its own


class Stopped(Exception):
    """Nobody waits for a training any more."""


class Training:
    """A training: what happens between its steps, after its epochs, and at its checkpoints."""

    def __init__(self, fitting: Fitting, state: State):
        """Build the Trainer and its optimiser; where that fails, nothing is left in the folder."""
        need("accelerate", "train")
        self.fitting, self.state = fitting, state
        self.folder = fitting.job.folder
        self.begun = perf_counter()
        self.is_inside = False  # an epoch
        self.waits = ""  # checkpoint of the last step of an epoch, which is to be judged first
        self.tell: Callable[[dict], None] = lambda record: None
        self.stopped: Callable[[], bool] = lambda: False
        places = (self.folder, os.path.join(self.folder, folders.CHECKPOINTS))
        new = next((place for place in places if not os.path.isdir(place)), None)
        try:
            with checkpoints.hushed(offline=fitting.offline):
                self.trainer = fitting.trainer(_callback(self))
                for callback in list(self.trainer.callback_handler.callbacks):
                    if type(callback).__name__ in _TALKATIVE:
                        self.trainer.remove_callback(callback)
                if not (self.trainer.is_fsdp_enabled or self.trainer.is_deepspeed_enabled):
                    self.trainer.create_optimizer()  # these two make it of the wrapped model
        except Exception as error:
            if new:
                shutil.rmtree(new, ignore_errors=True)
            raise explained(error, fitting.job) from error

    def run(self) -> Iterator[dict]:
        """Train from the last checkpoint or from the beginning, as the folder's state says.

        Yield a record for each epoch and one for the best; the folder keeps the best model.
        Processes but the first yield nothing.
        """
        self.begun = perf_counter() - self.state.seconds
        yield from handed(self._train)
        if self.fitting.share.rank == 0:
            self.state.end()
            yield self.state.record_of_best()

    def _train(self, tell: Callable[[dict], None], stopped: Callable[[], bool]) -> None:
        self.tell, self.stopped = tell, stopped
        try:
            with checkpoints.hushed(offline=self.fitting.offline):
                self.trainer.train(resume_from_checkpoint=self.state.checkpoint_folder())
        except Stopped:
            return
        except Exception as error:
            raise explained(error, self.fitting.job) from error

    def ended(self, facts: dict, model: Any, device: Any, is_last: bool) -> bool:
        """Judge an epoch, keep its model if it is the best, and tell; return whether all is done."""
        judge, state, number = self.fitting.judge, self.state, facts["epoch"]
        guards.check_weights(model, number, self.folder)
        context = autocast(self.fitting.precision, device)
        judged = judge.judged(model, context, number)
        guards.check_finite(
            judged.get("dev_loss", 0.0), f"on --dev after epoch {number} the loss", self.folder
        )
        if self.fitting.share.rank:
            return self.fitting.share.agreed(False)

        state.seconds = perf_counter() - self.begun
        epoch = {**facts, **judged, **judge.facts(), "seconds": round(state.seconds, 1)}
        if warnings := judge.warnings(epoch):
            epoch["warnings"] = warnings
        state.epochs.append(epoch)
        if state.best is None or judge.worth(epoch) > judge.worth(state.best):
            state.best = epoch
            save(self.folder, self.fitting.keeping, state.epochs, "best epoch")
        if self.fitting.keeps_epochs:
            folder = os.path.join(self.folder, f"epoch-{number}")
            os.makedirs(folder, exist_ok=True)
            save(folder, self.fitting.keeping, state.epochs, "epoch")
        patience = self.fitting.patience
        state.ended = is_last or (patience is not None and number - state.best["epoch"] >= patience)
        if self.waits:
            self.saved(self.waits, True)
        self.tell(epoch)
        return self.fitting.share.agreed(state.ended)

    def saved(self, checkpoint: str, ends: bool) -> None:
        """Remember a checkpoint; ends: it is that of the last step of an epoch."""
        if self.fitting.share.rank:
            return
        if self.is_inside and ends:
            self.waits = checkpoint
            return
        self.waits, self.state.checkpoint = "", checkpoint
        self.state.save(self.fitting.meter.sums if self.is_inside else None)


def _callback(training: Training) -> Any:
    """Return what tells a training what its Trainer does."""
    meter = training.fitting.meter
    base: Any = need("transformers", "models").TrainerCallback

    class Epochs(base):
        """Listens to a Trainer."""

        def on_epoch_begin(self, args, state, control, **more):
            training.is_inside = True
            meter.begin(training.state.inside or {})
            training.state.inside = None

        def on_step_end(self, args, state, control, **more):
            if training.stopped():
                raise Stopped

        def on_epoch_end(self, args, state, control, model=None, **more):
            facts = {"epoch": ceil(state.epoch - 1e-9), **meter.facts(state, args.device)}
            training.is_inside = False
            is_last = state.global_step >= state.max_steps
            control.should_training_stop = training.ended(facts, model, args.device, is_last)

        def on_save(self, args, state, control, **more):
            is_last = state.global_step >= state.max_steps
            ends = is_last or meter.is_end(state)
            training.saved(f"checkpoint-{state.global_step}", ends)

    return Epochs()


def explained(error: Exception, job: Job) -> Exception:
    """Return an error of a training, or of its libraries, as its user should read it."""
    return guards.explained(settings.explained(error, job), job.folder)


def autocast(precision: str, device: Any) -> Callable:
    """Return what makes a context in which a model computes with a precision."""
    torch = need("torch", "models")
    if precision == "float32":
        return nullcontext
    return partial(torch.autocast, torch.device(device).type, getattr(torch, precision))


def save(folder: str, keeping: Keeping, epochs: list[dict], name: str) -> None:
    """Write the model of the last of some epochs into a folder; its card calls the epoch by `name`."""
    about = {**keeping.about, name: epochs[-1]["epoch"]}
    card = folders.card(
        keeping.title,
        f"A model for {keeping.use}, trained by {keeping.by}",
        about,
        [epoch for epoch in epochs if epoch["epoch"]],  # epoch 0 is before training
        folders.BOUND,
    )
    folders.save_model(folder, keeping.writers, {**keeping.files(epochs[-1]), folders.CARD: card})


def handed(work: Callable[[Callable, Callable[[], bool]], None]) -> Iterator[dict]:
    """Yield what work(tell, stopped) tells in a thread, which waits until more is asked for.

    What it raises is raised here.  Where nobody asks any more, stopped() says so to it.
    """
    told: SimpleQueue = SimpleQueue()
    asked = Semaphore(0)
    gone: list[bool] = []

    def tell(record: dict) -> None:
        told.put(record)
        asked.acquire()

    def run() -> None:
        asked.acquire()
        try:
            work(tell, lambda: bool(gone))
            told.put(_END)
        except BaseException as error:  # raised again where it is waited for
            told.put(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    try:
        asked.release()
        while (record := told.get()) is not _END:
            if isinstance(record, BaseException):
                raise record
            yield record
            asked.release()
    finally:
        gone.append(True)
        asked.release()
        thread.join()
