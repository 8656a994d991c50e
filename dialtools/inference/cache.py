"""Outputs kept in an SQLite file, so that none is made twice, over runs and for identical prompts.

The key of an output is the model (the content of its files; for a server its
address and name), the options that take effect, and the input; for a sample
also the id.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from time import monotonic
from typing import Any

from dialtools.models import folders
from dialtools.records import dialogue
from dialtools.system.errors import OptionError

# keys of a record that a generator may read
READ = ("prompt", "system_prompt", "text", "context", "lang", "name_spans")
CACHED = "cached"  # a fact of an output that was in the file
PAUSE = 1.0  # seconds after which an output survives a kill
Make = Callable[[list[dict]], Iterable[dict]]


def through(make: Make, path: str, made_by: str, options: dict[str, Any]) -> Make:
    """Return `make`, called only for outputs that are not in the file.

    made_by: the generator and its settings, as in the signature.
    options: of the generator; "model" counts by its content, and "sample" makes outputs depend on
        the id.
    """
    import sqlite3  # here, as the command is quick to start without it

    content = ""
    if options.get("model") and "endpoint" not in options:
        content = folders.content(
            folders.Checkpoint(
                options["model"],
                options.get("offline", False),
                allow_pickle=options.get("allow_pickle", False),
            )
        )

    def made(views: list[dict]) -> Iterator[dict]:
        keys = [_key(content, made_by, view, bool(options.get("sample"))) for view in views]
        try:
            with closing(sqlite3.connect(path, timeout=60)) as base:
                yield from _made(base, make, keys, views)
        except sqlite3.Error as error:
            message = f"--cache {path}: {error}"
            if isinstance(error, sqlite3.OperationalError) and "no such column" not in str(error):
                raise OSError(message) from None  # no such folder, a disk that is full, …
            raise OptionError(message) from None  # a file that is no cache

    return made


def _made(base: Any, make: Make, keys: list[bytes], views: list[dict]) -> Iterator[dict]:
    """Yield the kept output for each key, or make and keep one.

    The file is locked only while outputs are written: other processes go on
    while this one waits for a model, a server or the reader of its output.
    """
    import json

    base.execute(
        "CREATE TABLE IF NOT EXISTS made (key BLOB PRIMARY KEY, facts TEXT NOT NULL) WITHOUT ROWID"
    )
    found: dict[bytes, dict] = {}
    for key in keys:
        row = base.execute("SELECT facts FROM made WHERE key = ?", (key,)).fetchone()
        if row:
            found[key] = json.loads(row[0])
    lacking = {key: view for key, view in zip(keys, views, strict=True) if key not in found}
    new = zip(lacking, make(list(lacking.values())) if lacking else (), strict=True)
    unsaved: list[tuple[bytes, str]] = []
    saved = monotonic()
    try:
        for key in keys:
            if key not in found:
                _, found[key] = next(new)  # they come in the order in which they are lacking
                unsaved.append((key, json.dumps(found[key])))
            if monotonic() - saved > PAUSE:
                _save(base, unsaved)
                saved = monotonic()
            yield found[key] if key in lacking else {**found[key], CACHED: True}
    finally:
        _save(base, unsaved)  # what was made before an error, too


def _save(base: Any, unsaved: list[tuple[bytes, str]]) -> None:
    """Move rows into the file, in one transaction."""
    if unsaved:
        with base:
            base.executemany("INSERT OR REPLACE INTO made VALUES (?, ?)", unsaved)
        unsaved.clear()


def _key(content: str, made_by: str, view: dict, drawn: bool) -> bytes:
    import json
    from hashlib import blake2b

    read = [
        dialogue.text(dialogue.turns(view)),
        *(view.get(key) for key in READ),
        view["id"] if drawn else None,
    ]
    return blake2b(json.dumps([content, made_by, read]).encode(), digest_size=16).digest()
