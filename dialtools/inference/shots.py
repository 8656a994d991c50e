"""Examples for a prompt: records of a file, drawn for each record, never itself."""

from collections import defaultdict
from collections.abc import Callable, Iterable

from dialtools.records import dialogue
from dialtools.system import stable_hash
from dialtools.system.errors import RecordError


def picker(found: Iterable[dict], count: int, seed: int = 0) -> Callable[[dict], list[dict]]:
    """Return record -> its `count` shots, in the order of the file.

    They depend on the seed and the record's id.  A record with the same id, cluster
    or input is never a shot.

    >>> pick = picker([{"id": n, "text": "x" * n} for n in range(5)], 3)
    >>> [shot["id"] for shot in pick({"id": 3, "text": "xx"})]  # 2 reads the same
    [0, 1, 4]
    """
    shots = [dialogue.view(record) for record in found]
    numbers = defaultdict(set)  # of the shots that share a feature
    for number, shot in enumerate(shots):
        for shared in _shared(shot):
            numbers[shared].add(number)

    def pick(record: dict) -> list[dict]:
        barred = set().union(
            *(numbers.get(shared, ()) for shared in _shared(dialogue.view(record)))
        )
        if len(shots) - len(barred) < count:
            raise RecordError(
                f"too few shots for this record: {count} needed, {len(shots)} given, "
                f"{len(barred)} of these with its id, cluster or input",
                record,
            )
        rng = stable_hash.rng(seed, "shots", record["id"])
        drawn = rng.sample(range(len(shots)), min(len(shots), count + len(barred)))
        fitting = [number for number in drawn if number not in barred]
        return [shots[number] for number in sorted(fitting[:count])]

    return pick


def _shared(record: dict) -> set[tuple]:
    """Return the features that bar a shot if it shares one: the id, the cluster, the input."""
    shared: set[tuple] = {
        ("id", repr(record["id"])),
        ("cluster", str(record.get("cluster") or record["id"])),
    }
    body = dialogue.text(dialogue.turns(record)) or record.get("text")
    if body:
        shared.add(("input", body, record.get("context")))
    return shared
