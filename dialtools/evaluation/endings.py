"""Whether the last source of an input is whole: a pipe whose first command died ends early."""

from collections.abc import Iterable, Iterator

from dialtools.system.errors import show


class Sizes:
    """The numbers of variants of sources: the fewest, and those of the last source."""

    def __init__(self) -> None:
        self.fewest: int | None = None  # of all sources but the last
        self.last: tuple | None = None
        self.number = 0

    def add(self, source: dict) -> None:
        """Add a source, or one more part of the last one (of one kind, one group), unless it is a
        record of one that could not be scored.
        """
        if "errors" in source and "unit" not in source:
            return
        key = source.get("system"), source["id"]
        if key != self.last:
            self._finish()
            self.last, self.number = key, 0
        self.number += source["history"][-1].get("counts", {}).get("variants", 0)

    def watched(self, sources: Iterable[dict]) -> Iterator[dict]:
        """Yield sources, and add them."""
        for source in sources:
            self.add(source)
            yield source

    def _finish(self) -> None:
        if self.last is not None:
            self.fewest = self.number if self.fewest is None else min(self.fewest, self.number)

    def merge(self, other: "Sizes") -> None:
        """Add the sources of another one, which come next."""
        if other.last is not None:
            self._finish()
            known = [number for number in (self.fewest, other.fewest) if number is not None]
            self.fewest = min(known, default=None)
            self.last, self.number = other.last, other.number

    def note(self) -> str:
        """Return that the last source has fewer variants than all others; "" if it has not."""
        if self.fewest is None or self.number >= self.fewest or self.last is None:
            return ""
        variants = "1 variant" if self.number == 1 else f"{self.number} variants"
        return (
            f"the last source ({show(self.last[1])}) has {variants}, all others {self.fewest} "
            "or more: did a command before this one end early? (set -o pipefail)"
        )


def with_note(result: dict, note: str) -> dict:
    """Return a result with one more note; gaps have those of their groups."""
    if not note:
        return result
    return result | {"note": "; ".join(filter(None, [result.get("note"), note]))}
