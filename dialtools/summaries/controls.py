"""Sensitivity over a data set: the means over its sources, and beside S the controls that it is read by.

What S, R, D, control and the rest are, sensitivity.py says.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from dialtools import keyed, moments, noise, scoring
from dialtools.summaries import gaps
from dialtools.summaries.sensitivity import signature

CONTROL_NEAR_0 = 1.0  # percent
VALUE = "S"  # what gaps are of
WAITING = 16  # outputs whose change is found in one call, while what is kept of their texts is there

Metrics = Sequence[str | Callable]


def summarise(records: Iterable[dict], metric: Metrics, with_original: bool = False,
              groups_by: str | None = None) -> Iterator[dict]:
    """Yield one result for each metric, system and language from the records that `sensitivity.sources` makes."""
    totals = gaps.Groups(groups_by, lambda head: Totals(head, metric, with_original))
    for source in records:
        if "outputs" in source:  # else it could not be scored
            totals.total(gaps.key(source, source.get("group")), source.get("there", ())).add(source)
    totals.check()
    yield from gaps.added((result for total in totals.values() for result in total.results()), groups_by, VALUE)


class Totals:
    """The sums over the sources of one group: one system in one language."""

    def __init__(self, head: dict, metric: Metrics, with_original: bool):
        self.head = head
        self.with_original = with_original
        self.scorers = [scoring.bind(spec, head["lang"]) for spec in metric]
        self.counts: Counter = Counter()
        self.sums: dict[str, moments.Sum] = {}
        self.numbers: Counter = Counter()  # how many values are in each sum
        self.worst: dict[str, float] = {}
        self.affected: Counter = Counter()  # of each S, how many are above 0
        self.several_sets = False
        self.identity: list[float] = []
        self.references: set[int] = set()
        self.seen = keyed.Seen()
        self.here: tuple | None = None  # the dialogue (cluster) of the source before, and an output to it
        self.before: str | None = None  # an output to the dialogue before that one
        self.waiting: list[tuple[str, str]] = []  # outputs to two dialogues, whose change is not yet added

    def add(self, source: dict) -> None:
        """Count a source in."""
        self.counts["n"] += 1
        for name, number in source["history"][-1]["counts"].items():
            self.counts[name] += number
        if source["references"]:
            self.references.add(source["references"])
        self.counts["sets"] += source.get("sets", 1 if source["outputs"] else 0)
        self.several_sets = self.several_sets or "sets" in source
        self.counts["no_reference"] += not source["references"]
        self.identity += source.get("identity_check", [])
        for name, value in source["scores"].items():
            self._sum(name, value)
        for scorer in self.scorers:
            name = f"S:{scorer.plugin.label}"
            change = source["scores"][name]
            if change is not None:
                self.worst[name] = max(change, self.worst.get(name, change))
                self.affected[name] += change > 0
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
            self.waiting.append((output, self.before))
        if len(self.waiting) == WAITING:
            self._control()

    def _control(self) -> None:
        """Add the changes between outputs that wait for it."""
        pairs, self.waiting = self.waiting, []
        for scorer in self.scorers if pairs else ():
            scores = scorer.percent([one for one, _ in pairs], [[other] for _, other in pairs])
            for (one, other), score in zip(pairs, scores, strict=True):
                self._sum(f"control:{scorer.plugin.label}", 0.0 if one == other else 100 - score)

    def _sum(self, name: str, value: float | None) -> None:
        if value is not None:
            self.sums.setdefault(name, moments.Sum()).add(value)
            self.numbers[name] += 1

    def _mean(self, name: str) -> float | None:
        return self.sums[name].value() / self.numbers[name] if name in self.sums else None

    def results(self) -> Iterator[dict]:
        """Yield one result for each metric."""
        self._control()
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
                      **noise.percent(self.identity),
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
