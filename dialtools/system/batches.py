"""Batches of records that are worked on at once; what comes before an error is not lost with it."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import chain, islice
from typing import Any, Generic, TypeVar

from dialtools.system.errors import DialtoolsError, RecordError, Unanswered

Item = TypeVar("Item")


class Listed(Generic[Item]):
    """Items in lists (or iterators) of those that came together; iterated over, one by one."""

    def __init__(self, lists: Iterable[Iterable[Item]]):
        self.lists = iter(lists)
        self.items = chain.from_iterable(self.lists)

    def __iter__(self) -> Iterator[Item]:
        return self.items

    def __next__(self) -> Item:
        return next(self.items)


def lists(items: Iterable) -> Iterator[Iterable]:
    """Return the lists of items; of those that are not listed there is one."""
    return items.lists if isinstance(items, Listed) else iter((items,))


def as_they_come(items: Iterable, size: int) -> Iterator[list]:
    """Yield lists of so many items, or of fewer where one would have to wait for more."""
    for held in lists(items):
        yield from batches(held, size)


def batches(items: Iterable, size: int) -> Iterator[list]:
    """Yield lists of so many items, the last one shorter, also before an error of the items."""
    errors: list[Exception] = []
    items = until_error(items, errors)
    while batch := list(islice(items, size)):
        yield batch
    if errors:
        raise errors[0]


def until_error(items: Iterable, errors: list[Exception]) -> Iterator:
    """Yield items; put the error that ends them into a list, to be raised later."""
    try:
        yield from items
    except (DialtoolsError, OSError) as error:
        errors.append(error)


def worked(work: Callable[[list], Iterable], batch: list) -> Iterator[Any]:
    """Yield what work makes of a batch; if it fails, of all items before the first failure.

    So neither the output nor the error depends on how records fall into batches.  An item is a
    record, or begins with one.
    """
    try:
        outputs = list(work(batch)) if batch else []
    except RecordError as error:
        if len(batch) == 1:
            raise
        if isinstance(error, Unanswered):  # it is of its record alone, and would take long again
            records = [item[0] if isinstance(item, tuple) else item for item in batch]
            for place, record in enumerate(records):
                if record is error.record:
                    yield from worked(work, batch[:place])
                    raise
        half = len(batch) // 2
        yield from worked(work, batch[:half])
        yield from worked(work, batch[half:])
    else:
        yield from outputs


def apart(
    work: Callable[[list], Iterable], key: Callable[[Any], Hashable], items: list
) -> Iterable:
    """Return what work makes of items, one output each; it gets those of one key at a time.

    >>> number = lambda words: [f"{word} of {len(words)}" for word in words]
    >>> list(apart(number, len, ["a", "bc", "d"]))
    ['a of 2', 'bc of 1', 'd of 2']
    """
    groups: dict[Hashable, list] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    if len(groups) == 1:
        return work(items)
    outputs = {name: iter(work(group)) for name, group in groups.items()}
    return [next(outputs[key(item)]) for item in items]
