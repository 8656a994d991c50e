"""The number of a program of your own, from minus infinity to infinity; neutral.

exec:PROGRAM ARGUMENT… takes all that follows the first ":" as the program, as on a command line
without a shell. The program reads records, one line of JSON each, until its input ends, and answers
each with one line that holds one number, in the same order. So a metric with an environment of its
own (COMET, Perspective, PESQ) joins without a plug-in. The program is started for up to 1,000
records at a time; a score must not depend on which.

A failure, a line that is not a number, and more or fewer lines than records are errors. So is an
answer that takes more than --timeout (600 seconds, from the one before; a program that gathers its
output has as long for all of it) or 64 MiB. The program, and what it has started, ends with its
last answer or with the command, however that ends. The signature names the program as it is typed,
not its version.

>>> score([{"id": 1, "prediction": "a b"}, {"id": 2, "prediction": "c"}], program="jq .id")
[1.0, 2.0]
"""

import math

from dialtools.plugins.metric import Metric
from dialtools.records import jsonl
from dialtools.system import programs
from dialtools.system.errors import OptionError, RecordError, about, show


def score(
    records: list[dict], *, program: str = "", timeout: float = programs.TIMEOUT
) -> list[float]:
    """Return the program's number for each record.

    program: name or path, and arguments.
    timeout: seconds for each answer.
    """
    if not program.strip():
        raise OptionError("exec: no program given: write exec:PROGRAM ARGUMENT…")
    if not records:
        return []
    with about(records[0]):
        lines = programs.answers(program, list(map(jsonl.dumps, records)), timeout)
    numbers = []
    for line, record in zip(lines, records, strict=True):
        try:
            number = float(line)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            text = line.decode(errors="replace").strip()
            raise RecordError(f"{program}: not a number: {show(text)}", record)
        numbers.append(number)
    return numbers


def described(options: dict) -> dict[str, object]:
    """Return how a signature names options: without the time that it took."""
    return {"timeout": None}


METRIC = Metric(score, window=1000, needs=("record",), whole_spec="program", described=described)
