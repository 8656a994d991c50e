"""SimulEval's instances.log: simultaneous translations with their delays, one a line.

"index" becomes the id; "prediction", "reference", "delays", "elapsed" and
"source_length" keep their keys, as dt-score -m laal, al and dal need them.  A source
that is a text becomes the "text"; that of speech stays under "source".  An empty
"elapsed" is left out.  --lang is the language of the translation.

Source: https://github.com/facebookresearch/SimulEval.

>>> from io import BytesIO
>>> line = b'{"index": 0, "prediction": "a b", "delays": [1, 2], "elapsed": [], "source": "x y"}'
>>> list(FORMAT.read(BytesIO(line)))
[('1', {'id': 0, 'prediction': 'a b', 'text': 'x y', 'delays': [1, 2]})]
"""

from dialtools.conversion import items
from dialtools.plugins.format import Format
from dialtools.system.errors import RecordError, show

_SOUNDS = (".wav", ".mp3", ".flac", ".ogg", ".m4a", ".opus")


def record(item: dict) -> dict:
    prediction = items.get(item, "prediction")
    if prediction.lower().endswith(_SOUNDS):
        raise RecordError(f"the prediction is speech, {show(prediction)}: dt-score needs a text")
    converted = {"id": items.get(item, "index", object), "prediction": prediction}
    source = item.get("source")
    used = ["index", "prediction"]
    if isinstance(source, str) and not source.strip().lower().endswith(_SOUNDS):
        converted["text"] = source
        used.append("source")
    if item.get("elapsed") == []:
        used.append("elapsed")
    return items.keep(converted, item, *used)


FORMAT = Format(
    items.reader(items.json_lines, record),
    recognise=items.like("{", "index", "prediction", "delays", "source"),
)
