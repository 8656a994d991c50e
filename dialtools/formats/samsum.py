"""SAMSum: English messenger chats with a summary each, in one JSON array or in JSON Lines.

An item is {"id", "dialogue", "summary"}.  Only an array is recognised; JSON Lines
with these keys may be predictions, and need --from samsum.  The dialogue stays a
string of "Name: text" lines, to the last space, as systems with published scores
read it; every filter finds the turns in it.

Source: Gliwa et al. 2019, https://aclanthology.org/D19-5409.

>>> from io import BytesIO
>>> list(FORMAT.read(BytesIO(b'[{"id": "1", "dialogue": "Ann: Hi", "summary": "Ann says hi."}]')))
[('item 1', {'id': '1', 'dialogue': 'Ann: Hi', 'reference': 'Ann says hi.', 'lang': 'en'})]
"""

import json
import re
from collections.abc import Iterable, Iterator

from dialtools.conversion import items
from dialtools.plugins.format import Format
from dialtools.records import dialogue, validation
from dialtools.system.errors import RecordError


def record(item: dict) -> dict:
    converted = {
        "id": items.get(item, "id", object),
        "dialogue": items.get(item, "dialogue"),
        "reference": items.get(item, "summary"),
    }
    return items.keep(converted, item, "summary")


def write(converted: Iterable[dict]) -> Iterator[str]:
    """Yield the lines of the array, an item each: id, dialogue, summary and nothing else.

    Turns become "Name: text" lines.  A variant gets the id ID/VARIANT.  A record
    without exactly one reference is an error.
    """
    mark = "[\n"
    for record in converted:
        for key in ("dialogue", "reference"):
            validation.require(record, key)
        references, variant = dialogue.references(record), record.get("variant")
        if len(references) != 1:
            reason = f"samsum needs one summary for each dialogue, not {len(references)} references"
            raise RecordError(reason, record)
        talk = record["dialogue"]
        item = {
            "id": f"{record['id']}/{variant}" if variant else record["id"],
            "dialogue": talk if isinstance(talk, str) else dialogue.text(talk),
            "summary": references[0],
        }
        yield mark + json.dumps(item, ensure_ascii=False)
        mark = ",\n"
    yield "[]\n" if mark == "[\n" else "\n]\n"


def recognise(head: bytes) -> bool:
    """Tell whether it is an array with these keys, in which the dialogue is a string."""
    return (
        items.begins(head, b"[")
        and {"dialogue", "summary"} <= items.keys(head)
        and re.search(rb'"dialogue"\s*:\s*"', head) is not None
    )


FORMAT = Format(items.reader(items.listed, record, lang="en"), recognise=recognise, write=write)
