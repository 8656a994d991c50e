"""What the network has a row for: words, stretches of characters, characters, parts of speech, labels.

A vocabulary is {table: [entry, …]}; the number of an entry is its place.  The
first places of each are for padding, for what is unknown, and (words,
characters, parts of speech) for the root.
"""

import functools
from collections import Counter
from collections.abc import Iterable
from zlib import crc32

from dialtools.biaffine.treebank import Sentence

PADDING, UNKNOWN, ROOT = range(3)
SPECIAL = ["", "?", "^"]  # in these places
GRAMS = 10_000  # numbers that stretches of characters share, so that they need no table and know no language
LONGEST = 30  # characters of a word that count

Vocabulary = dict[str, list[str]]


def key(form: str) -> str:
    """Return what a word is looked up by: lower case, each digit a 0.

    >>> key("Pasar-99")
    'pasar-00'
    """
    return "".join("0" if character.isdecimal() else character for character in form.lower())


@functools.lru_cache(maxsize=100_000)
def grams(form: str) -> list[int]:
    """Return the numbers, from 1, of a word's stretches of 1 to 5 characters, of the whole, and of its capitals."""
    word = f"<{form.lower()[:LONGEST]}>"
    found = {word[start:start + size] for size in range(1, 6) for start in range(len(word) - size + 1)}
    shape = "".join("X" if c.isupper() else "x" if c.isalpha() else "0" if c.isdecimal() else c for c in form[:4])
    return sorted(1 + crc32(gram.encode()) % (GRAMS - 1) for gram in {*found, word, f"capitals {shape}"})


def of(sentences: list[Sentence], subtypes: bool, parent: Vocabulary | None = None) -> Vocabulary:
    """Return the vocabulary of a treebank; a parent's entries keep their numbers, new ones follow.

    A word that occurs once is left to its characters, as unknown words will be.
    """
    forms = [form for sentence in sentences for form in sentence.forms()]
    tokens = [token for sentence in sentences for token in sentence.tokens]
    words = [word for word, count in Counter(map(key, forms)).items() if count > 1]
    found = {"words": words, "characters": [c for sentence in sentences for c in sentence.text] + list("".join(forms)),
             "upos": [token["upos"] for token in tokens],
             "labels": [label for sentence in sentences for label in sentence.labels(subtypes)]}
    return {name: _extended((parent or {}).get(name, SPECIAL), entries) for name, entries in found.items()}


def _extended(known: list[str], entries: Iterable[str]) -> list[str]:
    return known + sorted(set(entries) - set(known))


def numbers(vocabulary: Vocabulary) -> dict[str, dict[str, int]]:
    """Return {table: {entry: number}}."""
    return {name: {entry: number for number, entry in enumerate(entries)} for name, entries in vocabulary.items()}


def pieces(sentences: list[Sentence]) -> dict[str, str]:
    """Return what parts of multiword tokens read alone, most often, where that is not how they are written."""
    counts: dict[str, Counter] = {}
    for sentence in sentences:
        for token in sentence.tokens:
            if token.get("part"):
                counts.setdefault(token["form"].lower(), Counter())[token.get("word", token["form"])] += 1
    found = {form: words.most_common(1)[0][0] for form, words in sorted(counts.items())}
    return {form: word for form, word in found.items() if word.lower() != form}
