"""Attributions for the eye: the texts of a record word by word, each with its weight.

A record has them of the metric attribution, under "attributions" by label.  A word's weight is the sum
of those of its parts; its level is from 0 to 4, by the largest weight of a word in the record.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

from dialtools.records import dialogue
from dialtools.tables import differences, sources

LEVELS = 4
LEAST = 0.01  # weight of a text that is shown


class ShadedWord(NamedTuple):
    """A word, space or sign; weight: of all in the record, below 0 where it speaks against."""

    text: str
    weight: float = 0.0
    level: int = 0

    @property
    def percent(self) -> str:
        """The weight as people read it."""
        return f"{100 * self.weight:.0f}".replace("-", "−")


class ShadedText(NamedTuple):
    """A turn or another text of a record; label: its number, or key; weight: without signs."""

    label: str
    words: list[ShadedWord]
    weight: float

    @property
    def percent(self) -> str:
        """The weight as people read it."""
        return f"{100 * self.weight:.0f} %"


class Attribution(NamedTuple):
    """What an output hangs on, by one metric; texts: those with 1 % of the weights or more.

    names, even: the shares of names, in percent, as people read them.
    """

    label: str
    names: str
    even: str
    texts: list[ShadedText]

    @property
    def title(self) -> str:
        """What it says of names."""
        return f"{self.names} % of the weights on names, which are {self.even} % of the parts"


def of(record: dict) -> Iterator[Attribution]:
    """Yield the attributions of a record, as the model read it; those that are damaged are left out."""
    by_label = record.get("attributions")
    for label, details in by_label.items() if isinstance(by_label, dict) else ():
        try:
            names, even = (f"{100 * details[key]:.0f}" for key in ("names", "even"))
            texts = _texts(sources.as_read(record), details["spans"])
        except (LookupError, TypeError, ValueError):  # anybody may have written it
            continue
        yield Attribution(label, names, even, texts)


def _texts(record: dict, spans: list[list]) -> list[ShadedText]:
    weights: dict[str, list[float]] = {}
    strings = dict(dialogue.strings(record))
    for pointer, start, end, weight in spans:
        by_character = weights.setdefault(pointer, [0.0] * len(strings[pointer]))
        for place in range(start, end):
            by_character[place] += weight / (end - start)

    def words(pointer: str) -> Iterator[ShadedWord]:
        place, by_character = 0, weights.get(pointer)
        for unit in differences.units(strings[pointer]):
            end = place + len(unit)
            yield ShadedWord(unit, math.fsum(by_character[place:end]) if by_character else 0.0)
            place = end

    of_texts = {
        str(number): [
            *words(f"/dialogue/{number - 1}/speaker"),
            ShadedWord(": "),
            *words(f"/dialogue/{number - 1}/text"),
        ]
        for number, _ in enumerate(dialogue.turns(record), 1)
    }
    of_texts |= {key: [*words(f"/{key}")] for key in ("text", "context") if f"/{key}" in strings}
    most = max((abs(word.weight) for line in of_texts.values() for word in line), default=0) or 1
    texts = []
    for label, line in of_texts.items():
        shaded = [word._replace(level=int(LEVELS * abs(word.weight) / most + 0.5)) for word in line]
        total = math.fsum(abs(word.weight) for word in line)
        if total >= LEAST:
            texts.append(ShadedText(label, shaded, total))
    return texts
