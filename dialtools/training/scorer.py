"""The training of a scorer: from its records to examples, a model, and a judge of its epochs."""

import functools
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, Literal, NamedTuple

from dialtools.inference import readings
from dialtools.models import checkpoints, classifiers, devices, habits, scorers
from dialtools.models.scorers import Head, Manner, Task, Text
from dialtools.plugins import options
from dialtools.plugins.options import Option
from dialtools.records import dialogue, values
from dialtools.system import files
from dialtools.system.errors import OptionError, RecordError, need
from dialtools.training import (
    course,
    data,
    folder,
    guards,
    heads,
    processes,
    steps,
    targets,
    tiny,
    verdicts,
)
from dialtools.training.batch import Example
from dialtools.training.data import Data, located
from dialtools.training.job import Job, check_files
from dialtools.training.losses import Losses, Step
from dialtools.training.recipe import Machine, Recipe, rate
from dialtools.training.targets import Targets
from dialtools.training.trainer import Plan

BY = "dt-train scorer"
OFTEN = 2  # records in which a speaker must speak for a token of their own


class Grading(NamedTuple):
    """What a scorer reads of a record, and what it learns."""

    target: Annotated[
        str,
        Option(
            "Path of what is to be learned (label): a text or true and false is a label, a list "
            "several labels at once, a number, or texts that all are numbers, regression.",
            None,
            "PATH",
        ),
    ] = "label"
    task: Annotated[Task | None, Option("What the target is, where that is not meant.")] = None
    of: Annotated[
        str,
        Option(
            "Path of the text (what dt-generate reads: context and dialogue or text).", None, "PATH"
        ),
    ] = ""
    pair: Annotated[
        str,
        Option(
            "Paths of two texts, such as prediction,reference or dialogue,text.", None, "PATH,PATH"
        ),
    ] = ""
    profile: Annotated[str, Option("Path of a text that comes first.", None, "PATH")] = ""
    speaker_tokens: Annotated[
        bool,
        Option(
            "A token for each participant who speaks in two records of --train or more, and one for "
            "all others, instead of their names."
        ),
    ] = False
    head: Annotated[
        Head,
        Option(
            "linear; or cosine: the cosine of the vectors of the two texts' last tokens, through one "
            "linear unit (linear)."
        ),
    ] = "linear"
    class_weights: Annotated[bool, Option("Weigh labels by the inverse of their frequency.")] = (
        False
    )
    max_input: Annotated[
        int,
        Option(
            "Most tokens of input (512, or the model's limit); longer input is cut.",
            scorers.SHORTEST,
            "N",
        ),
    ] = 512
    truncate: Annotated[
        Literal["left", "right"] | None,
        Option("Side on which longer input is cut (left of a dialogue, right of other texts)."),
    ] = None
    language: Annotated[
        str | None,
        Option("Language of records without one, such as en, zh, ja.", None, "TAG", ("--lang",)),
    ] = None


class Given(NamedTuple):
    """What a user asks for; see dt-train scorer."""

    job: Job
    grading: Grading
    recipe: Recipe
    machine: Machine


class Parts(NamedTuple):
    """Records to learn from and records to judge by, and what the targets of all are."""

    train: Data
    dev: Data
    targets: Targets
    held_out: bool = False  # the dev records only measure: they choose and fit nothing
    shared: Sequence[str] = ()  # a warning about texts in both


class Made(NamedTuple):
    """Examples, and what happened to their texts."""

    examples: list[Example]
    cut: int
    unknown: float  # share of the tokens


def run(given: Given) -> Iterator[dict]:
    """Yield a record of the data, one for each epoch, and one of the best epoch."""
    train, dev = (read(paths, given.grading) for paths in (given.job.train, given.job.dev))
    plain = manner_of(given.grading, train)
    for found in (train, dev):
        _texts(found, plain)  # which checks them
    target = given.grading.target
    shared = guards.check_apart(
        train.records,
        dev.records,
        {part for part, found in (("train", train), ("dev", dev)) if found.numbered},
        lambda record: (
            *readings.texts(record, plain),
            str(targets.value(record, target, given.grading.task)),
        ),
    )
    yield from trained(given, Parts(train, dev, learned(train, given.grading), shared=shared))


