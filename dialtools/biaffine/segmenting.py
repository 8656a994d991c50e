"""Words and sentences of plain text, as a network finds them."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from dialtools.biaffine import batches, network, predicting
from dialtools.biaffine.batches import INSIDE, SENTENCE, SPLIT, WORD
from dialtools.biaffine.predicting import Model
from dialtools.biaffine.vocabulary import numbers
from dialtools.errors import need
from dialtools.languages.scripts import compiled

GROUP = 20_000  # characters at once
LONGEST = 200  # words of a sentence, about; what is longer is no sentence, but a list or rubbish


class Cut(NamedTuple):
    """Where in a stretch without white space something ends, and what: a part of a word, a word, a sentence."""

    end: int
    kind: int


def sentences(model: Model, texts: list[str]) -> list[list[list[dict]]]:
    """Return the sentences of each text, as lists of tokens: form, start, end, and in multiword tokens word and part.

    White space always ends a word.
    """
    found: dict[int, list[list[dict]]] = {number: [] for number, text in enumerate(texts) if not text.strip()}
    tables, device = numbers(model.vocabulary), predicting.place(model)
    places = [number for number in range(len(texts)) if number not in found]
    with need("torch", "models").no_grad():
        for group in batches.grouped([len(texts[place]) for place in places], GROUP):
            chosen = [places[number] for number in group]
            characters = batches.characters([texts[place] for place in chosen], tables).to(device)
            ends = network.segment(model.network, characters).argmax(-1).tolist()
            for place, row in zip(chosen, ends, strict=True):
                found[place] = list(_sentences(texts[place], row, model.config["pieces"]))
    return [found[number] for number in range(len(texts))]


def _sentences(text: str, ends: list[int], pieces: dict[str, str]) -> Iterator[list[dict]]:
    sentence: list[dict] = []
    for run in re.finditer(r"\S+", text):
        cuts = list(_cuts(run[0], ends[run.start():run.end()]))
        for start, parts in _words(cuts):
            sentence += _tokens(text, run.start(), start, parts, pieces)
            if parts[-1].kind == SENTENCE or len(sentence) >= LONGEST:
                yield sentence
                sentence = []
    if sentence:
        yield sentence


def _cuts(run: str, ends: list[int]) -> Iterator[Cut]:
    """Yield the cuts of a stretch; ends: what the network says of each code point.

    Nothing ends within what people see as one character, and a word at least ends where the stretch does.
    """
    for character in compiled(r"\X").finditer(run):
        kind = ends[character.end() - 1]
        if character.end() == len(run):
            kind = max(kind, WORD)
        if kind != INSIDE:
            yield Cut(character.end(), kind)


def _words(cuts: list[Cut]) -> Iterator[tuple[int, list[Cut]]]:
    """Yield where a written word starts, and where its parts end."""
    start, parts = 0, []
    for cut in cuts:
        parts.append(cut)
        if cut.kind != SPLIT:
            yield start, parts
            start, parts = cut.end, []


def _tokens(text: str, base: int, start: int, parts: list[Cut], pieces: dict[str, str]) -> Iterator[dict]:
    """Yield the tokens of a written word; base: where its stretch begins in the text; pieces: how parts read alone."""
    for number, part in enumerate(parts, 1):
        form = text[base + start:base + part.end]
        token: dict = {"form": form, "start": base + start, "end": base + part.end}
        if len(parts) > 1:
            word = pieces.get(form.lower(), form)
            if word != form:
                token["word"] = word
            token["part"] = [number, len(parts)]
        yield token
        start = part.end
