"""Outputs kept in an SQLite file, so that none is made twice, over runs and for identical prompts.

The key of an output is the model (the content of its files; for a server its
address and name), the options that take effect, and the input; for a sample
also the id.

A server's answer, or a batch of a model, is written as soon as it is there: after a kill only what
was under way is made again.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from threading import Lock
from time import monotonic
from typing import Any

from dialtools.models import folders
from dialtools.records import dialogue
from dialtools.system.errors import OptionError

# keys of a record that a generator may read
READ = ("prompt", "system_prompt", "text", "context", "lang", "name_spans")
CACHED = "cached"  # a fact of an output that was in the file
PAUSE = 0.1  # seconds for which outputs that come one by one are gathered, to be written together
Make = Callable[[list[dict]], Iterable[dict]]
Arrived = Callable[[dict[int, dict]], None]  # gets outputs by their places among the records
Telling = Callable[[list[dict], Arrived], Iterable[dict]]
Key = Callable[[dict], bytes]  # of a view


def keys(made_by: str, options: dict[str, Any]) -> Key:
    """Return a function from a view to the key of its output.

    made_by: the generator and its settings, as in the signature.
    options: of the generator; "model" counts by its content, "sample" makes outputs depend on the
        id, format "json" on all keys of the record.
    """
    content = ""
    if options.get("model") and "endpoint" not in options:
        content = folders.digest(
            folders.Checkpoint(
                options["model"],
                options.get("offline", False),
                allow_pickle=options.get("allow_pickle", False),
            )
        )

    def key(view: dict) -> bytes:
        from hashlib import blake2b

        read = [
            dialogue.text(dialogue.turns(view)),
            *(view.get(name) for name in READ),
            view["id"] if options.get("sample") else None,
            *([view] if options.get("format") == "json" else []),
        ]
        return blake2b(json.dumps([content, made_by, read]).encode(), digest_size=16).digest()

    return key


def through(make: Telling, path: str, key: Key) -> Make:
    """Return `make`, called only for outputs that are not in the file.

    make: yields outputs in order, and may give them to its second argument earlier.
    """

    def outputs(views: list[dict]) -> Iterator[dict]:
        with opened(path) as file:
            yield from _outputs(file, make, list(map(key, views)), views)

    return outputs


def kept(
    make: Callable[[Any], dict], file: "Answers", key: Callable[[Any], bytes]
) -> Callable[[Any], dict]:
    """Return `make`, called in any thread for an item whose output is not in the file."""

    def output(item: Any) -> dict:
        name = key(item)
        if facts := file.read([name]).get(name):
            return {**facts, CACHED: True}
        facts = make(item)
        file.write({name: facts})
        return facts

    return output


def told(outputs: list[dict]) -> tuple[list[dict], int]:
    """Return outputs, and how many of them were in the file, which they do not tell any more."""
    plain = [{name: fact for name, fact in output.items() if name != CACHED} for output in outputs]
    return plain, sum(CACHED in output for output in outputs)


def _outputs(
    file: "Answers", make: Telling, keys: list[bytes], views: list[dict]
) -> Iterator[dict]:
    """Yield the kept output for each key, or make and keep one."""
    outputs = file.read(keys)
    lacking = {key: view for key, view in zip(keys, views, strict=True) if key not in outputs}
    wanted, written = list(lacking), set[bytes]()

    def keep(arrived: dict[int, dict]) -> None:
        file.write({wanted[place]: output for place, output in arrived.items()})
        written.update(wanted[place] for place in arrived)

    new = zip(wanted, make(list(lacking.values()), keep) if lacking else (), strict=True)
    unsaved: dict[bytes, dict] = {}
    saved = monotonic()
    try:
        for key in keys:
            if key not in outputs:
                _, outputs[key] = next(new)  # they come in the order in which they are lacking
                if key not in written:
                    unsaved[key] = outputs[key]
            if unsaved and monotonic() - saved > PAUSE:
                file.write(unsaved)
                unsaved, saved = {}, monotonic()
            yield outputs[key] if key in lacking else {**outputs[key], CACHED: True}
    finally:
        if unsaved:
            file.write(unsaved)  # what was made before an error, too


@contextmanager
def opened(path: str) -> Iterator["Answers"]:
    """Open the file, or make it; whatever is wrong with it is an OSError or an OptionError."""
    import sqlite3  # here, as the command is quick to start without it

    try:
        # all of its uses are behind a lock
        with closing(sqlite3.connect(path, timeout=60, check_same_thread=False)) as base:
            base.execute(
                "CREATE TABLE IF NOT EXISTS made "
                "(key BLOB PRIMARY KEY, facts TEXT NOT NULL) WITHOUT ROWID"
            )
            with closing(Answers(base)) as file:
                yield file
    except sqlite3.Error as error:
        message = f"--cache {path}: {error}"
        if isinstance(error, sqlite3.OperationalError) and "no such column" not in str(error):
            raise OSError(message) from None  # no such folder, a disk that is full, …
        raise OptionError(message) from None  # a file that is no cache


class Answers:
    """Outputs by their keys in an open data base, for several threads.

    It is locked only while outputs are written: other processes go on while this one waits for a
    model, a server or the reader of its output.
    """

    def __init__(self, base: Any):
        self.base, self.lock, self.is_open = base, Lock(), True
        self.unsaved: list[dict[bytes, dict]] = []

    def read(self, keys: Iterable[bytes]) -> dict[bytes, dict]:
        """Return the outputs that are there."""
        question = "SELECT facts FROM made WHERE key = ?"
        with self.lock:
            rows = {key: self.base.execute(question, (key,)).fetchone() for key in keys}
        return {key: json.loads(row[0]) for key, row in rows.items() if row}

    def write(self, outputs: dict[bytes, dict]) -> None:
        """Write outputs, together with those of threads that have waited in the meantime."""
        self.unsaved.append(outputs)
        with self.lock:
            waiting = self.unsaved[:] if self.is_open else []
            rows = [(key, json.dumps(facts)) for batch in waiting for key, facts in batch.items()]
            if rows:
                with self.base:
                    self.base.executemany("INSERT OR REPLACE INTO made VALUES (?, ?)", rows)
                del self.unsaved[: len(waiting)]

    def close(self) -> None:
        """Write no more: a thread may get its answer after an interrupt."""
        with self.lock:
            self.is_open = False
