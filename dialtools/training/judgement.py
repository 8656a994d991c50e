"""What an epoch is worth: losses on a dev set, with right and shuffled sources, and outputs."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from dialtools.evaluation import metric as metrics
from dialtools.evaluation import pipeline as pipelines
from dialtools.inference import views, writing
from dialtools.models import engine_torch
from dialtools.models.decoding import Decoding, Loading, Prompting, Runtime
from dialtools.records import validation
from dialtools.system import stable_hash
from dialtools.system.errors import OptionError, RecordError
from dialtools.training import losses, processes, steps
from dialtools.training.batch import Example, batch
from dialtools.training.examples import Maker

LOSS = "loss"
WINDOW = 64  # records that are written together


class Judge(NamedTuple):
    """A dev set, and how a model is judged by it."""

    maker: Maker
    records: list[dict]  # those that get outputs
    examples: list[Example]
    shuffled: list[Example]  # the same targets with other inputs; [] if there are none
    prompting: Prompting
    metric: str  # a spec, or "loss"
    offline: bool
    tokens: int  # at once


def shuffled(examples: Sequence[Example], seed: int) -> list[Example]:
    """Return examples with the input of another record each; [] if there is none that differs."""
    order = sorted(
        range(len(examples)),
        key=lambda at: stable_hash.digest(seed, "shuffled", repr(examples[at].group)),
    )
    given: dict[int, Example] = {}
    for place, at in enumerate(order):
        own = examples[at]
        others = (examples[order[(place + step) % len(order)]] for step in range(1, len(order)))
        other = next(
            (
                other
                for other in others
                if _source(other) != _source(own) and other.input != own.input
            ),
            None,
        )
        if other is None:
            return []
        given[at] = own._replace(input=other.input, names=other.names)
    return [given[at] for at in range(len(examples))]


def _source(example: Example) -> Any:
    group: Any = example.group
    cluster, id = group[:2]
    return id if cluster is None else cluster


def judged(judge: Judge, model: Any, context: Callable, share: processes.Share) -> dict:
    """Return the losses of a model in nats a token, their gap, and facts of its outputs.

    context: within which it reads, such as one of a precision.
    """
    was_training = model.training
    model.eval()
    try:
        right = _loss(judge, judge.examples, model, context, share)
        wrong = _loss(judge, judge.shuffled, model, context, share) if judge.shuffled else None
        written = _outputs(judge, model, context, share)
    finally:
        model.train(was_training)
    texts = [str(record["prediction"]) for record in written]
    found = {
        "dev_loss": right,
        "dev_loss_shuffled": wrong,
        "gap": None if wrong is None else wrong - right,
        "distinct": len(set(texts)) / len(texts),
        "outputs": len(texts),
    }
    if judge.metric != LOSS and share.rank == 0:
        found[judge.metric] = measured(written, judge.metric, judge.offline)
    return found


def _loss(
    judge: Judge, examples: Sequence[Example], model: Any, context: Callable, share: processes.Share
) -> float:
    """Return the mean cross-entropy of a token to learn."""
    import torch

    total, count = 0.0, 0
    own = share.of(examples)
    for part in steps.parts(own, judge.tokens, together=False) if own else ():
        rows = batch(judge.maker.kind, part, judge.maker.writer.tokenizer).to(model.device)
        with torch.no_grad(), context():
            found = losses.of(model, model, rows)
        total, count = total + float(found.entropy), count + found.tokens
    total, number = processes.summed([total, count], share, model.device)
    return total / number


def _outputs(judge: Judge, model: Any, context: Callable, share: processes.Share) -> list[dict]:
    """Return the records with outputs of a model as predictions."""
    maker, reading = judge.maker, judge.maker.reading
    writer = engine_torch.over(maker.kind, maker.writer.tokenizer, model)
    decoding = Decoding(
        beams=reading.beams,
        max_input=reading.max_input,
        truncate=reading.truncate,
        max_new_tokens=reading.max_new_tokens,
        src_lang=reading.src_lang,
        tgt_lang=reading.tgt_lang,
    )
    write = partial(writing.outputs, writer, maker.kind, decoding=decoding, runtime=Runtime())
    take = views.extractor(judge.prompting.extract) if judge.prompting.extract else None
    found: list[dict] = []
    own = share.of(judge.records)
    for at in range(0, len(own), WINDOW):
        asked = [(record, maker.ask(record)) for record in own[at : at + WINDOW]]
        with context():
            made = iter(write([view for _, seen in asked for view in seen]))
        for record, seen in asked:
            answer = views.answered(record, seen, [next(made) for _ in seen], take, maker.each)
            found.append(
                {**record, "reference": record[reading.target], "prediction": answer["prediction"]}
            )
    return processes.gathered(found, share)


def check(judge: Judge) -> None:
    """Raise an error if the metric cannot be computed, before a model is trained for nothing."""
    if judge.metric != LOSS:
        record, key = judge.records[0], judge.maker.reading.target
        first = record[key] if isinstance(record[key], str) else record[key][0]
        measured(
            [{**record, "reference": record[key], "prediction": first}], judge.metric, judge.offline
        )


def measured(records: Sequence[dict], spec: str, offline: bool) -> float:
    """Return a metric over records as dt-score --summary shows it: its corpus score, or its mean."""
    pipeline = pipelines.Pipeline(
        metrics.several([spec], loading=Loading(offline=offline)), "summary"
    )
    pipeline.require_consistent()
    found = list(
        pipeline.stage("dt-train")(pipeline.work("dt-train")(validation.completed(records)))
    )
    number = sum(result["n"] for result in found)
    if not number:
        raise RecordError(f"--best {spec} gives no record of --dev a number")
    value = next(key for key in pipeline.values if key in found[0])
    return sum(result[value] * result["n"] for result in found if result["n"]) / number


def direction(spec: str) -> int:
    """Return 1 if more is better, -1 if less is; OptionError for a metric that does not say."""
    if spec == LOSS:
        return -1
    range = metrics.Metric(spec).declared.range
    if range is None:
        raise OptionError(
            f"--best {spec}: the metric does not say whether more is better; take "
            "one with a range, such as rouge2, bleu or chrf"
        )
    return 1 if range[1] > range[0] else -1


def value(epoch: dict, spec: str) -> float:
    """Return what an epoch is chosen by; more is better."""
    return direction(spec) * epoch["dev_loss" if spec == LOSS else spec]
