"""Words and sentences of plain text, as a network segments it."""

import re
from collections.abc import Iterator

from dialtools.languages.scripts import compiled
from dialtools.parsing import batches, network
from dialtools.parsing.batches import INSIDE, SENTENCE, SPLIT, WORD
from dialtools.parsing.model import Model
from dialtools.parsing.vocabulary import numbers
from dialtools.system.errors import need

GROUP = 20_000  # characters of a batch, at most
LONGEST = 200  # words of a sentence, about; longer ones are lists or noise


def sentences(model: Model, texts: list[str]) -> list[list[list[dict]]]:
    """Return the sentences of each text as lists of tokens; white space always ends a word.

    A token has form, start and end, and in a multiword token also word and part.
    """
    found: dict[int, list[list[dict]]] = {}
    tables, pieces = numbers(model.vocabulary), model.config["pieces"]
    places = [place for place, text in enumerate(texts) if text.strip()]
    with need("torch", "models").no_grad():
        for group in batches.grouped([len(texts[place]) for place in places], GROUP):
            chosen = [places[number] for number in group]
            characters = batches.characters([texts[place] for place in chosen], tables)
            scores = network.segment(model.network, characters.to(model.device()))
            for place, ends in zip(chosen, scores.argmax(-1).tolist(), strict=True):
                found[place] = list(_sentences(texts[place], ends, pieces))
    return [found.get(number, []) for number in range(len(texts))]


def _sentences(text: str, ends: list[int], pieces: dict[str, str]) -> Iterator[list[dict]]:
    """Yield the sentences of a text; ends: what ends at each character."""
    sentence: list[dict] = []
    for run in re.finditer(r"\S+", text):
        start = run.start()
        parts: list[int] = []  # ends of the parts of a word
        for end, kind in _cuts(run, ends):
            parts.append(end)
            if kind != SPLIT:
                sentence += _tokens(text, start, parts, pieces)
                start, parts = end, []
                if kind == SENTENCE or len(sentence) >= LONGEST:
                    yield sentence
                    sentence = []
    if sentence:
        yield sentence


def _cuts(run: re.Match, ends: list[int]) -> Iterator[tuple[int, int]]:
    """Yield (end, kind) of what ends in a run without white space.

    Nothing ends inside a grapheme; at the end of the run at least a word ends.
    """
    for character in compiled(r"\X").finditer(run[0]):
        end = run.start() + character.end()
        kind = max(ends[end - 1], WORD) if end == run.end() else ends[end - 1]
        if kind != INSIDE:
            yield end, kind


def _tokens(text: str, start: int, ends: list[int], pieces: dict[str, str]) -> Iterator[dict]:
    """Yield the tokens of a written word; ends: of its parts; pieces: {form: word} of parts."""
    for number, end in enumerate(ends, 1):
        form = text[start:end]
        token: dict = {"form": form, "start": start, "end": end}
        if len(ends) > 1:
            word = pieces.get(form.lower(), form)
            if word != form:
                token["word"] = word
            token["part"] = [number, len(ends)]
        yield token
        start = end
