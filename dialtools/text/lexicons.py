"""Bilingual lists of words: a user's file of lines WORD TAB WORD.

Lines that begin with # and empty lines are skipped. A word that has several counterparts has the
first of them.
"""

from collections.abc import Iterable
from typing import NamedTuple

from dialtools.system import files
from dialtools.system.errors import OptionError, show


class Pair(NamedTuple):
    """A word, or several, and its counterpart in the other language."""

    # signatures hold a digest of pairs as Python shows them: another name would make others

    one: str
    two: str


class BilingualList(str):
    """A bilingual list by its file, which is read at once."""

    own: tuple[Pair, ...]

    def __new__(cls, text: str) -> "BilingualList":
        lexicon = super().__new__(cls, text)
        lexicon.own = parse(files.text(text).splitlines(), text) if text else ()
        return lexicon

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, other) is True and self.own == getattr(other, "own", None)

    __hash__ = str.__hash__

    def counterparts(self, direction: str) -> dict[str, Pair]:
        """Return {word in lower case: (as listed, its counterpart)}, forth or back."""
        pairs = self.own if direction == "forth" else [Pair(two, one) for one, two in self.own]
        return {pair.one.lower(): pair for pair in reversed(pairs)}


def parse(lines: Iterable[str], name: str) -> tuple[Pair, ...]:
    """Return the pairs of a file. Raise OptionError with the line for one that is none."""
    from unicodedata import normalize

    pairs = []
    for number, line in enumerate(lines, 1):
        cells = [normalize("NFC", " ".join(cell.split())) for cell in line.split("\t")]
        if line.startswith("#") or not any(cells):
            continue
        if len(cells) != 2 or not all(cells):
            raise OptionError(f"{name}, line {number}: WORD TAB WORD is wanted, not {show(cells)}")
        pairs.append(Pair(*cells))
    if not pairs:
        raise OptionError(f"{name}: the file has no words")
    return tuple(pairs)
