"""Unlabelled attachment score: words with the right head, from 0 to 1; higher is better.

F1 of the words that have the same head in the tokens of a record and in what
they are compared with: "gold" beside them in each turn (or record); with
against=KEY what stands there; with against=FILE.conllu the sentence of that id
in a treebank; with against=original the tokens of the original, which tells
whether a perturbation breaks the parse.  Words are matched by characters, so
that tokens may differ; after a perturbation by the fewest changes, and words
that it put in or took away are wrong (parse the variants: what was put in after
the parse has no token, which is an error).

The value of a data set is that of all its words, which `from_statistics` gives
(dt-score --stats), with its margin of error at 95 %, as of a share of so many
words.  A record without words scores 1.

Source: Zeman et al. 2018, https://aclanthology.org/K18-2001, section 5.1, equal
to the evaluation of the CoNLL 2018 shared task; margin: as in "Cross-lingual
Transfer Learning for Javanese Dependency Parsing".

>>> tree = [{"form": "I", "head": 2}, {"form": "see", "head": 0}, {"form": "you", "head": 2}]
>>> other = [tree[0], tree[1], {"form": "you", "head": 1}]
>>> score([[{"text": "I see you", "tokens": other}]], [[{"text": "I see you", "tokens": tree}]])
[0.6666666666666666]
"""

from dialtools.metrics import _trees

RANGE = (0, 1)
NEEDS = ("said", "gold")
from_statistics, margin = _trees.f1, _trees.margin


def score(said: list[_trees.Said], gold: list[_trees.Said]) -> list[float]:
    """Return the score of each record; of a record, what holds a text and its tokens."""
    return [_trees.f1([row]) for row in statistics(said, gold)]


def statistics(said: list[_trees.Said], gold: list[_trees.Said]) -> list[list[int]]:
    """Return the right words of each record, the gold standard's and the system's."""
    records = _trees.compared(said, gold, "uas", "head")
    return _trees.counts(records, lambda trees, match: trees.is_attached(match))
