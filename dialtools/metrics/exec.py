"""The number of a program of your own, from minus infinity to infinity; neutral.

exec:PROGRAM ARGUMENT… takes all that follows the first ":" as the program, as on a command line
without a shell. The program reads records, one line of JSON each, until its input ends, and answers
each with one line that holds one number, in the same order. So a metric with an environment of its
own (COMET, Perspective, PESQ) joins without a plug-in. The program is started for up to 1,000
records at a time; a score must not depend on which.

A failure, a line that is not a number, and more or fewer lines than records are errors. The
signature names the program as it is typed, not its version.

>>> score([{"id": 1, "prediction": "a b"}, {"id": 2, "prediction": "c"}], program="jq .id")
[1.0, 2.0]
"""

import math

from dialtools.plugins.metric import Metric
from dialtools.records import jsonl
from dialtools.system.errors import MissingError, OptionError, RecordError, show


def score(records: list[dict], *, program: str = "") -> list[float]:
    """Return the program's number for each record; program: name or path, and arguments."""
    if not program.strip():
        raise OptionError("exec: no program given: write exec:PROGRAM ARGUMENT…")
    if not records:
        return []
    lines = [line for line in _answers(program, records) if line.strip()]
    if len(lines) != len(records):
        raise RecordError(f"{program}: {len(lines)} lines for {len(records)} records", records[0])
    return [_number(program, line, record) for line, record in zip(lines, records, strict=True)]


def _answers(program: str, records: list[dict]) -> list[str]:
    """Return the lines that the program writes for records."""
    import shlex
    import subprocess

    given = b"".join(map(jsonl.dumps, records))
    try:
        done = subprocess.run(shlex.split(program), input=given, capture_output=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise MissingError(f"{program}: cannot be started: {reason}") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().split("\n")[-1]
        reason = f"exit status {done.returncode}" + (f": {said}" if said else "")
        raise RecordError(f"{program}: {reason}", records[0])
    return done.stdout.decode(errors="replace").splitlines()


def _number(program: str, line: str, record: dict) -> float:
    try:
        found = float(line)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise RecordError(f"{program}: not a number: {show(line)}", record)
    return found


METRIC = Metric(score, window=1000, needs=("record",), whole_spec="program")
