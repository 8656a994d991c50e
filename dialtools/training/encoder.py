"""The training of an encoder by sentence-transformers: from its records to a model and its judge."""

import functools
from collections.abc import Iterator
from itertools import chain
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from dialtools.models import checkpoints, encoders
from dialtools.plugins import options
from dialtools.system.errors import OptionError, RecordError, need, show
from dialtools.training import course as courses
from dialtools.training import data, folder, guards, pairs, settings, steps, tiny
from dialtools.training.pairs import Pairs, Source
from dialtools.training.recipe import ENCODER_RATES, Course, Job

BY = "dt-train encoder"


class EncoderTraining(NamedTuple):
    """What a user asks for; see dt-train encoder."""

    job: Job
    source: Source
    course: Course


def run(given: EncoderTraining) -> Iterator[dict]:
    """Yield a record of the data, one of the model before training and one for each epoch, and one
    of the best.
    """
    job, share = given.job, steps.share()
    need("sentence_transformers", "train")
    options.check(given.course)
    if share.number > 1:
        raise OptionError(
            "an encoder is trained in one process: start it without accelerate or torchrun"
        )
    data.check_files(job.train, job.dev)
    folder.check(job.folder, job.model, job.go_on, job.overwrite)
    train, dev = _read(given)
    loss = pairs.fitting_loss(given.course.loss, train, dev)
    recorded = {
        "what": "encoder",
        "model": job.model,
        "seed": job.seed,
        "source": [list(part) if isinstance(part, tuple) else part for part in given.source],
        "recipe": list(given.course),
        **job.set(),
        **job.hashes(),
    }
    state = folder.state_of(job.folder, recorded, job.go_on)
    if state.ended:
        yield from state.log_of_ended(share)
        return

    with checkpoints.hushed(offline=given.course.offline):
        model = _model(given, train)
    guards.check_start(model, job.model)
    for part in (train, dev):
        _check_texts(model.tokenizer, part, "" if tiny.shape(job.model) else job.model)
    bounds = [min(train.targets), max(train.targets)] if train.kind == "graded" else [0.0, 1.0]
    about = {
        "kind": train.kind,
        "examples": len(train.texts),
        "dev": len(dev.texts),
        "loss": loss,
        "weights": sum(weight.numel() for weight in model.parameters()),
        **({"target_range": bounds} if train.kind == "graded" else {}),
        "recipe": given.course._asdict() | job.set(),
    }
    judged = EncoderDevSet(dev, given.course.batch_size, job.folder).judged
    training = courses.Training(_fitting(given, model, loss, train, judged, bounds), state)
    yield from state.begin(about, share)
    if not state.epochs:
        state.epochs.append({"epoch": 0, **judged(model, None, 0)})
        yield from state.epochs
    if given.course.epochs:
        yield from training.run()
        return
    [state.best] = state.epochs
    with checkpoints.hushed():
        courses.save(job.folder, training.fitting.keeping, state.epochs, "best epoch")
    state.end()
    yield state.record_of_best()


def _read(given: EncoderTraining) -> tuple[Pairs, Pairs]:
    """Return the examples to learn from and those to choose by, which fit each other."""
    train, dev = (
        pairs.read(files, given.source, part)
        for part, files in (("train", given.job.train), ("dev", given.job.dev))
    )
    data.check_new(
        *(zip(part.texts, part.others or part.texts, strict=True) for part in (dev, train))
    )
    if len(train.texts) < 2:
        raise OptionError("--train: an encoder needs two examples at least")
    if dev.vectors and len(dev.vectors[0]) != len(train.vectors[0]):
        raise OptionError(
            f"the vectors of --dev have {len(dev.vectors[0]):,} numbers, those of "
            f"--train {len(train.vectors[0]):,}"
        )
    if train.kind == "graded" and dev.kind == "binary":  # by chance
        dev = dev._replace(kind="graded")
    return train, dev


def _check_texts(tokenizer: Any, part: Pairs, name: str) -> None:
    """Raise an error for texts that the encoder cannot read.

    name: of the encoder, to check the script too; "": its vocabulary comes from the data.
    """
    columns = [column for column in (part.texts, part.others, part.unlike) if column]
    if name:
        data.check_script(tokenizer, chain(*columns), name)
    with data.located(part.data):
        for record, *texts in zip(part.data.records, *columns, strict=True):
            for text in texts:
                ids = tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
                if any(map(str.isalnum, text)) and {tokenizer.unk_token_id}.issuperset(ids):
                    raise RecordError(f"the encoder knows no token of {show(text, 40)}", record)


