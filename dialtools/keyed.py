"""What depends on the identity of a record alone: its random numbers, its shard, whether it came before."""

import functools
from array import array
from collections.abc import Callable, Iterable
from itertools import chain
from random import Random

LATEST = 1 << 15  # digests that are in a set, which is fast
_BITS = (1 << 64) - 1


def digest(*parts: str | int) -> int:
    """Return 64 bits that depend on the parts and nothing else, on any machine (hash() would not do).

    They are those of a JSON list: 1 and "1" differ, and so do ("a", "b") and ("ab",).
    """
    quoted, blake2b = _functions()
    data = ", ".join([quoted(part) if isinstance(part, str) else str(part) for part in parts])
    return int.from_bytes(blake2b(f"[{data}]".encode(), digest_size=8).digest(), "big")


@functools.lru_cache(maxsize=1)
def _functions() -> tuple[Callable, Callable]:
    """Return what writes a string as JSON and what hashes; imports in `digest` would take half of its time."""
    from hashlib import blake2b
    from json.encoder import encode_basestring_ascii

    return encode_basestring_ascii, blake2b


def rng(seed: int, plugin: str, id: str | int, variant: int = 1) -> Random:
    """Return the random generator for one variant of one record.

    What earlier filters did, order, batch, process and shard do not matter.
    """
    return Random(digest(seed, plugin, id, variant))


def shard(id: str | int, shards: int) -> int:
    """Return the shard of a record, from 1 to `shards`."""
    return digest("shard", id) % shards + 1


class Seen:
    """A set of 64-bit digests in 12 to 24 bytes each.

    They are in an array: open addressing, never more than two thirds full.  Only the latest are in a Python set,
    which is faster, but takes about 70.
    """

    def __init__(self) -> None:
        self.latest: set[int] = set()
        self.slots = array("Q")
        self.count = 0

    def is_new(self, source: tuple) -> bool:
        """Add the hash of a tuple of strings; return whether it was new."""
        return self.add(hash(source))

    def add(self, digest: int) -> bool:
        """Add a digest; return whether it was new."""
        if digest in self.latest or (self.count and self.slots[self._slot(digest)]):
            return False
        self.latest.add(digest)
        if len(self.latest) == LATEST:
            self._settle()
        return True

    def _slot(self, digest: int) -> int:
        """Return the place of a digest, or the free one where it would be."""
        slots, digest = self.slots, _stored(digest)
        mask = len(slots) - 1
        at = digest & mask
        while slots[at] and slots[at] != digest:
            at = (at + 1) & mask
        return at

    def _settle(self) -> None:
        """Move the latest digests into the array, which grows as it must."""
        moved: list[Iterable[int]] = [self.latest]
        self.latest = set()
        self.count += LATEST
        if self.count * 3 > len(self.slots) * 2:
            moved.append(filter(None, self.slots))
            self.slots = array("Q", bytes(16 * max(len(self.slots), LATEST)))
        for digest in chain(*moved):
            self.slots[self._slot(digest)] = _stored(digest)


def _stored(digest: int) -> int:
    """Return the digest as it stands in the array, which has no signs, and 0 where a slot is free."""
    return digest & _BITS or 1
