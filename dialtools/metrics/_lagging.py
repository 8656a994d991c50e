"""Delays of simultaneous output: how much of the source had been read when each token was written.

A record has "delays", a number for each word of the prediction (with unit=char, for each
character but spaces) in tokens or milliseconds of the source, and "source_length" in the same
unit. "elapsed" includes computing time. The names are those of SimulEval's logs.
"""

from collections.abc import Callable, Sequence
from typing import Literal

from dialtools.records.wellformed import is_number
from dialtools.system.errors import RecordError, show

Unit = Literal["word", "char"]


def length(text: str, unit: Unit) -> int:
    """Return the number of words in a text, or of characters but spaces."""
    words = text.split()
    return len(words) if unit == "word" else sum(map(len, words))


def needs(aware: bool) -> tuple[str, ...]:
    """Return the columns of delays, without or with computing time."""
    return ("elapsed" if aware else "delays", "source_length")


def left_out(*columns: Sequence) -> list[dict[str, int]]:
    """Return {"no_delays": 1} for each record without words; delays are the last column but one."""
    return [{} if delays else {"no_delays": 1} for delays in columns[-2]]


def checked(
    predictions: Sequence[str], delays: Sequence, lengths: Sequence, unit: Unit
) -> list[tuple[list, float]]:
    """Return delays and source length of each record. Raise RecordError if they do not fit."""
    return [
        (_delays(own, prediction, unit), _length(source))
        for prediction, own, source in zip(predictions, delays, lengths, strict=True)
    ]


def average(lag: Callable[[int], float], references: Sequence[str], unit: Unit) -> float:
    """Return the mean lag over the references of a record; lag: reference length -> lag."""
    sizes = [length(text, unit) for text in references]
    if not all(sizes):
        raise RecordError("no reference with words, whose number is needed (dal does without)")
    return sum(map(lag, sizes)) / len(sizes)


def lagging(delays: Sequence[float], source: float, target: int) -> float:
    """Return the mean lag behind the ideal, up to the end of the source.

    target: how many words the ideal writes while the source lasts.
    """
    last = next((number for number, delay in enumerate(delays, 1) if delay >= source), len(delays))
    return (
        sum(delay - number * source / target for number, delay in enumerate(delays[:last])) / last
    )


def _delays(value: object, prediction: str, unit: Unit) -> list[float]:
    if not isinstance(value, list) or not all(map(is_number, value)):
        raise RecordError(f"delays are a list of numbers, here is {show(value)}")
    size = length(prediction, unit)
    if len(value) != size:
        other: Unit = "char" if unit == "word" else "word"
        hint = f"; unit={other}?" if len(value) == length(prediction, other) else ""
        raise RecordError(f"{len(value)} delays for {size} {unit}s of the prediction{hint}")
    if any(after < before for before, after in zip(value, value[1:], strict=False)):
        raise RecordError(f"a delay is shorter than the one before it: {show(value)}")
    return value


def _length(value: object) -> float:
    if not is_number(value) or value <= 0:  # type: ignore[operator]
        raise RecordError(f'"source_length" is a number above 0, here is {show(value)}')
    return value  # type: ignore[return-value]
