"""Put the parts of a --shard run together again, in the order of its input.

FILEs are the outputs of the N runs with --shard 1/N to N/N, or on the N files
of dt-convert --split, in any order.  With --order the output is, byte for byte,
that of one run over the whole, and so are the results of scored records
(--summary; else on standard error): corpus scores come from the statistics in
the records.

--summary also sums up the sources of dt-score --sensitivity --per-source or
--robustness --per-source, so that S, R and D of a run on many machines are
those of one run: map with --per-source, reduce with dt-merge --summary.  The
control is computed here, from the outputs in the parts.  Without --order the
FILEs may be any division of the sources, by whatever engine; a FILE that is not
given, or is cut off, is then not noticed, so look at "n".

Rejects duplicate, missing or truncated parts, parts of another input and
parts made with other options, judging by their signatures; also records that
got new ids in the run (dt-clean --pieces, dt-resegment).  A signature names a
transformers model, a file of word vectors or a program (exec), but not its
content: give a retrained model another name.  Without --order, records stand
part by part, 1 to N, and one that a part lacks is not missed.

Memory: a few records at a time; with --summary as dt-score --summary.

Examples:

$ all() { seq 9 | jq -c '{id: ., text: "so it is"}'; }; \\
  part() { all | dt-perturb -k typo.case --shard $1/2 -q --lang en; }; \\
  dt-merge --order <(all) <(part 2) <(part 1) | jq .id | xargs
1 2 3 4 5 6 7 8 9
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

import click

from dialtools.pipeline import cli, input_keys
from dialtools.pipeline.work import Closing, Work, render
from dialtools.records.lost import Lost
from dialtools.system.errors import OptionError, RecordError
from dialtools.system.files import STANDARD, called

BY = "dt-merge"
ALL_PAIRS = "--all-pairs is for the control of sensitivity: give --summary, too"


def merge(
    parts: Sequence[Iterable[dict]],
    names: Sequence[str] = (),
    *,
    order: Iterable[dict] | None = None,
    left_out: bool = False,
    summary: bool = False,
    all_pairs: bool = False,
    device: str | None = None,
    batch_size: int | None = None,
    offline: bool = False,
) -> Iterator[dict]:
    """Yield the records of all parts as one run over the whole input would have made them.

    parts: what the run of each shard made, in any order; one may be empty.
    names: what to call the parts.
    order: the input of the run; with summary it may be missing, and so may parts, unnoticed.
    left_out: let records of the input be in no part, as after a filter that leaves some out.
    summary: yield only results: of sources those of sensitivity or robustness, of other records
        the means of scores, and corpus scores from the statistics.
    all_pairs: compute the control of sensitivity over all pairs of sources, not a sample.
    device, batch_size, offline: for the control of sensitivity by a metric with a model.
    """
    from dialtools.evaluation import merging
    from dialtools.models.decoding import Loading

    if order is None and not summary:
        raise OptionError("order, the input of the run, may be missing with summary alone")
    if all_pairs and not summary:
        raise OptionError(ALL_PAIRS)
    if names and len(names) != len(parts):
        raise OptionError(f"there are {len(names)} names of {len(parts)} parts")
    names = names or [f"part {number}" for number in range(1, len(parts) + 1)]
    lost = Lost()
    merged = (
        merging.one_by_one(parts, names, lost)
        if order is None
        else merging.in_order(parts, names, order, left_out, lost)
    )
    if summary:
        loading = Loading(device=device, batch_size=batch_size, offline=offline)
        yield from merging.results(merged, lost, loading, all_pairs)
    else:
        yield from (record for record, _ in merged)


@cli.command(
    BY,
    click.option(
        "--order",
        metavar="FILE",
        help="The input of the run, for the order of the records, and to see that none "
        "is missing; without it they stand part by part.",
    ),
    click.option(
        "--left-out",
        is_flag=True,
        help="Accept that records of the input are in no part, as after --on-error skip "
        "or dt-select.",
    ),
    click.option(
        "--summary",
        is_flag=True,
        help="Write only results: S, R and D, or robustness, of the sources of dt-score "
        "--per-source, else the means of scores.",
    ),
    click.option(
        "--all-pairs",
        is_flag=True,
        help="With --summary of sensitivity: the control over all pairs of sources.",
    ),
    click.option(
        "--device",
        metavar="NAME",
        help="Where models run that compare outputs of different dialogues (control).",
    ),
    click.option(
        "--batch-size",
        type=click.IntRange(min=1),
        metavar="N",
        help="Texts that such a model reads at once.",
    ),
    cli.offline,
    cli.format_option,
    cli.files,
    cli.output,
    input_keys.option("id", "lang"),
    cli.progress,
    cli.quiet,
)
def main(
    files,
    order,
    left_out,
    summary,
    all_pairs,
    device,
    batch_size,
    offline,
    format,
    output,
    progress,
    quiet,
    key,
) -> int:
    if not files or STANDARD in (order, *files):
        raise click.UsageError("give the FILEs of all parts; none is standard input")
    if not order and not summary and not all(map(os.path.isfile, files)):
        raise click.UsageError("without --order the FILEs are read twice, so none is a pipe")
    if all_pairs and not summary:
        raise click.UsageError(ALL_PAIRS)
    from dialtools.evaluation import merging
    from dialtools.models.decoding import Loading
    from dialtools.pipeline.input import Input
    from dialtools.records import jsonl
    from dialtools.system import terminal
    from dialtools.tables import tables

    shared = {
        "lang": "en",
        "progress": progress,
        "quiet": quiet,
        "output": output,
        "key": key,
    }
    id_key = key.get("id", "id")
    make = partial(_written, (id_key, key.get("lang", "lang")))
    silent = shared | {"progress": False, "quiet": True}
    parts = [Input(Work(by=BY, make=make), files=(file,), **silent) for file in files]
    names = tuple(map(called, files))
    results: list[dict] = []

    def merged(first: Iterable[dict]) -> Iterator[dict]:
        """Yield merged records, or results; first: the run's input or, for results without it, the
        first part.
        """
        lost = Lost()
        try:
            pairs = (
                merging.in_order([*map(iter, parts)], names, first, left_out, lost)
                if order or not summary
                else merging.one_by_one([first, *map(iter, parts[1:])], names, lost)
            )
            if summary:
                loading = Loading(device=device, batch_size=batch_size, offline=offline)
                yield from merging.results(pairs, lost, loading, all_pairs)
            else:
                yield from merging.summed_up(pairs, results)
        except RecordError as error:
            for part in parts:
                error = part.located(error)
            raise error from None

    if not order and not summary and not quiet:
        terminal.say(BY, f"no --order: the records stand part by part, 1 to {len(files)}")
    if order:
        first_files: Sequence[str] = (order,)
    else:
        first_files = files[:1] if summary else _by_part(files, id_key)
    return cli.run(
        Work(
            merged,
            by=BY,
            results=summary,
            make=jsonl.loads if order or summary else _as_given,
            render=cli.renderer(format, output) if summary else render,
            closing=lambda: Closing(lines=tables.without_chain(results, format or "text")),
        ),
        files=first_files,
        **shared,
    )


def _by_part(files: Sequence[str], id_key: str) -> tuple[str, ...]:
    """Return the files in the order of their parts, empty ones last."""
    from dialtools.records import jsonl
    from dialtools.system import stable_hash

    def part(file: str) -> int:
        for _, line in jsonl.lines((file,), 1):
            id = jsonl.loads(line).get(id_key)
            return stable_hash.shard(id, len(files)) if isinstance(id, str | int) else 0
        return len(files) + 1

    return tuple(sorted(files, key=part))


def _as_given(line: bytes) -> dict:
    """Return the record of a part's line as the run was given it: without its last entry."""
    from dialtools.records import jsonl

    record = jsonl.loads(line)
    entries = record.get("history")
    return {**record, "history": entries[:-1]} if isinstance(entries, list) and entries else record


def _written(keys: Sequence[str], line: bytes) -> dict:
    """Return the record of a line. Raise RecordError if it lacks the keys that every run writes."""
    from dialtools.records import jsonl

    record = jsonl.loads(line)
    for name in keys:
        if record.get(name) is None:
            raise RecordError(
                f'no "{name}", which every run writes: give the --key options of the run here, too'
            )
    return record
