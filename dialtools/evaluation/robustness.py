"""Robustness: how much worse, or merely other, outputs are after each kind of perturbation.

For an original x with output f(x), and a perturbed copy x' with f(x'), with
Score rescaled to 0–1 and all in percent:
consistency   1 − Score(f(x), f(x')): how far the output changes
saliency      |Score(y, f(x)) − Score(y, f(x'))| / Score(y, f(x)), y the reference
faithfulness  |Score(x, f(x)) − Score(x, f(x'))| / Score(x, f(x)), x the original
              dialogue (or text) for both
0 is robust.  A source's value is the mean over its variants of a kind, of a
family of kinds (typo, dialogue, …) or of all kinds; the data set's value is the
mean over its sources, with a normal interval from 10,000 bootstrap samples of
dialogues (clusters); where all values of consistency are 0 or 100 it is Wilson's.
If Score(…, f(x)) is 0 there is no quotient, and below 0.01 % (BLEU of a sentence
with a dialogue) it is meaningless: it is left out and counted as zero_denominator.
Sources without a reference have no saliency, those with neither dialogue nor text
no faithfulness; both are counted.  Unchanged variants count; "changed" has the
means without them.  r is Pearson's correlation of two dimensions over variants.
Sources without variants are left out; it is an error if none has any.

Source: "Evaluating Robustness of Open Dialogue Summarization Models in the
Presence of Naturally Occurring Variations", section 4.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from math import fsum
from typing import NamedTuple

from dialtools import languages
from dialtools.evaluation import chains, endings, gaps, units
from dialtools.evaluation.dimensions import (
    DIMENSIONS,
    LEVEL,
    NO_DIALOGUE,
    RESAMPLES,
    SEED,
    mean_of_known,
    signature,
    varied,
)
from dialtools.evaluation.metric import Metric
from dialtools.evaluation.scorer import Scorer, bind
from dialtools.evaluation.variants import of_names
from dialtools.records import history
from dialtools.statistics import clustered, moments
from dialtools.system import stable_hash

VALUE = "consistency"  # what gaps are of
EVERYTHING = "all"
_ROUNDING = 1e-12


def summarise(
    sources: Iterable[dict], metrics: Sequence[Metric], groups_by: str | None = None
) -> Iterator[dict]:
    """Yield one result for each system, language, kind (family, all) and metric.

    sources: what `dimensions.sources` makes.
    """
    groups, sizes = gaps.Groups(groups_by, lambda head: (head, {})), endings.Sizes()
    for source in varied(sizes.watched(sources)):
        if "rows" in source:  # else it could not be scored
            _, own = groups.of_source(source)
            for name in (source["variant"], f"{source['variant'].partition('.')[0]}.*", EVERYTHING):
                own.setdefault(name, KindValues(name)).add(source)
    groups.require_named()
    found = (
        one._replace(result=endings.with_note(one.result, sizes.note()))
        for one in _results(groups.values(), metrics)
    )
    yield from gaps.added(found, groups_by, VALUE)


def _results(
    groups: Iterable[tuple[dict, dict[str, "KindValues"]]], metrics: Sequence[Metric]
) -> Iterator[gaps.Found]:
    for head, kinds in groups:
        language = languages.get(head["lang"])
        scorers = [bind(own, language) for own in metrics]
        for values in _worth_a_line(kinds):
            yield from (
                gaps.Found(values.result(own, head), values.mean(own.label)) for own in scorers
            )


def _worth_a_line(totals: dict[str, "KindValues"]) -> Iterator["KindValues"]:
    """Yield the values of kinds, of families of several kinds, and of all if several."""
    kinds = [
        total for name, total in totals.items() if name != EVERYTHING and not name.endswith(".*")
    ]
    wide = [total for name, total in totals.items() if name.endswith(".*") and len(total.kinds) > 1]
    yield from kinds
    yield from wide
    if len(kinds) > 1:
        yield totals[EVERYTHING]


class Values(NamedTuple):
    """The values of each source in one dimension: their sum, and how many there are."""

    sums: array
    numbers: array

    def add(self, source: int, values: Iterable[float | None]) -> None:
        """Add the values that there are to those of a source; it may be the next one."""
        if source == len(self.sums):
            self.sums.append(0.0)
            self.numbers.append(0)
        known = [value for value in values if value is not None]
        self.sums[source] += fsum(known)
        self.numbers[source] += len(known)

    def means(self) -> list[float | None]:
        """Return each source's mean, None where it has no value."""
        return [
            total / number if number else None
            for total, number in zip(self.sums, self.numbers, strict=True)
        ]


