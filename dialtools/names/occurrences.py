"""Where the names of speakers stand in a record, in texts made of it, and in their tokens.

What stands there is known by the record, not by the text: a variant of dt-swap-names has its names
where its source has them, moved by the edits in its history; any other record has them in the
labels of its turns, and where dt-swap-names would find them.  To follow them into a text that is
made of a record, such as a prompt, each is put between two signs that no text has.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from dialtools.languages import Language, get
from dialtools.names import forms, roster, swaps
from dialtools.names import lexicon as lexicons
from dialtools.names.record_texts import RecordTexts
from dialtools.records import dialogue, edits, history
from dialtools.system.errors import RecordError

BEGIN, END = "\ufdd0", "\ufdd1"  # noncharacters of Unicode: for use within a program alone
Span = tuple[int, int]  # in code points


class NamePlace(NamedTuple):
    """A name in a record whose dialogue is a list of turns."""

    pointer: str  # a JSON Pointer to a text
    start: int
    end: int


def of(record: dict, language: Language) -> list[NamePlace]:
    """Return where the names of speakers stand in a record, labels and references included."""
    source, entries = history.before_swap(record)
    renamed = {old for entry in entries for old in entry.get("names") or ()}
    mentions: list[list[Any]] = []
    if renamed or source.get("people") or dialogue.turns(source):
        # others who were renamed are mentioned as well
        lexicon = lexicons.of(language)
        texts = RecordTexts(source, lexicon)
        people = roster.people(texts, renamed)
        names = {person["name"]: person["name"] for person in people}
        aliases = forms.of_aliases(people, names, lexicon)
        mentions = [[*span, "", ""] for span in swaps.mentions(texts, names, aliases)]
    if isinstance(source.get("dialogue"), str):
        mentions = dialogue.flatten(source["dialogue"], mentions)
    spans = [(pointer, start, end) for pointer, start, end, *_ in mentions]
    for entry in entries:
        spans = edits.moved(spans, entry["edits"], record)
    if isinstance(record.get("dialogue"), str):
        spans = dialogue.unflatten(record["dialogue"], spans)

    labels = (
        (f"/dialogue/{number}/speaker", turn["speaker"])
        for number, turn in enumerate(dialogue.turns(record))
    )
    places = [
        NamePlace(pointer, len(label) - len(label.lstrip()), len(label.rstrip()))
        for pointer, label in labels
        if label.strip()
    ]
    return [*places, *(NamePlace(*span) for span in spans)]


def marked(record: dict, places: Iterable[NamePlace]) -> dict:
    """Return a record, its dialogue as a list of turns, with each name between BEGIN and END."""
    view = dialogue.view(record)
    texts = dict(dialogue.strings(view))
    marks = []
    for pointer, start, end in places:
        name = texts[pointer][start:end]
        marks.append([pointer, start, end, name, f"{BEGIN}{name}{END}"])
    return edits.apply(view, marks)[0]


def unmarked(text: str) -> tuple[str, list[Span]]:
    """Return a text without the signs, and where the names stand in it.

    >>> unmarked(f"Hi {BEGIN}Ann{END}!")
    ('Hi Ann!', [(3, 6)])
    """
    parts, spans, length = [], [], 0
    start = None
    for part in re.split(f"([{BEGIN}{END}])", text):
        if part == BEGIN:
            start = length
        elif part == END and start is not None:
            spans.append((start, length))
            start = None
        elif part != END:
            parts.append(part)
            length += len(part)
    return "".join(parts), spans


def followed(text: str, marked_text: str) -> list[Span]:
    """Return where the names stand in a text, by the same text made of a marked record.

    Raise RecordError if it is not the same but for the signs.
    """
    same, spans = unmarked(marked_text)
    if same != text:
        raise RecordError(
            "the names of speakers cannot be followed into the prompt: the template "
            "compares, cuts or counts what holds them"
        )
    return spans


def of_text(text: str, language: Language) -> list[Span]:
    """Return where names of speakers stand in a text by itself: nowhere, if it is no dialogue of
    "Name: text" lines.
    """
    places = sorted(of({"dialogue": text}, language), key=lambda place: place.pointer)
    flat = dialogue.flatten(text, [[*place, "", ""] for place in places])
    return sorted((start, end) for _, start, end, *_ in flat)


def of_tokens(text: str, offsets: Sequence[Span], lang: str) -> tuple[int, ...]:
    """Return the numbers of names for the tokens of a text by itself; lang: a tag."""
    return numbered(offsets, of_text(text, get(lang)))


def numbered(offsets: Sequence[Span], spans: Iterable[Span]) -> tuple[int, ...]:
    """Return for each token the number, from 1, of the name that it is a part of, 0 for none.

    offsets: where tokens stand; one that also holds other signs, such as a space, is part of it.

    >>> numbered([(0, 0), (0, 2), (2, 3), (3, 4), (4, 8)], [(0, 3), (5, 8)])
    (0, 1, 1, 0, 2)
    """
    ordered = sorted(spans)
    ends = [end for _, end in ordered]
    numbers = []
    for start, end in offsets:
        first = bisect_right(ends, start)  # the first name that ends behind the token's beginning
        is_part = start < end and first < len(ordered) and ordered[first][0] < end
        numbers.append(first + 1 if is_part else 0)
    return tuple(numbers)
