"""The closing line of a run: what its counts are called, and what a command adds.

A count stands in the history of records under a key; people read a noun.  A command declares
{key: (noun, in the plural; what it counts)} as COUNTERS; its manual page lists them.  A key with
an empty noun is not told.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

Counters = Mapping[str, tuple[str, str]]
UNCHANGED = "variants unchanged", "variants in which there was nothing to change"
EVERYWHERE: Counters = {
    "resumed": ("records of an earlier run", "records that --resume found in the output"),
    "failed": ("records failed", "records that could not be worked on, with --on-error"),
}


class Told(NamedTuple):
    """What a command tells at its end: counts for the closing line, and whole lines below it."""

    counts: Sequence[str] = ()
    lines: str = ""
    alone: bool = False  # the counts, without the number of records: of results


def named(counters: Counters, key: str) -> str:
    """Return what a command calls a count, in the plural; "" for one that it does not tell.

    >>> named({"mentions": ("names replaced", "…")}, "mentions"), named({}, "without typo.case")
    ('names replaced', 'records without typo.case')
    """
    declared = {**EVERYWHERE, **counters}
    words = key.replace("_", " ")
    if key in declared:
        return declared[key][0]
    return f"records {words}" if words.startswith("without ") else words


def counted(noun: str, count: int) -> str:
    """Return a count with its noun, whose first plural is a singular after 1.

    >>> counted("identical pairs", 2), counted("identical pairs", 1), counted("outputs empty", 1)
    ('2 identical pairs', '1 identical pair', '1 output empty')
    """
    said = noun.replace("_", " ")
    if count == 1 and not said.startswith(("no ", "without ")):
        said = re.sub(r"(\w{2}(?:[^\Wsu](?=s)|ss(?=es)))e?s(?!\S)", r"\1", said, count=1)
        said = re.sub(r"^people\b", "person", said)
    return f"{count:,} {said}"


def left_out(notes: Mapping[str, int]) -> list[str]:
    """Return how many records were left out and why, for the closing line; [] if none were."""
    if not notes:
        return []
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in notes.items())
    return [f"{counted('records', sum(notes.values()))} left out ({reasons})"]


def line(
    counters: Counters, written: int, tally: Mapping[str, int], more: Iterable[str] = ()
) -> str:
    """Return the closing line of a run, "" if there is nothing to count but records.

    >>> line({"mentions": ("names replaced", "…")}, 24, {"mentions": 195, "failed": 1})
    '24 records, 195 names replaced, 1 record failed'
    """
    nouns = {key: named(counters, key) for key in tally}
    counts = [counted(noun, tally[key]) for key, noun in nouns.items() if noun and tally[key]]
    told = [*counts, *more]
    return ", ".join([counted("records", written), *told]) if told else ""
