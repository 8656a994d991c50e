"""Scores of records one by one, and the statistics that corpus scores are made of."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, Literal, NamedTuple

from dialtools.evaluation import chosen_metrics, compared_texts, scorer
from dialtools.evaluation.chosen_metrics import ChosenMetric
from dialtools.evaluation.compared_texts import ORIGINAL, PREDICTION, Texts
from dialtools.evaluation.scorer import Scorer, Statistics
from dialtools.evaluation.source_groups import BATCH
from dialtools.records import dialogue, history
from dialtools.records.values import is_empty
from dialtools.system.batches import apart, as_they_come, batches, worked
from dialtools.system.errors import RecordError, show

Kept = Literal["statistics", "pairs"]


class Results(NamedTuple):
    """The results of one metric: for each record its score, statistics, counts and details."""

    scores: Sequence[float | None]
    statistics: Sequence[Statistics | None]
    counts: Sequence[Mapping[str, int]]
    details: Sequence[Any]


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
        latest = history.source(record)
        self.last = {latest: self.last[latest]} if latest in self.last else {}


def add(
    records: Iterable[dict],
    *,
    metrics: Sequence[ChosenMetric],
    by: str,
    keep: Kept = "statistics",
    originals: Originals | None = None,
) -> Iterator[dict]:
    """Yield each record with "scores" and, in its history, their signatures.

    keep: what "statistics" holds: those that corpus scores are made of, or pairs of labels.
    originals: the latest ones, if a failed record interrupted the stream.
    """
    originals = originals or Originals()
    known: dict[tuple, dict[str, str]] = {}
    score = partial(_of_one_language, metrics, keep, by, known)
    work = partial(apart, score, lambda pair: dialogue.lang(pair[0]))
    wants_originals = any(one.texts.against == ORIGINAL for one in metrics)
    for batch in (batches if is_full(metrics) else as_they_come)(records, window(metrics)):
        pairs = [(record, originals.of(record) if wants_originals else None) for record in batch]
        yield from worked(work, pairs)
        originals.forget(batch[-1])


def window(metrics: Sequence[ChosenMetric]) -> int:
    """Return how many records the metrics get at once."""
    return max(BATCH, chosen_metrics.window(metrics))


def is_full(metrics: Sequence[ChosenMetric]) -> bool:
    """Tell whether a full window is awaited, as a model reads it at once."""
    return chosen_metrics.window(metrics) > 1


def _of_one_language(
    metrics: Sequence[ChosenMetric],
    keep: Kept,
    by: str,
    known: dict[tuple, dict[str, str]],
    pairs: list[tuple[dict, dict | None]],
) -> Iterator[dict]:
    """Yield records with their scores.

    known: {(language, numbers of compared texts by metric): signatures by label}; gets new ones.
    pairs: each record with its original, if that is needed.
    """
    records, originals = [record for record, _ in pairs], [original for _, original in pairs]
    plain = [name for one in metrics if one.texts.is_plain() for name in one.columns]
    columns = compared_texts.columns(records, plain, Texts())
    scorers = scorer.for_records(metrics, records)
    results = [_results(one, records, columns, originals, keep) for one in scorers]
    counts = _counts(records, scorers, columns, originals, [one.counts for one in results])
    numbers = zip(*[one.numbers(records, columns) for one in scorers], strict=True)
    labels, language = [one.label for one in scorers], scorers[0].language
    scores = _dicts(labels, [one.scores for one in results])
    statistics = _dicts(labels, [one.statistics for one in results])
    details = zip(*[one.details for one in results], strict=True)
    for record, new, row, of_metrics, several, count in zip(
        records, scores, statistics, details, numbers, counts, strict=True
    ):
        if (signatures := known.get((language, several))) is None:
            signatures = known[language, several] = {
                one.label: one.signature([number])
                for one, number in zip(scorers, several, strict=True)
            }
        scored = record.copy()
        scored["scores"] = _renewed(record["scores"], new, labels) if record.get("scores") else new
        if row or record.get("statistics"):
            scored["statistics"] = _renewed(record.get("statistics") or {}, row, labels)
        for one, detail in zip(scorers, of_metrics, strict=True):
            key, kept = one.metric.declared.kept, {} if detail is None else {one.label: detail}
            older = scored.get(key) if key else None
            if kept and not isinstance(older, dict | None):
                raise RecordError(f'"{key}" is an object, here is {show(older)}', record)
            if kept or isinstance(older, dict):
                scored[key] = _renewed(older or {}, kept, [one.label])
        entry = history.Entry(by=by, signature=signatures, counts=count)
        scored["history"] = [*(record.get("history") or ()), entry]
        yield scored


def _renewed(before: dict, new: dict, labels: list[str]) -> dict:
    """Return older and new results; of these metrics nothing older stays."""
    both = {**before, **new}
    return {label: value for label, value in both.items() if label in new or label not in labels}


def _results(
    scorer: Scorer,
    records: list[dict],
    columns: dict[str, list],
    originals: list[dict | None],
    keep: Kept,
) -> Results:
    """Return the results of a metric; columns: of what is compared with the references.

    Originals have none where variants are compared with them.
    """
    texts = scorer.metric.texts
    if texts.against == ORIGINAL:
        pairs = zip(records, originals, strict=True)
        variants = [pair for pair in pairs if pair[0].get("variant")]
        rows: Iterator[tuple] = iter(())
        if variants:
            scored, compared = map(list, zip(*variants, strict=True))
            results = _computed(scorer, scored, scorer.columns(scored, compared), keep)
            rows = zip(*results, strict=True)
        no_result: tuple = (None, None, {}, None)
        of_all = [next(rows) if record.get("variant") else no_result for record in records]
        return Results(*zip(*of_all, strict=True))
    given = columns if texts.is_plain() else scorer.columns(records)
    return _computed(scorer, records, given, keep)


def _computed(scorer: Scorer, records: list[dict], columns: dict[str, list], keep: Kept) -> Results:
    chosen, none = scorer.chosen(columns), [None] * len(records)
    if keep == "statistics" and scorer.metric.has_corpus:
        scored = scorer.of_records(records, columns, "values_and_statistics")
        scores, statistics = zip(*scored, strict=True)
        return Results(scores, statistics, scorer.counts(*chosen), none)
    if scorer.metric.declared.explain:
        explained = scorer.of_records(records, columns, "explained")
        scores, details, counts = zip(*explained, strict=True)
        return Results(scores, none, counts, details)
    values = scorer.of_records(records, columns)
    pairs = scorer.confusions(*chosen) if keep == "pairs" else none
    return Results(values, pairs, scorer.counts(*chosen), none)


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
    columns: dict[str, list],
    originals: list[dict | None],
    of_metrics: Sequence[Sequence[Mapping[str, int]]],
) -> list[dict[str, int]]:
    """Return the counts of each record, of several metrics the highest.

    columns: of what is compared with the references.
    """
    counts: list[dict[str, int]] = [{} for _ in records]
    # of metrics that compare variants with the original's output, which has no score itself
    of_variants = [
        one.metric.texts.against == ORIGINAL and one.metric.compares_references for one in scorers
    ]
    subjects = {
        (one.metric.texts.of, variants_alone): one.metric.texts
        for one, variants_alone in zip(scorers, of_variants, strict=True)
    }
    for (of, variants_alone), texts in subjects.items():
        scored = (
            columns["prediction"]
            if of == PREDICTION and "prediction" in columns
            else [None if record.get(of) is None else texts.scored(record) for record in records]
        )
        for count, record, text in zip(counts, records, scored, strict=True):
            if text is not None and (record.get("variant") or not variants_alone):
                count["empty"] = count.get("empty") or int(is_empty(text))

    compared: list[Sequence[Sequence[str]]] = []  # references, originals, or both
    if not all(of_variants):
        compared.append(columns.get("reference") or list(map(dialogue.references, records)))
    if any(of_variants):
        compared.append(
            [
                [dialogue.best(original)] if original and record.get("variant") else []
                for record, original in zip(records, originals, strict=True)
            ]
        )
    for column in compared:
        for count, against in zip(counts, column, strict=True):
            if against and all(map(is_empty, against)):
                count["empty_reference"] = 1

    for count, several in zip(counts, zip(*filter(any, of_metrics), strict=False), strict=False):
        for name in chain.from_iterable(several):
            count[name] = max(count.get(name, 0), *(one.get(name, 0) for one in several))
    return counts
