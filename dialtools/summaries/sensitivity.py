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
Where dt-generate wrote some outputs twice (--identity-check), the floor stands
there, too: how many were checked, differ, and by how much of their characters.

Source: Jia et al. 2023, "Reducing Sensitivity on Speaker Names for Text
Generation from Dialogues", equations 6 to 8.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, permutations
from math import fsum

from dialtools import comparands, dialogue, history, noise, scoring, tokenizers
from dialtools.errors import RecordError
from dialtools.moments import spread
from dialtools.summaries import gaps

HEAD = ("id", "cluster", "lang", "system")
FEATURES = ("speaker", "position", "turns")

Metrics = Sequence[str | Callable]


def sources(records: Iterable[dict], metric: Metrics, by: str, with_original: bool = False,
            groups_by: str | None = None) -> Iterator[dict]:
    """Yield one record for each source and system, with its quality, S, R and D under "scores", in percent.

    with_original: the original is one of the variants, of each set.
    groups_by: what variants are told apart by, as if they were of several sources; see gaps.py.
    "parts" has the same for each set, for `per_source`.
    """
    specs = tuple(metric)
    groups = (scoring.Group(called, part, _sets(part, with_original))
              for records in history.groups(records) for called, part in gaps.split(records, groups_by))
    for group, found in scoring.of_groups(groups, specs, _wanted, _blame):
        source, included = _source(group, found, by, with_original), _included(group.records, with_original)
        counts = _counts(included, source["parts"]) | counted([scorer for scorer, _ in found], included)
        lang = dialogue.lang(group.records[0])
        yield history.add(source, by, _signatures(specs, lang, source["references"], with_original), counts=counts)


def _wanted(scorer: scoring.Scorer, group: scoring.Group) -> list[list[scoring.Pair]]:
    """Return for each set of variants the pairs of different outputs, and the outputs with their references."""
    lists: list[list[scoring.Pair]] = []
    for variants in group.parts.values():
        outputs = list(map(dialogue.best, variants))
        texts = [comparands.texts(record, scorer.asked, None) for record in variants]
        lists += _pairs(scorer, outputs), list(zip(outputs, texts, strict=True)) if all(texts) else []
    return lists


def _pairs(scorer: scoring.Scorer, outputs: list[str]) -> list[scoring.Pair]:
    """Return the pairs of different outputs, in one order where the other has the same score.

    An output that the metric cannot work on must be found, even where all are equal: then it is one with itself.
    """
    different = dict.fromkeys(outputs)
    paired = combinations if is_symmetric(scorer) else permutations
    return [(one, [other]) for one, other in paired(different, 2)] or [(outputs[0], outputs[:1])]


def _blame(scorer: scoring.Scorer, group: scoring.Group) -> None:
    """Raise the RecordError of the variant that the metric fails on, if it is one by itself."""
    for variants in group.parts.values():
        for record in variants:
            scoring.of_records(scorer, [{**record, "reference": dialogue.best(record)}])
        if all(map(dialogue.references, variants)):
            scoring.of_records(scorer, variants)


def _source(group: scoring.Group, found: list[tuple[scoring.Scorer, scoring.Scores]], by: str,
            with_original: bool) -> dict:
    first, included = group.records[0], _included(group.records, with_original)
    parts = [_part(name, variants, [(scorer, scores[2 * at], scores[2 * at + 1]) for scorer, scores in found], by)
             for at, (name, variants) in enumerate(group.parts.items())]
    names = [name for scorer, _ in found for name in _names(scorer.plugin.label)]
    source = {**{key: first[key] for key in HEAD if key in first}, **group.called,
              "outputs": [dialogue.best(record) for record in included],
              "references": len(dialogue.references(first)), **({"sets": len(parts)} if len(parts) > 1 else {}),
              **({"identity_check": again} if (again := noise.counted(group.records)) else {}),
              "unit": "percent", "scores": {name: _mean_over(parts, name) for name in names}, "parts": parts}
    if all(len(part["outputs"]) < 2 for part in parts):
        number = f"{len(included)} in {len(parts)} sets" if len(parts) > 1 else len(included)
        source["errors"] = [_too_few(by, number)]
    return source


