"""A run of a command: records in, its work done on them, outputs and failures counted and written.

Failures are kept apart here (`isolated`), records are checked in input.py, an interrupted run is
continued by resumption.py, and parallel.py shares a run among processes.
"""

from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

from dialtools.pipeline import cli, resumption
from dialtools.pipeline.input import Input, require_shard
from dialtools.pipeline.work import Closing, Work
from dialtools.records import history
from dialtools.records.validation import Order, Records
from dialtools.system import process
from dialtools.system.batches import as_they_come, batches, lists, until_error
from dialtools.system.errors import DialtoolsError, OptionError, RecordError
from dialtools.system.files import STANDARD, is_input, let_go
from dialtools.system.terminal import say

Filter = Callable[[Iterable[dict]], Iterator[dict]]
SHARED = frozenset((*cli.IN_AND_OUT, "files", "bar"))


def run(work: Work, **options: Any) -> int:
    """Read records, do the work, write its outputs; return the exit status.

    options: all of the command; those that commands share are used here, the filter gets the
        others.
    """
    of_filter = {name: value for name, value in options.items() if name not in SHARED}
    shared = {name: value for name, value in options.items() if name not in of_filter}
    if "shard" in shared and shared["shard"] is None:
        require_shard()
    process.share_cores(shared.get("jobs", 1))
    this_run = Run(replace(work, filter=partial(work.filter, **of_filter)), shared)
    input = this_run.input()
    earlier = None
    if shared.get("resume"):
        earlier = _earlier(work, shared, input, names="system" in of_filter)
    try:
        outputs = this_run.outputs(input, earlier)
        if work.results:
            outputs = work.render(input.ledger.lost.added_to(work.stage(outputs)))
        if earlier:
            cli.prepare_to_write()
            resumption.write(outputs, earlier)
        else:
            cli.write(outputs, shared["output"])
    except RecordError as error:
        input.located(error)
        raise
    except KeyboardInterrupt:
        input.ledger.hide_bar()
        if shared["output"] != STANDARD and shared.get("resume"):
            fate = f"{shared['output']} keeps what was made; the same command goes on"
            say(work.by, f"interrupted: {fate}")
        elif shared["output"] != STANDARD:
            could_keep = "resume" in shared and not work.results
            advice = "; give --resume from the first run on, and it is kept" if could_keep else ""
            fate = f"nothing is written to {shared['output']}, the work is gone{advice}"
            say(work.by, f"interrupted: {fate}")
        raise
    finally:
        input.ledger.hide_bar()
    if not shared["quiet"]:
        input.close(work.closing())
    return int(input.ledger.has_failures())


def _earlier(work: Work, shared: dict, input: Input, names: bool) -> resumption.Kept:
    """Return the kept output of an earlier run; names: as in Kept."""
    if work.results:
        raise OptionError("--resume is for records: results are summed up from the beginning")
    path = shared["output"]
    if is_input(path, shared["files"]):
        raise OptionError(
            f"--resume: {path} is an input, and cannot be the output of an earlier run"
        )
    earlier = resumption.Kept(
        path,
        rename=input.rename,
        by=input.by,
        skips=shared["on_error"] == "skip",
        leaves_out=work.leaves_out,
        names=names,
    )
    return resumption.look(earlier, work.batch)


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

    def outputs(self, input: Input, earlier: resumption.Kept | None) -> Iterator:
        """Return the lines, or results, that are made of an input; count what is kept."""
        jobs, processes, batch = self.shared.get("jobs", 1), self.work.processes, self.work.batch
        begun = earlier if earlier and earlier.marks else None
        if jobs > 1 or processes:
            from dialtools.pipeline import parallel
        if jobs > 1 and not processes:
            return parallel.over_lines(self, jobs, input, begun)
        records: Iterable[dict] = input
        if begun:
            records = resumption.rest(resumption.compared(input, input, begun, self), batch)
        records = _flushing(records, batch)
        filtered = (
            parallel.over_batches(self, processes, records) if processes else self.filtered(records)
        )
        if begun:
            filtered = resumption.after(filtered, begun)
        return self.written(self.counted(filtered, input), input)

    def filtered(self, records: Records) -> Iterator[dict]:
        """Return what the filter makes of records, and those that it fails on, if they are kept."""
        if self.on_error == "stop":
            return self.work.filter(records)
        work = self.work
        return isolated(work.filter, records, work.by, work.whole_groups, work.batch, work.full)

    def counted(self, outputs: Iterable[dict], input: Input) -> Iterator[dict]:
        """Yield the records to write, and count them; of results, all records they are made of."""
        work, ledger = self.work, input.ledger
        order = Order(lambda source: True)
        for record in outputs:
            failure = history.failure(record) if "errors" in record else None
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


