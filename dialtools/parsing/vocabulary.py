"""Rows of the network's tables: words, characters, parts of speech, labels; character n-grams.

A vocabulary is {table: [entry, …]}; the row of an entry is its index.  The
first rows of each table are for padding, the unknown, and (words, characters,
parts of speech) the root.
"""

import functools
from collections import Counter
from collections.abc import Iterable
from itertools import chain
from zlib import crc32

from dialtools.parsing.treebank import Sentence

PADDING, UNKNOWN, ROOT = range(3)
SPECIAL = ["", "?", "^"]  # in these places
GRAMS = 10_000  # rows that hashed n-grams share, so that they need no table and fit any language
LONGEST = 30  # characters of a word that count

Vocabulary = dict[str, list[str]]
Tables = dict[str, dict[str, int]]  # {table: {entry: row}}


def key(form: str) -> str:
    """Return the entry that a word is looked up by: lower case, each digit a 0.

    >>> key("Pasar-99")
    'pasar-00'
    """
    return "".join("0" if character.isdecimal() else character for character in form.lower())


@functools.lru_cache(maxsize=100_000)
def grams(form: str) -> list[int]:
    """Return the rows, from 1, of a word's n-grams (1 to 5 characters), itself and its case."""
    word = f"<{form.lower()[:LONGEST]}>"
    found = {
        word[start : start + size] for size in range(1, 6) for start in range(len(word) - size + 1)
    }
    shape = "".join(map(_shape, form[:4]))
    return sorted(
        1 + crc32(gram.encode()) % (GRAMS - 1) for gram in {*found, word, f"capitals {shape}"}
    )


def _shape(character: str) -> str:
    """Return X, x or 0 for a capital, another letter, a digit; other characters as they are."""
    if character.isupper():
        return "X"
    return "x" if character.isalpha() else "0" if character.isdecimal() else character


def of(sentences: list[Sentence], subtypes: bool, parent: Vocabulary | None = None) -> Vocabulary:
    """Return the vocabulary of a treebank; a parent's entries keep their rows, new ones follow.

    A word that occurs once has no entry: it is known by its characters, as unknown words are.
    """
    forms = [form for sentence in sentences for form in sentence.forms()]
    texts = [sentence.text for sentence in sentences]
    found = {
        "words": [word for word, count in Counter(map(key, forms)).items() if count > 1],
        "characters": list("".join(texts + forms)),
        "upos": [tag for sentence in sentences for tag in sentence.upos()],
        "labels": [label for sentence in sentences for label in sentence.labels(subtypes)],
    }
    return {
        name: _extended((parent or {}).get(name, SPECIAL), entries)
        for name, entries in found.items()
    }


def _extended(known: list[str], entries: Iterable[str]) -> list[str]:
    return known + sorted(set(entries) - set(known))


def numbers(vocabulary: Vocabulary) -> Tables:
    """Return the row of each entry of each table."""
    return {
        name: {entry: row for row, entry in enumerate(entries)}
        for name, entries in vocabulary.items()
    }


def pieces(sentences: list[Sentence]) -> dict[str, str]:
    """Return {form: word} of parts of multiword tokens whose word mostly differs from the form."""
    counts: dict[str, Counter] = {}
    for token in chain.from_iterable(sentence.tokens for sentence in sentences):
        if token.get("part"):
            form = token["form"]
            counts.setdefault(form.lower(), Counter())[token.get("word", form)] += 1
    found = {form: words.most_common(1)[0][0] for form, words in sorted(counts.items())}
    return {form: word for form, word in found.items() if word.lower() != form}
