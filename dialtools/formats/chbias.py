"""CHBias: Chinese posts about a group of people, one a line (.txt) or in a table (.csv).

The table has an index without a name, which becomes the "id", and
"replaced_sentence".  Row i of one group's file and row i of the other's are
the same post with the words for the groups exchanged: convert each file by
itself, and the ids pair the posts.

Source: Zhao et al. 2023, https://aclanthology.org/2023.acl-long.757.

>>> from io import BytesIO
>>> list(read(BytesIO(",replaced_sentence\\n0,她爱喝茶。\\n".encode())))
[('2', {'id': '0', 'text': '她爱喝茶。', 'lang': 'zh'})]
"""

import re
from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO

from dialtools.conversion import items, rows
from dialtools.plugins.format import Format
from dialtools.system.errors import RecordError, show

_CHINESE = re.compile(r"[\u3400-\u9fff]")
_NOT_CHINESE = re.compile(r"[\u3040-\u30ff\uac00-\ud7a3\t]")  # kana, hangul; a tab
_HEADER = ",replaced_sentence"


def read(file: BinaryIO, *, lang: str = "zh") -> items.Placed:
    """Yield each post; a .txt file whose first line holds no Chinese character is an error."""
    data = file.readline()
    first, lines = items.first_line(data), chain([data], file)
    if first == _HEADER:
        return items.each(rows.quoted(lines), of_row, lang)
    if first and not _CHINESE.search(first):
        raise RecordError(f"not a Chinese post: {show(first)}", place="1")
    return items.each(items.lines(lines), lambda line: [{"text": items.unended(line)}], lang)


def of_row(row: dict) -> Iterator[dict]:
    record = {"id": items.get(row, "column 1"), "text": items.get(row, "replaced_sentence")}
    yield items.keep(record, row, "column 1", "replaced_sentence")


def recognise(head: bytes) -> bool:
    """Tell whether it is the table, or mostly lines of Chinese, neither JSON nor a table."""
    if items.first_line(head) == _HEADER:
        return True
    if items.begins(head, b"[") or items.begins(head, b"{") or rows.is_table(head, ","):
        return False
    lines = [line for line in head.decode("utf-8-sig", "replace").splitlines() if line.strip()]
    chinese = [line for line in lines if _CHINESE.search(line) and not _NOT_CHINESE.search(line)]
    return chinese[:1] == lines[:1] and len(chinese) > 0.9 * len(lines)


FORMAT = Format(read, recognise=recognise)
