"""Records that results lack: those that were skipped or failed."""

from collections import Counter
from collections.abc import Iterable, Iterator


class Lost:
    """How many there are, by their system and language; None for unreadable ones."""

    def __init__(self) -> None:
        self.skipped: Counter = Counter()
        self.failed: Counter = Counter()

    def skip(self, record: dict | None) -> None:
        """Count a record that is left out."""
        self.skipped[_owner(record)] += 1

    def keep(self, record: dict) -> None:
        """Count a record that failed and is kept."""
        self.failed[_owner(record)] += 1

    def added_to(self, results: Iterable[dict]) -> Iterator[dict]:
        """Yield results, those with a chain with how many records of theirs are lacking."""
        for result in results:
            if isinstance(result, dict) and "chain" in result:  # not a line of dt-show
                owner = result.get("system"), result.get("lang")
                numbers = {
                    "skipped": self.skipped[owner] + self.skipped[None],
                    "failed": result.get("failed", 0) + self.failed[owner],
                }
                result = result | {name: number for name, number in numbers.items() if number}
            yield result


def _owner(record: dict | None) -> tuple | None:
    """Return the system and the language of a record; None if it does not tell them."""
    lang, system = (record or {}).get("lang"), (record or {}).get("system")
    is_told = isinstance(lang, str) and isinstance(system, (str, type(None)))
    return (system, lang) if is_told else None
