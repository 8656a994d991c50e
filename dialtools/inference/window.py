"""A sliding window over a stream: many items under way at once, their outcomes in order."""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from dialtools.system.batches import lists, until_error
from dialtools.system.errors import RecordError

if TYPE_CHECKING:  # it changes what others import
    from multiprocessing.pool import AsyncResult, ThreadPool

ROOM = 64  # items for each of those at once that are read ahead of the one to be yielded next


def in_order(
    work: Callable[[Any], Any],
    groups: Iterable[tuple[Any, list]],
    concurrency: int,
    key: Callable[[Any], Hashable],
    *,
    stops: bool = True,
    end: Callable[[], None] = lambda: None,
) -> Iterator[tuple[Any, list]]:
    """Yield (name, what `work` makes of each item) for each (name, items), in order.

    `concurrency` items are under way at once, in threads; of those with an equal key that are in
    the window together, one.  An error ends the window, when what is under way has come.

    stops: whether the RecordError of an item ends it, too; else it stands in the place of what is
        made of the item.
    end: called at an error, so that `work` ends soon.

    An outcome that is late holds up those behind it, `ROOM` for each of `concurrency`: then no
    more is read.
    """
    from multiprocessing.pool import ThreadPool

    errors: list[Exception] = []
    # its threads do not keep an interrupted process waiting
    with ThreadPool(concurrency) as pool:
        window = _Window(pool, work, key)
        try:
            for group in until_error(_arriving(groups), errors):
                if group is not None:
                    window.add(*group)
                while window.size > ROOM * concurrency or window.is_ready():
                    yield window.first(stops)
            while window.groups:
                yield window.first(stops)
        except Exception:
            end()
            for _, results in window.groups:
                for _, result in results:
                    result.wait()
            raise
    if errors:
        raise errors[0]


def _arriving(groups: Iterable[tuple[Any, list]]) -> Iterator[tuple[Any, list] | None]:
    """Yield groups, and None where the input may pause."""
    for together in lists(groups):
        yield from together
        yield None


class _Window:
    """Groups of items under way, in order."""

    def __init__(
        self, pool: "ThreadPool", work: Callable[[Any], Any], key: Callable[[Any], Hashable]
    ):
        self.pool, self.work, self.key, self.size = pool, work, key, 0
        self.groups: deque[tuple[Any, list[tuple[Hashable, "AsyncResult"]]]] = deque()
        self.shared: dict[Hashable, list["AsyncResult"]] = {}  # one for each item with the key

    def add(self, name: Any, items: list) -> None:
        """Let a group be worked on."""
        results = []
        for item in items:
            key = self.key(item)
            equal = self.shared.setdefault(key, [])
            equal.append(equal[0] if equal else self.pool.apply_async(self._outcome, (item,)))
            results.append((key, equal[0]))
        self.groups.append((name, results))
        self.size += len(items)

    def is_ready(self) -> bool:
        """Return whether there is a first group, and is done."""
        return bool(self.groups) and all(result.ready() for _, result in self.groups[0][1])

    def first(self, stops: bool) -> tuple[Any, list]:
        """Return the first group when it is done, and let it go; raise its RecordError if asked."""
        name, results = self.groups.popleft()
        self.size -= len(results)
        outcomes = [result.get() for _, result in results]
        for key, _ in results:
            self.shared[key].pop()
            if not self.shared[key]:
                del self.shared[key]
        for outcome in outcomes:
            if stops and isinstance(outcome, RecordError):
                raise outcome
        return name, outcomes

    def _outcome(self, item: Any) -> Any:
        try:
            return self.work(item)
        except RecordError as error:
            return error
