"""KdConv: Chinese chats about films, music and travel, each turn with its knowledge.

An item is {"name", "messages": [{"message", "attrs"}, …]}.  The speakers take
turns and have no names: #Person1# begins, #Person2# answers.  The knowledge
stays with its turn as "attrs", the topic with the record as "name".

Source: Zhou et al. 2020, https://aclanthology.org/2020.acl-main.635.

>>> from io import BytesIO
>>> list(FORMAT.read(BytesIO('[{"name": "茶", "messages": [{"message": "你喝茶吗？"}]}]'.encode())))
[('item 1', {'dialogue': [{'speaker': '#Person1#', 'text': '你喝茶吗？'}], 'name': '茶', 'lang': 'zh'})]
"""

from dialtools.conversion import items
from dialtools.plugins.format import Format


def record(item: dict) -> dict:
    turns = [
        items.turn(message, items.speaker(number), "message")
        for number, message in enumerate(items.objects(item, "messages"))
    ]
    return items.keep({"dialogue": turns}, item, "messages")


FORMAT = Format(
    items.reader(items.array, record, lang="zh"), recognise=items.like("[", "messages", "message")
)
