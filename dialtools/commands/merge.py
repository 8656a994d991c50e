"""Put the parts of a --shard run together again, in the order of its input."""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, groupby
from typing import Any

import click

from dialtools import cli, keyed, terminal
from dialtools.errors import OptionError, RecordError, show
from dialtools.files import STANDARD, called
from dialtools.records import dialogue, history, jsonl
from dialtools.records.jsonl import key
from dialtools.reports import tables
from dialtools.run.input import Input
from dialtools.run.ledger import Lost, Told
from dialtools.scoring.metric import Loading, Metric
from dialtools.summaries import parts as sources, quality
from dialtools.summaries.gaps import kind

BY = "dt-merge"
_SCORE = "dt-score"
_REFERENCES = re.compile(r"\|refs:[^|]*")  # how many there are is a record's own
_ADDRESS = re.compile(r"\|endpoint:[^|]*")  # which of several servers has no part in an output
_REMEDY = ("if the run left it out (--on-error skip, dt-select), give --left-out; else a part is "
           "cut off or missing")


def merge(parts: Sequence[Iterable[dict]], names: Sequence[str] = (), *,
          order: Iterable[dict] | None = None, left_out: bool = False, summary: bool = False,
          device: str | None = None, batch_size: int | None = None,
          offline: bool = False) -> Iterator[dict]:
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
    names = names or [f"part {number}" for number in range(1, len(parts) + 1)]
    lost = Lost()
    merged = (_unordered(parts, names, lost) if order is None
              else _merged(parts, names, order, left_out, lost))
    loading = Loading(device=device, batch_size=batch_size, offline=offline)
    yield from _results(merged, lost, loading) if summary else (record for record, _ in merged)


def _unordered(parts: Sequence[Iterable[dict]], names: Sequence[str],
               lost: Lost) -> Iterator[tuple[dict, bool]]:
    """Yield the records of all parts as they come, each with whether the run failed on it.

    lost: counts these.
    """
    signed: dict[tuple, tuple[str, str]] = {}
    order = jsonl.Order()
    for part, name in zip(parts, names, strict=True):
        for record in part:
            _id(record)
            order.admit(record)
            _require_alike(record, name, [{"system": record.get("system")}], signed)
            has_failed = not sources.is_source(record) and any(
                error.get("by") == _SCORE for error in record.get("errors") or ())
            if has_failed:
                lost.keep(record)
            yield record, has_failed


def _merged(parts: Sequence[Iterable[dict]], names: Sequence[str], order: Iterable[dict],
            left_out: bool, lost: Lost) -> Iterator[tuple[dict, bool]]:
    """Yield the records, each with whether the run failed on it, and kept it as it was.

    lost: counts these, and those that the run left out.
    """
    shards = _placed([Part(part, name) for part, name in zip(parts, names, strict=True)])
    of_kinds = any(sources.is_of_kind(record) for part in shards.values() if part.next
                   for record in part.next[1])
    signed: dict[tuple, tuple[str, str]] = {}
    for id, group in groupby(order, key=_id):
        number, given = keyed.shard(id, len(parts)), list(group)
        if of_kinds and not any(record.get("variant") for record in given):
            continue  # there is nothing to compare its original with
        if part := shards.get(number):
            yield from _of_source(part.take(id, given, left_out, signed), given, lost)
        elif not left_out:
            raise RecordError(f"part {number} of {len(parts)} is missing or empty; {_REMEDY}",
                              {"id": id})
    for part in shards.values():
        part.finish()


def _of_source(records: list[dict], given: list[dict],
               lost: Lost) -> Iterator[tuple[dict, bool]]:
    """Yield the records of one id, each with whether the run failed on it; given: in its input."""
    before = {key(record): record for record in given}
    whole = {record.get("system") for record in records if sources.is_source(record)}
    for record in records:
        has_failed = history.has_failed(record, before.pop(key(record), {}))
        if has_failed:
            lost.keep(record)
        yield record, has_failed
    for record in before.values():
        if record.get("system") not in whole:
            lost.skip(record)


def _id(record: dict) -> str | int:
    if not isinstance(record, dict) or record.get("id") is None:
        raise RecordError(f'no "id", by which parts are put together: {show(record)}')
    return record["id"]


