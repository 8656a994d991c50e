"""The training of an encoder by sentence-transformers, and what happens after each epoch."""

import os
from collections.abc import Callable, Iterator
from itertools import chain
from platform import python_version
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Annotated, Any, NamedTuple

from dialtools import __version__
from dialtools.models import checkpoints, sentences
from dialtools.plugins.options import Option
from dialtools.system.errors import OptionError, RecordError, need, show
from dialtools.system.files import hashes
from dialtools.training import contrasts, course, guards, likeness, pairs, processes, tiny
from dialtools.training import folder as folders
from dialtools.training.job import Job, check_files
from dialtools.training.pairs import Examples, Source
from dialtools.training.trainer import Stopped

_TALKATIVE = ("PrinterCallback", "ProgressCallback", "SentenceTransformerModelCardCallback")
RATES = {True: 1e-3, False: 2e-5}  # the default learning rates, of tiny and of other models


class Course(NamedTuple):
    """How an encoder is trained."""

    loss: Annotated[
        str | None,
        Option(
            "Loss of sentence-transformers: contrastive (the default for targets of 0 and 1) or "
            "online-contrastive, cosine (the default for other targets) or cosent, multiple-negatives "
            "(for pairs without a target, and --vectors), batch-hard-triplet (for --group) or "
            "multi-similarity (for --group and --vectors).",
            None,
            "NAME",
        ),
    ] = None
    epochs: Annotated[
        int,
        Option(
            "Passes over the training data (1); 0 writes the encoder as it "
            "is before training, to compare with.",
            0,
            "N",
        ),
    ] = 1
    learning_rate: Annotated[
        float | None,
        Option(
            "Highest learning rate of AdamW (2e-5; 1e-3 for tiny); it falls to 0 in a line.",
            1e-12,
            "X",
        ),
    ] = None
    warmup: Annotated[
        float, Option("Share of the steps in which the learning rate rises (0.1).", 0, "P", most=1)
    ] = 0.1
    batch_size: Annotated[int, Option("Examples in one step (64).", 2, "N")] = 64
    max_input: Annotated[
        int | None,
        Option("Most tokens of a text that the encoder reads (the model's own limit).", 3, "N"),
    ] = None
    margin: Annotated[
        float,
        Option(
            "Cosine distance from which on the contrastive losses let unlike texts be (1.0).",
            0,
            "X",
        ),
    ] = 1.0
    device: Annotated[
        str, Option("cpu, cuda, cuda:1, mps … (cuda if present, else cpu).", None, "NAME")
    ] = "auto"
    offline: Annotated[
        bool, Option("Open no socket: use only models that are on this machine.")
    ] = False


class Given(NamedTuple):
    """What a user asks for; see dt-train encoder."""

    job: Job
    source: Source
    course: Course


def run(given: Given) -> Iterator[dict]:
    """Yield a record of the data, one of the model before training and one for each epoch, and one
    of the best.
    """
    need("sentence_transformers", "train")
    if processes.share().number > 1:
        raise OptionError(
            "an encoder is trained in one process: start it without accelerate or torchrun"
        )
    check_files(given.job.train, given.job.dev)
    folders.check(given.job.folder, given.job.model, given.job.go_on, given.job.overwrite)
    shape = tiny.shape(given.job.model)
    train, dev = _read(given)
    loss = contrasts.chosen(given.course.loss, train, dev)
    state = folders.state_of(given.job.folder, _settings(given), given.job.go_on)
    if state["ended"]:
        yield from folders.log_of_ended(given.job.folder, state, processes.Share())
        return
    with checkpoints.hushed(offline=given.course.offline):
        model = _model(given, shape, train)
    guards.check_start(model, given.job.model)
    for found in (train, dev):
        _check_texts(model.tokenizer, found, "" if shape else given.job.model)
    bounds = _bounds(train)
    about = {
        "kind": train.kind,
        "examples": train.size,
        "dev": dev.size,
        "loss": loss,
        "weights": sum(weight.numel() for weight in model.parameters()),
        **({"target_range": [*bounds]} if train.kind == "graded" else {}),
        "recipe": given.course._asdict(),
    }
    folders.begin(given.job.folder, state, about)
    yield from folders.log(given.job.folder, state)
    if not state["epochs"]:
        state["epochs"].append({"epoch": 0, **_measured(model, dev, given, 0)})
        yield from state["epochs"]
    if given.course.epochs:
        yield from course.handed(
            lambda tell, stopped: _train(
                given, model, loss, (train, dev), bounds, state, tell, stopped, bool(shape)
            )
        )
    else:
        [state["best"]] = state["epochs"]
        _save(given, model, state["epochs"], loss)
    folders.end(given.job.folder, state)
    yield folders.best(given.job.folder, state)


