"""What happens before the first step: data read and checked, a model loaded, examples made."""

import functools
import math
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from dialtools.inference import prompts, views
from dialtools.models import (
    checkpoints,
    devices,
    engine_torch,
    habits,
    multilingual,
    speakers,
    writers,
)
from dialtools.models.decoding import Prompting
from dialtools.models.folders import Checkpoint
from dialtools.models.writers import Writer
from dialtools.plugins import options, registry
from dialtools.plugins.registry import Plugin
from dialtools.records import dialogue
from dialtools.system import files
from dialtools.system.errors import OptionError
from dialtools.training import (
    adapters,
    course,
    data,
    examples,
    folder,
    guards,
    judgement,
    losses,
    processes,
    steps,
    tiny,
    vocabulary,
)
from dialtools.training.batch import Example, batch
from dialtools.training.data import Data, located
from dialtools.training.examples import Made, Maker
from dialtools.training.job import Job, check_files
from dialtools.training.recipe import Machine, Reading, Recipe, rate
from dialtools.training.trainer import Plan

_FILES = {"prompt": "prompt.jinja", "system_prompt": "system_prompt.jinja", "shots": "shots.jsonl"}


Drawing = Callable[[Sequence[dict]], Callable[[int], Iterator[list[dict]]]]


class Vary(NamedTuple):
    """Variants of training records that are drawn anew for each epoch."""

    draw: Drawing  # records -> (epoch, from 0 -> for each record itself and its variants)
    told: tuple[str, ...]  # how they are drawn, for the card


class Given(NamedTuple):
    """What a user asks for; see dt-train generator."""

    job: Job
    objective: tuple[str | Callable, ...]
    prompting: Prompting
    reading: Reading
    recipe: Recipe
    machine: Machine
    vary: Vary | None = None


def run(given: Given) -> Iterator[dict]:
    """Yield a record of the data, one for each epoch, and one of the best epoch."""
    share = processes.share()
    shape, objectives = _checked(given, share)
    train, dev = (
        data.read(
            paths,
            ["dialogue|text"],
            given.reading.language,
            functools.partial(examples.targets, reading=given.reading),
        )
        for paths in (given.job.train, given.job.dev)
    )
    shared = guards.check_apart(
        train.records,
        dev.records,
        {part for part, data in (("train", train), ("dev", dev)) if data.numbered},
        functools.partial(_read, target=given.reading.target),
    )
    objectives = losses.of_language(objectives, train.records)
    settings = _settings(given, objectives, share)
    state = folder.state_of(given.job.folder, settings, given.job.go_on)
    if state["ended"]:
        yield from folder.log_of_ended(given.job.folder, state, share)
        return
    kind, tokenizer, model = _model(given, shape, train, objectives)
    guards.check_start(model, given.job.model)
    if not shape:
        guards.check_script(tokenizer, _texts(train, given), given.job.model)
    maker = _maker(given, kind, tokenizer, model, objectives)
    learn = _learning(train, maker, given.vary)
    learned, held_out = learn(0), _made(dev, maker)
    _check_variants(learned, objectives)
    counts = losses.prepared(objectives, model, tokenizer)
    model = _adapted(model, kind, given)
    made = steps.Steps(
        lambda epoch: learn(epoch).examples,
        given.recipe.batch_size,
        "variants" in losses.needs(objectives),
        given.job.seed,
    )
    precision = devices.precision_of(given.machine.precision, given.machine.device)
    plan = Plan(
        kind,
        model,
        tokenizer,
        functools.partial(_losses, maker, objectives),
        functools.partial(_of_step, maker, objectives),
        made,
        given.recipe,
        given.machine,
        rate(given.recipe, bool(shape)),
        precision,
        given.job.seed,
        given.job.folder,
        share,
    )
    judge = _judge(given, maker, dev, held_out)
    if share.rank == 0:
        judgement.check(judge)
        about = _about(plan, objectives, learned, held_out, counts, shared)
        folder.begin(given.job.folder, state, about)
        yield from folder.log(given.job.folder, state)
    judging = course.Judge(
        functools.partial(judgement.judged, judge, share=share),
        functools.partial(judgement.value, spec=judge.metric),
        guards.warnings,
    )
    yield from course.run(plan, judging, _keeping(given, plan, state), state, lambda: _cut(learned))


def _checked(given: Given, share: processes.Share) -> tuple[tiny.Shape | None, list[Plugin]]:
    """Return the shape of a tiny model, and the objectives; OptionError for what does not fit."""
    options.check(given.prompting, given.reading, given.recipe, given.machine)
    check_files(given.job.train, given.job.dev, share.number)
    if share.rank == 0:
        folder.check(given.job.folder, given.job.model, given.job.go_on, given.job.overwrite)
    shape = tiny.shape(given.job.model)
    if shape and given.recipe.lora:
        raise OptionError("--lora adapts a trained model; tiny has random weights")
    if given.reading.add_tokens and given.recipe.lora:
        raise OptionError(
            "--lora does not train the embeddings of --add-tokens: leave one of them out"
        )
    judgement.direction(given.recipe.best)
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
    return shape, objectives