class Part:
    """The records of one shard, taken id by id."""

    def __init__(self, records: Iterable[dict], name: str):
        self.name = name
        self.groups = ((id, list(group)) for id, group in groupby(records, key=_id))
        self.next = next(self.groups, None)

    def take(self, id: str | int, given: list[dict], left_out: bool,
             signed: dict[tuple, tuple[str, str]]) -> list[dict]:
        """Return the next records, which are those of an id; [] if the run may have left them out.

        given: what the input has of the id: if the part has some of its variants, it has all.
        """
        if self.next is None or self.next[0] != id:
            if left_out:
                return []
            there = "the part ends before it"
            if self.next:
                there = f"the next has id {show(self.next[0])}"
            raise RecordError(f"{self.name}: a record of the input is missing, {there}; {_REMEDY}",
                              {"id": id})
        records = self.next[1]
        self.next = next(self.groups, None)
        whole = {record.get("system") for record in records if sources.is_source(record)}
        wanted = Counter(record.get("variant") for record in given
                         if record.get("system") not in whole)
        here = Counter(record.get("variant") for record in records if not sources.is_source(record))
        if not left_out and wanted & here and wanted - here:
            raise RecordError(f"{self.name}: a variant of the input is missing; {_REMEDY}",
                              {"id": id})
        kinds = {(one.get("system"), kind(one["variant"])) for one in given if one.get("variant")}
        told = {(one.get("system"), one["variant"]) for one in records if sources.is_of_kind(one)}
        if told and kinds - told:
            raise RecordError(f"{self.name}: a kind of variant is missing; {_REMEDY}", {"id": id})
        for record in records:
            _require_alike(record, self.name, given, signed)
        return records

    def finish(self) -> None:
        """Raise RecordError if anything is left."""
        if self.next:
            raise RecordError(f"{self.name}: a record that the input does not have here; is "
                              "--order the run's input?", self.next[1][0])


def _placed(parts: list[Part]) -> dict[int, Part]:
    """Return {the number of a shard: its part}; which it is, its first record tells."""
    found: dict[int, Part] = {}
    for part in parts:
        if part.next:
            number = keyed.shard(part.next[0], len(parts))
            if number in found:
                raise OptionError(f"{found[number].name} and {part.name} are both of part {number} "
                                  f"of {len(parts)}, or there are other parts than these, or the "
                                  "run gave new ids")
            found[number] = part
    return found


def _require_alike(record: dict, name: str, given: list[dict],
                   signed: dict[tuple, tuple[str, str]]) -> None:
    """Raise RecordError if another part has other signatures for the same kind of record.

    What the history of the input has already is no part's doing.  A system counts where the input
    names it: by those that the run named, parts of two models would be of two systems, and merged.

    given: what the input has of the id.
    signed: (place in history, command, system, language, kind) -> (signature, where it was first
        seen)
    """
    history, variants = record.get("history") or [], kind(record.get("variant") or "")
    systems = {one.get("system") for one in given}
    system = record.get("system") if record.get("system") in systems else None
    for place, entry in enumerate(history):
        inputs = [one for one in given if len(one.get("history") or ()) > place]
        if any(one["history"][place] == entry for one in inputs):
            continue
        if place < len(history) - 1:  # the last is what this run has made
            before = [one["history"][place] for one in inputs if _may_be_of(record, one)]
            _require_same_input(record, entry, name, before)
        text = _signature(entry)
        if isinstance(entry.get("signature"), dict) and "statistics" in record:
            text += " with --stats"  # else corpus scores would be of the other parts alone
        same = place, entry.get("by"), system, dialogue.lang(record), variants
        first, where = signed.setdefault(same, (text, name))
        if first != text and where != name:
            raise RecordError(f"{name} was not made as {where} was: {text}, there {first}", record)


def _require_same_input(record: dict, entry: dict, name: str, inputs: list[dict]) -> None:
    """Raise RecordError unless an entry has the signature of one at its place in the input."""
    text, there = _signature(entry), [_signature(one) for one in inputs
                                      if one.get("by") == entry.get("by")]
    if there and text not in there:
        raise RecordError(f"{name} was not made of this input: {text}, there {there[0]}", record)


def _may_be_of(record: dict, given: dict) -> bool:
    """May a record be made of one of the input, whose variant its own begins with?"""
    variant = given.get("variant")
    return not variant or f"{record.get('variant')}/".startswith(f"{variant}/")


def _signature(entry: dict) -> str:
    """Return how what an entry of a history tells of was made, but for numbers of references and
    addresses of servers.
    """
    own = entry.get("signature")
    signatures = own.values() if isinstance(own, dict) else [own]
    return " ".join(_ADDRESS.sub("", _REFERENCES.sub("", str(signature)))
                    for signature in signatures)


def _results(merged: Iterable[tuple[dict, bool]], lost: Lost,
             loading: Loading) -> Iterator[dict]:
    """Yield the results of the merged records: of sources, or the means of scores.

    lost: what they lack.
    """
    held = (pair for pair in merged if not pair[1])
    first = next(held, None)
    if first and sources.is_source(first[0]):
        whole = (record for record, _ in chain([first], held) if sources.is_source(record))
        yield from lost.told(sources.summarise(whole, loading))
    elif first:
        results: list[dict] = []
        for _ in _summed_up(chain([first], held), results, alone=True):
            pass
        yield from lost.told(results)