def _included(group: list[dict], with_original: bool) -> list[dict]:
    return [record for record in group if record.get("variant") or with_original]


def _sets(group: list[dict], with_original: bool) -> dict[str, list[dict]]:
    """Return the variants of a source in sets, the original in each if it counts."""
    first = _originals(group) if with_original else []
    return {name: first + part for name, part in sets([r for r in group if r.get("variant")]).items()}


def _originals(group: list[dict]) -> list[dict]:
    if group[0].get("variant"):
        raise RecordError("no original beside the variants: --keep-original", group[0])
    return group[:1]


def _part(name: str, variants: list[dict], found: list[tuple[scoring.Scorer, list[float], list[float]]],
          by: str) -> dict:
    """Return what is known of one set of variants."""
    outputs = [dialogue.best(record) for record in variants]
    scores: dict[str, float | None] = {}
    for scorer, change, quality in found:
        scores |= _scores(scorer, outputs, change, quality)
    errors = {"errors": [_too_few(by, len(outputs))]} if len(outputs) < 2 else {}
    return {"variant": name, **_features(variants[-1]), "outputs": outputs, "scores": scores, **errors}


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


def _scores(scorer: scoring.Scorer, outputs: list[str], change: list[float],
            quality: list[float]) -> dict[str, float | None]:
    """Return quality, S, R and D of one set of variants."""
    values: list[float | None] = [None] * 4
    if len(outputs) > 1:
        values[1] = _change(scorer, outputs, percent(scorer, change))
    if quality:
        own = percent(scorer, quality)
        values[0] = mean(own)
        if len(outputs) > 1:
            values[2:] = max(own) - min(own), spread(own)
    return dict(zip(_names(scorer.plugin.label), values, strict=True))


def mean(values: Sequence[float]) -> float:
    """Return the mean, rounded once; the order of the values does not matter."""
    return fsum(values) / len(values)


def _change(scorer: scoring.Scorer, outputs: list[str], scores: list[float]) -> float:
    """Return S of one set from the scores of its pairs in percent: two equal outputs do not differ."""
    times, orders = Counter(outputs), 1 + is_symmetric(scorer)
    changes = [100 - score for score in scores]
    if len(times) < len(outputs):
        changes = [change for (one, (other,)), change in zip(_pairs(scorer, outputs), changes, strict=True)
                   for _ in range(times[one] * times[other] if one != other else 0)]
    return fsum(changes) * orders / (len(outputs) * (len(outputs) - 1))


def is_symmetric(scorer: scoring.Scorer) -> bool:
    """Has a pair of texts the same score in both orders?"""
    return scorer.plugin.constant("SYMMETRIC", False)


def percent(scorer: scoring.Scorer, values: Iterable[float]) -> list[float]:
    """Return scores rescaled from the metric's range to 0–100."""
    worst, best = scorer.plugin.constant("RANGE", None)
    return [100 * (value - worst) / (best - worst) for value in values]


def distance(scorer: scoring.Scorer, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Return 1 − Score of pairs of texts (prediction, reference), in percent."""
    predictions, references = zip(*pairs, strict=True)
    return [100 - value for value in percent(scorer, scorer.values(predictions, [[text] for text in references]))]


def counted(scorers: Iterable[scoring.Scorer], records: Sequence[dict]) -> dict[str, int]:
    """Return what metrics count of records beside their scores."""
    found: Counter = Counter()
    for scorer in scorers:
        if scorer.plugin.constant("counts", None):
            for counts in scorer.counts(*scoring.needed(scorer, scorer.columns(records))):
                found.update(counts)
    return dict(found)


def _counts(variants: list[dict], parts: list[dict]) -> dict[str, int]:
    unchanged = [any(entry.get("changed") is False for entry in record.get("history") or ()) for record in variants]
    empty = [tokenizers.is_empty(dialogue.best(record)) for record in variants]
    identical = [times * (times - 1) for part in parts for times in Counter(part["outputs"]).values()]
    return {"variants": len(variants), "empty": sum(empty), "unchanged": sum(unchanged),
            "identical_pairs": sum(identical)}
