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
where all values are 0 or 100, others by t.  Of few dialogues one by t may begin
below 0, where no S, R or D is: read such an end as 0.  What is cut off so cannot
hold the true mean, and the interval holds it as often as before (overshoot, as
Newcombe 1998, Two-sided confidence intervals for the single proportion, calls
it).  worst is
the largest S of a source, affected the share of sources with an S above 0.
Variants of several kinds, such as those that rename one speaker each, form sets,
and a source has the means over its sets: of S, R and D without sets of one
variant, of quality, R and D without sets that lack
references; both are counted.

Beside S stand two controls, because a model that says the same of every
dialogue has S = 0: the share of distinct outputs over the data set, and the
same 1 − Score between outputs to different dialogues, the ceiling of S;
of_control is S as a share of it.  Each source takes part with the output of its
first variant, in the order of their names.  The mean is over all pairs
(control:all in the signature) if S compares as many pairs of variants, as of 21
sources with five variants each, or if all are asked for.  Else
(control:sampled) each output is compared with those that come next in the order
of a stable hash of the ids: with as many as make up the pairs of S, but no more
than PAIRS, and with one at least; of more than SOURCES the first take part.
Its interval is over dialogues, both of a pair, so that it says how far another
sample would be, too.  The order of the input never matters.
If dt-generate wrote some outputs twice (--identity-check), the noise floor is
reported too: how many were checked, how many differ, and by how many characters.

Source: Jia et al. 2023, "Reducing Sensitivity on Speaker Names for Text
Generation from Dialogues", equations 6 to 8.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations, groupby, islice, product, starmap
from math import comb, inf
from operator import attrgetter
from typing import NamedTuple

from dialtools import languages
from dialtools.evaluation import chains, gaps, noise, source_groups, units
from dialtools.evaluation.chosen_metrics import ChosenMetric
from dialtools.evaluation.scorer import Scorer, bind
from dialtools.evaluation.variants import LEFT_OUT, incomplete_note, signature
from dialtools.statistics import clustered
from dialtools.system import stable_hash

CONTROL_NEAR_0 = 1.0  # percent
VALUE = "S"  # what gaps are of
SOURCES = 2_000  # whose outputs are kept for the control
PAIRS = 5_000  # of a sample: with ROUGE it has an interval of some ± 0.5 percent
AT_ONCE = 1 << 14  # pairs


def summarise(
    sources: Iterable[dict],
    metrics: Sequence[ChosenMetric],
    with_original: bool = False,
    groups_by: str | None = None,
    all_pairs: bool = False,
) -> Iterator[dict]:
    """Yield one result for each metric, system and language; sources: from `variants.sources`.

    all_pairs: of sources have a part in the control.
    """
    groups = gaps.Groups(
        groups_by, lambda head: GroupSensitivity(head, metrics, with_original, all_pairs)
    )
    yield from source_groups.summed_up(sources, "outputs", groups, VALUE)


class Representative(NamedTuple):
    """The output that stands for a source; sorted by the hash of the source's id."""

    rank: int
    text: str
    dialogue: int  # the hash of the cluster


_dialogue = attrgetter("dialogue")


class ScoreTotals:
    """The values of one score over the sources: the largest, and how many are above 0."""

    def __init__(self) -> None:
        self.sample, self.worst, self.affected = clustered.ClusteredValues(), -inf, 0

    def add(self, key: int, value: float) -> None:
        """Add the value of a source; key: of its cluster."""
        self.sample.add(key, value)
        self.worst = max(value, self.worst)
        self.affected += value > 0