def _model(given: EncoderTraining, train: Pairs) -> Any:
    """Return an encoder of sentence-transformers: a folder's own, a hub's, or a tiny one."""
    library = need("sentence_transformers", "train")
    modules = encoders.modules_of_library("modules")
    job, shape = given.job, tiny.shape(given.job.model)
    if shape:
        tokenizer = tiny.tokenizer([*train.texts, *train.others, *train.unlike], shape)
        with TemporaryDirectory() as home:
            for part in (tokenizer, tiny.encoder(tokenizer, shape, job.seed)):
                part.save_pretrained(home)
            reader = modules.Transformer(home)
        device = checkpoints.device_of(given.course.device)
        pooling = modules.Pooling(shape.hidden)
        model = library.SentenceTransformer(modules=[reader, pooling], device=device)
    else:
        model = encoders.transformer(job.model, given.course.device, given.course.offline)
    model.model_card_data.widget = [{}]  # the trainer would look for some, with a progress bar
    if given.course.max_input:
        model.max_seq_length = given.course.max_input
    if train.kind != "vectors":
        return model

    # a linear map from the encoder's vectors to the given ones, unless it has one
    dimensions, last = len(train.vectors[0]), list(model)[-1]
    if not isinstance(last, modules.Dense) or last.out_features != dimensions:
        torch = need("torch", "models")
        torch.manual_seed(job.seed % 2**64)
        identity = torch.nn.Identity()
        width = model.get_embedding_dimension()
        model.append(modules.Dense(width, dimensions, bias=False, activation_function=identity))
        model.to(model.device)
    return model


class EncoderDevSet(NamedTuple):
    """Examples by which an encoder is judged, and how."""

    pairs: Pairs
    batch_size: int
    folder: str  # of the training, for messages

    def judged(self, model: Any, context: Any, epoch: int) -> dict[str, float]:
        """Return the measures of the examples after an epoch."""
        import numpy

        def read(texts: list[str]) -> Any:
            vectors = model.encode(
                texts,
                batch_size=self.batch_size,
                show_progress_bar=False,
                normalize_embeddings=True,
                convert_to_numpy=True,
            )
            what = f"on --dev after epoch {epoch} the sum of a vector"
            for vector in vectors:
                guards.check_finite(float(vector.sum()), what, self.folder)
            return vectors

        others = None
        if self.pairs.kind == "vectors":
            wanted = numpy.array(self.pairs.vectors)
            others = (wanted / numpy.linalg.norm(wanted, axis=1, keepdims=True)).astype("float32")
        elif self.pairs.others:
            others = read(self.pairs.others)
        measures = pairs.measured(self.pairs, read(self.pairs.texts), others)
        if epoch:
            model.train()
        return measures


class _EpochMeter:
    """The mean loss of the steps of an epoch, which the Trainer logs."""

    def __init__(self, given: EncoderTraining, examples: int):
        batches = -(-examples // given.course.batch_size)
        self.steps = -(-batches // given.job.settings.get("gradient_accumulation_steps", 1))
        self.folder = given.job.folder
        self.begin({})

    def begin(self, sums: dict) -> None:
        """Begin an epoch, or go on within one that has come to these losses."""
        self.sums: dict[str, list[float]] = {"losses": list(sums.get("losses", ()))}

    def is_end(self, state: Any) -> bool:
        """Return whether a step was the last of its epoch."""
        return float(state.epoch).is_integer()

    def facts(self, state: Any, device: Any) -> dict:
        """Return the mean loss of the epoch."""
        losses = self.sums["losses"]
        return {"loss": sum(losses) / len(losses) if losses else None}

    def callback(self) -> Any:
        """Return what reads the log of the Trainer."""
        meter = self
        base: Any = need("transformers", "models").TrainerCallback

        class Watch(base):
            """Looks at the losses."""

            def on_log(self, args, state, control, logs=None, **more):
                if logs and "loss" in logs:
                    loss, what = float(logs["loss"]), f"in step {state.global_step} the loss"
                    guards.check_finite(loss, what, meter.folder)
                    meter.sums["losses"].append(loss)

        return Watch()


def _fitting(
    given: EncoderTraining, model: Any, loss: str, train: Pairs, judged: Any, bounds: list[float]
) -> courses.Fitting:
    """Return what the course of the training needs; OptionError for values of --set."""
    recipe, job, meter = given.course, given.job, _EpochMeter(given, len(train.texts))
    measure, is_tiny = pairs.BEST[train.kind], tiny.shape(job.model) is not None
    arguments = settings.trainer_arguments(
        job,
        meter.steps,
        recipe.warmup,
        recipe.epochs,
        recipe.device,
        {
            "per_device_train_batch_size": recipe.batch_size,
            "learning_rate": recipe.learning_rate or ENCODER_RATES[is_tiny],
            "logging_steps": 1,
            "batch_sampler": "group_by_label" if train.kind == "groups" else "batch_sampler",
        },
        recipe.offline,
        of_encoder=True,
    )

    def trainer(callback: Any) -> Any:
        return need("sentence_transformers", "train").SentenceTransformerTrainer(
            model,
            arguments,
            need("datasets", "train").Dataset.from_dict(train.columns(*bounds)),
            loss=pairs.loss(loss, model, train.kind, recipe.margin),
            callbacks=[meter.callback(), callback],
        )

    judge = courses.Judge(judged, lambda epoch: epoch[measure])
    keeping = courses.Keeping(
        f"An encoder, trained from {job.model}",
        "dt-score -m cosine",
        BY,
        {
            "command": job.command,
            "started from": job.model,
            "loss": loss,
            "seed": job.seed,
            **job.set(),
            **job.hashes(),
            **folder.versions("sentence-transformers", "torch"),
        },
        [functools.partial(model.save_pretrained, create_model_card=False)],
    )
    share = steps.share()
    return courses.Fitting(job, share, recipe.offline, "float32", trainer, meter, judge, keeping)
