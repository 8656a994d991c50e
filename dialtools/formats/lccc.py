"""LCCC: Chinese chats from social media, their characters parted by spaces.

A file is one JSON array of chats, an object of such arrays by their "split" (train, valid, test),
or JSON Lines; a chat is an array of utterances.  Other files have a chat a line, its utterances
parted by tabs.  The speakers take turns and have no names: #Person1# begins, #Person2# answers.
Spaces stay between words in other letters than Chinese ones.

Source: Wang et al. 2020, https://arxiv.org/abs/2008.03946, with the model CDial-GPT.

>>> from io import BytesIO
>>> chats = '[["好 听 吗 ？", "用 iphone 4 听 过 ， ok 。"]]'
>>> [turn["text"] for turn in list(read(BytesIO(chats.encode())))[0][1]["dialogue"]]
['好听吗？', '用iphone 4听过，ok。']
"""

import re
from collections.abc import Iterator
from itertools import chain
from typing import Any, BinaryIO

from dialtools.conversion import items
from dialtools.plugins.format import Format
from dialtools.records import jsonl
from dialtools.system.errors import RecordError, show

_LETTER = r"[^\W\u3005-\u3007\u3040-\u30ff\u3400-\u9fff]"  # 々, 〇 and kana are parted, too
_SPACES = re.compile(rf"(?<!{_LETTER}) +| +(?!{_LETTER})")
_CHATS = re.compile(r'\s*(\{\s*"(train|valid|test)"\s*:\s*)?\[\s*(\[\s*)?"[^"]*[\u3400-\u9fff] ')

Chat = tuple[str, Any, dict]  # its place, its utterances, what is to be kept of where it was


def read(file: BinaryIO, *, lang: str = "zh") -> items.Placed:
    """Yield a record for each chat; a JSON document of several chats is held."""
    chats = ((place, (utterances, more)) for place, utterances, more in _chats(file))
    return items.each(chats, record, lang)


def _chats(file: BinaryIO) -> Iterator[Chat]:
    begun = next((line for line in file if items.first_line(line)), b"")
    rest = chain([begun], file)
    if re.match(r'\s*\[\s*"', items.first_line(begun)):  # JSON Lines
        for place, line in items.lines(rest):
            if line.strip():
                yield place, jsonl.parse(line.encode()), {}
    elif items.begins(begun, b"[") or items.begins(begun, b"{"):
        value = jsonl.parse(b"".join(rest).removeprefix(items.BOM))
        splits = value.items() if isinstance(value, dict) else [("", value)]
        for split, chats in splits:
            if not isinstance(chats, list):
                raise RecordError(f"expected an array of chats, not {show(chats, 30)}", place="1")
            for number, chat in enumerate(chats, 1):
                place = f"{split} item {number}".lstrip()
                yield place, chat, {"split": split} if split else {}
    else:
        for place, line in items.lines(rest):
            if line.strip():
                yield place, items.unended(line).split("\t"), {}


def record(chat: tuple[Any, dict]) -> Iterator[dict]:
    utterances, more = chat
    if not isinstance(utterances, list) or {type(text) for text in utterances} != {str}:
        raise RecordError(f"a chat must be a list of strings, not {show(utterances, 30)}")
    turns = [
        {"speaker": items.speaker(number), "text": _SPACES.sub("", text)}
        for number, text in enumerate(utterances)
    ]
    yield {"dialogue": turns} | more


def recognise(head: bytes) -> bool:
    """Tell whether it is JSON that begins with an utterance in Chinese characters and spaces."""
    return _CHATS.match(head.decode("utf-8-sig", "replace")) is not None


FORMAT = Format(read, recognise=recognise)
