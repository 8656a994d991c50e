"""Quality: the mean of each metric over records or, where it has one, its score of the data set.

That corpus score is made of the statistics of records, which add up.  The mean over records then
stands beside it under a name of its own, as it is another number.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from dialtools import languages
from dialtools.evaluation import chains, gaps, gold, units
from dialtools.evaluation.metric import Metric
from dialtools.evaluation.scorer import Scorer, Statistics, bind
from dialtools.statistics import clustered, moments, sums
from dialtools.system import stable_hash
from dialtools.system.errors import RecordError, show

# a result is of the first that it has
VALUES = CORPUS, SENTENCES, MEAN = "corpus", "sentence_mean", "mean"
# how many there are, in a signature: a record may call them otherwise
_REFERENCES = re.compile(r"\|refs:(\d+)")
HELD = 1024  # lists of statistics that are held before they are added up
CORPUS_INTERVAL = {"ci": f"percentile/{sums.RESAMPLES}/clusters", "seed": sums.SEED}


def summarise(
    records: Iterable[dict], metrics: Sequence[Metric], by: str, groups_by: str | None = None
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
        self, metrics: Sequence[Metric], by: str, groups_by: str | None = None, alone: bool = False
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

        unit: of the numbers; see scoring/units.py.
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
        results = (found for group in self.groups.values() for found in group.results())
        yield from gaps.added(results, self.groups.by, *VALUES)

    def passed_over(self) -> Iterator[str]:
        """Yield for each treebank how many of its sentences were compared with no record."""
        for texts, label in {metric.texts: metric.label for metric in self.metrics}.items():
            numbers: Counter = Counter()
            for (system, *_), group in self.groups.items():
                numbers[system] += group.totals[label].number
            known = gold.sentences(texts.against)
            if known > (compared := max(numbers.values(), default=0)):
                yield (
                    f"{known - compared:,} of {known:,} sentences of {texts.against} were "
                    "compared with no record"
                )


class MetricTotals:
    """The numbers of one metric in one group; the order of records does not matter."""

    def __init__(self) -> None:
        self.sum, self.number = moments.Sum(), 0  # fewer than records where originals have no score
        self.references: set[int] = set()
        self.sample = clustered.Sample()  # the scores, where intervals are wanted
        # statistics: how many records have them, how many numbers a list has (0: they are counts)
        self.counted = self.width = 0
        self.lists: list[list[float]] = []  # still to be added to the sums
        self.sums: list[moments.Sum] = []
        self.counts: Counter[str] = Counter()
        self.statistics = sums.Sample()  # where intervals are wanted

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

    def __init__(self, head: dict, metrics: Sequence[Metric], keep: bool = False):
        """Take the head of results and the metrics; keep: keep the scores, for intervals."""
        self.head, self.metrics, self.keep = head, metrics, keep
        self.counts: Counter = Counter()
        self.signed: dict[str, str] = {}
        self.chain, self.by = chains.Chain(), ""
        self.totals = {metric.label: MetricTotals() for metric in metrics}
        # others hold their statistics, such as n-grams, and only for results alone
        self.resampled = {metric.label for metric in metrics if metric.is_resampled}
        self.units = {metric.label: units.of(metric) for metric in metrics}

    def _scorers(self) -> list[Scorer]:  # no process could send them to another
        language = languages.get(self.head["lang"])
        return [bind(metric, language) for metric in self.metrics]

    def add(self, record: dict, entry: dict) -> None:
        """Count a record in; entry: the last of its history."""
        self.chain.add(record)
        self.by = entry["by"]
        for name, count in entry["counts"].items():
            self.counts[name] += count
        scores, statistics = record["scores"], record.get("statistics") or {}
        if entry["signature"] != self.signed:  # else it has as many references as the one before
            self.signed = entry["signature"]
            for label, total in self.totals.items():
                number = _REFERENCES.search(self.signed[label])
                total.references.add(int(number[1]) if number else 0)
        key = stable_hash.rank(record.get("cluster", record["id"])) if self.keep else 0
        for label, total in self.totals.items():
            if label in scores:
                if self.keep:
                    total.sample.add(key, scores[label])
                if self.units[label].name == units.PERCENT:
                    units.require_share(scores[label], label, record)
                total.sum.add(scores[label])
                total.number += 1
                if label in statistics and (self.keep or label in self.resampled):
                    self._add_statistics(label, key, record)

    def _add_statistics(self, label: str, key: int, record: dict) -> None:
        row, total = record["statistics"][label], self.totals[label]
        try:
            total.add(row)
        except ValueError:
            raise RecordError(
                f'"statistics" of {label} are of another kind than before: {show(row)}', record
            ) from None
        if self.keep and label in self.resampled:
            total.statistics.add(key, row)

    def merge(self, other: "GroupMeans") -> None:
        """Count in the records of another one, which come next."""
        self.counts.update(other.counts)
        self.chain.merge(other.chain)
        self.by = self.by or other.by
        for label, total in self.totals.items():
            total.merge(other.totals[label])

    def results(self) -> Iterator[gaps.Found]:
        """Yield one result for each metric."""
        yield from map(self._result, self._scorers())

    def _result(self, scorer: Scorer) -> gaps.Found:
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
        result |= of_records
        result |= {name: self.counts[name] for name in ("empty", "empty_reference")}
        counted = metric.declared.counted
        result |= {name: self.counts[name] for name in counted if self.counts[name]}
        result |= signatures
        if note := _note(metric, total, self.keep):
            result["note"] = note
        result |= chains.ended(self.chain.facts(), self.by, of_scores)
        return gaps.Found(result, compared)

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


def _note(metric: Metric, total: MetricTotals, keep: bool) -> str:
    """Return why there is no corpus score, or no interval of it; "" if there is."""
    if not (metric.has_corpus and total.number):
        return ""
    if total.counted == total.number:
        return "" if metric.is_resampled or not keep else "no interval: samples repeat their texts"
    if not total.counted and not metric.is_resampled:
        return f"{metric.mean_note}: --summary"
    lacking = total.number - total.counted
    return f"{metric.mean_note}: {lacking:,} records lack the statistics that it is made of"
