"""Examples for a prompt: records of a file, drawn for each record, never itself."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from dialtools import dialogue, keyed
from dialtools.errors import RecordError


def picker(found: Iterable[dict], count: int, seed: int = 0) -> Callable[[dict], list[dict]]:
    """Return record -> its `count` shots, in the order of the file.

    They depend on the seed and the record's id.  Never a shot: what has the
    id of the record or its cluster, or reads the same.

    >>> pick = picker([{"id": n, "text": "x" * n} for n in range(5)], 3)
    >>> [shot["id"] for shot in pick({"id": 3, "text": "xx"})]  # 2 reads the same
    [0, 1, 4]
    """
    shots = [dialogue.view(record) for record in found]
    alike = defaultdict(set)
    for number, shot in enumerate(shots):
        for name in _names(shot):
            alike[name].add(number)

    def pick(record: dict) -> list[dict]:
        barred = set().union(*(alike.get(name, ()) for name in _names(dialogue.view(record))))
        if len(shots) - len(barred) < count:
            raise RecordError(f"no {count} shots for this record: there are {len(shots)}, and {len(barred)} "
                              "of them are the record itself, of its cluster, or read the same", record)
        rng = keyed.rng(seed, "shots", record["id"])
        drawn = rng.sample(range(len(shots)), min(len(shots), count + len(barred)))
        return [shots[number] for number in sorted([one for one in drawn if one not in barred][:count])]

    return pick


def _names(record: dict) -> set[Any]:
    """Return what records that are alike share: an id, a cluster, the input."""
    names: set[Any] = {("id", repr(record["id"])), ("cluster", str(record.get("cluster") or record["id"]))}
    body = dialogue.text(dialogue.turns(record)) or record.get("text")
    return names | ({(body, record.get("context"))} if body else set())
