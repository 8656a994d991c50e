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
from dialtools.records import dialogue, history, validation
from dialtools.records.lost import Lost
from dialtools.records.validation import key
from dialtools.records.wellformed import is_number
from dialtools.system import stable_hash
from dialtools.system.errors import OptionError, RecordError, show

Merged = Iterator[tuple[dict, bool]]  # each record, and whether the run failed on it
_SCORE = "dt-score"
# two runs may differ in these: a record's number of references, and which server answered
_VARYING = re.compile(r"\|(?:refs|endpoint):[^|]*")
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
    shards: dict[int, Shard] = {}  # by their numbers, which their first records tell
    for shard in map(Shard, parts, names):
        if shard.next:
            number = stable_hash.shard(shard.next[0], len(parts))
            if number in shards:
                raise OptionError(
                    f"{shards[number].name} and {shard.name} are both of part {number} "
                    f"of {len(parts)}, or there are other parts than these, or the "
                    "run gave new ids"
                )
            shards[number] = shard
    of_kinds = any(
        merged_sources.is_of_kind(record)
        for shard in shards.values()
        if shard.next
        for record in shard.next[1]
    )
    provenance = Provenance()
    for id, group in groupby(order, key=_id):
        number, given = stable_hash.shard(id, len(parts)), list(group)
        if of_kinds and not any(record.get("variant") for record in given):
            continue  # there is nothing to compare its original with
        if number not in shards:
            if not left_out:
                raise RecordError(
                    f"part {number} of {len(parts)} is missing or empty; {_REMEDY}", {"id": id}
                )
            continue
        records = shards[number].take(id, given, left_out)
        for record in records:
            provenance.admit(record, shards[number].name, given)
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
    for shard in shards.values():
        shard.finish()


def results(
    merged: Merged, lost: Lost, loading: Loading, all_pairs: bool = False
) -> Iterator[dict]:
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
        yield from lost.added_to(merged_sources.summarise(whole, loading, all_pairs))
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
        if has_failed or not record.get("history"):
            continue
        entry = record["history"][-1]
        signed = entry.get("signature")
        if means is None and isinstance(signed, dict) and not merged_sources.is_source(record):
            metrics = []
            for label in signed:
                with suppress(OptionError):  # for a function of the user's own
                    metrics.append(ChosenMetric(label))
            if metrics:
                means = quality.Means(metrics, entry["by"], alone=alone)
        if means:
            _require_scores(record, signed)
            means.add(record, entry)
    if means:
        results += means.results()


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
        sources = [record for record in records if merged_sources.is_source(record)]
        if not left_out:
            systems = {source.get("system") for source in sources}
            wanted = Counter(
                one.get("variant") for one in given if one.get("system") not in systems
            )
            present = Counter(
                record.get("variant") for record in records if not merged_sources.is_source(record)
            )
            if wanted & present and wanted - present:
                raise RecordError(
                    f"{self.name}: a variant of the input is missing; {_REMEDY}", {"id": id}
                )
        kinds = {(one.get("system"), kind(one["variant"])) for one in given if one.get("variant")}
        present_kinds = {
            (source.get("system"), source["variant"])
            for source in sources
            if merged_sources.is_of_kind(source)
        }
        if present_kinds and kinds - present_kinds:
            raise RecordError(f"{self.name}: a kind of variant is missing; {_REMEDY}", {"id": id})
        return records

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
        entries, variant = record.get("history") or [], record.get("variant")
        system = record.get("system")
        if system not in {one.get("system") for one in given}:
            system = None
        for place, entry in enumerate(entries):
            inputs = [one for one in given if len(one.get("history") or ()) > place]
            if any(one["history"][place] == entry for one in inputs):
                continue
            text = _signature(entry)
            if place < len(entries) - 1:  # the last is what this run has made
                signatures = [
                    _signature(one["history"][place])
                    for one in inputs
                    # of this variant's beginning, or of all
                    if f"{variant}/".startswith(f"{one['variant']}/" if one.get("variant") else "")
                    and one["history"][place].get("by") == entry.get("by")
                ]
                if signatures and text not in signatures:
                    raise RecordError(
                        f"{part} was not made of this input: {text}, there {signatures[0]}", record
                    )
            alike = place, entry.get("by"), system, dialogue.lang(record), kind(variant or "")
            first, first_part = self.signed.setdefault(alike, (text, part))
            if first != text and first_part != part:
                raise RecordError(
                    f"{part} was not made as {first_part} was: {text}, there {first}", record
                )


def _signature(entry: dict) -> str:
    """Return the signatures of an entry as one text, without what two runs may differ in."""
    signed = entry.get("signature")
    signatures = signed.values() if isinstance(signed, dict) else [signed]
    return " ".join(_VARYING.sub("", str(signature)) for signature in signatures)
