"""Clean texts: drop addresses, mentions, tags, emoji, repetitions and duplicates; cut long posts.

Each step is an option; --all takes all published steps.

Findings are counted, and so are the texts that are left out: empty ones, those
without a term, duplicates.  A "text" that is cut becomes several records with
the ids ID/1, ID/2, … and the old id as their cluster.  A text that changes
loses its tokens and entities; a prediction or a score of it is an error, unless
--overwrite drops it.  There is no --resume: duplicates depend on all earlier
records.

Memory: 8 bytes for each text with --duplicates or --all.

Examples:

$ printf '%s\\n' 'Great!!! @ann  look: https://example.org 👍' 'Great! look:' |
  dt-convert --from lines --set lang=en | dt-clean --all | jq -c '[.id, .text]'
["1","Great! look:"]
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import click

from dialtools.pipeline import cli
from dialtools.pipeline.work import Closing, Work, left_out
from dialtools.system.errors import OptionError, about

if TYPE_CHECKING:
    from dialtools.system.stable_hash import Seen

BY = "dt-clean"
COUNTERS = {
    "urls": ("addresses dropped", "web and mail addresses"),
    "mentions": ("mentions dropped", "@name, with the RT or // before it"),
    "tags": ("tags dropped", "[doge], <br> and the like"),
    "emoji": ("emoji dropped", "emoji"),
    "squeeze": ("repetitions squeezed", "places where something was repeated"),
}
PIECE = 130  # code points


def clean(
    records: Iterable[dict],
    note: Callable[[str], None] = lambda reason: None,
    seen: "Seen | None" = None,
    *,
    urls: bool = False,
    mentions: bool = False,
    tags: bool = False,
    emoji: bool = False,
    squeeze: bool = False,
    pieces: int | None = None,
    terms: str | None = None,
    duplicates: bool = False,
    all: bool = False,
    overwrite: bool = False,
) -> Iterator[dict]:
    """Yield the records with clean texts; some are left out or cut into several.

    note: called for each record or piece that is left out, with "empty", "duplicate" or
        "without a term".
    seen: knows the texts of earlier records, and of this call afterwards.
    urls, mentions, tags, emoji: drop these.
    squeeze: write repeated punctuation and white space once.
    pieces: cut a longer "text" into pieces of at most so many code points.
    terms: leave out texts without any term of this specification.
    duplicates: leave out repeated texts.
    all: all of these steps, with pieces of 130 code points by default.
    overwrite: drop predictions and scores of texts that change; else these are RecordErrors.
    """
    from dialtools.records import dialogue, history
    from dialtools.records.validation import completed
    from dialtools.system import stable_hash
    from dialtools.text import cleaning, specifications
    from dialtools.text import mentions as mentioned

    chosen = dict(urls=urls, mentions=mentions, tags=tags, emoji=emoji, squeeze=squeeze)
    steps = [step for step in cleaning.STEPS if all or chosen[step]]
    size = pieces or (PIECE if all else None)
    spec = specifications.Spec(terms) if terms is not None else None
    seen = (seen or stable_hash.Seen()) if duplicates or all else None
    if not (steps or size or spec or seen):
        raise OptionError("no step given: name some steps, or --all")
    signature = history.signature(
        "clean", steps="+".join(steps) or None, pieces=size, terms=spec, duplicates=bool(seen)
    )
    for record in completed(records, deep=True):
        with about(record):
            clean, counts = cleaning.cleaned(record, steps)
            parts = list(cleaning.pieces(clean, size)) if size else [clean]
            is_changed = bool(counts) or len(parts) > 1
            for part in parts:
                texts = [holder["text"] for holder in dialogue.holders(part)]
                if not "".join(texts).strip():
                    note("empty")
                    continue
                if spec is not None and not any(mentioned.of_record(part, spec)):
                    note("without a term")
                    continue
                if is_changed:  # before its text is known: a record that fails is no duplicate
                    part = dialogue.unpredicted(part, overwrite, "clean texts")
                if seen is not None and not seen.add(stable_hash.digest(*texts)):
                    note("duplicate")
                    continue
                changed = {step: number for step, number in counts.items() if number}
                yield history.add(part, BY, signature, counts=changed)
                counts.clear()  # the first piece of a text has its counts


@cli.command(
    BY,
    click.option("--urls", is_flag=True, help="Drop web and mail addresses."),
    click.option("--mentions", is_flag=True, help="Drop @name, with the RT or // before it."),
    click.option("--tags", is_flag=True, help="Drop [doge], <br>, &nbsp; and marks of reposts."),
    click.option("--emoji", is_flag=True, help="Drop emoji."),
    click.option(
        "--squeeze", is_flag=True, help="Write repeated punctuation and white space once."
    ),
    click.option(
        "--pieces",
        type=click.IntRange(min=1),
        metavar="N",
        help='Cut a longer "text" into pieces of at most N characters, between '
        "sentences if possible.",
    ),
    click.option(
        "--terms",
        metavar="SPEC",
        help="Leave out texts and pieces without any term of this specification: a name "
        "such as gender, or a file.",
    ),
    click.option("--duplicates", is_flag=True, help="Leave out texts of an earlier record."),
    click.option("--all", is_flag=True, help="All of these, with pieces of 130 characters."),
    click.option(
        "--overwrite", is_flag=True, help="Drop predictions and scores of texts that change."
    ),
    *cli.reading("dialogue", "text", also=(cli.on_error, cli.shard)),
)
def main(**options) -> int:
    from dialtools.system import stable_hash

    notes: Counter = Counter()
    # after a failure the filter begins anew, and must know the texts that came before
    of_run = partial(clean, note=lambda reason: notes.update([reason]), seen=stable_hash.Seen())
    return cli.run(
        Work(
            of_run,
            by=BY,
            counters=COUNTERS,
            keys=["dialogue|text"],
            closing=lambda: Closing(left_out(notes)),
        ),
        **options,
    )
