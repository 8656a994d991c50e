"""Greedy Matching of word vectors, from -1 to 1; higher is better.

Each word counts with the cosine of its best match in the other text. The score is the mean of two
means, over the words of the prediction and over the words of the reference.

vectors=FILE has a word and its numbers on each line, as fastText and word2vec write it. `tok`
finds the words; the default also lowercases them (for vectors of words with capitals: tok=space
or intl). model=PATH uses a model's tokens and its input embeddings instead. Words without a
vector are left out and counted (no_vector); a text with letters but without any vector is an
error. A text without a word scores 0, even against another.

Source: Liu et al. 2016, https://aclanthology.org/D16-1230, section 3.2.

>>> import numpy
>>> matched(numpy.array([[1.0, 0.0], [0.0, 2.0]]), numpy.array([[0.0, 3.0]]))
0.75
"""

import functools
from typing import Any

from dialtools.metrics import _vectors
from dialtools.plugins.metric import Metric

counts, described, libraries = _vectors.counts, _vectors.described, _vectors.libraries


def matched(one: Any, other: Any) -> float:
    """Return the mean best cosine between two lists of vectors, both ways; 0 if one is empty."""
    if not len(one) or not len(other):
        return 0.0
    # (words of one, words of the other)
    similar = _vectors.length_1(one) @ _vectors.length_1(other).T
    return float(similar.max(1).mean() + similar.max(0).mean()) / 2


score = functools.partial(_vectors.score, matched)


METRIC = Metric(
    score,
    range=(-1, 1),
    symmetric=True,
    by_language={"tok": "words"},
    counts=counts,
    libraries=libraries,
    described=described,
)
