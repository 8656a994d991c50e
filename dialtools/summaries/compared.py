"""Sources that have variants to be compared with the original, and what to say where there is none."""

from collections.abc import Iterable, Iterator

from dialtools.errors import RecordError


class Compared:
    """Watches what `perturbed.sources` makes, in one process or several: is there a source with variants?"""

    def __init__(self) -> None:
        self.lone = self.others = False

    def add(self, source: dict, entry: object = None) -> bool:
        """Take note of a source; return whether it has variants."""
        is_lone = source.keys() == {"id", "variant", "history"}  # what failed has errors
        self.lone, self.others = self.lone or is_lone, self.others or not is_lone
        return not is_lone

    def merge(self, other: "Compared") -> None:
        """Take note of all that another one has seen."""
        self.lone, self.others = self.lone or other.lone, self.others or other.others

    def check(self) -> None:
        """Raise RecordError if there are sources, but none with variants."""
        if self.lone and not self.others:
            raise RecordError("no variants to compare with their originals: dt-perturb --keep-original")


def compared(records: Iterable[dict]) -> Iterator[dict]:
    """Yield what `perturbed.sources` makes of sources with variants; if none has any, that is a RecordError."""
    seen = Compared()
    yield from filter(seen.add, records)
    seen.check()
