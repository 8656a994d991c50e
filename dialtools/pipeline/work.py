"""What a command declares of its run, and what the run counts and says at its end.

A count stands in the history of records under a key; people read a noun.  A command declares
{key: (noun, in the plural; what it counts)} as COUNTERS; its manual page lists them.  A key with
an empty noun is not told.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from dialtools.records.lost import Lost
from dialtools.system import terminal
from dialtools.system.batches import Listed
from dialtools.system.errors import RecordError

Counters = Mapping[str, tuple[str, str]]
UNCHANGED = "variants unchanged", "variants in which there was nothing to change"
EVERYWHERE: Counters = {
    "resumed": ("records of an earlier run", "records that --resume found in the output"),
    "failed": ("records failed", "records that could not be worked on, with --on-error"),
}
# options that nearly all commands share
IN_AND_OUT = "output resume limit lang on_error jobs shard key progress quiet".split()
NAMED_FAILURES = 5  # that have a line of their own on standard error


class Closing(NamedTuple):
    """What a command says at its end: counts for the closing line, and whole lines below it."""

    counts: Sequence[str] = ()
    lines: str = ""
    alone: bool = False  # the counts, without the number of records: of results


def render(records: Iterable[dict]) -> Iterator[bytes]:
    """Return the lines of records."""
    from dialtools.records import jsonl

    return map(jsonl.dumps, records)


@dataclass(frozen=True)
class Work:
    """The work of a command: what it reads, makes, counts and says.

    filter(records, **options): yields what it makes of records.
    by: the name of the command, in messages and in the history.
    keys: what each record must have.
    whole_groups: the filter makes something new of all records of one source together.
    batch: how many records the filter works on at once; these stay together.  A filter that
        works on 1 reads a record when it is done with the one before.
    full: wait for whole batches; else a batch ends where the input pauses.
    ahead: the filter reads ahead of what it yields, and itself yields `history.failed` for a record
        that it fails on, where Records.with_failures.
    stage: a filter of all that the first one makes, such as one that sums it up.
    render: dicts -> lines.
    results: the filter makes results, not records.
    watch: sees each record that the filter makes, by add(record, entry); each process has a copy,
        and the first one takes over what they have seen, by merge(watch).
    wanted: whether to write a record that the filter has made; None: all of them.
    leaves_out: `wanted` refuses records in which nothing was changed.
    closing: what to say on standard error after the last record.
    counters: what the closing line calls the counts of this command.
    items, make: of files other than JSON Lines: (files, limit) -> pairs ("FILE:LINE", item), and
        item -> record.
    processes: further options of the filter for a process each, such as a device.
    """

    filter: Callable[..., Iterator[Any]] = iter
    by: str = ""
    keys: Iterable[str] = ()
    whole_groups: bool = False
    batch: int = 1
    full: bool = True
    ahead: bool = False
    stage: Callable[[Iterable], Iterable] = iter
    render: Callable[[Iterable], Iterator[bytes]] = render
    results: bool = False
    watch: Any = None
    wanted: Callable[[dict], bool] | None = None
    leaves_out: bool = False
    closing: Callable[[], Closing] = Closing
    counters: Counters = field(default_factory=dict)
    items: Callable | None = None
    make: Callable[[Any], dict] | None = None
    processes: Sequence[dict] = ()


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


def counted(noun: str, count: float) -> str:
    """Return a count, or an amount, with its noun, whose first plural is a singular after 1.

    >>> counted("identical pairs", 2), counted("identical pairs", 1), counted("outputs empty", 1)
    ('2 identical pairs', '1 identical pair', '1 output empty')
    >>> counted("paid for tokens", 0.00375)
    '0.00375 paid for tokens'
    """
    words = noun.replace("_", " ")
    if count == 1 and not words.startswith(("no ", "without ")):
        words = re.sub(r"(\w{2}(?:[^\Wsu](?=s)|ss(?=es)))e?s(?!\S)", r"\1", words, count=1)
        words = re.sub(r"^people\b", "person", words)
    number = f"{count:,}" if isinstance(count, int) else f"{count:,.6f}".rstrip("0").rstrip(".")
    return f"{number} {words}"


def left_out(notes: Mapping[str, int]) -> list[str]:
    """Return how many records were left out and why, for the closing line; [] if none were."""
    if not notes:
        return []
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in notes.items())
    return [f"{counted('records', sum(notes.values()))} left out ({reasons})"]


class Ledger:
    """The account of a run; that of a worker process is silent, and merged into the first one."""

    def __init__(self, by: str, counters: Counters, silent: bool = False):
        """Take the name of the command, and what it calls its counts."""
        self.by, self.counters, self.silent = by, counters, silent
        self.lacking = Counter[str]()  # records without "id", without "lang"
        self.tally = Counter[str]()  # what the history entries count
        self.written = 0
        self.resumed = 0  # of them by an earlier run
        self.failed = 0  # of them written, with --on-error keep
        self.failures: list[RecordError] = []  # those of a silent one, in full
        self.left_out = 0  # failures of records that are not written
        self.lost = Lost()
        self.tokens = 0  # that models have written
        self.bar: Any = None  # of progress

    def merge(self, other: "Ledger") -> None:
        """Add the account of a worker process."""
        self.lacking.update(other.lacking)
        self.tally.update(other.tally)
        self.written += other.written
        self.failed += other.failed
        self.lost.failed.update(other.lost.failed)
        self.tokens += other.tokens
        for error in other.failures:
            self.fail(error)

    def fail(self, error: RecordError) -> None:
        """Count a record that is left out, and say why; only the first of many are named."""
        if self.silent:
            self.failures.append(error)
            return
        self.left_out += 1
        self.lost.skip(error.record)
        if self.left_out <= NAMED_FAILURES + 1:
            if self.bar is not None:
                self.bar.clear()  # until it is drawn again
            is_named = self.left_out <= NAMED_FAILURES
            more = "more records failed; the closing line counts them"
            terminal.say(self.by, str(error) if is_named else more)

    def keep_failed(self, record: dict) -> None:
        """Count a record that failed and is kept."""
        self.failed += 1
        self.lost.keep(record)

    def has_failures(self) -> bool:
        return self.failed + self.left_out > 0

    def count(self, entry: Any, chain: Sequence[dict]) -> bool:
        """Count a history entry that this run made, and those of its chain.

        Return whether they changed anything.
        """
        is_changed = False
        for step in chain:
            is_changed = is_changed or step.get("changed") is not False
            for name, count in (step.get("counts") or {}).items():
                self.tally[name] += count
        self.tally.update(entry.unwritten)
        if "output_tokens" in entry:
            written: int | list[int] | None = entry["output_tokens"]  # None is not known
            self.tokens += sum(written) if isinstance(written, list) else written or 0
            if self.bar is not None:
                seconds = self.bar.format_dict["elapsed"] or 1
                self.bar.set_postfix_str(f"{self.tokens / seconds:,.0f} tokens/s", refresh=False)
        return is_changed

    def with_bar(self, items: Listed, total: int | None, ahead: bool = False) -> Listed:
        """Return items, and show on a progress bar how many of them have gone by.

        ahead: as in Work; the bar shows how many records have been made.
        """
        from tqdm import tqdm

        def passing(arrived: Iterable) -> Iterator:
            for item in arrived:
                # not before: a command that waits for its input says nothing
                if self.bar is None:
                    self.bar = tqdm(desc=self.by, unit=" records", leave=False, total=total)
                yield item
                if not ahead:
                    self.bar.update()

        def lists() -> Iterator[Iterator]:
            yield from map(passing, items.lists)
            if not ahead:
                self.hide_bar()

        return Listed(lists())

    def hide_bar(self) -> None:
        if self.bar is not None:
            self.bar.close()

    def closing_line(self, closing: Closing = Closing()) -> str:
        """Return the closing line, "" if there is nothing to count but records.

        >>> ledger = Ledger("dt-swap-names", {"mentions": ("names replaced", "…")})
        >>> ledger.written, ledger.left_out = 24, 1
        >>> ledger.tally["mentions"] = 195
        >>> ledger.closing_line()
        '24 records, 195 names replaced, 1 record failed'
        """
        if closing.alone:
            return ", ".join(closing.counts)
        tally = {"resumed": self.resumed, **self.tally, "failed": self.failed + self.left_out}
        nouns = {key: named(self.counters, key) for key in tally}
        counts = [counted(noun, tally[key]) for key, noun in nouns.items() if noun and tally[key]]
        counts += closing.counts
        return ", ".join([counted("records", self.written), *counts]) if counts else ""
