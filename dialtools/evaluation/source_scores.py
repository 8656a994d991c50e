"""Sources with the numbers by which people look for them: theirs, another file's, S, R and D."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, groupby
from typing import NamedTuple

from dialtools.evaluation import dimensions, gaps, variants
from dialtools.evaluation.metric import Metric
from dialtools.records import history
from dialtools.records.wellformed import is_number
from dialtools.system.errors import OptionError, RecordError, nearest, show, show_names

_CHANGES = ("S", "R", "D")
_WORK: dict[tuple[str, ...], Callable] = {
    _CHANGES: variants.sources,
    dimensions.DIMENSIONS: dimensions.sources,
}
Scores = dict[str, float | None]
Known = dict[tuple, list[dict]]  # (system, id as text) -> records of dt-score --per-source
_Found = tuple[list[dict], dict[str, Scores]]  # records, and scores by the name of a group


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
    found: Iterable[_Found] = ((group, {}) for group in history.groups(records))
    if known is not None:
        _require_known(labels, known)
    else:
        for prefixes, work in _WORK.items():
            if metrics := _metrics(labels, prefixes):
                found = _computed(found, partial(work, metrics=metrics, by="", groups_by=by))
    asked = any(map(of_source, labels))
    for group, scores in found:
        parts = gaps.split(group, by)
        for head, part in parts:
            own = scores.get(repr(head.get("group")), {})
            if known is not None and asked:
                rows = known.get(_key(group[0]), [])
                own = _means(
                    [row["scores"] for row in (_of_group(rows, part, group) if by else rows)]
                )
            yield Scored(head, part, own)


def _metrics(labels: Sequence[str], prefixes: Sequence[str]) -> list[Metric]:
    """Return the metrics whose changes labels name. Raise OptionError if one has none."""
    metrics = [
        Metric(spec)
        for spec in dict.fromkeys(
            label.partition(":")[2] for label in labels if of_source(label, prefixes)
        )
    ]
    for metric in metrics:
        metric.require_valid()
        metric.require_comparable()
    return metrics


def of_source(label: str, prefixes: Sequence[str] = (*_CHANGES, *dimensions.DIMENSIONS)) -> bool:
    """Return whether a label is one that only a whole source has, such as S:rouge2."""
    prefix, colon, metric = label.partition(":")
    return bool(metric) and prefix in prefixes


def known_scores(records: Iterable[dict]) -> Known:
    """Return the records of dt-score --per-source: several for a source with kinds or speakers."""
    found: Known = {}
    for record in records:
        require_scores(record)
        found.setdefault(_key(record), []).append(
            {"variant": record.get("variant"), "scores": record["scores"]}
        )
    return found


def _of_group(rows: Sequence[dict], part: Sequence[dict], source: Sequence[dict]) -> list[dict]:
    """Return those rows that are of the variants of a group.

    Raise OptionError if one is of these and of others.
    """
    own = {record.get("variant") for record in part}
    found = []
    for row in rows:
        shared = {
            record["variant"] in own
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
            found.append(row)
    return found


def require_scores(record: dict) -> None:
    """Raise RecordError for a record that dt-score --per-source did not write."""
    if not isinstance(record, dict):
        raise RecordError(f"a record is a dict, here is {show(record)}")
    if not isinstance(record.get("scores"), dict) or record.get("unit") != "percent":
        raise RecordError("a record of dt-score --per-source is wanted here", record)
    for label, value in record["scores"].items():
        if value is not None and not is_number(value):
            raise RecordError(f"its score {show(label)} is no number, but {show(value)}", record)


def needs(label: str) -> str:
    """Return what a score of sources is made of, as an apposition; "" for one of records."""
    if not of_source(label):
        return ""
    if of_source(label, dimensions.DIMENSIONS):
        return ", which needs an original and a variant"
    return ", which needs two variants" + ("" if label.startswith("S:") else " with references")


def _key(record: dict) -> tuple:
    return record.get("system"), str(record.get("id"))


def _require_known(labels: Sequence[str], known: Known) -> None:
    """Raise OptionError for a label of sources that a file does not have."""
    there = dict.fromkeys(
        label for rows in known.values() for row in rows for label in row["scores"]
    )
    for label in labels:
        if of_source(label) and label not in there:
            raise OptionError(
                f"--with: no score {show(label)}{nearest(label, there)}; there are "
                f"{show_names(there) or 'none'}"
            )


def _computed(
    found: Iterable[_Found], work: Callable[[Iterable[dict]], Iterator[dict]]
) -> Iterator[_Found]:
    """Yield sources with the scores that dt-score --per-source would give them."""
    held: deque[_Found] = deque()

    def passing() -> Iterator[dict]:
        for group, scores in found:
            held.append((group, scores))
            yield from group

    for _, made in groupby(work(passing()), key=history.source):
        group, scores = held.popleft()
        columns: dict[str, list[Scores]] = {}
        for one in made:
            columns.setdefault(repr(one.get("group")), []).append(one.get("scores") or {})
        yield group, {name: scores.get(name, {}) | _means(own) for name, own in columns.items()}


def _means(scores: Sequence[Scores]) -> Scores:
    labels = dict.fromkeys(chain.from_iterable(scores))
    return {label: dimensions.mean_of_known(one.get(label) for one in scores) for label in labels}
