"""Select the records that talk about a group of people and say certain things of it."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Literal

import click

from dialtools import cli, dialogue, history
from dialtools.wording import mentions
from dialtools.wording import terms as specifications
from dialtools.errors import about

BY = "dt-select"
GROUPS: dict[str, tuple[specifications.Group, ...]] = {"one": ("one",), "two": ("two",), "any": ("one", "two")}


def select(records: Iterable[dict], note: Callable[[str], None] = lambda what: None, *, terms: str,
           group: Literal["one", "two", "any"] = "one") -> Iterator[dict]:
    """Yield the records that hold a target term and an attribute term of a specification.

    note: is told why a record is left out: "without a target", "without an attribute".
    terms: a specification, by its name or as a file.
    group: whose target terms, those of the first group (T1), of the second, or of any; the attribute terms are
        those of the first (A1), the stereotypes, with "any" all.

    What was found is in the history, as "target" and "attribute".
    """
    spec = specifications.Spec(terms)
    signature = history.signature("select", terms=spec, group=group)
    wanted = {"target": GROUPS[group], "attribute": GROUPS["any" if group == "any" else "one"]}
    for record in records:
        with about(record):
            found = {kind: _found(record, spec, kind, groups) for kind, groups in wanted.items()}
        lacking = next((kind for kind, terms_found in found.items() if not terms_found), None)
        if lacking:
            note("without a target" if lacking == "target" else "without an attribute")
        else:
            yield history.add(record, BY, signature, **found)


def _found(record: dict, spec: specifications.Spec, kind: str, groups: tuple[specifications.Group, ...]) -> list[str]:
    """Return the terms of a kind in the texts of a record, in lower case, each once."""
    find = mentions.of(spec, dialogue.lang(record), (kind,), groups)
    return list(dict.fromkeys(place.term for _, _, places in mentions.places(record, find) for place in places))


@cli.command(
    BY,
    click.option("--terms", required=True, metavar="SPEC", help="Keep records with a target term and an attribute "
                 "term of this specification: a name such as gender, or a file."),
    click.option("--group", type=click.Choice(list(GROUPS)), default="one", show_default=True,
                 help="Whose target terms: of the first group, of the second, or of any."),
    cli.files, cli.output, cli.limit, cli.lang, cli.shard, cli.key_options("id", "lang", "dialogue", "text"),
    cli.progress, cli.quiet)
def main(**options) -> int:
    """Select the records that talk about a group of people and say certain things of it.

    A specification has terms for two groups of people (targets, T1 and T2)
    and for what is said of them (attributes, A1 and A2).  Kept are the records
    whose texts hold a term of T1 (--group two: of T2) and one of A1, as biased
    posts were retrieved for CHBias; which, is in the history.  What is left
    out is counted.

    Memory: one record at a time.

    Examples:

    $ printf '%s\\n' 那个老头真固执 老人在公园 他很固执 | dt-convert --from lines --set lang=zh |
      dt-select --terms age | jq -c '[.text, .history[0].target, .history[0].attribute]'
    ["那个老头真固执",["老头"],["固执"]]
    """
    notes: Counter = Counter()
    return cli.run(partial(select, note=lambda what: notes.update([what])), by=BY, keys=["dialogue|text"], jobs=1,
                   on_error="stop", closing=lambda: _closing(notes), **options)


def _closing(notes: Counter) -> str:
    counts = ", ".join(f"{count:,} {what}" for what, count in notes.items())
    return f"{BY}: left out: {counts}\n" if counts else ""
