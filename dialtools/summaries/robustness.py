"""Robustness: how much worse, or merely other, outputs are after each kind of perturbation.

For an original x with output f(x), and a perturbed copy x' with f(x'), with
Score rescaled to 0–1 and all in percent:
consistency   1 − Score(f(x), f(x')): how far the output changes
saliency      |Score(y, f(x)) − Score(y, f(x'))| / Score(y, f(x)), y the reference
faithfulness  |Score(x, f(x)) − Score(x, f(x'))| / Score(x, f(x)), x the original
              dialogue (or text) for both
0 is robust.  A source's value is the mean over its variants of a kind, the data
set's the mean over its sources, with an interval from 10,000 bootstrap samples
of dialogues (clusters), normal; it is given for each kind, for each family
(typo, dialogue, …) over its kinds, and for all.  Where Score(…, f(x)) is 0 the
quotient does not exist, and below 0.01 % (BLEU of a sentence with a dialogue) it
says nothing: it is left out and counted as zero_denominator.  Sources without
reference have no saliency, and are counted, too.  Variants that the perturbation
left unchanged count; "changed" has the means without them.  r has Pearson's
correlation of the dimensions over variants.  A source without variants has no
part in it; if none has any, that is an error.

Source: "Evaluating Robustness of Open Dialogue Summarization Models in the
Presence of Naturally Occurring Variations", section 4.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations
from math import fsum

from dialtools import moments
from dialtools.scoring import binding
from dialtools.scoring.binding import Metrics
from dialtools.summaries import gaps
from dialtools.summaries.compared import compared
from dialtools.summaries.perturbed import DIMENSIONS, LEVEL, RESAMPLES, SEED, mean_of_known, signature
from dialtools.summaries.variants import of_names

VALUE = "consistency"  # what gaps are of
EVERYTHING = "all"
_ROUNDING = 1e-12


def summarise(records: Iterable[dict], metric: Metrics, groups_by: str | None = None) -> Iterator[dict]:
    """Yield one result for each system, language, kind (family, all) and metric from what `perturbed.sources` makes."""
    totals = gaps.Groups(groups_by, lambda head: (head, {}))
    for source in compared(records):
        if "rows" in source:  # else it could not be scored
            _, own = totals.total(gaps.key(source, source.get("group")), source.get("there", ()))
            for name in (source["variant"], f"{source['variant'].partition('.')[0]}.*", EVERYTHING):
                own.setdefault(name, Totals(name)).add(source)
    totals.check()
    yield from gaps.added(_results(totals.values(), metric), groups_by, VALUE)


def _results(totals: Iterable[tuple[dict, dict[str, "Totals"]]], metric: Metrics) -> Iterator[dict]:
    for head, own in totals:
        scorers = [binding.bind(spec, head["lang"]) for spec in metric]
        for total in _worth_a_line(own):
            for scorer in scorers:
                yield total.result(scorer, head)


def _worth_a_line(totals: dict[str, "Totals"]) -> Iterator["Totals"]:
    """Yield the totals of kinds, then of families of more than one kind, then that of all of more than one."""
    kinds = [total for name, total in totals.items() if name != EVERYTHING and not name.endswith(".*")]
    wide = [total for name, total in totals.items() if name.endswith(".*") and len(total.kinds) > 1]
    yield from kinds
    yield from wide
    if len(kinds) > 1:
        yield totals[EVERYTHING]


class Totals:
    """The values of one kind, or of several, for one system in one language; some numbers for each source."""

    def __init__(self, name: str):
        self.name = name
        self.kinds: set[str] = set()
        self.counts: Counter = Counter()
        self.references: set[int] = set()
        self.sources: dict[str | int, int] = {}
        self.clusters: list[str | int] = []
        self.sums: dict[tuple, array] = {}  # (label, dimension or what else) -> a sum and a number for each source
        self.moments: dict[tuple, list[moments.Sum]] = {}

    def add(self, source: dict) -> None:
        """Count a source's variants of one kind in."""
        self.kinds.add(source["variant"])
        self.counts.update(source["history"][-1]["counts"])
        self.references.add(source["references"])
        at = self.sources.setdefault(source["id"], len(self.sources))
        if at == len(self.clusters):
            self.clusters.append(source.get("cluster", source["id"]))
            self.counts["no_reference"] += not source["references"]
        for label, rows in source["rows"].items():
            for place, dimension in enumerate(DIMENSIONS):
                self._add((label, dimension), at, [row[place] for row in rows])
                self._add((label, dimension, "changed"), at, [row[place] for row in source["changed"][label]])
            self._correlate(label, rows)
            if source["references"]:
                self.counts[label, "saliency"] += sum(row[1] is None for row in rows)
            self.counts[label, "faithfulness"] += sum(row[2] is None for row in rows)

    def _add(self, key: tuple, at: int, values: list[float | None]) -> None:
        numbers = [value for value in values if value is not None]
        sums = self.sums.setdefault(key, array("d"))
        sums.extend([0.0] * (2 * at + 2 - len(sums)))
        sums[2 * at] += fsum(numbers)
        sums[2 * at + 1] += len(numbers)

    def _correlate(self, label: str, rows: list[list[float | None]]) -> None:
        """Add to the sums from which Pearson's r follows, of rows that have both values."""
        for one, other in combinations(range(len(DIMENSIONS)), 2):
            sums = self.moments.setdefault((label, one, other), [moments.Sum() for _ in range(6)])
            for row in rows:
                x, y = row[one], row[other]
                if x is not None and y is not None:
                    for total, term in zip(sums, (1, x, y, x * x, y * y, x * y), strict=True):
                        total.add(term)

    def result(self, scorer: binding.Scorer, head: dict) -> dict:
        """Return the result for one metric."""
        label = scorer.plugin.label
        found: dict[str, object] = {}
        drawn: list[int] = []
        for dimension in DIMENSIONS:
            means = self._means((label, dimension))
            rows = self._rows(means)
            drawn += [len(rows)] if len(rows) > 1 else []
            found |= {dimension: mean_of_known(means), f"{dimension}_ci": _interval(rows)}
        changed = {dimension: mean_of_known(self._means((label, dimension, "changed"))) for dimension in DIMENSIONS}
        told = [text for text in (binding.of_mean(scorer.plugin), of_names(self.counts), _few(drawn)) if text]
        zero = {dimension: self.counts[label, dimension] for dimension in DIMENSIONS[1:]}
        return {"metric": label, **head, "kind": self.name, "unit": "percent",
                "n": len(self.sources), "variants": self.counts["variants"], **found,
                "unchanged": self.counts["unchanged"], "empty": self.counts["empty"],
                "no_reference": self.counts["no_reference"], "changed": changed, "zero_denominator": zero,
                "r": self._correlations(label),
                "signature": signature(scorer, self.references), **({"note": "; ".join(told)} if told else {})}

    def _means(self, key: tuple) -> list[float | None]:
        """Return each source's mean, None where it has no value."""
        sums = self.sums.get(key, array("d"))
        return [sums[at] / sums[at + 1] if sums[at + 1] else None for at in range(0, len(sums), 2)]

    def _rows(self, means: list[float | None]) -> list[list[float]]:
        """Return for each cluster that has a value the sum over its sources, and of how many it is."""
        places: dict[str | int, int] = {}
        rows: list[list[float]] = []
        for cluster, mean in zip(self.clusters, means, strict=True):
            if mean is not None:
                if places.setdefault(cluster, len(rows)) == len(rows):
                    rows.append([0.0, 0.0])
                rows[places[cluster]][0] += mean
                rows[places[cluster]][1] += 1
        return rows

    def _correlations(self, label: str) -> dict[str, float | None]:
        found: dict[str, float | None] = {}
        for one, other in combinations(range(len(DIMENSIONS)), 2):
            sums = self.moments.get((label, one, other), [moments.Sum()] * 6)
            n, x, y, xx, yy, xy = (total.value() for total in sums)
            spreads = n * xx - x * x, n * yy - y * y
            varies = n > 2 and spreads[0] > _ROUNDING * n * xx and spreads[1] > _ROUNDING * n * yy
            r = (n * xy - x * y) / (spreads[0] * spreads[1])**0.5 if varies else None
            found[f"{DIMENSIONS[one]}/{DIMENSIONS[other]}"] = None if r is None else max(-1.0, min(1.0, r))
        return found


def _interval(rows: list[list[float]]) -> list[float] | None:
    """Return the normal interval of the mean over sources from samples of clusters; None of fewer than two."""
    if len(rows) < 2:
        return None
    import numpy

    from dialtools.significance import _resampling as resampling

    matrix = numpy.array(rows)
    drawn = resampling.bootstrap(matrix, lambda sums: sums[:, 0] / sums[:, 1], RESAMPLES, SEED)
    return resampling.interval("normal", LEVEL, float(matrix[:, 0].sum() / matrix[:, 1].sum()), drawn, None)


def _few(drawn: list[int]) -> str:
    """Return what to know of intervals from so many dialogues each; "" where there is nothing."""
    from dialtools.significance import _assumptions as assumptions

    few = assumptions.few_drawn(min(drawn), "dialogues") if drawn else ""
    return f"{few}: intervals may be too narrow" if few else ""
