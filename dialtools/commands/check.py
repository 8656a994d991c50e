"""Tell what is wrong or odd in a file of records, before it is used."""

from collections.abc import Iterable, Iterator

from dialtools import cli, findings
from dialtools import records as jsonl
from dialtools.errors import RecordError, show

BY = "dt-check"


def check(lines: Iterable[tuple[str, bytes]]) -> Iterator[dict]:
    """Yield one result for each kind of finding: its level, how often, where first, an example.

    lines: (place, line) pairs, as dialtools.lines yields them.
    level: "wrong" for what other commands refuse, else "odd".
    """
    found: dict[tuple[str, str], dict] = {}
    order = jsonl.Order()
    for number, (place, line) in enumerate(lines, 1):
        for level, finding, example in _findings(line, number, order):
            result = found.setdefault((level, finding), {
                "level": level, "finding": finding, "n": 0, "first": place, "example": example})
            result["n"] += 1
    yield from sorted(found.values(), key=lambda result: (result["level"] != "wrong", -result["n"]))


def _findings(line: bytes, number: int, order: jsonl.Order) -> Iterator[tuple[str, str, str]]:
    try:
        record = jsonl.loads(line)
    except RecordError as error:
        yield "wrong", "a line that is no record", error.reason
        return
    try:
        order.check(jsonl.complete(record, number))
    except RecordError as error:
        yield "wrong", error.reason, show(record.get("id"))
    problems = list(findings.wrong(record))
    yield from (("wrong", *problem) for problem in problems)
    if not problems:
        yield from (("odd", *found) for found in dict(findings.odd(record)).items())


@cli.command(BY, cli.format_option, cli.files, cli.output, cli.limit)
def main(files, output, limit, format) -> int:
    """Tell what is wrong or odd in a file of records, before it is used.

    Wrong is what other commands refuse: lines that are no records, ids that
    come twice, turns without a speaker.  Odd is what is probably not meant:
    empty turns, speakers whose labels look alike, names that nobody bears,
    text that was decoded wrongly, a language that the script does not fit.
    Each kind of finding is counted in records and shown where it comes first.
    The exit status is 1 if anything is wrong.

    Memory: 12 to 24 bytes for each id.

    Examples:

    $ echo '{"id": 1, "lang": "en", "dialogue": "Ann: Hi\\nann: #Bob# is here"}' | dt-check | jq -r .finding
    speakers that differ in case or white space only
    a placeholder that is nobody's label
    """
    results = list(check(jsonl.lines(files, limit)))
    cli.write(cli.renderer(format, output)(results), output)
    return int(any(result["level"] == "wrong" for result in results))
