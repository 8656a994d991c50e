"""The training of a scorer: from its records to examples, a model, and a judge of its epochs."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from dialtools.inference import readings
from dialtools.models import checkpoints, classifiers, folders, minibatches, scorers
from dialtools.models.scorers import Manner, Text
from dialtools.plugins import options
from dialtools.records import dialogue, values
from dialtools.system.errors import OptionError, RecordError, need
from dialtools.training import (
    additions,
    course,
    data,
    examples,
    folder,
    guards,
    stepping,
    steps,
    targets,
    tiny,
)
from dialtools.training.batch import Example, Examples, Losses, Step
from dialtools.training.data import Data, located
from dialtools.training.folder import State
from dialtools.training.recipe import Grading, Job, Machine, Recipe
from dialtools.training.stepping import Plan
from dialtools.training.steps import Share
from dialtools.training.targets import Targets

BY = "dt-train scorer"
OFTEN = 2  # records in which a speaker must speak for a token of their own


class ScorerTraining(NamedTuple):
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
    warnings: Sequence[str] = ()  # about texts in both


def run(given: ScorerTraining) -> Iterator[dict]:
    """Yield a record of the data, one for each epoch, and one of the best epoch."""
    grading = given.grading
    train, dev = (read(files, grading) for files in (given.job.train, given.job.dev))
    plain = manner_of(grading, train)
    for part in (train, dev):
        _texts(part, plain)  # which checks them
    warnings = data.check_apart(
        train,
        dev,
        lambda record: (
            *readings.texts(record, plain),
            str(targets.value(record, grading.target, grading.task)),
        ),
    )
    yield from trained(given, Parts(train, dev, learned(train, grading), warnings=warnings))


def check(given: ScorerTraining) -> None:
    """Raise OptionError for options that do not go together."""
    options.check(given.grading, given.recipe, given.machine)
    grading = given.grading
    if grading.pair and grading.of:
        raise OptionError("--of names one text, --pair two: give only one of them")
    if grading.pair and len(_pair(grading)) != 2:
        raise OptionError(
            f"--pair has two paths, such as prediction,reference, not {grading.pair!r}"
        )
    if grading.head == "cosine" and not grading.pair:
        raise OptionError("--head cosine compares two texts: --pair PATH,PATH")
    if tiny.shape(given.job.model) and given.recipe.lora:
        raise OptionError("--lora adapts a trained model; tiny has random weights")
    if grading.speaker_tokens and given.recipe.lora:
        raise OptionError(
            "--speaker-tokens adds embeddings, which --lora does not train: leave one of them out"
        )
    data.check_files(given.job.train, given.job.dev, steps.share().number)


def _pair(grading: Grading) -> list[str]:
    return [path for path in grading.pair.split(",") if path]


def read(files: Sequence[str], grading: Grading) -> Data:
    """Return the records of files. Raise RecordError for one without a target."""
    return data.read(
        files,
        (),
        grading.language,
        lambda record: targets.value(record, grading.target, grading.task),
    )


def learned(train: Data, grading: Grading) -> Targets:
    """Return what the targets of records are, which checks them."""
    if not train.records:
        raise OptionError("--train: no records")
    kinds = targets.learned(
        [targets.value(record, grading.target, grading.task) for record in train.records],
        grading.target,
        grading.task,
    )
    if grading.head == "cosine" and kinds.task != "number":
        raise OptionError("--head cosine is for numbers, and the target is a label")
    return kinds


def manner_of(grading: Grading, train: Data) -> Manner:
    """Return how a scorer reads records, but for its tokens of speakers."""
    pair = _pair(grading)
    reads_turns = (
        "dialogue" in (*pair, grading.of)
        or not (pair or grading.of)
        and any(map(dialogue.turns, train.records))
    )
    return Manner(
        "number",
        of=grading.of,
        pair=pair,
        profile=grading.profile,
        max_input=grading.max_input,
        truncate=grading.truncate or ("left" if reads_turns else "right"),
        head=grading.head,
    )


def trained(given: ScorerTraining, parts: Parts) -> Iterator[dict]:
    """Train one scorer in the given folder; yield the records of its log."""
    job, share, kinds = given.job, steps.share(), parts.targets
    targets.check_measure(given.recipe.best, kinds)
    recorded = {
        "what": "scorer",
        "model": job.model,
        **job.hashes(),
        **given.recipe._asdict(),
        **given.grading._asdict(),
        **job.set(),
        "seed": job.seed,
        **given.machine.settings(),
        "processes": share.number,
    }
    state = folder.state_of(job.folder, recorded, job.go_on)
    if state.ended:
        yield from state.log_of_ended(share)
        return

    manner, tokenizer = _reader(given, parts.train, kinds)
    network = additions.scorer(job, tokenizer, manner.head, kinds, given.machine)
    if manner.speakers is not None:
        known = len(tokenizer)
        tokens = [scorers.token(speaker) for speaker in (None, *manner.speakers)]
        tokenizer.add_tokens(tokens, special_tokens=True)  # no text holds them by itself
        additions.embed(network, tokenizer, known)
    guards.check_start(network, job.model)

    limit = checkpoints.positions(tokenizer, network.config, "encoder")
    learning, held_out = (
        _examples(part, tokenizer, manner, kinds, limit) for part in (parts.train, parts.dev)
    )
    network = additions.adapter_of_scorer(
        network, job.model, manner.head, given.recipe, given.machine
    )
    plan = _plan(given, learning, tokenizer, network, kinds)
    about = _about(plan, parts, manner, learning, held_out)
    dev_set = ScorerDevSet(
        held_out.examples,
        kinds,
        tokenizer,
        given.machine.batch_tokens,
        job.seed,
        not parts.held_out,
        share,
    )
    judge = course.Judge(
        dev_set.judged,
        lambda epoch: epoch["epoch"] if parts.held_out else targets.worth(epoch, given.recipe.best),
        guards.OF_SCORER.warnings,
        learning.facts,
    )
    training = stepping.training(plan, judge, _keeping(given, plan, manner, state), state)
    yield from state.begin(about, share)
    yield from training.run()
    classifiers.loaded.cache_clear()  # that of an earlier model in this folder


def _reader(given: ScorerTraining, train: Data, kinds: Targets) -> tuple[Manner, Any]:
    """Return how the scorer reads records, and its tokenizer: the model's, or one of the data."""
    manner = manner_of(given.grading, train)
    manner = manner._replace(task=kinds.task, labels=kinds.labels, range=kinds.range)
    if given.grading.speaker_tokens:
        with located(train):
            counts = Counter(
                speaker
                for record in train.records
                for speaker in dialogue.speakers(readings.turns(record))
            )
        if not counts:
            raise OptionError("--speaker-tokens: no record of --train has a dialogue")
        often = sorted(speaker for speaker, number in counts.items() if number >= OFTEN)
        manner = manner._replace(speakers=often)
    texts = [part for text in _texts(train, manner) for part in text]
    shape = tiny.shape(given.job.model)
    if shape:
        tokenizer = tiny.tokenizer(texts, shape)
        tiny.frame(tokenizer, shape)
    else:
        tokenizer = additions.tokenizer_of(given.job.model, given.machine)
        data.check_script(tokenizer, texts, given.job.model)
    return manner, tokenizer


