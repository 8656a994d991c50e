"""One way of fitting: a record for each epoch of a Trainer, the best model kept in a folder.

The Trainer knows optimiser, schedule, precision, processes and checkpoints.  It waits in its own
thread: it trains on when the next record is asked for, and no further than to the end of that
epoch.
"""

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


def run(fitting: Fitting, state: dict) -> Iterator[dict]:
    """Yield a record for each epoch and one for the best; the folder keeps the best model.

    state: as `folder.state_of` returned it.

    Processes but the first yield nothing.
    """
    yield from handed(lambda tell, stopped: _Course(fitting, state, tell, stopped).run())
    if fitting.share.rank == 0:
        folders.end(fitting.job.folder, state)
        yield folders.best(fitting.job.folder, state)


class Stopped(Exception):
    """Nobody waits for a training any more."""


class _Course:
    """What happens between the steps of a training, after its epochs, and at its checkpoints."""

    def __init__(
        self,
        fitting: Fitting,
        state: dict,
        tell: Callable[[dict], None],
        stopped: Callable[[], bool],
    ):
        self.fitting, self.state, self.tell, self.stopped = fitting, state, tell, stopped
        self.folder = fitting.job.folder
        self.begun = perf_counter() - state["seconds"]
        self.is_inside = False  # an epoch
        self.waits = ""  # checkpoint of the last step of an epoch, which is to be judged first

    def run(self) -> None:
        """Train, from the last checkpoint or from the beginning."""
        need("accelerate", "train")
        try:
            with checkpoints.hushed(offline=self.fitting.offline):
                trainer = self.fitting.trainer(self._callback())
                for callback in list(trainer.callback_handler.callbacks):
                    if type(callback).__name__ in _TALKATIVE:
                        trainer.remove_callback(callback)
                trainer.train(resume_from_checkpoint=folders.checkpoint(self.folder, self.state))
        except Stopped:
            return
        except Exception as error:
            error_of_library = settings.explained(error, self.fitting.job)
            raise guards.explained(error_of_library, self.folder) from error

    def _callback(self) -> Any:
        course, meter = self, self.fitting.meter
        base: Any = need("transformers", "models").TrainerCallback

        class Epochs(base):
            """Tells a course what the Trainer does."""

            def on_epoch_begin(self, args, state, control, **more):
                course.is_inside = True
                meter.begin(course.state.pop("inside", {}))

            def on_step_end(self, args, state, control, **more):
                if course.stopped():
                    raise Stopped

            def on_epoch_end(self, args, state, control, model=None, **more):
                facts = {"epoch": ceil(state.epoch - 1e-9), **meter.facts(state, args.device)}
                course.is_inside = False
                is_last = state.global_step >= state.max_steps
                control.should_training_stop = course.ended(facts, model, args.device, is_last)

            def on_save(self, args, state, control, **more):
                is_last = state.global_step >= state.max_steps
                ends = is_last or meter.is_end(state)
                course.saved(f"checkpoint-{state.global_step}", ends)

        return Epochs()

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

        state["seconds"] = perf_counter() - self.begun
        epoch = {**facts, **judged, **judge.facts(), "seconds": round(state["seconds"], 1)}
        if warnings := judge.warnings(epoch):
            epoch["warnings"] = warnings
        state["epochs"].append(epoch)
        if state["best"] is None or judge.worth(epoch) > judge.worth(state["best"]):
            state["best"] = epoch
            save(self.fitting.job, self.fitting.keeping, state["epochs"])
        patience = self.fitting.patience
        state["ended"] = is_last or (
            patience is not None and number - state["best"]["epoch"] >= patience
        )
        if self.waits:
            self.saved(self.waits, True)
        self.tell(epoch)
        return self.fitting.share.agreed(state["ended"])

    def saved(self, checkpoint: str, ends: bool) -> None:
        """Remember a checkpoint; ends: it is that of the last step of an epoch."""
        if self.fitting.share.rank:
            return
        if self.is_inside and ends:
            self.waits = checkpoint
            return
        self.waits, self.state["checkpoint"] = "", checkpoint
        inside = {"inside": self.fitting.meter.sums} if self.is_inside else {}
        folders.save_state(self.folder, self.state | inside)


def autocast(precision: str, device: Any) -> Callable:
    """Return what makes a context in which a model computes with a precision."""
    torch = need("torch", "models")
    if precision == "float32":
        return nullcontext
    return partial(torch.autocast, torch.device(device).type, getattr(torch, precision))


def save(job: Job, keeping: Keeping, epochs: list[dict]) -> None:
    """Write the model of the last of some epochs into its folder, with its card."""
    about = {**keeping.about, "best epoch": epochs[-1]["epoch"]}
    card = folders.card(
        keeping.title,
        f"A model for {keeping.use}, trained by {keeping.by}",
        about,
        [epoch for epoch in epochs if epoch["epoch"]],  # epoch 0 is before training
        folders.BOUND,
    )
    folders.save_model(
        job.folder, keeping.writers, {**keeping.files(epochs[-1]), folders.CARD: card}
    )


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
