"""What renaming found, replaced and left, over all records."""

from collections import Counter
from itertools import chain

SHOWN = 20  # forms that were left most often


class Totals:
    """The sums over the records of a run; by_form: and how often each form was left, which needs
    memory for each.
    """

    def __init__(self, by_form: bool = True) -> None:
        self.by_form = by_form
        self.counts: Counter = Counter()
        self.reasons: Counter = Counter()
        self.left: Counter = Counter()

    def add(self, record: dict, entry: dict) -> None:
        """Count in a record that was renamed or restored, by the entry of its history."""
        self.counts.update(
            records=1, changed=int(entry.get("changed", True)), **entry.get("counts", {})
        )
        left = entry.get("left", ())
        self.reasons.update(why for *_, why in left)
        if self.by_form:
            self.left.update(chain((text for _, _, _, text, _ in left), entry.get("unmapped", ())))

    def merge(self, other: "Totals") -> None:
        """Add the sums over further records."""
        self.counts.update(other.counts)
        self.reasons.update(other.reasons)
        self.left.update(other.left)

    def result(self) -> dict:
        """Return the sums; the forms that were left most often, with their numbers, stand last."""
        return {
            **self.counts,
            "reasons": dict(self.reasons.most_common()),
            "left_most": dict(self.left.most_common(SHOWN)),
        }
