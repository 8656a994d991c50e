"""Sensitivity: how much outputs change between the variants of one source, over a data set.

For T variants of a source, with Score rescaled to 0–1 and all in percent:
S  mean over ordered pairs of variants of 1 − Score(output, other output)
R  highest minus lowest Score(reference, output)
D  standard deviation of Score(reference, output), of the population (ddof 0)
and the quality, the mean of Score(reference, output).  The original is no
variant.  A source with fewer than two variants has no S, R and D, one without a
reference no quality, R and D; both are counted.  Two equal outputs have the best
score even if the metric says 0 (ROUGE-2 of one word).  The data set's values are
means over its sources, with 95 % intervals over dialogues (clusters), Wilson's
where all values are 0 or 100; worst is
the largest S of a source, affected the share of sources with an S above 0.
Variants of several kinds, such as those that rename one speaker each, form sets,
and a source has the means over its sets: of S, R and D without sets of one
variant, of quality, R and D without sets that lack
references; both are counted.

Beside S stand two controls, because a model that says the same of every
dialogue has S = 0: the share of distinct outputs over the data set, and the
same 1 − Score between outputs to different dialogues, the ceiling of S;
of_control is S as a share of it.  Each source takes part with the output of its
first variant, in the order of their names, and the mean is over all ordered
pairs (control:all in the signature) while these are no more than SCORES, or
MODEL_SCORES of a metric with a model: 316 sources, and 100.  Beyond that
(control:sampled) each is compared with as many others as make so many pairs:
those that come next in the order of a stable hash of the ids, of which the
first SOURCES take part.  The order of the input never matters.
If dt-generate wrote some outputs twice (--identity-check), the noise floor is
reported too: how many were checked, how many differ, and by how many characters.

Source: Jia et al. 2023, "Reducing Sensitivity on Speaker Names for Text
Generation from Dialogues", equations 6 to 8.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, islice
from math import comb, inf

from dialtools import languages
from dialtools.evaluation import chains, endings, gaps, noise, units
from dialtools.evaluation.metric import Metric
from dialtools.evaluation.scorer import Scorer, bind
from dialtools.evaluation.variants import LEFT_OUT, of_names, of_numbers, signature
from dialtools.statistics import clustered, moments
from dialtools.system import stable_hash

CONTROL_NEAR_0 = 1.0  # percent
VALUE = "S"  # what gaps are of
SOURCES = 2_000  # whose outputs are kept for the control
SCORES, MODEL_SCORES = 50_000, 5_000  # that the control asks a metric for
AT_ONCE = 1 << 14  # pairs


def summarise(
    sources: Iterable[dict],
    metrics: Sequence[Metric],
    with_original: bool = False,
    groups_by: str | None = None,
) -> Iterator[dict]:
    """Yield one result for each metric, system and language; sources: from `variants.sources`."""
    groups = gaps.Groups(groups_by, lambda head: GroupSensitivity(head, metrics, with_original))
    sizes = endings.Sizes()
    for source in sizes.watched(sources):
        if "outputs" in source:  # else it could not be scored
            groups.of_source(source).add(source)
    groups.require_named()
    found = (
        one._replace(result=endings.with_note(one.result, sizes.note()))
        for group in groups.values()
        for one in group.results()
    )
    yield from gaps.added(found, groups_by, VALUE)


# a hash of the id of a source, an output, the dialogue (the cluster)
Kept = tuple[int, str, str | int]


class GroupSensitivity:
    """The sums over the sources of one group: one system in one language."""

    def __init__(self, head: dict, metrics: Sequence[Metric], with_original: bool):
        self.head = head
        self.with_original = with_original
        language = languages.get(head["lang"])
        self.scorers = [bind(own, language) for own in metrics]
        self.counts: Counter = Counter()
        self.samples: dict[str, clustered.Sample] = {}
        self.worst: dict[str, float] = {}  # the largest of each
        self.affected: Counter = Counter()  # of each, how many are above 0
        self.several_sets = False
        self.identity: list[float] = []
        self.references: set[int] = set()
        self.seen, self.dialogues = stable_hash.Seen(), stable_hash.Seen()
        self.kept: list[Kept] = []
        self.chain, self.by = chains.Chain(), ""

    def add(self, source: dict) -> None:
        """Count a source in."""
        counts, outputs = self.counts, source["outputs"]
        counts["n"] += 1
        self.chain.add(source)
        self.by = source["history"][-1]["by"]
        for name, number in source["history"][-1]["counts"].items():
            counts[name] += number
        if source["references"]:
            self.references.add(source["references"])
        counts["sets"] += source.get("sets", 1 if outputs else 0)
        self.several_sets = self.several_sets or "sets" in source
        counts["no_reference"] += not source["references"]
        self.identity += source.get("identity_check", [])
        for output in set(outputs):
            counts["distinct"] += self.seen.is_new((output,))
        if outputs:
            self._keep(source)
        key = stable_hash.digest("cluster", source.get("cluster", source["id"]))
        for name, value in source["scores"].items():
            self._add_score(name, value, key)

    def _keep(self, source: dict) -> None:
        """Keep a source's output for the control: questions on one dialogue may have one answer."""
        dialogue = source.get("cluster", source["id"])
        self.counts["dialogues"] += self.dialogues.is_new((dialogue,))
        output = source["outputs"][source["control"]]
        self.kept.append((stable_hash.digest("control", source["id"]), output, dialogue))
        if len(self.kept) == 2 * SOURCES:
            self.kept = sorted(self.kept)[:SOURCES]

    def _add_score(self, name: str, value: float | None, key: int) -> None:
        if value is not None:
            self.samples.setdefault(name, clustered.Sample()).add(key, value)
            self.worst[name] = max(value, self.worst.get(name, -inf))
            self.affected[name] += value > 0

    def _control(self, scorer: Scorer) -> tuple[float, str] | tuple[None, None]:
        """Return the mean change between outputs to different dialogues, and "all" or "sampled"."""
        pairs, which = _pairs(sorted(self.kept)[:SOURCES], scorer)
        total, number = moments.Sum(), 0
        while chunk := list(islice(pairs, AT_ONCE)):
            number += len(chunk)
            total.add(*changes(scorer, chunk))
        return (total.value() / number, which) if number else (None, None)

    def results(self) -> Iterator[gaps.Found]:
        """Yield one result for each metric."""
        yield from map(self._result, self.scorers)

    def _result(self, scorer: Scorer) -> gaps.Found:
        label, counts, nothing = scorer.label, self.counts, clustered.Sample()
        names = {"mean": label, **{name: f"{name}:{label}" for name in "SRD"}}
        found = {}
        for name, key in names.items():
            sample = self.samples.get(key, nothing)
            # that no source changed is no proportion, unless the metric knows 0 and 1 alone
            total_share = 100.0 if name == "mean" or any(sample.values) else None
            found[name] = clustered.mean(sample, proportion_of=total_share)
        means: dict = {}
        for name, own in found.items():
            means |= {name: own.mean if own else None, f"{name}_ci": clustered.interval(own)}
        (control, which), change = self._control(scorer), means["S"]
        sources = len(self.samples.get(f"S:{label}", nothing).values)
        result = {
            "metric": label,
            **self.head,
            "unit": units.of_changes(scorer.metric),
            "better": units.better(scorer.metric),
            "n": counts["n"],
            "dialogues": counts["dialogues"],
            "variants": counts["variants"],
        }
        if self.several_sets:
            result["sets"] = counts["sets"]
        result |= {name: counts[name] for name in (*LEFT_OUT, "incomplete") if counts[name]}
        result |= {
            **means,
            "worst": self.worst[f"S:{label}"] if sources else None,
            "affected": _share(self.affected[f"S:{label}"], sources),
            "control": control,
            "of_control": None if change is None else _share(change, control),
            "distinct": _share(counts["distinct"], counts["variants"]),
            **noise.percent(self.identity),
            "empty": counts["empty"],
            "unchanged": counts["unchanged"],
            "identical_pairs": counts["identical_pairs"],
            "left_out": counts["n"] - sources,
            "no_reference": counts["no_reference"],
            "signature": signature(scorer, self.references, self.with_original, which),
        }
        told = [scorer.metric.mean_note, of_names(counts), of_numbers(counts)]
        if note := _note(told, sources, control):
            result["note"] = note
        result |= chains.ended(self.chain.facts(), self.by, result["signature"])
        return gaps.Found(result, found["S"])


