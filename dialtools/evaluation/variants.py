"""The variants of one source compared with each other: quality, S, R, D (see sensitivity.py).

Variants of several kinds, such as those that rename one speaker each, form sets, and a source has
the means over its sets: of S, R and D without sets of one variant.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, permutations, repeat
from math import fsum

from dialtools.evaluation import chains, gaps, noise, source_groups
from dialtools.evaluation.chosen_metrics import ChosenMetric
from dialtools.evaluation.scorer import Pair, Scorer
from dialtools.records import dialogue, history
from dialtools.records.values import is_empty
from dialtools.statistics import moments
from dialtools.system.errors import RecordError

# of quality, of S, where other sets of the source have it
LEFT_OUT = ("sets_without_reference", "sets_of_one_variant")


def sources(
    records: Iterable[dict],
    metrics: Sequence[ChosenMetric],
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

    def sets_of(records: list[dict]) -> dict[str, list[dict]]:
        """Return the variants of a source in sets, the original in each if it counts."""
        if with_original and records[0].get("variant"):
            raise RecordError(
                "no original beside the variants: dt-swap-names --keep-original", records[0]
            )
        first = records[:1] if with_original else []
        return {name: first + variants for name, variants in sets(_variants(records)).items()}

    known: dict[tuple, dict[str, str]] = {}  # signatures, by language and number of references
    for scored in source_groups.scored(records, groups_by, sets_of, metrics, _wanted, _blame):
        source = _source(scored, with_original, by)
        alike = scored.scorers[0].language, source["references"]
        if alike not in known:
            known[alike] = signatures(scored.scorers, source["references"], with_original)
        yield history.add(source, by, known[alike], counts=_counts(scored, source, with_original))


def _variants(records: list[dict]) -> list[dict]:
    return [record for record in records if record.get("variant")]


def sets(variants: list[dict]) -> dict[str, list[dict]]:
    """Return variants in sets, by name: the names of a set differ in the last number only.

    Where no other shares all but the last number, as after two filters with one and one variant
    each ("names:1/typo.case:1", "names:2/typo.case:1"), it is those that differ only in numbers.
    """
    by_name: dict[str, list[dict]] = {}
    heads = [record["variant"].rpartition(":")[0] for record in variants]
    sizes = Counter(heads)
    for record, head in zip(variants, heads, strict=True):
        name = head if sizes[head] > 1 else gaps.kind(record["variant"])
        by_name.setdefault(name, []).append(record)
    return by_name


def set_names(variant: str) -> tuple[str, str]:
    """Return the two names that the set of a variant may have; see `sets`."""
    return variant.rpartition(":")[0], gaps.kind(variant)


def _wanted(
    metric: ChosenMetric, group: source_groups.SourceGroup, part: source_groups.SourcePart
) -> source_groups.Pairs:
    """Return the pairs of different outputs, and outputs with references if all have some.

    An output that the metric cannot work on must be found, even where all are equal: then it is
    one with itself.
    """
    outputs = part.outputs
    changes = _paired(dict.fromkeys(outputs), metric) or [(outputs[0], outputs[0])]
    texts = [metric.texts.compared(record) for record in part.records]
    quality: list[Pair] = list(zip(outputs, texts, strict=True)) if all(texts) else []
    return {"change": [(output, [text]) for output, text in changes], "quality": quality}


def _paired(items: Iterable, metric: ChosenMetric) -> list[tuple]:
    """Return the pairs of items, in one order where the other has the same score."""
    return list((combinations if metric.declared.symmetric else permutations)(items, 2))


def _blame(scorer: Scorer, group: source_groups.SourceGroup) -> None:
    """Raise the RecordError of the variant that the metric fails on, if one alone makes it fail."""
    for part in group.parts:
        for record, output in zip(part.records, part.outputs, strict=True):
            scorer.of_records([{**record, "reference": output}])
        if all(map(dialogue.references, part.records)):
            for record in part.records:
                scorer.of_records([record])


def _source(scored: source_groups.ScoredGroup, with_original: bool, by: str) -> dict:
    """Return the record of a source, with its sets under "parts"."""
    group = scored.group
    included = group.records if with_original else _variants(group.records)
    parts = []
    for part, of_metrics in zip(group.parts, scored.scores, strict=True):
        values: dict[str, float | None] = {}
        for scorer, scores in zip(scored.scorers, of_metrics, strict=True):
            values |= _scores(scorer, part.outputs, **scores)
        features = source_groups.features(part.records[-1])
        result = {
            "variant": part.name,
            **features,
            "outputs": part.outputs,
            **(chains.of(part.records) if features else {}),
            "scores": values,
        }
        if len(part.outputs) < 2:
            result["errors"] = [_too_few(by, len(part.outputs))]
        parts.append(result)
    source = source_groups.head(group.records[0]) | group.head
    source["outputs"] = list(map(dialogue.best, included))
    if included:
        control = min(included, key=lambda record: record.get("variant") or "")
        several = [included, *(part.records for part in group.parts)]
        for result, records in zip([source, *parts], several, strict=True):
            if place := [number for number, record in enumerate(records) if record is control]:
                result["control"] = place[0]
    # as many as all variants of a set have, in the best set
    source["references"] = max(
        min(len(dialogue.references(record)) for record in records)
        for records in [part.records for part in group.parts] or [group.records]
    )
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


def _too_few(by: str, variants: object) -> dict:
    return {"by": by, "reason": f"variants: {variants}; S, R and D need two of a set"}


def _scores(
    scorer: Scorer, outputs: list[str], change: list[float], quality: list[float]
) -> dict[str, float | None]:
    """Return quality, S, R and D of one set of variants from scores in percent.

    change: of the pairs of different outputs.  quality: of all outputs, or none.
    """
    number, counts = len(outputs), Counter(outputs)
    sensitivity, reach, deviation = None, None, None
    if number > 1:
        changes: Iterable[float] = [100 - score for score in change]
        if number > len(counts):  # equal outputs do not differ
            times = [n * m for n, m in _paired(counts.values(), scorer.metric)]
            changes = chain.from_iterable(map(repeat, changes, times))
        both_orders = 2 if scorer.metric.declared.symmetric else 1
        sensitivity = fsum(changes) * both_orders / (number * (number - 1))
    if number > 1 and quality:
        low, high = min(quality), max(quality)
        # 0 where rounding alone keeps scores apart (ROUGE, F1)
        is_apart = moments.order(high, low)
        reach, deviation = (high - low, moments.spread(quality)) if is_apart else (0.0, 0.0)
    mean = moments.mean_of_known(quality)
    return dict(zip(_names(scorer.label), (mean, sensitivity, reach, deviation), strict=True))


def _names(label: str) -> tuple[str, str, str, str]:
    return label, f"S:{label}", f"R:{label}", f"D:{label}"


def means_over_sets(parts: list[dict], labels: list[str]) -> dict[str, float | None]:
    """Return the means over the sets of a source."""
    if len(parts) == 1:
        return parts[0]["scores"]
    return {
        name: moments.mean_of_known(part["scores"][name] for part in parts)
        for label in labels
        for name in _names(label)
    }


def _counts(scored: source_groups.ScoredGroup, source: dict, with_original: bool) -> dict[str, int]:
    records, parts = scored.group.records, source["parts"]
    variants = _variants(records)
    included = records if with_original else variants
    counts = {
        "variants": len(included),
        "empty": sum(map(is_empty, source["outputs"])),
        "unchanged": sum(map(source_groups.is_unchanged, included)),
        "identical_pairs": sum(
            number * (number - 1)
            for part in parts
            if len(set(part["outputs"])) < len(part["outputs"])
            for number in Counter(part["outputs"]).values()
        ),
    }

    # is there a set that begins after its first number, or passes over one?
    for of_set in sets(variants).values():
        ends = [record["variant"].rpartition(":")[2] for record in of_set]
        numbers = {int(end) for end in ends if end.isdecimal() and len(end) < 10}
        if numbers and len(numbers) < max(numbers):
            counts["incomplete"] = 1
    if len(parts) > 1:
        # sets without a quality or an S that others of the source have
        for name, score in zip(LEFT_OUT, _names(scored.scorers[0].label), strict=False):
            lacking = sum(part["scores"][score] is None for part in parts)
            if 0 < lacking < len(parts):
                counts[name] = lacking
    counts |= source_groups.cautions(included)
    return counts | source_groups.counted(included, scored.scorers)


def incomplete_note(counts: Mapping[str, int]) -> str:
    """Return the note on sources that lack variants; "" without any."""
    number = counts.get("incomplete", 0)
    if not number:
        return ""
    whose = "1 source" if number == 1 else f"{number:,} sources"
    return (
        f"variants of {whose} are missing, as the numbers tell: a filter left them out, "
        "or the input was divided within a source (--shard divides by id)"
    )


def per_source(records: Iterable[dict]) -> Iterator[dict]:
    """Yield a record for each source, or for each pool of names, and for each speaker where one was
    renamed at a time.
    """
    for source in records:
        parts = [part for part in source.get("parts", ()) if "speaker" in part or "pool" in part]
        if not parts:
            yield {key: value for key, value in source.items() if key != "parts"}
            continue
        of_source = {key: source[key] for key in chains.KEYS if key in source}
        of_sets = ("parts", "control", "sets", "errors", *of_source)
        shared = {key: value for key, value in source.items() if key not in of_sets}
        for number, part in enumerate(parts):  # what dt-merge sums up stands in the first
            yield shared | part | ({"of_source": of_source} if number == 0 else {})


def signatures(scorers: Iterable[Scorer], references: int, with_original: bool) -> dict[str, str]:
    """Return how S, R and D of one source are made, by the labels of metrics."""
    return {scorer.label: signature(scorer, [references], with_original) for scorer in scorers}


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
