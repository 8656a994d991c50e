"""Clean texts: drop addresses, mentions, tags, emoji and repetitions, cut them to pieces, drop duplicates."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial

import click

from dialtools import cli, keyed
from dialtools.commands import _cleaning as cleaning
from dialtools.errors import OptionError, RecordError, about
from dialtools.records import dialogue, edits, history
from dialtools.run.source import completed, left_out
from dialtools.wording import mentions, terms as specifications

BY = "dt-clean"


def clean(records: Iterable[dict], note: Callable[[str], None] = lambda what: None, *, urls: bool = False,
          mentions: bool = False, tags: bool = False, emoji: bool = False, squeeze: bool = False,
          pieces: int | None = None, terms: str | None = None, duplicates: bool = False,
          all: bool = False) -> Iterator[dict]:
    """Yield the records with clean texts, fewer or more than there were.

    note: is told of each record or piece that is left out: "empty", "duplicates", "without a term".
    urls, mentions, tags, emoji: drop these, as cleaning.py has them.
    squeeze: what is repeated, punctuation and white space, stands once.
    pieces: cut a longer "text" into pieces of at most so many code points.
    terms: leave out texts without any term of this specification.
    duplicates: leave out what was said before.
    all: all of these steps, pieces of 130 code points if no other size is given.
    """
    chosen = dict(urls=urls, mentions=mentions, tags=tags, emoji=emoji, squeeze=squeeze)
    steps = [step for step in cleaning.STEPS if all or chosen[step]]
    size = pieces or (cleaning.PIECE if all else None)
    spec = specifications.Spec(terms) if terms is not None else None
    seen = keyed.Seen() if duplicates or all else None
    if not (steps or size or spec or seen):
        raise OptionError("nothing is asked for: name some steps, or --all")
    signature = history.signature("clean", steps="+".join(steps) or None, pieces=size, terms=spec,
                                  duplicates=bool(seen))
    for record in completed(records, deep=True):
        with about(record):
            cleaned, counts = _cleaned(record, steps)
            for piece in _pieces(cleaned, size) if size else [cleaned]:
                if why := _left_out(piece, spec, seen):
                    note(why)
                else:
                    yield history.add(piece, BY, signature, counts={step: n for step, n in counts.items() if n})
                    counts.clear()  # those of a text that was cut stand in its first piece


def _cleaned(record: dict, steps: list[str]) -> tuple[dict, Counter]:
    """Return the record with its texts clean, and how often each step found something."""
    changes: list[list] = []
    changed: list[int] = []
    counts: Counter[str] = Counter()
    said = list(dialogue.utterances(record))
    for number, (pointer, holder) in enumerate(said):
        text = holder["text"]
        after, found = cleaning.clean(text, steps)
        counts += found
        if after != text:
            changes.append([pointer, 0, len(text), text, after])
            changed.append(number)
    cleaned = edits.apply(record, changes)[0]
    holders = dialogue.holders(cleaned)
    if len(holders) != len(said):  # http://… Ann: Hi went on with the turn before
        raise RecordError("in a dialogue that is one string a line reads as a turn of its own without what is dropped: "
                          "a list of turns can hold it")
    for number in changed:
        for key in ("tokens", "entities"):
            holders[number].pop(key, None)  # applying the edits made copies
    return cleaned, counts


def _pieces(record: dict, size: int) -> Iterator[dict]:
    """Yield the record, or one for each piece of its text, with ids of their own and one cluster."""
    if record.get("text") is None:
        raise RecordError('only a "text" can be cut into pieces, here is a dialogue: leave out --pieces and --all')
    texts = list(cleaning.pieces(record["text"], size, dialogue.lang(record)))
    if len(texts) < 2:
        yield record
        return
    cluster = record.get("cluster") or str(record["id"])
    plain = {key: value for key, value in record.items() if key not in ("tokens", "entities")}
    for number, text in enumerate(texts, 1):
        yield plain | {"id": f"{record['id']}/{number}", "cluster": cluster, "text": text}


def _left_out(record: dict, spec: specifications.Spec | None, seen: keyed.Seen | None) -> str | None:
    """Return why a record is left out, None if it is not."""
    said = [holder["text"] for holder in dialogue.holders(record)]
    if not any(text.strip() for text in said):
        return "empty"
    if spec is not None and not any(mentions.of_record(record, spec)):
        return "without a term"
    if seen is not None and not seen.add(keyed.digest(*said)):
        return "duplicate"
    return None


@cli.command(
    BY,
    click.option("--urls", is_flag=True, help="Drop web and mail addresses."),
    click.option("--mentions", is_flag=True, help="Drop @name, with the RT or // before it."),
    click.option("--tags", is_flag=True, help="Drop [doge], <br>, &nbsp; and what a platform says of posts passed on."),
    click.option("--emoji", is_flag=True, help="Drop emoji."),
    click.option("--squeeze", is_flag=True, help="Write punctuation and white space once where it is repeated."),
    click.option("--pieces", type=click.IntRange(min=1), metavar="N", help="Cut a longer \"text\" into pieces of at "
                 "most N characters, at the ends of sentences if that is possible."),
    click.option("--terms", metavar="SPEC", help="Leave out texts and pieces without any term of this specification: "
                 "a name such as gender, or a file."),
    click.option("--duplicates", is_flag=True, help="Leave out what another record said before."),
    click.option("--all", is_flag=True, help="All of these, with pieces of 130 characters."),
    cli.files, cli.output, cli.limit, cli.lang, cli.shard, cli.key_options("id", "lang", "dialogue", "text"),
    cli.progress, cli.quiet)
def main(**options) -> int:
    """Clean texts, of posts or of turns: each step is an option, --all takes the published ones.

    What is found is counted, and so is what is left out: texts in which
    nothing is left, those without a term, duplicates.  A "text" that is cut
    becomes several records with the ids ID/1, ID/2, … and the old id as their
    cluster.  A text that was changed has lost its tokens and entities.  There is
    no --resume: what is a duplicate depends on all that came before.

    Memory: 12 to 24 bytes for each text with --duplicates or --all.

    Examples:

    $ printf '%s\\n' 'Great!!! @ann  look: https://example.org 👍' 'Great! look:' |
      dt-convert --from lines --set lang=en | dt-clean --all | jq -c '[.id, .text]'
    ["1","Great! look:"]
    """
    notes: Counter = Counter()
    return cli.run(partial(clean, note=lambda what: notes.update([what])), by=BY, keys=["dialogue|text"],
                   closing=lambda: left_out(BY, notes), **options)