def check(given: Given) -> None:
    """Raise OptionError for options that do not go together."""
    options.check(given.grading, given.recipe, given.machine)
    grading, shape = given.grading, tiny.shape(given.job.model)
    if grading.pair and grading.of:
        raise OptionError("--of names one text, --pair two: give only one of them")
    if grading.pair and len([path for path in grading.pair.split(",") if path]) != 2:
        raise OptionError(
            f"--pair has two paths, such as prediction,reference, not {grading.pair!r}"
        )
    if grading.head == "cosine" and not grading.pair:
        raise OptionError("--head cosine compares two texts: --pair PATH,PATH")
    if shape and given.recipe.lora:
        raise OptionError("--lora adapts a trained model; tiny has random weights")
    if grading.speaker_tokens and given.recipe.lora:
        raise OptionError(
            "--speaker-tokens adds embeddings, which --lora does not train: leave one of them out"
        )
    check_files(given.job.train, given.job.dev, processes.share().number)


def read(paths: Sequence[str], grading: Grading) -> Data:
    """Return the records of files. Raise RecordError for one without a target."""
    return data.read(
        paths,
        (),
        grading.language,
        lambda record: targets.value(record, grading.target, grading.task),
    )


def learned(train: Data, grading: Grading) -> Targets:
    """Return what the targets of records are, which checks them."""
    if not train.records:
        raise OptionError("--train: no records")
    found = targets.learned(
        [targets.value(record, grading.target, grading.task) for record in train.records],
        grading.target,
        grading.task,
    )
    if grading.head == "cosine" and found.task != "number":
        raise OptionError("--head cosine is for numbers, and the target is a label")
    return found


def manner_of(grading: Grading, train: Data) -> Manner:
    """Return how a scorer reads records, but for its tokens of speakers."""
    pair = [path for path in grading.pair.split(",") if path]
    reads_turns = (
        "dialogue" in (*pair, grading.of)
        or not (pair or grading.of)
        and any(map(dialogue.turns, train.records))
    )
    return Manner(
        "number",
        [],
        [0.0, 1.0],
        grading.of,
        pair,
        grading.profile,
        None,
        grading.max_input,
        grading.truncate or ("left" if reads_turns else "right"),
        grading.head,
    )


def trained(given: Given, parts: Parts) -> Iterator[dict]:
    """Train one scorer in the given folder; yield the records of its log."""
    share, kinds = processes.share(), parts.targets
    verdicts.check(given.recipe.best, kinds)
    state = folder.state_of(given.job.folder, _settings(given, share), given.job.go_on)
    if state["ended"]:
        yield from folder.log_of_ended(given.job.folder, state, share)
        return
    manner = manner_of(given.grading, parts.train)._replace(
        task=kinds.task, labels=kinds.labels, range=kinds.range
    )
    if given.grading.speaker_tokens:
        manner = manner._replace(speakers=_speakers(parts.train))
    tokenizer, network = _model(given, manner, parts)
    guards.check_start(network, given.job.model)
    limit = checkpoints.positions(tokenizer, network.config, "encoder")
    made = [_made(found, tokenizer, manner, kinds, limit) for found in (parts.train, parts.dev)]
    network = heads.adapted(
        network, given.job.model, given.grading.head, given.recipe, given.machine
    )
    plan = _plan(given, made[0], tokenizer, network, kinds)
    if share.rank == 0:
        folder.begin(given.job.folder, state, _about(plan, parts, manner, *made))
        yield from folder.log(given.job.folder, state)
    yield from course.run(
        plan,
        _judge(given, plan, parts, made[1]),
        _keeping(given, plan, manner, state),
        state,
        lambda: {"cut_inputs": made[0].cut, "unknown": made[0].unknown},
    )
    classifiers.loaded.cache_clear()  # that of an earlier model in this folder


def _model(given: Given, manner: Manner, parts: Parts) -> tuple[Any, Any]:
    """Return a tokenizer and a model with a new head, which know the tokens of speakers."""
    shape = tiny.shape(given.job.model)
    tokenizer = _tokenizer(given, shape, manner, parts.train)
    network = heads.made(
        given.job.model, shape, tokenizer, manner.head, parts.targets, given.machine, given.job.seed
    )
    if manner.speakers is not None:
        heads.with_tokens(
            network, tokenizer, [scorers.token(speaker) for speaker in (None, *manner.speakers)]
        )
    return tokenizer, network


