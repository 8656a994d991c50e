"""What a command does with its records, as it declares it to `cli.run`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dialtools.pipeline.closing import Told
from dialtools.records import jsonl


def render(records: Iterable[dict]) -> Iterator[bytes]:
    """Return the lines of records."""
    return map(jsonl.dumps, records)


@dataclass(frozen=True)
class Work:
    """The work of a command: what it reads, makes, counts and says.

    filter(records, **options): what it makes of records.
    by: the name of the command, in messages and in the history.
    keys: what each record must have.
    whole_groups, batch, full: as in failures.run.
    stage: a filter of all that the first one makes, such as one that sums it up.
    render: dicts -> lines.
    results: the filter makes results, not records.
    watch: sees each record that the filter makes, by add(record, entry); each process has a copy,
        and the first one takes over what they have seen, by merge(watch).
    wanted: whether to write a record that the filter has made; None: all of them.
    leaves_out: `wanted` refuses records in which nothing was changed.
    closing: what to tell on standard error after the last record.
    counters: what the closing line calls the counts of this command, as in closing.py.
    items, make: as in Input, for other files than JSON Lines.
    processes: further options of the filter for a process each, such as a device.
    """

    filter: Callable[..., Iterator[Any]] = iter
    by: str = ""
    keys: Iterable[str] = ()
    whole_groups: bool = False
    batch: int = 1
    full: bool = True
    stage: Callable[[Iterable], Iterable] = iter
    render: Callable[[Iterable], Iterator[bytes]] = render
    results: bool = False
    watch: Any = None
    wanted: Callable[[dict], bool] | None = None
    leaves_out: bool = False
    closing: Callable[[], Told] = Told
    counters: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    items: Callable = jsonl.lines
    make: Callable[[Any], dict] = jsonl.loads
    processes: Sequence[dict] = ()

    def lines(self, records: Iterable[dict]) -> Iterator[bytes]:
        """Return the lines of what the filter makes of records, after the stage."""
        return self.render(self.stage(records))
