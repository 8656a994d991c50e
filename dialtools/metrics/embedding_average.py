"""Cosine of the mean word vectors of two texts, from -1 to 1; higher is better (Embedding Average).

vectors=FILE has a word and its numbers on each line, as fastText and word2vec write it. `tok`
finds the words; the default also lowercases them (for vectors of words with capitals: tok=space
or intl). model=PATH uses a model's tokens and its input embeddings instead. Words without a
vector are left out and counted (no_vector); a text with letters but without any vector is an
error. A text without a word scores 0, even against another.

Source: Liu et al. 2016, https://aclanthology.org/D16-1230, section 3.2.

>>> import numpy
>>> average(numpy.array([[1.0, 0.0], [1.0, 2.0]]), numpy.array([[0.0, 3.0]]))
0.7071067811865475
"""

import functools
from typing import Any

from dialtools.metrics import _vectors
from dialtools.plugins.metric import Metric

counts, described, libraries = _vectors.counts, _vectors.described, _vectors.libraries


def average(one: Any, other: Any) -> float:
    """Return the cosine of the means of two lists of vectors; 0 if one is empty or has mean 0."""
    if not len(one) or not len(other):
        return 0.0
    return float(_vectors.length_1(one.mean(0)) @ _vectors.length_1(other.mean(0)))


METRIC = Metric(
    functools.partial(_vectors.score, average),
    range=(-1, 1),
    symmetric=True,
    by_language={"tok": "words"},
    counts=counts,
    libraries=libraries,
    described=described,
)
