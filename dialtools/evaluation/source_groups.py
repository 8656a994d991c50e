"""Sources: the records of one id in groups, scored together, and what is known of each.

The pairs of some sources come to a metric in one call.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple

from dialtools.evaluation import chosen_metrics, gaps, scorer
from dialtools.evaluation.chosen_metrics import ChosenMetric
from dialtools.evaluation.scorer import Pair, Scorer
from dialtools.records import dialogue, history
from dialtools.system.batches import apart, until_error, worked
from dialtools.system.errors import RecordError, show

# records that metrics get if none wants more; with two or three references, what tokenizers keep
BATCH = 32
HEAD = ("id", "cluster", "lang", "system")  # what a source has of its first record
FEATURES = ("speaker", "position", "turns", "pool")  # of what made a variant

Pairs = dict[str, list[Pair]]  # what is asked of a part, each list under a name of its own
Scores = dict[str, list[float]]  # the answers, under the same names


class SourcePart(NamedTuple):
    """Records of a source whose outputs are compared with each other or with the original's."""

    name: str
    records: list[dict]
    outputs: list[str]


class SourceGroup(NamedTuple):
    """The records of one source, in one language, and the parts of them."""

    head: dict  # {"group": name}, or {}
    records: list[dict]
    parts: list[SourcePart]

    @property
    def lang(self) -> str:
        """The tag of the records' language. Raise RecordError for a record in another one."""
        lang = dialogue.lang(self.records[0])
        for record in self.records:
            if (another := dialogue.lang(record)) != lang:
                raise RecordError(
                    f"a source is in one language, here are {show(lang)} and {show(another)}",
                    record,
                )
        return lang


class ScoredGroup(NamedTuple):
    """A group with the scores of its parts."""

    group: SourceGroup
    scorers: list[Scorer]
    scores: list[tuple[Scores, ...]]  # of each part, by each metric


Wanted = Callable[[ChosenMetric, SourceGroup, SourcePart], Pairs]
Blame = Callable[[Scorer, SourceGroup], object]


def scored(
    records: Iterable[dict],
    groups_by: str | None,
    parts: Callable[[list[dict]], dict[str, list[dict]]],
    metrics: Sequence[ChosenMetric],
    wanted: Wanted,
    blame: Blame,
) -> Iterator[ScoredGroup]:
    """Yield each source, or group of one, with its scores in percent; several are scored in one call.

    groups_by: what variants are grouped by, as if they were of several sources; see gaps.py.
    parts: records of a group -> {name of a part: its records}.
    wanted: (metric, group, part) -> pairs. It may only ask a metric whether it is symmetric and
        what it compares: others that answer the same get the same pairs.
    blame: raises a RecordError that names the record of a group on which the metric fails.
    """
    groups = (
        SourceGroup(
            head,
            group,
            [
                SourcePart(name, part, list(map(dialogue.best, part)))
                for name, part in parts(group).items()
            ],
        )
        for siblings in history.groups(records)
        for head, group in gaps.split(siblings, groups_by)
    )
    work = partial(apart, partial(_of_one_language, metrics, wanted, blame), lambda one: one.lang)
    size, window, number = max(BATCH, chosen_metrics.window(metrics)), list[SourceGroup](), 0
    errors: list[Exception] = []
    for group in until_error(groups, errors):
        window.append(group)
        number += len(group.records)
        if number >= size:
            yield from worked(work, window)
            window, number = [], 0
    if window:
        yield from worked(work, window)
    if errors:
        raise errors[0]


def _of_one_language(
    metrics: Sequence[ChosenMetric], wanted: Wanted, blame: Blame, groups: list[SourceGroup]
) -> list[ScoredGroup]:
    scorers = scorer.for_records(metrics, groups[0].records)
    asked: dict[tuple, list[Pairs]] = {}  # of each part of each group
    of_metrics: list[list[Scores]] = []
    for one in scorers:
        alike = one.metric.declared.symmetric, one.metric.texts
        if alike not in asked:
            asked[alike] = [
                wanted(one.metric, group, part) for group in groups for part in group.parts
            ]
        flat = [pair for part in asked[alike] for pairs in part.values() for pair in pairs]
        try:
            values = iter(one.percent(*map(list, zip(*flat, strict=True))) if flat else ())
        except RecordError as error:  # each of several groups is then tried by itself, by `worked`
            blame(one, groups[0])
            raise RecordError(error.reason, groups[0].records[0], error.place) from None
        of_metrics.append(
            [
                {name: list(islice(values, len(pairs))) for name, pairs in part.items()}
                for part in asked[alike]
            ]
        )
    of_parts = zip(*of_metrics, strict=True)
    return [
        ScoredGroup(group, scorers, list(islice(of_parts, len(group.parts)))) for group in groups
    ]


