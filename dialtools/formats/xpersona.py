"""XPersona: persona-grounded chats in several languages, two speakers.

An item is {"persona": [sentence, …], "dialogue": [[utterance, response], …]}.
The speakers are #Person1#, who begins, and #Person2#, whom the persona describes;
the persona is kept.  The name of the file gives the language (En_, Id_, Jp_,
Zh_, …); input from a pipe needs --lang.

Source: Lin et al. 2021, https://aclanthology.org/2021.nlp4convai-1.10.

>>> from io import BytesIO
>>> item = b'[{"persona": ["i ski ."], "dialogue": [["hi !", "hello !"]]}]'
>>> list(read(BytesIO(item)))[0][1]["dialogue"]
[{'speaker': '#Person1#', 'text': 'hi !'}, {'speaker': '#Person2#', 'text': 'hello !'}]
"""

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import BinaryIO

from dialtools.conversion import items
from dialtools.plugins.format import Format
from dialtools.system.errors import RecordError, show

LANGUAGES = {"En": "en", "Fr": "fr", "Id": "id", "It": "it", "Jp": "ja", "Ko": "ko", "Zh": "zh"}


def read(file: BinaryIO, *, lang: str | None = None) -> items.Placed:
    """Yield a record for each chat; the whole file is held.

    lang: by default that of the file's name.
    """
    name = PurePath(str(getattr(file, "name", ""))).name
    return items.each(items.array(file), record, lang or LANGUAGES.get(name.partition("_")[0]))


def record(item: dict) -> Iterator[dict]:
    turns = []
    for pair in items.get(item, "dialogue", list):
        if not isinstance(pair, list) or [type(text) for text in pair] != [str, str]:
            raise RecordError(
                f"an utterance and its response must be two strings, not {show(pair)}"
            )
        turns += [
            {"speaker": items.speaker(number), "text": text} for number, text in enumerate(pair)
        ]
    yield items.keep({"dialogue": turns, "persona": items.get(item, "persona", list)}, item)


def recognise(head: bytes) -> bool:
    """Tell whether it is an array with this key, in which the dialogue's items are lists."""
    is_listed = re.search(rb'"dialogue"\s*:\s*\[\s*\[', head) is not None
    return is_listed and items.like("[", "persona")(head)


FORMAT = Format(read, recognise=recognise)
