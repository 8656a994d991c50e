"""Sentences of treebanks: each is a tree, each word has a part of speech, a head and a label.

A sentence is a list of tokens as the format conllu reads them; "form" (or
"word"), "upos", "head" and "deprel" are used here.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from dialtools.plugins import registry
from dialtools.system.errors import RecordError, show
from dialtools.system.files import called, open_input

NEEDED = {"upos": "UPOS", "head": "HEAD", "deprel": "DEPREL"}


class Sentence(NamedTuple):
    """A sentence: text, tokens (start and end within the text), "FILE:LINE" of the first word."""

    text: str
    tokens: list[dict]
    place: str

    def forms(self) -> list[str]:
        """Return the words; of a multiword token, the words it stands for."""
        return [token.get("word", token["form"]) for token in self.tokens]

    def upos(self) -> list[str]:
        return [token["upos"] for token in self.tokens]

    def heads(self) -> list[int]:
        return [token["head"] for token in self.tokens]

    def labels(self, subtypes: bool) -> list[str]:
        """Return the relations, such as acl:relcl, or acl without subtypes."""
        labels = [token["deprel"] for token in self.tokens]
        return labels if subtypes else [label.partition(":")[0] for label in labels]


def read(paths: Iterable[str]) -> list[Sentence]:
    """Return the sentences of treebanks.

    Raise RecordError, with FILE:LINE, for one that is no tree, and for a file without any.
    """
    found: list[Sentence] = []
    for path in paths:
        name = called(path)
        before = len(found)
        with open_input(path) as file:
            try:
                for place, record in registry.load("formats", "conllu").call(file):
                    found += _sentences(record, place, name)
            except RecordError as error:
                reason = error.reason.partition(" (conllu:")[0]  # trees=no does not help here
                raise RecordError(reason, place=f"{name}:{error.place}") from None
        if len(found) == before:
            raise RecordError("no sentence in CoNLL-U", place=name)
    return found


def _sentences(record: dict, place: str, name: str) -> Iterator[Sentence]:
    """Yield the sentences of a record, each checked, with offsets of their own."""
    for holder in (*record.get("dialogue", ()), record):
        for _, group in groupby(holder.get("tokens") or (), key=lambda token: token["sent"]):
            tokens = list(group)
            _check_columns(tokens, place)
            start, end = tokens[0]["start"], tokens[-1]["end"]
            moved = [
                token | {"start": token["start"] - start, "end": token["end"] - start}
                for token in tokens
            ]
            yield Sentence(holder["text"][start:end], moved, f"{name}:{place}")


def _check_columns(tokens: list[dict], place: str) -> None:
    """Raise RecordError for a word without tag, head or label; the reader has checked the tree."""
    for number, token in enumerate(tokens, 1):
        for key, column in NEEDED.items():
            if key not in token:
                raise RecordError(
                    f"word {number}, {show(token['form'])}, has no {column}: "
                    "every word needs one for training",
                    place=place,
                )
