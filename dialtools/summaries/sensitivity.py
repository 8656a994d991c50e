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
from functools import lru_cache, partial
from itertools import combinations, permutations
from math import fsum

from dialtools import dialogue, history, noise, scoring, tokenizers
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
    groups = (part for group in history.groups(records) for part in gaps.split(group, groups_by))
    for window in scoring.windows(groups, specs):
        wanted = partial(_wanted, with_original=with_original)
        for (called, group), scorers in zip(window, scoring.ahead(specs, window, wanted), strict=True):
            source = _source(called, group, scorers, by, with_original)
            included = _included(group, with_original)
            counts = _counts(included, [part["outputs"] for part in source["parts"]]) | counted(scorers, included)
            signatures = _signatures(specs, dialogue.lang(group[0]), source["references"], with_original)
            yield history.add(source, by, signatures, counts=counts)


def _wanted(scorer: scoring.Scorer, group: list[dict], with_original: bool) -> Iterator[scoring.Pair]:
    """Yield the pairs of texts whose scores will be asked for."""
    for variants in _sets(group, with_original).values():
        yield from ((one, [other]) for one, other in _pairs(scorer, [dialogue.best(record) for record in variants]))
        if all(map(dialogue.references, variants)):
            yield from zip(*scoring.columns(variants, scorer.asked).values(), strict=True)


def _source(called: dict, group: list[dict], scorers: list[scoring.Scorer], by: str, with_original: bool) -> dict:
    included = _included(group, with_original)
    parts = [_part(name, variants, scorers, by) for name, variants in _sets(group, with_original).items()]
    names = [name for scorer in scorers for name in _names(scorer.plugin.label)]
    source = {**{key: group[0][key] for key in HEAD if key in group[0]}, **called,
              "outputs": [dialogue.best(record) for record in included],
              "references": len(dialogue.references(group[0])), **({"sets": len(parts)} if len(parts) > 1 else {}),
              **({"identity_check": again} if (again := noise.counted(group)) else {}),
              "unit": "percent", "scores": {name: _mean_over(parts, name) for name in names}, "parts": parts}
    if all(len(part["outputs"]) < 2 for part in parts):
        found = f"{len(included)} in {len(parts)} sets" if len(parts) > 1 else len(included)
        source["errors"] = [_too_few(by, found)]
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


def _part(name: str, variants: list[dict], scorers: list[scoring.Scorer], by: str) -> dict:
    """Return what is known of one set of variants."""
    texts = [dialogue.best(record) for record in variants]
    columns = scoring.columns(variants)
    scores: dict[str, float | None] = {}
    for scorer in scorers:
        own = columns if scorer.asked.is_plain() else scorer.columns(variants)
        scores |= _scores(scorer, variants, texts, own)
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


def _scores(scorer: scoring.Scorer, variants: list[dict], outputs: list[str],
            columns: dict[str, list]) -> dict[str, float | None]:
    """Return quality, S, R and D of one set of variants."""
    change = _pairwise(scorer, variants, outputs)
    values: list[float | None] = [None, change[0] if change else None, None, None]
    if all(map(dialogue.references, variants)):
        quality = percent(scorer, scoring.of_records(scorer, variants, columns))
        values[0] = mean(quality)
        if change:
            values[2:] = max(quality) - min(quality), spread(quality)
    return dict(zip(_names(scorer.plugin.label), values, strict=True))


def mean(values: Sequence[float]) -> float:
    """Return the mean, rounded once; the order of the values does not matter."""
    return fsum(values) / len(values)


def _pairwise(scorer: scoring.Scorer, variants: list[dict], outputs: list[str]) -> list[float]:
    """Return S of one set, [] where it has no pair: equal outputs are not scored, pairs of different ones only once."""
    times, pairs = Counter(outputs), _pairs(scorer, outputs)
    symmetric = scorer.plugin.constant("SYMMETRIC", False)
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


def _pairs(scorer: scoring.Scorer, outputs: list[str]) -> list[tuple[str, str]]:
    """Return the pairs of different outputs, in one order where the other has the same score.

    An output that the metric cannot work on must be found, even where all are equal: then it is one with itself.
    """
    different = dict.fromkeys(outputs)
    symmetric = scorer.plugin.constant("SYMMETRIC", False)
    return list((combinations if symmetric else permutations)(different, 2)) or [(outputs[0], outputs[0])]


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


def _counts(variants: list[dict], outputs: list[list[str]]) -> dict[str, int]:
    unchanged = [any(entry.get("changed") is False for entry in record.get("history") or ()) for record in variants]
    empty = [tokenizers.is_empty(dialogue.best(record)) for record in variants]
    identical = [times * (times - 1) for part in outputs for times in Counter(part).values()]
    return {"variants": len(variants), "empty": sum(empty), "unchanged": sum(unchanged),
            "identical_pairs": sum(identical)}
