"""Sentences of treebanks, from which a parser learns: each is a tree, each word has a part of speech,
a head and a label.

A sentence is a list of tokens as the format conllu reads them; "form" (or
"word"), "upos", "head" and "deprel" are used here.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, groupby
from typing import Any, NamedTuple

from dialtools.parsing.vocabulary import (
    INSIDE,
    SENTENCE,
    SPECIAL,
    SPLIT,
    WORD,
    Tables,
    Vocabulary,
    key,
    table,
)
from dialtools.plugins import registry
from dialtools.system.errors import RecordError, show
from dialtools.system.files import called, open_input

NEEDED = {"upos": "UPOS", "head": "HEAD", "deprel": "DEPREL"}


class TreebankSentence(NamedTuple):
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


def read(paths: Iterable[str]) -> list[TreebankSentence]:
    """Return the sentences of treebanks.

    Raise RecordError, with FILE:LINE, for one that is no tree, and for a file without any.
    """
    sentences: list[TreebankSentence] = []
    for path in paths:
        name = called(path)
        before = len(sentences)
        with open_input(path) as file:
            try:
                for place, record in registry.load("formats", "conllu").call(file):
                    sentences += _sentences(record, place, name)
            except RecordError as error:
                reason = error.reason.partition(" (conllu:")[0]  # trees=no does not help here
                raise RecordError(reason, place=f"{name}:{error.place}") from None
        if len(sentences) == before:
            raise RecordError("no sentence in CoNLL-U", place=name)
    return sentences


def _sentences(record: dict, place: str, name: str) -> Iterator[TreebankSentence]:
    """Yield the sentences of a record, each checked, with offsets of their own."""
    for holder in (*record.get("dialogue", ()), record):
        for _, group in groupby(holder.get("tokens") or (), key=lambda token: token["sent"]):
            tokens = list(group)
            for number, token in enumerate(tokens, 1):  # the reader has checked the tree
                for needed, column in NEEDED.items():
                    if needed not in token:
                        raise RecordError(
                            f"word {number}, {show(token['form'])}, has no {column}: "
                            "every word needs one for training",
                            place=place,
                        )
            start, end = tokens[0]["start"], tokens[-1]["end"]
            moved = [
                token | {"start": token["start"] - start, "end": token["end"] - start}
                for token in tokens
            ]
            yield TreebankSentence(holder["text"][start:end], moved, f"{name}:{place}")


def vocabulary_of(
    sentences: list[TreebankSentence], subtypes: bool, parent: Vocabulary | None = None
) -> Vocabulary:
    """Return the vocabulary of a treebank; a parent's entries keep their rows, new ones follow.

    A word that occurs once has no entry: it is known by its characters, as unknown words are.
    """
    forms = [form for sentence in sentences for form in sentence.forms()]
    texts = [sentence.text for sentence in sentences]
    entries = {
        "words": [word for word, count in Counter(map(key, forms)).items() if count > 1],
        "characters": list("".join(texts + forms)),
        "upos": [tag for sentence in sentences for tag in sentence.upos()],
        "labels": [label for sentence in sentences for label in sentence.labels(subtypes)],
    }
    before = {name: (parent or {}).get(name, SPECIAL) for name in entries}
    return {
        name: before[name] + sorted(set(listed) - set(before[name]))
        for name, listed in entries.items()
    }


def pieces(sentences: list[TreebankSentence]) -> dict[str, str]:
    """Return {form: word} of parts of multiword tokens whose word mostly differs from the form."""
    counts: dict[str, Counter] = {}
    for token in chain.from_iterable(sentence.tokens for sentence in sentences):
        if token.get("part"):
            form = token["form"]
            counts.setdefault(form.lower(), Counter())[token.get("word", form)] += 1
    words = {form: words.most_common(1)[0][0] for form, words in sorted(counts.items())}
    return {form: word for form, word in words.items() if word.lower() != form}


def answers(sentences: list[TreebankSentence], subtypes: bool, tables: Tables) -> dict[str, Any]:
    """Return heads and labels, (sentences, words); -100 for the root and for padding."""
    labels = [
        [tables["labels"].get(label, -100) for label in sentence.labels(subtypes)]
        for sentence in sentences
    ]
    return {
        "heads": table([[-100, *sentence.heads()] for sentence in sentences], -100),
        "labels": table([[-100, *row] for row in labels], -100),
    }


def ends(sentence: TreebankSentence) -> list[int]:
    """Return what ends at each character of a sentence."""
    kinds = [INSIDE] * len(sentence.text)
    for token in sentence.tokens:
        place, count = token.get("part", (1, 1))
        kinds[token["end"] - 1] = WORD if place == count else SPLIT
    kinds[-1] = SENTENCE
    return kinds
