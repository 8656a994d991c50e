"""Sources with the numbers by which people look for them: theirs, another file's, S, R and D."""

from bisect import insort
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from itertools import chain, groupby, islice
from typing import NamedTuple

from dialtools.evaluation import gaps, robustness, selection, variants
from dialtools.evaluation.chosen_metrics import ChosenMetric
from dialtools.records import history
from dialtools.records.wellformed import is_number
from dialtools.statistics import expressions, moments
from dialtools.system.errors import OptionError, RecordError, nearest, show, show_names
from dialtools.tables import grids

_CHANGES = ("S", "R", "D")
_WORK: dict[tuple[str, ...], Callable] = {
    _CHANGES: variants.sources,
    robustness.DIMENSIONS: robustness.sources,
}
Scores = dict[str, float | None]
Known = dict[tuple, list[dict]]  # (system, id as text) -> records of dt-score --per-source
Reject = Callable[[str], object]
_Computed = tuple[list[dict], dict[str, Scores]]  # records, and scores by the name of a group


class Scored(NamedTuple):
    """The records of one source, or of one group of its variants, and its scores in percent."""

    head: dict  # {"group": name}, or {}
    records: list[dict]
    scores: Scores


def sources(
    records: Iterable[dict], labels: Sequence[str], known: Known | None, by: str | None
) -> Iterator[Scored]:
    """Yield the sources with those scores that labels ask for, such as S:rouge2.

    known: scores of another file, by their sources; None: S, R and D, and the dimensions of
        robustness, are computed.
    by: what variants are grouped by; see gaps.py.
    """
    computed: Iterable[_Computed] = ((group, {}) for group in history.groups(records))
    if known is not None:
        known_labels = dict.fromkeys(
            label for rows in known.values() for row in rows for label in row["scores"]
        )
        for label in labels:
            if of_source(label) and label not in known_labels:
                raise OptionError(
                    f"--with: no score {show(label)}{nearest(label, known_labels)}; there are "
                    f"{show_names(known_labels) or 'none'}"
                )
    else:
        for prefixes, work in _WORK.items():
            of_work = (label for label in labels if of_source(label, prefixes))
            metrics = [
                ChosenMetric(spec)
                for spec in dict.fromkeys(label.partition(":")[2] for label in of_work)
            ]
            for metric in metrics:
                metric.require_valid()
                metric.require_comparable()
            if metrics:
                filter = partial(work, metrics=metrics, by="", groups_by=by)
                computed = _with_scores(computed, filter)
    are_of_sources = any(map(of_source, labels))
    for source, scores_of in computed:
        for head, group in gaps.split(source, by):
            scores = scores_of.get(repr(head.get("group")), {})
            if known is not None and are_of_sources:
                rows = known.get(_key(source[0]), [])
                if by:
                    rows = _of_group(rows, group, source)
                scores = _means([row["scores"] for row in rows])
            yield Scored(head, group, scores)


def of_source(label: str, prefixes: Sequence[str] = (*_CHANGES, *robustness.DIMENSIONS)) -> bool:
    """Return whether a label is one that only a whole source has, such as S:rouge2."""
    prefix, _, metric = label.partition(":")
    return bool(metric) and prefix in prefixes


def known_scores(records: Iterable[dict]) -> Known:
    """Return the records of dt-score --per-source: several for a source with kinds or speakers."""
    known: Known = {}
    for record in records:
        require_scores(record)
        row = {"variant": record.get("variant"), "scores": record["scores"]}
        known.setdefault(_key(record), []).append(row)
    return known


def _of_group(rows: Sequence[dict], group: Sequence[dict], source: Sequence[dict]) -> list[dict]:
    """Return those rows that are of the variants of a group.

    Raise OptionError if one is of these and of others.
    """
    in_group = {record.get("variant") for record in group}
    of_group = []
    for row in rows:
        shared = {
            record["variant"] in in_group
            for record in source
            if record.get("variant")
            and row["variant"] in (None, *variants.set_names(record["variant"]))
        }
        if len(shared) > 1:
            raise OptionError(
                "--with: a score of the file is of variants of several groups (id "
                f"{show(source[0]['id'])}): leave --with out, and the scores of each "
                "group are computed, or leave --by out"
            )
        if shared == {True}:
            of_group.append(row)
    return of_group


def require_scores(record: dict) -> None:
    """Raise RecordError for a record that dt-score --per-source did not write."""
    if not isinstance(record, dict):
        raise RecordError(f"a record is a dict, here is {show(record)}")
    if not isinstance(record.get("scores"), dict) or record.get("unit") != "percent":
        raise RecordError("a record of dt-score --per-source is wanted here", record)
    for label, value in record["scores"].items():
        if value is not None and not is_number(value):
            raise RecordError(f"its score {show(label)} is no number, but {show(value)}", record)


def _key(record: dict) -> tuple:
    return record.get("system"), str(record.get("id"))


