"""The outputs of the shards of a run, put together in the order of its input, and summed up."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, groupby

from dialtools.evaluation import merged_sources, quality
from dialtools.evaluation.chosen_metrics import ChosenMetric
from dialtools.evaluation.gaps import kind
from dialtools.models.decoding import Loading
from dialtools.pipeline.work import Lost
from dialtools.records import dialogue, history, validation
from dialtools.records.validation import key
from dialtools.records.wellformed import is_number
from dialtools.system import stable_hash
from dialtools.system.errors import OptionError, RecordError, show

Merged = Iterator[tuple[dict, bool]]  # each record, and whether the run failed on it
_SCORE = "dt-score"
# two runs may differ in these: a record's number of references, and which server answered
_REFERENCES = re.compile(r"\|refs:[^|]*")
_ADDRESS = re.compile(r"\|endpoint:[^|]*")
_REMEDY = (
    "if the run left it out (--on-error skip, dt-select), give --left-out; else a part is "
    "cut off or missing"
)


def one_by_one(parts: Sequence[Iterable[dict]], names: Sequence[str], lost: Lost) -> Merged:
    """Yield the records of all parts as they come.

    lost: counts those on which the run failed.
    """
    provenance, order = Provenance(), validation.Order()
    for part, name in zip(parts, names, strict=True):
        for record in part:
            _id(record)
            order.admit(record)
            provenance.admit(record, name, [{"system": record.get("system")}])
            has_failed = not merged_sources.is_source(record) and any(
                error.get("by") == _SCORE for error in record.get("errors") or ()
            )
            if has_failed:
                lost.keep(record)
            yield record, has_failed


def in_order(
    parts: Sequence[Iterable[dict]],
    names: Sequence[str],
    order: Iterable[dict],
    left_out: bool,
    lost: Lost,
) -> Merged:
    """Yield the records of all parts in the order of the run's input.

    left_out: accept that records of the input are in no part.
    lost: counts these, and those on which the run failed.
    """
    shards = _by_number([Shard(part, name) for part, name in zip(parts, names, strict=True)])
    of_kinds = any(
        merged_sources.is_of_kind(record)
        for part in shards.values()
        if part.next
        for record in part.next[1]
    )
    provenance = Provenance()
    for id, group in groupby(order, key=_id):
        number, given = stable_hash.shard(id, len(parts)), list(group)
        if of_kinds and not any(record.get("variant") for record in given):
            continue  # there is nothing to compare its original with
        if part := shards.get(number):
            records = part.take(id, given, left_out)
            for record in records:
                provenance.admit(record, part.name, given)
            yield from _of_source(records, given, lost)
        elif not left_out:
            raise RecordError(
                f"part {number} of {len(parts)} is missing or empty; {_REMEDY}", {"id": id}
            )
    for part in shards.values():
        part.finish()


def results(merged: Merged, lost: Lost, loading: Loading) -> Iterator[dict]:
    """Yield the results of merged records: those of sources, or the means of scores.

    lost: what they lack.
    """
    sound = (record for record, has_failed in merged if not has_failed)
    first = next(sound, None)
    if first is None:
        return
    records = chain([first], sound)
    if merged_sources.is_source(first):
        whole = filter(merged_sources.is_source, records)
        yield from lost.added_to(merged_sources.summarise(whole, loading))
        return
    means: list[dict] = []
    for _ in summed_up(((record, False) for record in records), means, alone=True):
        pass
    if not means:
        raise RecordError(
            "there is nothing to sum up: no record was scored by a metric of dt-score", first
        )
    yield from lost.added_to(means)


def summed_up(merged: Merged, results: list[dict], alone: bool = False) -> Iterator[dict]:
    """Yield the merged records; `results` gets the means of their scores; alone: nothing else is
    written.

    Those on which the run failed may have scores of another run, which do not count.  Sources have
    results of their own.
    """
    means: quality.Means | None = None
    for record, has_failed in merged:
        yield record
        entry = record["history"][-1] if record.get("history") and not has_failed else {}
        if means is None and (metrics := _metrics(entry)) and not merged_sources.is_source(record):
            means = quality.Means(metrics, entry["by"], alone=alone)
        if means and entry:
            _require_scores(record, entry["signature"])
            means.add(record, entry)
    if means:
        results += means.results()


def _metrics(entry: dict) -> list[ChosenMetric]:
    """Return our metrics that a record was scored by, as an entry of its history says."""
    signature = entry.get("signature")
    metrics = []
    for label in signature if isinstance(signature, dict) else ():
        with suppress(OptionError):  # for a function of the user's own
            metrics.append(ChosenMetric(label))
    return metrics


def _require_scores(record: dict, labels: Iterable[str]) -> None:
    """Raise RecordError unless the scores of a record, and their statistics, are as if made here."""
    scores, statistics = record.get("scores"), record.get("statistics") or {}
    for label in labels:
        if not isinstance(scores, dict) or not is_number(scores.get(label, 0)):
            raise RecordError(f'"scores" is an object of numbers, here is {show(scores)}', record)
        row = statistics.get(label, [])
        numbers = row.values() if isinstance(row, dict) else row
        if not isinstance(row, list | dict) or not all(map(is_number, numbers)):
            raise RecordError(
                f'"statistics" are lists of numbers, or counts under names, here is {show(row)}',
                record,
            )


def _by_number(parts: list["Shard"]) -> dict[int, "Shard"]:
    """Return {the number of a shard: its part}; the first record of a part tells its number."""
    by_number: dict[int, Shard] = {}
    for part in parts:
        if part.next:
            number = stable_hash.shard(part.next[0], len(parts))
            if number in by_number:
                raise OptionError(
                    f"{by_number[number].name} and {part.name} are both of part {number} "
                    f"of {len(parts)}, or there are other parts than these, or the "
                    "run gave new ids"
                )
            by_number[number] = part
    return by_number


def _of_source(records: list[dict], given: list[dict], lost: Lost) -> Merged:
    """Yield the records of one id; given: its records in the input."""
    before = {key(record): record for record in given}
    systems = {record.get("system") for record in records if merged_sources.is_source(record)}
    for record in records:
        has_failed = history.has_failed(record, before.pop(key(record), {}))
        if has_failed:
            lost.keep(record)
        yield record, has_failed
    for record in before.values():
        if record.get("system") not in systems:
            lost.skip(record)


class Shard:
    """The records of one shard, taken id by id."""

    def __init__(self, records: Iterable[dict], name: str):
        self.name = name
        self.groups = ((id, list(group)) for id, group in groupby(records, key=_id))
        self.next = next(self.groups, None)

    def take(self, id: str | int, given: list[dict], left_out: bool) -> list[dict]:
        """Return the next records, which have this id; [] if the run may have left them out.

        given: the records of the id in the input; a part that has one variant has all of them.
        """
        if self.next is None or self.next[0] != id:
            if left_out:
                return []
            next_id = f"the next has id {show(self.next[0])}" if self.next else ""
            raise RecordError(
                f"{self.name}: a record of the input is missing, "
                f"{next_id or 'the part ends before it'}; {_REMEDY}",
                {"id": id},
            )
        records = self.next[1]
        self.next = next(self.groups, None)
        if not left_out:
            self._require_variants(records, given)
        self._require_kinds(records, given)
        return records

    def _require_variants(self, records: list[dict], given: list[dict]) -> None:
        """Raise RecordError if only some variants of the input are there."""
        systems = {record.get("system") for record in records if merged_sources.is_source(record)}
        wanted = Counter(
            record.get("variant") for record in given if record.get("system") not in systems
        )
        present = Counter(
            record.get("variant") for record in records if not merged_sources.is_source(record)
        )
        if wanted & present and wanted - present:
            raise RecordError(
                f"{self.name}: a variant of the input is missing; {_REMEDY}",
                {"id": records[0]["id"]},
            )

    def _require_kinds(self, records: list[dict], given: list[dict]) -> None:
        """Raise RecordError if a kind of variant has no source among sources of kinds."""
        kinds = {(one.get("system"), kind(one["variant"])) for one in given if one.get("variant")}
        present = {
            (one.get("system"), one["variant"]) for one in records if merged_sources.is_of_kind(one)
        }
        if present and kinds - present:
            raise RecordError(
                f"{self.name}: a kind of variant is missing; {_REMEDY}", {"id": records[0]["id"]}
            )

    def finish(self) -> None:
        """Raise RecordError if anything is left."""
        if self.next:
            raise RecordError(
                f"{self.name}: a record that the input does not have here; is "
                "--order the run's input?",
                self.next[1][0],
            )


def _id(record: dict) -> str | int:
    if not isinstance(record, dict) or record.get("id") is None:
        raise RecordError(f'no "id", by which parts are put together: {show(record)}')
    return record["id"]


class Provenance:
    """The signatures of the parts so far, to refuse parts that were made in different ways."""

    def __init__(self) -> None:
        # (place in history, command, system, language, kind) -> (signature, the part that has it)
        self.signed: dict[tuple, tuple[str, str]] = {}

    def admit(self, record: dict, part: str, given: list[dict]) -> None:
        """Raise RecordError if another part has other signatures for the same kind of record.

        Entries that the record's history has from the input are not compared: no part made them.
        Systems are told apart only if the input names them.  If the run named them, parts
        that two models made would pass as two systems, and be merged.

        part: its name.
        given: the records of the id in the input.
        """
        entries, of_kind = record.get("history") or [], kind(record.get("variant") or "")
        systems = {one.get("system") for one in given}
        system = record.get("system") if record.get("system") in systems else None
        for place, entry in enumerate(entries):
            inputs = [one for one in given if len(one.get("history") or ()) > place]
            if any(one["history"][place] == entry for one in inputs):
                continue
            text = _signature(entry)
            if place < len(entries) - 1:  # the last is what this run has made
                signatures = [
                    _signature(one["history"][place])
                    for one in inputs
                    if _may_be_of(record, one)
                    and one["history"][place].get("by") == entry.get("by")
                ]
                if signatures and text not in signatures:
                    raise RecordError(
                        f"{part} was not made of this input: {text}, there {signatures[0]}", record
                    )
            alike = place, entry.get("by"), system, dialogue.lang(record), of_kind
            first, first_part = self.signed.setdefault(alike, (text, part))
            if first != text and first_part != part:
                raise RecordError(
                    f"{part} was not made as {first_part} was: {text}, there {first}", record
                )


def _may_be_of(record: dict, given: dict) -> bool:
    """Tell whether a record may be a variant of one of the input, by its own variant's beginning."""
    variant = given.get("variant")
    return not variant or f"{record.get('variant')}/".startswith(f"{variant}/")


def _signature(entry: dict) -> str:
    """Return the signatures of an entry as one text, without what two runs may differ in."""
    signed = entry.get("signature")
    signatures = signed.values() if isinstance(signed, dict) else [signed]
    return " ".join(
        _ADDRESS.sub("", _REFERENCES.sub("", str(signature))) for signature in signatures
    )
