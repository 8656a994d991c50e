"""The input of a command: records that know where they came from."""

import os
import re
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import count
from typing import Any

from dialtools import keyed, terminal
from dialtools.batches import Listed, lists
from dialtools.errors import OptionError, RecordError, show
from dialtools.files import STANDARD, called, number_of_lines
from dialtools.records import jsonl, wellformed

TOLD = 5  # failures of which each has a line on standard error
REMEMBERED = 10_000  # records whose places are known


def completed(records: Iterable[dict], note: Callable[[str], None] = lambda key: None,
              order: jsonl.Order | None = None, deep: bool = False) -> Listed:
    """Return the records as commands have them: with an id, else their number, and a language, else en.

    Those of the user's own, not of `read`, may be malformed: a DataFrame makes NaN of what a record lacks.

    note: is told "id" or "lang" for each record that lacked it.
    order: knows the ids that came before, where those of one source must stand together.
    deep: refuse malformed turns, too, as of what works on them.
    """
    return Listed(map(partial(_completed, isinstance(records, Listed), count(1), note, order, deep), lists(records)))


def _completed(checked: bool, numbers: Iterator[int], note: Callable[[str], None], order: jsonl.Order | None,
               deep: bool, found: Iterable[dict]) -> Iterator[dict]:
    for record, number in zip(found, numbers, strict=False):
        if not checked and not isinstance(record, dict):
            raise RecordError(f"a record is a dict, here is {show(record)}; those of a DataFrame are "
                              'df.to_dict("records")')
        if record.get("id") is None or record.get("lang") is None:
            record = jsonl.complete(record, number, "en", note)
        if not checked and not wellformed.is_plain(record, deep):
            jsonl.refuse(record, deep)
        if order and not checked:
            order.check(record)
        yield record