def _pairs(kept: list[Kept], scorer: Scorer) -> tuple[Iterator[tuple[str, str]], str]:
    """Return the pairs of outputs to different dialogues, and "all" or "sampled"."""
    orders, number = 1 if scorer.metric.is_symmetric else 2, len(kept)
    most = (MODEL_SCORES if scorer.metric.window > 1 else SCORES) // orders
    is_all = comb(number, 2) <= most
    pairs = combinations(kept, 2) if is_all else _neighbours(kept, max(most // number, 1))
    texts = (
        (one, other) for (_, one, dialogue), (_, other, another) in pairs if dialogue != another
    )
    if orders == 2:
        texts = (pair for one, other in texts for pair in ((one, other), (other, one)))
    return texts, "all" if is_all else "sampled"


def _neighbours(kept: list[Kept], reach: int) -> Iterator[tuple[Kept, Kept]]:
    """Yield each output with those that come next, so many; the first come after the last."""
    for place, one in enumerate(kept):
        for step in range(1, reach + 1):
            yield one, kept[(place + step) % len(kept)]


def changes(scorer: Scorer, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Return 100 − Score of each pair of outputs, those of equal ones, which are 0, last."""
    different = [(a, b) for a, b in pairs if a != b]
    if not different:
        return [0.0] * len(pairs)
    scores = scorer.percent([a for a, _ in different], [[b] for _, b in different])
    return [100 - score for score in scores] + [0.0] * (len(pairs) - len(different))


def _note(told: list[str], sources: int, control: float | None) -> str:
    """Return the notes, and those on S; "" if there are none."""
    found = [text for text in told if text]
    if not sources:
        found.append("no variants to compare with each other: dt-swap-names --variants 2")
    elif control is not None and control < CONTROL_NEAR_0:
        found.append("outputs of different dialogues hardly differ: a low S says nothing here")
    return "; ".join(found)


def _share(part: float, whole: float | None) -> float | None:
    """Return a share in percent; None of nothing."""
    return 100 * part / whole if whole else None