def _read(given: Given) -> tuple[Examples, Examples]:
    """Return the examples to learn from and those to choose by, which fit each other."""
    train, dev = (
        pairs.read(files, given.source, part)
        for part, files in (("train", given.job.train), ("dev", given.job.dev))
    )
    _check_apart(train, dev)
    if train.size < 2:
        raise OptionError("--train: an encoder needs two examples at least")
    if dev.vectors and len(dev.vectors[0]) != len(train.vectors[0]):
        raise OptionError(
            f"the vectors of --dev have {len(dev.vectors[0]):,} numbers, those of "
            f"--train {len(train.vectors[0]):,}"
        )
    if train.kind == "graded" and dev.kind == "binary":  # by chance
        dev = dev._replace(kind="graded")
    return train, dev


def _bounds(train: Examples) -> tuple[float, float]:
    """Return the targets that stand for 0 and 1."""
    return (min(train.targets), max(train.targets)) if train.kind == "graded" else (0.0, 1.0)


def _check_apart(train: Examples, dev: Examples) -> None:
    """Raise OptionError if the examples to choose by are those to learn from."""

    def rows(found: Examples) -> set[tuple]:
        return set(zip(found.texts, found.others or found.texts, strict=True))

    if rows(dev) <= rows(train):
        raise OptionError(
            "--dev has only examples of --train: the best epoch would be the one "
            "that knows them best by heart; split the data first"
        )


def _check_texts(tokenizer: Any, found: Examples, name: str) -> None:
    """Raise an error for texts that the encoder cannot read.

    name: of the encoder, to check the script too; "": its vocabulary comes from the data.
    """
    columns = [column for column in (found.texts, found.others, found.unlike) if column]
    if name:
        guards.check_script(tokenizer, chain(*columns), name)
    for texts, (record, place) in zip(zip(*columns, strict=True), found.places, strict=True):
        for text in texts:
            ids = tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
            if any(map(str.isalnum, text)) and {tokenizer.unk_token_id}.issuperset(ids):
                raise RecordError(f"the encoder knows no token of {show(text, 40)}", record, place)


def _settings(given: Given) -> dict[str, Any]:
    """Return what must be the same when a training goes on, as JSON has it."""
    return {
        "what": "encoder",
        "model": given.job.model,
        "seed": given.job.seed,
        "source": [list(part) if isinstance(part, tuple) else part for part in given.source],
        "recipe": list(given.course),
        **hashes("train", given.job.train),
        **hashes("dev", given.job.dev),
    }


def _model(given: Given, shape: tiny.Shape | None, train: Examples) -> Any:
    """Return an encoder of sentence-transformers: a folder's own, a hub's, or a tiny one."""
    library = need("sentence_transformers", "train")
    parts = need("sentence_transformers.models", "train")
    if shape:
        words = tiny.tokenizer([*train.texts, *train.others, *train.unlike], shape)
        with TemporaryDirectory() as home:
            for part in (words, tiny.encoder(words, shape, given.job.seed)):
                part.save_pretrained(home)
            reader = parts.Transformer(home)
        device = None if given.course.device == "auto" else given.course.device
        made = library.SentenceTransformer(
            modules=[reader, parts.Pooling(shape.hidden)], device=device
        )
    else:
        made = sentences.transformer(given.job.model, given.course.device, given.course.offline)
    made.model_card_data.widget = [{}]  # the trainer would look for some, with a progress bar
    if given.course.max_input:
        made.max_seq_length = given.course.max_input
    if train.kind == "vectors":
        _lead_to(made, len(train.vectors[0]), parts, given.job.seed)
    return made


def _lead_to(model: Any, dimensions: int, parts: Any, seed: int) -> None:
    """Append a linear map from the encoder's vectors to the given ones, unless it has one."""
    torch = need("torch", "models")
    last = list(model)[-1]
    if isinstance(last, parts.Dense) and last.out_features == dimensions:
        return
    torch.manual_seed(seed % 2**64)
    own = model.get_embedding_dimension()
    model.append(parts.Dense(own, dimensions, bias=False, activation_function=torch.nn.Identity()))
    model.to(model.device)


def _measured(model: Any, found: Examples, given: Given, epoch: int) -> dict[str, float]:
    """Return the measures of examples after an epoch."""
    import numpy

    def read(texts: list[str]) -> Any:
        vectors = model.encode(
            texts,
            batch_size=given.course.batch_size,
            show_progress_bar=False,
            normalize_embeddings=True,
            convert_to_numpy=True,
        )
        what = f"on --dev after epoch {epoch} the sum of a vector"
        for vector in vectors:
            guards.check_finite(float(vector.sum()), what, given.job.folder)
        return vectors

    others = None
    if found.kind == "vectors":
        wanted = numpy.array(found.vectors)
        others = (wanted / numpy.linalg.norm(wanted, axis=1, keepdims=True)).astype("float32")
    elif found.others:
        others = read(found.others)
    return likeness.measured(found, read(found.texts), others)