class GroupSensitivity:
    """The sums over the sources of one group: one system in one language."""

    def __init__(
        self, head: dict, metrics: Sequence[ChosenMetric], with_original: bool, all_pairs: bool
    ):
        self.head = head
        self.with_original, self.all_pairs = with_original, all_pairs
        language = languages.get(head["lang"])
        self.scorers = [bind(metric, language) for metric in metrics]
        self.tally = chains.Tally()
        self.scores: dict[str, ScoreTotals] = {}
        self.has_sets = False
        self.identity: list[float] = []
        self.texts, self.dialogues = stable_hash.Seen(), stable_hash.Seen()
        self.outputs: list[Representative] = []  # for the control

    def add(self, source: dict) -> None:
        """Count a source in."""
        self.tally.add(source, source["history"][-1])
        counts, texts = self.tally.counts, source["outputs"]
        counts["n"] += 1
        if source["references"]:
            self.tally.references.add(source["references"])
        counts["sets"] += source.get("sets", 1 if texts else 0)
        self.has_sets = self.has_sets or "sets" in source
        counts["no_reference"] += not source["references"]
        self.identity += source.get("identity_check", [])
        for text in set(texts):
            counts["distinct"] += self.texts.is_new((text,))
        dialogue = source.get("cluster", source["id"])
        key = stable_hash.digest("cluster", dialogue)
        if texts:  # questions on one dialogue may have one answer
            counts["dialogues"] += self.dialogues.is_new((dialogue,))
            rank = stable_hash.digest("control", source["id"])
            self.outputs.append(Representative(rank, texts[source["control"]], key))
            if len(self.outputs) == 2 * SOURCES and not self.all_pairs:
                self.outputs = sorted(self.outputs)[:SOURCES]
        for name, value in source["scores"].items():
            if value is not None:
                if (totals := self.scores.get(name)) is None:
                    totals = self.scores[name] = ScoreTotals()
                totals.add(key, value)

    def results(self) -> Iterator[gaps.Summary]:
        """Yield one result for each metric."""
        yield from map(self._result, self.scorers)

    def _result(self, scorer: Scorer) -> gaps.Summary:
        label, counts = scorer.label, self.tally.counts
        names = {"mean": label, **{name: f"{name}:{label}" for name in "SRD"}}
        estimates, means = {}, dict[str, object]()
        for name, key in names.items():
            sample = self.scores.get(key, ScoreTotals()).sample
            # that no source changed is no proportion, unless the metric knows 0 and 1 alone
            total_share = 100.0 if name == "mean" or any(sample.values) else None
            estimate = estimates[name] = clustered.mean(sample, proportion_of=total_share)
            means[name] = estimate.mean if estimate else None
            means[f"{name}_ci"] = clustered.interval(estimate)
        change, of_s = estimates["S"], self.scores.get(names["S"], ScoreTotals())
        control, control_ci, which = self._control(scorer)
        signed = signature(scorer, self.tally.references, self.with_original, which)
        result = {
            "metric": label,
            **self.head,
            "unit": units.of_changes(scorer.metric),
            "better": "higher",  # of the mean, which is rescaled from the worst to the best
            "n": counts["n"],
            "dialogues": counts["dialogues"],
            "variants": counts["variants"],
            **({"sets": counts["sets"]} if self.has_sets else {}),
            **{
                name: counts[name]
                for name in (*LEFT_OUT, "incomplete", "meaning_changed")
                if counts[name]
            },
            **means,
            "worst": of_s.worst if change else None,
            "affected": _share(of_s.affected, change.n) if change else None,
            "control": control,
            "control_ci": control_ci,
            "of_control": _share(change.mean, control) if change else None,
            "distinct": _share(counts["distinct"], counts["variants"]),
            **noise.percent(self.identity),
            "empty": counts["empty"],
            "unchanged": counts["unchanged"],
            "identical_pairs": counts["identical_pairs"],
            "left_out": counts["n"] - (change.n if change else 0),
            "no_reference": counts["no_reference"],
            "signature": signed,
        }
        notes = [
            scorer.metric.mean_note,
            source_groups.caution_note(counts),
            incomplete_note(counts),
        ]
        if not change:
            notes.append("no variants to compare with each other: dt-swap-names --variants 2")
        elif control is not None and control < CONTROL_NEAR_0:
            notes.append("outputs of different dialogues hardly differ: a low S says nothing here")
        if any(notes):
            result["note"] = "; ".join(filter(None, notes))
        return gaps.Summary(result | self.tally.ended(signed), change)

    def _control(self, scorer: Scorer) -> tuple[float | None, list[float] | None, str | None]:
        """Return the mean change between outputs to different dialogues, its interval, and "all" or
        "sampled"; None without any.
        """
        outputs = sorted(self.outputs)
        if not self.all_pairs:
            outputs = outputs[:SOURCES]
        number, variants, sets = (
            len(outputs),
            self.tally.counts["variants"],
            self.tally.counts["sets"],
        )
        # those of S, if all sets have as many variants; else S has more
        most = min(variants * (variants - sets) // (2 * sets), PAIRS) if sets else 0
        is_all = self.all_pairs or comb(number, 2) <= max(most, number)
        pairs: Iterator[Sequence[Representative]]
        if is_all:
            dialogues = [
                list(group) for _, group in groupby(sorted(outputs, key=_dialogue), _dialogue)
            ]
            pairs = chain.from_iterable(starmap(product, combinations(dialogues, 2)))
        else:  # each with those that come next; the first come after the last
            sample = [
                sorted((output, outputs[(place + step) % number]), key=_dialogue)
                for place, output in enumerate(outputs)
                for step in range(1, max(most // number, 1) + 1)
            ]
            sample.sort(key=lambda pair: (pair[0].dialogue, pair[1].dialogue))
            pairs = (pair for pair in sample if pair[0].dialogue != pair[1].dialogue)
        estimate = clustered.mean_of_pairs(_changes(scorer, pairs))
        return (*estimate, "all" if is_all else "sampled") if estimate else (None,) * 3


def _changes(
    scorer: Scorer, pairs: Iterator[Sequence[Representative]]
) -> Iterator[tuple[tuple[int, int], float]]:
    """Yield the dialogues of pairs of outputs and 100 − Score, the mean of both orders; 0 of equals."""
    orders = 1 if scorer.metric.declared.symmetric else 2
    while chunk := list(islice(pairs, AT_ONCE)):
        texts = [(a.text, b.text) for a, b in chunk if a.text != b.text]
        asked = [pair for ab in texts for pair in (ab, ab[::-1])[:orders]]
        scores = iter(
            scorer.percent([a for a, _ in asked], [[b] for _, b in asked]) if asked else ()
        )
        for a, b in chunk:
            change = 0.0 if a.text == b.text else 100 - sum(islice(scores, orders)) / orders
            yield (a.dialogue, b.dialogue), change


def _share(part: float, whole: float | None) -> float | None:
    """Return a share in percent; None of nothing."""
    return 100 * part / whole if whole else None