def _summed_up(merged: Iterable[tuple[dict, bool]], results: list[dict],
               alone: bool = False) -> Iterator[dict]:
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
            means.add(record, entry)
    if means:
        results += means.results()


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
    click.option("--order", metavar="FILE",
                 help="The input of the run, for the order of the records, and to see that none "
                 "is missing; without it they stand part by part."),
    click.option("--left-out", is_flag=True,
                 help="Accept that records of the input are in no part, as after --on-error skip "
                 "or dt-select."),
    click.option("--summary", is_flag=True,
                 help="Write only results: S, R and D, or robustness, of the sources of dt-score "
                 "--per-source, else the means of scores."),
    click.option("--device", metavar="NAME",
                 help="Where models run that compare outputs of different dialogues (control)."),
    click.option("--batch-size", type=click.IntRange(min=1), metavar="N",
                 help="Texts that such a model reads at once."),
    cli.offline, cli.format_option, cli.files, cli.output, cli.key_options("id", "lang"),
    cli.progress, cli.quiet)
def main(files, order, left_out, summary, device, batch_size, offline, format, output, progress,
         quiet, id_key, lang_key) -> int:
    """Put the parts of a --shard run together again, in the order of its input.

    FILEs are the outputs of the N runs with --shard 1/N to N/N, or on the N files
    of dt-convert --split, in any order.  With --order the output is, byte for byte,
    that of one run over the whole, and so are the results of scored records
    (--summary; else on standard error): corpus scores come from the statistics in
    the records (dt-score --stats).

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

    Memory: a few records at a time; see dt-score for --stats.

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
    shared = {"lang": "en", "progress": progress, "quiet": quiet, "output": output,
              "id_key": id_key, "lang_key": lang_key}
    make = partial(_written, (id_key or "id", lang_key or "lang"))
    parts = [Input(BY, files=(file,), make=make, **shared | {"progress": False, "quiet": True})
             for file in files]
    results: list[dict] = []
    loading = Loading(device=device, batch_size=batch_size, offline=offline)
    whole = _order(order, files, summary, id_key)
    if not order and not summary and not quiet:
        terminal.say(BY, f"no --order: the records stand part by part, 1 to {len(files)}")
    return cli.run(partial(_located, parts, tuple(map(called, files)), results,
                           summary and not order, loading, left_out=left_out, summary=summary),
                   by=BY, **whole, results=summary,
                   render=cli.renderer(format, output) if summary else cli.render,
                   closing=lambda: Told() if summary
                   else Told(lines=_table(results, format or "text")),
                   **shared)


def _order(order: str | None, files: Sequence[str], summary: bool,
           id_key: str | None) -> dict[str, Any]:
    """Return what is read first, as options of `cli.run`: the input, or the parts in its place.

    Results alone need no order: the first part is read first, and the others after it.
    """
    if order:
        return {"files": (order,)}
    if summary:
        return {"files": files[:1]}
    return {"files": _by_part(files, id_key or "id"), "make": _as_given}


def _by_part(files: Sequence[str], id_key: str) -> tuple[str, ...]:
    """Return the files in the order of their parts, empty ones last."""
    def part(file: str) -> int:
        for _, line in jsonl.lines((file,), 1):
            id = jsonl.loads(line).get(id_key)
            return keyed.shard(id, len(files)) if isinstance(id, str | int) else 0
        return len(files) + 1

    return tuple(sorted(files, key=part))


def _as_given(line: bytes) -> dict:
    """Return the record of a part's line as the run was given it: without its last entry."""
    record = jsonl.loads(line)
    entries = record.get("history")
    return {**record, "history": entries[:-1]} if isinstance(entries, list) and entries else record


def _table(results: list[dict], format: str) -> str:
    """Return results for standard error; what made the records is in JSON."""
    told = [{key: value for key, value in result.items() if key != "chain" or format == "json"}
            for result in results]
    return b"".join(tables.render(told, format)).decode()


def _written(keys: Sequence[str], line: bytes) -> dict:
    """Return the record of a line. Raise RecordError if it lacks the keys that every run writes."""
    record = jsonl.loads(line)
    for name in keys:
        if record.get(name) is None:
            raise RecordError(f'no "{name}", which every run writes: give the --id-key and '
                              '--lang-key of the run here, ' "too")
    return record


def _located(parts: list[Input], names: tuple[str, ...], results: list[dict], is_first: bool,
             loading: Loading, first: Input, left_out: bool, summary: bool) -> Iterator[dict]:
    """Yield the merged records, or results; an error in a part has its place there.

    first: the input of the run or, if `is_first`, the first part.
    """
    try:
        lost = Lost()
        if is_first:
            merged = _unordered([first, *map(iter, parts[1:])], names, lost)
        else:
            merged = _merged([*map(iter, parts)], names, first, left_out, lost)
        yield from _results(merged, lost, loading) if summary else _summed_up(merged, results)
    except RecordError as error:
        for part in parts:
            error = part.located(error)
        raise error from None
