"""Keys of a keyboard: which lie beside each other, and how often fingers make each error."""

from bisect import bisect
from collections.abc import Sequence
from random import Random

REACH = 1.3  # key widths between the centres of neighbours
KINDS = ("substitute", "transpose", "omit", "double")
_SUMS = (0.50, 0.70, 0.85)  # of the shares of the kinds, one after the other, but for the last


def neighbours(rows: Sequence[str], offsets: Sequence[float]) -> dict[str, str]:
    """Return the letters and signs on the keys around each one; no digits, no punctuation."""
    keys = [
        (letter, column + offset, row)
        for row, (letters, offset) in enumerate(zip(rows, offsets, strict=True))
        for column, letter in enumerate(letters)
        if letter.isalpha() or is_mark(letter)
    ]
    return {
        letter: "".join(
            other
            for other, at, line in keys
            if other != letter and (at - x) ** 2 + (line - y) ** 2 <= REACH**2
        )
        for letter, x, y in keys
    }


def is_mark(letter: str) -> bool:
    """Tell whether a character is a vowel sign or another mark that needs a letter before it."""
    import unicodedata

    return unicodedata.category(letter) in ("Mn", "Mc")


def error(rng: Random, kind: str) -> str:
    """Return the kind of error that is asked for, or one of the four at random by their shares."""
    if kind != "any":
        return kind
    return KINDS[bisect(_SUMS, rng.random())]


def one(rng: Random, choices: Sequence):
    """Return one of some choices; three times faster than rng.choice."""
    return choices[int(rng.random() * len(choices))]
