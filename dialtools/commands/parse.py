"""Add words, parts of speech and dependencies to dialogues.

Every turn, and a "text", gets "tokens": form, start and end (code points of
the text), lemma, upos, xpos, feats, head, deprel and ner as far as the
parser provides them, and sent, the number of the sentence in the turn.  A
dialogue that is a string becomes a list of turns.  --also reference puts
the tokens of "reference" into "reference_tokens", a list for each string
of a list.

--pretokenised keeps the tokens, which need only form, start and end.  A
word without a token, such as dt-perturb inserts, is an error.

A text of more than 2,000 characters is parsed in pieces, cut between
sentences if possible; such texts are counted.

--format conllu writes sentences instead of records, with id, lang, variant,
turn and speaker in comments; dt-convert reads them back.

Each process uses one thread, unless --threads or OMP_NUM_THREADS says otherwise.

Memory: 32 records at a time, and the parser's model in each process.

Examples:

$ echo '{"id": 1, "dialogue": "A: 猫が寝る。"}' | dt-parse --parser fugashi --lang ja -q |
  jq -c '.dialogue[0].tokens[0] | [.form, .start, .end, .upos, .reading]'
["猫",0,1,"NOUN","ネコ"]
$ echo '{"id": 1, "dialogue": "A: 猫が寝る。"}' |
  dt-parse --parser fugashi --lang ja --format conllu -q | cut -f 1-4
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

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from time import perf_counter

import click

from dialtools.parsing import ALSO, AUTO
from dialtools.pipeline import cli
from dialtools.pipeline.work import Closing, Work, render
from dialtools.plugins import registry
from dialtools.plugins.options import Choice
from dialtools.system.errors import OptionError, about

BY = "dt-parse"
BATCH = 32  # records that a parser gets at once
COUNTERS = {
    "tokens": ("tokens", "words and marks that the parser found"),
    "sentences": ("sentences", "sentences that it found"),
    "texts without a word": ("texts without a word", "texts of marks and white space alone"),
    "long texts in pieces": ("long texts in pieces", "texts that were parsed piece by piece"),
}


def parse(
    records: Iterable[dict],
    *,
    parser: str | Callable,
    overwrite: bool = False,
    pretokenised: bool = False,
    also: Iterable[str] = (),
    device: str | None = None,
    offline: bool = False,
) -> Iterator[dict]:
    """Yield each record with "tokens" in every turn and beside its "text".

    A dialogue that is a string becomes a list of turns.


    parser: a spec such as "fugashi" or "stanza:dir=models", "auto", or a function
        (texts, *, language) -> lists of tokens.
    overwrite: parse records again that have tokens.
    pretokenised: keep the tokens of the records, and add the parser's annotation.
    also: further keys whose strings get tokens: "context", "reference", "prediction".
    device: where the model works, such as "cuda", for parsers with such an option.
    offline: open no socket.
    """
    from dialtools.parsing.annotator import Annotator
    from dialtools.records.validation import completed
    from dialtools.system.batches import batches, worked

    annotator = Annotator(parser, overwrite, pretokenised, registry.several(also), device, offline)

    def annotated(batch: list[dict]) -> list[dict]:
        with about(batch[0]):  # `worked` halves a batch that fails until one record is left
            return annotator.annotated(batch)

    for batch in batches(completed(records, deep=True), BATCH):
        yield from worked(annotated, batch)


class _Meter:
    """Watches records, in one process or several: the number of tokens, the parser of each language."""

    def __init__(self) -> None:
        self.start, self.tokens = perf_counter(), 0
        self.parsers: dict[str, None] = {}

    def add(self, record: dict, entry: dict) -> None:
        self.tokens += entry["counts"]["tokens"]
        self.parsers[f"{entry['signature'].partition('|')[0]} for {record['lang']}"] = None

    def merge(self, other: "_Meter") -> None:
        self.tokens += other.tokens
        self.parsers |= other.parsers


@cli.command(
    BY,
    click.option(
        "--parser",
        type=cli.PluginType("parsers", lambda spec: spec == AUTO or registry.load("parsers", spec)),
        help="Parser, such as fugashi or stanza:dir=models; auto chooses the best one "
        "installed for each language, and names it.  There is no default.",
    ),
    click.option(
        "--also",
        multiple=True,
        type=Choice(ALSO),
        help="Parse the strings under this key, too; repeat for several.",
    ),
    click.option(
        "--pretokenised",
        is_flag=True,
        help="Keep the tokens of the records, and add the parser's annotation.",
    ),
    click.option(
        "--device",
        metavar="NAME",
        help="Where the parser's model works: cpu, cuda, … (cuda if there is one).",
    ),
    click.option(
        "--format",
        type=Choice(["jsonl", "conllu"]),
        default="jsonl",
        show_default=True,
        help="What to write: records, or CoNLL-U.",
    ),
    click.option("--overwrite", is_flag=True, help="Parse records again that have tokens."),
    cli.threads,
    cli.offline,
    cli.listing("parsers"),
    *cli.stream("dialogue", "text", *ALSO),
)
def main(format, **options) -> int:
    if options["parser"] is None:
        names = ", ".join([AUTO, *registry.names("parsers")])
        raise OptionError(f"no parser given: use --parser with one of {names} (see --list)")
    if format == "conllu" and options["on_error"] == "keep":
        raise click.UsageError("--format conllu cannot keep a failed record: use --on-error skip")
    if format == "conllu" and options["resume"]:
        raise click.UsageError(
            "--resume needs records: parse to jsonl, then use dt-convert --format conllu"
        )
    if options["overwrite"] and options["pretokenised"]:
        raise click.UsageError(
            "--overwrite makes new tokens, --pretokenised keeps them: give only one"
        )
    from dialtools.conversion import items
    from dialtools.system import terminal

    os.environ.setdefault("OMP_NUM_THREADS", "1")  # threads of several processes would compete
    as_lines = render if format == "jsonl" else partial(items.written, format)
    show_rate = options["progress"] or terminal.is_terminal(sys.stderr)
    meter = _Meter()

    def closing() -> Closing:
        counts = []
        if show_rate and meter.tokens:
            rate = meter.tokens / (perf_counter() - meter.start)
            counts.append(f"{rate:,.0f} tokens a second")
        if options["parser"] == AUTO and meter.parsers:
            counts.append(f"by {', '.join(meter.parsers)}")
        return Closing(counts)

    return cli.run(
        Work(
            parse,
            by=BY,
            counters=COUNTERS,
            keys=["|".join(("dialogue", "text", *options["also"]))],
            batch=BATCH,
            render=as_lines,
            watch=meter,
            closing=closing,
        ),
        **options,
    )
