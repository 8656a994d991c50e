"""Quality: the mean of each metric over the scored records, and the corpus score where they have statistics."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from dialtools import dialogue, scoring
from dialtools.summaries import gaps

VALUE = "mean"  # what gaps are of

Metrics = Sequence[str | Callable]


def watch(records: Iterable[dict], metric: Metrics, by: str, results: list[dict],
          groups_by: str | None = None) -> Iterator[dict]:
    """Yield scored records as they come; at their end `results` holds one dict for each system, language and metric.

    groups_by: what further groups are told apart by; see gaps.py.

    mean: of the records' scores, in the metric's own unit; it is no corpus score.
    corpus: the score of the data set as a whole, of metrics whose statistics the records have.
    margin: its margin of error at 95 %, of metrics that know it.
    n: number of records.  empty: how many of them had a prediction, or what is scored instead (of=KEY),
        without a letter or digit.
    empty_reference: how many had references, none of them with a letter or digit.
    """
    labels = {scoring.label(spec) for spec in metric}
    totals = gaps.Groups(groups_by)
    for record in records:
        yield record
        entry = record["history"][-1] if record.get("history") else {}
        if entry.get("by") == by and labels <= entry["signature"].keys():  # else it could not be scored
            name = gaps.group(record, groups_by) if groups_by else None
            key, head = totals.place(record.get("system"), dialogue.lang(record), name)
            if name is None and groups_by and not totals.unnamed:
                totals.unnamed = gaps.there(record)
            if key not in totals:
                totals[key] = Totals(head, metric)
            totals[key].add(record)
    totals.check()
    results += gaps.added((result for total in totals.values() for result in total.results()), groups_by, VALUE)


def summarise(records: Iterable[dict], metric: Metrics, by: str, groups_by: str | None = None) -> Iterator[dict]:
    """Yield the results alone."""
    results: list[dict] = []
    for _ in watch(records, metric, by, results, groups_by):
        pass
    yield from results


class Totals:
    """The sums over the records of one group: one system in one language."""

    def __init__(self, head: dict, metric: Metrics):
        self.head = head
        self.scorers = [scoring.bind(spec, head["lang"]) for spec in metric]
        self.counts: Counter = Counter()
        self.sums: dict[str, float] = {scorer.plugin.label: 0.0 for scorer in self.scorers}
        self.numbers = dict.fromkeys(self.sums, 0)  # fewer than records where originals have no score
        self.references: dict[str, set[int]] = {label: set() for label in self.sums}
        self.statistics: dict[str, list[scoring.Row]] = {}  # what adds up as one row of sums

    def add(self, record: dict) -> None:
        """Count a record in."""
        self.counts["n"] += 1
        for name, count in record["history"][-1]["counts"].items():
            self.counts[name] += count
        sums, scores, statistics = self.sums, record["scores"], record.get("statistics") or {}
        for scorer in self.scorers:
            label = scorer.plugin.label
            if label in scores:
                sums[label] += scores[label]
                self.numbers[label] += 1
                self.references[label].add(scorer.number(record))
                if label in statistics:
                    _add(self.statistics.setdefault(label, []), statistics[label])

    def results(self) -> Iterator[dict]:
        """Yield one result for each metric."""
        for scorer in self.scorers:
            label = scorer.plugin.label
            n, rows = self.numbers[label], self.statistics.get(label)
            corpus = {} if rows is None else {"corpus": scorer.corpus(rows), **scorer.margin(rows)}
            signed = {} if rows is None else {"corpus_signature": scorer.corpus_signature(self.references[label])}
            yield {"metric": label, **self.head, "n": n, "mean": self.sums[label] / n if n else None, **corpus,
                   "empty": self.counts["empty"], "empty_reference": self.counts["empty_reference"],
                   "signature": scorer.signature(self.references[label]), **signed}


def _add(rows: list[scoring.Row], row: scoring.Row) -> None:
    """Add a row of statistics: numbers to the sums of those before, anything else as one more row."""
    if isinstance(row, dict):
        if not rows:
            rows.append(Counter[str]())  # type: ignore[arg-type]
        rows[0].update(row)  # type: ignore[union-attr]
    elif rows and row and all(isinstance(value, (int, float)) for value in row):  # no words at all is a row of words
        rows[0] = [total + value for total, value in zip(rows[0], row, strict=True)]
    else:
        rows.append(row)
