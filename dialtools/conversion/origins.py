"""Records with the entry of dt-convert in their history: from which format, by which options."""

from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple

from dialtools.conversion import mapping, systems
from dialtools.conversion.chats import BY
from dialtools.plugins.registry import Plugin
from dialtools.records import history, validation
from dialtools.system.errors import RecordError


class Found(NamedTuple):
    """What a format has found in a file."""

    format: Plugin  # with the options that were given
    item: dict | RecordError


Each = tuple[int, int, Found]  # as systems.Each


def maker(
    field: Iterable[str],
    constants: Iterable[str],
    note: mapping.Note = lambda what: None,
    **cut: bool,
) -> tuple[Callable[[Each], dict], int]:
    """Return a function from what was found to records, and the number of systems.

    The history of a record has the keys of its constants alone: their values stand in the record.
    A line of JSON that is a record already stays as it is.

    note: as in systems.maker.
    cut: how dialogues are cut afterwards, under the names that the signature has.
    """
    field, constants = tuple(field), tuple(constants)
    make, number = systems.maker(field, constants, note)
    asked = {
        "field": field or None,
        **{name: given or None for name, given in cut.items()},
        "set": [constant.partition("=")[0] for constant in constants] or None,
    }
    is_asked = any(asked.values())

    @cache
    def signed(signature: str) -> str:
        return history.extended(signature, **asked)

    def make_signed(one: Each) -> dict:
        number, system, (format, item) = one
        record = make((number, system, item))
        if isinstance(record.get("lang"), str):
            validation.require_script(record, "own")
        if format.name == "jsonl" and not is_asked and record == item:
            return record
        own = history.made(record)  # of a format that counts something itself
        before = (record.get("history") or [])[: -1 if own else None]
        facts = dict(own or {"signature": history.signature(format.name, **format.options)})
        facts = {**facts, "by": BY, "signature": signed(facts["signature"])}
        return history.add({**record, "history": before}, **facts)

    return make_signed, number