def _with_scores(
    sources: Iterable[_Computed], work: Callable[[Iterable[dict]], Iterator[dict]]
) -> Iterator[_Computed]:
    """Yield sources with the scores that dt-score --per-source would give them."""
    held: deque[_Computed] = deque()

    def passing() -> Iterator[dict]:
        for records, scores in sources:
            held.append((records, scores))
            yield from records

    for _, results in groupby(work(passing()), key=history.source):
        records, scores = held.popleft()
        columns: dict[str, list[Scores]] = {}
        for result in results:
            columns.setdefault(repr(result.get("group")), []).append(result.get("scores") or {})
        yield (
            records,
            {name: scores.get(name, {}) | _means(column) for name, column in columns.items()},
        )


def _means(scores: Sequence[Scores]) -> Scores:
    labels = dict.fromkeys(chain.from_iterable(scores))
    return {label: moments.mean_of_known(one.get(label) for one in scores) for label in labels}


def with_ids(sources: Iterable[Scored], ids: Sequence[str]) -> Iterator[Scored]:
    """Yield the sources of ids. Raise OptionError if there is none of one."""
    seen = set()
    for source in sources:
        if (id := str(source.records[0]["id"])) in ids:
            seen.add(id)
            yield source
    if missing := [id for id in ids if id not in seen]:
        raise OptionError(f"no record has the id {show_names(missing)}")


def where(
    sources: Iterable[Scored],
    holds: Callable[[expressions.Scores], bool],
    labels: Sequence[str],
    reject: Reject,
) -> Iterator[Scored]:
    """Yield the sources with a record for which an expression is true.

    reject: called with the reason for each source of which none can be judged.
    """
    of_records = [label for label in labels if not of_source(label)]
    for source in sources:
        truths = []
        for record in source.records:
            with suppress(expressions.Unknown):
                truths.append(holds(source.scores | selection.scores(record, of_records)))
        if any(truths):
            yield source
        elif not truths:
            reject(f"without {show_names(labels)}")


def extreme(
    sources: Iterable[Scored], label: str, worst: bool, number: int, reject: Reject
) -> Iterator[Scored]:
    """Yield the sources of each group with the worst, or best, scores; of equal ones the first."""
    sign = 1 if _is_high_better(label) == worst else -1
    groups: dict[str, list[tuple[float, int, Scored]]] = {}
    for place, source in enumerate(sources):
        score = value(source, label)
        if score is None:
            reject(f"without {label}{_needs(label)}")
            continue
        held = groups.setdefault(repr(source.head.get("group")), [])
        insort(held, (sign * score, place, source))
        del held[number:]
    for held in groups.values():
        yield from (source for _, _, source in held)


def _is_high_better(label: str) -> bool:
    """Return whether a high score is a good one. Raise OptionError where none is better."""
    if of_source(label):
        return False
    try:
        bounds = ChosenMetric(label).declared.range
    except OptionError:
        return True  # of a label of the user's own, such as that of a rating
    if bounds is None:
        raise OptionError(
            f"of {label} neither high nor low values are better: choose by --where '{label} > …'"
        )
    return bounds[0] < bounds[1]


def first(sources: Iterable[Scored], number: int, by: str | None) -> Iterator[Scored]:
    """Yield the first sources of each group."""
    if by is None:
        yield from islice(sources, number)
        return
    seen: Counter = Counter()
    for source in sources:
        group = repr(source.head.get("group"))
        seen[group] += 1
        if seen[group] <= number:
            yield source


def require_named(sources: Iterable[Scored], by: str) -> Iterator[Scored]:
    """Yield the sources of groups. Raise OptionError if none of them has a name."""
    known: dict[str, None] = {}
    is_named = False
    for source in sources:
        known |= dict.fromkeys(source.head.get("there", ()))
        is_named = is_named or source.head["group"] is not None
        yield source
    if known and not is_named:
        raise OptionError(
            f"--by: no record has a {by!r}{nearest(by, known)}; there are {show_names(known)}"
        )


def value(source: Scored, label: str) -> float | None:
    """Return a score of a source: its own, or the mean over its variants, if it has any."""
    if of_source(label):
        return source.scores.get(label)
    varied = [record for record in source.records if record.get("variant")]
    return moments.mean_of_known(
        selection.scores(record, [label]).get(label) for record in varied or source.records
    )


def shown_scores(record: dict) -> str:
    """Return the scores of a record, as people read them."""
    return ", ".join(shown(label, score) for label, score in (record.get("scores") or {}).items())


def shown(label: str, score: object) -> str:
    """Return a label and its score, in percent where the score of a record is from 0 to 1."""
    if score is None:
        return f"{label} –"
    if not isinstance(score, int | float):
        return f"{label} {show(score, 40)}"
    scale = 1 if of_source(label) else _scale(label)
    return f"{label} {grids.rounded(float(score * scale), 2)}"


@lru_cache(maxsize=256)
def _scale(label: str) -> int:
    with suppress(OptionError):
        return 100 if ChosenMetric(label).declared.range in ((0, 1), (1, 0)) else 1
    return 1


def _needs(label: str) -> str:
    """Return what a score of sources is made of, as an apposition; "" for one of records."""
    if not of_source(label):
        return ""
    if of_source(label, robustness.DIMENSIONS):
        return ", which needs an original and a variant"
    return ", which needs two variants" + ("" if label.startswith("S:") else " with references")
