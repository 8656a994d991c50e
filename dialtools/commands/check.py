"""Report what is wrong or odd in a file of records, or whether it is as expected.

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

--expect tests scored variants, and results, and nothing else is checked:

  invariant: METRIC OP X   each variant's prediction, scored by METRIC with its
                           original's prediction as the reference
  drop: LABEL OP X         the score LABEL of each variant minus that of its original
  LABEL OP X               the score LABEL of each record; score: LABEL OP X, too
  KEY:METRIC OP X          the number KEY (S, R, D, mean, corpus, consistency,
                           difference, p, …) of each result of dt-score or dt-ttest
                           for METRIC, or of each record of dt-score --per-source

OP is one of < <= == != >= >, and X a number as the file has it: of a record's
metrics from 0 to 1 a fraction (exact > 0.9), of results and --per-source a
percentage (S:rouge2 < 20).  A number that a record's metric cannot have is an
error; a fraction of a percentage, or of BLEU and the like, is told.  "invariant of
KIND:", "drop of KIND:" and "score of KIND:" are about one kind of variation or one
family (typo, typo.case), or the originals (score of original: exact > 0.9).

invariant computes its scores here; of two equal outputs it is METRIC's best.  With
a model it is faster to score first (dt-score -m bertscore:against=original) and to
expect 'bertscore:against=original > 0.9'.  drop and LABEL take scores that are there.

There is a row for each expectation, system and kind of variation, and for all
kinds: how many records passed, failed, or were "missing" (without a number, which
is no pass), and the pass "rate" in percent.  A row "holds" if the rate is 100, or
--pass-rate.  "unchanged" variants, in which nothing was perturbed, count.  An
expectation that no record or result is concerned by does not hold.  JSON names up
to 100 "failures" of a row.  The exit status is 1 if any row does not hold.  A
malformed record ends the run, unless --on-error skip leaves it out.

--junit FILE also writes the rows as JUnit's XML, a suite for each expectation and
a case for each row, whose failure names the records.

Memory: 8 bytes for each id; with --expect the records of one source, too.

Examples:

$ echo '{"id": 1, "lang": "en", "dialogue": "Ann: Hi\\nann: #Bob# is here"}' |
  dt-check | jq -r .finding
speakers that differ in case or white space only
a placeholder that is nobody's label

$ echo '{"id": 1, "text": "A man and a dog"}' |
  dt-perturb -k typo.case:rate=1 --keep-original --lang en -q |
  dt-generate -g 'exec:name=same,cat' -q |
  dt-check --expect 'invariant: exact > 0.9' -q | jq -c '[.kind, .rate, .example]'
["typo.case:rate=1",0,"1 typo.case:rate=1:1: 0"]
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

import click

from dialtools.pipeline import cli, input_keys, sink
from dialtools.pipeline.work import Work, counted
from dialtools.plugins.options import Choice
from dialtools.system.errors import OptionError

BY = "dt-check"


def check(
    lines: Iterable[tuple[str, bytes]] | Iterable[dict] = (),
    rename: dict[str, str] | None = None,
    note: Callable[[str], None] = lambda sentence: None,
    *,
    languages: str | None = None,
    expect: Sequence[str] = (),
    pass_rate: float = 100.0,
    on_error: Literal["stop", "skip", "keep"] = "keep",
) -> Iterator[dict]:
    """Yield one result for each kind of finding, or one for each expectation and kind of variation.

    A finding has its level, count, first place and an example.

    lines: (place, line) pairs, as dialtools.lines yields them, or records, placed by number.
    rename: keys that exchange their names, such as {"summary": "prediction"}.
    note: called with the language that the text looks like.
    languages: a folder of language data to check instead, "" for the one in use.
    expect: what is expected of scored variants or of results instead: "invariant: exact > 0.9",
        "drop: f1 < -0.1", "S:rouge2 < 20".
    pass_rate: percent of the records of each kind that must be as expected.
    on_error: report what is wrong with the rest ("keep"), leave it out ("skip"), or raise
        RecordError for the first ("stop"); with expect the first is raised, unless "skip".
    level: "wrong" if other commands refuse it, else "odd".
    """
    from dialtools.checks import expectations, findings
    from dialtools.plugins import registry

    if expect:
        if languages is not None:
            raise OptionError("--expect and --languages exclude each other")
        refused = (lambda error: None) if on_error == "skip" else None
        yield from expectations.judged(lines, registry.several(expect), pass_rate, rename, refused)
        return
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
        "--expect",
        multiple=True,
        metavar="TEST",
        help="Test variants or results instead: 'invariant: exact > 0.9', 'drop: f1 < -0.1', "
        "'S:rouge2 < 20'; repeat for several.",
    ),
    click.option(
        "--pass-rate",
        type=float,
        default=100.0,
        show_default=True,
        metavar="PERCENT",
        help="How many of the records of each kind must be as expected.",
    ),
    click.option(
        "--junit", metavar="FILE", help="Also write what --expect says as JUnit's XML to FILE."
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
def main(format, output, languages, expect, pass_rate, junit, on_error, **options) -> int:
    from dialtools.pipeline.input import Input
    from dialtools.system import terminal

    if expect:
        if languages is not None:
            raise click.UsageError("--expect and --languages exclude each other")
        return _expected(format, output, expect, pass_rate, junit, on_error, **options)
    if junit is not None or pass_rate != 100:
        raise click.UsageError("--junit and --pass-rate are for --expect")
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


def _expected(format, output, expect, pass_rate, junit, on_error, **options) -> int:
    """Write the rows of expectations, and return 1 if one does not hold or a record is wrong."""
    from dialtools.checks import expectations
    from dialtools.checks import junit as xml
    from dialtools.pipeline.input import Input
    from dialtools.system import files, terminal

    cli.check_apart("--junit", junit, output, options["files"])
    source = Input(Work(by=BY, results=True), output=output, on_error=on_error, **options)
    refused = source.ledger.fail if on_error == "skip" else None
    rows = list(expectations.judged(source.items(), expect, pass_rate, source.rename, refused))
    if junit is not None:
        with files.open_output(junit) as file:
            file.write(xml.document(rows, BY))
    sink.write(cli.renderer(format, output)(rows), output)
    failing = {row["expectation"] for row in rows if not row["holds"]}
    if not options["quiet"]:
        number = len({row["expectation"] for row in rows})
        holding = number - len(failing)
        counts = [f"{holding} of {number} expectations {'holds' if holding == 1 else 'hold'}"]
        if source.ledger.left_out:
            counts.append(counted("records failed", source.ledger.left_out))
        terminal.say(BY, ", ".join(counts))
    return int(bool(failing) or source.ledger.has_failures())
