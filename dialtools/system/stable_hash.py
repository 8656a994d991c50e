"""What depends on a record's identity alone: its random numbers, its shard, whether it is new."""

import functools
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # else all commands would import it
    from random import Random

LATEST = 1 << 15  # digests that are in a set, which is fast
# digests of an array that is merged with another: for that they are Python integers, 40 bytes each
LARGEST = 1 << 20
_BITS = (1 << 64) - 1
_LONGEST_NUMBER = 18  # digits, so that twice the number is below 2^63


def digest(*parts: str | int) -> int:
    """Return 64 bits that depend on the parts alone, on any machine (unlike hash()).

    They are those of a JSON list: 1 and "1" differ, and so do ("a", "b") and ("ab",).
    """
    quoted, blake2b, _ = _functions()
    data = ", ".join([quoted(part) if isinstance(part, str) else str(part) for part in parts])
    return int.from_bytes(blake2b(f"[{data}]".encode(), digest_size=8).digest(), "big")


def rank(id: str | int) -> int:
    """Return 64 bits by which ids are sorted: whole numbers by their size, then others by a hash.

    >>> rank(9) < rank("9") < rank("10") < rank("nine")
    True
    """
    text = str(id)
    if text.isdecimal() and len(text) <= _LONGEST_NUMBER and str(int(text)) == text:
        return 2 * int(text) + isinstance(id, str)
    return 1 << 63 | digest("cluster", id) >> 1


@functools.lru_cache(maxsize=1)
def _functions() -> tuple[Callable, Callable, Callable]:
    """Return a JSON string writer, a hash and a generator's class; to import them in the functions
    that use them would take half of the time.
    """
    from hashlib import blake2b
    from json.encoder import encode_basestring_ascii
    from random import Random

    return encode_basestring_ascii, blake2b, Random


def rng(seed: int, plugin: str, id: str | int, variant: int = 1) -> "Random":
    """Return the random generator for one variant of one record.

    What earlier filters did, order, batch, process and shard do not matter.
    """
    return _functions()[2](digest(seed, plugin, id, variant))


class ChosenIds(NamedTuple):
    """An exact share of all sources, chosen by their ids; their order does not matter."""

    seed: int
    last: int  # digest of the last that is in it, by rank

    def holds(self, id: str | int) -> bool:
        """Return whether a source is one of the share."""
        return digest(self.seed, "share", id) <= self.last


def share(ids: Iterable[str | int], part: float, seed: int) -> ChosenIds:
    """Return round(part * number of ids) of the sources; an id may come several times.

    >>> sum(share(range(7), 0.4, 1).holds(id) for id in range(7))  # 2.8
    3
    """
    digests = sorted({digest(seed, "share", id) for id in ids})
    number = round(part * len(digests))
    return ChosenIds(seed, digests[number - 1] if number else -1)


def shard(id: str | int, shards: int) -> int:
    """Return the shard of a record, from 1 to `shards`."""
    return digest("shard", id) % shards + 1


class Seen:
    """A set of 64-bit digests that takes 8 bytes for each.

    They are in sorted arrays.  Only the latest are in a Python set, which takes about 70 bytes for
    each.
    """

    def __init__(self) -> None:
        self.latest: set[int] = set()
        self.blocks: list[array] = []

    def is_new(self, source: tuple) -> bool:
        """Add the hash of a tuple of strings; return whether it was new."""
        return self.add(hash(source) & _BITS)

    def add(self, digest: int) -> bool:
        """Add a digest, from 0; return whether it was new."""
        if digest in self.latest:
            return False
        for block in self.blocks:
            place = bisect_left(block, digest)
            if place < len(block) and block[place] == digest:
                return False
        self.latest.add(digest)
        if len(self.latest) == LATEST:  # they go into an array, merged with those not larger
            block = array("Q", sorted(self.latest))
            self.latest = set()
            while self.blocks and len(self.blocks[-1]) <= len(block) < LARGEST:
                block = array("Q", sorted(chain(self.blocks.pop(), block)))
            self.blocks.append(block)
        return True
