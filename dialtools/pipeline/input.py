"""The input of a command: validated records whose places are known."""

import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import count
from typing import Any

from dialtools.pipeline.closing import Told, counted
from dialtools.pipeline.ledger import Ledger
from dialtools.pipeline.shards import shard_of
from dialtools.pipeline.work import Work
from dialtools.records import jsonl, wellformed
from dialtools.system import stable_hash, terminal
from dialtools.system.batches import Listed, lists
from dialtools.system.errors import OptionError, RecordError, show
from dialtools.system.files import STANDARD, called, number_of_lines

REMEMBERED = 10_000  # records whose places are known


def _warn(lacking: str) -> None:
    """Warn a Python program of numbers in the place of ids: each of its blocks would have them."""
    if lacking == "id":
        warnings.warn(
            'records without "id" are numbered from "1" by input order; give the '
            "records of a divided corpus ids before it is divided",
            stacklevel=2,
        )


def completed(
    records: Iterable[dict],
    note: Callable[[str], None] = _warn,
    order: jsonl.Order | None = None,
    deep: bool = False,
) -> Listed:
    """Return validated records with an id (else their number) and a language (else en).

    Those of an Input are so already.  Those of a Python program may be malformed: a DataFrame has
    NaN for what a record lacks.

    note: called with "id" or "lang" for each record that lacked it; the default warns of ids.
    order: checks that the records of one source stand together.
    deep: validate turns, people and tokens too.
    """
    if isinstance(records, Listed) and records.validated:
        return records
    numbers = count(1)

    def complete(found: Iterable[dict]) -> Iterator[dict]:
        for record, number in zip(found, numbers, strict=False):
            if not isinstance(record, dict):
                raise RecordError(
                    f"a record is a dict, here is {show(record)}; those of a "
                    "DataFrame are "
                    'df.to_dict("records")'
                )
            is_unnamed = record.get("lang") is None
            if is_unnamed or record.get("id") is None:
                record = jsonl.complete(record, number, "en", note)
            if not wellformed.is_plain(record, deep):
                jsonl.refuse(record, deep)
            if is_unnamed:
                jsonl.require_script(record)
            if order:
                order.admit(record)
            yield record

    return Listed(map(complete, lists(records)), validated=True)


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
        order: jsonl.Order | None = None,
        silent: bool = False,
        **others,
    ):
        """Take the options of a command.

        work.items: (files, limit) -> pairs ("FILE:LINE", item), for files other than JSON Lines.
        work.make: item -> record.
        order: knows the ids that came before.
        bar: show progress, where somebody sees it; not beside lines that are for people.
        silent: say nothing; see Ledger.
        """
        self.by, self.files, self.limit = work.by, files, limit
        self.ledger = Ledger(work.by, work.counters, silent)
        # the key of a record, its place
        self.recent: deque[tuple[tuple, str]] = deque(maxlen=REMEMBERED)
        self.order = order or jsonl.Order()
        self.rename = renaming(others)
        self.assumes = lang is None
        self.found = work.items
        self.validated = partial(
            jsonl.validated,
            make=work.make,
            keys=work.keys,
            lang=lang or "en",
            rename=self.rename,
            assumed=lang is None,
        )
        self.skips = on_error != "stop"
        self.part = shard_of(shard) if shard is not None else None
        self.shows = bar and (
            progress
            or not quiet
            and terminal.is_watched(output != STANDARD, work.results, work.batch > 1, bool(files))
        )

    def __iter__(self) -> Iterator[dict]:
        return self.records(self.items())

    def items(self) -> Iterable[tuple[str, Any]]:
        """Return what records are made of, with the place of each."""
        if not self.files and terminal.is_terminal(sys.stdin):
            terminal.say(
                self.by, "reading records from the terminal; end with Ctrl-D, or give a FILE"
            )
        found = self.found(self.files, self.limit)
        if not self.shows:
            return found
        total = number_of_lines(self.files) if self.found is jsonl.lines else None
        return self.ledger.with_bar(
            found, total if self.limit is None or total is None else min(total, self.limit)
        )

    def records(self, items: Iterable[tuple[str, Any]], start: int = 1) -> Listed:
        """Return the records that are made of items; start: the first one's number in the input."""
        found = self.validated(
            items,
            start=start,
            order=self.order,
            remember=self.recent.append,
            note=self.ledger.note,
            refused=self._refuse,
        )
        if not self.part:
            return found
        return Listed((filter(self._is_own, held) for held in found.lists), validated=True)

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
        return (
            (jsonl.exchange(record, self.rename) for record in records) if self.rename else records
        )

    def located(self, error: RecordError) -> RecordError:
        """Return an error with the FILE:LINE of its record, if that was read lately."""
        if error.place is None and error.record is not None:
            key = jsonl.key(error.record)
            error.place = next(
                (place for other, place in reversed(self.recent) if other == key), None
            )
        return error

    def close(self, told: Told = Told()) -> None:
        """Print the notes and counts of the run, if there are any, and what a command tells."""
        notes = self.ledger.notes
        if notes["id"]:
            terminal.say(self.by, f'{self._lacking("id")}: numbered from "1" by input order')
        if notes["lang"] and self.assumes:
            terminal.say(self.by, f"{self._lacking('lang')}: taken for en (--lang)")
        closing = self.ledger.closing(told)
        if closing and (self.recent or not told.alone):
            terminal.say(self.by, closing)
        elif not self.recent:
            terminal.say(
                self.by, f"{', '.join(map(called, self.files or (STANDARD,)))}: no records"
            )
        terminal.tell(told.lines)

    def _lacking(self, key: str) -> str:
        """Return how many records lacked a key, which is called as in the input."""
        called = next((own for own, name in self.rename.items() if name == key), key)
        return f'{counted("records", self.ledger.notes[key])} had no "{called}"'


def renaming(options: dict) -> dict[str, str]:
    """Return {the input's key: our key} from --KEY-key options; no key may stand for two."""
    theirs = _theirs(options)
    ours = {key: name for name, key in theirs.items()}
    are_chained = any(key in theirs and theirs[key] != name for key, name in ours.items())
    if len(ours) < len(theirs) or are_chained:
        raise OptionError(f"--…-key: one key of the input cannot stand for two: {', '.join(ours)}")
    return ours


def check_names(named: Iterable[str | None], where: str, options: dict) -> None:
    """Raise OptionError for a key that --…-key reads under another name.

    named: keys, and paths that begin with one, that the options `where` name; None is none.
    """
    heads = {path.partition(".")[0] for path in named if path}
    for name, key in _theirs(options).items():
        if key in heads and key != name:
            raise OptionError(f'with --{name}-key {key} that key is called "{name}" in {where}')


def _theirs(options: dict) -> dict[str, str]:
    """Return {our key: the input's key} from --KEY-key options."""
    return {
        name.removesuffix("_key"): key
        for name, key in options.items()
        if name.endswith("_key") and key
    }
