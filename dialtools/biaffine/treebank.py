"""Sentences of treebanks: each is one tree, each word has a part of speech, a head and a label.

A sentence is a list of tokens as the format conllu reads them; of these count
here "form" (or "word"), "upos", "head" and "deprel".
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from dialtools import registry
from dialtools.errors import RecordError, show
from dialtools.files import called, open_input

NEEDED = {"upos": "UPOS", "head": "HEAD", "deprel": "DEPREL"}


class Sentence(NamedTuple):
    """A sentence: its text, its tokens (start and end within the text), and "FILE:LINE" of its first word."""

    text: str
    tokens: list[dict]
    place: str

    def forms(self) -> list[str]:
        """Return the words, parts of multiword tokens as they read alone."""
        return [token.get("word", token["form"]) for token in self.tokens]

    def heads(self) -> list[int]:
        return [token["head"] for token in self.tokens]

    def labels(self, subtypes: bool) -> list[str]:
        """Return the relations, such as acl:relcl; acl without subtypes."""
        return [token["deprel"] if subtypes else token["deprel"].partition(":")[0] for token in self.tokens]


def read(paths: Iterable[str]) -> list[Sentence]:
    """Return the sentences of treebanks; RecordError, with FILE:LINE, for one that is no tree, or for none at all."""
    found: list[Sentence] = []
    for path in paths:
        name = called(path)
        before = len(found)
        with open_input(path) as file:
            try:
                for place, record in registry.load("formats", "conllu").call(file):
                    found += _sentences(record, place, name)
            except RecordError as error:
                reason = error.reason.partition(" (conllu:")[0]  # an option of dt-convert, and training wants trees
                raise RecordError(reason, place=f"{name}:{error.place}") from None
        if len(found) == before:
            raise RecordError("no sentence in CoNLL-U", place=name)
    return found


def _sentences(record: dict, place: str, name: str) -> Iterator[Sentence]:
    """Yield the sentences of a record, each checked, as texts of their own."""
    for holder in (*record.get("dialogue", ()), record):
        for _, group in groupby(holder.get("tokens") or (), key=lambda token: token["sent"]):
            tokens = list(group)
            start, end = tokens[0]["start"], tokens[-1]["end"]
            problem = _problem(tokens)
            if problem:
                raise RecordError(problem, place=place)
            moved = [{**token, "start": token["start"] - start, "end": token["end"] - start} for token in tokens]
            yield Sentence(holder["text"][start:end], moved, f"{name}:{place}")


def _problem(tokens: list[dict]) -> str | None:
    """Return what a word lacks, or None; that heads make one tree the reader has seen to."""
    return next((f"word {number}, {show(token['form'])}, has no {column}: training needs it of every word"
                 for number, token in enumerate(tokens, 1) for key, column in NEEDED.items() if key not in token), None)