def _read(record: dict, target: str) -> tuple:
    """Return what tells a record to learn from others."""
    return (
        record.get("context"),
        dialogue.text(dialogue.turns(record)) or record.get("text"),
        str(record[target]),
    )


def _texts(data: Data, given: Given) -> Iterator[str]:
    """Yield what a model reads and what it learns."""
    ask = views.asker(given.prompting, given.job.seed)
    with located(data):
        for record in data.records:
            yield from (prompts.of(view) for view in ask(record))
            yield from examples.targets(record, given.reading)


def _model(
    given: Given, shape: tiny.Shape | None, data: Data, objectives: list[Plugin]
) -> tuple[str, Any, Any]:
    """Return the kind of a model, its tokenizer and the model to start from."""
    eager = {"attn_implementation": "eager"} if "attentions" in losses.needs(objectives) else {}
    machine, tokens = given.machine, _tokens(given)
    if shape:
        tokenizer = tiny.tokenizer(list(_texts(data, given)), shape)
        vocabulary.add(tokenizer, tokens)
        model = tiny.network(tokenizer, shape, given.job.seed)
        if eager:
            model.set_attn_implementation("eager")
        return shape.kind, tokenizer, model
    kind = writers.kind(given.job.model, machine.offline, machine.trust_remote_code)
    checkpoint = Checkpoint(
        given.job.model, machine.offline, machine.trust_remote_code, machine.allow_pickle
    )
    tokenizer, model = checkpoints.network(
        checkpoints.CLASSES[kind], checkpoint, "cpu", "float32", **eager
    )
    engine_torch.pad(tokenizer, given.job.model)
    known = len(tokenizer)
    vocabulary.add(tokenizer, tokens)
    if len(tokenizer) > known:
        vocabulary.embed(model, tokenizer, known)
    return kind, tokenizer, model


def _tokens(given: Given) -> list[str]:
    """Return the tokens to add."""
    return vocabulary.read(given.reading.add_tokens) if given.reading.add_tokens else []


def _maker(given: Given, kind: str, tokenizer: Any, model: Any, objectives: list[Plugin]) -> Maker:
    ask = views.asker(given.prompting, given.job.seed)
    named = "names" in losses.needs(objectives) or speakers.has(model)
    writer = Writer(tokenizer, model.config, model.generation_config, _unused)
    if given.reading.tgt_lang and multilingual.many(tokenizer):
        model.generation_config.forced_bos_token_id = multilingual.token(
            tokenizer, given.reading.tgt_lang
        )
    return Maker(
        views.naming(ask) if named else ask,
        given.prompting.each,
        given.reading,
        kind,
        writer,
        named,
    )


def _unused(*given: Any) -> Any:
    raise OptionError("this writer only makes inputs")


def _made(data: Data, maker: Maker) -> Made:
    """Return the examples of records; an error says where its record stands."""
    with located(data):
        return examples.made(data.records, maker)


def _learning(data: Data, maker: Maker, vary: Vary | None) -> Callable[[int], Made]:
    """Return epoch -> the examples to learn from, made once where no variants are drawn."""
    if vary is None:
        whole = _made(data, maker)
        return lambda epoch: whole
    drawn = vary.draw(data.records)

    @functools.lru_cache(maxsize=1)
    def learn(epoch: int) -> Made:
        records = [record for row in drawn(epoch) for record in row]
        return _made(data._replace(records=records), maker)

    return learn


def _check_variants(made: Made, objectives: list[Plugin]) -> None:
    """Raise OptionError if an objective compares variants and there are none."""
    if len(steps.grouped(made.examples, together=True)) < len(made.examples):
        return
    for objective in objectives:
        if "variants" in objective.declared.needs:
            raise OptionError(
                f"{objective.label} compares the variants of a record, and no id is "
                "in --train twice: --vary names draws some, and dt-swap-names "
                "--variants 2 makes some"
            )


def _adapted(model: Any, kind: str, given: Given) -> Any:
    """Return the model, with an adapter to train if one is asked for."""
    whole = [speakers.PART] if speakers.has(model) else []
    task = {"seq2seq": "SEQ_2_SEQ_LM", "causal": "CAUSAL_LM"}[kind]
    return adapters.added(model, given.job.model, task, given.recipe, given.machine, whole)


def _losses(
    maker: Maker, objectives: list[Plugin], run: Any, model: Any, part: list[Example]
) -> losses.Losses:
    """Return the losses of a part of a step."""
    rows = batch(maker.kind, part, maker.writer.tokenizer).to(model.device)
    return losses.of(run, model, rows, objectives)