def _texts(part: Data, manner: Manner) -> list[Text]:
    """Return what the model reads of each record. Raise RecordError where there is nothing."""
    texts = []
    with located(part):
        for record in part.records:
            text = readings.one(record, manner)
            if not all(string.strip() for string in text):
                raise RecordError("a text is empty: there is nothing to read", record)
            texts.append(text)
    return texts


def _examples(part: Data, tokenizer: Any, manner: Manner, kinds: Targets, limit: int) -> Examples:
    """Return the examples of records."""
    made, cut = [], 0
    with located(part):
        for record, text in zip(part.records, _texts(part, manner), strict=True):
            try:
                wanted = targets.numbered(targets.value(record, kinds.path, kinds.task), kinds)
                rows, is_cut = scorers.rows(tokenizer, text, manner, limit)
            except RecordError as error:
                raise RecordError(error.reason, record) from None
            ids = tuple(token for row in rows for token in row["input_ids"])
            cut += is_cut
            made.append(Example(ids, wanted, (record.get("cluster"), record["id"]), rows=rows))
    unknown = sum(example.input.count(tokenizer.unk_token_id) for example in made)
    return Examples(made, cut, None, unknown / sum(len(example.input) for example in made))


def _plan(
    given: ScorerTraining, learning: Examples, tokenizer: Any, network: Any, kinds: Targets
) -> Plan:
    torch = need("torch", "models")
    weights = (
        targets.weights([example.target for example in learning.examples], kinds)
        if given.grading.class_weights
        else None
    )
    loss = targets.loss(kinds, weights, given.job.settings.get("label_smoothing_factor", 0.0))

    def losses(run: Any, model: Any, part: Sequence[Example]) -> Losses:
        batch = scorers.padded(tokenizer, [example.rows for example in part]).to(model.device)
        wanted = torch.tensor([example.target for example in part], device=model.device)
        outputs = run(**batch).logits
        number = wanted.numel()  # the loss of a record is a mean over its targets
        total = loss(outputs, wanted).sum() * number / len(part)
        return Losses(total, number, {}, batch["input_ids"].numel() + number)

    return Plan(
        given.job,
        network,
        tokenizer,
        losses,
        lambda model, step: Step(sum(len(example.target) for example in step), {}, {}),
        steps.Steps(
            lambda epoch: learning.examples, given.recipe.batch_size, False, given.job.seed
        ),
        given.recipe,
        given.machine,
    )


