"""Put the parts of a --shard run together again, in the order of its input."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import Any

import click

from dialtools.evaluation import merging as shards
from dialtools.evaluation import parts as sources
from dialtools.evaluation import quality
from dialtools.evaluation.metric import Metric
from dialtools.models.decoding import Loading
from dialtools.pipeline import cli
from dialtools.pipeline.input import Input
from dialtools.pipeline.work import Closing, Lost, Work, render
from dialtools.records import jsonl
from dialtools.records.wellformed import is_number
from dialtools.system import stable_hash, terminal
from dialtools.system.errors import OptionError, RecordError, show
from dialtools.system.files import STANDARD, called
from dialtools.tables import tables

BY = "dt-merge"


def merge(
    parts: Sequence[Iterable[dict]],
    names: Sequence[str] = (),
    *,
    order: Iterable[dict] | None = None,
    left_out: bool = False,
    summary: bool = False,
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
    device, batch_size, offline: for the control of sensitivity by a metric with a model.
    """
    if order is None and not summary:
        raise OptionError("order, the input of the run, may be missing with summary alone")
    if names and len(names) != len(parts):
        raise OptionError(f"there are {len(names)} names of {len(parts)} parts")
    names = names or [f"part {number}" for number in range(1, len(parts) + 1)]
    lost = Lost()
    merged = (
        shards.one_by_one(parts, names, lost)
        if order is None
        else shards.in_order(parts, names, order, left_out, lost)
    )
    loading = Loading(device=device, batch_size=batch_size, offline=offline)
    yield from _results(merged, lost, loading) if summary else (record for record, _ in merged)


def _results(merged: Iterable[tuple[dict, bool]], lost: Lost, loading: Loading) -> Iterator[dict]:
    """Yield the results of the merged records: of sources, or the means of scores.

    lost: what they lack.
    """
    held = (pair for pair in merged if not pair[1])
    first = next(held, None)
    if first and sources.is_source(first[0]):
        whole = (record for record, _ in chain([first], held) if sources.is_source(record))
        yield from lost.added_to(sources.summarise(whole, loading))
    elif first:
        results: list[dict] = []
        for _ in _summed_up(chain([first], held), results, alone=True):
            pass
        if not results:
            raise RecordError(
                "there is nothing to sum up: no record was scored by a metric of dt-score", first[0]
            )
        yield from lost.added_to(results)


def _summed_up(
    merged: Iterable[tuple[dict, bool]], results: list[dict], alone: bool = False
) -> Iterator[dict]:
    """Yield the merged records; `results` gets the means of their scores; alone: nothing else is
    written.

    Those on which the run failed may have scores of another run, which do not count.  Sources have
    results of their own.
    """
    means: quality.Means | None = None
    for record, has_failed in merged:
        yield record
        entry = record["history"][-1] if record.get("history") and not has_failed else {}
        if means is None and (metrics := _metrics(entry)) and not sources.is_source(record):
            means = quality.Means(metrics, entry["by"], alone=alone)
        if means and entry:
            _require_scores(record, entry["signature"])
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


def _metrics(entry: dict) -> list[Metric]:
    """Return our metrics that a record was scored by, as an entry of its history says."""
    signature = entry.get("signature")
    if not isinstance(signature, dict):
        return []
    metrics = []
    for label in signature:
        with suppress(OptionError):  # for a function of the user's own
            metrics.append(Metric(label))
    return metrics


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
    cli.key_options("id", "lang"),
    cli.progress,
    cli.quiet,
)
def main(
    files,
    order,
    left_out,
    summary,
    device,
    batch_size,
    offline,
    format,
    output,
    progress,
    quiet,
    id_key,
    lang_key,
) -> int:
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
    if not files or STANDARD in (order, *files):
        raise click.UsageError("give the FILEs of all parts; none is standard input")
    if not order and not summary and not all(map(os.path.isfile, files)):
        raise click.UsageError("without --order the FILEs are read twice, so none is a pipe")
    shared = {
        "lang": "en",
        "progress": progress,
        "quiet": quiet,
        "output": output,
        "id_key": id_key,
        "lang_key": lang_key,
    }
    make = partial(_written, (id_key or "id", lang_key or "lang"))
    parts = [
        Input(Work(by=BY, make=make), files=(file,), **shared | {"progress": False, "quiet": True})
        for file in files
    ]
    results: list[dict] = []
    loading = Loading(device=device, batch_size=batch_size, offline=offline)
    whole = _order(order, files, summary, id_key)
    if not order and not summary and not quiet:
        terminal.say(BY, f"no --order: the records stand part by part, 1 to {len(files)}")
    return cli.run(
        Work(
            partial(
                _located,
                parts,
                tuple(map(called, files)),
                results,
                summary and not order,
                loading,
                left_out=left_out,
                summary=summary,
            ),
            by=BY,
            results=summary,
            make=jsonl.loads if order or summary else _as_given,
            render=cli.renderer(format, output) if summary else render,
            closing=lambda: (
                Closing() if summary else Closing(lines=_table(results, format or "text"))
            ),
        ),
        **whole,
        **shared,
    )


def _order(
    order: str | None, files: Sequence[str], summary: bool, id_key: str | None
) -> dict[str, Any]:
    """Return what is read first, as options of `cli.run`: the input, or the parts in its place.

    Results alone need no order: the first part is read first, and the others after it.
    """
    if order:
        return {"files": (order,)}
    if summary:
        return {"files": files[:1]}
    return {"files": _by_part(files, id_key or "id")}


def _by_part(files: Sequence[str], id_key: str) -> tuple[str, ...]:
    """Return the files in the order of their parts, empty ones last."""

    def part(file: str) -> int:
        for _, line in jsonl.lines((file,), 1):
            id = jsonl.loads(line).get(id_key)
            return stable_hash.shard(id, len(files)) if isinstance(id, str | int) else 0
        return len(files) + 1

    return tuple(sorted(files, key=part))


def _as_given(line: bytes) -> dict:
    """Return the record of a part's line as the run was given it: without its last entry."""
    record = jsonl.loads(line)
    entries = record.get("history")
    return {**record, "history": entries[:-1]} if isinstance(entries, list) and entries else record


def _table(results: list[dict], format: str) -> str:
    """Return results for standard error; what made the records is in JSON."""
    told = [
        {key: value for key, value in result.items() if key != "chain" or format == "json"}
        for result in results
    ]
    return b"".join(tables.render(told, format)).decode()


def _written(keys: Sequence[str], line: bytes) -> dict:
    """Return the record of a line. Raise RecordError if it lacks the keys that every run writes."""
    record = jsonl.loads(line)
    for name in keys:
        if record.get(name) is None:
            raise RecordError(
                f'no "{name}", which every run writes: give the --id-key and '
                "--lang-key of the run here, "
                "too"
            )
    return record


def _located(
    parts: list[Input],
    names: tuple[str, ...],
    results: list[dict],
    is_first: bool,
    loading: Loading,
    first: Input,
    left_out: bool,
    summary: bool,
) -> Iterator[dict]:
    """Yield the merged records, or results; an error in a part has its place there.

    first: the input of the run or, if `is_first`, the first part.
    """
    try:
        lost = Lost()
        merged = (
            shards.one_by_one([first, *map(iter, parts[1:])], names, lost)
            if is_first
            else shards.in_order([*map(iter, parts)], names, first, left_out, lost)
        )
        yield from _results(merged, lost, loading) if summary else _summed_up(merged, results)
    except RecordError as error:
        for part in parts:
            error = part.located(error)
        raise error from None
