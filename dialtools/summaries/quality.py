"""Quality: the mean of each metric over the scored records."""

from collections.abc import Iterable, Iterator


def watch(records: Iterable[dict], by: str, results: list[dict]) -> Iterator[dict]:
    """Yield scored records as they come; at their end `results` holds one dict for each system, language and metric.

    mean: of the records' scores, in the metric's own unit; it is no corpus score.
    n: number of records.  empty: how many of them had a prediction without a letter or digit.
    """
    rows: dict[tuple, dict] = {}
    for record in records:
        yield record
        entry = record["history"][-1] if record.get("history") else {}
        if entry.get("by") == by:
            for label, signature in entry["signature"].items():
                row = _row(rows, record, label, signature)
                row["n"] += 1
                row["mean"] += record["scores"][label]
                row["empty"] += entry["counts"]["empty"]
    for row in rows.values():
        row["mean"] /= row["n"]
    results += rows.values()


def summarise(records: Iterable[dict], by: str) -> Iterator[dict]:
    """Yield the results alone."""
    results: list[dict] = []
    for _ in watch(records, by, results):
        pass
    yield from results


def _row(rows: dict[tuple, dict], record: dict, label: str, signature: str) -> dict:
    """Return the row that a record counts in; records scored in different ways never share one."""
    head = {"metric": label, "system": record.get("system"), "lang": record.get("lang")}
    return rows.setdefault((*head.values(), signature),
                           {**head, "n": 0, "mean": 0.0, "empty": 0, "signature": signature})
