"""RedditBias: English Reddit phrases about a group of people, and the same about another group.

The "text" is the column comments_processed; the other columns are kept,
"perplexity" as a number.  Row i of one group's file and row i of the other's
are a pair: convert each file by itself, and the numbers that become ids pair the
rows.  The ids of the comments, which only some files have, are kept as
"comment_id".

Source: Barikeri et al. 2021, https://aclanthology.org/2021.acl-long.151.

>>> from io import BytesIO
>>> list(FORMAT.read(BytesIO(b"id,comments_processed,perplexity\\nx1,my aunt is a pilot,80.5\\n")))
[('2', {'text': 'my aunt is a pilot', 'comment_id': 'x1', 'perplexity': 80.5, 'lang': 'en'})]
"""

from contextlib import suppress

from dialtools.conversion import items, rows
from dialtools.plugins.format import Format
from dialtools.records import jsonl
from dialtools.system.errors import RecordError, show


def record(row: dict) -> dict:
    converted: dict = {"text": items.get(row, "comments_processed")}
    if "id" in row:
        converted["comment_id"] = row["id"]
    if cell := row.get("perplexity"):
        perplexity = None
        with suppress(RecordError):
            perplexity = jsonl.parse(cell.encode())
        if not isinstance(perplexity, (int, float)):
            raise RecordError(f'"perplexity" must be a number, not {show(cell)}')
        converted["perplexity"] = perplexity
    return items.keep(converted, row, "id", "comments_processed", "perplexity")


FORMAT = Format(
    items.reader(rows.quoted, record, lang="en"),
    recognise=lambda head: "comments_processed" in items.first_line(head).split(","),
)
