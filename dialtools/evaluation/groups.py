"""Groups of records scored together: the pairs of some sources come to a metric in one call."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple

from dialtools.evaluation import metric, scorer
from dialtools.evaluation.metric import Metric
from dialtools.evaluation.scorer import Pair, Scorer
from dialtools.records import dialogue
from dialtools.system.batches import apart, until_error, worked
from dialtools.system.errors import RecordError, show

# records that metrics get if none wants more; with two or three references, what tokenizers keep
BATCH = 32

Pairs = dict[str, list[Pair]]  # what is asked of a part, each list under a name of its own
Scores = dict[str, list[float]]  # the answers, under the same names


class Part(NamedTuple):
    """Records of a source whose outputs are compared with each other or with the original's."""

    name: str
    records: list[dict]
    outputs: list[str]


class Group(NamedTuple):
    """The records of one source, in one language, and the parts of them."""

    head: dict  # {"group": name}, or {}
    records: list[dict]
    parts: list[Part]

    @property
    def lang(self) -> str:
        """The tag of the records' language. Raise RecordError for a record in another one."""
        found = dialogue.lang(self.records[0])
        for record in self.records:
            if (other := dialogue.lang(record)) != found:
                raise RecordError(
                    f"a source is in one language, here are {show(found)} and {show(other)}", record
                )
        return found


class ScoredGroup(NamedTuple):
    """A group with the scores of its parts."""

    group: Group
    scorers: list[Scorer]
    scores: list[tuple[Scores, ...]]  # of each part, by each metric


Wanted = Callable[[Metric, Group, Part], Pairs]
Blame = Callable[[Scorer, Group], object]


def group(head: dict, records: list[dict], parts: dict[str, list[dict]]) -> Group:
    """Return a group; parts: {name: records}."""
    made = [Part(name, own, list(map(dialogue.best, own))) for name, own in parts.items()]
    return Group(head, records, made)


def scored(
    groups: Iterable[Group], metrics: Sequence[Metric], wanted: Wanted, blame: Blame
) -> Iterator[ScoredGroup]:
    """Yield each group with its scores in percent; several groups are scored in one call.

    wanted: (metric, group, part) -> pairs. It may only ask a metric whether it is symmetric and
        what
        it compares: others that answer the same get the same pairs.
    blame: raises a RecordError that names the record of a group on which the metric fails.
    """
    of_one_language = partial(_of_one_language, metrics, wanted, blame)
    work = partial(apart, of_one_language, lambda group: group.lang)
    errors: list[Exception] = []
    for window in _windows(until_error(groups, errors), max(BATCH, metric.window(metrics))):
        yield from worked(work, window)
    if errors:
        raise errors[0]


def _windows(groups: Iterable[Group], size: int) -> Iterator[list[Group]]:
    """Yield lists of groups that have together at least so many records."""
    held, number = list[Group](), 0
    for group in groups:
        held.append(group)
        number += len(group.records)
        if number >= size:
            yield held
            held, number = [], 0
    if held:
        yield held


def _of_one_language(
    metrics: Sequence[Metric], wanted: Wanted, blame: Blame, groups: list[Group]
) -> list[ScoredGroup]:
    scorers = scorer.for_records(metrics, groups[0].records)
    asked: dict[tuple, list[Pairs]] = {}  # of each part of each group
    of_metrics: list[list[Scores]] = []
    for own in scorers:
        alike = own.metric.is_symmetric, own.metric.texts
        if alike not in asked:
            asked[alike] = [
                wanted(own.metric, group, part) for group in groups for part in group.parts
            ]
        try:
            of_metrics.append(_scores(own, asked[alike]))
        except RecordError as error:  # each of several groups is then tried by itself, by `worked`
            blame(own, groups[0])
            raise RecordError(error.reason, groups[0].records[0]) from None
    of_parts = zip(*of_metrics, strict=True)
    return [
        ScoredGroup(group, scorers, list(islice(of_parts, len(group.parts)))) for group in groups
    ]


def _scores(scorer: Scorer, asked: list[Pairs]) -> list[Scores]:
    """Return the scores of the pairs of each part."""
    every = [pair for part in asked for pairs in part.values() for pair in pairs]
    values = iter(scorer.percent(*map(list, zip(*every, strict=True))) if every else ())
    return [
        {name: list(islice(values, len(pairs))) for name, pairs in part.items()} for part in asked
    ]
