"""The noise floor of a model: how far its outputs depend on the rest of their batches.

An entry of dt-generate in a record's history may hold "identity", what came of
generating the record once more in another batching, and of a model in int8 in
float32: 0 where both texts are the same, else the character edit distance over
the length of the longer text.
"""

from collections.abc import Iterable
from typing import Any


class Distances:
    """Gathers the distances of records as they are made."""

    def __init__(self) -> None:
        self.values: list[float] = []

    def add(self, record: dict, entry: dict) -> None:
        """Take that of a record, if it was generated twice."""
        self.values += [entry["identity"]] if "identity" in entry else []

    def merge(self, other: "Distances") -> None:
        """Take those of further records."""
        self.values += other.values


def counted(records: Iterable[dict]) -> list[float]:
    """Return the distances in the histories of records, or in their lists of several."""
    distances: list[float] = []
    for record in records:
        checks = record.get("identity_check")
        if isinstance(checks, list):
            distances += checks
        for entry in record.get("history") or ():
            if isinstance(entry, dict) and isinstance(entry.get("identity"), (int, float)):
                distances.append(entry["identity"])
    return distances


def _summary(distances: list[float]) -> dict[str, Any]:
    """Return {"checked": number, "differ": share above 0, "distance": mean} of distances, or {}.

    >>> _summary([0.0, 0.5, 0.0, 0.1])
    {'checked': 4, 'differ': 0.5, 'distance': 0.15}
    """
    if not distances:
        return {}
    return {
        "checked": len(distances),
        "differ": sum(value > 0 for value in distances) / len(distances),
        "distance": sum(distances) / len(distances),
    }


def percent(distances: list[float]) -> dict[str, Any]:
    """Return the summary as it stands beside S, in percent, or {}.

    >>> percent([0.0, 0.5])
    {'identity_checked': 2, 'identity_differ': 50.0, 'identity_distance': 25.0}
    """
    return {
        f"identity_{name}": value if name == "checked" else 100 * value
        for name, value in _summary(distances).items()
    }


def line(distances: list[float]) -> str:
    """Return what a closing line says of distances, or "" without any.

    >>> line([0.0, 0.5, 0.0, 0.1])
    '4 generated again (50.0 % differ, by 15.0 % of characters on average)'
    """
    summary = _summary(distances)
    if not summary:
        return ""
    return (
        f"{summary['checked']} generated again ({100 * summary['differ']:.1f} % differ, by "
        f"{100 * summary['distance']:.1f} % of characters on average)"
    )
