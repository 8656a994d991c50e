"""Words and sentences of plain text, as a network finds them."""

import re
from collections.abc import Iterable, Iterator

from dialtools.errors import need
from dialtools.languages.scripts import compiled
from dialtools.parsing import batches, network, predicting
from dialtools.parsing.batches import INSIDE, SENTENCE, SPLIT, WORD
from dialtools.parsing.predicting import Model
from dialtools.parsing.vocabulary import numbers

GROUP = 20_000  # characters at once
LONGEST = 200  # words of a sentence, about; what is longer is no sentence, but a list or rubbish


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
        for start, words in _words(cuts):
            sentence += _tokens(text, run.start(), start, words, pieces)
            if words[-1][1] == SENTENCE or len(sentence) >= LONGEST:
                yield sentence
                sentence = []
    if sentence:
        yield sentence


def _cuts(run: str, ends: list[int]) -> Iterator[tuple[int, int]]:
    """Yield where something ends in a stretch without white space, and what; nothing ends within a character."""
    for character in compiled(r"\X").finditer(run):
        last = character.end() == len(run)
        kind = ends[character.end() - 1]
        if last or kind != INSIDE:
            yield character.end(), max(kind, WORD) if last else kind


def _words(cuts: list[tuple[int, int]]) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """Yield where a written word starts, and where its parts end."""
    start, parts = 0, []
    for cut in cuts:
        parts.append(cut)
        if cut[1] != SPLIT:
            yield start, parts
            start, parts = cut[0], []


def _tokens(text: str, base: int, start: int, parts: list[tuple[int, int]], pieces: dict[str, str]) -> Iterable[dict]:
    for number, (end, _) in enumerate(parts, 1):
        form = text[base + start:base + end]
        token = {"form": form, "start": base + start, "end": base + end}
        if len(parts) > 1:
            word = pieces.get(form.lower(), form)
            token |= ({"word": word} if word != form else {}) | {"part": [number, len(parts)]}
        yield token
        start = end
