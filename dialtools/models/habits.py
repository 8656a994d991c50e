"""How a model that dt-train made reads: kept in its folder, for whoever runs it."""

import os
from typing import Any, NamedTuple

from dialtools.models import folders
from dialtools.models.decoding import Decoding, Side
from dialtools.system.errors import MissingError

FILE = "dialtools.json"


class Habits(NamedTuple):
    """What a generator was trained with."""

    max_input: int | None = None  # tokens; longer input was cut
    truncate: Side | None = None
    src_lang: str = ""
    tgt_lang: str = ""
    prompting: dict[str, Any] = {}  # fields of decoding.Prompting; files are in the folder


def of(name: str) -> Habits:
    """Return the habits of the model in a folder; none for any other."""
    values = folders.said(name, FILE) or {}
    known = {key: value for key, value in values.items() if key in Habits._fields}
    path = os.path.join(name, FILE)
    habits = folders.typed(Habits, known, path)
    if habits.max_input is not None and habits.max_input < 1:
        raise MissingError(f'{path} is damaged: "max_input" cannot be {habits.max_input}')
    return habits


def dumps(habits: Habits) -> bytes:
    """Return the content of the file."""
    import json

    return (json.dumps(habits._asdict(), ensure_ascii=False, indent=1) + "\n").encode()


def read(decoding: Decoding, name: str) -> Decoding:
    """Return options of a model with what it was trained with, where they do not say otherwise."""
    own = of(name)
    return decoding._replace(
        max_input=min(decoding.max_input, own.max_input or decoding.max_input),
        truncate=decoding.truncate or own.truncate,
        src_lang=decoding.src_lang or own.src_lang,
        tgt_lang=decoding.tgt_lang or own.tgt_lang,
    )
