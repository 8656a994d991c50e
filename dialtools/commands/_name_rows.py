"""What commands of names share: pools completed by the shell; names counted, and written as a pool."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import click

from dialtools.pipeline import cli
from dialtools.pipeline.work import Closing, Work
from dialtools.plugins.options import Choice
from dialtools.tables import FORMATS

FORMAT = click.option(
    "--format",
    type=Choice(["tsv", *FORMATS]),
    help="How to write names; tsv by default, which dt-swap-names --pool-file reads.",
)


def complete_pool(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the pools whose names begin so, of --lang or else of all languages."""
    from dialtools import languages
    from dialtools.names import pools

    tag = ctx.params.get("lang")
    tags = [tag] if tag in languages.known() else languages.known()
    names = {name for tag in tags for name in pools.of(languages.get(tag))}
    return sorted(name for name in names if name.startswith(incomplete))


def run(
    names: Callable[..., Iterator[dict]], by: str, keys: str, format: str | None, **options: Any
) -> int:
    """Write the names that are in records; the closing line tells how many, and what is left out.

    names: takes records and what is called with the reason for each that is left out.
    keys: what every record must have.
    """
    from dialtools.names import collecting

    notes: Counter = Counter()

    def rows(records: Iterable[dict], **options: Any) -> Iterator[dict]:
        for row in names(records, lambda reason: notes.update([reason]), **options):
            notes[row.get("group", "names")] += 1
            yield row

    def closing() -> Closing:
        lacks_tokens = notes.pop(collecting.NO_TOKENS, 0)
        counts = [f"{count:,} {noun}" for noun, count in notes.items()] or ["no names"]
        return Closing(counts, f"{by}: {collecting.NO_TOKENS}\n" if lacks_tokens else "", True)

    return cli.run(
        Work(
            rows,
            by=by,
            keys=[keys],
            results=True,
            render=_tsv if format in (None, "tsv") else cli.renderer(format, options["output"]),
            closing=closing,
        ),
        **options,
    )


def _tsv(rows: Iterable[dict]) -> Iterator[bytes]:
    """Yield the lines of a pool: name, gender, counts; unknown values are empty."""
    for row in rows:
        cells = (
            "" if cell is None else f"{cell:.4f}" if isinstance(cell, float) else str(cell)
            for cell in row.values()
        )
        yield ("\t".join(cells) + "\n").encode()
