"""Robustness: how much worse, or merely other, outputs are after each kind of perturbation.

For an original x with output f(x), and a perturbed copy x' with f(x'), with
Score rescaled to 0–1 and all in percent:
consistency   1 − Score(f(x), f(x')): how far the output changes
saliency      |Score(y, f(x)) − Score(y, f(x'))| / Score(y, f(x)), y the reference
faithfulness  |Score(x, f(x)) − Score(x, f(x'))| / Score(x, f(x)), x the original
              dialogue (or text) for both
0 is robust.  A source's value is the mean over its variants of a kind, of a
family of kinds (typo, dialogue, …), of all that change utterances (utterance.*:
typo, grammar, variation and asr, but for asr.turns, which moves words to other
turns) or of all kinds; the data set's value is the mean over its sources, with a
normal interval from 10,000 bootstrap samples of dialogues (clusters); where all
values of consistency are 0 or 100 it is Wilson's.
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
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from math import fsum
from typing import NamedTuple

from dialtools import languages
from dialtools.evaluation import chains, gaps, source_groups, units
from dialtools.evaluation.chosen_metrics import ChosenMetric
from dialtools.evaluation.scorer import Scorer, bind
from dialtools.records import dialogue, history
from dialtools.records.values import is_empty
from dialtools.statistics import clustered, moments
from dialtools.statistics.results import few_drawn
from dialtools.system import stable_hash
from dialtools.system.errors import RecordError, about

DIMENSIONS = ("consistency", "saliency", "faithfulness")
VALUE = "consistency"  # what gaps are of
# percent; a score below it is as good as 0, and what moves from there moves by millions of percent
NEAR_0 = 0.01
NO_DIALOGUE = "no_dialogue"  # key of a source with neither dialogue nor text
# of the data set's intervals, which the signature tells of
LEVEL, RESAMPLES, SEED = 0.95, 10_000, 0
EVERYTHING = "all"
UTTERANCES = "utterance.*"  # all kinds of these families
_OF_UTTERANCES = ("typo", "grammar", "variation", "asr")
_ROUNDING = 1e-12

Row = list[float | None]  # the values of a variant, one for each dimension


def sources(
    records: Iterable[dict], metrics: Sequence[ChosenMetric], by: str, groups_by: str | None = None
) -> Iterator[dict]:
    """Yield one record for each source, system and kind, with "scores" in percent.

    groups_by: what variants are told apart by beside their kind; see gaps.py.
    Of a source without variants there is a record of no kind and without scores, which `varied`
    leaves out.
    """

    def kinds_of(records: list[dict]) -> dict[str, list[dict]]:
        kinds: dict[str, list[dict]] = {}
        for record in records:
            if record.get("variant"):
                kinds.setdefault(gaps.kind(record["variant"]), []).append(record)
        return kinds

    for scored in source_groups.scored(records, groups_by, kinds_of, metrics, _wanted, _blame):
        group, original = scored.group, _original(scored.group.records)
        if not group.parts:
            yield history.add({"id": original["id"], "variant": ""}, by, {})
        for part, scores in zip(group.parts, scored.scores, strict=True):
            yield _source(original, part, scored.scorers, scores, by) | group.head


def _original(records: list[dict]) -> dict:
    original = next((record for record in records if not record.get("variant")), None)
    if original is None:
        raise RecordError(
            "no original to compare the variants with: dt-perturb --keep-original", records[0]
        )
    return original


def _wanted(
    metric: ChosenMetric, group: source_groups.SourceGroup, part: source_groups.SourcePart
) -> source_groups.Pairs:
    """Return the pairs of each dimension; the original comes first in all but consistency."""
    original = _original(group.records)
    before = dialogue.best(original)
    outputs, references = [before, *part.outputs], metric.texts.compared(original)

    # what outputs are to be faithful to: the dialogue as text, or the text
    turns = dialogue.turns(original)
    dialogue_text = dialogue.text(turns) if turns else original.get("text")
    return {
        "consistency": [(output, [before]) for output in part.outputs],
        "saliency": [(output, references) for output in outputs if references],
        "faithfulness": [(output, [dialogue_text]) for output in outputs if dialogue_text],
    }


def _blame(scorer: Scorer, group: source_groups.SourceGroup) -> None:
    """Raise the RecordError of the record whose output makes the metric fail, if one does."""
    for record in group.records:
        with about(record):
            scorer.values([dialogue.best(record)], [[dialogue.best(record)]])


def _source(
    original: dict,
    part: source_groups.SourcePart,
    scorers: list[Scorer],
    scores: tuple[source_groups.Scores, ...],
    by: str,
) -> dict:
    """Return the record of a source and a kind; scores: by each metric, of what `_wanted` asks."""
    before, unchanged = dialogue.best(original), list(map(source_groups.is_unchanged, part.records))
    rows = {
        scorer.label: _rows(before, part.outputs, of_metric)
        for scorer, of_metric in zip(scorers, scores, strict=True)
    }
    features = source_groups.features(part.records[-1])
    source = {
        **source_groups.head(original),
        "variant": part.name,
        **({"pool": features["pool"]} if "pool" in features else {}),
        "unit": "percent",
        "scores": {
            f"{dimension}:{label}": moments.mean_of_known(row[place] for row in of_metric)
            for label, of_metric in rows.items()
            for place, dimension in enumerate(DIMENSIONS)
        },
        **chains.of(part.records, [original]),
        "rows": rows,
        "changed": {
            label: [row for row, same in zip(of_metric, unchanged, strict=True) if not same]
            for label, of_metric in rows.items()
        },
        "references": len(dialogue.references(original)),
    }
    if not scores[0]["faithfulness"]:
        source[NO_DIALOGUE] = True
    empty = sum(map(is_empty, part.outputs))
    counts = {"variants": len(part.records), "unchanged": sum(unchanged), "empty": empty}
    counts |= source_groups.counted(part.records, scorers) | source_groups.cautions(part.records)
    return history.add(source, by, signatures(scorers, source["references"]), counts=counts)


def _rows(before: str, outputs: list[str], scores: source_groups.Scores) -> list[Row]:
    """Return for each variant its value in each dimension, None where there is none.

    before: the original's output.
    """

    def falls(scores: list[float]) -> Row:
        """Return how far scores move from the original's, relative to it; None where it is 0."""
        if not scores:
            return [None] * len(outputs)
        first, *others = scores
        return [100 * abs(first - score) / first if first >= NEAR_0 else None for score in others]

    changes = [
        0.0 if output == before else 100 - score
        for output, score in zip(outputs, scores["consistency"], strict=True)
    ]
    columns = changes, falls(scores["saliency"]), falls(scores["faithfulness"])
    return [list(row) for row in zip(*columns, strict=True)]


