"""METEOR, F-score of aligned words, less a penalty for order, from 0 to 1; higher is better.

Words are aligned if they are the same, then if their stems are (Porter's, made for English, in any
language), then, given a WordNet, if they are synonyms; the signature names the stages.
wordnet=FOLDER is a folder such as /usr/share/wordnet of Debian's package wordnet-base. Without it
there are no synonyms: a default never depends on what is installed. Of several references the best
counts. An empty text scores 0, even against another; a text of few words does not reach 1 even
against itself.

Source: Lavie and Agarwal 2007, https://aclanthology.org/W07-0734; equal to NLTK's implementation
to the last digit, given our tokens and the same WordNet.

>>> score(["the cats sat here"], [["a cat sat here"]])
[0.7361111111111112]
"""

import functools
from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Literal

from dialtools.plugins.metric import Metric
from dialtools.system.errors import OptionError
from dialtools.text import overlap, porter, tokenizers

Words = dict[int, str]  # those not aligned yet, or their stems, by their place in the text


def score(
    predictions: list[str],
    references: list[list[str]],
    *,
    tok: str = "words",
    wordnet: str = "",
    alpha: float = 0.9,
    beta: float = 3.0,
    gamma: float = 0.5,
    refs: Literal["max", "mean"] = "max",
) -> list[float]:
    """Return the METEOR of each prediction.

    tok: a tokenizer of text/tokenizers.py.
    wordnet: a folder with WordNet's files; without it synonyms do not count.
    alpha: weight of precision against recall.  gamma: largest penalty; beta: how steep it is.
    refs: take the best of several references (max), or their mean.
    """
    if not 0 < alpha < 1 or beta < 0 or not 0 <= gamma <= 1:
        raise OptionError(
            "meteor: alpha and gamma are from 0 to 1, beta is 0 or more, not "
            f"{alpha}, {gamma}, {beta}"
        )
    synonyms = None
    if wordnet:
        from dialtools.text import wordnet as reader

        reader.find(wordnet)  # says now if there is none
        synonyms = functools.partial(reader.synonyms, wordnet)
    tokenize = tokenizers.named(tok)
    compare = functools.partial(_meteor, synonyms=synonyms, alpha=alpha, beta=beta, gamma=gamma)
    return overlap.best(
        lambda text: list(map(str.lower, tokenize(text))), compare, predictions, references, refs
    )


def described(options: dict) -> dict[str, str | None]:
    """Return the stages, and the WordNet if there is one."""
    from dialtools.text import wordnet

    folder = options["wordnet"]
    return {
        "wordnet": wordnet.named(folder, *wordnet.POS) if folder else None,
        "stages": "exact+stem" + ("+synonym" if folder else ""),
    }


def _meteor(
    predicted: list[str],
    expected: list[str],
    synonyms: Callable[[str], set[str]] | None,
    alpha: float,
    beta: float,
    gamma: float,
) -> float:
    # places of words that are not aligned yet -> those words, and later their stems
    words: tuple[Words, Words] = dict(enumerate(predicted)), dict(enumerate(expected))
    pairs = _stage(*words, lambda word: (word,))
    predicted_stems, expected_stems = (
        {place: porter.stem(word) for place, word in column.items()} for column in words
    )
    pairs += _stage(predicted_stems, expected_stems, lambda stem: (stem,))
    if synonyms:  # of stems, as NLTK does, though WordNet knows few of them
        pairs += _stage(predicted_stems, expected_stems, lambda stem: {stem} | synonyms(stem))
    if not pairs:
        return 0.0
    pairs.sort()
    precision, recall = len(pairs) / len(predicted), len(pairs) / len(expected)
    mean = (precision * recall) / (alpha * precision + (1 - alpha) * recall)
    chunks = 1 + sum(pair != (i + 1, j + 1) for (i, j), pair in pairwise(pairs))
    return (1 - gamma * (chunks / len(pairs)) ** beta) * mean


def _stage(
    predicted: Words, expected: Words, alike: Callable[[str], Iterable[str]]
) -> list[tuple[int, int]]:
    """Return the places of equal words, last ones first, and remove those words."""
    places: dict[str, list[int]] = defaultdict(list)
    for place, word in expected.items():
        places[word].append(place)
    pairs = []
    for place, word in reversed(list(predicted.items())):
        candidates = [candidate for candidate in alike(word) if places.get(candidate)]
        if candidates:
            last = max(candidates, key=lambda candidate: places[candidate][-1])
            pairs.append((place, places[last].pop()))
    for place, expected_place in pairs:
        del predicted[place], expected[expected_place]
    return pairs


METRIC = Metric(
    score, range=(0, 1), reaches_best=False, by_language={"tok": "words"}, described=described
)
