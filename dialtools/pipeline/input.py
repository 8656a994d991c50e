"""The input of a command: validated records whose places are known, or those of one shard of it."""

import os
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from dialtools.pipeline.input_keys import renaming
from dialtools.pipeline.work import Closing, Ledger, Work, counted
from dialtools.records import jsonl, validation
from dialtools.records.validation import Order, Records
from dialtools.system import stable_hash, terminal
from dialtools.system.batches import Listed
from dialtools.system.errors import OptionError, RecordError
from dialtools.system.files import STANDARD, called, number_of_lines

REMEMBERED = 10_000  # records whose places are known
_ARRAY = "SLURM_ARRAY_TASK_"
# which process it is, counted from 0, and of how many: torchrun, accelerate and the like; srun
_RANKS = (("RANK", "WORLD_SIZE"), ("SLURM_PROCID", "SLURM_NTASKS"))
_INDEX = "JOB_COMPLETION_INDEX"  # of Kubernetes, which does not tell of how many


class Input:
    """The records of a command's files; an iterator that knows where each came from."""

    def __init__(
        self,
        work: Work,
        *,
        files: tuple[str, ...] = (),
        limit: int | None = None,
        lang: str | None = None,
        shard: str | None = None,
        progress: bool = False,
        quiet: bool = False,
        output: str = STANDARD,
        bar: bool = True,
        on_error: str = "stop",
        key: Mapping[str, str] | None = None,
        order: Order | None = None,
        silent: bool = False,
        **others,
    ):
        """Take the options of a command.

        order: knows the ids that came before.
        bar: show progress, where somebody sees it; not beside lines that are for people.
        silent: say nothing; see Ledger.
        """
        self.work, self.by, self.files, self.limit, self.lang = work, work.by, files, limit, lang
        self.ledger = Ledger(work.by, work.counters, silent)
        # the key of a record, its place
        self.recent: deque[tuple[tuple, str]] = deque(maxlen=REMEMBERED)
        self.order = order or Order()
        self.rename = renaming(key)
        self.validated = partial(
            validation.validated,
            make=work.make or jsonl.loads,
            keys=work.keys,
            lang=lang or "en",
            rename=None if key is None else self.rename,
            assumed=lang is None,
        )
        self.skips = on_error != "stop"
        self.part = shard_of(shard) if shard is not None else None
        self.shows = bar and (
            progress
            or not quiet
            and terminal.is_watched(
                output != STANDARD, work.results, work.batch > 1 or work.ahead, bool(files)
            )
        )

    def __iter__(self) -> Iterator[dict]:
        return self.records(self.items())

    def items(self) -> Listed:
        """Return what records are made of, with the place of each."""
        if not self.files and terminal.is_terminal(sys.stdin):
            terminal.say(
                self.by, "reading records from the terminal; end with Ctrl-D, or give a FILE"
            )
        read = self.work.items or jsonl.lines
        items = read(self.files, self.limit)
        if not isinstance(items, Listed):
            items = Listed([item] for item in items)
        if not self.shows:
            return items
        total = number_of_lines(self.files) if read is jsonl.lines else None
        if total is not None and self.limit is not None:
            total = min(total, self.limit)
        return self.ledger.with_bar(items, total, self.work.ahead)

    def records(self, items: Listed, start: int = 1) -> Records:
        """Return the records that are made of items; start: the first one's number in the input."""

        def note(lacking: str) -> None:
            self.ledger.lacking[lacking] += 1

        lists = self.validated(
            items,
            start=start,
            order=self.order,
            remember=self.recent.append,
            note=note,
            refused=self._refuse,
        ).lists
        return Records((filter(self._is_own, held) for held in lists) if self.part else lists)

    def _is_own(self, record: dict) -> bool:
        """Return whether a record is in this shard; one without a readable id is in the first."""
        part, parts = self.part or (1, 1)
        id = record.get("id")
        return part == (stable_hash.shard(id, parts) if isinstance(id, str | int) else 1)

    def _refuse(self, error: RecordError) -> None:
        """Report a malformed record, or raise its error, if it is in this shard."""
        if not self._is_own(error.record or {}):
            return
        if not self.skips:
            raise error from None
        self.ledger.fail(error)

    def source_of(self, item: tuple[str, Any], number: int) -> tuple | None:
        """Return system and id of the input's number-th record; None if it is malformed."""
        record = next(self.validated([item], start=number, refused=lambda error: None), None)
        return record and (record.get("system"), record["id"])

    def with_own_keys(self, records: Iterable[dict]) -> Iterable[dict]:
        """Return records with their keys called as in the input."""
        if not self.rename:
            return records
        return (validation.exchange(record, self.rename) for record in records)

    def located(self, error: RecordError) -> RecordError:
        """Return an error with the FILE:LINE of its record, if that was read lately."""
        if error.place is None and error.record is not None:
            wanted = validation.key(error.record)
            error.place = next(
                (place for key, place in reversed(self.recent) if key == wanted), None
            )
        return error

    def close(self, closing: Closing = Closing()) -> None:
        """Print the notes and counts of the run, if there are any, and what a command tells."""
        lacking = self.ledger.lacking
        if lacking["id"]:
            terminal.say(self.by, f'{self._lacking("id")}: numbered from "1" by input order')
        if lacking["lang"] and self.lang is None:
            terminal.say(self.by, f"{self._lacking('lang')}: taken for en (--lang)")
        line = self.ledger.closing_line(closing)
        if line and (self.recent or not closing.alone):
            terminal.say(self.by, line)
        elif not self.recent:
            files = ", ".join(map(called, self.files or (STANDARD,)))
            terminal.say(self.by, f"{files}: no records")
        terminal.tell(closing.lines)

    def _lacking(self, key: str) -> str:
        """Return how many records lacked a key, which is called as in the input."""
        input_key = next((alias for alias, name in self.rename.items() if name == key), key)
        return f'{counted("records", self.ledger.lacking[key])} had no "{input_key}"'


