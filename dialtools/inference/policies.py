"""Policies of simultaneous translation, when to read and when to write: wait-k and local agreement.

A policy is a generator function (source, translate, text, unit) of pairs: the
number of units read, and all tokens written until then.

source: the units, words or characters.
translate(units, done): the tokens that follow the tokens `done` in a
    translation of the units.
text(tokens): the text of tokens.
unit: "word" or "char", the unit of the translation.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

Unit = Literal["word", "char"]
Translate = Callable[[list[str], list[int]], list[int]]
Text = Callable[[list[int]], str]


def units(text: str, unit: Unit) -> list[str]:
    """Return the words of a text, or its characters without spaces."""
    return text.split() if unit == "word" else [letter for letter in text if not letter.isspace()]


def wait_k(
    source: list[str], translate: Translate, text: Text, unit: Unit, *, k: int
) -> Iterator[tuple[int, list[int]]]:
    """Read k units, then write one and read one in turn; write the rest once the source has ended.

    If the model ends before the source does, it writes nothing until more is read.

    Source: Ma et al. 2019, https://aclanthology.org/P19-1289.
    """
    done: list[int] = []
    for read in range(min(k, len(source)), len(source)):
        new = translate(source[:read], done)
        counts = _counts(done, new, text, unit)
        # one more, or as many as a token has
        due = next((count for count in counts if count > counts[0]), counts[0])
        done = done + new[: _last(counts, due)]
        yield read, done
    yield len(source), done + translate(source, done)


def local_agreement(
    source: list[str], translate: Translate, text: Text, unit: Unit, *, step: int
) -> Iterator[tuple[int, list[int]]]:
    """After each `step` units translate anew, and write the agreement of the last two translations.

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
            done = done + new[: _last(counts, agreed)]
        before = now
        yield read, done
    yield len(source), done + translate(source, done)


def _counts(done: list[int], new: list[int], text: Text, unit: Unit) -> list[int]:
    """Return the numbers of units written with none of the new tokens, with one, with two, …"""
    return [len(units(text(done + new[:size]), unit)) for size in range(len(new) + 1)]


def _last(counts: list[int], most: int) -> int:
    """Return how many new tokens give at most `most` units."""
    return max(size for size, count in enumerate(counts) if count <= most)


def _alike(one: list[str], other: list[str]) -> int:
    """Return the length of the common beginning of two texts, in units."""
    count = 0
    for mine, its in zip(one, other, strict=False):
        if mine != its:
            break
        count += 1
    return count


def delays(steps: Iterable[tuple[int, list[int]]], text: Text, unit: Unit) -> tuple[str, list[int]]:
    """Return the text that a policy writes, and for each unit the number of source units read.

    A unit that grows later counts as written later.
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
