"""TODSum: English task-oriented dialogues of MultiWOZ, each with a summary.

An item is {"dialog_id", "text", "summary"}: the texts are turns, which the user
begins and the agent answers, as the summaries call them; the sentences of the
summary are one reference.  The states of the dialogue stay under "dst", "dst_str".

Source: Zhao et al. 2021, https://github.com/pris-nlp/TODSum.

>>> from io import BytesIO
>>> item = b'[{"dialog_id": "a", "text": ["A taxi!", "Where?"], "summary": ["a taxi.", "now."]}]'
>>> next(FORMAT.read(BytesIO(item)))[1]["dialogue"]
[{'speaker': 'user', 'text': 'A taxi!'}, {'speaker': 'agent', 'text': 'Where?'}]
"""

from dialtools.conversion import items
from dialtools.plugins.format import Format
from dialtools.system.errors import RecordError, show

_SPEAKERS = ("user", "agent")


def record(item: dict) -> dict:
    for key in ("text", "summary"):
        if not all(isinstance(text, str) for text in items.get(item, key, list)):
            raise RecordError(f'"{key}" must be a list of strings, not {show(item[key])}')
    converted = {
        "id": items.get(item, "dialog_id"),
        "dialogue": [
            {"speaker": _SPEAKERS[number % 2], "text": text}
            for number, text in enumerate(item["text"])
        ],
        "reference": " ".join(item["summary"]),
    }
    return items.keep(converted, item, "dialog_id", "text", "summary")


FORMAT = Format(
    items.reader(items.array, record, lang="en"),
    recognise=items.like("[", "dialog_id", "text", "dst"),
)
