"""DialogSum: English dialogues of everyday life with one summary (dev, train) or three (test).

A line is {"fname", "dialogue", "summary", "topic"}, or summary1 to summary3
and topic1 to topic3; the hidden test set has no summary.  The speakers are
#Person1#, #Person2#, …; the dialogue stays a string of "Name: text" lines, to the
last space, as systems with published scores read it.  Topics keep their keys.

Source: Chen et al. 2021, https://aclanthology.org/2021.findings-acl.449.

>>> from io import BytesIO
>>> list(FORMAT.read(BytesIO(b'{"fname": "d1", "dialogue": "#Person1#: Hi", "summary": "A greeting."}')))
[('1', {'id': 'd1', 'dialogue': '#Person1#: Hi', 'reference': 'A greeting.', 'lang': 'en'})]
"""

import re

from dialtools.conversion import items
from dialtools.plugins.format import Format


def record(item: dict) -> dict:
    converted = {"id": items.get(item, "fname"), "dialogue": items.get(item, "dialogue")}
    used = sorted(key for key in item if re.fullmatch(r"summary\d", key))
    if used:
        converted["reference"] = [items.get(item, key) for key in used]
    elif "summary" in item:
        used = ["summary"]
        converted["reference"] = items.get(item, "summary")
    return items.keep(converted, item, "fname", *used)


FORMAT = Format(
    items.reader(items.json_lines, record, lang="en"),
    recognise=items.like("{", "fname", "dialogue"),
)
