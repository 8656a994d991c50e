"""Molweni: English multi-party Ubuntu chats, with questions (MRC) or discourse links alone (DP).

Each question of the reading comprehension file is a record: "context" is the
question, "reference" the list of its answers, "cluster" its dialogue, called
TITLE-N by its number in the file.  A question without an answer has "reference"
[""] and "answerable" false.  Kept are the answers with their offsets, the
plausible answers, the links between turns ("relations", whose x and y count turns
from 0) and the lower-cased text that the offsets refer to ("passage").

In the discourse parsing file each dialogue is a record, without a reference.

Source: Li et al. 2020, https://aclanthology.org/2020.coling-main.238.

>>> from io import BytesIO
>>> list(read(BytesIO(b'[{"id": "9", "edus": [{"speaker": "ann", "text": "hi"}]}]')))
[('item 1', {'id': '9', 'dialogue': [{'speaker': 'ann', 'text': 'hi'}], 'lang': 'en'})]
"""

from collections.abc import Iterator
from typing import BinaryIO

from dialtools.conversion import items
from dialtools.plugins.format import Format
from dialtools.system.errors import RecordError, about, show


def read(file: BinaryIO, *, lang: str = "en") -> items.Placed:
    """Yield a record for each question, or each dialogue; the whole file is held."""
    value = items.document(file)
    if isinstance(value, list):
        return items.each(items.numbered(value), of_dialogue, lang)
    with about(place="1"):
        data = items.get(value, "data", dict)
        named = [
            dialogue | {"cluster": f"{data.get('title', 'molweni')}-{number}"}
            for number, dialogue in enumerate(items.objects(data, "dialogues"), 1)
        ]
    return items.each(items.numbered(named), of_questions, lang)


def of_dialogue(item: dict) -> Iterator[dict]:
    yield items.keep({"id": items.get(item, "id", object), "dialogue": _turns(item)}, item, "edus")


def _turns(item: dict) -> list[dict]:
    return [
        items.turn(unit, items.get(unit, "speaker"), "text") for unit in items.objects(item, "edus")
    ]


def of_questions(item: dict) -> Iterator[dict]:
    turns, passage = _turns(item), items.get(item, "context")
    for question in items.objects(item, "qas"):
        answers = [items.get(answer, "text") for answer in items.objects(question, "answers")]
        record = {
            "id": items.get(question, "id"),
            "cluster": item["cluster"],
            "dialogue": turns,
            "context": items.get(question, "question"),
            "reference": answers or [""],
            "answerable": bool(answers),
        }
        if items.get(question, "is_impossible", bool) is bool(answers):
            raise RecordError(
                f'{len(answers)} answers, but "is_impossible" is {show(question["is_impossible"])}',
                record,
            )
        record = items.keep(record, question, "question", "is_impossible")
        yield items.keep(record | {"passage": passage}, item, "edus", "context", "qas")


FORMAT = Format(read, recognise=items.like("{[", "edus"))