class Source:
    """The input of a command: an iterator of records that knows where each came from."""

    def __init__(self, by: str, keys: Iterable[str] = (), *, items: Callable = jsonl.lines,
                 make: Callable = jsonl.loads, results: bool = False, whole_groups: bool = False,
                 files: tuple[str, ...] = (), limit: int | None = None, lang: str | None = None,
                 shard: str | None = None, progress: bool = False, quiet: bool = False, output: str = STANDARD,
                 on_error: str = "stop", order: jsonl.Order | None = None,
                 tell: Callable[[RecordError], None] | None = None, **others):
        """Take the options of a command.

        items: (files, limit) -> pairs ("FILE:LINE", item), where the files are something else than JSON Lines.
        make: item -> record.
        whole_groups: what is made of records is none of them, and its history is all new.
        order: knows the ids that came before.
        tell: is told of each record that is left out, instead of people.
        """
        self.by, self.whole_groups = by, whole_groups
        self.files, self.limit = files, limit
        self.notes: Counter = Counter()
        self.recent: deque[tuple[tuple, str]] = deque(maxlen=REMEMBERED)  # the key of a record, its place
        self.lengths: dict[tuple, int] = {}  # key of a record -> how long its history is, where it has one
        self.older = self.lengths
        self.order = order or jsonl.Order()
        self.tally = Counter[str]()  # of what was made
        self.failed = 0
        self.told = 0  # of those that failed
        self.teller = tell
        self.bar: Any = None  # of progress
        self.tokens = 0  # that models have written
        self.rename = renaming(others)
        self.assumed = lang is None
        self.found = items
        self.made = partial(jsonl.made, make=make, keys=keys, lang=lang or "en", rename=self.rename)
        self.skips = on_error != "stop"
        self.part = shard_of(shard) if shard is not None else None
        self.shows = progress or (not quiet and terminal.is_watched(output != STANDARD, results))

    def __iter__(self) -> Iterator[dict]:
        return self.records(self.items())

    def items(self) -> Iterable[tuple[str, Any]]:
        """Return what records are made of, with the place of each."""
        if not self.files and terminal.is_terminal(sys.stdin):
            terminal.say(self.by, "reading records from the terminal; end with Ctrl-D, or give a FILE")
        return self._with_bar(self.found(self.files, self.limit))

    def records(self, items: Iterable[tuple[str, Any]], start: int = 1) -> Listed:
        """Return the records that are made of items, of which `start` is the first one's number in the input."""
        found = self.made(items, start=start, order=self.order, remember=self._remember,
                          note=lambda key: self.notes.update([key]), refused=self._refuse)
        return Listed(filter(self._is_own, held) for held in found.lists) if self.part else found

    def _is_own(self, record: dict) -> bool:
        """Is a record in the part that is worked on?  What has no id that could be read is in the first."""
        part, parts = self.part or (1, 1)
        id = record.get("id")
        return part == (keyed.shard(id, parts) if isinstance(id, str | int) else 1)

    def _refuse(self, error: RecordError) -> None:
        """Tell of what is malformed, or end with it, if it is not another part's."""
        if not self._is_own(error.record or {}):
            return
        if not self.skips:
            raise error from None
        self.tell(error)

    def named(self, item: tuple[str, Any], number: int) -> tuple | None:
        """Return the system and the id of what is a record, the input's number-th; None where it would be refused."""
        record = next(self.made([item], start=number, refused=lambda error: None), None)
        return record and (record.get("system"), record["id"])

    def _with_bar(self, found: Iterable) -> Iterable:
        if not self.shows:
            return found
        from tqdm import tqdm

        total = number_of_lines(self.files) if self.found is jsonl.lines else None
        total = total if self.limit is None or total is None else min(total, self.limit)
        self.bar = tqdm(desc=self.by, unit=" records", leave=False, total=total)
        return Listed(self._shown(found.lists if isinstance(found, Listed) else ([one] for one in found)))

    def _shown(self, lists: Iterable[Iterable]) -> Iterator[Iterator]:
        def passed(held: Iterable) -> Iterator:
            for one in held:
                yield one
                bar.update()

        with self.bar as bar:
            yield from map(passed, lists)

    def _remember(self, record: dict, key: tuple, place: str) -> None:
        self.recent.append((key, place))
        if record.get("history") and not self.whole_groups:
            if len(self.lengths) == REMEMBERED:
                self.older, self.lengths = self.lengths, {}
            self.lengths[key] = len(record["history"])

    def named_back(self, records: Iterable[dict]) -> Iterator[dict]:
        """Yield records with their keys called as in the input."""
        return (jsonl.exchange(record, self.rename) for record in records) if self.rename else iter(records)

    def _lacking(self, key: str) -> str:
        """Return how many records lacked a key, which is called as in the input."""
        called = next((own for own, name in self.rename.items() if name == key), key)
        return f'{_records(self.notes[key])} had no "{called}"'

    def located(self, error: RecordError) -> RecordError:
        """Return the error with the FILE:LINE of its record, if that was read lately."""
        if error.place is None and error.record is not None:
            key = jsonl.key(error.record)
            error.place = next((place for other, place in reversed(self.recent) if other == key), None)
        return error

    def tell(self, error: RecordError) -> None:
        """Count a record that was left out, and say why; of many only the first are named."""
        error = self.located(error)
        if self.teller:
            self.teller(error)
            return
        self.failed += 1
        self.told += 1
        if self.told > TOLD + 1:
            return
        if self.bar is not None:
            self.bar.clear()  # until it is drawn anew, below
        terminal.say(self.by, str(error) if self.told <= TOLD else "more records fail; they are counted")

    def new_entry(self, record: dict) -> dict | None:
        """Return the entry that the history of a record got since it was read; None for one that passed through."""
        entries = record.get("history")
        if not entries:
            return None
        before = 0
        if self.lengths or self.older:
            key = jsonl.key(record)
            before = self.lengths.get(key) or self.older.get(key, 0)
        return entries[-1] if len(entries) > before and entries[-1].get("by") == self.by else None

    def show(self, entry: dict) -> None:
        """Show on the progress bar how many tokens a second are written, where the history tells of any."""
        written = entry.get("output_tokens")
        if written is None:
            return
        self.tokens += sum(written) if isinstance(written, list) else written
        if self.bar is not None:
            seconds = self.bar.format_dict["elapsed"] or 1
            self.bar.set_postfix_str(f"{self.tokens / seconds:,.0f} tokens/s", refresh=False)

    def hide(self) -> None:
        """Let no progress bar stand before what is said at the end."""
        if self.bar is not None:
            self.bar.close()

    def close(self) -> None:
        """Print what was noted while reading and counted while working, if it is worth a line."""
        if self.notes["id"]:
            terminal.say(self.by, f"{self._lacking('id')}: numbered from \"1\" by input order")
        if self.notes["lang"] and self.assumed:
            terminal.say(self.by, f"{self._lacking('lang')}: taken for en (--lang)")
        tally = self.tally + Counter(failed=self.failed)
        counts = [counted(name, count) for name, count in tally.items() if name != "records"]
        if counts:
            terminal.say(self.by, f"{_records(tally['records'])}; {', '.join(counts)}")
        elif not self.recent:
            terminal.say(self.by, f"{', '.join(map(called, self.files or (STANDARD,)))}: no records")


