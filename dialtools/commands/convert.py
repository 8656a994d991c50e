"""Convert data sets and tables to records, and records to tables and other formats.

Each item of the files becomes a record with our names for its id, dialogue,
text, context and references.  Its language is its own, else that of --lang,
else that of the data set.  Speakers without names are #Person1# and #Person2#,
taking turns.  Other values keep their keys.  If a file does not fit --from, the
error names the line, or the number of the item in a JSON array.  Two items with
one id are an error, too: --field cluster=id keeps what they share, and numbers
them.

--field reads a path of keys and indexes (data.answers.0.text) in the record
that the format made, which for jsonl, json, csv and tsv is the item itself.  A
value with its own key moves; one from deeper down is copied.  Turns need not be
objects: in ["Ann", "Hi"], dialogue.speaker=0 is Ann; if all turns are strings
such as "Ann: Hi", their labels are the speakers.  What no path reaches, jq joins
first: names and utterances in two lists, turns in separate rows, the sentences
of one reference (a list means several references).  jq -Rsc '{dialogue: .}'
makes a record of a text of "Name: text" lines.

Outputs of several systems in the columns of one table make a record for each
system: --field prediction:bart=out1 --field prediction:t5=out2.  Outputs in
files of their own, one a line, go by their position: --lines bart.txt --lines
t5=out2.txt.  They must be as many as the records, which nothing else pairs with
them, so that --on-error and --shard are refused.

A cell of csv and tsv is a string, but a number in a column whose cells all are
numbers or empty; the closing line names these columns.  Columns of texts (id,
text, reference, speaker, label …, and what --field makes one of these) are
strings nevertheless, and so are those of csv:texts=zip+version.  Cells may be
parted by , ; | or tabs, and csv:decimals=comma reads 3,5.  In a column KEY:json
a cell is JSON.  --format csv and tsv use such columns for other values
than strings: the same records can be read back, their keys in the order of the
columns.

--from sacrebleu:set=wmt20,pair=en-de reads no FILE, but a test set that sacrebleu
has on this machine.

Ratings of people come in long tables, a row for each, or in wide ones.  Of a long
table --raters annotator makes one record of all rows of an id (and system, and
variant), in which whatever differs between these rows is an object with a key
for each annotator; the whole table is held.  --raters score=r1+r2+r3 makes such
an object of columns.  An empty cell is no rating.  dt-ttest and dt-score -m
rating take these objects.

--continuity makes the data of dialogue continuity prediction: a record for each
turn, with the dialogue up to it, the "interlocutor", who would answer it, and a
"label" that says whether anybody did.  Its id is that of the dialogue with the
number of the turn; "cluster" keeps the turns of a dialogue together.  A
prediction or a score of a dialogue that is to be cut is an error, unless
--overwrite drops it.

The history of a record begins with its format and --field, for the chain of
results; of --set it has the keys.  A line of JSON that is a record already stays
as it is, and files in other formats get no entry.

--split N --output-dir DIR writes each record to one of N files, by the hash of
its id: file I holds what --shard I/N would read.  dt-merge puts together what
the tasks make of them.

FILE, as that of any command, may be an address of https, or of s3, gs or hf
(pip install 'dialtools[remote]'; s3fs for s3, gcsfs for gs).  A web server has
60 seconds to answer, and for each read.  A read that breaks goes on, after 1, 4
and 16 seconds, if the server gives the rest (Range) of the same file; else the
command ends with status 5.  Messages and records show … for a password in an
address and for the values behind its "?".

--on-error skip passes over lines, rows and items that make no record, and counts
them; what makes the rest of a file unreadable ends the run all the same.  There
is no --resume: a format is read from its beginning, which is nearly all of the
work.

Memory: one record at a time from jsonl, csv, tsv, lines and the data sets
that are such files (csv and tsv with columns of numbers are read twice, a pipe
from a temporary copy); JSON arrays are held whole, and so are the records
for --format csv and tsv; 64 MB for --split.

Examples:

$ echo '[{"id": "7", "dialogue": "Ann: Hi\\nBob: Hi", "summary": "A greeting."}]' |
  dt-convert --from samsum | jq -c 'del(.history), .history[]'
{"id":"7","dialogue":"Ann: Hi\\nBob: Hi","reference":"A greeting.","lang":"en"}
{"by":"dt-convert","signature":"samsum|v:0.1.0"}

$ echo '{"id": 1, "chat": [{"role": "user", "content": "Hi"}]}' |
  dt-convert --from jsonl --set lang=en --field dialogue=chat \\
    --field dialogue.speaker=role --field dialogue.text=content | jq -c .dialogue
[{"speaker":"user","text":"Hi"}]

$ printf 'id,out1,out2\\n7,Hi,\\n' | dt-convert --lang en \\
  --field prediction:bart=out1 --field prediction:t5=out2 | jq -c 'del(.history)'
{"prediction":"Hi","id":"7","system":"bart","lang":"en"}
{"prediction":"","id":"7","system":"t5","lang":"en"}

$ printf '%s\\n' id,rater,score 7,ann,5 8,ann,3 7,bob,4 |
  dt-convert --lang en -q --raters rater | jq -c '[.id, .score]'
["7",{"ann":5,"bob":4}]
["8",{"ann":3}]

$ printf 'id;text;rating\\n7;Hi;3,5\\n' |
  dt-convert --lang en -q --from csv:decimals=comma --lines bart=<(echo Hello) |
  jq -c 'del(.history)'
{"id":"7","text":"Hi","rating":3.5,"lang":"en","prediction":"Hello","system":"bart"}

$ echo '{"id": 1, "who": ["Ann", "Bob"], "said": ["Hi", "Yes?"]}' |
  jq -c '{id, dialogue: [.who, .said] | transpose}' |
  dt-convert --lang en -q --field dialogue.speaker=0 --field dialogue.text=1 |
  jq -c .dialogue
[{"speaker":"Ann","text":"Hi"},{"speaker":"Bob","text":"Yes?"}]

$ echo '{"id": 7, "dialogue": "Ann: Hi\\nBob: Bye"}' |
  dt-convert --lang en -q --continuity |
  jq -c '[.id, .cluster, .dialogue, .interlocutor, .label]'
["7-1","7","Ann: Hi","Bob","goes on"]
["7-2","7","Ann: Hi\\nBob: Bye","Ann","ends"]

$ printf 'talk,who,text\\nt1,Ann,Hi\\nt1,Bob,Yes?\\n' | dt-convert --lang en -q |
  jq -cs 'group_by(.talk)[] | {id: .[0].talk, dialogue: map({speaker: .who, text})}'
{"id":"t1","dialogue":[{"speaker":"Ann","text":"Hi"},{"speaker":"Bob","text":"Yes?"}]}
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

import click

from dialtools.pipeline import cli
from dialtools.pipeline.work import Closing, Work, counted, named, render
from dialtools.plugins import registry
from dialtools.system.errors import OptionError, nearest
from dialtools.system.files import STANDARD, is_remote
from dialtools.tables import FORMATS

BY = "dt-convert"
COUNTERS = {
    "without_text": (
        "records without a text (see --field)",
        "records without dialogue, text, context, reference, prediction and scores; --field "
        "says where they are, jq -c '.data[]' takes items out of one object, and the first row "
        "of a table names the columns",
    ),
    "numbered_ids": (
        "rows without an id",
        "records of several systems that share the number of their row as id",
    ),
    "numbered_speakers": (
        "dialogues without speakers (see --field)",
        "dialogues in which #Person1# and #Person2# take turns; --field dialogue.speaker=KEY "
        "names the speakers",
    ),
    "some_labels": (
        "dialogues with labels on some turns",
        'dialogues that are lists of strings, of which the first begins "Name: ", but not all; '
        """jq '.dialogue |= join("\\n")' first, if the others continue the turn before""",
    ),
    "one_line": (
        "dialogues of one line (see man dt-convert)",
        "dialogues that may have several turns in one line; "
        r"""jq -c '.dialogue |= gsub("\\\\n"; "\n")' first, if \n stands between them""",
    ),
    "lists_as_strings": (
        "references that may be lists (see man dt-convert)",
        "references that are strings and begin as lists do; jq -c '.reference |= fromjson' "
        "makes lists of those that are JSON",
    ),
    "messages": ("messages", "messages of chats"),
    "notices": ("notices dropped", "lines of a messenger itself: who joined, what was deleted"),
    "media": ("media dropped", "pictures, voice messages and the like"),
    "dates_of_uncertain_order": (
        "dates of uncertain order",
        "messages in a chat that never tells day from month",
    ),
    "chats_without_text": ("chats without a text", "chats that make no record"),
    "messages_without_text": ("messages without a text", "messages such as calls of tools"),
    "parts_without_text": ("parts without a text", "pictures and the like in messages"),
}


def convert(
    *files: str | os.PathLike[str],
    source: str | Callable = "auto",
    field: Iterable[str] | Mapping[str, str] = (),
    set: Iterable[str] | Mapping[str, str] = (),
    raters: Iterable[str] = (),
    next_response: bool = False,
    continuity: bool = False,
    lines: Iterable[str] = (),
    overwrite: bool = False,
    format: str | None = None,
    offline: bool = False,
) -> Iterator:
    """Yield the records of data files, or the lines (strings) of one file in a format.

    files: paths; none, or "-", is standard input.
    source: a format's name, "csv:delimiter=;", a function file -> (place, record) pairs, or "auto".
    field: {"KEY": "PATH"}, other places to take a key's value from; {"KEY:SYSTEM": "PATH"} makes
        a record for each of several systems.  As on the command line, "KEY=PATH" says the same.
    set: {"KEY": "VALUE"}, constants, strings; or "KEY=VALUE".
    raters: the key that names the rater of each row, or "KEY=COLUMN+COLUMN" for columns of raters;
        a text gets one record, with {rater: rating} under each key of ratings.
    next_response: cut dialogues before their last turn, which becomes the reference.
    continuity: cut dialogues after each turn, with the label "goes on" or "ends".
    lines: files of outputs, one a line for each record, "SYSTEM=FILE" or "FILE".
    overwrite: drop predictions and scores of dialogues that are cut, and replace those that come
        by `lines`; else these are RecordErrors.
    format: the name of the format to write.
    offline: open no socket; addresses such as https://… are OptionErrors.
    """
    from dialtools.conversion import foreign, joining, mapping, rows
    from dialtools.conversion.human_ratings import Raters
    from dialtools.records import history, validation

    paths, lines = [os.fspath(path) for path in files], registry.several(lines)
    _check_inputs(paths, lines, offline)
    outputs = joining.rows_of(lines, by_line=True)
    raters = registry.several(raters)
    of_raters = Raters(raters)
    wanted = mapping.Mapping(registry.several(field), registry.several(set), raters=of_raters)
    make = mapping.signing(
        wanted,
        raters=raters,
        next=next_response,
        continuity=continuity,
        lines=outputs.digits() if lines else None,
    )
    placed = foreign.items_of(
        source,
        None,
        lambda name, format: None,
        paths,
        field=wanted.field,
        declared=rows.declared(wanted.field) | {of_raters.key},
    )
    whole = validation.validated(wanted.items(placed), make=make)
    records = _cutting(next_response, continuity, overwrite)(whole)
    if lines:
        records = joining.with_lines(records, outputs, overwrite)
    if format in (None, "jsonl"):
        return records
    return registry.load("formats", format, "write").call(map(history.without_made, records))


def _check_inputs(files: Iterable[str], lines: Iterable[str], offline: bool) -> None:
    """Raise OptionError for addresses, if no socket is to be opened, and if two are standard input."""
    from dialtools.conversion import joining

    paths = [*(files or [STANDARD])]
    paths += [joining.named_file(argument)[1] for argument in lines]
    for path in paths:
        if offline and is_remote(path):
            raise OptionError(f"{path} is elsewhere, and offline opens no socket")
    if lines and paths.count(STANDARD) > 1:
        raise OptionError("--lines - and the records are both standard input")


def _cutting(
    next_response: bool, continuity: bool, overwrite: bool
) -> Callable[[Iterable[dict]], Iterator[dict]]:
    """Return the filter that cuts dialogues. Raise OptionError if both are asked for."""
    from dialtools.conversion import cuts

    if next_response and continuity:
        raise OptionError("--next-response or --continuity, not both")
    if not (next_response or continuity):
        return iter
    return partial(cuts.before_last if next_response else cuts.after_each, overwrite=overwrite)


class Written(cli.PluginType):
    """A format that can be written."""

    def get_metavar(self, param, ctx=None):
        return f"[{'|'.join(registry.declaring('formats', 'write'))}]"

    def convert(self, value, param, ctx):
        name, written = value.partition(":")[0], registry.declaring("formats", "write")
        known = (*registry.names("formats"), *registry.installed("formats"))
        if name not in known and not registry.is_external(name):
            hint = "; tables of results are written by dt-score --format" * (name in FORMATS)
            self.fail(
                f"no format that can be written is called {name!r}{nearest(name, written)}; there "
                f"are {', '.join(written)}{hint}",
                param,
                ctx,
            )
        return super().convert(value, param, ctx)


@cli.command(
    BY,
    click.option(
        "--from",
        "source",
        default="auto",
        show_default=True,
        type=cli.PluginType(
            "formats", lambda spec: spec == "auto" or registry.load("formats", spec)
        ),
        help="Format of the files; auto recognises and names the format of each.",
    ),
    click.option(
        "--field",
        multiple=True,
        metavar="KEY=PATH",
        help="Take a key's value from elsewhere in the item: reference=data.0.summary, "
        "for turns dialogue.speaker=role; repeat for several. prediction:bart=out1 and "
        "prediction:t5=out2 make a record for each system.",
    ),
    click.option(
        "--set",
        multiple=True,
        metavar="KEY=VALUE",
        help="Give every record a constant, such as lang=zh; repeat for several.",
    ),
    click.option(
        "--raters",
        multiple=True,
        metavar="KEY",
        help="Make one record of all rows of a text: KEY names the rater of a row, and what differs "
        'becomes {"ann": 5, "bob": 4}.  score=r1+r2+r3 makes that of columns, one a rater.',
    ),
    click.option(
        "--next-response",
        is_flag=True,
        help="Cut dialogues before their last turn, whose text replaces the reference; do "
        "so before perturbing or renaming.",
    ),
    click.option(
        "--continuity",
        is_flag=True,
        help="Cut dialogues after each turn, a record each, with a label: goes on, or "
        "ends after the last.",
    ),
    click.option(
        "--lines",
        multiple=True,
        metavar="[SYSTEM=]FILE",
        help="Give each record the line of FILE at its position as its prediction; there must "
        "be as many. Repeat for several systems, which are called after their files unless "
        "named.",
    ),
    click.option(
        "--overwrite",
        is_flag=True,
        help="Drop predictions and scores of dialogues that are cut; let those of --lines "
        "replace others.",
    ),
    click.option(
        "--format",
        type=Written("formats", partial(registry.load, "formats", function="write")),
        help="Format to write; records (jsonl) by default.",
    ),
    click.option(
        "--split",
        type=click.IntRange(min=1),
        metavar="N",
        help="Write N files instead, those of the N shards, so that each of N tasks reads its own.",
    ),
    click.option(
        "--output-dir",
        metavar="DIR",
        help="Folder for the files of --split, which appears only when all are complete.",
    ),
    cli.listing("formats"),
    cli.files,
    cli.output,
    cli.limit,
    cli.lang,
    cli.on_error,
    cli.shard,
    cli.offline,
    cli.progress,
    cli.quiet,
)
def main(
    source: str,
    field: tuple[str, ...],
    set: tuple[str, ...],
    raters: tuple[str, ...],
    next_response: bool,
    continuity: bool,
    lines: tuple[str, ...],
    overwrite: bool,
    format: str | None,
    lang: str | None,
    quiet: bool,
    split: int | None,
    output_dir: str | None,
    offline: bool,
    **options,
) -> int:
    from dialtools.conversion import foreign, joining, mapping, rows
    from dialtools.conversion.human_ratings import Raters
    from dialtools.system import terminal

    if lines and (options["on_error"] != "stop" or options["shard"]):
        raise click.UsageError("--lines needs every record: leave out --on-error and --shard")
    _check_inputs(options["files"], lines, offline)
    outputs = joining.rows_of(lines, by_line=True, is_part=options["limit"] is not None)
    if (split or output_dir) and not (split and output_dir):
        raise click.UsageError("--split N and --output-dir DIR belong together")
    as_lines: Callable[[Iterable[dict]], Iterator[bytes]] = render
    if split and output_dir:
        if format not in (None, "jsonl") or options["shard"] or options["output"] != STANDARD:
            raise click.UsageError(
                "--split writes records to files of its own: leave out --format, --shard and -o"
            )
        as_lines = partial(_split, split, output_dir)
    elif format not in (None, "jsonl"):
        as_lines = partial(_written, format)

    def tell(name: str, format: str) -> None:
        if not quiet:
            default = None if lang else registry.load("formats", format).defaults().get("lang")
            assumed = f", language {default} unless given (--lang)" if default else ""
            terminal.say(BY, f"{name}: recognised as {format}{assumed}")

    notes = Counter[str]()
    remarks = rows.Remarks()
    of_raters = Raters(raters, remarks.note)
    wanted = mapping.Mapping(field, set, lambda what: notes.update([what]), of_raters)

    def read(paths: Iterable[str], limit: int | None = None) -> Iterator:
        texts = rows.declared(field) | {of_raters.key}
        placed = foreign.items_of(
            source, lang, tell, paths, field=field, declared=texts, note=remarks.note
        )
        return wanted.items(placed, limit=limit)

    cut = _cutting(next_response, continuity, overwrite)

    def with_lines(records: Iterable[dict]) -> Iterator[dict]:
        return joining.with_lines(cut(records), outputs, overwrite)

    def closing() -> Closing:
        counts = [counted(named(COUNTERS, note), count) for note, count in notes.items()]
        return Closing(counts + remarks.counts())

    return cli.run(
        Work(
            with_lines if lines else cut,
            by=BY,
            counters=COUNTERS,
            whole_groups=outputs.are_of_several_systems(),
            items=read,
            make=mapping.signing(
                wanted,
                raters=raters,
                next=next_response,
                continuity=continuity,
                lines=outputs.digits() if lines else None,
            ),
            keys=["dialogue"] if next_response or continuity else [],
            closing=closing,
            render=as_lines,
        ),
        quiet=quiet,
        lang=lang,
        **options,
    )


def _written(format: str, records: Iterable[dict]) -> Iterator[bytes]:
    from dialtools.conversion import items
    from dialtools.records import history

    return items.written(format, map(history.without_made, records))


def _split(number: int, folder: str, records: Iterable[dict]) -> Iterator[bytes]:
    """Write each record to the file of its shard; yield nothing."""
    from dialtools.records import jsonl
    from dialtools.system import stable_hash
    from dialtools.system.files import OutputParts, new_folder

    width = len(str(number))
    names = [f"part-{part:0{width}}-of-{number}.jsonl" for part in range(1, number + 1)]
    with new_folder(folder) as place:
        parts = OutputParts([os.path.join(place, name) for name in names])
        for record in records:
            parts.write(stable_hash.shard(record["id"], number) - 1, jsonl.dumps(record))
        parts.flush()
    yield from ()
