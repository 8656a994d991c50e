"""Sensitivity: how much outputs change between the variants of one source, summed up over a data set.

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
source has the means over its sets, those of one variant left out of S, R and D,
those without references out of quality, R and D; both are counted.

Beside S stand two controls, because a model that says the same of every
dialogue has S = 0: the share of distinct outputs over the data set, and the
same 1 − Score between outputs to different dialogues (the first of each source
and that of the last source of the dialogue before), the ceiling of S;
of_control is S as a share of it.
Where dt-generate wrote some outputs twice (--identity-check), the floor stands
there, too: how many were checked, differ, and by how much of their characters.

Source: Jia et al. 2023, "Reducing Sensitivity on Speaker Names for Text
Generation from Dialogues", equations 6 to 8.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import inf

from dialtools import keyed, noise
from dialtools.scoring import binding
from dialtools.scoring.binding import Metrics
from dialtools.statistics import moments
from dialtools.summaries import gaps
from dialtools.summaries.variants import LEFT_OUT, of_names, signature

CONTROL_NEAR_0 = 1.0  # percent
VALUE = "S"  # what gaps are of
WAITING = 16  # sources that are added at once, while what is kept of their outputs is there


def summarise(records: Iterable[dict], metric: Metrics, with_original: bool = False,
              groups_by: str | None = None) -> Iterator[dict]:
    """Yield one result for each metric, system and language from the records that `variants.sources` makes."""
    totals = gaps.Groups(groups_by, lambda head: Totals(head, metric, with_original))
    for source in records:
        if "outputs" in source:  # else it could not be scored
            totals.of_source(source).add(source)
    totals.check()
    yield from gaps.added((result for total in totals.values() for result in total.results()), groups_by, VALUE)


class Totals:
    """The sums over the sources of one group: one system in one language."""

    def __init__(self, head: dict, metric: Metrics, with_original: bool):
        self.head = head
        self.with_original = with_original
        self.scorers = [binding.bind(spec, head["lang"]) for spec in metric]
        self.counts: Counter = Counter()
        self.sums: dict[str, moments.Sum] = {}
        self.numbers: Counter = Counter()  # how many values are in each sum
        self.worst: dict[str, float] = {}  # the largest of each
        self.affected: Counter = Counter()  # of each, how many are above 0
        self.several_sets = False
        self.identity: list[float] = []
        self.references: set[int] = set()
        self.seen = keyed.Seen()
        self.dialogue: str | int | None = None  # that (the cluster) of the latest source
        self.output: str | None = None  # one of that source
        self.before: str | None = None  # one to the dialogue before that
        self.sources: list[dict] = []  # whose scores are not yet added
        self.pairs: list[tuple[str, str]] = []  # outputs to two dialogues, whose change is not yet added

    def add(self, source: dict) -> None:
        """Count a source in."""
        counts, outputs = self.counts, source["outputs"]
        counts["n"] += 1
        for name, number in source["history"][-1]["counts"].items():
            counts[name] += number
        if source["references"]:
            self.references.add(source["references"])
        counts["sets"] += source.get("sets", 1 if outputs else 0)
        self.several_sets = self.several_sets or "sets" in source
        counts["no_reference"] += not source["references"]
        self.identity += source.get("identity_check", [])
        for output in set(outputs):
            counts["distinct"] += self.seen.add(hash(output))
        if outputs:
            self._compare(source.get("cluster", source["id"]), outputs[0])
        self.sources.append(source)
        if len(self.sources) == WAITING:
            self._settle()

    def _compare(self, dialogue: str | int, output: str) -> None:
        """Ask for the change to the output to another dialogue: questions on one dialogue may well have one answer."""
        if dialogue != self.dialogue:
            self.counts["dialogues"] += 1
            self.dialogue, self.before = dialogue, self.output
        self.output = output
        if self.before is not None:
            self.pairs.append((output, self.before))

    def _settle(self) -> None:
        """Add the scores of the sources that wait for it, and the changes between outputs to different dialogues."""
        sources, self.sources = self.sources, []
        pairs, self.pairs = self.pairs, []
        for name in sources[0]["scores"] if sources else ():
            values = self._sum(name, [source["scores"][name] for source in sources])
            self.worst[name] = max([*values, self.worst.get(name, -inf)])
            self.affected[name] += sum([value > 0 for value in values])
        for scorer in self.scorers:
            scores = scorer.percent([one for one, _ in pairs], [[other] for _, other in pairs]) if pairs else ()
            changes = [0.0 if one == other else 100 - score for (one, other), score in zip(pairs, scores, strict=True)]
            self._sum(f"control:{scorer.plugin.label}", changes)

    def _sum(self, name: str, values: Sequence[float | None]) -> list[float]:
        """Add those values that there are, and return them."""
        found = [value for value in values if value is not None]
        if found:
            self.sums.setdefault(name, moments.Sum()).add(*found)
            self.numbers[name] += len(found)
        return found

    def _mean(self, name: str) -> float | None:
        return self.sums[name].value() / self.numbers[name] if name in self.sums else None

    def results(self) -> Iterator[dict]:
        """Yield one result for each metric."""
        self._settle()
        yield from map(self._result, self.scorers)

    def _result(self, scorer: binding.Scorer) -> dict:
        label, counts = scorer.plugin.label, self.counts
        control, change = self._mean(f"control:{label}"), self._mean(f"S:{label}")
        sources = self.numbers[f"S:{label}"]
        result = {"metric": label, **self.head, "unit": "percent", "n": counts["n"], "dialogues": counts["dialogues"],
                  "variants": counts["variants"]}
        if self.several_sets:
            result["sets"] = counts["sets"]
        result |= {name: counts[name] for name in LEFT_OUT if counts[name]}
        result |= {"mean": self._mean(label), "S": change, "R": self._mean(f"R:{label}"), "D": self._mean(f"D:{label}"),
                   "worst": self.worst[f"S:{label}"] if sources else None,
                   "affected": _share(self.affected[f"S:{label}"], sources),
                   "control": control, "of_control": None if change is None else _share(change, control),
                   "distinct": _share(counts["distinct"], counts["variants"]), **noise.percent(self.identity),
                   "empty": counts["empty"], "unchanged": counts["unchanged"],
                   "identical_pairs": counts["identical_pairs"],
                   "left_out": counts["n"] - sources, "no_reference": counts["no_reference"],
                   "signature": signature(scorer, self.references, self.with_original)}
        if note := _note([binding.of_mean(scorer.plugin), of_names(counts)], sources, control):
            result["note"] = note
        return result


def _note(told: list[str], sources: int, control: float | None) -> str:
    """Return what is told, and what else to know of S; "" where there is nothing."""
    found = [text for text in told if text]
    if not sources:
        found.append("no variants to compare with each other: dt-swap-names --variants 2")
    elif control is not None and control < CONTROL_NEAR_0:
        found.append("outputs of different dialogues hardly differ: a low S says nothing here")
    return "; ".join(found)


def _share(part: float, whole: float | None) -> float | None:
    """Return a share in percent; None of nothing."""
    return 100 * part / whole if whole else None
