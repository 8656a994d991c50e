"""Sensitivity: how much outputs change between the variants of one source.

For T variants of a source, with Score rescaled to 0–1 and all in percent:
S  mean over ordered pairs of variants of 1 − Score(output, other output)
R  highest minus lowest Score(reference, output)
D  standard deviation of Score(reference, output), of the population (ddof 0)
and the quality, the mean of Score(reference, output).  The original is no
variant; a source with fewer than two variants has no S, R and D, one without
a reference no quality, R and D; both are counted.  Two equal outputs have the
best score even where the metric itself says 0 (ROUGE-2 of one word).  The
data set's values are means over its sources.  Variants of several kinds, such
as those that rename one speaker each, are sets of their own: a source has the
means over its sets, those of one variant left out of S, R and D.

Beside S stand two controls, because a model that says the same of every
dialogue has S = 0: the share of distinct outputs over the data set, and the
same 1 − Score between outputs to different dialogues (each source's and that
of the dialogue before), the ceiling of S.

Source: Jia et al. 2023, "Reducing Sensitivity on Speaker Names for Text
Generation from Dialogues", equations 6 to 8.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, permutations
from math import fsum

from dialtools import dialogue, history, keyed, scoring, tokenizers
from dialtools.errors import RecordError
from dialtools.moments import spread

HEAD = ("id", "cluster", "lang", "system")
CONTROL_NEAR_0 = 1.0  # percent

Metrics = Sequence[str | Callable]


def sources(records: Iterable[dict], metric: Metrics, by: str) -> Iterator[dict]:
    """Yield one record for each source and system, with its quality, S, R and D under "scores", in percent."""
    specs = tuple(metric)
    for group in history.groups(records):
        variants = [record for record in group if record.get("variant")]
        parts = sets(variants)
        outputs = [[dialogue.best(record) for record in part] for part in parts]
        head = {key: group[0][key] for key in HEAD if key in group[0]}
        references = len(dialogue.references(group[0]))
        scores: dict[str, float | None] = {}
        for scorer in scoring.bind_all(specs, group[0]):
            scores |= _scores(scorer, parts, outputs)
        source = {**head, "outputs": [dialogue.best(record) for record in variants], "references": references,
                  **({"sets": len(parts)} if len(parts) > 1 else {}), "unit": "percent", "scores": scores}
        if all(len(part) < 2 for part in parts):
            found = f"{len(variants)} in {len(parts)} sets" if len(parts) > 1 else len(variants)
            source["errors"] = [{"by": by, "reason": f"variants: {found}; S, R and D need two of a set"}]
        yield history.add(source, by, _signatures(specs, dialogue.lang(group[0]), references),
                          counts=_counts(variants, outputs))


@lru_cache(maxsize=None)
def _signatures(metric: tuple[str | Callable, ...], lang: str, references: int) -> dict[str, str]:
    scorers = (scoring.bind(spec, lang) for spec in metric)
    return {scorer.plugin.label: signature(scorer, [references]) for scorer in scorers}


def sets(variants: list[dict]) -> list[list[dict]]:
    """Return variants in sets that are compared: those whose names differ only in the last number.

    Where no other shares all but the last number, as after two filters with one and one variant each
    ("names:1/typo.case:1", "names:2/typo.case:1"), it is those that differ only in numbers.
    """
    heads = [record["variant"].rpartition(":")[0] for record in variants]
    shared = Counter(heads)
    found: dict[str, list[dict]] = {}
    for record, head in zip(variants, heads, strict=True):
        name = head if shared[head] > 1 else re.sub(r":\d+(?=/|$)", "", record["variant"])
        found.setdefault(name, []).append(record)
    return list(found.values())


def signature(scorer: scoring.Scorer, references: Collection[int]) -> str:
    """Return how S, R and D of a metric are made."""
    return scorer.signature(references, sd="population")


def _scores(scorer: scoring.Scorer, parts: list[list[dict]], outputs: list[list[str]]) -> dict[str, float | None]:
    """Return quality, S, R and D of one source: the means over its sets of variants."""
    label = scorer.plugin.label
    found: dict[str, list[float]] = {name: [] for name in (label, f"S:{label}", f"R:{label}", f"D:{label}")}
    for variants, texts in zip(parts, outputs, strict=True):
        change = _pairwise(scorer, variants, texts)
        found[f"S:{label}"] += change
        if all(map(dialogue.references, variants)):
            quality = percent(scorer, scoring.of_records(scorer, variants))
            found[label].append(mean(quality))
            if change:
                found[f"R:{label}"].append(max(quality) - min(quality))
                found[f"D:{label}"].append(spread(quality))
    return {name: mean(values) if values else None for name, values in found.items()}


def mean(values: Sequence[float]) -> float:
    """Return the mean, rounded once; the order of the values does not matter."""
    return fsum(values) / len(values)


def _pairwise(scorer: scoring.Scorer, variants: list[dict], outputs: list[str]) -> list[float]:
    """Return S of one set, [] where it has no pair: equal outputs are not scored, pairs of different ones only once."""
    times = Counter(outputs)
    symmetric = scorer.plugin.constant("SYMMETRIC", False)
    # An output that the metric cannot work on must be found here, even where all are equal.
    pairs = list((combinations if symmetric else permutations)(times, 2)) or [(outputs[0], outputs[0])]
    try:
        found = distance(scorer, pairs)
    except RecordError as error:
        for record, output in zip(variants, outputs, strict=True):
            scoring.of_records(scorer, [{**record, "reference": output}])  # says which one is to blame
        raise RecordError(error.reason, variants[0]) from None
    if len(outputs) < 2:
        return []
    number = len(outputs) * (len(outputs) - 1)
    if len(times) == len(outputs):
        return [fsum(found) * (1 + symmetric) / number]
    change = [0.0]
    for (one, other), value in zip(pairs, found, strict=True):
        if one != other:
            change += [value] * (times[one] * times[other] * (1 + symmetric))
    return [fsum(change) / number]


def percent(scorer: scoring.Scorer, values: Iterable[float]) -> list[float]:
    """Return scores rescaled from the metric's range to 0–100."""
    worst, best = scorer.plugin.constant("RANGE", None)
    return [100 * (value - worst) / (best - worst) for value in values]


