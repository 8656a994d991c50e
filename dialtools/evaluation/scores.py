"""Scores of records one by one, and the statistics that corpus scores are made of."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain
from typing import Any, Literal, NamedTuple

from dialtools.evaluation import columns as cells
from dialtools.evaluation import metric, scorer
from dialtools.evaluation.groups import BATCH
from dialtools.evaluation.metric import Metric
from dialtools.evaluation.scorer import Scorer, Statistics
from dialtools.evaluation.texts import ORIGINAL, PREDICTION, Texts
from dialtools.languages import Language
from dialtools.records import dialogue, history
from dialtools.system.batches import apart, as_they_come, batches, worked
from dialtools.text import tokenizers

Kept = Literal["statistics", "pairs"]


class Column(NamedTuple):
    """The results of one metric: for each record its score, statistics and counts."""

    scores: Sequence[float | None]
    statistics: Sequence[Statistics | None]
    counts: Sequence[dict[str, int]]


class Originals:
    """Remembers the latest originals for the variants behind them, in one call or in several."""

    def __init__(self) -> None:
        self.last: dict[tuple, dict] = {}

    def of(self, record: dict) -> dict | None:
        """Return the original of a record, or the record itself if it is one."""
        if not record.get("variant"):
            self.last[history.source(record)] = record
        return self.last.get(history.source(record))

    def forget(self, record: dict) -> None:
        """Forget all but the latest record's original: variants stand next to theirs."""
        own = history.source(record)
        self.last = {source: original for source, original in self.last.items() if source == own}


def add(
    records: Iterable[dict],
    *,
    metrics: Sequence[Metric],
    by: str,
    keep: Kept = "statistics",
    originals: Originals | None = None,
) -> Iterator[dict]:
    """Yield each record with "scores" and, in its history, their signatures.

    keep: what "statistics" holds: those that corpus scores are made of, or pairs of labels.
    originals: the latest ones, if a failed record interrupted the stream.
    """
    metrics, originals = tuple(metrics), originals or Originals()
    of_one_language = partial(_of_one_language, metrics, keep, by)
    work = partial(apart, of_one_language, lambda pair: dialogue.lang(pair[0]))
    wants_originals = any(own.texts.against == ORIGINAL for own in metrics)
    for batch in (batches if is_full(metrics) else as_they_come)(records, window(metrics)):
        found = (
            [originals.of(record) for record in batch] if wants_originals else [None] * len(batch)
        )
        yield from worked(work, list(zip(batch, found, strict=True)))
        originals.forget(batch[-1])


def window(metrics: Sequence[Metric]) -> int:
    """Return how many records the metrics get at once."""
    return max(BATCH, metric.window(metrics))


def is_full(metrics: Sequence[Metric]) -> bool:
    """Tell whether a full window is awaited, as a model reads it at once."""
    return metric.window(metrics) > 1


def _of_one_language(
    metrics: tuple[Metric, ...], keep: Kept, by: str, batch: list[tuple[dict, dict | None]]
) -> Iterator[dict]:
    """Return records with their scores; batch: each record with its original, if that is needed."""
    records, originals = [record for record, _ in batch], [original for _, original in batch]
    plain = [name for own in metrics if own.texts.is_plain() for name in own.columns]
    given, scorers = cells.of(records, plain, Texts()), scorer.for_records(metrics, records)
    columns = [_column(own, records, given, originals, keep) for own in scorers]
    counts = _counts(records, scorers, given, originals, [column.counts for column in columns])
    numbers = list(zip(*[own.numbers(records, given) for own in scorers], strict=True))
    return _with_scores(records, scorers, columns, numbers, counts, by)


def _column(
    scorer: Scorer,
    records: list[dict],
    given: dict[str, list],
    originals: list[dict | None],
    keep: Kept,
) -> Column:
    """Return the results of a metric; given: the columns of what is compared with the references.

    Originals have none where variants are compared with them.
    """
    texts = scorer.metric.texts
    if texts.against != ORIGINAL:
        return _computed(
            scorer, records, given if texts.is_plain() else scorer.columns(records), keep
        )
    pairs = zip(records, originals, strict=True)
    variants = [(record, original) for record, original in pairs if record.get("variant")]
    found = Column((), (), ())
    if variants:
        own, before = [record for record, _ in variants], [original for _, original in variants]
        found = _computed(scorer, own, scorer.columns(own, before), keep)
    rows = zip(*found, strict=True)
    every = [next(rows) if record.get("variant") else (None, None, {}) for record in records]
    return Column(*zip(*every, strict=True))


