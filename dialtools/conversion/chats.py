"""Chats of messengers: one record each, or several where nobody wrote for a while."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from dialtools.records import history

BY = "dt-convert"


def records(
    turns: Sequence[dict], signature: str, counts: Mapping[str, int], id: str = "", gap: int = 0
) -> Iterator[dict]:
    """Yield the record of a chat, or a record for each conversation in it.

    turns: with a "time" in ISO 8601, or as it was written.
    counts: what was left out, for the history of the first record.
    gap: minutes without a message that end a conversation; 0: they are all one.
    """
    parts = list(_parted(turns, gap)) if gap else [list(turns)]
    for number, part in enumerate(parts, 1):
        named: dict = {"id": f"{id}-{number}", "cluster": id} if id and len(parts) > 1 else {}
        record = named or ({"id": id} if id else {})
        left_out = {name: count for name, count in counts.items() if count and number == 1}
        yield history.add(
            {**record, "dialogue": part}, BY, signature, counts={"messages": len(part), **left_out}
        )


def noted(record: dict, format: str, counts: Mapping[str, int]) -> dict:
    """Return a record with what its format left out in its history, if that is anything."""
    found = {name: count for name, count in counts.items() if count}
    return history.add(record, BY, history.signature(format), counts=found) if found else record


def _parted(turns: Sequence[dict], gap: int) -> Iterator[list[dict]]:
    """Yield the conversations of a chat; a time that cannot be told ends none."""
    part: list[dict] = []
    last: datetime | None = None
    for turn in turns:
        time = _time(turn.get("time"))
        if part and time and last and time - last > timedelta(minutes=gap):
            yield part
            part = []
        part.append(turn)
        last = time or last
    if part:
        yield part


def _time(text: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text or "")
    except ValueError:
        return None
