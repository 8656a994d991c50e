"""Naive Bayes over words, one at a time: which words tell that a text is of a class?

weight = log P(w | class) - log P(w | rest), where P(w | c) = (n(w, c) + 1) / (n(c) + V)
with n the number of occurrences (multinomial), V the number of different words
in all texts: add-one smoothing.  In nats.

Source: appendix B.1 of "Flexible text generation for counterfactual fairness
probing", which takes the 20 words with the strongest association.
"""

from collections import Counter
from collections.abc import Iterator
from math import log


def strongest(inside: Counter, outside: Counter, number: int) -> Iterator[tuple[str, float]]:
    """Yield (word, weight) of the words that tell most for the class; of equal ones the more frequent, then by name.

    inside, outside: how often each word occurs in the class, and in the rest.

    >>> list(strongest(Counter(a=3, b=1), Counter(b=1), 1))  # log of 4/6 : 1/3
    [('a', 0.6931471805599454)]
    """
    words = inside.keys() | outside.keys()
    if not words:
        return
    sums = [log(counts.total() + len(words)) for counts in (inside, outside)]
    weights = {word: log(inside[word] + 1) - sums[0] - log(outside[word] + 1) + sums[1] for word in words}
    ordered = sorted(words, key=lambda word: (-weights[word], -inside[word], word))
    yield from ((word, weights[word]) for word in ordered[:number])