def counted(name: str, count: int) -> str:
    """Return a count with its name, whose first plural is a singular where it is 1; names of kinds stay as they are.

    >>> counted("identical_pairs", 2), counted("identical_pairs", 1), counted("empty", 1)
    ('2 identical pairs', '1 identical pair', '1 empty')
    """
    said = name.replace("_", " ")
    if count == 1 and not said.startswith(("no ", "without ")):
        said = re.sub(r"(\w{2}[^\Wsu])s(?!\S)", r"\1", said, count=1)
    return f"{count:,} {said}"


def left_out(by: str, notes: Mapping[str, int]) -> str:
    """Return a closing line of how many records were left out and why; nothing where none were."""
    counts = ", ".join(f"{count:,} {reason}" for reason, count in notes.items())
    return f"{by}: left out: {counts}\n" if counts else ""


def _records(count: int) -> str:
    return "1 record" if count == 1 else f"{count:,} records"


def renaming(options: dict) -> dict[str, str]:
    """Return {the input's key: our key} from --KEY-key options; no key may stand for two."""
    theirs = _theirs(options)
    ours = {key: name for name, key in theirs.items()}
    are_chained = any(key in theirs and theirs[key] != name for key, name in ours.items())
    if len(ours) < len(theirs) or are_chained:
        raise OptionError(f"--…-key: one key of the input cannot stand for two: {', '.join(ours)}")
    return ours


def check_names(named: Iterable[str | None], where: str, options: dict) -> None:
    """Raise OptionError for a key that --…-key reads under another name: under its own there may be something else.

    named: keys, and paths that begin with one, that the options `where` name; None is none.
    """
    heads = {path.partition(".")[0] for path in named if path}
    for name, key in _theirs(options).items():
        if key in heads and key != name:
            raise OptionError(f'with --{name}-key {key} that key is called "{name}" in {where}')


def _theirs(options: dict) -> dict[str, str]:
    """Return {our key: the input's key} from --KEY-key options."""
    return {name.removesuffix("_key"): key for name, key in options.items() if name.endswith("_key") and key}


def shard_of(spec: str) -> tuple[int, int]:
    """Return (I, N) of "I/N", I from 1 to N, or of the Slurm job array for "slurm"."""
    try:
        if spec == "slurm":
            task, first, parts = (int(os.environ[f"SLURM_ARRAY_TASK_{name}"]) for name in ("ID", "MIN", "COUNT"))
            part = (task - first) // int(os.environ.get("SLURM_ARRAY_TASK_STEP", 1)) + 1
        else:
            part, parts = map(int, spec.split("/"))
    except KeyError as error:
        raise OptionError(f"--shard slurm: no {error.args[0]} in the environment; this is no job array") from None
    except ValueError:
        raise OptionError(f"--shard is I/N, such as 1/4, not {spec!r}") from None
    if not 1 <= part <= parts:
        raise OptionError(f"--shard {part}/{parts}: the part is from 1 to {parts}")
    return part, parts
