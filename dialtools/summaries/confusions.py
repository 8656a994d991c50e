"""Confusions: how often each true label goes with each one that a system says, over the scored records."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from dialtools.errors import OptionError
from dialtools.scoring import binding
from dialtools.scoring.binding import Metrics
from dialtools.summaries import gaps


def check(metric: Metrics) -> None:
    """Raise OptionError unless all metrics compare labels."""
    for spec in metric:
        if binding.plugin(spec).constant("pairs", None) is None:
            raise OptionError(f"{binding.label(spec)} compares no labels, which may be confused; "
                              f"{', '.join(binding.defining('pairs'))} do")


def summarise(records: Iterable[dict], metric: Metrics, by: str, groups_by: str | None = None) -> Iterator[dict]:
    """Yield a result for each pair of labels that there is: the commonest errors first, then what is right.

    true, predicted: the labels; predicted is null where the system says nothing.
    n: how often.  share: of how often the true label is there.
    groups_by: what further groups are told apart by; see gaps.py.
    """
    totals = gaps.Groups(groups_by, lambda head: [Total(binding.bind(spec, head["lang"]), head, Counter(), set())
                                                  for spec in metric])
    for record in records:
        entry = record["history"][-1] if record.get("history") else {}
        if entry.get("by") != by:  # could not be scored
            continue
        for total in totals.of(record):
            total.counts.update((record.get("statistics") or {}).get(total.scorer.plugin.label) or {})
            total.references.add(total.scorer.number(record))
    totals.check()
    for total in chain.from_iterable(totals.values()):
        yield from _results(*total)


class Total(NamedTuple):
    """What is counted for one metric, of one system in one language."""

    scorer: binding.Scorer
    head: dict
    counts: Counter
    references: set[int]


def _results(scorer: binding.Scorer, head: dict, counts: Counter, references: set[int]) -> Iterator[dict]:
    pairs = {tuple(name.split("\t")): count for name, count in counts.items()}
    true: Counter = Counter()
    for (label, _), count in pairs.items():
        true[label] += count
    errors_first = sorted(pairs.items(), key=lambda pair: (pair[0][0] == pair[0][1], -pair[1], pair[0]))
    for (label, predicted), count in errors_first:
        yield {"metric": scorer.plugin.label, **head, "true": label, "predicted": predicted or None, "n": count,
               "share": count / true[label], "signature": scorer.signature(references)}