class KindValues:
    """The values of one kind or several, for one system in one language."""

    def __init__(self, name: str):
        self.name = name
        self.kinds: set[str] = set()
        self.counts: Counter = Counter()
        self.references: set[int] = set()
        self.sources: dict[str | int, int] = {}  # id -> place
        self.clusters: list[str | int] = []
        self.chain, self.by = chains.Chain(), ""
        self.values: defaultdict[tuple, Values] = defaultdict(
            lambda: Values(array("d"), array("Q"))
        )
        self.moments: defaultdict[tuple, list[moments.Sum]] = defaultdict(
            lambda: [moments.Sum() for _ in range(6)]
        )

    def add(self, source: dict) -> None:
        """Count a source's variants of one kind in."""
        self.kinds.add(source["variant"])
        entry = source["history"][-1]
        self.by = entry["by"]
        self.counts.update(entry["counts"])
        self.references.add(source["references"])
        is_new = source["id"] not in self.sources
        self.chain.add(source if is_new else chains.without_originals(source))
        if is_new:
            self.sources[source["id"]] = len(self.sources)
            self.clusters.append(source.get("cluster", source["id"]))
            self.counts["no_reference"] += not source["references"]
            self.counts[NO_DIALOGUE] += NO_DIALOGUE in source
        at = self.sources[source["id"]]
        for label, rows in source["rows"].items():
            values, of_changed = _columns(rows), _columns(source["changed"][label])
            for dimension in DIMENSIONS:
                self.values[label, dimension].add(at, values[dimension])
                self.values[label, dimension, "changed"].add(at, of_changed[dimension])
            self._correlate(label, values)
            if source["references"]:
                self.counts[label, "saliency"] += values["saliency"].count(None)
            if NO_DIALOGUE not in source:
                self.counts[label, "faithfulness"] += values["faithfulness"].count(None)

    def _correlate(self, label: str, values: dict[str, list[float | None]]) -> None:
        """Add to the sums from which Pearson's r follows, of variants that have both values."""
        for one, other in combinations(DIMENSIONS, 2):
            sums = self.moments[label, one, other]
            for x, y in zip(values[one], values[other], strict=True):
                if x is not None and y is not None:
                    for total, term in zip(sums, (1, x, y, x * x, y * y, x * y), strict=True):
                        total.add(term)

    def result(self, scorer: Scorer, head: dict) -> dict:
        """Return the result for one metric."""
        label, counts = scorer.label, self.counts
        result = {
            "metric": label,
            **head,
            "kind": history.typed(self.name),
            "unit": units.of_changes(scorer.metric),
            "better": "lower",
            "n": len(self.sources),
            "variants": counts["variants"],
        }
        drawn: list[int] = []
        for dimension in DIMENSIONS:
            means = self.values[label, dimension].means()
            rows = self._rows(means)
            result |= {dimension: mean_of_known(means), f"{dimension}_ci": _interval(rows)}
            if dimension == VALUE and (changed := self.mean(label)) and changed.proportion_of:
                result[f"{VALUE}_ci"] = clustered.interval(changed)
            if len(rows) > 1:
                drawn.append(len(rows))
        result |= {name: counts[name] for name in ("unchanged", "empty", "no_reference")}
        if counts[NO_DIALOGUE]:
            result[NO_DIALOGUE] = counts[NO_DIALOGUE]
        result["changed"] = {
            dimension: mean_of_known(self.values[label, dimension, "changed"].means())
            for dimension in DIMENSIONS
        }
        result["zero_denominator"] = {
            dimension: counts[label, dimension] for dimension in DIMENSIONS[1:]
        }
        result |= {"r": self._correlations(label), "signature": signature(scorer, self.references)}
        if told := [
            text for text in (scorer.metric.mean_note, of_names(counts), _few(drawn)) if text
        ]:
            result["note"] = "; ".join(told)
        return result | chains.ended(self.chain.facts(), self.by, result["signature"])

    def mean(self, label: str) -> clustered.Mean | None:
        """Return the mean of consistency over sources, with their dialogues."""
        sample = clustered.Sample()
        for at, value in enumerate(self.values[label, VALUE].means()):
            if value is not None:
                sample.add(stable_hash.digest("cluster", self.clusters[at]), value)
        return clustered.mean(sample, proportion_of=100.0 if any(sample.values) else None)

    def _rows(self, means: list[float | None]) -> list[list[float]]:
        """Return [sum, number] over the sources of each cluster with a value, in order of ids."""
        rows: dict[str | int, list[float]] = {}
        # what is drawn does not depend on the order of the input
        for id in sorted(self.sources, key=repr):
            cluster, mean = self.clusters[self.sources[id]], means[self.sources[id]]
            if mean is not None:
                total, number = rows.get(cluster, (0.0, 0))
                rows[cluster] = [total + mean, number + 1]
        return list(rows.values())

    def _correlations(self, label: str) -> dict[str, float | None]:
        found: dict[str, float | None] = {}
        for one, other in combinations(DIMENSIONS, 2):
            n, x, y, xx, yy, xy = (total.value() for total in self.moments[label, one, other])
            spreads = n * xx - x * x, n * yy - y * y
            varies = n > 2 and spreads[0] > _ROUNDING * n * xx and spreads[1] > _ROUNDING * n * yy
            r = (n * xy - x * y) / (spreads[0] * spreads[1]) ** 0.5 if varies else None
            found[f"{one}/{other}"] = None if r is None else max(-1.0, min(1.0, r))
        return found


def _columns(rows: list[list[float | None]]) -> dict[str, list[float | None]]:
    """Return the values of variants under their dimensions."""
    return {dimension: [row[at] for row in rows] for at, dimension in enumerate(DIMENSIONS)}


def _interval(rows: list[list[float]]) -> list[float] | None:
    """Return the bootstrap interval of the mean over sources; None for fewer than two clusters."""
    if len(rows) < 2:
        return None
    import numpy

    from dialtools.statistics import resampling

    matrix = numpy.array(rows)
    drawn = resampling.bootstrap(matrix, lambda sums: sums[:, 0] / sums[:, 1], RESAMPLES, SEED)
    return resampling.interval(
        "normal", LEVEL, float(matrix[:, 0].sum() / matrix[:, 1].sum()), drawn, None
    )


def _few(drawn: list[int]) -> str:
    """Return a note on intervals from few dialogues; "" if there are enough."""
    from dialtools.statistics.results import few_drawn

    return few_drawn(min(drawn), "dialogues") if drawn else ""
