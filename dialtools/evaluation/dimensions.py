"""The variants of one source compared with their original, in three dimensions.

What these are robustness.py defines.  A source without variants has none.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import fsum

from dialtools.evaluation import chains, endings, gaps, groups
from dialtools.evaluation.metric import Metric
from dialtools.evaluation.scorer import Scorer
from dialtools.evaluation.variants import HEAD, counted, features, is_unchanged, renamed
from dialtools.records import dialogue, history
from dialtools.system.errors import RecordError, about
from dialtools.text import tokenizers

DIMENSIONS = ("consistency", "saliency", "faithfulness")
# percent; a score below it is as good as 0, and what moves from there moves by millions of percent
NEAR_0 = 0.01
NO_DIALOGUE = "no_dialogue"  # key of a source with neither dialogue nor text
# of the data set's intervals, which the signature tells of
LEVEL, RESAMPLES, SEED = 0.95, 10_000, 0


def sources(
    records: Iterable[dict], metrics: Sequence[Metric], by: str, groups_by: str | None = None
) -> Iterator[dict]:
    """Yield one record for each source, system and kind, with "scores" in percent.

    groups_by: what variants are told apart by beside their kind; see gaps.py.
    Of a source without variants there is a record of no kind and without scores, which `varied`
    leaves out.
    """
    found = (
        groups.group(head, group, _kinds(group))
        for siblings in history.groups(records)
        for head, group in gaps.split(siblings, groups_by)
    )
    for group, scorers, scores in groups.scored(found, metrics, _wanted, _blame):
        original = _original(group.records)
        if not group.parts:
            yield history.add({"id": original["id"], "variant": ""}, by, {})
        for part, of_part in zip(group.parts, scores, strict=True):
            rows = {
                scorer.label: _rows(dialogue.best(original), part.outputs, **own)
                for scorer, own in zip(scorers, of_part, strict=True)
            }
            has_dialogue = bool(of_part[0]["faithfulness"])
            yield _source(original, part, scorers, rows, has_dialogue, by) | group.head


def has_variants(source: dict) -> bool:
    """Return whether `sources` found variants of a source; a failed one has errors."""
    return source.keys() != {"id", "variant", "history"}


class VariantsSeen:
    """Watches what `sources` makes, in one process or several: has any source variants, and has the
    last one fewer than others?
    """

    def __init__(self) -> None:
        self.lone = self.others = False
        self.sizes = endings.Sizes()

    def add(self, source: dict, entry: object = None) -> None:
        """Take note of a source."""
        has = has_variants(source)
        self.lone, self.others = self.lone or not has, self.others or has
        self.sizes.add(source)

    def merge(self, other: "VariantsSeen") -> None:
        """Take note of all that another one has seen."""
        self.lone, self.others = self.lone or other.lone, self.others or other.others
        self.sizes.merge(other.sizes)

    def require_any(self) -> None:
        """Raise RecordError if there are sources, but none with variants."""
        if self.lone and not self.others:
            raise RecordError(
                "no variants to compare with their originals: dt-perturb --keep-original"
            )


def varied(sources: Iterable[dict]) -> Iterator[dict]:
    """Yield the sources that have variants. Raise RecordError if none has any."""
    seen = VariantsSeen()
    for source in sources:
        seen.add(source)
        if has_variants(source):
            yield source
    seen.require_any()


def _original(group: list[dict]) -> dict:
    original = next((record for record in group if not record.get("variant")), None)
    if original is None:
        raise RecordError(
            "no original to compare the variants with: dt-perturb --keep-original", group[0]
        )
    return original


def _kinds(group: list[dict]) -> dict[str, list[dict]]:
    kinds: dict[str, list[dict]] = {}
    for record in group:
        if record.get("variant"):
            kinds.setdefault(gaps.kind(record["variant"]), []).append(record)
    return kinds


def _wanted(metric: Metric, group: groups.Group, part: groups.Part) -> groups.Pairs:
    """Return the pairs of each dimension; the original comes first in all but consistency."""
    original = _original(group.records)
    before = dialogue.best(original)
    outputs, references, said = (
        [before, *part.outputs],
        metric.texts.compared(original),
        _said(original),
    )
    return {
        "consistency": [(output, [before]) for output in part.outputs],
        "saliency": [(output, references) for output in outputs if references],
        "faithfulness": [(output, said) for output in outputs if said],
    }


def _blame(scorer: Scorer, group: groups.Group) -> None:
    """Raise the RecordError of the record whose output makes the metric fail, if one does."""
    for record in group.records:
        with about(record):
            scorer.values([dialogue.best(record)], [[dialogue.best(record)]])


def _source(
    original: dict,
    part: groups.Part,
    scorers: list[Scorer],
    rows: dict[str, list[list[float | None]]],
    has_dialogue: bool,
    by: str,
) -> dict:
    unchanged = list(map(is_unchanged, part.records))
    scores = {
        f"{dimension}:{label}": mean_of_known(row[at] for row in own)
        for label, own in rows.items()
        for at, dimension in enumerate(DIMENSIONS)
    }
    changed = {
        label: [row for row, same in zip(own, unchanged, strict=True) if not same]
        for label, own in rows.items()
    }
    head = {key: original[key] for key in HEAD if key in original}
    known = features(part.records[-1])
    pool = {"pool": known["pool"]} if "pool" in known else {}
    source = {
        **head,
        "variant": part.name,
        **pool,
        "unit": "percent",
        "scores": scores,
        **chains.of(part.records, [original]),
        "rows": rows,
        "changed": changed,
        "references": len(dialogue.references(original)),
    }
    if not has_dialogue:
        source[NO_DIALOGUE] = True
    signed = {scorer.label: signature(scorer, [source["references"]]) for scorer in scorers}
    empty = sum(map(tokenizers.is_empty, part.outputs))
    counts = {"variants": len(part.records), "unchanged": sum(unchanged), "empty": empty}
    counts |= counted(scorers, part.records) | renamed(part.records)
    return history.add(source, by, signed, counts=counts)


def signature(scorer: Scorer, references: Iterable[int]) -> str:
    """Return how the dimensions of a metric are made."""
    return scorer.signature(list(references), ci=f"normal/{RESAMPLES}", seed=SEED)


def _rows(
    before: str,
    outputs: list[str],
    consistency: list[float],
    saliency: list[float],
    faithfulness: list[float],
) -> list[list[float | None]]:
    """Return for each variant its value in each dimension, None where there is none.

    before: the original's output.  The rest are the scores of `_wanted`.
    """
    changes = [
        0.0 if output == before else 100 - score
        for output, score in zip(outputs, consistency, strict=True)
    ]
    nothing = [None] * len(outputs)
    return [
        list(row)
        for row in zip(
            changes, _falls(saliency) or nothing, _falls(faithfulness) or nothing, strict=True
        )
    ]


def _said(record: dict) -> list[str]:
    """Return what the output is to be faithful to: the dialogue as text, or the text."""
    turns = dialogue.turns(record)
    text = dialogue.text(turns) if turns else record.get("text")
    return [text] if text else []


def _falls(scores: list[float]) -> list[float | None]:
    """Return how far scores move from the original's, relative to it; None where it is 0."""
    return [
        100 * abs(scores[0] - other) / scores[0] if scores[0] >= NEAR_0 else None
        for other in scores[1:]
    ]


def mean_of_known(values: Iterable[float | None]) -> float | None:
    """Return the mean of those values that there are, None of none."""
    numbers = [value for value in values if value is not None]
    return fsum(numbers) / len(numbers) if numbers else None
