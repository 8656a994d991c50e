"""Where the texts of a record stand in what a model reads of it, and what may be left out of them.

Texts are followed into a prompt as names of speakers are: by the same prompt made of a record in
which they are marked.
"""

import re
from bisect import bisect_right
from collections import defaultdict, deque
from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

from dialtools.inference import prompts, views
from dialtools.inference.views import Ask
from dialtools.names import occurrences
from dialtools.names.occurrences import NamePlace
from dialtools.records import dialogue, edits
from dialtools.system.errors import RecordError, about

_READ = re.compile(r"/(?:dialogue/\d+/(?:speaker|text)|text|context)").fullmatch
_IS_WORD = re.compile(r"\w").search

TextPlace = NamePlace  # a stretch of a text of a record


class Omission(NamedTuple):
    """What is left out of a record at once: the words of a text, or a name wherever it stands.

    record: without it.
    """

    places: list[TextPlace]
    is_name: bool
    record: dict


class Located(NamedTuple):
    """What a model reads of a record; texts: (from, to, JSON Pointer) of the record's in it."""

    view: dict
    texts: list[tuple[int, int, str]]

    def token(self, start: int, end: int) -> TextPlace | None:
        """Return where a token of what is read stands in the record, without spaces around it; None
        for one of no text.

        One of two texts belongs to the first.
        """
        first = bisect_right([text[1] for text in self.texts], start)
        if first == len(self.texts) or start >= end or self.texts[first][0] >= end:
            return None
        begin, last, pointer = self.texts[first]
        start, end = max(start, begin), min(end, last)
        text = prompts.of(self.view)[start:end]
        if text.strip():
            start, end = (
                start + len(text) - len(text.lstrip()),
                end - len(text) + len(text.rstrip()),
            )
        return TextPlace(pointer, start - begin, end - begin)


def located(record: dict, ask: Ask) -> Located:
    """Return what a model reads of a record; ask: gives one view of a record, without names."""
    strings = _strings(record)
    [view] = views.naming(ask)(record)
    marks = [TextPlace(pointer, 0, len(text)) for pointer, text in strings.items()]
    with about(record):
        [marked] = ask(occurrences.marked(record, marks))
        read, pointers = prompts.of(view), defaultdict[str, deque[str]](deque)
        for pointer, text in strings.items():
            pointers[text].append(pointer)
        texts = [
            (start, end, pointers[read[start:end]].popleft())
            for start, end in occurrences.followed(read, prompts.of(marked))
            if pointers[read[start:end]]
        ]
    if not texts:
        raise RecordError("the prompt shows no text of the record", record)
    return Located(view, texts)


def units(record: dict) -> list[Omission]:
    """Return what may be left out: of each text the words that are no names of speakers, and each
    name.

    A name becomes #Person1# or the like; what else a text says goes, and its label and the names in
    it stay.
    """
    strings = _strings(record)
    bare = {key: value for key, value in dialogue.view(record).items() if key != "history"}
    names: dict[str, list[TextPlace]] = {}
    by_text = defaultdict[str, list[TextPlace]](list)
    for place in sorted(set(occurrences.of(record, dialogue.language(record)))):
        if place.pointer in strings:
            name = strings[place.pointer][place.start : place.end]
            names.setdefault(name, []).append(place)
            by_text[place.pointer].append(place)
    whole = "\n".join(strings.values())
    signs = (sign for number in count(1) if (sign := f"#Person{number}#") not in whole)

    parts = []
    for (name, places), sign in zip(names.items(), signs, strict=False):
        changes = [[*place, name, sign] for place in places]
        parts.append(Omission(places, True, edits.apply(bare, changes)[0]))
    for pointer, text in strings.items():
        ends = [0, *(place.end for place in by_text[pointer])]
        starts = [*(place.start for place in by_text[pointer]), len(text)]
        stretches = [pair for pair in zip(ends, starts, strict=True) if pair[0] < pair[1]]
        words = "".join(text[start:end] for start, end in stretches)
        if pointer.endswith("/speaker") or not _IS_WORD(words):
            continue
        changes = [
            # names on both sides stay apart
            [pointer, start, end, text[start:end], " " if start > 0 and end < len(text) else ""]
            for start, end in stretches
        ]
        places = [TextPlace(pointer, start, end) for start, end in stretches]
        parts.append(Omission(places, False, edits.apply(bare, changes)[0]))
    return parts


def _strings(record: dict) -> dict[str, str]:
    """Return {JSON Pointer: text} of the texts that a model reads."""
    return {pointer: text for pointer, text in dialogue.strings(record) if text and _READ(pointer)}


def shares(places: Sequence[TextPlace]) -> list[float]:
    """Return the part of each stretch in the length of all."""
    lengths = [place.end - place.start for place in places]
    return [length / sum(lengths) for length in lengths]
