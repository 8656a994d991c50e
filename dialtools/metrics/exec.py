"""The number of a program of your own, from minus infinity to infinity; neutral.

exec:PROGRAM ARGUMENT… is a program as on a command line without a shell.  It starts once, reads
records, one line of JSON each, and writes a line with one number for each before it reads the next
one.  So a metric with an environment of its own (COMET, Perspective, PESQ) joins without a plug-in.

Options stand before the program: exec:name=mine,range=0-1,better=lower,PROGRAM.  name is the label
of the scores; without it that is all that was typed.  range=LOWEST-HIGHEST bounds the numbers, and
then higher ones are better unless better=lower.  With a range the metric works in --sensitivity and
--robustness, where the program gets objects with "prediction" and a list "reference" alone.
Without one numbers go from minus infinity to infinity, and neither is better unless `better` says
so.

A program that ends is started again.  Without an answer for a record it is an error, as is a line
that is no number or not in the range, one line more, --timeout (600 seconds for each answer) and 64
MiB.  A program that buffers its output seems to be late: python -u, stdbuf -oL.  The program, and
what it has started, ends with the command, however that ends.  The signature names the program as
it is typed, and has digits of the hash of the files in it.

>>> score([{"id": 1, "prediction": "a b"}, {"id": 2, "prediction": "c"}], program="jq --unbuffered .id")
[1.0, 2.0]
"""

import math
import re
from contextlib import nullcontext
from typing import Any, Literal

from dialtools.plugins import registry
from dialtools.plugins.metric import Metric
from dialtools.records import jsonl
from dialtools.system import programs
from dialtools.system.errors import OptionError, RecordError, about, show

_RANGE = re.compile(r"(-?\d+(?:\.\d+)?)-(-?\d+(?:\.\d+)?)")


def score(
    records: list[Any],
    *references: list[list[str]],
    program: str = "",
    name: str = "",
    range: str = "",
    better: Literal["higher", "lower"] | None = None,
    timeout: float = programs.TIMEOUT,
) -> list[float]:
    """Return the program's number for each record.

    records: or predictions, and then a column of references.
    program: name or path, and arguments.
    name: the label of the scores.
    range: LOWEST-HIGHEST, such as 0-1.
    better: the direction, higher where there is a range.
    timeout: seconds for each answer.
    """
    low, high = _bounds(range) or (-math.inf, math.inf)
    if references:
        pairs = zip(records, *references, strict=True)
        records = [{"prediction": text, "reference": texts} for text, texts in pairs]
    numbers = []
    for record in records:
        with nullcontext() if references else about(record):
            line = programs.answer(program, jsonl.dumps(record), timeout)
            try:
                number = float(line)
            except ValueError:
                number = math.nan
            if not math.isfinite(number):
                text = line.decode(errors="replace").strip()
                raise RecordError(f"{program}: not a number: {show(text)}")
            if not low <= number <= high:
                raise RecordError(f"{program}: {number:g} is not in the range {range}")
            numbers.append(number)
    return numbers


def _bounds(range: str) -> tuple[float, float] | None:
    """Return the lowest and the highest number; None without a range."""
    if not range:
        return None
    match = _RANGE.fullmatch(range)
    bounds = (float(match[1]), float(match[2])) if match else (0.0, 0.0)
    if not bounds[0] < bounds[1]:
        raise OptionError(
            f"exec: range is LOWEST-HIGHEST, such as 0-1 or -1-1, not {range}; better=lower says "
            "that low numbers are better"
        )
    return bounds


def by_options(options: dict) -> dict[str, object]:
    """Return the range and the direction that a program has."""
    name, better = options["name"], options["better"]
    if name in registry.names("metrics") or ":" in name:
        raise OptionError(f"exec: name={name} is, or may be, a metric of ours: take another name")
    if not (bounds := _bounds(options["range"])):
        return {"better": better}
    return {"range": bounds[::-1] if better == "lower" else bounds, "scores_pairs": True}


def described(options: dict) -> dict[str, object]:
    """Return how a signature names options: without the time that it took."""
    return {
        "timeout": None,
        "name": None,
        "range": options["range"] or None,
        "source": programs.source(options["program"]) if options["program"] else None,
    }


METRIC = Metric(
    score,
    window=32,
    needs=("record",),
    whole_spec="program",
    described=described,
    by_options=by_options,
)