def _computed(scorer: Scorer, records: list[dict], columns: dict[str, list], keep: Kept) -> Column:
    own = scorer.chosen(columns)
    if keep == "statistics" and scorer.metric.has_corpus:
        scored = scorer.of_records(records, columns, with_statistics=True)
        values, statistics = zip(*scored, strict=True)
        return Column(values, statistics, scorer.counts(*own))
    scores = scorer.of_records(records, columns)
    rows = scorer.confusions(*own) if keep == "pairs" else [None] * len(records)
    return Column(scores, rows, scorer.counts(*own))


def _with_scores(
    records: list[dict],
    scorers: list[Scorer],
    columns: list[Column],
    numbers: list[tuple[int, ...]],
    counts: list[dict[str, int]],
    by: str,
) -> Iterator[dict]:
    """Yield records with their results; numbers: of compared texts, by record and metric."""
    labels, language = [own.label for own in scorers], scorers[0].language
    metrics = tuple(own.metric for own in scorers)
    scores = _dicts(labels, [column.scores for column in columns])
    statistics = _dicts(labels, [column.statistics for column in columns])
    signatures = {number: _signatures(metrics, language, number) for number in set(numbers)}
    for record, new, rows, number, count in zip(
        records, scores, statistics, numbers, counts, strict=True
    ):
        made = record.copy()
        made["scores"] = _renewed(record["scores"], new, labels) if record.get("scores") else new
        if rows or record.get("statistics"):
            made["statistics"] = _renewed(record.get("statistics") or {}, rows, labels)
        entry = history.Entry(by=by, signature=signatures[number], counts=count)
        made["history"] = [*(record.get("history") or ()), entry]
        yield made


def _renewed(before: dict, new: dict, labels: list[str]) -> dict:
    """Return older and new results; of these metrics nothing older stays."""
    both = {**before, **new}
    return {label: value for label, value in both.items() if label in new or label not in labels}


def _dicts(labels: list[str], columns: list[Sequence]) -> list[dict[str, Any]]:
    """Return a dict of each row of columns, without values that are None."""
    lacking = sum([column.count(None) for column in columns])
    if lacking == sum(map(len, columns)):  # statistics of metrics that have none
        return [{} for _ in columns[0]]
    if not lacking:
        return [dict(zip(labels, row, strict=False)) for row in zip(*columns, strict=True)]
    return [
        {label: value for label, value in zip(labels, row, strict=True) if value is not None}
        for row in zip(*columns, strict=True)
    ]


def _counts(
    records: list[dict],
    scorers: list[Scorer],
    given: dict[str, list],
    originals: list[dict | None],
    found: list[Sequence[dict[str, int]]],
) -> list[dict[str, int]]:
    """Return the counts of each record, of several metrics the highest."""
    counts: list[dict[str, int]] = [{} for _ in records]
    subjects = {(own.metric.texts.of, _compares_variants(own)): own.metric.texts for own in scorers}
    for (_, variants_alone), texts in subjects.items():
        for count, record, text in zip(counts, records, _texts(records, texts, given), strict=True):
            if text is not None and (record.get("variant") or not variants_alone):
                count["empty"] = count.get("empty") or int(tokenizers.is_empty(text))
    for column in _compared(records, scorers, given, originals):
        for count, others in zip(counts, column, strict=True):
            if others and tokenizers.is_empty(others[0]) and all(map(tokenizers.is_empty, others)):
                count["empty_reference"] = 1
    for count, several in zip(counts, zip(*filter(any, found), strict=False), strict=False):
        for name in chain.from_iterable(several):
            count[name] = max(count.get(name, 0), *(other.get(name, 0) for other in several))
    return counts


def _compares_variants(scorer: Scorer) -> bool:
    """Tell whether variants are compared with the original's output, which has no score itself."""
    return scorer.metric.texts.against == ORIGINAL and scorer.metric.compares_references


def _compared(
    records: list[dict], scorers: list[Scorer], given: dict[str, list], originals: list[dict | None]
) -> Iterator[Sequence[Sequence[str]]]:
    """Yield what records are compared with: their references, their originals, or both."""
    variants = set(map(_compares_variants, scorers))
    if False in variants:
        yield given.get("reference") or list(map(dialogue.references, records))
    if True in variants:
        yield [
            [dialogue.best(original)] if original and record.get("variant") else []
            for record, original in zip(records, originals, strict=True)
        ]


def _texts(records: list[dict], texts: Texts, given: dict[str, list]) -> Sequence[str | None]:
    """Return the text of each record that is scored, None if it has no such key."""
    if texts.of == PREDICTION and "prediction" in given:
        return given["prediction"]
    return [None if record.get(texts.of) is None else texts.scored(record) for record in records]


@lru_cache(maxsize=256)
def _signatures(
    metrics: tuple[Metric, ...], language: Language, numbers: tuple[int, ...]
) -> dict[str, str]:
    scorers = (scorer.bind(own, language) for own in metrics)
    return {
        own.label: own.signature([number]) for own, number in zip(scorers, numbers, strict=True)
    }
