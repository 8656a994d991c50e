"""WhatsApp: a chat as the app exports it on Android or iOS, in any language (.txt or .zip).

A file is a record, named after the file, with a turn for each message and its
"time" in ISO 8601.  whatsapp:gap=60 makes a record of each conversation: it ends
where nobody wrote for 60 minutes.  Both clocks, any order of day and month and the
digits of any script are read; where 5/3 may be in May or in March, the closing line
counts the dates, which are taken for day and month unless AM and PM stand by them
(whatsapp:dates=mdy).  A time that cannot be told stays as it is written.  A text that
a .zip unpacks to more than 100 times its size, or than 4 GB, is refused without
whatsapp:any_size=yes.

Left out and counted: media without text, deleted messages, and notices of the app,
such as who joined.  Marks of the text's direction and "~ " before a name are dropped.
A notice on Android is known by having no sender, on iOS by an invisible mark.

Source: exports of the app; marks of clocks: Unicode CLDR.

>>> from io import BytesIO
>>> chat = "2024. 3. 5. 오후 3:45 - 민수: 안녕\\n2024. 3. 5. 오후 3:46 - 지은: 응, 안녕\\n잘 지내?\\n"
>>> _, record = next(read(BytesIO(chat.encode())))
>>> record["dialogue"][1]
{'speaker': '지은', 'text': '응, 안녕\\n잘 지내?', 'time': '2024-03-05T15:46'}
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import BinaryIO, Literal, NamedTuple
from zipfile import ZipFile

from dialtools.conversion import chats, clocks, items
from dialtools.plugins.format import Format
from dialtools.records import history
from dialtools.system.errors import RecordError, show
from dialtools.system.files import BOM

_ZIP = b"PK\x03\x04"
_M = f"[{clocks.MARKS}]"
_INVISIBLE = re.compile("[\u202a-\u202e\u2066-\u2069\ufeff]")  # those that people never type
_SIGN = "\u200e\u200f"  # begins what iOS writes itself
_BRACKETS = re.compile(rf"{_M}*\[([^\[\]]{{8,45}})\]\s?(.*)", re.DOTALL)
_DASH = re.compile(rf"{_M}*(\S.{{7,45}}?)\s[-–—]\s(.*)", re.DOTALL)
_SENDER = re.compile(rf"{_M}*(?:~\s*)?([^\s:].{{0,80}}?):(?:{_M}*\s|$)(.*)", re.DOTALL)
_ANGLED = re.compile(r"<[^<>\n]{3,80}>")  # <Media omitted>, <attached: 0001-PHOTO.jpg>
_ATTACHED = re.compile(r"(?:IMG|VID|AUD|PTT|STK|DOC)-\d{8}-WA\d+\.?\w* \([^()]{3,40}\)")
_NAMED = re.compile(r"(.{1,200}\.\w{1,5}) \(([^()]{3,40})\)")
_PAGES = re.compile(rf".{{1,200}} • .{{1,30}}[{_SIGN}].+")  # a document, with its number of pages
_QUOTED = re.compile('["“”„«»「」]')


class Message(NamedTuple):
    """A message, or a notice: what begins with a date, and the lines after it."""

    place: str
    stamp: clocks.Stamp
    speaker: str  # "" of a notice
    lines: list[str]


def read(
    file: BinaryIO,
    *,
    id: str = "",
    gap: int = 0,
    dates: Literal["auto", "dmy", "mdy", "ymd"] = "auto",
    any_size: bool = False,
) -> items.Placed:
    """Yield the record of a chat, or of each conversation in it; the whole file is held.

    id: by default the name of the file.
    gap: minutes of silence that end a conversation; 0: the whole chat is one.
    dates: the order of day, month and year.
    any_size: whatever a .zip unpacks to.
    """
    data = file.read()
    if data.startswith(_ZIP):
        with ZipFile(BytesIO(data)) as packed:
            texts = [name for name in packed.namelist() if name.endswith(".txt")]
            chosen = [name for name in texts if name.endswith("_chat.txt")] or texts
            if len(chosen) != 1:
                raise RecordError(f"a .zip with {len(chosen)} texts, not the one of a chat")
            items.require_moderate([packed.getinfo(chosen[0])], len(data), any_size)
            data = packed.read(chosen[0])
    messages = list(_messages(items.lines(BytesIO(data))))
    if not messages:
        return
    stamps = [message.stamp for message in messages]
    how = clocks.reading(stamps, None if dates == "auto" else dates)
    counts: Counter[str] = Counter()
    turns = list(_turns(messages, how, counts))
    if not turns:
        raise RecordError("no message has a text", place=messages[0].place)
    if not how.is_certain:
        counts["dates_of_uncertain_order"] = len(messages)
    signature = history.signature("whatsapp", dates=how.order, gap=gap or None)
    for record in chats.records(turns, signature, counts, id, gap):
        yield messages[0].place, record


def _head(line: str) -> tuple[str, clocks.Stamp, str] | None:
    """Return the style of a line that begins a message, its date, and what follows."""
    for style, pattern in (("[]", _BRACKETS), ("-", _DASH)):
        match = pattern.fullmatch(line)
        stamp = clocks.stamp(match[1]) if match else None
        if match and stamp:
            return style, stamp, match[2]
    return None


def _messages(lines: Iterable[tuple[str, str]]) -> Iterator[Message]:
    """Yield messages and notices; a line without a date continues the one before."""
    last: Message | None = None
    style = ""
    for place, line in lines:
        line = items.unended(line)
        head = _head(line)
        if head and head[0] == (style or head[0]):  # another style was pasted from elsewhere
            if last:
                yield last
            style, stamp, content = head
            sender = _SENDER.fullmatch(content)
            name = _INVISIBLE.sub("", sender[1]).strip(f"{_SIGN} ") if sender else ""
            last = Message(place, stamp, name, [sender[2] if sender and name else content])
        elif last:
            last.lines.append(line)
        elif line.strip(f"{_SIGN}\ufeff \t"):
            reason = f"no message of WhatsApp begins so, as it has no date: {show(line, 40)}"
            raise RecordError(reason, place=place)
    if last:
        yield last


def _turns(messages: list[Message], how: clocks.StampReading, counts: Counter) -> Iterator[dict]:
    """Yield the turns; count what has no text."""
    phrases: dict[str, set[str]] = {}  # {kind: what the app writes in many languages}
    path = os.path.join(os.path.dirname(__file__), "whatsapp.tsv")
    with open(path, encoding="utf-8") as file:
        for line in file.readlines()[1:]:
            kind, _, phrase = line.rstrip("\n").partition("\t")
            phrases.setdefault(kind, set()).add(phrase.casefold())

    def is_notice(name: str) -> bool:
        """Tell whether the text before the first colon begins a notice, and is not a name."""
        folded = name.casefold()
        is_sentence = len(name.split()) > 6 or _QUOTED.search(name) is not None
        return is_sentence or any(phrase in folded for phrase in phrases["encrypted"])

    spoken = Counter(message.speaker for message in messages)
    signed = sum(message.lines[0][0] in _SIGN for message in messages if message.lines[0])
    is_sign = signed < 0.7 * len(messages)  # else all texts begin so, for their script
    for message in messages:
        speaker = message.speaker
        if not speaker or spoken[speaker] == 1 and is_notice(speaker):
            counts["notices"] += 1
            continue
        text, has_media = _text(message, is_sign, phrases)
        counts["media"] += has_media
        if text:
            time = clocks.written(message.stamp, how)
            yield {"speaker": speaker, "text": text, "time": time}
        elif not has_media:
            counts["notices"] += 1


def _text(message: Message, is_sign: bool, phrases: dict[str, set[str]]) -> tuple[str, bool]:
    """Return what somebody wrote in a message, "" for nothing, and whether it came with media."""
    visible = _INVISIBLE.sub("", "\n".join(message.lines))
    text = visible

    # the app's remark that it was edited
    angled = re.search(rf"([{_SIGN}]?)(<[^<>\n:]+>)\s*$", visible)
    if angled and angled.start() > 0 and (angled[1] or angled[2].casefold() in phrases["edited"]):
        text = re.sub(rf"[ {_SIGN}]*<[^<>\n:]+>\s*$", "", visible)

    text, attached = re.subn(rf"[{_SIGN}]+<[^<>\n]{{3,}}>", "", text)
    plain = text.strip(f"{_SIGN} \n\r\t")
    folded = plain.rstrip(".。").casefold()
    is_document = _PAGES.fullmatch(visible.strip()) is not None
    if is_document or _ANGLED.fullmatch(plain) or folded in phrases["omitted"]:
        return "", True
    if folded in phrases["deleted"] or is_sign and text[:1] and text[0] in _SIGN:
        return "", bool(attached)

    # a file, such as IMG-20240305-WA0001.jpg (file attached), with a caption below it
    first, _, caption = plain.partition("\n")
    named = _NAMED.fullmatch(first)
    if _ATTACHED.fullmatch(first) or (named and named[2].casefold() in phrases["attached"]):
        name = first.rpartition(" (")[0]  # again below a document
        caption = caption.strip()
        return "" if caption in (name, name.rpartition(".")[0]) else caption, True
    return plain, bool(attached) or not plain


def recognise(head: bytes) -> bool:
    """Tell whether it is an export, whose first line begins with a date, or a .zip of one."""
    if head.startswith(_ZIP):
        return re.search(rb"_chat\.txt|WhatsApp[^/]{0,200}\.txt", head[:4096]) is not None
    return _head(items.first_line(head.removeprefix(BOM))) is not None


FORMAT = Format(read, recognise=recognise)