def _of_step(
    maker: Maker, objectives: list[Plugin], model: Any, examples: list[Example]
) -> losses.Step:
    """Return what belongs to a step as a whole."""
    rows = batch(maker.kind, examples, maker.writer.tokenizer).to(model.device)
    return losses.of_step(model, rows, objectives)


def _judge(given: Given, maker: Maker, dev: Data, made: Made) -> judgement.Judge:
    number = None if given.recipe.best != judgement.LOSS else given.reading.dev_outputs
    return judgement.Judge(
        maker,
        dev.records[:number],
        made.examples,
        judgement.shuffled(made.examples, given.job.seed),
        given.prompting,
        given.recipe.best,
        given.machine.offline,
        given.machine.batch_tokens,
    )


def _cut(made: Made) -> dict:
    return {"cut_inputs": made.cut_inputs, "cut_targets": made.cut_targets, "unknown": made.unknown}


def _about(
    plan: Plan,
    objectives: list[Plugin],
    train: Made,
    dev: Made,
    counts: dict[str, dict],
    shared: list[str],
) -> dict:
    """Return the record of the data.

    counts: what objectives tell.
    shared: a warning about records in both files.
    """
    weights = sum(weight.numel() for weight in plan.model.parameters())
    trained = sum(weight.numel() for weight in plan.model.parameters() if weight.requires_grad)
    found = {
        "kind": plan.kind,
        "examples": len(train.examples),
        "dev": len(dev.examples),
        "steps": len(plan.steps),
        "weights": weights,
        "trained": trained,
        **_cut(train),
        "learning_rate": plan.rate,
        "precision": plan.precision,
        "processes": plan.share.number,
        "recipe": plan.recipe._asdict(),
        "objectives": [objective.label for objective in objectives],
        **({"terms": counts} if counts else {}),
    }
    said = [
        *shared,
        *(
            f"{label}: {told['pairs_of_several_tokens']} of {told['pairs']} pairs have "
            "terms of several tokens, whose log-probabilities are summed and whose "
            "embeddings are averaged"
            for label, told in counts.items()
            if told.get("pairs_of_several_tokens")
        ),
    ]
    said += [
        f"{label}: {told['pairs_unequal']} more pairs have terms with different numbers of tokens "
        "and are left out; unequal=sum compares them"
        for label, told in counts.items()
        if told.get("pairs_unequal")
    ]
    said += [
        f"{label}: the model does not know {told['pairs_unknown']} more pairs"
        for label, told in counts.items()
        if told.get("pairs_unknown")
    ]
    for part, made in (("train", train), ("dev", dev)):
        for what, number in (("inputs", made.cut_inputs), ("targets", made.cut_targets)):
            if number:
                said.append(
                    f"--{part}: {number} of {len(made.examples)} {what} are longer than "
                    f"--max-{'input' if what == 'inputs' else 'new-tokens'} and are cut"
                )
    return {**found, "warnings": said} if said else found


def _settings(given: Given, objectives: list[Plugin], share: processes.Share) -> dict:
    """Return what must be the same when a training is resumed."""
    return {
        "model": given.job.model,
        "objectives": [objective.label for objective in objectives],
        **({"vary": list(given.vary.told)} if given.vary else {}),
        **files.hashes("train", given.job.train),
        **files.hashes("dev", given.job.dev),
        "prompting": {
            name: value
            for name, value in views.parts(given.prompting, given.job.seed).items()
            if value
        },
        **given.reading._asdict(),
        "add_tokens": _tokens(given),
        **given.recipe._asdict(),
        "seed": given.job.seed,
        **{
            name: getattr(given.machine, name)
            for name in ("batch_tokens", "precision", "gradient_checkpointing", "device")
        },
        "processes": share.number,
    }


def _keeping(given: Given, plan: Plan, state: dict) -> course.Keeping:
    """Return what the folder keeps beside the model."""
    about = {
        "command": given.job.command or "none: called from Python",
        **state["settings"],
        "learning_rate": plan.rate,
        "precision": plan.precision,
        **folder.versions(),
    }
    asked = given.prompting._asdict()
    kept = {name: prompts.content(asked[name]).encode() for name in _FILES if asked[name]}
    own = habits.Habits(
        given.reading.max_input,
        given.reading.truncate,
        given.reading.src_lang,
        given.reading.tgt_lang,
        options.changed(given.prompting) | {name: _FILES[name] for name in kept},
    )
    files_of_model = {
        **{_FILES[name]: text for name, text in kept.items()},
        habits.FILE: habits.dumps(own),
    }
    return course.Keeping(
        f"Generator {os.path.basename(os.path.abspath(given.job.folder))}",
        about,
        lambda epoch: files_of_model,
    )
