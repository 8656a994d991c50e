"""What a command does with its records: the work itself, wherever it is done."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from typing import Any, NamedTuple

from dialtools.errors import RecordError
from dialtools.records import history, jsonl
from dialtools.run import filtering
from dialtools.run.source import Source


class Unwatched:
    """Watches records go by, and keeps nothing of them: what `cli.run` takes, if nothing else is given."""

    def add(self, record: dict, entry: dict) -> bool | None:
        """Take note of a record that was made, and of the entry that its history got; False: it is not written."""

    def merge(self, other: "Unwatched") -> None:
        """Take note of all that another one has seen, of records that come next."""


class Work(NamedTuple):
    """What is done with records.

    source: makes a Source; see there.
    on_error: what is done with a record that the filter fails on: stop, skip or keep.
    whole_groups, batch, full: as in filtering.run.
    watch: as in cli.run.
    lines: records -> lines; None for results, which stay dicts.
    """

    filter: filtering.Filter
    by: str
    source: Callable[..., Source]
    on_error: str
    whole_groups: bool
    batch: int
    watch: Any
    lines: Callable[[Iterable[dict]], Iterator[bytes]] | None
    full: bool = True

    def fresh(self) -> "Work":
        """Return it with a watch of its own, which has seen what this one has."""
        return self._replace(watch=deepcopy(self.watch))

    def made(self, records: Iterable[dict], new: filtering.New) -> Iterator[filtering.Made]:
        """Return an iterator of what the filter makes; new: as in filtering.run."""
        return filtering.run(self.filter, records, by=self.by, new=new, keep_failed=self.on_error != "stop",
                             whole_groups=self.whole_groups, batch=self.batch, full=self.full)

    def counted(self, made: Iterable[filtering.Made], source: Source) -> Iterator[dict]:
        """Yield the records that are to be written, and count them; of results, all that they are made of."""
        skips, tally = self.on_error == "skip", source.tally
        order = jsonl.Order(lambda source: True) if self.lines else None
        for record, failed, entry in made:
            if failed and skips:
                source.tell(RecordError(record["errors"][-1]["reason"], record))
                continue
            wanted = not entry or self._noted(record, entry, source)
            if wanted and order and "variant" in record:  # a record without one is not made of another
                if not self._is_told_apart(record, order, source):
                    continue
            source.failed += failed
            tally["records"] += wanted or self.lines is None  # now: who takes but a few does not come to the end
            if wanted:
                yield record

    def _noted(self, record: dict, entry: dict, source: Source) -> bool:
        """Count what the history says that was done to a record; return whether it is to be written."""
        changed = _count(source.tally, history.run(record) if "step" in entry else [entry])
        if "output_tokens" in entry:
            source.show(entry)
        wanted = self.watch.add(record, entry) is not False
        source.tally["unchanged"] += wanted and not changed
        return wanted

    def _is_told_apart(self, record: dict, order: jsonl.Order, source: Source) -> bool:
        """Can a command after this one tell a record from the others of its source?  One that it cannot has failed."""
        try:
            order.check(record)
        except RecordError:
            error = RecordError("a record of this id and variant is written already: if the same command was there "
                                "before, let that not --keep-original, or ask it for all --variants", record)
            if self.on_error == "stop":
                raise error from None
            source.tell(error)
            return False
        return True

    def written(self, records: Iterable[dict], source: Source) -> Iterator:
        """Return the lines of records, their keys called as in the input; results stay what they are."""
        return self.lines(source.named_back(records)) if self.lines else iter(records)


def _count(tally: Counter, entries: list[dict]) -> bool:
    """Add what the history entries of one record count; return whether one of them does not say "changed": false."""
    changed = False
    for entry in entries:
        changed = changed or entry.get("changed") is not False
        for name, count in (entry.get("counts") or {}).items():
            tally[name] += count
    return changed
