"""Sources scored: what is asked of some of them comes to a metric in one call, and its answers go back to each."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice
from typing import NamedTuple

from dialtools import dialogue
from dialtools.batches import until_error, worked
from dialtools.errors import RecordError
from dialtools.scoring import binding
from dialtools.scoring.binding import Metrics


class Part(NamedTuple):
    """Records of a source whose outputs are compared with each other, or with that of the original."""

    name: str
    records: list[dict]
    outputs: list[str]


class Asked(NamedTuple):
    """Pairs to be scored: the lists that each group has, and all of them in columns."""

    lists: list[list[list[binding.Pair]]]
    columns: list[list]


class Group(NamedTuple):
    """What is asked for at once: the records of one source, in one language, and the parts of them."""

    called: dict  # {"group": name}, or {}
    records: list[dict]
    parts: list[Part]


Scores = list[list[float]]
Found = list[tuple[binding.Scorer, Scores]]  # of each metric
Wanted = Callable[[binding.Scorer, Group], list[list[binding.Pair]]]
Blame = Callable[[binding.Scorer, Group], object]


def group(called: dict, records: list[dict], parts: dict[str, list[dict]]) -> Group:
    """Return a group; parts: {name: records}."""
    return Group(called, records, [Part(name, own, list(map(dialogue.best, own))) for name, own in parts.items()])


def scored(groups: Iterable[Group], metric: Metrics, wanted: Wanted, blame: Blame) -> Iterator[tuple[Group, Found]]:
    """Yield each group with, for each metric, the scores that are wanted of it; some groups are scored in one call.

    wanted: (metric, group) -> lists of pairs; their scores, in percent, come in such lists.  It may look at
        nothing of a metric but whether it is symmetric and what it compares with: others get the same lists.
    blame: raises a RecordError that names the record of a group on which the metric fails.
    """
    errors: list[Exception] = []
    for window in _windows(until_error(groups, errors), metric):
        yield from worked(partial(_window, metric, wanted, blame), window)
    if errors:
        raise errors[0]


def _window(metric: Metrics, wanted: Wanted, blame: Blame, window: list[Group]) -> Iterator[tuple[Group, Found]]:
    langs = [dialogue.lang(group.records[0]) for group in window]
    found = {lang: iter(_of_one_language([group for group, other in zip(window, langs, strict=True)
                                          if other == lang], metric, wanted, blame))
             for lang in dict.fromkeys(langs)}
    return ((group, next(found[lang])) for group, lang in zip(window, langs, strict=True))


def _of_one_language(groups: list[Group], metric: Metrics, wanted: Wanted, blame: Blame) -> list[Found]:
    found: list[Found] = [[] for _ in groups]
    asked: dict[tuple, Asked] = {}
    for scorer in binding.bind_all(metric, groups[0].records[0]):
        alike = scorer.is_symmetric(), scorer.asked._replace(spec="")
        asked[alike] = asked.get(alike) or _asked([wanted(scorer, group) for group in groups])
        for own, scores in zip(found, _scores(scorer, asked[alike], groups, blame), strict=True):
            own.append((scorer, scores))
    return found


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


def _asked(lists: list[list[list[binding.Pair]]]) -> Asked:
    pairs = list(chain.from_iterable(chain.from_iterable(lists)))
    return Asked(lists, [list(column) for column in zip(*pairs, strict=True)])


def _scores(scorer: binding.Scorer, asked: Asked, groups: list[Group], blame: Blame) -> list[Scores]:
    """Return the scores of the lists of pairs of each group."""
    try:
        values = iter(scorer.percent(*asked.columns) if asked.columns else ())
    except RecordError as error:  # of several groups each is then tried by itself, by `worked`
        blame(scorer, groups[0])
        raise RecordError(error.reason, groups[0].records[0]) from None
    return [[list(islice(values, len(pairs))) for pairs in own] for own in asked.lists]
