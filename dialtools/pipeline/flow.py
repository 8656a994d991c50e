"""What a command does with its records, in one process or in several: filter, count, write."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from dialtools.pipeline import failures
from dialtools.pipeline.input import Input
from dialtools.pipeline.work import Work
from dialtools.records import history, jsonl
from dialtools.system.batches import Listed
from dialtools.system.errors import RecordError


@dataclass(frozen=True)
class Flow:
    """The way of records from input to output.

    work: with the options of its filter bound.
    input: makes an Input.
    on_error: what to do with a record that the filter fails on: stop, skip or keep.
    """

    work: Work
    input: Callable[..., Input]
    on_error: str

    def fresh(self) -> "Flow":
        """Return the flow with a watch of its own, which has seen what this one has."""
        from copy import deepcopy

        return replace(self, work=replace(self.work, watch=deepcopy(self.work.watch)))

    def made(self, records: Listed) -> Iterator[dict]:
        """Return what the filter makes of records."""
        return failures.run(
            self.work.filter,
            records,
            by=self.work.by,
            keep_failed=self.on_error != "stop",
            whole_groups=self.work.whole_groups,
            batch=self.work.batch,
            full=self.work.full,
        )

    def counted(self, made: Iterable[dict], input: Input) -> Iterator[dict]:
        """Yield the records to write, and count them; of results, all records they are made of."""
        skips = self.on_error == "skip"
        ledger, of_lines = input.ledger, not self.work.results
        order = jsonl.Order(lambda source: True)
        for record in made:
            failure = history.failure(record) if "errors" in record else None
            if failure and skips:
                ledger.fail(input.located(RecordError(failure["reason"], record)))
                continue
            entry = history.made(record) if "history" in record else None
            is_wanted = entry is None or self._is_wanted(record, entry, input)
            if (
                is_wanted
                and of_lines
                and "variant" in record
                and self._is_doubled(record, order, input)
            ):
                continue
            if failure is not None:
                ledger.keep_failed(record)
            ledger.written += is_wanted or not of_lines  # now: a reader may leave before the end
            if is_wanted:
                yield record

    def _is_wanted(self, record: dict, entry: history.Entry, input: Input) -> bool:
        """Count what was done to a record; return whether it is to be written."""
        changed = input.ledger.count(entry, history.run(record) if "step" in entry else [entry])
        if self.work.watch is not None:
            self.work.watch.add(record, entry)
        wanted = self.work.wanted is None or self.work.wanted(record)
        input.ledger.tally["unchanged"] += wanted and not changed
        return wanted

    def _is_doubled(self, record: dict, order: jsonl.Order, input: Input) -> bool:
        """Return whether the next command could not tell a record from another of its source."""
        try:
            order.admit(record)
        except RecordError:
            error = RecordError(
                "a record with this id and variant was already written: if an "
                "earlier run of this command kept originals, leave out its "
                "--keep-original or ask it for all --variants",
                record,
            )
            if self.on_error == "stop":
                raise error from None
            input.ledger.fail(input.located(error))
            return True
        return False

    def written(self, records: Iterable[dict], input: Input) -> Iterator:
        """Return the lines of records, with the input's names for keys; results stay dicts."""
        return iter(records) if self.work.results else self.work.lines(input.with_own_keys(records))
