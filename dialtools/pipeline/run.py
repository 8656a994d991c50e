"""The way of records through a run: filtered, counted, written."""

from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from dialtools.pipeline.failures import isolated
from dialtools.pipeline.input import Input
from dialtools.pipeline.work import Closing, Work
from dialtools.records import history
from dialtools.records.validation import Order, Records
from dialtools.system.batches import lists
from dialtools.system.errors import RecordError


@dataclass(frozen=True)
class Run:
    """The way of records from input to output.

    work: with the options of its filter bound.
    shared: the options that commands share.
    """

    work: Work
    shared: dict[str, Any]

    @property
    def on_error(self) -> str:
        """What to do with a record that the filter fails on: stop, skip or keep."""
        return self.shared.get("on_error", "stop")

    def input(self, **others: Any) -> Input:
        """Return the input, to be read from its beginning."""
        return Input(self.work, **self.shared, **others)

    def for_process(self, **options: Any) -> "Run":
        """Return the run for another process: with a watch of its own, which has seen what this
        one has, with further options of the filter, and without what the first process does.
        """
        work = replace(
            self.work,
            filter=partial(self.work.filter, **options),
            watch=deepcopy(self.work.watch),
            closing=Closing,
            items=None,
        )
        return replace(self, work=work)

    def filtered(self, records: Records) -> Iterator[dict]:
        """Return what the filter makes of records, and those that it fails on, if they are kept."""
        if self.on_error == "stop":
            return self.work.filter(records)
        work = self.work
        if work.ahead:
            return work.filter(Records(lists(records), with_failures=True))
        return isolated(work.filter, records, work.by, work.whole_groups, work.batch, work.full)

    def counted(self, outputs: Iterable[dict], input: Input) -> Iterator[dict]:
        """Yield the records to write, and count them; of results, all records they are made of."""
        work, ledger = self.work, input.ledger
        order = Order(lambda source: True)
        for record in outputs:
            if work.ahead and ledger.bar is not None:
                ledger.bar.update()
            failure = history.failure(record) if "errors" in record else None
            if failure:
                ledger.tally.update(failure.unwritten)
            if failure and self.on_error == "skip":
                ledger.fail(input.located(RecordError(failure["reason"], record)))
                continue
            entry = history.made(record) if "history" in record else None
            is_wanted = True
            if entry is not None:
                steps = history.run(record) if "step" in entry else [entry]
                is_changed = ledger.count(entry, steps)
                if work.watch is not None:
                    work.watch.add(record, entry)
                is_wanted = work.wanted is None or work.wanted(record)
                ledger.tally["unchanged"] += is_wanted and not is_changed
            if is_wanted and not work.results and "variant" in record:
                try:
                    order.admit(record)  # else the next command could not tell it from another
                except RecordError:
                    error = RecordError(
                        "a record with this id and variant was already written: if an "
                        "earlier run of this command kept originals, leave out its "
                        "--keep-original or ask it for all --variants",
                        record,
                    )
                    if self.on_error == "stop":
                        raise error from None
                    ledger.fail(input.located(error))
                    continue
            if failure is not None:
                ledger.keep_failed(record)
            # now: a reader may leave before the end
            ledger.written += is_wanted or work.results
            if is_wanted:
                yield record

    def written(self, records: Iterable[dict], input: Input) -> Iterator:
        """Return the lines of records, with the input's names for keys; results stay dicts."""
        if self.work.results:
            return iter(records)
        return self.work.render(self.work.stage(input.with_own_keys(records)))
