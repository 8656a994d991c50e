"""Extractive systems: a dialogue as lines to choose from."""

from collections.abc import Callable

from dialtools.records import dialogue
from dialtools.system.errors import OptionError, RecordError


def extract(
    records: list[dict], choose: Callable[[list[str]], list[str]], k: int, speaker: bool
) -> list[dict]:
    """Return the chosen lines of each record, joined by newlines; "" if no turn has a text.

    choose: takes the lines of all turns with a text, in order.
    k: number of lines to choose; only checked here.
    speaker: lines are "Speaker: text", as in the dialogue; else the text alone.
    """
    if k < 1:
        raise OptionError(f"k is at least 1, not {k}")
    return [{"prediction": "\n".join(choose(_lines(record, speaker)))} for record in records]


def _lines(record: dict, speaker: bool) -> list[str]:
    turns = dialogue.turns(record)
    if not turns:
        raise RecordError("a dialogue without turns", record)
    return [
        dialogue.text([turn]) if speaker else turn["text"] for turn in turns if turn["text"].strip()
    ]
