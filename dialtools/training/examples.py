"""Records and a generator: examples made of them, as dt-generate reads, and what it is worth on them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from dialtools.evaluation import chosen_metrics as metrics
from dialtools.evaluation import pipeline as pipelines
from dialtools.inference import inputs, prompts, views, writing
from dialtools.models import engine_torch, multilingual
from dialtools.models.decoding import Decoding, Loading, Prompting, Runtime
from dialtools.models.writers import Writer, end_tokens
from dialtools.names import occurrences
from dialtools.records import dialogue, validation, values
from dialtools.system import stable_hash
from dialtools.system.errors import OptionError, RecordError, about
from dialtools.training import steps
from dialtools.training.batch import Example, Examples, batch, losses_of
from dialtools.training.recipe import Reading
from dialtools.training.steps import Share

Ask = Callable[[dict], list[dict]]
LOSS = "loss"
WINDOW = 64  # records that are written together


class Maker(NamedTuple):
    """What makes examples of records: a view of each, and tokens of the view."""

    ask: Ask  # record -> views, as inference.views.asker returns it
    each: str | None  # "turn": a view stands for a turn
    reading: Reading
    kind: str  # "seq2seq" or "causal"
    writer: Writer
    named: bool = False  # follow the names of speakers


class Lesson(NamedTuple):
    """A text to learn, and where names of speakers stand in it."""

    text: str
    names: Sequence[occurrences.Span] = ()


def examples_of(records: Iterable[dict], maker: Maker) -> Examples:
    """Return the examples of records; RecordError for one without a target or an input."""
    examples: list[Example] = []
    cut_inputs = cut_targets = 0
    reading, tokenizer = maker.reading, maker.writer.tokenizer
    most = inputs.limit(maker.writer, maker.kind, reading.max_input, reading.max_new_tokens)
    inputs.languages(maker.writer, reading.src_lang, reading.tgt_lang)  # which checks them
    if multilingual.many(tokenizer):
        if not reading.tgt_lang:
            raise OptionError(
                "No language of the targets given: use --tgt-lang CODE, as this model writes many."
            )
        tokenizer.tgt_lang = reading.tgt_lang
    for record in records:
        asked = maker.ask(record)
        rows = inputs.rows(
            asked, maker.writer, maker.kind, most, reading.truncate, reading.src_lang, maker.named
        )
        cut_inputs += sum(row.facts["truncated"] for row in rows)
        for number, lessons in enumerate(_lessons(record, asked, maker)):
            for row, view, lesson in zip(rows, asked, lessons, strict=True):
                target, length = _target(lesson, maker)
                cut_targets += length > len(target.ids)
                names = occurrences.numbered(target.places, lesson.names) if maker.named else ()
                named = [
                    *zip(row.ids, row.names, strict=False),
                    *zip(target.ids, names, strict=False),
                ]
                examples.append(
                    Example(
                        row.ids,
                        tuple(target.ids),
                        (record.get("cluster"), record["id"], number, view.get("number")),
                        row.names,
                        frozenset(token for token, name in named if name),
                        names,
                    )
                )
    tokens = [row for example in examples for row in (example.input, example.target)]
    unknown = 0.0
    if tokenizer.unk_token_id is not None and tokens:
        unknown = sum(row.count(tokenizer.unk_token_id) for row in tokens) / sum(map(len, tokens))
    return Examples(examples, cut_inputs, cut_targets, unknown)


def targets(record: dict, reading: Reading) -> list[str]:
    """Return the texts to learn for a record, one or several; RecordError where there is none."""
    validation.need(record, reading.target)
    texts = values.texts(record, reading.target)
    if not texts or not all(text.strip() for text in texts):
        raise RecordError(f'"{reading.target}" is empty: there is nothing to learn', record)
    return texts[:1] if reading.references == "first" else texts


def _lessons(record: dict, asked: list[dict], maker: Maker) -> Iterator[list[Lesson]]:
    """Yield for each text of a record what each of its views learns: all of it, or of a dialogue
    the turn of the view.
    """
    texts = targets(record, maker.reading)
    lessons = [Lesson(text) for text in texts]
    if maker.named:
        with about(record):
            marked = targets(prompts.marked(record), maker.reading)
            lessons = [
                Lesson(text, occurrences.followed(text, signs))
                for text, signs in zip(texts, marked, strict=True)
            ]
    for lesson in lessons:
        if not maker.each:
            yield [lesson]
            continue
        turns, length = dialogue.turns({"dialogue": lesson.text}), len(dialogue.turns(record))
        if len(turns) != length:
            raise RecordError(
                f"with --each turn the text to learn is a dialogue: it has {len(turns)} "
                f"turns, and the record's {length}",
                record,
            )
        parts = [turns[view["number"]]["text"] for view in asked]
        if not all(part.strip() for part in parts):
            raise RecordError(
                "with --each turn each turn has a text to learn: one is empty", record
            )
        yield list(map(Lesson, parts))


def _target(lesson: Lesson, maker: Maker) -> tuple[inputs.Tokens, int]:
    """Return the tokens of a text to learn, with their end, and their number before a cut."""
    tokenizer, most = maker.writer.tokenizer, maker.reading.max_new_tokens
    if maker.kind == "causal":
        tokens = inputs.encoded(tokenizer, lesson.text, maker.named, add_special_tokens=False)
        ends, end = end_tokens(maker.writer.settings), tokenizer.eos_token_id
        if ends and end not in ends:
            end = ends[0]
        ids, places = tokens.ids[: most - 1], tokens.places[: most - 1]
        return inputs.Tokens([*ids, end], [*places, (0, 0)]), len(tokens.ids) + 1
    if maker.named:
        tokens = inputs.encoded(tokenizer, lesson.text, True)
        length = len(tokens.ids)
        if length > most:
            tokens = inputs.encoded(tokenizer, lesson.text, True, truncation=True, max_length=most)
        return tokens, length
    # as a target: some tokenizers frame it otherwise
    ids = tokenizer(text_target=lesson.text, verbose=False)["input_ids"]
    length = len(ids)
    if length > most:
        ids = tokenizer(text_target=lesson.text, truncation=True, max_length=most)["input_ids"]
    return inputs.Tokens(ids), length


def shuffled(examples: Sequence[Example], seed: int) -> list[Example]:
    """Return examples with the input of another record each; [] if there is none that differs."""

    def source(example: Example) -> Any:
        group: Any = example.group
        cluster, id = group[:2]
        return id if cluster is None else cluster

    order = sorted(
        range(len(examples)),
        key=lambda place: stable_hash.digest(seed, "shuffled", repr(examples[place].group)),
    )
    exchanged: dict[int, Example] = {}
    for start, place in enumerate(order):
        example = examples[place]
        others = (examples[order[(start + step) % len(order)]] for step in range(1, len(order)))
        donor = next(
            (
                other
                for other in others
                if source(other) != source(example) and other.input != example.input
            ),
            None,
        )
        if donor is None:
            return []
        exchanged[place] = example._replace(input=donor.input, names=donor.names)
    return [exchanged[place] for place in range(len(examples))]


class DevSet(NamedTuple):
    """Records by which a generator is judged, and how."""

    maker: Maker
    records: list[dict]  # those that get outputs
    examples: list[Example]
    shuffled: list[Example]  # the same targets with other inputs; [] if there are none
    prompting: Prompting
    metric: str  # a spec, or "loss"
    offline: bool
    tokens: int  # at once
    share: Share

    def check(self) -> None:
        """Raise an error if the metric cannot be computed, before a model is trained for nothing."""
        if self.metric != LOSS:
            record = self.records[0]
            target = record[self.maker.reading.target]
            first = target if isinstance(target, str) else target[0]
            self._measured([{**record, "reference": target, "prediction": first}])

    def judged(self, model: Any, context: Callable, epoch: int) -> dict:
        """Return the losses of a model in nats a token, their gap, and facts of its outputs.

        context: within which it reads, such as one of a precision.
        """
        was_training = model.training
        model.eval()
        try:
            right = self._loss(self.examples, model, context)
            wrong = self._loss(self.shuffled, model, context) if self.shuffled else None
            answered = self._outputs(model, context)
        finally:
            model.train(was_training)
        texts = [str(record["prediction"]) for record in answered]
        facts = {
            "dev_loss": right,
            "dev_loss_shuffled": wrong,
            "gap": None if wrong is None else wrong - right,
            "distinct": len(set(texts)) / len(texts),
            "outputs": len(texts),
        }
        if self.metric != LOSS and self.share.rank == 0:
            facts[self.metric] = self._measured(answered)
        return facts

    def _loss(self, examples: Sequence[Example], model: Any, context: Callable) -> float:
        """Return the mean cross-entropy of a token to learn."""
        import torch

        total, count = 0.0, 0
        mine = self.share.of(examples)
        for part in steps.parts(mine, self.tokens, together=False) if mine else ():
            rows = batch(self.maker.kind, part, self.maker.writer.tokenizer).to(model.device)
            with torch.no_grad(), context():
                losses = losses_of(model, model, rows)
            total, count = total + float(losses.entropy), count + losses.tokens
        total, number = self.share.summed([total, count], model.device)
        return total / number

    def _outputs(self, model: Any, context: Callable) -> list[dict]:
        """Return the records with outputs of a model as predictions."""
        maker, reading = self.maker, self.maker.reading
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
        extract = self.prompting.extract
        take = views.extractor(extract) if extract else None
        answered: list[dict] = []
        mine = self.share.of(self.records)
        for start in range(0, len(mine), WINDOW):
            asked = [(record, maker.ask(record)) for record in mine[start : start + WINDOW]]
            with context():
                outputs = iter(write([view for _, seen in asked for view in seen]))
            for record, seen in asked:
                answer = views.answered(
                    record, seen, [next(outputs) for _ in seen], take, maker.each
                )
                reference, prediction = record[reading.target], answer["prediction"]
                answered.append({**record, "reference": reference, "prediction": prediction})
        return self.share.gathered(answered)

    def _measured(self, records: Sequence[dict]) -> float:
        """Return the metric over records as dt-score --summary shows it: its corpus score or mean."""
        loading = Loading(offline=self.offline)
        pipeline = pipelines.Pipeline(metrics.several([self.metric], loading=loading), "summary")
        pipeline.require_consistent()
        results = list(
            pipeline.stage("dt-train")(pipeline.work("dt-train")(validation.completed(records)))
        )
        number = sum(result["n"] for result in results)
        if not number:
            raise RecordError(f"--best {self.metric} gives no record of --dev a number")
        value = next(key for key in pipeline.values if key in results[0])
        return sum(result[value] * result["n"] for result in results if result["n"]) / number


def direction(metric: str) -> int:
    """Return 1 if more is better, -1 if less is; OptionError for a metric that does not say."""
    if metric == LOSS:
        return -1
    range = metrics.ChosenMetric(metric).declared.range
    if range is None:
        raise OptionError(
            f"--best {metric}: the metric does not say whether more is better; take "
            "one with a range, such as rouge2, bleu or chrf"
        )
    return 1 if range[1] > range[0] else -1
