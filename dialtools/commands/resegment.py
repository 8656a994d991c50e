"""Cut running translations into the sentences of their references.

A record is a talk: its "prediction" is the output of a system, as one text or
in lines of its own; its "segments" are objects with a "reference" each.  The
output has one record for each segment, with its part of the prediction; the
parts minimise the sum of edit distances to the references.  All records of a
talk have it as their "cluster", and an "id" such as talk-1.

"delays" and "elapsed", one for each word (or character) of the prediction,
are cut with it and then counted from the start of the segment in the source:
its "start", or else the sum of the "source_length" of the segments before it.
Score the result with dt-score -m laal, -m bleu and the like; with --stream laal
is StreamLAAL: a word that comes before its segment has the delay 0, and of the
computing time in "elapsed", which adds up over a talk, each word has what it
took itself.  There is no --resume: the output has other ids than the input.

Memory: one record at a time.

Examples:

$ echo '{"id": 7, "prediction": "a b", "segments": [{"reference": "A"}, {"reference": "b"}]}' |
  dt-resegment -q | jq -c '[.id, .prediction]'
["7-1","a"]
["7-2","b"]
"""

from collections.abc import Iterable, Iterator
from typing import Literal

import click

from dialtools.pipeline import cli
from dialtools.pipeline.work import Work
from dialtools.plugins.options import Choice
from dialtools.system.errors import about

BY = "dt-resegment"
COUNTERS = {"empty": ("sentences empty", "references to which no words belong")}


def resegment(
    records: Iterable[dict],
    *,
    unit: Literal["auto", "word", "char"] = "auto",
    stream: bool = False,
) -> Iterator[dict]:
    """Yield, for each record with a running translation, one record for each of its "segments".

    unit: what is aligned and has a delay: words, characters, or (auto) characters in languages
        without spaces.
    stream: delays as StreamLAAL counts them.
    """
    from dialtools.records import dialogue
    from dialtools.records.validation import completed
    from dialtools.text import resegmenting

    for record in completed(records):
        with about(record):
            is_spaced = bool(dialogue.language(record).space)
            of_words = unit == "word" or (unit == "auto" and is_spaced)
            yield from resegmenting.parts(record, of_words, stream)


@cli.command(
    BY,
    click.option(
        "--unit",
        type=Choice(["auto", "word", "char"]),
        default="auto",
        show_default=True,
        help="What is aligned and has a delay: words, characters, or "
        "characters in languages that are written without spaces.",
    ),
    click.option(
        "--stream",
        is_flag=True,
        help="Count delays as StreamLAAL does: none below 0, computing time by word.",
    ),
    *cli.reading("prediction", also=(cli.on_error, cli.jobs, cli.shard)),
)
def main(**options) -> int:
    return cli.run(
        Work(resegment, by=BY, counters=COUNTERS, keys=["prediction", "segments"]), **options
    )
