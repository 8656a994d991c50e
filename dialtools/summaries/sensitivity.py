"""Sensitivity: how much outputs change between the variants of one source.

For T variants of a source, with Score rescaled to 0–1 and all in percent:
S  mean over ordered pairs of variants of 1 − Score(output, other output)
R  highest minus lowest Score(reference, output)
D  standard deviation of Score(reference, output), of the population (ddof 0)
and the quality, the mean of Score(reference, output).  The original is no
variant; a source with fewer than two variants has no S, R and D, one without
a reference no quality, R and D; both are counted.  Two equal outputs have the
best score even where the metric itself says 0 (ROUGE-2 of one word).  The
data set's values are means over its sources.

Beside S stand two controls, because a model that says the same of every
dialogue has S = 0: the share of distinct outputs over the data set, and the
same 1 − Score between outputs of neighbouring sources, the ceiling of S.

Source: Jia et al. 2023, "Reducing Sensitivity on Speaker Names for Text
Generation from Dialogues", equations 6 to 8.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import permutations

from dialtools import dialogue, history, keyed, scoring

HEAD = ("id", "cluster", "lang", "system")
CONTROL_NEAR_0 = 1.0  # percent

Metrics = Sequence[str | Callable]


def sources(records: Iterable[dict], metric: Metrics, by: str) -> Iterator[dict]:
    """Yield one record for each source and system, with its quality, S, R and D under "scores", in percent."""
    for group in history.groups(records):
        variants = [record for record in group if record.get("variant")]
        outputs = [dialogue.best(record) for record in variants]
        scorers = [scoring.bind(spec, group[0]["lang"]) for spec in metric]
        scores: dict[str, float | None] = {}
        for scorer in scorers:
            scores |= _scores(scorer, variants, outputs)
        head = {key: group[0][key] for key in HEAD if key in group[0]}
        references = len(dialogue.references(group[0])) if group[0].get("reference") is not None else 0
        source = {**head, "outputs": outputs, "references": references, "unit": "percent", "scores": scores}
        if len(variants) < 2:
            source["errors"] = [{"by": by, "reason": f"variants: {len(variants)}; S, R and D need two"}]
        signatures = {scorer.plugin.label: signature(scorer, references) for scorer in scorers}
        yield history.add(source, by, signatures, counts=_counts(variants, outputs))


def signature(scorer: scoring.Scorer, references: int | str) -> str:
    """Return how S, R and D of a metric are made."""
    return scorer.signature(references, sd="population")


def _scores(scorer: scoring.Scorer, variants: list[dict], outputs: list[str]) -> dict[str, float | None]:
    from statistics import fmean, pstdev

    label, several = scorer.plugin.label, len(variants) > 1
    scores: dict[str, float | None] = dict.fromkeys([label, f"S:{label}", f"R:{label}", f"D:{label}"])
    if several:
        scores[f"S:{label}"] = _pairwise(scorer, outputs)
    if variants and all(record.get("reference") is not None for record in variants):
        quality = percent(scorer, scoring.of_records(scorer, variants))
        scores[label] = fmean(quality)
        if several:
            scores |= {f"R:{label}": max(quality) - min(quality), f"D:{label}": pstdev(quality)}
    return scores


def _pairwise(scorer: scoring.Scorer, outputs: list[str]) -> float:
    """Return S of one source: equal outputs are not scored, the pairs of different ones only once."""
    from statistics import fmean

    pairs = [pair for pair in permutations(outputs, 2)]
    different = sorted({pair for pair in pairs if pair[0] != pair[1]})
    change = dict(zip(different, distance(scorer, different), strict=True))
    return fmean(change.get(pair, 0.0) for pair in pairs)


def percent(scorer: scoring.Scorer, values: Iterable[float]) -> list[float]:
    """Return scores rescaled from the metric's range to 0–100."""
    worst, best = scorer.plugin.constant("RANGE", None)
    return [100 * (value - worst) / (best - worst) for value in values]


def distance(scorer: scoring.Scorer, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Return 1 − Score of pairs of texts (prediction, reference), in percent."""
    if not pairs:
        return []
    predictions, references = zip(*pairs, strict=True)
    return [100 - value for value in percent(scorer, scorer.values(predictions, [[text] for text in references]))]


def _counts(variants: list[dict], outputs: list[str]) -> dict[str, int]:
    unchanged = [any(entry.get("changed") is False for entry in record.get("history", ())) for record in variants]
    return {"variants": len(variants), "empty": sum(map(scoring.is_empty, outputs)), "unchanged": sum(unchanged),
            "identical_pairs": sum(one == other for one, other in permutations(outputs, 2))}


def summarise(records: Iterable[dict], metric: Metrics) -> Iterator[dict]:
    """Yield one result for each metric, system and language from the records that `sources` makes."""
    totals: dict[tuple, Totals] = {}
    for source in records:
        if "outputs" in source:  # else it could not be scored
            key = source.get("system"), source["lang"]
            totals.setdefault(key, Totals(*key, metric)).add(source)
    for total in totals.values():
        yield from total.results()


class Totals:
    """The sums over the sources of one system in one language."""

    def __init__(self, system: str | None, lang: str, metric: Metrics):
        self.head = {"system": system, "lang": lang}
        self.scorers = [scoring.bind(spec, lang) for spec in metric]
        self.counts: Counter = Counter()
        self.sums: dict[str, float] = {}
        self.numbers: Counter = Counter()  # how many values are in each sum
        self.references: set[int] = set()
        self.seen = keyed.Seen()
        self.before: str | None = None  # an output of the source before

    def add(self, source: dict) -> None:
        """Count a source in."""
        self.counts.update(source["history"][-1]["counts"], n=1)
        if source["references"]:
            self.references.add(source["references"])
        self.counts["no_reference"] += not source["references"]
        for name, value in source["scores"].items():
            self._sum(name, value)
        for output in source["outputs"]:
            self.counts["distinct"] += self.seen.add(keyed.digest(output))
        for output in source["outputs"][:1]:
            if self.before is not None:
                for scorer in self.scorers:
                    change = 0.0 if output == self.before else distance(scorer, [(output, self.before)])[0]
                    self._sum(f"control:{scorer.plugin.label}", change)
            self.before = output

    def _sum(self, name: str, value: float | None) -> None:
        if value is not None:
            self.sums[name] = self.sums.get(name, 0.0) + value
            self.numbers[name] += 1

    def _mean(self, name: str) -> float | None:
        return self.sums[name] / self.numbers[name] if name in self.sums else None

    def results(self) -> Iterator[dict]:
        """Yield one result for each metric."""
        counts = self.counts
        few, many = min(self.references, default=0), max(self.references, default=0)
        for scorer in self.scorers:
            label = scorer.plugin.label
            control = self._mean(f"control:{label}")
            result = {"metric": label, **self.head, "unit": "percent", "n": counts["n"],
                      "variants": counts["variants"], "mean": self._mean(label),
                      **{letter: self._mean(f"{letter}:{label}") for letter in "SRD"}, "control": control,
                      "distinct": 100 * counts["distinct"] / counts["variants"] if counts["variants"] else None,
                      "empty": counts["empty"], "unchanged": counts["unchanged"],
                      "identical_pairs": counts["identical_pairs"],
                      "left_out": counts["n"] - self.numbers[f"S:{label}"], "no_reference": counts["no_reference"],
                      "signature": signature(scorer, few if few == many else f"{few}-{many}")}
            if control is not None and control < CONTROL_NEAR_0:
                result["note"] = "outputs of different dialogues hardly differ: a low S says nothing here"
            yield result
