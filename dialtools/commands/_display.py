"""How dt-score shows its results: as a table or JSON, as plots, or as one bare number."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import click

from dialtools.evaluation.pipeline import Pipeline
from dialtools.pipeline import cli
from dialtools.pipeline.work import render
from dialtools.system.errors import OptionError


class Display(NamedTuple):
    """How results are shown."""

    bare: bool
    plot: bool
    format: str | None
    output: str
    signatures: bool

    def renderer(self, pipeline: Pipeline) -> Callable[[Iterable[dict]], Iterator[bytes]]:
        """Return the function that makes lines of records, or of results."""
        if pipeline.writes_records:
            return render
        if self.bare:
            return partial(_bare, values=pipeline.values)
        return cli.renderer(self.format, self.output, signatures=self.signatures)

    def has_notes(self, pipeline: Pipeline) -> bool:
        """Tell whether results are written as a table, which has notes below it."""
        is_table = not pipeline.writes_records and not self.bare
        return is_table and cli.result_format(self.format, self.output) != "json"


def require_one_number(pipeline: Pipeline, format: str | None) -> None:
    """Raise UsageError unless the results are one number, for --bare."""
    if (
        len(pipeline.metrics) > 1
        or pipeline.groups_by
        or pipeline.per_source
        or format
        or pipeline.output == "confusion"
    ):
        raise click.UsageError(
            "--bare writes one number: it takes one metric, and no --by, "
            "--per-source, --confusion, --format"
        )


def _bare(results: Iterable[dict], values: Sequence[str]) -> Iterator[bytes]:
    """Yield the one number of a single result."""
    held = list(results)
    if len(held) != 1:
        names = ", ".join(
            f"{result['system'] or 'no system'} {result['lang']} {result.get('kind', '')}".strip()
            for result in held
        )
        raise OptionError(
            f"--bare writes one number, here are {len(held)}" + (f": {names}" if held else "")
        )
    value = next(key for key in values if key in held[0])
    if held[0][value] is None:
        raise OptionError(f"--bare: there is no {value}")
    yield f"{held[0][value]!r}\n".encode()
