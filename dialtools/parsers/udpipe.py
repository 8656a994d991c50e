"""Words, lemmas, parts of speech and heads by a UDPipe 1 model, from a file.

model: the file, published by UDPipe or your own, such as jv.udpipe; nothing
checks that it is for the language of the records.  A model without tagger or
parser finds only words.

Source: Straka and Straková 2017, UDPipe 1.2, https://aclanthology.org/K17-3009.
"""

import functools
import os
from collections.abc import Iterator
from typing import Any

from dialtools.languages import Language
from dialtools.parsers import _given
from dialtools.plugins.parser import Parser
from dialtools.records import history, tokens
from dialtools.system.errors import MissingError, RecordError, need

_COLUMNS = {
    "lemma": "lemma",
    "upos": "upostag",
    "xpos": "xpostag",
    "feats": "feats",
    "deprel": "deprel",
}


def parse(texts: list[str], *, language: Language, model: str | None = None) -> list[list[dict]]:
    """Return the tokens of each text; model: the file."""
    parsed = []
    for text in texts:
        tokens: list[dict] = []
        for number, sentence in enumerate(_sentences(text, model), 1):
            _annotate(sentence, model)
            tokens += [{**token, "sent": number} for token in _tokens(sentence, text)]
        parsed.append(tokens)
    return parsed


def annotate(
    given: list[list[dict]], *, language: Language, model: str | None = None
) -> list[list[dict]]:
    """Return the given tokens of each text with the model's annotation."""
    facts: list[dict] = []
    for words in map(_given.forms, _given.sentences(given)):
        sentence = _udpipe().Sentence()
        for word in words:
            sentence.addWord(word)
        _annotate(sentence, model)
        facts += map(_facts, list(sentence.words)[1:])
    return _given.merged(given, facts)


def versions(*, language: Language, model: str | None = None) -> dict[str, str]:
    """Return the version of the library, and the name of the model with digits of its hash."""
    name = os.path.basename(model or "").removesuffix(".udpipe")
    return {
        **_given.versions("ufal.udpipe"),
        "model": f"{name}-{history.digits_of(model)}" if model else name,
    }


def _udpipe() -> Any:
    return need("ufal.udpipe", "parse")


@functools.lru_cache(maxsize=4)
def _loaded(model: str | None) -> Any:
    if not model:
        raise MissingError("no model given: use udpipe:model=FILE.udpipe")
    _udpipe()
    if not os.path.isfile(model):
        raise MissingError(f"there is no file {model}: udpipe:model names a UDPipe model")
    loaded = _udpipe().Model.load(model)
    if loaded is None:
        raise MissingError(f"{model} is not a model of UDPipe 1")
    return loaded


def _sentences(text: str, model: str | None) -> Iterator[Any]:
    """Yield the sentences of a text, without annotation."""
    # A new tokenizer for each text: it would count on.
    tokenizer = _loaded(model).newTokenizer(_udpipe().Model.TOKENIZER_RANGES)
    if tokenizer is None:
        raise MissingError(f"{model} has no tokenizer: it needs tokenized texts (--pretokenised)")
    tokenizer.setText(text)
    error = _udpipe().ProcessingError()
    sentence = _udpipe().Sentence()
    while tokenizer.nextSentence(sentence, error):
        yield sentence
        sentence = _udpipe().Sentence()
    if error.occurred():
        raise RecordError(f"udpipe fails: {error.message}")


def _annotate(sentence: Any, model: str | None) -> None:
    """Tag and parse a sentence in place, as far as the model can."""
    udpipe = _udpipe()
    for step in (_loaded(model).tag, _loaded(model).parse):
        error = udpipe.ProcessingError()
        done = step(sentence, udpipe.Model.DEFAULT, error)
        if not done and " defined for the UDPipe model" not in error.message:
            raise RecordError(f"udpipe fails: {error.message}")


def _tokens(sentence: Any, text: str) -> Iterator[dict]:
    """Yield the tokens of a sentence of a text."""
    words = list(sentence.words)[1:]  # the first is the root
    shared = {token.idFirst: token for token in sentence.multiwordTokens}
    while words:
        written = shared.get(words[0].id)
        count = written.idLast - written.idFirst + 1 if written else 1
        group, words = words[:count], words[count:]
        range_of = written or group[0]
        start, end = range_of.getTokenRangeStart(), range_of.getTokenRangeEnd()
        spans = [{"form": text[start:end], "start": start, "end": end}]
        if count > 1:
            spans = tokens.spread(text[start:end], start, [word.form for word in group])
        yield from ({**span, **_facts(word)} for span, word in zip(spans, group, strict=True))


def _facts(word: Any) -> dict:
    """Return the model's annotation of a word."""
    facts = {key: getattr(word, name) for key, name in _COLUMNS.items() if getattr(word, name)}
    return facts | ({"head": word.head} if word.head >= 0 else {})


PARSER = Parser(parse, annotate=annotate, versions=versions)
