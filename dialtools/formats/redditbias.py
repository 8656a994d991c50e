"""RedditBias: English Reddit phrases about a group of people, and the same about another group.

The "text" is the column comments_processed; the other columns are kept,
"perplexity" as a number.  Row i of one group's file and row i of the other's
are a pair: convert each file by itself, and the numbers that become ids pair the
rows.  The ids of the comments, which only some files have, are kept as
"comment_id".

Source: Barikeri et al. 2021, https://aclanthology.org/2021.acl-long.151.

>>> from io import BytesIO
>>> list(read(BytesIO(b"id,comments_processed,perplexity\\nx1,my aunt is a pilot,80.5\\n")))
[('2', {'text': 'my aunt is a pilot', 'comment_id': 'x1', 'perplexity': 80.5, 'lang': 'en'})]
"""

from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO

from dialtools.conversion import items, rows
from dialtools.plugins.format import Format
from dialtools.records import jsonl as records
from dialtools.system.errors import RecordError, show


def read(file: BinaryIO, *, lang: str = "en") -> items.Placed:
    """Yield each phrase."""
    return items.each(rows.quoted(file), _record, lang)


def _record(row: dict) -> Iterator[dict]:
    record: dict = {"text": items.get(row, "comments_processed")}
    if "id" in row:
        record["comment_id"] = row["id"]
    if cell := row.get("perplexity"):
        perplexity = None
        with suppress(RecordError):
            perplexity = records.parse(cell.encode())
        if not isinstance(perplexity, (int, float)):
            raise RecordError(f'"perplexity" must be a number, not {show(cell)}')
        record["perplexity"] = perplexity
    yield items.keep(record, row, "id", "comments_processed", "perplexity")


FORMAT = Format(
    read, recognise=lambda head: "comments_processed" in items.first_line(head).split(",")
)
