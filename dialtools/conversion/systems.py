"""Outputs of several systems in the columns of one table: a record for each system.

--field prediction:bart=out1 --field prediction:t5=out2 makes two records of a row, with one id.
A record takes what is said without a system, too; the columns of the other systems are left out.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from dialtools.conversion import items, mapping
from dialtools.system.errors import OptionError, RecordError

Item = TypeVar("Item")
# number of an item, from 1; number of a system; the item
Each = tuple[int, int, dict | RecordError]


def of(field: Iterable[str]) -> dict[str, list[str]]:
    """Return {system: its KEY=PATH}, under "" those without a system.

    >>> of(["id=nr", "prediction:bart=out1", "prediction:t5=out2"])
    {'': ['id=nr'], 'bart': ['prediction=out1'], 't5': ['prediction=out2']}
    """
    found: dict[str, list[str]] = {"": []}
    for option in field:
        key, equals, path = option.partition("=")
        name, colon, system = key.partition(":")
        if colon and not (name and system):
            raise OptionError(
                f"--field KEY:SYSTEM=COLUMN is wanted for several systems, not {option!r}"
            )
        found.setdefault(system, []).append(f"{name}{equals}{path}")
    return found


def each(
    found: Iterator[tuple[str, Item]], number: int
) -> Iterator[tuple[str, tuple[int, int, Item]]]:
    """Yield each (place, item) once for each system."""
    for count, (place, item) in enumerate(found, 1):
        for system in range(number):
            yield place, (count, system, item)


def maker(
    field: Iterable[str], constants: Iterable[str], note: mapping.Note = lambda what: None
) -> tuple[Callable[[Each], dict], int]:
    """Return a function from items to records, as `mapping.maker` does, and the number of systems.

    note: also called with "numbered_ids" for each record that shares the number of its item as its
        id.
    """
    named = of(field)
    common = named.pop("")
    fixed = list(constants)
    if named and any(constant.startswith("system=") for constant in fixed):
        raise OptionError("--field KEY:SYSTEM=COLUMN names the systems: leave out --set system=…")
    columns = {option.partition("=")[2] for own in named.values() for option in own}
    makers = []
    for name, own in (named or {"": []}).items():
        used = {option.partition("=")[2] for option in [*common, *own]}
        of_system = [f"system={name}"] if name else []
        makers.append(
            (_without(columns - used), mapping.maker([*common, *own], [*fixed, *of_system], note))
        )

    def make(one: Each) -> dict:
        number, system, item = one
        leave, make_record = makers[system]
        record = make_record(leave(items.require(item)))
        if named and record.get("id") is None:
            note("numbered_ids")
            record = {"id": str(number)} | record | {"id": str(number)}
        return record

    return make, len(makers)


def _without(columns: set[str]) -> Callable[[dict], dict]:
    """Return a function that leaves out columns of an item."""
    if not columns:
        return lambda item: item
    return lambda item: {key: value for key, value in item.items() if key not in columns}
