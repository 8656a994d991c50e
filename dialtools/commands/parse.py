"""Add words, parts of speech and dependencies to dialogues."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from time import perf_counter

import click

from dialtools import cli, registry, terminal
from dialtools.annotation import places
from dialtools.annotation.parsed import AUTO, BY, Task, parsed
from dialtools.batches import batches, worked
from dialtools.conversion import items
from dialtools.errors import OptionError, about
from dialtools.run.source import completed

BATCH = 32  # records that a parser gets at once


def parse(records: Iterable[dict], *, parser: str | Callable, overwrite: bool = False, pretokenised: bool = False,
          also: Iterable[str] = (), device: str | None = None, offline: bool = False) -> Iterator[dict]:
    """Yield each record with "tokens" in every turn, and beside its "text"; a dialogue becomes a list of turns.

    parser: a spec such as "fugashi" or "stanza:dir=models", "auto", or a function (texts, *, lang) -> lists of tokens.
    overwrite: parse records anew that have tokens already.
    pretokenised: keep the tokens that are there, and add what the parser says of them.
    also: further keys whose strings get tokens: "context", "reference", "prediction".
    device: where the model works, such as "cuda", of parsers with such an option.
    offline: open no socket.
    """
    task = Task(parser, overwrite, pretokenised, registry.several(also), device, offline)
    for batch in batches(completed(records, deep=True), BATCH):
        yield from worked(partial(_batch, task), batch)


def _batch(task: Task, batch: list[dict]) -> list[dict]:
    with about(batch[0]):  # `worked` halves a batch that fails until it is one record
        return parsed(batch, task)


class _Meter:
    """What came by: tokens, and which parser a language had."""

    def __init__(self) -> None:
        self.start, self.tokens = perf_counter(), 0
        self.parsers: dict[str, None] = {}

    def add(self, record: dict, entry: dict) -> None:
        self.tokens += entry["counts"]["tokens"]
        self.parsers[f"{entry['signature'].partition('|')[0]} for {record['lang']}"] = None

    def merge(self, other: "_Meter") -> None:
        self.tokens += other.tokens
        self.parsers |= other.parsers

    def told(self, auto: bool, rate: bool) -> str:
        """Return the lines for standard error: the parsers that auto took, the rate."""
        lines = ""
        if auto and self.parsers:
            lines += f"{BY}: auto took {', '.join(self.parsers)}\n"
        if rate:
            lines += f"{BY}: {self.tokens / (perf_counter() - self.start):,.0f} tokens a second\n"
        return lines


@cli.command(
    BY,
    click.option("--parser", type=cli.Plugin("parsers", lambda spec: spec == AUTO or registry.load("parsers", spec)),
                 help="Parser to use, such as fugashi or stanza:dir=models; auto takes, and names, the best for each "
                 "language that is here: there is no default."),
    click.option("--also", multiple=True, type=click.Choice(places.ALSO), help="Parse the strings under this key too; "
                 "repeat for several."),
    click.option("--pretokenised", is_flag=True, help="Keep the tokens that are there, and add what the parser says."),
    click.option("--device", metavar="NAME", help="Where the parser's model works: cpu, cuda, … (cuda where there is "
                 "one, else cpu)."),
    click.option("--to", type=click.Choice(["jsonl", "conllu"]), default="jsonl", show_default=True,
                 help="What to write: records, or CoNLL-U."),
    click.option("--overwrite", is_flag=True, help="Parse records anew that have tokens already."),
    cli.offline, cli.listing("parsers"), *cli.stream("dialogue", "text", *places.ALSO))
def main(to, **options) -> int:
    """Add words, parts of speech and dependencies to dialogues.

    Every turn, and a "text", gets "tokens": form, start and end (code points of
    the text), lemma, upos, xpos, feats, head, deprel and ner as far as the
    parser knows them, and sent, the number of the sentence in the turn.  A
    dialogue that is a string becomes a list of turns.  --also reference puts
    the tokens of "reference" into "reference_tokens", a list for each string
    where it is a list.

    --pretokenised takes words as they are, which need only form, start and end;
    one without a token, such as dt-perturb puts in, is an error.
    A text of more than 2,000 characters is parsed in pieces, cut between
    sentences if it can be; that is counted.

    --to conllu writes sentences instead of records, with id, lang, variant,
    turn and speaker of each in comments; dt-convert reads that back.

    Each process works with one thread, unless OMP_NUM_THREADS says otherwise.

    Memory: 32 records at a time, and the parser's model in each process.

    Examples:

    $ echo '{"id": 1, "dialogue": "A: 猫が寝る。"}' | dt-parse --parser fugashi --lang ja -q |
      jq -c '.dialogue[0].tokens[0] | [.form, .start, .end, .upos, .reading]'
    ["猫",0,1,"NOUN","ネコ"]
    $ echo '{"id": 1, "dialogue": "A: 猫が寝る。"}' |
      dt-parse --parser fugashi --lang ja --to conllu -q | cut -f 1-4
    # id = 1
    # lang = ja
    # turn = 1
    # speaker = A
    # text = 猫が寝る。
    1	猫	猫	NOUN
    2	が	が	ADP
    3	寝る	寝る	VERB
    4	。	。	PUNCT
    """
    if options["parser"] is None:
        raise OptionError(f"which --parser? There are auto, {', '.join(registry.names('parsers'))}; see --list")
    if to == "conllu" and options["on_error"] == "keep":
        raise click.UsageError("--to conllu cannot keep a record that was not parsed: --on-error skip")
    if to == "conllu" and options["resume"]:
        raise click.UsageError("--resume goes on with records: parse to jsonl, and dt-convert --to conllu writes it")
    if options["overwrite"] and options["pretokenised"]:
        raise click.UsageError("--overwrite makes new tokens, --pretokenised keeps those that are there")
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # threads of several processes would wait for each other
    render = cli.render if to == "jsonl" else partial(items.written, to)
    meter = _Meter()
    told = partial(meter.told, options["parser"] == AUTO, options["progress"] or terminal.is_terminal(sys.stderr))
    return cli.run(parse, by=BY, keys=["|".join(("dialogue", "text", *options["also"]))], batch=BATCH,
                   render=render, watch=meter, closing=told, **options)
