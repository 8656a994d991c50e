"""What renaming found, replaced and left, over all records."""

from collections import Counter
from collections.abc import Iterable, Iterator

SHOWN = 20  # forms that were left most often


class Totals:
    """The sums over the records of a run."""

    def __init__(self) -> None:
        self.counts: Counter = Counter()
        self.reasons: Counter = Counter()
        self.left: Counter = Counter()

    def add(self, entry: dict) -> None:
        """Count in the history entry of a record that was renamed or restored."""
        self.counts.update(records=1, changed=entry.get("changed", True), **entry.get("counts", {}))
        for _, _, _, text, why in entry.get("left", ()):
            self.reasons[why] += 1
            self.left[text] += 1
        self.left.update(entry.get("unmapped", ()))

    def result(self) -> dict:
        """Return the sums; the forms that were left most often, with their numbers, stand last."""
        return {**self.counts, "reasons": dict(self.reasons.most_common()),
                "left_most": dict(self.left.most_common(SHOWN))}


def watch(records: Iterable[dict], totals: Totals, by: str) -> Iterator[dict]:
    """Yield the records as they come, and count them in."""
    for record in records:
        entry = record["history"][-1] if record.get("history") else {}
        if entry.get("by") == by and not ("errors" in record and "variant" not in record):
            totals.add(entry)
        yield record