def _train(
    given: Given,
    model: Any,
    loss: str,
    data: tuple[Examples, Examples],
    bounds: tuple[float, float],
    state: dict,
    tell: Callable[[dict], None],
    stopped: Callable[[], bool],
    is_tiny: bool,
) -> None:
    """Train; call `tell` with the record of each epoch."""
    library, (train, dev) = need("sentence_transformers", "train"), data
    measure = likeness.BEST[train.kind]
    begun = perf_counter() - state["seconds"]

    def ended(epoch: dict) -> None:
        guards.check_weights(model, epoch["epoch"], given.job.folder)
        epoch |= _measured(model, dev, given, epoch["epoch"])
        state["seconds"] = perf_counter() - begun
        epoch["seconds"] = round(state["seconds"], 1)
        model.train()
        state["epochs"].append(epoch)
        if state["best"] is None or epoch[measure] > state["best"][measure]:
            state["best"] = epoch
            _save(given, model, state["epochs"], loss)
        state["ended"] = epoch["epoch"] >= given.course.epochs
        tell(epoch)

    rows = need("datasets", "train").Dataset.from_dict(pairs.columns(train, *bounds))
    try:
        with checkpoints.hushed(offline=given.course.offline):
            trainer = library.SentenceTransformerTrainer(
                model,
                _arguments(given, train, is_tiny),
                rows,
                loss=contrasts.made(loss, model, train.kind, given.course.margin),
                callbacks=[_watch(given.job.folder, state, ended, stopped)],
            )
            for callback in list(trainer.callback_handler.callbacks):
                if type(callback).__name__ in _TALKATIVE:
                    trainer.remove_callback(callback)
            trainer.train(resume_from_checkpoint=folders.checkpoint(given.job.folder, state))
    except Stopped:
        return
    except Exception as error:
        raise guards.explained(error, given.job.folder) from error


def _watch(
    folder: str, state: dict, ended: Callable[[dict], None], stopped: Callable[[], bool]
) -> Any:
    """Return the callback of the Trainer: what happens after each step, epoch and checkpoint."""
    losses: list[float] = []
    base: Any = need("transformers", "models").TrainerCallback

    class Watch(base):
        """Looks at the losses, and hands over each epoch."""

        def on_step_end(self, args, inner, control, **more):
            if stopped():
                raise Stopped

        def on_log(self, args, inner, control, logs=None, **more):
            if logs and "loss" in logs:
                guards.check_finite(
                    float(logs["loss"]), f"in step {inner.global_step} the loss", folder
                )
                losses.append(float(logs["loss"]))

        def on_epoch_end(self, args, inner, control, **more):
            ended({"epoch": round(inner.epoch), "loss": _mean(losses)})
            losses.clear()

        def on_save(self, args, inner, control, **more):
            state["checkpoint"] = f"checkpoint-{inner.global_step}"
            folders.save_state(folder, state)

    return Watch()


def _arguments(given: Given, train: Examples, is_tiny: bool) -> Any:
    """Return the arguments of the Trainer."""
    recipe = given.course
    steps = -(-train.size // recipe.batch_size)
    return need("sentence_transformers", "train").SentenceTransformerTrainingArguments(
        output_dir=os.path.join(given.job.folder, folders.CHECKPOINTS),
        num_train_epochs=recipe.epochs,
        per_device_train_batch_size=recipe.batch_size,
        learning_rate=recipe.learning_rate or RATES[is_tiny],
        warmup_steps=round(recipe.warmup * recipe.epochs * steps),
        logging_steps=1,
        logging_nan_inf_filter=False,
        save_strategy="epoch",
        eval_strategy="no",
        report_to=[],
        disable_tqdm=True,
        seed=given.job.seed % 2**32,
        use_cpu=recipe.device == "cpu",
        batch_sampler="group_by_label" if train.kind == "groups" else "batch_sampler",
    )


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _save(given: Given, model: Any, epochs: list[dict], loss: str) -> None:
    """Write the encoder into the folder, with its card."""
    about = {
        "command": given.job.command,
        "started from": given.job.model,
        "loss": loss,
        "seed": given.job.seed,
        **hashes("train", given.job.train),
        **hashes("dev", given.job.dev),
        "dialtools": __version__,
        "sentence-transformers": need("sentence_transformers", "train").__version__,
        "torch": need("torch", "models").__version__,
        "Python": python_version(),
        "best epoch": epochs[-1]["epoch"],
    }
    with checkpoints.hushed():
        model.save_pretrained(given.job.folder, create_model_card=False)
    with open(os.path.join(given.job.folder, folders.CARD), "wb") as file:
        file.write(
            folders.card(
                f"An encoder, trained from {given.job.model}",
                about,
                epochs[1:],
                "dt-score -m cosine",
                "dt-train encoder",
            )
        )