def shard_of(spec: str) -> tuple[int, int]:
    """Return (I, N), I from 1 to N, of "I/N", or of "slurm" and "env", which N may follow."""
    name, _, parts = spec.partition("/")
    try:
        if name == "slurm":
            part, number = _of_array(int(parts) if parts else None)
        elif name == "env":
            part, number = _of_process(int(parts) if parts else None)
        else:
            part, number = map(int, spec.split("/"))
    except KeyError as error:
        raise OptionError(
            f"--shard slurm: no {error.args[0]} in the environment; this is no job array"
        ) from None
    except ValueError:
        raise OptionError(
            f"--shard is I/N, such as 1/4, slurm or slurm/N in a job array, or env, not {spec!r}"
        ) from None
    if not 1 <= part <= number:
        begin = "; the array begins at 1" if name == "slurm" else ""
        raise OptionError(f"--shard {part}/{number}: the part is from 1 to {number}{begin}")
    return part, number


def require_shard() -> None:
    """Raise OptionError if this is one of several processes: each would do all the work."""
    for rank, size in _RANKS:
        place, number = _from_environment(rank), _from_environment(size)
        if place is not None and number and number > 1 and (size == "WORLD_SIZE" or place):
            raise OptionError(
                f"{rank} is {place} and {size} {number}: each of the processes would do "
                "all the work and replace the output of the others; give --shard "
                f"{place + 1}/{number} (--shard env stands for that), or --shard 1/1 if "
                "each has input and output of its own"
            )


def _of_array(parts: int | None) -> tuple[int, int]:
    """Return the part of a Slurm job array's task.

    Without the number of parts, the array must be a whole: 3 alone, or 5-8, is a part of another.
    """
    task = int(os.environ[f"{_ARRAY}ID"])
    if parts is not None:
        return task, parts
    first, number = int(os.environ[f"{_ARRAY}MIN"]), int(os.environ[f"{_ARRAY}COUNT"])
    if first != 1 or number == 1:
        raise OptionError(
            f"--shard slurm: the array has {number} task{'s' * (number > 1)} and "
            f"begins at {first}: is it a part of another one? --shard slurm/N says "
            "of how many, for --array=1-N or tasks of it"
        )
    return (task - first) // int(os.environ.get(f"{_ARRAY}STEP", 1)) + 1, number


def _of_process(parts: int | None) -> tuple[int, int]:
    """Return the part of one of several processes; parts: their number, if the spec has it."""
    for rank, size in (*_RANKS, (_INDEX, "")):
        place, number = _from_environment(rank), _from_environment(size)
        if place is None or (number is None and size):
            continue
        if number is None and parts is None:
            raise OptionError(f"--shard env: {rank} does not say of how many: --shard env/N")
        if number is not None and parts not in (None, number):
            raise OptionError(f"--shard env/{parts}: {size} is {number}")
        if number == 1 and f"{_ARRAY}ID" in os.environ:
            raise OptionError("--shard env: this is one task of a job array: --shard slurm/N")
        return place + 1, number or parts or 1
    raise OptionError(
        "--shard env: none of RANK and WORLD_SIZE, SLURM_PROCID and SLURM_NTASKS, "
        f"{_INDEX} is in the environment"
    )


def _from_environment(name: str) -> int | None:
    text = os.environ.get(name, "")
    return int(text) if text.isdecimal() else None
