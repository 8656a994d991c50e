"""Lines: each line is the text of a record.

A blank line is an empty text, so that parallel files keep their line numbers.
--from auto never takes it: any text consists of lines.

>>> from io import BytesIO
>>> list(read(BytesIO(b'Good morning.\\nGood night.\\n')))
[('1', {'text': 'Good morning.'}), ('2', {'text': 'Good night.'})]
"""

from collections.abc import Iterator
from typing import BinaryIO

from dialtools.conversion import items
from dialtools.plugins.format import Format


def read(file: BinaryIO) -> Iterator[tuple[str, dict]]:
    """Yield each line as "text", without its end."""
    return ((place, {"text": items.unended(line)}) for place, line in items.lines(file))


FORMAT = Format(read)
