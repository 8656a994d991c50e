"""Chats of messengers: one record each, or several where nobody wrote for a while."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from dialtools.records import history

BY = "dt-convert"


def records(turns: Sequence[dict], signature: str, counts: dict[str, int], id: str = "",
            gap: int = 0) -> Iterator[dict]:
    """Yield the record of a chat, or a record for each conversation in it.

    turns: with a "time" in ISO 8601, or as it was written.
    counts: what was left out, for the history of the first record.
    gap: minutes without a message that end a conversation; 0: they are all one.
    """
    parts = list(_parted(turns, gap)) if gap else [list(turns)]
    for number, part in enumerate(parts, 1):
        named: dict = {"id": f"{id}-{number}", "cluster": id} if id and len(parts) > 1 else {}
        record = named or ({"id": id} if id else {})
        counted = {"messages": len(part), **(counts if number == 1 else {})}
        yield history.add({**record, "dialogue": part}, BY, signature, counts=counted)


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
