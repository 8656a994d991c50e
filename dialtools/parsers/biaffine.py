"""Words, parts of speech and heads by a parser that dt-train made.

model: the folder of the model.
upos: own, or given: words that are given (dt-parse --pretokenised) keep their
parts of speech, which the heads are predicted from.
language: the language of the model, if it names one; a record in another is an error.
device: cpu, cuda, mps, …; auto is cuda if there is one.
offline: open no socket for the model's transformer.

White space ends a word; other ends of words and the ends of sentences are
learned from the treebank.

Source: Dozat and Manning 2017, https://arxiv.org/abs/1611.01734; see
dialtools/parsing/network.py.
"""

import functools
from typing import Literal

from dialtools.languages import Language, get
from dialtools.models.checkpoints import device_of
from dialtools.parsers import _given
from dialtools.parsing import model as models
from dialtools.parsing.model import Model
from dialtools.plugins.parser import Parser
from dialtools.system.errors import MissingError, OptionError, RecordError, show

LONGEST = 500  # words of a sentence: the scores of all pairs of words are in memory


def parse(
    texts: list[str],
    *,
    language: Language,
    model: str = "",
    upos: Literal["own", "given"] = "own",
    device: str = "auto",
    offline: bool = False,
) -> list[list[dict]]:
    """Return the tokens of each text.

    model: folder that dt-train wrote.
    upos: "own"; a text gives none.
    """
    loaded = _loaded(model, language, device, offline)
    if upos == "given":
        raise OptionError("biaffine:upos=given needs words with parts of speech (--pretokenised)")
    segmented = models.sentences(loaded, texts)
    facts = iter(_facts(loaded, [sentence for text in segmented for sentence in text], upos))
    return [
        [
            {**token, **next(facts), "sent": number}
            for number, sentence in enumerate(text, 1)
            for token in sentence
        ]
        for text in segmented
    ]


def annotate(
    given: list[list[dict]],
    *,
    language: Language,
    model: str = "",
    upos: Literal["own", "given"] = "own",
    device: str = "auto",
    offline: bool = False,
) -> list[list[dict]]:
    """Return the given tokens of each text with heads, labels and (upos=own) parts of speech."""
    loaded = _loaded(model, language, device, offline)
    return _given.merged(given, _facts(loaded, _given.sentences(given), upos))


def versions(
    *,
    language: Language,
    model: str = "",
    upos: str = "own",
    device: str = "auto",
    offline: bool = False,
) -> dict[str, str]:
    """Return the beginning of the hash of the weights, and the kind of parts of speech."""
    loaded = _loaded(model, language, device, offline)
    return {"model": loaded.config["hash"][:12], "upos": upos}


def _loaded(model: str, language: Language, device: str, offline: bool) -> Model:
    if not model:
        raise MissingError("no model given: use biaffine:model=FOLDER, a folder of dt-train parser")
    loaded = _load(model, device, offline)
    wanted = loaded.config.get("lang")
    if wanted and get(wanted).code != language.code:
        raise RecordError(f"the parser in {model} is for {wanted}, the record is {language.tag}")
    return loaded


@functools.lru_cache(maxsize=4)
def _load(model: str, device: str, offline: bool) -> Model:
    loaded = models.load(model)  # checks the settings before torch is imported
    return loaded._replace(network=loaded.network.to(device_of(device)), offline=offline)


def _facts(model: Model, sentences: list[list[dict]], upos: str) -> list[dict]:
    """Return the parse of each token; RecordError for a sentence that is too long."""
    longest = max(map(len, sentences), default=0)
    if longest > LONGEST:
        raise RecordError(
            f"a sentence of {longest:,} words, at most {LONGEST:,} are supported: "
            'mark shorter sentences by the "sent" of tokens'
        )
    tags = None
    if upos == "given":
        for token in (token for sentence in sentences for token in sentence):
            if token.get("upos") is None:
                raise RecordError(
                    f"biaffine:upos=given, but the word {show(token['form'])} has no upos"
                )
        tags = [[token["upos"] for token in sentence] for sentence in sentences]
    parses = models.parse(model, list(map(_given.forms, sentences)), tags)
    return [
        {"upos": tag, "head": head, "deprel": label}
        for parse in parses
        for tag, head, label in zip(*parse, strict=True)
    ]


PARSER = Parser(parse, annotate=annotate, versions=versions)
