"""When to read and when to write, where a source comes unit by unit: wait-k and local agreement.

A policy is a generator function (source, translate, text, unit) of pairs: how
many units of the source had been read, and all tokens written until then.

source: the units, words or characters.
translate(units, done): the tokens that follow the tokens `done` in a
    translation of the units.
text(tokens): what tokens are as text.
unit: "word" or "char", in which the text is counted.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

Unit = Literal["word", "char"]
Translate = Callable[[list[str], list[int]], list[int]]
Text = Callable[[list[int]], str]


def units(text: str, unit: Unit) -> list[str]:
    """Return the words of a text, or its characters that are no spaces."""
    return text.split() if unit == "word" else [letter for letter in text if not letter.isspace()]


def wait_k(source: list[str], translate: Translate, text: Text, unit: Unit, *,
           k: int) -> Iterator[tuple[int, list[int]]]:
    """Read k units, then write one and read one in turn; write the rest where the source has ended.

    Where the model comes to an end before the source does, nothing is written until more is read.

    Source: Ma et al. 2019, https://aclanthology.org/P19-1289.
    """
    done: list[int] = []
    for read in range(min(k, len(source)), len(source)):
        new = translate(source[:read], done)
        counts = _counts(done, new, text, unit)
        due = next((count for count in counts if count > counts[0]), counts[0])  # one more, or all that a token has
        done = done + new[:_last(counts, due)]
        yield read, done
    yield len(source), done + translate(source, done)


def local_agreement(source: list[str], translate: Translate, text: Text, unit: Unit, *,
                    step: int) -> Iterator[tuple[int, list[int]]]:
    """After each `step` units translate anew, and write that in which the last two translations agree.

    Source: LA-2 of Liu et al. 2020, https://arxiv.org/abs/2005.11185.
    """
    done: list[int] = []
    before: list[str] = []
    for read in range(min(step, len(source)), len(source), step):
        new = translate(source[:read], done)
        now = units(text(done + new), unit)
        agreed = _alike(before, now)
        counts = _counts(done, new, text, unit)
        if agreed > counts[0]:
            done = done + new[:_last(counts, agreed)]
        before = now
        yield read, done
    yield len(source), done + translate(source, done)


def _counts(done: list[int], new: list[int], text: Text, unit: Unit) -> list[int]:
    """Return how many units are written with none of the new tokens, with one, with two, and so on."""
    return [len(units(text(done + new[:size]), unit)) for size in range(len(new) + 1)]


def _last(counts: list[int], most: int) -> int:
    """Return how many new tokens may be written so that there are no more units than `most`."""
    return max(size for size, count in enumerate(counts) if count <= most)


def _alike(one: list[str], other: list[str]) -> int:
    """Return with how many units two texts both begin."""
    count = 0
    for mine, its in zip(one, other, strict=False):
        if mine != its:
            break
        count += 1
    return count


def delays(steps: Iterable[tuple[int, list[int]]], text: Text, unit: Unit) -> tuple[str, list[int]]:
    """Return the text that a policy writes, and for each unit how many units of the source had been read.

    A unit that gets longer later was written later.
    """
    found: list[int] = []
    before: list[str] = []
    written = ""
    for read, done in steps:
        written = text(done)
        now = units(written, unit)
        same = _alike(before, now)
        found = found[:same] + [read] * (len(now) - same)
        before = now
    return written, found
