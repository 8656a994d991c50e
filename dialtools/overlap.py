"""How much two texts share: clipped n-grams and longest common subsequences of tokens.

The numbers are those of the rouge-score package to the last digit (Lin 2004,
https://aclanthology.org/W04-1013, as its Perl script 1.5.5 computes them),
for any tokenizer.  Results for a text are kept, since variants of one source
are compared many times.
"""

import functools
from collections import Counter
from collections.abc import Callable, Sequence

from dialtools import tokenizers


def best(score: Callable[..., float], predictions: list[str], references: list[list[str]],
         *options: object) -> list[float]:
    """Return, for each prediction, the highest score(prediction, reference, *options) of its references."""
    return [max(score(prediction, text, *options) for text in texts)
            for prediction, texts in zip(predictions, references, strict=True)]


def f1(common: int, predicted: int, expected: int) -> float:
    """Return the harmonic mean of precision and recall, from 0 to 1; 0 where nothing is in common."""
    precision, recall = common / max(predicted, 1), common / max(expected, 1)
    return 2 * precision * recall / (precision + recall) if common else 0.0


def ngram_f1(prediction: str, reference: str, n: int, tok: str) -> float:
    """Return the F1 of n-grams, each counted at most as often as it occurs in both texts (ROUGE-N)."""
    predicted, expected = _ngrams(prediction, n, tok), _ngrams(reference, n, tok)
    return f1(len(predicted & expected), len(predicted), len(expected))


@functools.lru_cache(maxsize=tokenizers.KEPT)
def _ngrams(text: str, n: int, tok: str) -> set:
    return numbered(_sequences(text, n, tok))


def _sequences(text: str, n: int, tok: str) -> list:
    tokens = tokenizers.named(tok)(text)
    return tokens if n == 1 else list(zip(*(tokens[i:] for i in range(n)), strict=False))


def numbered(items: Sequence) -> set:
    """Return a set with as many members as there are items: a repeated one comes as (item, times before).

    The intersection of two such sets is as large as that of the multisets, and is found in C.

    >>> sorted(numbered("abba"), key=str)
    [('a', 1), ('b', 1), 'a', 'b']
    """
    unique = set(items)
    if len(unique) < len(items):
        before: dict = {}
        for item in items:
            times = before.get(item, 0)
            before[item] = times + 1
            if times:
                unique.add((item, times))
    return unique


def distinct(text: str, n: int, tok: str) -> float:
    """Return the number of different n-grams divided by that of all, from 0 to 1; 0 where there are none."""
    sequences = _sequences(text, n, tok)
    return len(set(sequences)) / max(len(sequences), 1)


def lcs_f1(prediction: str, reference: str, tok: str) -> float:
    """Return the F1 of the longest common subsequence of tokens (ROUGE-L)."""
    tokenize = tokenizers.named(tok)
    return _lcs_f1(tokenize(prediction), tokenize(reference))


def _lcs_f1(predicted: list[str], expected: list[str]) -> float:
    from rapidfuzz.distance.LCSseq import similarity

    return f1(int(similarity(predicted, expected)), len(predicted), len(expected))


def sentence_lcs_f1(prediction: str, reference: str, tok: str) -> float:
    """Return the F1 of the union of sentence-wise longest common subsequences (ROUGE-Lsum).

    Sentences are the lines of the texts.
    """
    predicted, expected = _sentences(prediction, tok), _sentences(reference, tok)
    if len(predicted) == len(expected) == 1:
        return _lcs_f1(predicted[0], expected[0])
    left = [Counter(token for sentence in text for token in sentence) for text in (predicted, expected)]
    lengths = [counts.total() for counts in left]
    common = 0
    for sentence in expected:
        for at in sorted(set().union(*(_lcs(sentence, other) for other in predicted))):
            token = sentence[at]
            if all(counts[token] for counts in left):  # a token is not counted more often than it occurs
                common += 1
                for counts in left:
                    counts[token] -= 1
    return f1(common, *lengths)


def _sentences(text: str, tok: str) -> list[list[str]]:
    tokenizers.named(tok)(text)  # a text without any token is an error, a line without one is not
    return [tokenizers.lenient(tok)(line) for line in text.split("\n") if line]


def _lcs(tokens: list[str], others: list[str]) -> list[int]:
    """Return the places in `tokens` of one longest common subsequence.

    Of several the reference implementation takes the one that is found from
    the end, moving in `others` only where that alone keeps the length.
    """
    lengths = [[0] * (len(others) + 1)]
    for token in tokens:
        above, row = lengths[-1], [0]
        for j, other in enumerate(others):
            row.append(above[j] + 1 if token == other else max(above[j + 1], row[j]))
        lengths.append(row)
    places, i, j = [], len(tokens), len(others)
    while i and j:
        if tokens[i - 1] == others[j - 1]:
            i, j = i - 1, j - 1
            places.append(i)
        elif lengths[i][j - 1] > lengths[i - 1][j]:
            j -= 1
        else:
            i -= 1
    return places
