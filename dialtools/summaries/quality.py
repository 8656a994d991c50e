"""Quality: the mean of each metric over the scored records, and the corpus score where they have statistics."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial

from dialtools.scoring import binding, comparands, gold
from dialtools.scoring.binding import Metrics
from dialtools.statistics import moments
from dialtools.summaries import gaps

VALUE = "mean"  # what gaps are of, where there is no corpus score
_REFERENCES = re.compile(r"\|refs:(\d+)")  # how many there are, in a signature: a record may call them otherwise
HELD = 1024  # rows of statistics that are held before they are added up


def summarise(records: Iterable[dict], metric: Metrics, by: str, groups_by: str | None = None) -> Iterator[dict]:
    """Yield what `Means.results` yields of scored records."""
    means = Means(metric, by, groups_by)
    for record in records:
        if record.get("history"):
            means.add(record, record["history"][-1])
    yield from means.results()


class Means:
    """Watches scored records, in one process or, as copies that are merged in their order, in several."""

    def __init__(self, metric: Metrics, by: str, groups_by: str | None = None, alone: bool = False):
        """Take metrics, the command that scored, and the rest.

        groups_by: what further groups are told apart by; see gaps.py.
        alone: the records themselves are not written.
        """
        self.by, self.alone, self.metric = by, alone, metric
        self.labels = {binding.label(spec) for spec in metric}
        self.totals = gaps.Groups(groups_by, partial(Totals, metric=metric))

    def add(self, record: dict, entry: dict) -> bool:
        """Count a record in, unless it could not be scored; entry: the last of its history."""
        if entry.get("by") == self.by and self.labels <= entry["signature"].keys():
            self.totals.of(record).add(record, entry)
        return not self.alone

    def merge(self, other: "Means") -> None:
        """Count in the records of another one, which come next."""
        for key, total in other.totals.items():
            self.totals.total(key, other.totals.unnamed).merge(total)

    def results(self) -> Iterator[dict]:
        """Yield one dict for each system, language and metric, and the gaps between groups.

        mean: of the records' scores, in the metric's own unit; it is no corpus score.
        corpus: the score of the data set as a whole, of metrics whose statistics the records have.
        margin: its margin of error at 95 %, of metrics that know it.
        n: number of records.  empty: how many of them had a prediction, or what is scored instead (of=KEY),
            without a letter or digit.
        empty_reference: how many had references, none of them with a letter or digit, or such an original, where that
            is what they are compared with.
        without_gender and the like: what a metric counts beside its score (COUNTED), where there is any.
        note: that the mean is not what the metric is known as, without statistics.
        """
        self.totals.check()
        results = (result for total in self.totals.values() for result in total.results())
        yield from gaps.added(results, self.totals.by, "corpus", VALUE)

    def passed_over(self) -> Iterator[str]:
        """Yield, for each treebank that records were compared with, how many of its sentences none was."""
        for asked, label in {comparands.asked(spec)._replace(spec=""): binding.label(spec)
                             for spec in self.metric}.items():
            numbers: Counter = Counter()
            for (system, *_), totals in self.totals.items():
                numbers[system] += totals.totals[label].number
            known = gold.sentences(asked)
            if known > (compared := max(numbers.values(), default=0)):
                yield f"{known - compared:,} of {known:,} sentences of {asked.against} were compared with no record"


class Total:
    """The numbers of one metric in one group; statistics are added up in the records' order, whoever read them."""

    def __init__(self) -> None:
        self.sum, self.number = moments.Sum(), 0  # fewer than records where originals have no score
        self.references: set[int] = set()
        self.rows: list[binding.Row] = []  # statistics; what adds up as one row of sums
        self.new: list[binding.Row] = []  # still to be added

    def merge(self, other: "Total") -> None:
        """Take the numbers of another one, which come next."""
        self.settle()
        self.sum.add(*other.sum.terms)
        self.number += other.number
        self.references |= other.references
        self.new += other.rows + other.new
        self.settle()

    def settle(self) -> None:
        """Add up what is held."""
        for row in self.new:
            _add(self.rows, row)
        self.new = []


class Totals:
    """The numbers of one group: one system in one language."""

    def __init__(self, head: dict, metric: Metrics):
        self.head, self.metric = head, metric
        self.counts: Counter = Counter()
        self.signed: dict[str, str] = {}
        self.totals = {binding.label(spec): Total() for spec in metric}

    def _scorers(self) -> list[binding.Scorer]:  # no process could send them to another
        return [binding.bind(spec, self.head["lang"]) for spec in self.metric]

    def add(self, record: dict, entry: dict) -> None:
        """Count a record in; entry: the last of its history."""
        for name, count in entry["counts"].items():
            self.counts[name] += count
        scores, statistics = record["scores"], record.get("statistics") or {}
        if entry["signature"] != self.signed:  # else it has as many references as the one before
            self.signed = entry["signature"]
            for label, total in self.totals.items():
                number = _REFERENCES.search(self.signed[label])
                total.references.add(int(number[1]) if number else 0)
        for label, total in self.totals.items():
            if label in scores:
                total.sum.add(scores[label])
                total.number += 1
                if label in statistics:
                    total.new.append(statistics[label])
                    if len(total.new) == HELD:
                        total.settle()

    def merge(self, other: "Totals") -> None:
        """Count in the records of another one, which come next."""
        self.counts.update(other.counts)
        for label, total in self.totals.items():
            total.merge(other.totals[label])

    def results(self) -> Iterator[dict]:
        """Yield one result for each metric."""
        for scorer in self._scorers():
            total = self.totals[scorer.plugin.label]
            total.settle()
            n, rows, references = total.number, total.rows, total.references
            like = self.signed.get(scorer.plugin.label, "")  # where parts are merged files may be others, or not there
            result = {"metric": scorer.plugin.label, **self.head,
                      "n": n, "mean": total.sum.value() / n if n else None}
            if rows:
                result |= {"corpus": scorer.corpus(rows), **scorer.margin(rows)}
            result |= {"empty": self.counts["empty"], "empty_reference": self.counts["empty_reference"]}
            result |= {name: self.counts[name] for name in scorer.plugin.constant("COUNTED", ()) if self.counts[name]}
            result["signature"] = scorer.signature(references, like)
            if rows:
                result["corpus_signature"] = scorer.corpus_signature(references, like)
            elif n and (told := binding.of_mean(scorer.plugin)):
                result["note"] = f"{told}: --stats"
            yield result


def _add(rows: list[binding.Row], row: binding.Row) -> None:
    """Add a row of statistics: numbers to the sums of those before, anything else as one more row."""
    if isinstance(row, dict):
        if not rows:
            rows.append(Counter[str]())  # type: ignore[arg-type]
        rows[0].update(row)  # type: ignore[union-attr]
    elif rows and row and all(isinstance(value, (int, float)) for value in row):  # no words at all is a row of words
        rows[0] = [total + value for total, value in zip(rows[0], row, strict=True)]
    else:
        rows.append(row)