def _tokenizer(given: Given, shape: tiny.Shape | None, manner: Manner, train: Data) -> Any:
    """Return the tokenizer of the model, or one of the training data."""
    if not shape:
        found = heads.tokenizer_of(given.job.model, given.machine)
        guards.check_script(
            found, (part for text in _texts(train, manner) for part in text), given.job.model
        )
        return found
    found = tiny.tokenizer([part for text in _texts(train, manner) for part in text], shape)
    tiny.frame(found, shape)
    return found


def _texts(found: Data, manner: Manner) -> list[Text]:
    """Return what the model reads of each record. Raise RecordError where there is nothing."""
    made = []
    with located(found):
        for record in found.records:
            text = readings.one(record, manner)
            if not all(part.strip() for part in text):
                raise RecordError("a text is empty: there is nothing to read", record)
            made.append(text)
    return made


def _speakers(train: Data) -> list[str]:
    """Return who speaks in records enough for a token of their own."""
    with located(train):
        said = Counter(
            speaker
            for record in train.records
            for speaker in dialogue.speakers(readings.turns(record))
        )
    if not said:
        raise OptionError("--speaker-tokens: no record of --train has a dialogue")
    return sorted(speaker for speaker, number in said.items() if number >= OFTEN)


def _made(found: Data, tokenizer: Any, manner: Manner, kinds: Targets, limit: int) -> Made:
    """Return the examples of records."""
    examples, cut = [], 0
    with located(found):
        for record, text in zip(found.records, _texts(found, manner), strict=True):
            try:
                wanted = targets.numbered(targets.value(record, kinds.path, kinds.task), kinds)
                rows, is_cut = scorers.rows(tokenizer, text, manner, limit)
            except RecordError as error:
                raise RecordError(error.reason, record) from None
            ids = tuple(token for row in rows for token in row["input_ids"])
            cut += is_cut
            examples.append(Example(ids, wanted, (record.get("cluster"), record["id"]), rows=rows))
    unknown = sum(example.input.count(tokenizer.unk_token_id) for example in examples)
    return Made(examples, cut, unknown / sum(len(example.input) for example in examples))


def _plan(given: Given, made: Made, tokenizer: Any, network: Any, kinds: Targets) -> Plan:
    """Return all that the training needs."""
    is_tiny = tiny.shape(given.job.model) is not None
    weights = (
        targets.weights([example.target for example in made.examples], kinds)
        if given.grading.class_weights
        else None
    )
    return Plan(
        kinds.task,
        network,
        tokenizer,
        functools.partial(_losses, tokenizer, targets.loss(kinds, weights)),
        lambda model, step: Step(sum(len(example.target) for example in step), {}, {}),
        steps.Steps(lambda epoch: made.examples, given.recipe.batch_size, False, given.job.seed),
        given.recipe,
        given.machine,
        rate(given.recipe, is_tiny),
        devices.precision_of(given.machine.precision, given.machine.device),
        given.job.seed,
        given.job.folder,
        processes.share(),
    )


def _losses(
    tokenizer: Any, loss: Callable[[Any, Any], Any], run: Any, model: Any, part: Sequence[Example]
) -> Losses:
    """Return the losses of a part of a step."""
    torch = need("torch", "models")
    batch = scorers.padded(tokenizer, [example.rows for example in part]).to(model.device)
    wanted = torch.tensor([example.target for example in part], device=model.device)
    outputs = run(**batch).logits
    number = wanted.numel()  # the loss of a record is a mean over its targets
    return Losses(
        loss(outputs, wanted).sum() * number / len(part),
        number,
        {},
        batch["input_ids"].numel() + number,
    )


def _judge(given: Given, plan: Plan, parts: Parts, made: Made) -> course.Judge:
    """Return the judge of epochs; records held out choose none: the last is the best."""
    panel = verdicts.Panel(
        made.examples,
        parts.targets,
        plan.tokenizer,
        targets.loss(parts.targets, None),
        given.machine.batch_tokens,
        given.job.seed,
        not parts.held_out,
    )

    def worth(epoch: dict) -> float:
        return epoch["epoch"] if parts.held_out else verdicts.worth(epoch, given.recipe.best)

    return course.Judge(
        functools.partial(verdicts.judged, panel, share=plan.share),
        worth,
        guards.warnings_of_scorer,
    )