class ScorerDevSet(NamedTuple):
    """Records by which a scorer is judged, and how."""

    examples: list[Example]
    targets: Targets
    tokenizer: Any
    tokens: int  # at once
    seed: int
    fitted: bool  # fit temperature and threshold
    share: Share

    def judged(self, model: Any, context: Callable, epoch: int) -> dict:
        """Return the losses of a model, their gap, measures, and what it is set to.

        context: within which it reads, such as one of a precision.
        """
        torch = need("torch", "models")
        outputs = torch.tensor(self._outputs(model, context))
        wanted = torch.tensor([example.target for example in self.examples])
        loss = targets.loss(self.targets)
        right, wrong = float(loss(outputs, wanted).mean()), None
        places = {example.input: place for place, example in enumerate(self.examples)}
        others = [places[example.input] for example in examples.shuffled(self.examples, self.seed)]
        if others:
            wrong = float(loss(outputs[others], wanted).mean())
        predictions = targets.predicted(outputs, self.targets)
        kinds, unit = self.targets, getattr(model, "unit", None)
        fitted: dict[str, Any] = {}  # which goes into the folder
        if unit is not None:
            fitted["unit"] = [float(unit.weight), float(unit.bias)]
        elif kinds.task != "number" and self.fitted:
            fitted["temperature"] = heat = targets.temperature(outputs, wanted, kinds)
            if kinds.task == "labels" or len(kinds.labels) == 2:
                fitted["threshold"] = targets.threshold(outputs / heat, wanted, kinds)
        return {
            "dev_loss": right,
            "dev_loss_shuffled": wrong,
            "gap": None if wrong is None else wrong - right,
            "outputs": len(outputs),
            "distinct": len({tuple(row) for row in predictions.tolist()}) / len(predictions),
            **targets.measured(kinds, predictions, wanted),
            **fitted,
        }

    def _outputs(self, model: Any, context: Callable) -> list[list[float]]:
        """Return the outputs of a model for all examples."""
        was_training = model.training
        model.eval()

        def work(rows: list[Any]) -> list[list[float]]:
            batch = scorers.padded(self.tokenizer, rows).to(model.device)
            with checkpoints.inference(), context():
                return model(**batch).logits.float().tolist()

        try:
            outputs = minibatches.each(
                [example.rows for example in self.share.of(self.examples)],
                lambda rows: sum(len(row["input_ids"]) for row in rows),
                work,
                minibatches.size(model.config, 64),
                self.tokens,
            )
        finally:
            model.train(was_training)
        return self.share.gathered(outputs)


def _about(plan: Plan, parts: Parts, manner: Manner, train: Examples, dev: Examples) -> dict:
    """Return the record of the data."""
    kinds = parts.targets
    about: dict[str, Any] = {"kind": kinds.task}
    if manner.labels:
        about["labels"] = dict(zip(manner.labels, _counts(train, kinds), strict=True))
    else:
        about["target_range"] = manner.range
    if manner.speakers is not None:
        about["speakers"] = len(manner.speakers)
    about |= plan.facts(train, dev)

    warnings = [
        *parts.warnings,
        *train.warnings("train"),
        *dev.warnings("dev"),
    ]
    is_chosen = kinds.task == "label" and not parts.held_out
    if is_chosen and sum(number > 0 for number in _counts(dev, kinds)) == 1:
        warnings.append(
            "--dev has one label alone: neither an epoch nor a threshold can be chosen by it"
        )
    if kinds.task == "number" and any(
        isinstance(values.at(record, kinds.path)[0], str) for record in parts.train.records
    ):
        warnings.append(
            f'"{kinds.path}" holds texts that are numbers, and is learned as a number: --task '
            "label learns classes"
        )
    if manner.speakers is not None and len(manner.speakers) == len(
        {turn["speaker"] for record in parts.train.records for turn in dialogue.turns(record)}
    ):
        warnings.append(
            "--speaker-tokens: each participant has a token, so that the token of all "
            "others is not trained: new participants are read as the average word"
        )
    return {**about, "warnings": warnings} if warnings else about


def _counts(part: Examples, kinds: Targets) -> list[int]:
    """Return how many examples have each label."""
    rows = [example.target for example in part.examples]
    if kinds.task == "labels":
        return [round(sum(column)) for column in zip(*rows, strict=True)]
    counts = Counter(int(row[0]) for row in rows)
    return [counts[number] for number in range(len(kinds.labels))]


def _keeping(given: ScorerTraining, plan: Plan, manner: Manner, state: State) -> course.Keeping:
    """Return what the folder keeps of the training."""
    model = given.job.model
    before = scorers.of(model) if os.path.isdir(model) else None
    head = (
        {"intermediate task": f"{model}, a scorer of a {before.task}; its head was made anew"}
        if before
        else {}
    )

    def files(epoch: dict) -> dict[str, bytes]:
        fitted = {
            name: epoch[name] for name in ("unit", "temperature", "threshold") if name in epoch
        }
        return {folders.HABITS: scorers.dumps(manner._replace(**fitted))}

    writers = [plan.model.save_pretrained, plan.tokenizer.save_pretrained]
    if given.recipe.lora and manner.head == "linear":
        writers.append(plan.model.config.save_pretrained)
    return course.Keeping(
        f"Scorer {os.path.basename(os.path.abspath(given.job.folder))}",
        "dt-score -m regressor:model=" if manner.task == "number" else "dt-generate -g classifier",
        BY,
        plan.card(head, state),
        writers,
        files,
    )
