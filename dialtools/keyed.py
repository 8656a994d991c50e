"""What depends on the identity of a record alone: its random numbers, its shard, whether it came before."""

from array import array
from random import Random


def digest(*parts: str | int) -> int:
    """Return 64 bits that depend on the parts and nothing else, on any machine (hash() would not do)."""
    from hashlib import blake2b
    from json import dumps

    data = dumps(parts).encode()  # 1 and "1" differ, and so do ("a", "b") and ("ab",)
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "big")


def rng(seed: int, plugin: str, id: str | int, variant: int = 1) -> Random:
    """Return the random generator for one variant of one record.

    What earlier filters did, order, batch, process and shard do not matter.
    """
    return Random(digest(seed, plugin, id, variant))


def shard(id: str | int, shards: int) -> int:
    """Return the shard of a record, from 1 to `shards`."""
    return digest("shard", id) % shards + 1


class Seen:
    """A set of 64-bit digests in 12 to 24 bytes each; a Python set takes about 70.

    Open addressing, never more than two thirds full.
    """

    def __init__(self) -> None:
        self.slots = array("Q", bytes(8 * 1024))
        self.count = 0

    def add(self, digest: int) -> bool:
        """Add a digest; return whether it was new."""
        slots, digest = self.slots, digest or 1  # 0 marks a free slot
        mask = len(slots) - 1
        at = digest & mask
        while found := slots[at]:
            if found == digest:
                return False
            at = (at + 1) & mask
        slots[at] = digest
        self.count += 1
        if self.count * 3 > mask * 2:
            self._grow()
        return True

    def _grow(self) -> None:
        slots = array("Q", bytes(16 * len(self.slots)))
        mask = len(slots) - 1
        for digest in self.slots:
            if digest:
                at = digest & mask
                while slots[at]:
                    at = (at + 1) & mask
                slots[at] = digest
        self.slots = slots
