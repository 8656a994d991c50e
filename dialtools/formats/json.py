"""JSON array: the records are the items of one list.

>>> from io import BytesIO
>>> list(read(BytesIO(b'[{"text": "Hi"}, {"text": "Bye"}]')))
[('item 1', {'text': 'Hi'}), ('item 2', {'text': 'Bye'})]
"""

import re
from typing import BinaryIO

from dialtools.conversion import items
from dialtools.plugins.format import Format


def read(file: BinaryIO) -> items.Placed:
    """Yield each item of the array; the whole file is held."""
    return items.array(file)


def recognise(head: bytes) -> bool:
    """Tell whether it begins with a list: of objects, empty, or of lists (`read` refuses it)."""
    return bool(re.match(rb"(\xef\xbb\xbf)?\s*\[\s*[\[{\]]", head))


FORMAT = Format(read, recognise=recognise)
