"""Quality: the mean of each metric over records, and the corpus score from their statistics."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from dialtools import languages
from dialtools.evaluation import chains, gaps, gold, units
from dialtools.evaluation.metric import Metric
from dialtools.evaluation.scorer import Scorer, Statistics, bind
from dialtools.statistics import clustered, moments
from dialtools.system import stable_hash

VALUE = "mean"  # what gaps are of, where there is no corpus score
# how many there are, in a signature: a record may call them otherwise
_REFERENCES = re.compile(r"\|refs:(\d+)")
HELD = 1024  # rows of statistics that are held before they are added up


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
        mean: of the records' scores; not the corpus score.
        mean_ci: its 95 % interval, if there are two clusters (ids without one) that differ.
        corpus: the score of the data set as a whole, if the records have statistics for it.
        corpus_unit: its unit, if it is another.
        margin: its margin of error at 95 %, if the metric knows it.
        n: number of records.
        empty: number of records whose scored text has no letter or digit.
        empty_reference: number of records compared only with texts without a letter or digit.
        without_gender and the like: what the metric counts beside its score (COUNTED), if any.
        note: that people know another value by the metric's name, if there are no statistics.
        """
        self.groups.require_named()
        results = (found for group in self.groups.values() for found in group.results())
        yield from gaps.added(results, self.groups.by, "corpus", VALUE)

    def passed_over(self) -> Iterator[str]:
        """Yield for each treebank how many of its sentences were compared with no record."""
        for texts, label in {metric.texts: metric.label for metric in self.metrics}.items():
            numbers: Counter = Counter()
            for (system, *_), group in self.groups.items():
                numbers[system] += group.means[label].number
            known = gold.sentences(texts.against)
            if known > (compared := max(numbers.values(), default=0)):
                yield (
                    f"{known - compared:,} of {known:,} sentences of {texts.against} were "
                    "compared with no record"
                )


class MetricMean:
    """The numbers of one metric in one group; statistics are added up in the order of records."""

    def __init__(self) -> None:
        self.sum, self.number = moments.Sum(), 0  # fewer than records where originals have no score
        self.references: set[int] = set()
        self.rows: list[Statistics] = []  # statistics; what adds up as one row of sums
        self.new: list[Statistics] = []  # still to be added
        self.sample = clustered.Sample()

    def merge(self, other: "MetricMean") -> None:
        """Take the numbers of another one, which come next."""
        self.settle()
        self.sum.add(*other.sum.terms)
        self.number += other.number
        self.references |= other.references
        self.new += other.rows + other.new
        self.sample.merge(other.sample)
        self.settle()

    def settle(self) -> None:
        """Add up what is held."""
        for row in self.new:
            _add(self.rows, row)
        self.new = []


class GroupMeans:
    """The numbers of one group: one system in one language."""

    def __init__(self, head: dict, metrics: Sequence[Metric], keep: bool = False):
        """Take the head of results and the metrics; keep: keep the scores, for intervals."""
        self.head, self.metrics, self.keep = head, metrics, keep
        self.counts: Counter = Counter()
        self.signed: dict[str, str] = {}
        self.chain, self.by = chains.Chain(), ""
        self.means = {metric.label: MetricMean() for metric in metrics}
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
            for label, total in self.means.items():
                number = _REFERENCES.search(self.signed[label])
                total.references.add(int(number[1]) if number else 0)
        cluster = record.get("cluster", record["id"]) if self.keep else ""
        key = stable_hash.digest("cluster", cluster) if self.keep else 0
        for label, total in self.means.items():
            if label in scores:
                if self.keep:
                    total.sample.add(key, scores[label])
                if self.units[label].name == units.PERCENT:
                    units.require_share(scores[label], label, record)
                total.sum.add(scores[label])
                total.number += 1
                if label in statistics:
                    total.new.append(statistics[label])
                    if len(total.new) == HELD:
                        total.settle()

    def merge(self, other: "GroupMeans") -> None:
        """Count in the records of another one, which come next."""
        self.counts.update(other.counts)
        self.chain.merge(other.chain)
        self.by = self.by or other.by
        for label, total in self.means.items():
            total.merge(other.means[label])

    def results(self) -> Iterator[gaps.Found]:
        """Yield one result for each metric."""
        for scorer in self._scorers():
            total = self.means[scorer.label]
            total.settle()
            n, rows, references = total.number, total.rows, total.references
            unit = self.units[scorer.label]
            # where parts are merged files may be others, or not there
            like = self.signed.get(scorer.label, "")
            result = {
                "metric": scorer.label,
                **self.head,
                "unit": unit.name,
                "better": units.better(scorer.metric),
                "n": n,
                "mean": unit.factor * total.sum.value() / n if n else None,
            }
            total_share = 100.0 if unit.name == units.PERCENT else None
            own = clustered.mean(total.sample, unit.factor, total_share)
            if self.keep:
                result["mean_ci"] = clustered.interval(own)
            result |= _corpus(scorer, rows, unit) if rows else {}
            result |= {
                "empty": self.counts["empty"],
                "empty_reference": self.counts["empty_reference"],
            }
            result |= {
                name: self.counts[name]
                for name in scorer.metric.declared.counted
                if self.counts[name]
            }
            result["signature"] = scorer.signature(references, like)
            if rows:
                result["corpus_signature"] = scorer.corpus_signature(references, like)
            elif n and (told := scorer.metric.mean_note):
                result["note"] = f"{told}: --stats"
            result |= chains.ended(self.chain.facts(), self.by, result["signature"])
            yield gaps.Found(result, None if rows else own)


def _corpus(scorer: Scorer, rows: list[Statistics], of_records: units.Unit) -> dict:
    """Return the score of a data set with what else is known of it."""
    unit = units.of_corpus(scorer.metric)
    found = {"corpus": unit.factor * scorer.corpus(rows)}
    found |= {name: unit.factor * value for name, value in scorer.margin(rows).items()}
    return found | ({"corpus_unit": unit.name} if unit.name != of_records.name else {})


def _add(rows: list[Statistics], row: Statistics) -> None:
    """Add a row of statistics: numbers to the sums, anything else as one more row."""
    if isinstance(row, dict):
        if not rows:
            rows.append(Counter[str]())  # type: ignore[arg-type]
        rows[0].update(row)  # type: ignore[union-attr]
    # no words at all is a row of words
    elif rows and row and all(isinstance(value, (int, float)) for value in row):
        rows[0] = [total + value for total, value in zip(rows[0], row, strict=True)]
    else:
        rows.append(row)
