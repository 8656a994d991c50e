"""dialtools.generate with the fields of its values side by side, as they are on the command line."""

from collections.abc import Iterable, Iterator
from typing import Any

import dialtools
from dialtools.commands.generate import VALUES


def generate(records: Iterable[dict], **options: Any) -> Iterator[dict]:
    """Return what dialtools.generate does; beams=2, say, stands for decoding=Decoding(beams=2)."""
    values = {
        name: kind(**{field: options[field] for field in kind._fields if field in options})
        for name, kind in VALUES.items()
    }
    fields = {field for kind in VALUES.values() for field in kind._fields}
    return dialtools.generate(
        records, **values, **{name: options[name] for name in options if name not in fields}
    )
