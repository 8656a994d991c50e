"""The variants of one source compared with each other: quality, S, R, D (see sensitivity.py).

Variants of several kinds, such as those that rename one speaker each, form sets, and a source has
the
means over its sets: of S, R and D without sets of one variant.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, combinations, permutations, repeat
from math import fsum

from dialtools.evaluation import chains, gaps, groups, noise
from dialtools.evaluation.metric import Metric
from dialtools.evaluation.scorer import Pair, Scorer, bind
from dialtools.languages import Language
from dialtools.records import dialogue, history
from dialtools.statistics.moments import order, spread
from dialtools.system.errors import RecordError
from dialtools.text import tokenizers

HEAD = ("id", "cluster", "lang", "system")
FEATURES = ("speaker", "position", "turns", "pool")
# of quality, of S, where other sets of the source have it
LEFT_OUT = ("sets_without_reference", "sets_of_one_variant")


def sources(
    records: Iterable[dict],
    metrics: Sequence[Metric],
    by: str,
    with_original: bool = False,
    groups_by: str | None = None,
) -> Iterator[dict]:
    """Yield one record for each source and system, with quality, S, R and D in percent.

    with_original: the original is one of the variants, of each set.
    groups_by: what variants are grouped by, as if they were of several sources; see gaps.py.
    "parts" has the same for each set, for `per_source`; "control" is the place, among the outputs,
    of that of the first variant by name, which stands for the source.
    """
    found = (
        groups.group(head, group, _sets(group, with_original))
        for siblings in history.groups(records)
        for head, group in gaps.split(siblings, groups_by)
    )
    for scored in groups.scored(found, metrics, _wanted, _blame):
        group, language = scored.group, scored.scorers[0].language
        included = group.records if with_original else _variants(group.records)
        source = _source(scored, included, by)
        counts = _counts(included, source, scored.scorers)
        signed = signatures(tuple(metrics), language, source["references"], with_original)
        yield history.add(source, by, signed, counts=counts)


def _variants(records: list[dict]) -> list[dict]:
    return [record for record in records if record.get("variant")]


def _wanted(metric: Metric, group: groups.Group, part: groups.Part) -> groups.Pairs:
    """Return the pairs of different outputs, and outputs with references if all have some."""
    texts = [metric.texts.compared(record) for record in part.records]
    quality: list[Pair] = list(zip(part.outputs, texts, strict=True)) if all(texts) else []
    return {"change": _pairs(metric, part.outputs), "quality": quality}


def _pairs(metric: Metric, outputs: list[str]) -> list[Pair]:
    """Return the pairs of different outputs, in one order where the other has the same score.

    An output that the metric cannot work on must be found, even where all are equal: then it is
        one with itself.
    """
    pairs = _paired(dict.fromkeys(outputs), metric.is_symmetric) or [(outputs[0], outputs[0])]
    return [(one, [other]) for one, other in pairs]


def _paired(items: Iterable, symmetric: bool) -> list[tuple]:
    return list((combinations if symmetric else permutations)(items, 2))


def _blame(scorer: Scorer, group: groups.Group) -> None:
    """Raise the RecordError of the variant that the metric fails on, if one alone makes it fail."""
    for part in group.parts:
        for record, output in zip(part.records, part.outputs, strict=True):
            scorer.of_records([{**record, "reference": output}])
        if all(map(dialogue.references, part.records)):
            scorer.of_records(part.records)


def _source(scored: groups.ScoredGroup, included: list[dict], by: str) -> dict:
    group, first = scored.group, scored.group.records[0]
    parts = [
        _part(part, scored.scorers, scores, by)
        for part, scores in zip(group.parts, scored.scores, strict=True)
    ]
    source = {key: first[key] for key in HEAD if key in first} | group.head
    source["outputs"] = list(map(dialogue.best, included))
    if included:
        control = min(included, key=lambda record: record.get("variant") or "")
        for made, records in (
            (source, included),
            *((made, part.records) for made, part in zip(parts, group.parts, strict=True)),
        ):
            if place := [number for number, one in enumerate(records) if one is control]:
                made["control"] = place[0]
    source["references"] = _references([part.records for part in group.parts] or [group.records])
    if len(parts) > 1:
        source["sets"] = len(parts)
    if identity := noise.counted(group.records):
        source["identity_check"] = identity
    source["unit"] = "percent"
    source |= chains.of(included)
    source["scores"] = means_over_sets(parts, [scorer.label for scorer in scored.scorers])
    source["parts"] = parts
    if all(len(part["outputs"]) < 2 for part in parts):
        number = f"{len(included)} in {len(parts)} sets" if len(parts) > 1 else len(included)
        source["errors"] = [_too_few(by, number)]
    return source


def _references(parts: list[list[dict]]) -> int:
    """Return the number of references that all variants of a set have, in the best set."""
    return max(min(len(dialogue.references(record)) for record in records) for records in parts)


def _sets(group: list[dict], with_original: bool) -> dict[str, list[dict]]:
    """Return the variants of a source in sets, the original in each if it counts."""
    first = _originals(group) if with_original else []
    return {name: first + part for name, part in sets(_variants(group)).items()}


def _originals(group: list[dict]) -> list[dict]:
    if group[0].get("variant"):
        raise RecordError(
            "no original beside the variants: dt-swap-names --keep-original", group[0]
        )
    return group[:1]


def _part(
    part: groups.Part, scorers: list[Scorer], scores: Iterable[groups.Scores], by: str
) -> dict:
    """Return what is known of one set of variants; scores: by each metric."""
    counts = tuple(map(part.outputs.count, dict.fromkeys(part.outputs)))
    values: dict[str, float | None] = {}
    for scorer, own in zip(scorers, scores, strict=True):
        values |= _scores(scorer, counts, **own)
    own = features(part.records[-1])
    made = {
        "variant": part.name,
        **own,
        "outputs": part.outputs,
        **(chains.of(part.records) if own else {}),
        "scores": values,
    }
    if len(part.outputs) < 2:
        made["errors"] = [_too_few(by, len(part.outputs))]
    return made


def features(variant: dict) -> dict:
    """Return the renamed speaker's name, position of the first turn and number of turns, and the
    label of the pool.
    """
    entry: dict = next(
        (entry for entry in variant.get("history") or () if "speaker" in entry or "pool" in entry),
        {},
    )
    return {key: entry[key] for key in FEATURES if key in entry}


def _too_few(by: str, found: object) -> dict:
    return {"by": by, "reason": f"variants: {found}; S, R and D need two of a set"}


def means_over_sets(parts: list[dict], labels: list[str]) -> dict[str, float | None]:
    """Return the means over the sets of a source."""
    if len(parts) == 1:
        return parts[0]["scores"]
    names = [name for label in labels for name in _names(label)]
    columns = {
        name: [part["scores"][name] for part in parts if part["scores"][name] is not None]
        for name in names
    }
    return {name: mean(values) if values else None for name, values in columns.items()}


def per_source(records: Iterable[dict]) -> Iterator[dict]:
    """Yield a record for each source, or for each pool of names, and for each speaker where one was
    renamed at a time.
    """
    for source in records:
        told = [part for part in source.get("parts", ()) if "speaker" in part or "pool" in part]
        of_source = {key: source[key] for key in chains.KEYS if key in source}
        for number, part in enumerate(told):  # what dt-merge sums up stands in the first
            first = {"of_source": of_source} if number == 0 else {}
            yield _without(source, "parts", "control", "sets", "errors", *of_source) | part | first
        if not told:
            yield _without(source, "parts")


def _without(record: dict, *keys: str) -> dict:
    return {key: value for key, value in record.items() if key not in keys}


@lru_cache(maxsize=256)
def signatures(
    metrics: tuple[Metric, ...], language: Language, references: int, original: bool
) -> dict[str, str]:
    """Return how S, R and D of one source are made, by the labels of metrics."""
    scorers = [bind(metric, language) for metric in metrics]
    return {own.label: signature(own, [references], original) for own in scorers}


def sets(variants: list[dict]) -> dict[str, list[dict]]:
    """Return variants in sets, by name: the names of a set differ in the last number only.

    Where no other shares all but the last number, as after two filters with one and one variant
    each ("names:1/typo.case:1", "names:2/typo.case:1"), it is those that differ only in numbers.
    """
    found: dict[str, list[dict]] = {}
    for record, name in zip(
        variants, _set_names(tuple([record["variant"] for record in variants])), strict=True
    ):
        found.setdefault(name, []).append(record)
    return found


def set_names(variant: str) -> tuple[str, str]:
    """Return the two names that the set of a variant may have; see `sets`."""
    return variant.rpartition(":")[0], gaps.kind(variant)


@lru_cache(maxsize=256)  # most sources have variants of the same names
def _set_names(variants: tuple[str, ...]) -> list[str]:
    heads = [variant.rpartition(":")[0] for variant in variants]
    shared = Counter(heads)
    return [
        head if shared[head] > 1 else gaps.kind(variant)
        for variant, head in zip(variants, heads, strict=True)
    ]


def signature(
    scorer: Scorer,
    references: Collection[int],
    with_original: bool = False,
    control: str | None = None,
) -> str:
    """Return how S, R and D of a metric are made, and their control, if there is one."""
    return scorer.signature(
        references, sd="population", original=with_original or None, control=control
    )


@lru_cache(maxsize=256)
def _names(label: str) -> tuple[str, str, str, str]:
    return label, f"S:{label}", f"R:{label}", f"D:{label}"


def _scores(
    scorer: Scorer, counts: tuple[int, ...], change: list[float], quality: list[float]
) -> dict[str, float | None]:
    """Return quality, S, R and D of one set of variants from scores in percent.

    counts: how often each of the different outputs is there.
    change: the scores of the pairs of them.  quality: those of all outputs, or none.
    """
    several = sum(counts) > 1
    middle = mean(quality) if quality else None
    changed = _change(scorer, counts, change) if several else None
    reach, deviation = _spread(quality) if several and quality else (None, None)
    return dict(zip(_names(scorer.label), (middle, changed, reach, deviation), strict=True))


def _spread(quality: list[float]) -> tuple[float, float]:
    """Return R and D of scores; 0 where rounding alone keeps them apart (ROUGE, F1)."""
    low, high = min(quality), max(quality)
    return (high - low, spread(quality)) if order(high, low) else (0.0, 0.0)


def mean(values: Sequence[float]) -> float:
    """Return the mean, rounded once; the order of the values does not matter."""
    return fsum(values) / len(values)


def _change(scorer: Scorer, counts: tuple[int, ...], scores: list[float]) -> float:
    """Return S of one set: two equal outputs do not differ."""
    number, is_symmetric = sum(counts), scorer.metric.is_symmetric
    changes = [100 - score for score in scores]
    if number > len(counts):
        changes = list(chain.from_iterable(map(repeat, changes, _times(counts, is_symmetric))))
    both_orders = 2 if is_symmetric else 1
    return fsum(changes) * both_orders / (number * (number - 1))


@lru_cache(maxsize=256)  # most sources have few outputs that are equal
def _times(counts: tuple[int, ...], symmetric: bool) -> list[int]:
    """Return how often each pair of different outputs is there; nothing where all are equal."""
    return [one * other for one, other in _paired(counts, symmetric)]


def counted(scorers: Iterable[Scorer], records: Sequence[dict]) -> dict[str, int]:
    """Return what metrics count of records beside their scores."""
    rows = (
        scorer.counts(*scorer.chosen(scorer.columns(records)))
        for scorer in scorers
        if scorer.metric.declared.counts
    )
    found: dict[str, int] = {}
    for counts in chain.from_iterable(rows):
        for name, number in counts.items():
            found[name] = found.get(name, 0) + number
    return found


def _counts(variants: list[dict], source: dict, scorers: list[Scorer]) -> dict[str, int]:
    parts = source["parts"]
    lacking = {"incomplete": 1} if _lacks_numbers(variants) else {}
    left_out = _left_out(parts, scorers[0].label) if len(parts) > 1 else {}
    return {
        "variants": len(variants),
        "empty": sum(map(tokenizers.is_empty, source["outputs"])),
        "unchanged": sum(map(is_unchanged, variants)),
        "identical_pairs": sum(
            [part["outputs"].count(output) - 1 for part in parts for output in part["outputs"]]
        ),
        **lacking,
        **left_out,
        **renamed(variants),
        **counted(scorers, variants),
    }


def _lacks_numbers(variants: list[dict]) -> bool:
    """Return whether a set of variants begins after its first number, or passes over one."""
    named = [record for record in variants if record.get("variant")]
    for group in sets(named).values():
        ends = [record["variant"].rpartition(":")[2] for record in group]
        numbers = {int(end) for end in ends if end.isdecimal() and len(end) < 10}
        if numbers and len(numbers) < max(numbers):
            return True
    return False


def is_unchanged(variant: dict) -> bool:
    """Did a filter leave the variant as it was?"""
    return any(entry.get("changed") is False for entry in variant.get("history") or ())


def _left_out(parts: list[dict], label: str) -> dict[str, int]:
    """Return how many sets have no quality or no S, where others of the source do."""
    quality, change, *_ = _names(label)
    lacking = {
        name: sum(part["scores"][score] is None for part in parts)
        for name, score in zip(LEFT_OUT, (quality, change), strict=True)
    }
    return {name: number for name, number in lacking.items() if 0 < number < len(parts)}


def renamed(variants: list[dict]) -> dict[str, int]:
    """Return {"not_restored": number of variants that still have swapped names}, or {}."""
    number = sum(map(history.is_renamed, variants))
    return {"not_restored": number} if number else {}


def of_numbers(counts: Mapping[str, int]) -> str:
    """Return the note on sources that lack variants; "" without any."""
    number = counts.get("incomplete", 0)
    if not number:
        return ""
    whose = "1 source" if number == 1 else f"{number:,} sources"
    return (
        f"variants of {whose} are missing, as the numbers tell: a filter left them out, "
        "or the input was divided within a source (--shard divides by id)"
    )


def of_names(counts: Mapping[str, int]) -> str:
    """Return the note on outputs with swapped names; "" without any."""
    number = counts.get("not_restored", 0)
    if not number:
        return ""
    return f"new names count as changes in {number} variants: dt-swap-names --restore is missing"