def head(record: dict) -> dict:
    """Return what a source has of its first record."""
    return {key: record[key] for key in HEAD if key in record}


def features(variant: dict) -> dict:
    """Return the renamed speaker's name, position of the first turn and number of turns, and the
    label of the pool.
    """
    for entry in variant.get("history") or ():
        if "speaker" in entry or "pool" in entry:
            return {key: entry[key] for key in FEATURES if key in entry}
    return {}


def is_unchanged(variant: dict) -> bool:
    """Did a filter leave the variant as it was?"""
    return any(entry.get("changed") is False for entry in variant.get("history") or ())


def cautions(variants: Sequence[dict]) -> dict[str, int]:
    """Return how many variants still have swapped names, and how many mean something else, where
    there are any.
    """
    counts = {
        "not_restored": sum(map(history.is_renamed, variants)),
        "meaning_changed": sum(map(history.is_meaning_changed, variants)),
    }
    return {name: number for name, number in counts.items() if number}


def caution_note(counts: Mapping[str, int]) -> str:
    """Return the note on such variants; "" without any."""
    notes = []
    if number := counts.get("not_restored", 0):
        notes.append(
            f"new names count as changes in {number} variants: dt-swap-names --restore is missing"
        )
    if number := counts.get("meaning_changed", 0):
        which = "1 variant means" if number == 1 else f"{number:,} variants mean"
        notes.append(f"{which} something else than the original, so that outputs should differ")
    return "; ".join(notes)


def counted(variants: Sequence[dict], scorers: Iterable[Scorer]) -> dict[str, int]:
    """Return what metrics count of records beside their scores."""
    numbers: Counter = Counter()
    for one in scorers:
        if one.metric.declared.counts:
            for counts in one.counts(*one.chosen(one.columns(variants))):
                numbers.update(counts)
    return dict(numbers)


def has_variants(source: dict) -> bool:
    """Tell whether a source has variants; one without is of no kind, and a failed one has errors."""
    return source.keys() != {"id", "variant", "history"}


class SourcesSeen:
    """Watches sources, in one process or several: has any of them variants, and has the last one
    fewer than all others?  It has if the first command of a pipe died, and its input ends early.
    """

    def __init__(self) -> None:
        self.without = self.with_variants = False  # has any source none, has any some?
        self.fewest: int | None = None  # variants of all sources but the last
        self.last: tuple | None = None
        self.number = 0  # of variants of the last

    def add(self, source: dict, entry: object = None) -> None:
        """Add a source, or one more part of the last one (of one kind, one group)."""
        if has_variants(source):
            self.with_variants = True
        else:
            self.without = True
        if "errors" in source and "unit" not in source:  # the record of one that was not scored
            return
        key = source.get("system"), source["id"]
        if key != self.last:
            self._finish()
            self.last, self.number = key, 0
        self.number += source["history"][-1].get("counts", {}).get("variants", 0)

    def _finish(self) -> None:
        if self.last is not None:
            self.fewest = self.number if self.fewest is None else min(self.fewest, self.number)

    def merge(self, other: "SourcesSeen") -> None:
        """Add the sources of another one, which come next."""
        self.without = self.without or other.without
        self.with_variants = self.with_variants or other.with_variants
        if other.last is not None:
            self._finish()
            known = [number for number in (self.fewest, other.fewest) if number is not None]
            self.fewest = min(known, default=None)
            self.last, self.number = other.last, other.number

    def require_any(self) -> None:
        """Raise RecordError if there are sources, but none with variants."""
        if self.without and not self.with_variants:
            raise RecordError(
                "no variants to compare with their originals: dt-perturb --keep-original"
            )

    def note(self) -> str:
        """Return that the last source has fewer variants than all others; "" if it has not."""
        if self.fewest is None or self.number >= self.fewest or self.last is None:
            return ""
        variants = "1 variant" if self.number == 1 else f"{self.number} variants"
        return (
            f"the last source ({show(self.last[1])}) has {variants}, all others {self.fewest} "
            "or more: did a command before this one end early? (set -o pipefail)"
        )


def summed_up(sources: Iterable[dict], key: str, groups: gaps.Groups, value: str) -> Iterator[dict]:
    """Yield the results of sources, and the gaps between groups; a last source cut short is noted.

    key: of sources that could be scored.
    groups: of totals with `add` and `results`.
    value: the key that gaps are of.
    """
    seen = SourcesSeen()
    for source in sources:
        seen.add(source)
        if key in source:
            groups.of_source(source).add(source)
    seen.require_any()
    groups.require_named()
    summaries = [summary for totals in groups.values() for summary in totals.results()]
    if note := seen.note():
        for summary in summaries:
            summary.result["note"] = "; ".join(filter(None, (summary.result.get("note"), note)))
    yield from gaps.added(summaries, groups.by, value)