def distance(scorer: scoring.Scorer, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Return 1 − Score of pairs of texts (prediction, reference), in percent."""
    predictions, references = zip(*pairs, strict=True)
    return [100 - value for value in percent(scorer, scorer.values(predictions, [[text] for text in references]))]


def _counts(variants: list[dict], outputs: list[list[str]]) -> dict[str, int]:
    unchanged = [any(entry.get("changed") is False for entry in record.get("history") or ()) for record in variants]
    empty = [tokenizers.is_empty(text) for part in outputs for text in part]
    identical = [times * (times - 1) for part in outputs for times in Counter(part).values()]
    return {"variants": len(variants), "empty": sum(empty), "unchanged": sum(unchanged),
            "identical_pairs": sum(identical)}


def summarise(records: Iterable[dict], metric: Metrics) -> Iterator[dict]:
    """Yield one result for each metric, system and language from the records that `sources` makes."""
    totals: dict[tuple, Totals] = {}
    for source in records:
        if "outputs" in source:  # else it could not be scored
            key = source.get("system"), dialogue.lang(source)
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
        self.several_sets = False
        self.references: set[int] = set()
        self.seen = keyed.Seen()
        self.here: tuple | None = None  # the dialogue (cluster) of the source before, and an output to it
        self.before: str | None = None  # an output to the dialogue before that one

    def add(self, source: dict) -> None:
        """Count a source in."""
        self.counts.update(source["history"][-1]["counts"], n=1)
        if source["references"]:
            self.references.add(source["references"])
        self.counts["sets"] += source.get("sets", 1 if source["outputs"] else 0)
        self.several_sets = self.several_sets or "sets" in source
        self.counts["no_reference"] += not source["references"]
        for name, value in source["scores"].items():
            self._sum(name, value)
        for output in source["outputs"]:
            self.counts["distinct"] += self.seen.add(hash(output) & (2**64 - 1))
        if source["outputs"]:
            self._compare(source.get("cluster", source["id"]), source["outputs"][0])

    def _compare(self, dialogue: str | int, output: str) -> None:
        """Add the change from an output to another dialogue: questions on one dialogue may well have one answer."""
        if self.here and self.here[0] != dialogue:
            self.before = self.here[1]
        self.counts["dialogues"] += not self.here or self.here[0] != dialogue
        self.here = dialogue, output
        if self.before is not None:
            for scorer in self.scorers:
                change = 0.0 if output == self.before else distance(scorer, [(output, self.before)])[0]
                self._sum(f"control:{scorer.plugin.label}", change)

    def _sum(self, name: str, value: float | None) -> None:
        if value is not None:
            self.sums[name] = self.sums.get(name, 0.0) + value
            self.numbers[name] += 1

    def _mean(self, name: str) -> float | None:
        return self.sums[name] / self.numbers[name] if name in self.sums else None

    def results(self) -> Iterator[dict]:
        """Yield one result for each metric."""
        counts = self.counts
        for scorer in self.scorers:
            label = scorer.plugin.label
            control = self._mean(f"control:{label}")
            result = {"metric": label, **self.head, "unit": "percent", "n": counts["n"],
                      "dialogues": counts["dialogues"], "variants": counts["variants"],
                      **({"sets": counts["sets"]} if self.several_sets else {}),
                      "mean": self._mean(label),
                      **{letter: self._mean(f"{letter}:{label}") for letter in "SRD"}, "control": control,
                      "distinct": 100 * counts["distinct"] / counts["variants"] if counts["variants"] else None,
                      "empty": counts["empty"], "unchanged": counts["unchanged"],
                      "identical_pairs": counts["identical_pairs"],
                      "left_out": counts["n"] - self.numbers[f"S:{label}"], "no_reference": counts["no_reference"],
                      "signature": signature(scorer, self.references)}
            if control is not None and control < CONTROL_NEAR_0:
                result["note"] = "outputs of different dialogues hardly differ: a low S says nothing here"
            yield result
