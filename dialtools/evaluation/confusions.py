"""Confusions: how often each true label goes with each predicted one."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from dialtools import languages
from dialtools.evaluation import gaps, metric, units
from dialtools.evaluation.metric import Metric
from dialtools.evaluation.scorer import Scorer, bind
from dialtools.system.errors import OptionError


def require_labels(metrics: Iterable[Metric]) -> None:
    """Raise OptionError unless all metrics compare labels."""
    for own in metrics:
        if own.declared.pairs is None:
            raise OptionError(
                f"{own.label} compares no labels, which may be confused; "
                f"{', '.join(metric.defining('pairs'))} do"
            )


def summarise(
    records: Iterable[dict], metrics: Sequence[Metric], by: str, groups_by: str | None = None
) -> Iterator[dict]:
    """Yield a result for each pair of labels: errors first, then right ones, by frequency.

    true, predicted: the labels; predicted is null where the system says nothing.
    n: how often.  share: of how often the true label is there, in percent.
    groups_by: what further groups are told apart by; see gaps.py.
    """

    def confusions(head: dict) -> list[Confusions]:
        language = languages.get(head["lang"])
        return [Confusions(bind(own, language), head, Counter(), set()) for own in metrics]

    groups = gaps.Groups(groups_by, confusions)
    for record in records:
        entry = record["history"][-1] if record.get("history") else {}
        if entry.get("by") != by:  # could not be scored
            continue
        for found in groups.of(record):
            found.counts.update((record.get("statistics") or {}).get(found.scorer.label) or {})
            found.references.add(found.scorer.metric.number(record))
    groups.require_named()
    for found in chain.from_iterable(groups.values()):
        yield from _results(*found)


class Confusions(NamedTuple):
    """The pairs of labels of one metric, of one system in one language."""

    scorer: Scorer
    head: dict
    counts: Counter
    references: set[int]


def _results(scorer: Scorer, head: dict, counts: Counter, references: set[int]) -> Iterator[dict]:
    pairs = {tuple(name.split("\t")): count for name, count in counts.items()}
    true: Counter = Counter()
    for (label, _), count in pairs.items():
        true[label] += count
    errors_first = sorted(
        pairs.items(), key=lambda pair: (pair[0][0] == pair[0][1], -pair[1], pair[0])
    )
    for (label, predicted), count in errors_first:
        yield {
            "metric": scorer.label,
            **head,
            "unit": units.PERCENT,
            "true": label,
            "predicted": predicted or None,
            "n": count,
            "share": 100 * count / true[label],
            "signature": scorer.signature(references),
        }