def _flushing(records: Iterable[dict], batch: int) -> Records:
    """Return records; flush standard output before each wait and each batch."""

    def within(arrived: Iterable[dict]) -> Iterator[dict]:
        for number, record in enumerate(arrived):
            if number % batch == 0:
                let_go()
            yield record

    def passing() -> Iterator[Iterable[dict]]:
        arrived = lists(iter(records))
        while True:
            let_go()
            held = next(arrived, None)
            if held is None:
                return
            yield within(held) if batch > 1 else held

    return Records(passing())


def isolated(
    filter: Filter,
    records: Iterable[dict],
    by: str,
    whole_groups: bool = False,
    batch: int = 1,
    full: bool = True,
) -> Iterator[dict]:
    """Return what the filter makes of validated records, in order.

    One that it fails on comes with the reason in "errors".

    whole_groups, batch, full: as in Work.
    """
    if batch == 1 and not whole_groups:
        return chain.from_iterable(map(partial(_one_by_one, filter, by), lists(records)))
    chunks = (
        _groups(records, batch)
        if whole_groups
        else (batches if full else as_they_come)(records, batch)
    )
    return chain.from_iterable(map(partial(_of_chunk, filter, by, whole_groups), chunks))


def _one_by_one(filter: Filter, by: str, records: Iterable[dict]) -> Iterator[dict]:
    """Yield what the filter makes of records, and start it again after a record that it fails on.

    What is made of a record is held until the filter reads the next one: if it fails, a part of
    its output may exist already.
    """
    errors: list[Exception] = []
    following = until_error(records, errors)
    last: list[dict] = []  # the record that the filter has read last
    of_last: list[dict] = []  # what it has made of that so far
    settled: list[dict] = []  # what it has made of the records before

    def read() -> Iterator[dict]:
        for record in following:
            settled.extend(of_last)
            of_last.clear()
            last[:] = [record]
            yield record

    is_done = False
    while not is_done:
        try:
            for output in filter(Records([read()])):
                yield from settled
                settled.clear()
                of_last.append(output)
            is_done = True
        except RecordError as error:
            if not last:
                raise
            of_last[:] = [history.failed(last.pop(), by, error.reason)]
        except (DialtoolsError, OSError):
            yield from settled + of_last
            raise
        yield from settled + of_last
        settled.clear()
        of_last.clear()
    if errors:
        raise errors[0]


def _groups(records: Iterable[dict], size: int) -> Iterator[list[dict]]:
    """Yield lists of at least `size` records that never part the records of one source."""
    chunk: list[dict] = []
    for group in history.groups(records):
        chunk += group
        if len(chunk) >= size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _of_chunk(filter: Filter, by: str, whole_groups: bool, chunk: list[dict]) -> Iterator[dict]:
    """Yield what the filter makes of a chunk; if it fails, of the parts around the failure.

    What was made before a server went away, or the disk was full, is yielded before the error.
    """
    if not chunk:
        return
    outputs: list[dict] = []
    try:
        outputs.extend(filter(Records([chunk])))
    except RecordError as error:
        reason = error.reason
        failed = None if whole_groups else culprit(chunk, outputs, error)
    except (DialtoolsError, OSError):
        yield from outputs
        raise
    else:
        yield from outputs
        return

    of_part = partial(_of_chunk, filter, by, whole_groups)
    if failed is not None:
        yield from outputs  # they need not be made again
        yield from of_part(chunk[len(outputs) : failed])
        yield history.failed(chunk[failed], by, reason)
        yield from of_part(chunk[failed + 1 :])
        return
    parts = list(history.groups(chunk)) if whole_groups else [[record] for record in chunk]
    if len(parts) > 1:
        for part in parts:
            yield from of_part(part)
    else:
        yield from (history.failed(record, by, reason) for record in chunk)


def culprit(chunk: list[dict], outputs: list[dict], error: RecordError) -> int | None:
    """Return the place of the record an error is about; None if outputs do not match inputs."""
    names, done = (
        [(record["id"], record.get("variant")) for record in records]
        for records in (chunk, outputs)
    )
    if error.record is None or names[: len(done)] != done:
        return None
    name = error.record.get("id"), error.record.get("variant")
    return names.index(name, len(done)) if name in names[len(done) :] else None
