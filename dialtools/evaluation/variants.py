"""The variants of one source compared with each other: quality, S, R, D (see sensitivity.py).

Variants of several kinds, such as those that rename one speaker each, form sets, and a source has
the means over its sets: of S, R and D without sets of one variant.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain, combinations, permutations, repeat
from math import fsum

from dialtools.evaluation import chains, gaps, noise, source_groups
from dialtools.evaluation.chosen_metrics import ChosenMetric
from dialtools.evaluation.scorer import Pair, Scorer, bind
from dialtools.languages import Language
from dialtools.records import dialogue, history
from dialtools.statistics.moments import order, spread
from dialtools.system.errors import RecordError
from dialtools.text import tokenizers

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
    sets_of = partial(_sets_of_source, with_original=with_original)
    for scored in source_groups.scored(records, groups_by, sets_of, metrics, _wanted, _blame):
        source = _source(scored, with_original, by)
        language, references = scored.scorers[0].language, source["references"]
        signed = signatures(tuple(metrics), language, references, with_original)
        yield history.add(source, by, signed, counts=_counts(scored, source, with_original))


def _variants(records: list[dict]) -> list[dict]:
    return [record for record in records if record.get("variant")]


def _sets_of_source(records: list[dict], with_original: bool) -> dict[str, list[dict]]:
    """Return the variants of a source in sets, the original in each if it counts."""
    if with_original and records[0].get("variant"):
        raise RecordError(
            "no original beside the variants: dt-swap-names --keep-original", records[0]
        )
    first = records[:1] if with_original else []
    return {name: first + variants for name, variants in sets(_variants(records)).items()}


def sets(variants: list[dict]) -> dict[str, list[dict]]:
    """Return variants in sets, by name: the names of a set differ in the last number only.

    Where no other shares all but the last number, as after two filters with one and one variant
    each ("names:1/typo.case:1", "names:2/typo.case:1"), it is those that differ only in numbers.
    """
    by_name: dict[str, list[dict]] = {}
    names = _set_names(tuple([record["variant"] for record in variants]))
    for record, name in zip(variants, names, strict=True):
        by_name.setdefault(name, []).append(record)
    return by_name


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


def _wanted(
    metric: ChosenMetric, group: source_groups.SourceGroup, part: source_groups.SourcePart
) -> source_groups.Pairs:
    """Return the pairs of different outputs, and outputs with references if all have some.

    An output that the metric cannot work on must be found, even where all are equal: then it is
    one with itself.
    """
    outputs = part.outputs
    change = _paired(dict.fromkeys(outputs), metric.is_symmetric) or [(outputs[0], outputs[0])]
    texts = [metric.texts.compared(record) for record in part.records]
    quality: list[Pair] = list(zip(outputs, texts, strict=True)) if all(texts) else []
    return {"change": [(output, [text]) for output, text in change], "quality": quality}


def _paired(items: Iterable, symmetric: bool) -> list[tuple]:
    """Return the pairs of items, in one order where the other has the same score."""
    return list((combinations if symmetric else permutations)(items, 2))


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
    parts = [
        _part(part, scored.scorers, scores, by)
        for part, scores in zip(group.parts, scored.scores, strict=True)
    ]
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


def _part(
    part: source_groups.SourcePart,
    scorers: list[Scorer],
    scores: Iterable[source_groups.Scores],
    by: str,
) -> dict:
    """Return what is known of one set of variants; scores: by each metric."""
    counts = tuple(map(part.outputs.count, dict.fromkeys(part.outputs)))
    values: dict[str, float | None] = {}
    for scorer, of_metric in zip(scorers, scores, strict=True):
        values |= _scores(scorer, counts, **of_metric)
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
    return result


def _too_few(by: str, variants: object) -> dict:
    return {"by": by, "reason": f"variants: {variants}; S, R and D need two of a set"}


def _scores(
    scorer: Scorer, counts: tuple[int, ...], change: list[float], quality: list[float]
) -> dict[str, float | None]:
    """Return quality, S, R and D of one set of variants from scores in percent.

    counts: how often each of the different outputs is there.
    change: the scores of the pairs of them.  quality: those of all outputs, or none.
    """
    number, is_symmetric = sum(counts), scorer.metric.is_symmetric
    sensitivity, reach, deviation = None, None, None
    if number > 1:
        changes = [100 - score for score in change]
        if number > len(counts):  # equal outputs do not differ
            times = _times(counts, is_symmetric)
            changes = list(chain.from_iterable(map(repeat, changes, times)))
        both_orders = 2 if is_symmetric else 1
        sensitivity = fsum(changes) * both_orders / (number * (number - 1))
    if number > 1 and quality:
        low, high = min(quality), max(quality)
        # 0 where rounding alone keeps scores apart (ROUGE, F1)
        reach, deviation = (high - low, spread(quality)) if order(high, low) else (0.0, 0.0)
    values = mean(quality) if quality else None, sensitivity, reach, deviation
    return dict(zip(_names(scorer.label), values, strict=True))


@lru_cache(maxsize=256)
def _names(label: str) -> tuple[str, str, str, str]:
    return label, f"S:{label}", f"R:{label}", f"D:{label}"


def mean(values: Sequence[float]) -> float:
    """Return the mean, rounded once; the order of the values does not matter."""
    return fsum(values) / len(values)


@lru_cache(maxsize=256)  # most sources have few outputs that are equal
def _times(counts: tuple[int, ...], symmetric: bool) -> list[int]:
    """Return how often each pair of different outputs is there; nothing where all are equal."""
    return [n * m for n, m in _paired(counts, symmetric)]


def means_over_sets(parts: list[dict], labels: list[str]) -> dict[str, float | None]:
    """Return the means over the sets of a source."""
    if len(parts) == 1:
        return parts[0]["scores"]
    columns = {
        name: [part["scores"][name] for part in parts if part["scores"][name] is not None]
        for label in labels
        for name in _names(label)
    }
    return {name: mean(values) if values else None for name, values in columns.items()}


def _counts(scored: source_groups.ScoredGroup, source: dict, with_original: bool) -> dict[str, int]:
    records, parts = scored.group.records, source["parts"]
    included = records if with_original else _variants(records)
    left_out = {}
    if len(parts) > 1:
        # sets without a quality or an S that others of the source have
        names = zip(LEFT_OUT, _names(scored.scorers[0].label), strict=False)
        lacking = {
            name: sum(part["scores"][score] is None for part in parts) for name, score in names
        }
        left_out = {name: n for name, n in lacking.items() if 0 < n < len(parts)}
    return {
        "variants": len(included),
        "empty": sum(map(tokenizers.is_empty, source["outputs"])),
        "unchanged": sum(map(source_groups.is_unchanged, included)),
        "identical_pairs": sum(
            [part["outputs"].count(output) - 1 for part in parts for output in part["outputs"]]
        ),
        **({"incomplete": 1} if _lacks_numbers(_variants(records)) else {}),
        **left_out,
        **source_groups.renamed(included),
        **source_groups.counted(included, scored.scorers),
    }


def _lacks_numbers(variants: list[dict]) -> bool:
    """Return whether a set of variants begins after its first number, or passes over one."""
    for records in sets(variants).values():
        ends = [record["variant"].rpartition(":")[2] for record in records]
        numbers = {int(end) for end in ends if end.isdecimal() and len(end) < 10}
        if numbers and len(numbers) < max(numbers):
            return True
    return False


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

    def without(record: dict, *keys: str) -> dict:
        return {key: value for key, value in record.items() if key not in keys}

    for source in records:
        parts = [part for part in source.get("parts", ()) if "speaker" in part or "pool" in part]
        of_source = {key: source[key] for key in chains.KEYS if key in source}
        for number, part in enumerate(parts):  # what dt-merge sums up stands in the first
            first = {"of_source": of_source} if number == 0 else {}
            yield without(source, "parts", "control", "sets", "errors", *of_source) | part | first
        if not parts:
            yield without(source, "parts")


@lru_cache(maxsize=256)
def signatures(
    metrics: tuple[ChosenMetric, ...], language: Language, references: int, original: bool
) -> dict[str, str]:
    """Return how S, R and D of one source are made, by the labels of metrics."""
    scorers = [bind(metric, language) for metric in metrics]
    return {scorer.label: signature(scorer, [references], original) for scorer in scorers}


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
