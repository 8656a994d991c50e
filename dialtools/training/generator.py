"""The training of a generator: from its records to examples, a model, and a judge of its epochs."""

import functools
import math
import os
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from dialtools.inference import prompts, views
from dialtools.models import checkpoints, engine_torch, folders, multilingual, speakers, writers
from dialtools.models.decoding import Prompting
from dialtools.models.writers import Writer
from dialtools.plugins import options, registry
from dialtools.plugins.registry import Plugin
from dialtools.records import dialogue
from dialtools.system.errors import MissingError, OptionError, need
from dialtools.training import (
    additions,
    batch,
    course,
    data,
    examples,
    folder,
    guards,
    stepping,
    steps,
    tiny,
)
from dialtools.training.batch import Example, Examples
from dialtools.training.data import Data, located
from dialtools.training.examples import DevSet, Maker
from dialtools.training.folder import State
from dialtools.training.recipe import Job, Machine, Reading, Recipe
from dialtools.training.stepping import Plan
from dialtools.training.variation import Vary

BY = "dt-train generator"
_FILES = {"prompt": "prompt.jinja", "system_prompt": "system_prompt.jinja", "shots": "shots.jsonl"}


class GeneratorTraining(NamedTuple):
    """What a user asks for; see dt-train generator."""

    job: Job
    objective: tuple[str | Callable, ...]
    prompting: Prompting
    reading: Reading
    recipe: Recipe
    machine: Machine
    vary: Vary | None = None


def run(given: GeneratorTraining) -> Iterator[dict]:
    """Yield a record of the data, one for each epoch, and one of the best epoch."""
    job, share = given.job, steps.share()
    objectives = _checked(given, share)
    train, dev = (
        data.read(
            paths,
            ["dialogue|text"],
            given.reading.language,
            functools.partial(examples.targets, reading=given.reading),
        )
        for paths in (job.train, job.dev)
    )
    warnings = data.check_apart(
        train,
        dev,
        lambda record: (
            record.get("context"),
            dialogue.text(dialogue.turns(record)) or record.get("text"),
            str(record[given.reading.target]),
        ),
    )
    objectives = batch.of_language(objectives, train.records)
    state = folder.state_of(job.folder, _settings(given, objectives, share), job.go_on)
    if state.ended:
        yield from state.log_of_ended(share)
        return

    model, maker = _start(given, train, objectives)
    tokenizer = maker.writer.tokenizer
    guards.check_start(model, job.model)
    if not tiny.shape(job.model):
        data.check_script(tokenizer, _texts(train, given), job.model)
    drawn = given.vary.draw(train.records) if given.vary else None

    def read(epoch: int) -> Examples:
        records = [record for row in drawn(epoch) for record in row] if drawn else train.records
        return _examples(train._replace(records=records), maker)

    learned, held_out = read(0), _examples(dev, maker)
    steps.check_variants(learned.examples, objectives)
    counts, of_terms = additions.prepared(objectives, model, tokenizer)
    ids = tokenizer.convert_tokens_to_ids(_tokens(given))
    model = additions.adapter_of_generator(
        model, job.model, maker.kind, given.recipe, given.machine, ids
    )

    def learn(epoch: int) -> list[Example]:
        return (read(epoch) if drawn and epoch else learned).examples

    plan = _plan(given, maker, model, objectives, learn)
    judge = _judge(given, maker, dev, held_out, learned, share)
    warnings += [*of_terms, *learned.warnings("train"), *held_out.warnings("dev")]
    about = {
        "kind": maker.kind,
        **plan.facts(learned, held_out),
        "objectives": [objective.label for objective in objectives],
        **({"terms": counts} if counts else {}),
        **({"warnings": warnings} if warnings else {}),
    }
    training = stepping.training(plan, judge, _keeping(given, plan, state), state)
    yield from state.begin(about, share)
    yield from training.run()


def _judge(
    given: GeneratorTraining,
    maker: Maker,
    dev: Data,
    held_out: Examples,
    learned: Examples,
    share: steps.Share,
) -> course.Judge:
    """Return the judge of epochs. Raise an error if its metric cannot be computed."""
    metric, is_loss = given.recipe.best, given.recipe.best == examples.LOSS
    dev_set = DevSet(
        maker,
        dev.records[: given.reading.dev_outputs if is_loss else None],
        held_out.examples,
        examples.shuffled(held_out.examples, given.job.seed),
        given.prompting,
        metric,
        given.machine.offline,
        given.machine.batch_tokens,
        share,
    )
    if share.rank == 0:
        dev_set.check()
    direction, measure = examples.direction(metric), "dev_loss" if is_loss else metric
    return course.Judge(
        dev_set.judged,
        lambda epoch: direction * epoch[measure],
        guards.OF_GENERATOR.warnings,
        learned.facts,
    )


def _checked(given: GeneratorTraining, share: steps.Share) -> list[Plugin]:
    """Return the objectives; OptionError for what does not fit."""
    options.check(given.prompting, given.reading, given.recipe, given.machine)
    data.check_files(given.job.train, given.job.dev, share.number)
    if share.rank == 0:
        folder.check(given.job.folder, given.job.model, given.job.go_on, given.job.overwrite)
    if tiny.shape(given.job.model) and given.recipe.lora:
        raise OptionError("--lora adapts a trained model; tiny has random weights")
    examples.direction(given.recipe.best)
    objectives = [registry.load("objectives", spec) for spec in given.objective]
    for objective in objectives:
        weight = objective.defaults().get("weight", 0)
        if not 0 <= weight < math.inf:
            raise OptionError(f"{objective.label}: weight is a number from 0, not {weight}")
        if given.recipe.lora and "embeddings" in objective.declared.needs:
            raise OptionError(
                f"{objective.label} changes the input embeddings, which --lora does "
                "not train: leave one of them out"
            )
    return objectives


