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
from dialtools.system.errors import OptionError
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
    if state["ended"]:
        yield from folder.log_of_ended(job.folder, state, share)
        return

    kind, tokenizer, model = _model(given, train, objectives)
    guards.check_start(model, job.model)
    if not tiny.shape(job.model):
        data.check_script(tokenizer, _texts(train, given), job.model)
    maker = _maker(given, kind, tokenizer, model, objectives)
    learn = _learning(train, maker, given.vary)
    learned, held_out = learn(0), _examples(dev, maker)
    _check_variants(learned, objectives)
    counts = additions.prepared(objectives, model, tokenizer)
    whole = [speakers.PART] if speakers.has(model) else []
    task = {"seq2seq": "SEQ_2_SEQ_LM", "causal": "CAUSAL_LM"}[kind]
    model = additions.adapter(model, job.model, task, given.recipe, given.machine, whole)

    plan = _plan(given, maker, model, objectives, lambda epoch: learn(epoch).examples)
    judge = _judge(given, maker, dev, held_out, learned, share)
    warnings += _warnings(learned, held_out, counts)
    about = {
        "kind": kind,
        **plan.facts(learned, held_out),
        "objectives": [objective.label for objective in objectives],
        **({"terms": counts} if counts else {}),
        **({"warnings": warnings} if warnings else {}),
    }
    fitting = stepping.fitting(plan, judge, _keeping(given, plan, state))
    yield from folder.begun(job.folder, state, about, share)
    yield from course.run(fitting, state)


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
    )
    if share.rank == 0:
        dev_set.check()
    direction, measure = examples.direction(metric), "dev_loss" if is_loss else metric
    return course.Judge(
        functools.partial(dev_set.judged, share),
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
    if given.reading.add_tokens and given.recipe.lora:
        raise OptionError(
            "--lora does not train the embeddings of --add-tokens: leave one of them out"
        )
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


def _model(given: GeneratorTraining, train: Data, objectives: list[Plugin]) -> tuple[str, Any, Any]:
    """Return the kind of a model, its tokenizer and the model to start from."""
    is_eager = "attentions" in batch.needs(objectives)
    machine, tokens = given.machine, _tokens(given)
    shape = tiny.shape(given.job.model)
    if shape:
        tokenizer = tiny.tokenizer(list(_texts(train, given)), shape)
        additions.add_tokens(tokenizer, tokens)
        model = tiny.network(tokenizer, shape, given.job.seed)
        if is_eager:
            model.set_attn_implementation("eager")
        return shape.kind, tokenizer, model

    name = given.job.model
    kind = writers.kind(name, machine.offline, machine.trust_remote_code)
    eager = {"attn_implementation": "eager"} if is_eager else {}
    tokenizer, model = checkpoints.network(
        checkpoints.CLASSES[kind], additions.checkpoint_of(name, machine), "cpu", "float32", **eager
    )
    engine_torch.pad(tokenizer, name)
    known = len(tokenizer)
    additions.add_tokens(tokenizer, tokens)
    if len(tokenizer) > known:
        additions.embed(model, tokenizer, known)
    return kind, tokenizer, model


def _tokens(given: GeneratorTraining) -> list[str]:
    path = given.reading.add_tokens
    return additions.tokens_of(path) if path else []


def _maker(
    given: GeneratorTraining, kind: str, tokenizer: Any, model: Any, objectives: list[Plugin]
) -> Maker:
    def unused(*inputs: Any) -> Any:
        raise OptionError("this writer only makes inputs")

    ask = views.asker(given.prompting, given.job.seed)
    named = "names" in batch.needs(objectives) or speakers.has(model)
    writer = Writer(tokenizer, model.config, model.generation_config, unused)
    if given.reading.tgt_lang and multilingual.many(tokenizer):
        model.generation_config.forced_bos_token_id = multilingual.token(
            tokenizer, given.reading.tgt_lang
        )
    ask = views.naming(ask) if named else ask
    return Maker(ask, given.prompting.each, given.reading, kind, writer, named)


def _examples(data: Data, maker: Maker) -> Examples:
    """Return the examples of records; an error says where its record stands."""
    with located(data):
        return examples.examples_of(data.records, maker)


def _learning(data: Data, maker: Maker, vary: Vary | None) -> Callable[[int], Examples]:
    """Return epoch -> the examples to learn from, made once where no variants are drawn."""
    if vary is None:
        learned = _examples(data, maker)
        return lambda epoch: learned
    drawn = vary.draw(data.records)

    @functools.lru_cache(maxsize=1)
    def learn(epoch: int) -> Examples:
        records = [record for row in drawn(epoch) for record in row]
        return _examples(data._replace(records=records), maker)

    return learn


def _check_variants(learned: Examples, objectives: list[Plugin]) -> None:
    """Raise OptionError if an objective compares variants and there are none."""
    if len(steps.grouped(learned.examples, together=True)) < len(learned.examples):
        return
    for objective in objectives:
        if "variants" in objective.declared.needs:
            raise OptionError(
                f"{objective.label} compares the variants of a record, and no id is "
                "in --train twice: --vary names draws some, and dt-swap-names "
                "--variants 2 makes some"
            )


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


def _warnings(train: Examples, dev: Examples, counts: dict[str, dict]) -> list[str]:
    """Return what is to be said about the data; counts: what objectives tell."""
    warnings = [
        f"{label}: {numbers['pairs_of_several_tokens']} of {numbers['pairs']} pairs have "
        "terms of several tokens, whose log-probabilities are summed and whose "
        "embeddings are averaged"
        for label, numbers in counts.items()
        if numbers.get("pairs_of_several_tokens")
    ]
    warnings += [
        f"{label}: {numbers['pairs_unequal']} more pairs have terms with different numbers of "
        "tokens and are left out; unequal=sum compares them"
        for label, numbers in counts.items()
        if numbers.get("pairs_unequal")
    ]
    warnings += [
        f"{label}: the model does not know {numbers['pairs_unknown']} more pairs"
        for label, numbers in counts.items()
        if numbers.get("pairs_unknown")
    ]
    return warnings + [
        f"--{part}: {number} of {len(of_part.examples)} {what} are longer than --max-{option} and "
        "are cut"
        for part, of_part in (("train", train), ("dev", dev))
        for what, option, number in (
            ("inputs", "input", of_part.cut_inputs),
            ("targets", "new-tokens", of_part.cut_targets),
        )
        if number
    ]


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


def _keeping(given: GeneratorTraining, plan: Plan, state: dict) -> course.Keeping:
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
