"""A format for dt-convert: novels as plain text, of which the consecutive utterances are dialogues.

    dt-convert --from ./novels.py NOVEL.txt …

An utterance stands in 「」, also over several lines; a line beside it without quotation marks is
narration and ends a dialogue, but for an empty one.  A name before the mark (マリー「…」) is the
speaker; otherwise two take turns.  A dialogue has two utterances at least, and the number of the
first line as its "line".

>>> from io import BytesIO
>>> text = "雨だ。\\n「寒いわ」\\n\\n「そうだな」\\n彼は黙った。\\nマリー「まあ。\\n本当？」\\nキュロス「ああ」"
>>> for place, record in read(BytesIO(text.encode())):
...     print(place, [(turn["speaker"], turn["text"]) for turn in record["dialogue"]])
2 [('#Person1#', '寒いわ'), ('#Person2#', 'そうだな')]
6 [('マリー', 'まあ。本当？'), ('キュロス', 'ああ')]
"""

import re
from collections.abc import Iterator
from typing import BinaryIO

from dialtools.plugins.format import Format

NAME = r"[^\n「」。、！？!?（）() 　]{0,12}"
UTTERANCE = re.compile(rf"^[ 　]*(?P<name>{NAME})「(?P<text>[^「」]*)」[ 　]*$", re.MULTILINE)


def read(file: BinaryIO) -> Iterator[tuple[str, dict]]:
    """Yield a record for each run of utterances, with its first line as the place."""
    novel = file.read().decode("utf-8-sig").replace("\r\n", "\n")
    run: list[dict] = []
    first = end = 0
    for match in UTTERANCE.finditer(novel):
        if novel[end : match.start()].strip():
            yield from dialogue(run, first)
            run = []
        if not run:
            first = novel.count("\n", 0, match.start()) + 1
        speaker = match["name"] or f"#Person{len(run) % 2 + 1}#"
        run.append({"speaker": speaker, "text": re.sub(r"\s*\n\s*", "", match["text"]).strip()})
        end = match.end()
    yield from dialogue(run, first)


def dialogue(run: list[dict], first: int) -> Iterator[tuple[str, dict]]:
    if len(run) > 1:
        yield str(first), {"lang": "ja", "dialogue": run, "line": first}


FORMAT = Format(read)
