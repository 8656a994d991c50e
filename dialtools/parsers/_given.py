"""Sentences of tokenized texts."""

from collections.abc import Iterable
from itertools import groupby


def sentences(given: Iterable[list[dict]]) -> list[list[dict]]:
    """Return the sentences of texts as lists of tokens; without "sent", a text is one sentence."""
    return [
        list(group)
        for tokens in given
        for _, group in groupby(tokens, key=lambda token: token.get("sent"))
    ]


def forms(sentence: list[dict]) -> list[str]:
    """Return the words of a sentence; of a multiword token, the words it stands for.

    >>> forms([{"form": "d", "word": "de"}, {"form": "u", "word": "le"}, {"form": "marché"}])
    ['de', 'le', 'marché']
    """
    return [token.get("word", token["form"]) for token in sentence]


def text(sentence: list[dict]) -> str:
    """Return the text of a sentence, with spaces for what stands between its words.

    >>> text([{"form": "猫", "start": 4, "end": 5}, {"form": "が", "start": 6, "end": 7}])
    '猫 が'
    """
    made = ""
    for token in sentence:
        made += " " * (token["start"] - sentence[0]["start"] - len(made)) + token["form"]
    return made


def merged(given: list[list[dict]], facts: Iterable[dict]) -> list[list[dict]]:
    """Return the tokens of each text, each with the next dict of facts and with a "sent"."""
    facts = iter(facts)
    return [
        [{**token, **next(facts), "sent": token.get("sent", 1)} for token in tokens]
        for tokens in given
    ]
