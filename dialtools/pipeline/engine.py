"""A run of a command: records in, its work done on them, outputs and failures counted and written.

run.py is the way of the records, input.py checks them, failures.py keeps those apart that fail,
resumption.py continues an interrupted run, and parallel.py shares a run among processes.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from dialtools.pipeline import resumption, sink
from dialtools.pipeline.input import Input, require_shard
from dialtools.pipeline.run import Run
from dialtools.pipeline.work import IN_AND_OUT, Work
from dialtools.records.validation import Records
from dialtools.system import process, programs
from dialtools.system.batches import lists
from dialtools.system.errors import OptionError, RecordError
from dialtools.system.files import STANDARD, is_input, let_go
from dialtools.system.terminal import say

SHARED = frozenset((*IN_AND_OUT, "files", "bar"))


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
        outputs = _outputs(this_run, input, earlier)
        if work.results:
            outputs = work.render(input.ledger.lost.added_to(work.stage(outputs)))
        if earlier:
            sink.prepare_to_write()
            resumption.write(outputs, earlier)
        else:
            sink.write(outputs, shared["output"])
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


def _outputs(run: Run, input: Input, earlier: resumption.Kept | None) -> Iterator:
    """Return the lines, or results, that are made of an input; count what is kept."""
    jobs, processes, batch = run.shared.get("jobs", 1), run.work.processes, run.work.batch
    begun = earlier if earlier and earlier.marks else None
    if jobs > 1 or processes:
        from dialtools.pipeline import parallel
    if jobs > 1 and not processes:
        return parallel.over_lines(run, jobs, input, begun)
    records: Iterable[dict] = input
    if begun:
        records = resumption.rest(resumption.compared(input, input, begun, run), batch)
    records = _flushing(records, batch)
    filtered = (
        parallel.over_batches(run, processes, records) if processes else run.filtered(records)
    )
    if begun:
        filtered = resumption.after(filtered, begun)
    return run.written(run.counted(programs.until_end(filtered), input), input)


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