def signatures(scorers: Iterable[Scorer], references: int) -> dict[str, str]:
    """Return how the dimensions of one source are made, by the labels of metrics."""
    return {scorer.label: signature(scorer, [references]) for scorer in scorers}


def signature(scorer: Scorer, references: Iterable[int]) -> str:
    """Return how the dimensions of a metric are made."""
    return scorer.signature(list(references), ci=f"normal/{RESAMPLES}", seed=SEED)


def varied(sources: Iterable[dict]) -> Iterator[dict]:
    """Yield the sources that have variants. Raise RecordError if none has any."""
    seen = source_groups.SourcesSeen()
    for source in sources:
        seen.add(source)
        if source_groups.has_variants(source):
            yield source
    seen.require_any()


def summarise(
    sources: Iterable[dict], metrics: Sequence[ChosenMetric], groups_by: str | None = None
) -> Iterator[dict]:
    """Yield one result for each system, language, kind (family, all) and metric.

    sources: what `sources` makes.
    """
    groups = gaps.Groups(groups_by, lambda head: GroupRobustness(head, metrics))
    yield from source_groups.summed_up(sources, "rows", groups, VALUE)


class GroupRobustness:
    """The values of one system in one language: of each kind, of families and of all kinds."""

    def __init__(self, head: dict, metrics: Sequence[ChosenMetric]):
        self.head, self.kinds = head, dict[str, KindValues]()
        language = languages.get(head["lang"])
        self.scorers = [bind(metric, language) for metric in metrics]

    def add(self, source: dict) -> None:
        """Count a source's variants of one kind in."""
        kind = source["variant"]
        names = [kind, f"{_family(kind)}.*", EVERYTHING]
        if all(
            _family(step) in _OF_UTTERANCES and not step.startswith("asr.turns")
            for step in kind.split("/")
        ):
            names.append(UTTERANCES)
        for name in names:
            self.kinds.setdefault(name, KindValues(name)).add(source)

    def results(self) -> Iterator[gaps.Summary]:
        """Yield results of kinds, of families of several kinds, of utterances if they are of
        several families, and of all if there are several.
        """
        families = [name for name in self.kinds if name.endswith(".*") and name != UTTERANCES]
        kinds = [name for name in self.kinds if not name.endswith(".*") and name != EVERYTHING]
        names = [*kinds, *(name for name in families if len(self.kinds[name].kinds) > 1)]
        if UTTERANCES in self.kinds and len(set(map(_family, self.kinds[UTTERANCES].kinds))) > 1:
            names.append(UTTERANCES)
        for name in names if len(kinds) < 2 else [*names, EVERYTHING]:
            for scorer in self.scorers:
                values = self.kinds[name]
                yield gaps.Summary(values.result(scorer, self.head), values.mean(scorer.label))


