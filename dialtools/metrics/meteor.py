"""METEOR, F-score of aligned words, less a penalty for order, from 0 to 1; higher is better.

Words are aligned where they are the same, then where their stems are (Porter's,
for English), then, with a WordNet, where they are synonyms; the signature says
which stages there were.  wordnet=FOLDER, such as /usr/share/wordnet of Debian's
package wordnet-base; a default never depends on what is installed, so without
it there are no synonyms.  Of several references the best counts.  An empty
text scores 0, and so do two empty ones; a text of few words does not reach 1
even against itself.

Source: Lavie and Agarwal 2007, https://aclanthology.org/W07-0734; equal to NLTK's
implementation to the last digit, given our tokens and the same WordNet.

>>> score(["the cats sat here"], [["a cat sat here"]])
[0.7361111111111112]
"""

import functools
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Literal

from dialtools import overlap, tokenizers
from dialtools.errors import OptionError
from dialtools.wording import porter

RANGE = (0, 1)
FALLS_SHORT = True
BY_LANGUAGE = {"tok": "words"}

Word = tuple[int, str]  # its place in the text


def score(predictions: list[str], references: list[list[str]], *, tok: str = "words", wordnet: str = "",
          alpha: float = 0.9, beta: float = 3.0, gamma: float = 0.5,
          refs: Literal["max", "mean"] = "max") -> list[float]:
    """Return the METEOR of each prediction.

    tok: one of tokenizers.py.
    wordnet: a folder with WordNet's files; without it there is no stage of synonyms.
    alpha: weight of precision against recall.  gamma: largest penalty; beta: how steep it is.
    refs: of several references the best counts (max), or their mean.
    """
    if not 0 < alpha < 1 or beta < 0 or not 0 <= gamma <= 1:
        raise OptionError(f"meteor: alpha and gamma are from 0 to 1, beta is 0 or more, not {alpha}, {gamma}, {beta}")
    compare = functools.partial(_meteor, synonyms=_synonyms(wordnet), alpha=alpha, beta=beta, gamma=gamma)
    return overlap.best(lambda text: list(map(str.lower, tokenizers.named(tok)(text))), compare,
                        predictions, references, refs)


def described(options: dict) -> dict[str, str | None]:
    """Return the stages, in the place of the folder."""
    return {"wordnet": None, "stages": "exact+stem" + ("+synonym" if options["wordnet"] else "")}


def _synonyms(folder: str) -> Callable[[str], set[str]] | None:
    from dialtools.wording import wordnet

    found = wordnet.find(folder) if folder else None
    return (lambda word: {word} | wordnet.synonyms(found, word)) if found else None


def _meteor(predicted: list[str], expected: list[str], synonyms: Callable[[str], set[str]] | None, alpha: float,
            beta: float, gamma: float) -> float:
    pairs = _aligned([*enumerate(predicted)], [*enumerate(expected)], synonyms)
    if not pairs:
        return 0.0
    precision, recall = len(pairs) / len(predicted), len(pairs) / len(expected)
    mean = (precision * recall) / (alpha * precision + (1 - alpha) * recall)
    chunks = 1 + sum(next != (i + 1, j + 1) for (i, j), next in zip(pairs, pairs[1:], strict=False))
    return (1 - gamma * (chunks / len(pairs)) ** beta) * mean


def _aligned(predicted: list[Word], expected: list[Word],
             synonyms: Callable[[str], set[str]] | None) -> list[tuple[int, int]]:
    """Return the places of aligned words, in the order of the prediction."""
    pairs: list[tuple[int, int]] = []
    predicted, expected = _stage(pairs, predicted, expected, lambda word: (word,))
    predicted, expected = ([(at, porter.stem(word)) for at, word in words] for words in (predicted, expected))
    predicted, expected = _stage(pairs, predicted, expected, lambda word: (word,))
    if synonyms:  # of stems, as NLTK does, though WordNet knows few of them
        _stage(pairs, predicted, expected, synonyms)
    return sorted(pairs)


def _stage(pairs: list[tuple[int, int]], predicted: list[Word], expected: list[Word],
           like: Callable[[str], Iterable[str]]) -> tuple[list[Word], list[Word]]:
    """Add pairs of words that are alike, the last ones first; return what is left."""
    places: dict[str, list[int]] = defaultdict(list)
    for at, word in expected:
        places[word].append(at)
    taken, found = set(), set()
    for i, word in reversed(predicted):
        known = [other for other in like(word) if places.get(other)]
        best = max(known, key=lambda other: places[other][-1], default=None)
        if best is not None:
            j = places[best].pop()
            pairs.append((i, j))
            taken.add(i)
            found.add(j)
    return [word for word in predicted if word[0] not in taken], [word for word in expected if word[0] not in found]
