"""Unlabelled attachment score: words with the right head, from 0 to 1; higher is better.

The F1 of words that have the same head in the tokens of a record and in the tokens that they are
compared with: "gold" in each turn (or record); with against=KEY those under that key; with
against=FILE.conllu the sentence of the same id in a treebank; with against=original the tokens of
the original, which shows whether a perturbation breaks the parse. Words are matched by their
characters, so that tokens may differ. After a perturbation they are matched with the fewest
changes, and inserted and deleted words are wrong. Parse the variants, not the original: a word
inserted after parsing has no token, which is an error.

The value of a data set is that of all its words; beside its interval over records it has a margin
of error at 95 %, that of a share of so many words. A record without words scores 1.

Source: Zeman et al. 2018, https://aclanthology.org/K18-2001, section 5.1; equal to the evaluation
of the CoNLL 2018 shared task; margin: as in "Cross-lingual Transfer Learning for Javanese
Dependency Parsing".

>>> tree = [{"form": "I", "head": 2}, {"form": "see", "head": 0}, {"form": "you", "head": 2}]
>>> other = [tree[0], tree[1], {"form": "you", "head": 1}]
>>> score([[{"text": "I see you", "tokens": other}]], [[{"text": "I see you", "tokens": tree}]])
[0.6666666666666666]
"""

from dialtools.metrics import _trees
from dialtools.plugins.metric import Corpus, Metric

of_record, from_statistics, margin = _trees.f1_of_record, _trees.f1, _trees.margin


def score(said: list[_trees.Said], gold: list[_trees.Said]) -> list[float]:
    """Return the score of each record, given its texts and their tokens."""
    return list(map(of_record, statistics(said, gold)))


def statistics(said: list[_trees.Said], gold: list[_trees.Said]) -> list[list[int]]:
    """Return the numbers of right words, gold words and the system's words of each record."""
    records = _trees.compared(said, gold, "uas", "head")
    return _trees.counts(records, lambda trees, match: trees.is_attached(match))


METRIC = Metric(
    score,
    range=(0, 1),
    needs=("said", "gold"),
    corpus=Corpus(statistics, from_statistics, margin=margin, of_record=of_record),
)
