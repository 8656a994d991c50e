"""Sources scored: what is asked of some of them comes to a metric in one call, and its answers go back to each."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import NamedTuple

from dialtools.batches import apart, until_error, worked
from dialtools.errors import RecordError, show
from dialtools.records import dialogue
from dialtools.scoring import binding
from dialtools.scoring.binding import Metrics

Pairs = dict[str, list[binding.Pair]]  # what is asked of a part, each list under a name of its own
Scores = dict[str, list[float]]  # the answers, under the same names


class Part(NamedTuple):
    """Records of a source whose outputs are compared with each other, or with that of the original."""

    name: str
    records: list[dict]
    outputs: list[str]


class Group(NamedTuple):
    """What is asked for at once: the records of one source, in one language, and the parts of them."""

    named: dict  # {"group": name}, or {}
    records: list[dict]
    parts: list[Part]

    @property
    def lang(self) -> str:
        """Return the language of the records; RecordError of one that is in another, whose words would be lost."""
        found = dialogue.lang(self.records[0])
        for record in self.records:
            if (other := dialogue.lang(record)) != found:
                raise RecordError(f"a source is in one language, here are {show(found)} and {show(other)}", record)
        return found


class Scored(NamedTuple):
    """A group with the scores of its parts."""

    group: Group
    scorers: list[binding.Scorer]
    scores: list[tuple[Scores, ...]]  # of each part, by each metric


Wanted = Callable[[binding.Scorer, Group, Part], Pairs]
Blame = Callable[[binding.Scorer, Group], object]


def group(named: dict, records: list[dict], parts: dict[str, list[dict]]) -> Group:
    """Return a group; parts: {name: records}."""
    return Group(named, records, [Part(name, own, list(map(dialogue.best, own))) for name, own in parts.items()])


def scored(groups: Iterable[Group], metric: Metrics, wanted: Wanted, blame: Blame) -> Iterator[Scored]:
    """Yield each group with the scores, in percent, that are wanted of it; some groups are scored in one call.

    wanted: (metric, group, part) -> pairs.  It may look at nothing of a metric but whether it is symmetric and
        what it compares with: others get the same pairs.
    blame: raises a RecordError that names the record of a group on which the metric fails.
    """
    work = partial(apart, partial(_of_one_language, metric, wanted, blame), lambda group: group.lang)
    errors: list[Exception] = []
    for window in _windows(until_error(groups, errors), metric):
        yield from worked(work, window)
    if errors:
        raise errors[0]


def _windows(groups: Iterable[Group], metric: Metrics) -> Iterator[list[Group]]:
    """Yield lists of groups that have together at least as many records as the metrics want at once."""
    size, held, number = max(binding.BATCH, binding.window(metric)), list[Group](), 0
    for group in groups:
        held.append(group)
        number += len(group.records)
        if number >= size:
            yield held
            held, number = [], 0
    if held:
        yield held


def _of_one_language(metric: Metrics, wanted: Wanted, blame: Blame, groups: list[Group]) -> list[Scored]:
    scorers = binding.bind_all(metric, groups[0].records[0])
    asked: dict[tuple, list[Pairs]] = {}  # of each part of each group
    of_metrics: list[list[Scores]] = []
    for scorer in scorers:
        alike = scorer.is_symmetric(), scorer.asked._replace(spec="")
        if alike not in asked:
            asked[alike] = [wanted(scorer, group, part) for group in groups for part in group.parts]
        try:
            of_metrics.append(_scores(scorer, asked[alike]))
        except RecordError as error:  # of several groups each is then tried by itself, by `worked`
            blame(scorer, groups[0])
            raise RecordError(error.reason, groups[0].records[0]) from None
    of_parts = zip(*of_metrics, strict=True)
    return [Scored(group, scorers, list(islice(of_parts, len(group.parts)))) for group in groups]


def _scores(scorer: binding.Scorer, asked: list[Pairs]) -> list[Scores]:
    """Return the scores of the pairs of each part."""
    every = [pair for part in asked for pairs in part.values() for pair in pairs]
    values = iter(scorer.percent(*map(list, zip(*every, strict=True))) if every else ())
    return [{name: list(islice(values, len(pairs))) for name, pairs in part.items()} for part in asked]
