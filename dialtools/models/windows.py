"""Texts that are longer than a model has positions, read in windows that overlap by half.

A token has the state that it has in the window in which it is farthest from either end.
"""

from typing import Any, NamedTuple


class Frame(NamedTuple):
    """How many tokens a model puts around a text."""

    before: int
    around: int  # before it and after it


def rows(ids: list[int], frame: Frame, limit: int, several: bool) -> list[list[int]]:
    """Return a text's tokens as rows of up to `limit`, each with the frame around it; without
    several, the first.
    """
    first, inner, last = _parts(ids, frame)
    room = _room(frame, limit)
    starts = _starts(len(inner), room) if several else [0]
    return [first + inner[at : at + room] + last for at in starts]


def joined(ids: list[int], states: list[Any], frame: Frame, limit: int) -> tuple[list[int], Any]:
    """Return the tokens that were read, and their states, (tokens, dim), from those of the rows."""
    first, inner, last = _parts(ids, frame)
    room, before = _room(frame, limit), frame.before
    if len(states) == 1:
        return first + inner[:room] + last, states[0]
    import numpy

    starts = _starts(len(inner), room)
    parts = [states[0][:before]]
    # a window gives what is nearer to its middle than to those of its neighbours
    for at, start in enumerate(starts):
        begin = (starts[at - 1] + room + start) // 2 if at else 0
        end = (start + room + starts[at + 1]) // 2 if at + 1 < len(starts) else start + room
        parts.append(states[at][before + begin - start : before + end - start])
    return ids, numpy.concatenate([*parts, states[-1][before + room :]])


def _parts(ids: list[int], frame: Frame) -> tuple[list[int], list[int], list[int]]:
    end = len(ids) - (frame.around - frame.before)
    return ids[: frame.before], ids[frame.before : end], ids[end:]


def _room(frame: Frame, limit: int) -> int:
    """Return how many tokens of a text there is room for in a row."""
    return max(1, limit - frame.around)


def _starts(tokens: int, room: int) -> list[int]:
    """Return where windows begin; the last one ends with the text.

    >>> _starts(9, 4), _starts(3, 4)
    ([0, 2, 4, 5], [0])
    """
    return [*range(0, tokens - room, max(1, room // 2)), tokens - room] if tokens > room else [0]
