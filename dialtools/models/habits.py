"""How a model that dt-train made reads: kept in its folder, for whoever runs it."""

import os
from typing import Any, NamedTuple

from dialtools.models import folders
from dialtools.models.decoding import Decoding

FILE = "dialtools.json"


class Habits(NamedTuple):
    """What a generator was trained with."""

    max_input: int | None = None  # tokens; longer input was cut
    truncate: str | None = None
    src_lang: str = ""
    tgt_lang: str = ""
    prompting: dict[str, Any] = {}  # fields of generation.views.Prompting; files are in the folder


def of(name: str) -> Habits:
    """Return the habits of the model in a folder; none for any other."""
    found = folders.said(name, FILE) or {}
    known = {key: value for key, value in found.items() if key in Habits._fields}
    return Habits(**known)


def dumps(habits: Habits) -> bytes:
    """Return the content of the file."""
    import json

    return (json.dumps(habits._asdict(), ensure_ascii=False, indent=1) + "\n").encode()


def read(decoding: Decoding, name: str) -> Decoding:
    """Return options of a model with what it was trained with, where they do not say otherwise."""
    own = of(name)
    return decoding._replace(
        max_input=min(decoding.max_input, own.max_input or decoding.max_input),
        truncate=decoding.truncate or own.truncate,  # type: ignore[arg-type]
        src_lang=decoding.src_lang or own.src_lang,
        tgt_lang=decoding.tgt_lang or own.tgt_lang,
    )


def prompting(name: str, files: tuple[str, ...]) -> dict[str, Any]:
    """Return the fields of Prompting that a model was trained with.

    files: those that are files, and stand in its folder.
    """
    found = of(name).prompting
    return {
        key: os.path.join(name, value) if key in files else value for key, value in found.items()
    }
