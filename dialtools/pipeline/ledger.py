"""What a run counts and says: records, failures, what they lacked, progress."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from dialtools.pipeline import closing
from dialtools.pipeline.closing import Told
from dialtools.records import history
from dialtools.system import terminal
from dialtools.system.batches import Listed, lists
from dialtools.system.errors import RecordError

NAMED = 5  # failures that have a line of their own on standard error


class Ledger:
    """The account of a run; that of a worker process is silent, and merged into the first one."""

    def __init__(self, by: str, counters: Mapping[str, tuple[str, str]] = {}, silent: bool = False):
        """Take the name of the command, and what it calls its counts (see closing.py)."""
        self.by, self.counters, self.silent = by, counters, silent
        self.notes = Counter[str]()  # what records lacked
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
        self.notes.update(other.notes)
        self.tally.update(other.tally)
        self.written += other.written
        self.failed += other.failed
        self.lost.failed.update(other.lost.failed)
        self.tokens += other.tokens
        for error in other.failures:
            self.fail(error)

    def note(self, key: str) -> None:
        """Count a record that lacked a key."""
        self.notes[key] += 1

    def fail(self, error: RecordError) -> None:
        """Count a record that is left out, and say why; only the first of many are named."""
        if self.silent:
            self.failures.append(error)
            return
        self.left_out += 1
        self.lost.skip(error.record)
        if self.left_out <= NAMED + 1:
            if self.bar is not None:
                self.bar.clear()  # until it is drawn again
            is_named = self.left_out <= NAMED
            rest = "more records failed; the closing line counts them"
            terminal.say(self.by, str(error) if is_named else rest)

    def count(self, entry: history.Entry, run: list[dict]) -> bool:
        """Count a made entry and those of its chain; return whether they changed anything."""
        changed = False
        for one in run:
            changed = changed or one.get("changed") is not False
            for name, count in (one.get("counts") or {}).items():
                self.tally[name] += count
        self.tally["cached"] += entry.cached
        if "output_tokens" in entry:
            self._show(entry["output_tokens"])
        return changed

    def _show(self, written: int | list[int] | None) -> None:
        """Show on the progress bar how many tokens a second a model writes; None is not known."""
        self.tokens += sum(written) if isinstance(written, list) else written or 0
        if self.bar is not None:
            seconds = self.bar.format_dict["elapsed"] or 1
            self.bar.set_postfix_str(f"{self.tokens / seconds:,.0f} tokens/s", refresh=False)

    def with_bar(self, items: Iterable, total: int | None) -> Listed:
        """Return items, and show on a progress bar how many of them have gone by."""
        from tqdm import tqdm

        def passed(held: Iterable) -> Iterator:
            for one in held:
                # not before: a command that waits for its input says nothing
                if self.bar is None:
                    self.bar = tqdm(desc=self.by, unit=" records", leave=False, total=total)
                yield one
                self.bar.update()

        def shown() -> Iterator[Iterator]:
            yield from map(
                passed, lists(items) if isinstance(items, Listed) else ([one] for one in items)
            )
            self.hide_bar()

        return Listed(shown())

    def hide_bar(self) -> None:
        if self.bar is not None:
            self.bar.close()

    def has_failures(self) -> bool:
        return self.failed + self.left_out > 0

    def keep_failed(self, record: dict) -> None:
        """Count a record that failed and is kept."""
        self.failed += 1
        self.lost.keep(record)

    def closing(self, told: Told = Told()) -> str:
        """Return the closing line, "" if there is nothing to count but records."""
        if told.alone:
            return ", ".join(told.counts)
        tally = {"resumed": self.resumed, **self.tally, "failed": self.failed + self.left_out}
        return closing.line(self.counters, self.written, tally, told.counts)


class Lost:
    """The records that results lack, by their system and language; None for unreadable ones."""

    def __init__(self) -> None:
        self.skipped: Counter = Counter()
        self.failed: Counter = Counter()

    def skip(self, record: dict | None) -> None:
        """Count a record that is left out."""
        self.skipped[_owner(record)] += 1

    def keep(self, record: dict) -> None:
        """Count a record that failed and is kept."""
        self.failed[_owner(record)] += 1

    def told(self, results: Iterable[dict]) -> Iterator[dict]:
        """Yield results, those with a chain with how many records of theirs are lacking."""
        for result in results:
            if isinstance(result, dict) and "chain" in result:  # not a line of dt-show
                own = result.get("system"), result.get("lang")
                numbers = {
                    "skipped": self.skipped[own] + self.skipped[None],
                    "failed": result.get("failed", 0) + self.failed[own],
                }
                result = result | {name: number for name, number in numbers.items() if number}
            yield result


def _owner(record: dict | None) -> tuple | None:
    """Return the system and the language of a record; None if it does not tell them."""
    lang, system = (record or {}).get("lang"), (record or {}).get("system")
    told = isinstance(lang, str) and isinstance(system, (str, type(None)))
    return (system, lang) if told else None
