"""Quality: the mean of each metric over records or, where it has one, its score of the data set.

That corpus score is made of the statistics of records, which add up.  The mean over records then
stands beside it under a name of its own, as it is another number.

Of metrics that compare labels there are confusions, too: how often each true label goes with each
predicted one.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

from dialtools import languages
from dialtools.evaluation import chains, compared_texts, gaps, units
from dialtools.evaluation.chosen_metrics import ChosenMetric
from dialtools.evaluation.scorer import Scorer, Statistics, bind
from dialtools.plugins import registry
from dialtools.statistics import clustered, moments, sums
from dialtools.system import stable_hash
from dialtools.system.errors import OptionError, RecordError, show

# a result is of the first that it has
VALUES = CORPUS, SENTENCES, MEAN = "corpus", "sentence_mean", "mean"
# how many there are, in a signature: a record may call them otherwise
_REFERENCES = re.compile(r"\|refs:(\d+)")
HELD = 1024  # lists of statistics that are held before they are added up
CORPUS_INTERVAL = {"ci": f"percentile/{sums.RESAMPLES}/clusters", "seed": sums.SEED}


def summarise(
    records: Iterable[dict], metrics: Sequence[ChosenMetric], by: str, groups_by: str | None = None
) -> Iterator[dict]:
    """Yield what `Means.results` yields of scored records."""
    means = Means(metrics, by, groups_by, alone=True)
    for record in records:
        if record.get("history"):
            means.add(record, record["history"][-1])
    yield from means.results()


class Means:
    """Watches scored records: in one process, or as copies that are merged in order."""

    def __init__(
        self,
        metrics: Sequence[ChosenMetric],
        by: str,
        groups_by: str | None = None,
        alone: bool = False,
    ):
        """Take the metrics and the command that scored.

        groups_by: what results are grouped by; see gaps.py.
        alone: the records themselves are not written, and means have intervals: 16 bytes a score.
        """
        self.by, self.alone, self.metrics = by, alone, list(metrics)
        self.labels = {metric.label for metric in metrics}
        self.groups = gaps.Groups(groups_by, partial(GroupMeans, metrics=self.metrics, keep=alone))

    def add(self, record: dict, entry: dict) -> None:
        """Count a record in, unless it failed; entry: the last of its history."""
        if entry.get("by") == self.by and self.labels <= entry["signature"].keys():
            self.groups.of(record).add(record, entry)

    def merge(self, other: "Means") -> None:
        """Count in the records of another one, which come next."""
        for key, group in other.groups.items():
            self.groups.total(key, other.groups.unnamed).merge(group)

    def results(self) -> Iterator[dict]:
        """Yield one dict for each system, language and metric, and the gaps between groups.

        unit: of the numbers; see units.py.
        better: "higher" or "lower", null where neither is.
        mean: of the records' scores, of a metric that has no other score of a data set.
        mean_ci: its 95 % interval, if there are two clusters (ids without one) that differ.
        corpus, corpus_ci: the score of the data set as a whole, if the metric has one, and its
            bootstrap interval.
        margin: its margin of error at 95 %, if the metric knows it.
        sentence_mean, sentence_mean_ci: beside it, the mean of the records' scores; sentence_unit
            is its unit, if it is another, and sentence_signature says how it is made.
        n: number of records.
        empty: number of records whose scored text has no letter or digit.
        empty_reference: number of records compared only with texts without a letter or digit.
        without_gender and the like: what the metric counts beside its score (COUNTED), if any.
        note: why there is no corpus score, or no interval of it.
        """
        self.groups.require_named()
        summaries = (summary for group in self.groups.values() for summary in group.results())
        yield from gaps.added(summaries, self.groups.by, *VALUES)

    def passed_over(self) -> Iterator[str]:
        """Yield for each treebank how many of its sentences were compared with no record."""
        for texts, label in {metric.texts: metric.label for metric in self.metrics}.items():
            numbers: Counter = Counter()
            for (system, *_), group in self.groups.items():
                numbers[system] += group.totals[label].number
            size = compared_texts.treebank_size(texts.against)
            if size > (compared := max(numbers.values(), default=0)):
                yield (
                    f"{size - compared:,} of {size:,} sentences of {texts.against} were "
                    "compared with no record"
                )


class MetricTotals:
    """The numbers of one metric in one group; the order of records does not matter."""

    def __init__(self) -> None:
        self.sum, self.number = moments.Sum(), 0  # fewer than records where originals have no score
        self.references: set[int] = set()
        self.sample = clustered.ClusteredValues()  # the scores, where intervals are wanted
        # statistics: how many records have them, how many numbers a list has (0: they are counts)
        self.counted = self.width = 0
        self.lists: list[list[float]] = []  # still to be added to the sums
        self.sums: list[moments.Sum] = []
        self.counts: Counter[str] = Counter()
        self.statistics = sums.ClusteredStatistics()  # where intervals are wanted

    def add(self, row: Statistics) -> None:
        """Add the statistics of a record. Raise ValueError if they are of another kind."""
        width = 0 if isinstance(row, dict) else len(row)
        if self.counted and width != self.width:
            raise ValueError
        self.counted, self.width = self.counted + 1, width
        if isinstance(row, dict):
            self.counts.update(row)
        else:
            self.lists.append(row)
        if len(self.lists) == HELD:
            self._add_up()

    def _add_up(self) -> None:
        self.sums = self.sums or [moments.Sum() for _ in range(self.width)]
        for total, numbers in zip(self.sums, zip(*self.lists, strict=True), strict=False):
            total.add(*numbers)
        self.lists = []

    def row(self) -> Statistics:
        """Return the sums of statistics."""
        self._add_up()
        return [total.value() for total in self.sums] if self.width else dict(self.counts)

    def merge(self, other: "MetricTotals") -> None:
        """Take the numbers of another one."""
        self.sum.add(*other.sum.terms)
        self.number += other.number
        self.references |= other.references
        self.sample.merge(other.sample)
        self.counted += other.counted
        self.width = self.width or other.width
        self.counts.update(other.counts)
        self._add_up()
        other._add_up()
        for total, added in zip(self.sums, other.sums, strict=False):
            total.add(*added.terms)
        self.statistics.merge(other.statistics)


class GroupMeans:
    """The numbers of one group: one system in one language."""

    def __init__(self, head: dict, metrics: Sequence[ChosenMetric], keep: bool = False):
        """Take the head of results and the metrics; keep: keep the scores, for intervals."""
        self.head, self.metrics, self.keep = head, metrics, keep
        self.tally = chains.Tally()
        self.signed: dict[str, str] = {}
        self.totals = {metric.label: MetricTotals() for metric in metrics}
        # others hold their statistics, such as n-grams, and only for results alone
        self.resampled = {metric.label for metric in metrics if metric.is_resampled}
        self.units = {metric.label: units.of(metric) for metric in metrics}

    def add(self, record: dict, entry: dict) -> None:
        """Count a record in; entry: the last of its history."""
        self.tally.add(record, entry)
        scores, statistics = record["scores"], record.get("statistics") or {}
        if entry["signature"] != self.signed:  # else it has as many references as the one before
            self.signed = entry["signature"]
            for label, total in self.totals.items():
                number = _REFERENCES.search(self.signed[label])
                total.references.add(int(number[1]) if number else 0)
        key = stable_hash.rank(record.get("cluster", record["id"])) if self.keep else 0
        for label, total in self.totals.items():
            if label not in scores:
                continue
            if self.keep:
                total.sample.add(key, scores[label])
            if self.units[label].name == units.PERCENT:
                units.require_share(scores[label], label, record)
            total.sum.add(scores[label])
            total.number += 1
            if label in statistics and (self.keep or label in self.resampled):
                row = statistics[label]
                try:
                    total.add(row)
                except ValueError:
                    raise RecordError(
                        f'"statistics" of {label} are of another kind than before: {show(row)}',
                        record,
                    ) from None
                if self.keep and label in self.resampled:
                    total.statistics.add(key, row)

    def merge(self, other: "GroupMeans") -> None:
        """Count in the records of another one, which come next."""
        self.tally.merge(other.tally)
        for label, total in self.totals.items():
            total.merge(other.totals[label])

    def results(self) -> Iterator[gaps.Summary]:
        """Yield one result for each metric."""
        language = languages.get(self.head["lang"])
        for metric in self.metrics:  # a scorer could not be sent to another process
            yield self._result(bind(metric, language))

    def _result(self, scorer: Scorer) -> gaps.Summary:
        metric, total = scorer.metric, self.totals[scorer.label]
        unit, references = self.units[scorer.label], total.references
        # where parts are merged files may be others, or not there
        like = self.signed.get(scorer.label, "")
        result = {
            "metric": scorer.label,
            **self.head,
            "unit": unit.name,
            "better": units.better(metric),
            "n": total.number,
        }
        total_share = 100.0 if unit.name == units.PERCENT else None
        compared = clustered.mean(total.sample, unit.factor, total_share)
        mean = unit.factor * total.sum.value() / total.number if total.number else None
        name = SENTENCES if metric.has_corpus else MEAN
        of_records: dict = {name: mean}
        if self.keep:
            of_records[f"{name}_ci"] = clustered.interval(compared)
        of_scores = scorer.signature(references, like)
        signatures = {"signature": of_scores}
        if metric.has_corpus and total.counted == total.number:
            corpus, compared = self._corpus(scorer, total)
            result |= corpus
            if result["unit"] != unit.name:
                of_records["sentence_unit"] = unit.name
            drawn = CORPUS_INTERVAL if self.keep and metric.is_resampled else {}
            of_corpus = scorer.corpus_signature(references, like, **drawn)
            signatures = {"signature": of_corpus, "sentence_signature": of_scores}
        counts = self.tally.counts
        result |= of_records | {name: counts[name] for name in ("empty", "empty_reference")}
        result |= {name: counts[name] for name in metric.declared.counted if counts[name]}
        result |= signatures
        if note := _note(metric, total, self.keep):
            result["note"] = note
        return gaps.Summary(result | self.tally.ended(of_scores), compared)

    def _corpus(self, scorer: Scorer, total: MetricTotals) -> tuple[dict, clustered.Mean | None]:
        """Return the score of a data set with what else is known of it, and what gaps are of."""
        unit, rows = units.of_corpus(scorer.metric), [total.row()] if total.number else []

        def score(row: Statistics) -> float:
            return unit.factor * scorer.corpus([row])

        result: dict = {"unit": unit.name, CORPUS: score(rows[0]) if rows else None}
        if self.keep:
            result[f"{CORPUS}_ci"] = sums.interval(total.statistics, score)
        if rows:
            margin = scorer.margin(rows)
            result |= {name: unit.factor * value for name, value in margin.items()}
        is_compared = self.keep and "by" in self.head
        return result, sums.linearised(total.statistics, score) if is_compared else None


def _note(metric: ChosenMetric, total: MetricTotals, keep: bool) -> str:
    """Return why there is no corpus score, or no interval of it; "" if there is."""
    if not (metric.has_corpus and total.number):
        return ""
    if total.counted == total.number:
        return "" if metric.is_resampled or not keep else "no interval: samples repeat their texts"
    if not total.counted and not metric.is_resampled:
        return f"{metric.mean_note}: --summary"
    lacking = total.number - total.counted
    return f"{metric.mean_note}: {lacking:,} records lack the statistics that it is made of"


class Confusions(NamedTuple):
    """The pairs of labels of one metric, of one system in one language."""

    scorer: Scorer
    head: dict
    counts: Counter
    references: set[int]


def require_labels(metrics: Iterable[ChosenMetric]) -> None:
    """Raise OptionError unless all metrics compare labels."""
    for metric in metrics:
        if metric.declared.pairs is None:
            raise OptionError(
                f"{metric.label} compares no labels, which may be confused; "
                f"{', '.join(registry.declaring('metrics', 'pairs'))} do"
            )


def confusions(
    records: Iterable[dict], metrics: Sequence[ChosenMetric], by: str, groups_by: str | None = None
) -> Iterator[dict]:
    """Yield a result for each pair of labels: errors first, then right ones, by frequency.

    true, predicted: the labels; predicted is null where the system says nothing.
    n: how often.  share: of how often the true label is there, in percent.
    groups_by: what further groups are told apart by; see gaps.py.
    """

    def of_group(head: dict) -> list[Confusions]:
        language = languages.get(head["lang"])
        return [Confusions(bind(metric, language), head, Counter(), set()) for metric in metrics]

    groups = gaps.Groups(groups_by, of_group)
    for record in records:
        entry = record["history"][-1] if record.get("history") else {}
        if entry.get("by") != by:  # could not be scored
            continue
        for confusions in groups.of(record):
            label = confusions.scorer.label
            confusions.counts.update((record.get("statistics") or {}).get(label) or {})
            confusions.references.add(confusions.scorer.metric.number(record))
    groups.require_named()
    for scorer, head, counts, references in chain.from_iterable(groups.values()):
        pairs = {tuple(name.split("\t")): count for name, count in counts.items()}
        true: Counter = Counter()
        for (label, _), count in pairs.items():
            true[label] += count
        errors_first = sorted(
            pairs.items(), key=lambda pair: (pair[0][0] == pair[0][1], -pair[1], pair[0])
        )
        for (label, predicted), count in errors_first:
            yield {
                "metric": scorer.label,
                **head,
                "unit": units.PERCENT,
                "true": label,
                "predicted": predicted or None,
                "n": count,
                "share": 100 * count / true[label],
                "signature": scorer.signature(references),
            }
