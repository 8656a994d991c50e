"""What parsers share: sentences of tokenized texts, and languages that a parser is for."""

from collections.abc import Iterable
from itertools import groupby

from dialtools.languages import Language
from dialtools.system.errors import RecordError, show


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
    string = ""
    for token in sentence:
        string += " " * (token["start"] - sentence[0]["start"] - len(string)) + token["form"]
    return string


def merged(given: list[list[dict]], facts: Iterable[dict]) -> list[list[dict]]:
    """Return the tokens of each text, each with the next dict of facts and with a "sent"."""
    facts = iter(facts)
    return [
        [{**token, **next(facts), "sent": token.get("sent", 1)} for token in tokens]
        for tokens in given
    ]


def check_language(name: str, language: Language, code: str, called: str) -> None:
    """Raise RecordError for a language that a parser does not know; called: the one it knows."""
    if language.code != code:
        raise RecordError(
            f"{name} parses {called}, the record is {language.tag} "
            f"(--lang {code}, if it names no language)"
        )


def versions(*libraries: str) -> dict[str, str]:
    """Return the versions of installed libraries."""
    from importlib.metadata import version

    return {library: version(library) for library in libraries}


def installed(*modules: str) -> bool:
    """Tell whether modules are installed; none is imported."""
    from importlib.util import find_spec

    return all(map(find_spec, modules))


def stretch(text: str, start: int, form: str, parser: str) -> int:
    """Return where a parser's word ends in a text; RecordError if it does not stand there."""
    end = start + len(form)
    if text[start:end] != form:
        raise RecordError(
            f"{parser}'s word {show(form)} does not stand at character {start} of {show(text)}"
        )
    return end