def _family(kind: str) -> str:
    return kind.partition(".")[0]


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
        self.tally = chains.Tally()
        self.sources: dict[str | int, int] = {}  # id -> place
        self.clusters: list[str | int] = []
        # of variants without a quotient, by label and dimension
        self.without_quotient: defaultdict[tuple[str, str], int] = defaultdict(int)
        self.values: defaultdict[tuple, Values] = defaultdict(
            lambda: Values(array("d"), array("Q"))
        )
        # from which Pearson's r follows, by label and two dimensions
        self.moments: defaultdict[tuple, list[moments.Sum]] = defaultdict(
            lambda: [moments.Sum() for _ in range(6)]
        )

    def add(self, source: dict) -> None:
        """Count a source's variants of one kind in."""
        self.kinds.add(source["variant"])
        is_new = source["id"] not in self.sources
        # the original was counted with the source's first kind
        self.tally.add(
            source if is_new else chains.without_originals(source), source["history"][-1]
        )
        self.tally.references.add(source["references"])
        if is_new:
            self.sources[source["id"]] = len(self.sources)
            self.clusters.append(source.get("cluster", source["id"]))
            self.tally.counts["no_reference"] += not source["references"]
            self.tally.counts[NO_DIALOGUE] += NO_DIALOGUE in source
        place = self.sources[source["id"]]
        for label, rows in source["rows"].items():
            for number, dimension in enumerate(DIMENSIONS):
                of_changed = [row[number] for row in source["changed"][label]]
                self.values[label, dimension].add(place, [row[number] for row in rows])
                self.values[label, dimension, "changed"].add(place, of_changed)
            for (i, a), (j, b) in combinations(enumerate(DIMENSIONS), 2):
                sums = self.moments[label, a, b]
                for row in rows:
                    x, y = row[i], row[j]
                    if x is not None and y is not None:
                        for total, term in zip(sums, (1, x, y, x * x, y * y, x * y), strict=True):
                            total.add(term)
            lacks = {"saliency": not source["references"], "faithfulness": NO_DIALOGUE in source}
            for number, dimension in enumerate(DIMENSIONS[1:], 1):
                if not lacks[dimension]:
                    without = sum(row[number] is None for row in rows)
                    self.without_quotient[label, dimension] += without

    def result(self, scorer: Scorer, head: dict) -> dict:
        """Return the result for one metric."""
        label, counts = scorer.label, self.tally.counts
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
            interval, clusters = self._interval(means)
            result |= {dimension: moments.mean_of_known(means), f"{dimension}_ci": interval}
            if dimension == VALUE and (estimate := self.mean(label)) and estimate.proportion_of:
                result[f"{VALUE}_ci"] = clustered.interval(estimate)
            if interval:
                drawn.append(clusters)
        result |= {name: counts[name] for name in ("unchanged", "empty", "no_reference")}
        if counts[NO_DIALOGUE]:
            result[NO_DIALOGUE] = counts[NO_DIALOGUE]
        result["changed"] = {
            dimension: moments.mean_of_known(self.values[label, dimension, "changed"].means())
            for dimension in DIMENSIONS
        }
        result["zero_denominator"] = {
            dimension: self.without_quotient[label, dimension] for dimension in DIMENSIONS[1:]
        }
        result["r"] = {f"{a}/{b}": self._r(label, a, b) for a, b in combinations(DIMENSIONS, 2)}
        result["signature"] = signature(scorer, self.tally.references)
        notes = [scorer.metric.mean_note, source_groups.caution_note(counts)]
        if drawn:
            notes.append(few_drawn(min(drawn), "dialogues"))
        if any(notes):
            result["note"] = "; ".join(filter(None, notes))
        return result | self.tally.ended(result["signature"])

    def mean(self, label: str) -> clustered.Mean | None:
        """Return the mean of consistency over sources, with their dialogues."""
        sample = clustered.ClusteredValues()
        means = self.values[label, VALUE].means()
        for cluster, value in zip(self.clusters, means, strict=False):
            if value is not None:
                sample.add(stable_hash.digest("cluster", cluster), value)
        return clustered.mean(sample, proportion_of=100.0 if any(sample.values) else None)

    def _interval(self, means: list[float | None]) -> tuple[list[float] | None, int]:
        """Return the bootstrap interval of the mean over sources, and how many clusters are drawn;
        None for fewer than two.
        """
        rows: dict[str | int, list[float]] = {}  # [sum, number] over the sources of a cluster
        # what is drawn does not depend on the order of the input
        for id in sorted(self.sources, key=repr):
            cluster, mean = self.clusters[self.sources[id]], means[self.sources[id]]
            if mean is not None:
                total, number = rows.get(cluster, (0.0, 0))
                rows[cluster] = [total + mean, number + 1]
        if len(rows) < 2:
            return None, len(rows)
        import numpy

        from dialtools.statistics import resampling

        matrix = numpy.array(list(rows.values()))
        drawn = resampling.bootstrap(matrix, lambda sums: sums[:, 0] / sums[:, 1], RESAMPLES, SEED)
        mean = float(matrix[:, 0].sum() / matrix[:, 1].sum())
        return resampling.interval("normal", LEVEL, mean, drawn, None), len(rows)

    def _r(self, label: str, a: str, b: str) -> float | None:
        """Return Pearson's correlation of two dimensions; None where one does not vary."""
        n, x, y, xx, yy, xy = (total.value() for total in self.moments[label, a, b])
        spread_x, spread_y = n * xx - x * x, n * yy - y * y
        if n > 2 and spread_x > _ROUNDING * n * xx and spread_y > _ROUNDING * n * yy:
            return max(-1.0, min(1.0, (n * xy - x * y) / (spread_x * spread_y) ** 0.5))
        return None
