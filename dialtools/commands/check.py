"""Report what is wrong or odd in a file of records before it is used.

Other commands refuse what is wrong: lines that are no records, repeated ids,
turns without a speaker, tokens of another text.  What is odd is probably
unintended: no records, empty turns, speakers whose labels look alike, names
that nobody has, wrongly decoded text, a language that does not fit the script,
a key twice in one object (the last one counts).  Each kind of finding is
counted in records, with its first place; without findings, there is no output.
The exit status is 1 if anything is wrong.  With --on-error stop the first such
record ends the check as it would end another command, with status 3.

The closing line says which language the text looks like: by its script, else
by the share of its words that are function words of a language with data.  It
says so where that is not sure, as for a few words.  Other commands refuse a
record without "lang" whose letters English does not use; what names a language
is taken at its word, and is odd here if it looks like another.

--languages checks a folder of language data such as DIALTOOLS_LANGUAGES names:
the form of its files, the columns of its tables, letters of other scripts, and
whether SOURCES.tsv has the source of each file.

Memory: 8 bytes for each id.

Examples:

$ echo '{"id": 1, "lang": "en", "dialogue": "Ann: Hi\\nann: #Bob# is here"}' |
  dt-check | jq -r .finding
speakers that differ in case or white space only
a placeholder that is nobody's label
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

import click

from dialtools.pipeline import cli, input_keys, sink
from dialtools.pipeline.work import Work
from dialtools.plugins.options import Choice

BY = "dt-check"


def check(
    lines: Iterable[tuple[str, bytes]] | Iterable[dict] = (),
    rename: dict[str, str] | None = None,
    note: Callable[[str], None] = lambda sentence: None,
    *,
    languages: str | None = None,
    on_error: Literal["stop", "skip", "keep"] = "keep",
) -> Iterator[dict]:
    """Yield one result for each kind of finding: level, count, first place, example.

    lines: (place, line) pairs, as dialtools.lines yields them, or records, placed by number.
    rename: keys that exchange their names, such as {"summary": "prediction"}.
    note: called with the language that the text looks like.
    languages: a folder of language data to check instead, "" for the one in use.
    on_error: report what is wrong with the rest ("keep"), leave it out ("skip"), or raise
        RecordError for the first ("stop").
    level: "wrong" if other commands refuse it, else "odd".
    """
    from dialtools.checks import findings

    if languages is not None:
        yield from findings.summed(findings.of_languages(languages))
        return
    appearance = findings.Appearance()
    placed = findings.of_lines(lines, rename, appearance)
    results = findings.summed(findings.before_wrong(placed) if on_error == "stop" else placed)
    for result in (*results, *appearance.findings()):
        if on_error != "skip" or result["level"] != "wrong":
            yield appearance.explained(result)
    for sentence in appearance.sentences():
        note(sentence)


@cli.command(
    BY,
    click.option(
        "--languages",
        is_flag=False,
        flag_value="",
        metavar="[DIR]",
        help="Check a folder of language data instead: DIR, or the one in use.",
    ),
    click.option(
        "--on-error",
        type=Choice(["stop", "skip", "keep"]),
        default="keep",
        show_default=True,
        help="What to do with a record that is wrong: stop at the first, skip it, or keep "
        "it in the report.",
    ),
    cli.format_option,
    cli.files,
    cli.output,
    cli.limit,
    input_keys.option("id", "lang", "dialogue", "text", "context", "reference", "prediction"),
    cli.progress,
    cli.quiet,
)
def main(format, output, languages, on_error, **options) -> int:
    from dialtools.pipeline.input import Input
    from dialtools.system import terminal

    sentences: list[str] = []
    if languages is None:
        source = Input(Work(by=BY, results=True), output=output, **options)
        results = list(
            check(
                source.items(),
                source.rename,
                sentences.append,
                on_error="stop" if on_error == "stop" else "keep",
            )
        )
    elif options["files"]:
        raise click.UsageError("--languages [DIR] takes no files of records")
    else:
        results = list(check(languages=languages))
    shown = [result for result in results if on_error != "skip" or result["level"] != "wrong"]
    sink.write(cli.renderer(format, output)(shown), output)
    for sentence in () if options["quiet"] else sentences:
        terminal.say(BY, sentence)
    return int(any(result["level"] == "wrong" for result in results))
