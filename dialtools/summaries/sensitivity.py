"""Sensitivity: how much outputs change between the variants of one source.

For T variants of a source, with Score rescaled to 0–1 and all in percent:
S  mean over ordered pairs of variants of 1 − Score(output, other output)
R  highest minus lowest Score(reference, output)
D  standard deviation of Score(reference, output), of the population (ddof 0)
and the quality, the mean of Score(reference, output).  The original is no
variant; a source with fewer than two variants has no S, R and D, one without
a reference no quality, R and D; both are counted.  Two equal outputs have the
best score even where the metric itself says 0 (ROUGE-2 of one word).  The
data set's values are means over its sources; worst is the largest S of a
source, affected the share of sources with an S above 0.  Variants of several
kinds, such as those that rename one speaker each, are sets of their own: a
source has the means over its sets, those of one variant left out of S, R and D.

Beside S stand two controls, because a model that says the same of every
dialogue has S = 0: the share of distinct outputs over the data set, and the
same 1 − Score between outputs to different dialogues (each source's and that
of the dialogue before), the ceiling of S; of_control is S as a share of it.

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
from dialtools.summaries import gaps

HEAD = ("id", "cluster", "lang", "system")
FEATURES = ("speaker", "position", "turns")
CONTROL_NEAR_0 = 1.0  # percent
VALUE = "S"  # what gaps are of

Metrics = Sequence[str | Callable]


def sources(records: Iterable[dict], metric: Metrics, by: str, with_original: bool = False,
            groups_by: str | None = None) -> Iterator[dict]:
    """Yield one record for each source and system, with its quality, S, R and D under "scores", in percent.

    with_original: the original is one of the variants, of each set.
    groups_by: what variants are told apart by, as if they were of several sources; see gaps.py.
    "parts" has the same for each set, for `per_source`.
    """
    specs = tuple(metric)
    for called, group in (part for group in history.groups(records) for part in gaps.split(group, groups_by)):
        first = _originals(group) if with_original else []
        named = {name: first + part for name, part in sets([r for r in group if r.get("variant")]).items()}
        included = [record for record in group if record.get("variant") or with_original]
        head = {key: group[0][key] for key in HEAD if key in group[0]}
        references = len(dialogue.references(group[0]))
        scorers = scoring.bind_all(specs, group[0])
        parts = [_part(name, variants, scorers, by) for name, variants in named.items()]
        names = [name for scorer in scorers for name in _names(scorer.plugin.label)]
        source = {**head, **called, "outputs": [dialogue.best(record) for record in included], "references": references,
                  **({"sets": len(parts)} if len(parts) > 1 else {}), "unit": "percent",
                  "scores": {name: _mean_over(parts, name) for name in names}, "parts": parts}
        if all(len(part["outputs"]) < 2 for part in parts):
            found = f"{len(included)} in {len(parts)} sets" if len(parts) > 1 else len(included)
            source["errors"] = [_too_few(by, found)]
        yield history.add(source, by, _signatures(specs, dialogue.lang(group[0]), references, with_original),
                          counts=_counts(included, [part["outputs"] for part in parts]))


def _originals(group: list[dict]) -> list[dict]:
    if group[0].get("variant"):
        raise RecordError("no original beside the variants: --keep-original", group[0])
    return group[:1]


def _part(name: str, variants: list[dict], scorers: list[scoring.Scorer], by: str) -> dict:
    """Return what is known of one set of variants."""
    texts = [dialogue.best(record) for record in variants]
    scores: dict[str, float | None] = {}
    for scorer in scorers:
        scores |= _scores(scorer, variants, texts)
    errors = {"errors": [_too_few(by, len(texts))]} if len(texts) < 2 else {}
    return {"variant": name, **_features(variants[-1]), "outputs": texts, "scores": scores, **errors}


def _features(variant: dict) -> dict:
    """Return what is said of the one speaker who was renamed: who, position of the first turn, number of turns."""
    entry: dict = next((entry for entry in variant.get("history") or () if "speaker" in entry), {})
    return {key: entry[key] for key in FEATURES if key in entry}


def _too_few(by: str, found: object) -> dict:
    return {"by": by, "reason": f"variants: {found}; S, R and D need two of a set"}


def _mean_over(parts: list[dict], name: str) -> float | None:
    values = [part["scores"][name] for part in parts if part["scores"][name] is not None]
    return mean(values) if values else None


def per_source(records: Iterable[dict]) -> Iterator[dict]:
    """Yield a record for each source, or for each speaker of it where one was renamed at a time."""
    for source in records:
        parts = source.get("parts", [])
        whole = {key: value for key, value in source.items() if key != "parts"}
        spoken = [part for part in parts if "speaker" in part]
        yield from ({key: value for key, value in whole.items() if key not in ("sets", "errors")} | part
                    for part in spoken)
        if not spoken:
            yield whole


@lru_cache(maxsize=None)
def _signatures(metric: tuple[str | Callable, ...], lang: str, references: int, original: bool) -> dict[str, str]:
    scorers = (scoring.bind(spec, lang) for spec in metric)
    return {scorer.plugin.label: signature(scorer, [references], original) for scorer in scorers}


def sets(variants: list[dict]) -> dict[str, list[dict]]:
    """Return variants in sets, by name, that are compared: those whose names differ only in the last number.

    Where no other shares all but the last number, as after two filters with one and one variant each
    ("names:1/typo.case:1", "names:2/typo.case:1"), it is those that differ only in numbers.
    """
    heads = [record["variant"].rpartition(":")[0] for record in variants]
    shared = Counter(heads)
    found: dict[str, list[dict]] = {}
    for record, head in zip(variants, heads, strict=True):
        name = head if shared[head] > 1 else re.sub(r":\d+(?=/|$)", "", record["variant"])
        found.setdefault(name, []).append(record)
    return found


def signature(scorer: scoring.Scorer, references: Collection[int], with_original: bool = False) -> str:
    """Return how S, R and D of a metric are made."""
    return scorer.signature(references, sd="population", original=with_original or None)


def _names(label: str) -> tuple[str, str, str, str]:
    return label, f"S:{label}", f"R:{label}", f"D:{label}"


def _scores(scorer: scoring.Scorer, variants: list[dict], outputs: list[str]) -> dict[str, float | None]:
    """Return quality, S, R and D of one set of variants."""
    change = _pairwise(scorer, variants, outputs)
    values: list[float | None] = [None, change[0] if change else None, None, None]
    if all(map(dialogue.references, variants)):
        quality = percent(scorer, scoring.of_records(scorer, variants))
        values[0] = mean(quality)
        if change:
            values[2:] = max(quality) - min(quality), spread(quality)
    return dict(zip(_names(scorer.plugin.label), values, strict=True))


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
    empty = [tokenizers.is_empty(dialogue.best(record)) for record in variants]
    identical = [times * (times - 1) for part in outputs for times in Counter(part).values()]
    return {"variants": len(variants), "empty": sum(empty), "unchanged": sum(unchanged),
            "identical_pairs": sum(identical)}


def summarise(records: Iterable[dict], metric: Metrics, with_original: bool = False,
              groups_by: str | None = None) -> Iterator[dict]:
    """Yield one result for each metric, system and language from the records that `sources` makes."""
    totals = gaps.Groups(groups_by)
    for source in records:
        if "outputs" in source:  # else it could not be scored
            key, head = totals.place(source.get("system"), dialogue.lang(source), source.get("group"),
                                     source.get("there", ()))
            if key not in totals:
                totals[key] = Totals(head, metric, with_original)
            totals[key].add(source)
    totals.check()
    yield from gaps.added((result for total in totals.values() for result in total.results()), groups_by, VALUE)


class Totals:
    """The sums over the sources of one group: one system in one language."""

    def __init__(self, head: dict, metric: Metrics, with_original: bool):
        self.head = head
        self.with_original = with_original
        self.scorers = [scoring.bind(spec, head["lang"]) for spec in metric]
        self.counts: Counter = Counter()
        self.sums: dict[str, float] = {}
        self.numbers: Counter = Counter()  # how many values are in each sum
        self.worst: dict[str, float] = {}
        self.affected: Counter = Counter()  # of each S, how many are above 0
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
            if value is not None:
                self.worst[name] = max(value, self.worst.get(name, value))
                self.affected[name] += value > 0
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
            control, change = self._mean(f"control:{label}"), self._mean(f"S:{label}")
            sources = self.numbers[f"S:{label}"]
            result = {"metric": label, **self.head, "unit": "percent", "n": counts["n"],
                      "dialogues": counts["dialogues"], "variants": counts["variants"],
                      **({"sets": counts["sets"]} if self.several_sets else {}),
                      "mean": self._mean(label), "S": change,
                      **{letter: self._mean(f"{letter}:{label}") for letter in "RD"},
                      "worst": self.worst.get(f"S:{label}"), "affected": _share(self.affected[f"S:{label}"], sources),
                      "control": control, "of_control": None if change is None else _share(change, control),
                      "distinct": _share(counts["distinct"], counts["variants"]),
                      "empty": counts["empty"], "unchanged": counts["unchanged"],
                      "identical_pairs": counts["identical_pairs"],
                      "left_out": counts["n"] - sources, "no_reference": counts["no_reference"],
                      "signature": signature(scorer, self.references, self.with_original)}
            if control is not None and control < CONTROL_NEAR_0:
                result["note"] = "outputs of different dialogues hardly differ: a low S says nothing here"
            yield result


def _share(part: float, whole: float | None) -> float | None:
    """Return a share in percent; None of nothing."""
    return 100 * part / whole if whole else None