def _texts(data: Data, given: GeneratorTraining) -> Iterator[str]:
    """Yield what a model reads and what it learns."""
    ask = views.asker(given.prompting, given.job.seed)
    with located(data):
        for record in data.records:
            yield from (prompts.of(view) for view in ask(record))
            yield from examples.targets(record, given.reading)


def _start(given: GeneratorTraining, train: Data, objectives: list[Plugin]) -> tuple[Any, Maker]:
    """Return the model to start from, and what makes examples for it."""
    is_eager = "attentions" in batch.needs(objectives)
    machine, name, shape = given.machine, given.job.model, tiny.shape(given.job.model)
    kind: str
    if shape:
        kind, tokenizer = shape.kind, tiny.tokenizer(list(_texts(train, given)), shape)
        additions.add_tokens(tokenizer, _tokens(given))
        model = tiny.network(tokenizer, shape, given.job.seed)
        if is_eager:
            model.set_attn_implementation("eager")
    else:
        kind = writers.kind(name, machine.offline, machine.trust_remote_code)
        checkpoint = additions.checkpoint_of(name, machine)
        eager = {"attn_implementation": "eager"} if is_eager else {}
        tokenizer, model = checkpoints.network(
            checkpoints.CLASSES[kind], checkpoint, "cpu", "float32", **eager
        )
        engine_torch.pad(tokenizer, name)
        if kind == "causal" and tokenizer.eos_token_id is None:
            raise MissingError(
                f"the tokenizer of {name} has no token for the end, so that the model cannot learn "
                "where to stop: give it one (eos_token) and write it there with save_pretrained()"
            )
        # what is added here, tokens and an adapter, is random by the seed
        need("torch", "models").manual_seed(given.job.seed % 2**64)
        known = len(tokenizer)
        additions.add_tokens(tokenizer, _tokens(given))
        if len(tokenizer) > known:
            additions.embed(model, tokenizer, known)

    def unused(*inputs: Any) -> Any:
        raise OptionError("this writer only makes inputs")

    ask = views.asker(given.prompting, given.job.seed)
    named = "names" in batch.needs(objectives) or speakers.has(model)
    writer = Writer(tokenizer, model.config, model.generation_config, unused)
    if given.reading.tgt_lang and multilingual.many(tokenizer):
        token = multilingual.token(tokenizer, given.reading.tgt_lang)
        model.generation_config.forced_bos_token_id = token
    ask = views.naming(ask) if named else ask
    return model, Maker(ask, given.prompting.each, given.reading, kind, writer, named)


def _tokens(given: GeneratorTraining) -> list[str]:
    path = given.reading.add_tokens
    return additions.tokens_of(path) if path else []


def _examples(data: Data, maker: Maker) -> Examples:
    """Return the examples of records; an error says where its record stands."""
    with located(data):
        return examples.examples_of(data.records, maker)


def _plan(
    given: GeneratorTraining,
    maker: Maker,
    model: Any,
    objectives: list[Plugin],
    learn: Callable[[int], list[Example]],
) -> Plan:
    smoothing = given.job.settings.get("label_smoothing_factor", 0.0)

    def rows(model: Any, part: list[Example]) -> batch.Batch:
        return batch.batch(maker.kind, part, maker.writer.tokenizer).to(model.device)

    return Plan(
        given.job,
        model,
        maker.writer.tokenizer,
        lambda run, model, part: batch.losses_of(
            run, model, rows(model, part), objectives, smoothing
        ),
        lambda model, step: batch.step_of(model, rows(model, step), objectives),
        steps.Steps(
            learn, given.recipe.batch_size, "variants" in batch.needs(objectives), given.job.seed
        ),
        given.recipe,
        given.machine,
    )


def _settings(given: GeneratorTraining, objectives: list[Plugin], share: steps.Share) -> dict:
    """Return what must be the same when a training is resumed."""
    prompting = views.parts(given.prompting, given.job.seed)
    return {
        "model": given.job.model,
        "objectives": [objective.label for objective in objectives],
        **({"vary": list(given.vary.described)} if given.vary else {}),
        **given.job.hashes(),
        "prompting": {name: value for name, value in prompting.items() if value},
        **given.reading._asdict(),
        "add_tokens": _tokens(given),
        **given.recipe._asdict(),
        **given.job.set(),
        "seed": given.job.seed,
        **given.machine.settings(),
        "processes": share.number,
    }


def _keeping(given: GeneratorTraining, plan: Plan, state: State) -> course.Keeping:
    """Return what the folder keeps of the training."""
    asked = given.prompting._asdict()
    files = {
        name: prompts.content(asked[option]).encode()
        for option, name in _FILES.items()
        if asked[option]
    }
    prompting = options.changed(given.prompting) | {
        option: name for option, name in _FILES.items() if name in files
    }
    reading = given.reading
    files[folders.HABITS] = folders.dumps(
        folders.Habits(
            reading.max_input, reading.truncate, reading.src_lang, reading.tgt_lang, prompting
        )._asdict()
    )
    return course.Keeping(
        f"Generator {os.path.basename(os.path.abspath(given.job.folder))}",
        "dt-generate --model",
        BY,
        plan.card({}, state),
        [plan.model.save_pretrained, plan.tokenizer.save_pretrained],
        lambda epoch: files,
    )
