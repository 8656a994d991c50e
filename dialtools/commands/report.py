"""Make one page of HTML of results, records and trainings, to look at, print and cite.

Reads what other commands write as JSON Lines, and recognises it: records
(dt-generate, dt-score …), records of sources (dt-score --per-source), summaries
(--summary, --sensitivity, --robustness), tests (dt-ttest) and logs of dt-train.
The page shows what there is: what was varied, verdicts in sentences, systems and
metrics with intervals, what was counted, pictures with their numbers, the worst and
the median cases (of perplexities: pairs of texts) with changed words marked, how it
all was made, with signatures and a line to cite, and what the words mean.  The page is
one file that needs no network.

Give the records, the records of sources and the tests of all systems together:
the records have the texts of the cases, the records of sources the numbers and
their intervals, and a --sensitivity summary the control.  Without a test of S,
two to five systems are compared here, by paired t tests corrected by Holm.  A
mean over sources has a t interval, with the standard error over dialogues, which
ends at 0 and 100 where no number can lie beyond; one of 0 and 100 alone Wilson's.

A file that is no JSON Lines, such as a table of --format text, is an error, and so
are outputs without scores: score them first, with dt-score.

Memory: the numbers of the sample, and the texts of some thirty sources.

Examples:

$ dt-swap-names --variants 3 -q examples/speaker-names/dialogues.jsonl |
  dt-generate -g longest -q | dt-swap-names --restore -q |
  dt-score --sensitivity --per-source -m rougeL -q |
  dt-report -o /dev/stdout | grep -c '<article'
12
"""

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from dialtools.pipeline import cli, sink
from dialtools.system.errors import OptionError, need
from dialtools.system.files import STANDARD, is_input
from dialtools.system.terminal import is_terminal, say

if TYPE_CHECKING:
    from dialtools.html_report.page import Report

BY = "dt-report"


def report(
    *sources: str | os.PathLike[str] | Iterable[dict],
    title: str = "Report",
    most_sources: int = 10_000,
) -> "Report":
    """Return the report of files, or of records and results; a notebook shows it.

    Its methods html(), fragment(), save(path), save_pdf(path) and save_pngs(folder) give or write
    the page, a part of another page, and its pictures.

    sources: paths of JSON Lines files, or iterables of records or results.
    title: the heading of the page.
    most_sources: how many sources the numbers are of at most.
    """
    from dialtools.html_report import contents

    need("jinja2", "report")
    need("matplotlib", "report")
    if not sources:
        raise OptionError("nothing to report: name files, or give records or results")
    return contents.report(sources, title, most_sources)


@cli.command(
    BY,
    click.option(
        "--title",
        default="Report",
        show_default=True,
        metavar="TEXT",
        help="The heading of the page.",
    ),
    click.option(
        "--embed",
        is_flag=True,
        help="Write a part of a page, for a notebook or a page of your own.",
    ),
    click.option("--pdf", metavar="FILE", help="Also write the pictures to a PDF file."),
    click.option(
        "--png", metavar="DIR", help="Also write each picture to a PNG file in this folder."
    ),
    click.option(
        "--most-sources",
        type=click.IntRange(min=1),
        default=10_000,
        show_default=True,
        metavar="N",
        help="Take numbers from N sources at most, chosen by a hash of the "
        "id; what is counted, and the worst cases, are of all.",
    ),
    cli.files,
    cli.output,
)
def main(files, output, title, embed, pdf, png, most_sources) -> None:
    for option, path in (("--pdf", pdf), ("--png", png)):
        cli.check_apart(option, path, output, files)
    if output == STANDARD and is_terminal(sys.stdout):
        raise click.UsageError("the page would fill the terminal: name a file, -o report.html")
    if is_input(output, files):
        raise click.UsageError(f"-o: {output} is an input, and would be replaced")
    made = report(*(files or (STANDARD,)), title=title, most_sources=most_sources)
    lacking = made.save_pdf(pdf) if pdf else set()
    lacking |= made.save_pngs(png) if png else set()
    if lacking:
        say(
            BY,
            f"the pictures of --pdf and --png lack {''.join(sorted(lacking)[:20])}, which the "
            "font of matplotlib has not: name one that has as font.family in a matplotlibrc",
        )
    sink.write([(made.fragment() if embed else made.html()).encode()], output)