def _about(plan: Plan, parts: Parts, manner: Manner, train: Made, dev: Made) -> dict:
    """Return the record of the data."""
    weights = sum(weight.numel() for weight in plan.model.parameters())
    trained = sum(weight.numel() for weight in plan.model.parameters() if weight.requires_grad)
    found: dict[str, Any] = {"kind": plan.kind}
    if manner.labels:
        counts = _counts(train, parts.targets)
        found["labels"] = dict(zip(manner.labels, counts, strict=True))
    else:
        found["target_range"] = manner.range
    if manner.speakers is not None:
        found["speakers"] = len(manner.speakers)
    found |= {
        "examples": len(train.examples),
        "dev": len(dev.examples),
        "steps": len(plan.steps),
        "weights": weights,
        "trained": trained,
        "cut_inputs": train.cut,
        "unknown": train.unknown,
        "learning_rate": plan.rate,
        "precision": plan.precision,
        "processes": plan.share.number,
        "recipe": plan.recipe._asdict(),
    }
    said = _warnings(parts, manner, train, dev)
    return {**found, "warnings": said} if said else found


def _warnings(parts: Parts, manner: Manner, train: Made, dev: Made) -> list[str]:
    """Return what is to be said about the data."""
    said = [
        *parts.shared,
        *(
            f"--{part}: {made.cut} of {len(made.examples)} inputs are longer than --max-input and are "
            "cut"
            for part, made in (("train", train), ("dev", dev))
            if made.cut
        ),
    ]
    if (
        parts.targets.task == "label"
        and not parts.held_out
        and sum(number > 0 for number in _counts(dev, parts.targets)) == 1
    ):
        said.append(
            "--dev has one label alone: neither an epoch nor a threshold can be chosen by it"
        )
    path = parts.targets.path
    if parts.targets.task == "number" and any(
        isinstance(values.at(record, path)[0], str) for record in parts.train.records
    ):
        said.append(
            f'"{path}" holds texts that are numbers, and is learned as a number: --task label '
            "learns classes"
        )
    if manner.speakers is not None and len(manner.speakers) == len(_all_speakers(parts.train)):
        said.append(
            "--speaker-tokens: each participant has a token, so that the token of all "
            "others is not trained: new participants are read as the average word"
        )
    return said


def _counts(made: Made, kinds: Targets) -> list[int]:
    """Return how many examples have each label."""
    if kinds.task == "labels":
        return [
            round(sum(column))
            for column in zip(*(example.target for example in made.examples), strict=True)
        ]
    counts = Counter(int(example.target[0]) for example in made.examples)
    return [counts[at] for at in range(len(kinds.labels))]


def _all_speakers(train: Data) -> set[str]:
    return {turn["speaker"] for record in train.records for turn in dialogue.turns(record)}


def _settings(given: Given, share: processes.Share) -> dict:
    """Return what must be the same when a training is resumed."""
    job, machine = given.job, given.machine
    return {
        "what": "scorer",
        "model": job.model,
        **files.hashes("train", job.train),
        **files.hashes("dev", job.dev),
        **given.recipe._asdict(),
        **given.grading._asdict(),
        "seed": job.seed,
        **{
            name: getattr(machine, name)
            for name in ("batch_tokens", "precision", "gradient_checkpointing", "device")
        },
        "processes": share.number,
    }


def _keeping(given: Given, plan: Plan, manner: Manner, state: dict) -> course.Keeping:
    """Return what the folder keeps beside the model."""
    job = given.job
    before = scorers.of(job.model) if os.path.isdir(job.model) else None
    head = (
        {"intermediate task": f"{job.model}, a scorer of a {before.task}; its head was made anew"}
        if before
        else {}
    )
    about = {
        "command": job.command or "none: called from Python",
        **head,
        **state["settings"],
        "learning_rate": plan.rate,
        "precision": plan.precision,
        **folder.versions(),
    }
    use = "dt-score -m regressor:model=" if manner.task == "number" else "dt-generate -g classifier"

    def kept(epoch: dict) -> dict[str, bytes]:
        fitted = {
            name: epoch[name] for name in ("unit", "temperature", "threshold") if name in epoch
        }
        return {habits.FILE: scorers.dumps(manner._replace(**fitted))}

    config = [plan.model.config] if given.recipe.lora and manner.head == "linear" else []
    return course.Keeping(
        f"Scorer {os.path.basename(os.path.abspath(job.folder))}",
        about,
        kept,
        use,
        BY,
        tuple(config),
    )
