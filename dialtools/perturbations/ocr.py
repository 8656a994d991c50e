"""Read letters as others of a like shape, as optical character recognition does: m as rn, l as 1.

Each word changes with the given rate, in one place, which is drawn from all places and all that
may be read there.  In languages without spaces two characters count as a word: each place changes
with half the rate, and texts with few of the characters change less.  Names (of speakers,
tokens tagged PROPN), addresses, placeholders, hashtags and `code` stay.  Numbers do not: 10 may be
read as l0.

Source: the ambiguities of Tesseract OCR (unicharambigs of its langdata, Apache-2.0), turned round;
ocr.tsv of each language says of which file.

>>> from random import Random
>>> perturb({"text": "see you at home", "lang": "en"}, Random(5), rate=1.0)[-1]
['/text', 14, 15, 'e', 'c']
"""

from collections.abc import Iterator
from random import Random

from dialtools.languages import Language, once_per_language
from dialtools.languages.scripts import compiled
from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue
from dialtools.text import words

Site = tuple[int, str, list[str]]  # start in the text, what is written there, what may be read


def perturb(record: dict, rng: Random, *, rate: float = 0.2) -> list[list]:
    """Return an edit for each word that is misread; rate: probability of a word, from 0 to 1."""
    words.check_rate(rate)
    language = dialogue.language(record).variety
    names = words.protected(record)
    text, places = dialogue.joined(record)
    misread = _within_words if language.space else _anywhere
    edits = [
        [start, start + len(written), written, words.one(rng, read)]
        for start, written, read in misread(text, names, language, rng, rate)
    ]
    return dialogue.placed(edits, places)


def _within_words(
    text: str, names: set[str], language: Language, rng: Random, rate: float
) -> Iterator[Site]:
    for word, start, _ in words.drawn(text, rng, rate):
        sites = list(_sites(word, language)) if word.lower() not in names else []
        if sites:
            offset, written, read = words.one(rng, sites)
            yield start + offset, written, read


def _anywhere(
    text: str, names: set[str], language: Language, rng: Random, rate: float
) -> Iterator[Site]:
    sized, free = words.by_length(names), 0
    for start, written, read in _sites(text, language):
        end = start + len(written)
        if rng.random() < rate / words.LETTERS and start >= free:
            if not words.in_name(text, start, end, sized):
                free = end
                yield start, written, read


def _sites(text: str, language: Language) -> Iterator[Site]:
    """Yield each place whose whole characters may be read as others."""
    confusions = _confusions(language)
    ends = (
        range(1, len(text) + 1)
        if text.isascii()
        else [match.end() for match in compiled(r"\X").finditer(text)]
    )
    bounds = [0, *ends]
    longest = max(map(len, confusions))
    for number, start in enumerate(bounds):
        for end in bounds[number + 1 : number + 1 + longest]:
            if read := confusions.get(text[start:end]):
                yield start, text[start:end], read


@once_per_language
def _confusions(language: Language) -> dict[str, list[str]]:
    """Return what each sequence of characters may be read as."""
    confusions: dict[str, list[str]] = {}
    for row in language.written("ocr"):
        confusions.setdefault(row["written"], []).append(row["read"])
    return confusions


PERTURBATION = Perturbation(perturb, resource="ocr.tsv")
