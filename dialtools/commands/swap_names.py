"""Rename the speakers of dialogues, everywhere in a record, and back again."""

from collections.abc import Iterable, Iterator

import click

from dialtools import cli, history, keyed, languages
from dialtools.names import pools, swapping

BY = "dt-swap-names"


def swap_names(records: Iterable[dict], *, pool: str = "frequent", names: list[str] | None = None,
               variants: int = 1, ids: bool = False, restore: bool = False, gender: bool = True,
               roles: bool = False, keep_original: bool = False, seed: int = 0) -> Iterator[dict]:
    """Yield variants of each record whose speakers have other names, or the records as they were before.

    pool: name of a pool of the record's language.
    names: a pool of one's own, lines of "name" or "name TAB gender".
    variants: how many for each record; no two give the same names.
    ids: numbered names (Speaker1, …) in the order of first turns, instead of a pool's.
    restore: undo the swap, and map the names back in predictions.
    gender: a name of known gender gets one of the same gender.
    roles: rename Agent, A, 客服, Speaker 1 … too.
    keep_original: yield the record itself before its variants.
    """
    own = pools.parse(names) if names is not None else None
    for record in records:
        if restore:
            yield swapping.restore(record, BY, history.signature("restore"))
            continue
        if keep_original:
            yield record
        speakers = swapping.speakers(record, roles)
        if ids:
            yield _numbered(record, speakers)
        else:
            rows = own or pools.named(pool, record["lang"])
            drawing = swapping.Drawing(record, speakers, rows, gender)
            signature = history.signature("names", pool="own" if own else pool, lang=record["lang"],
                                          gender=gender, seed=seed)
            yield from _drawn(record, drawing, variants, seed, signature)


def _numbered(record: dict, speakers: list[str]) -> dict:
    template = languages.load(record["lang"])["speaker"]
    names = {name: template.format(n=number) for number, name in enumerate(speakers, 1)}
    return _variant(record, "ids", 1, names, history.signature("ids", lang=record["lang"]))


def _drawn(record: dict, drawing: swapping.Drawing, variants: int, seed: int, signature: str) -> Iterator[dict]:
    before: list[dict[str, str]] = []
    for number in range(1, variants + 1):
        names = drawing.draw(keyed.rng(seed, "names", record["id"], number), before)
        before += [names] if names else []  # nobody to rename: all variants are unchanged, and say so
        yield _variant(record, "names", number, names, signature, unknown_gender=drawing.unknown)


def _variant(record: dict, kind: str, number: int, names: dict[str, str], signature: str, **counts: int) -> dict:
    swapped, made, found = swapping.swap(record, names)
    swapped = swapped | {"variant": history.variant(record, kind, number)}
    return history.add(swapped, BY, signature, names=names, edits=made, changed=bool(made), counts=found | counts)


@cli.command(
    BY,
    click.option("--pool", default="frequent", show_default=True, metavar="POOL",
                 help="Pool of names, in the language of each record."),
    click.option("--names", type=click.File(encoding="utf-8"), metavar="FILE",
                 help="A pool of your own: lines of NAME, or NAME TAB f, m or u."),
    click.option("--variants", type=click.IntRange(min=1), default=1, show_default=True, metavar="N",
                 help="Variants of each record."),
    click.option("--ids", is_flag=True, help="Number the speakers (Speaker1, …) instead."),
    click.option("--restore", is_flag=True, help="Undo the swap, and map the names back in predictions."),
    click.option("--gender/--no-gender", default=True, show_default=True,
                 help="Give a name of known gender one of the same gender."),
    click.option("--roles", is_flag=True, help="Rename roles such as Agent, A, 客服 and Speaker 1 too."),
    click.option("--keep-original", is_flag=True, help="Write the record itself before its variants."),
    cli.seed, *cli.stream("dialogue", "text", "context", "reference", "prediction"))
def main(names, **options) -> int:
    """Rename the speakers of dialogues, everywhere in a record, and back again.

    Every speaker gets another name, drawn without replacement from a pool of
    names that do not occur in the record; labels, mentions in turns, context
    and references change alike.  Who is only talked about keeps the name.
    A name that is also a word (Will, Rose) is replaced only as its bearer
    writes it; what was left is counted, as is what --restore cannot map back.

    Memory: one record at a time.

    Examples:

    $ echo '{"id": 1, "dialogue": "Ann: Hi Bob\\nBob: Hi Ann, is Eve with you?"}' |
      dt-swap-names --ids --lang en | jq -r .dialogue
    Speaker1: Hi Speaker2
    Speaker2: Hi Speaker1, is Eve with you?
    """
    rows = names.read().splitlines() if names else None
    keys = [] if options["restore"] else ["dialogue"]
    return cli.run(swap_names, by=BY, keys=keys, names=rows, **options)
