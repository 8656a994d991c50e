"""Labelled attachment score: words with the right head and relation, from 0 to 1; higher is better.

As uas, whose page says what is compared; the relation to the head must be the same too. Subtypes
of relations (acl:relcl) count only with subtypes=yes.

Source: Zeman et al. 2018, https://aclanthology.org/K18-2001, section 5.1; equal to the evaluation
of the CoNLL 2018 shared task.

>>> tree = [{"form": "Go", "head": 0, "deprel": "root"},
...         {"form": "now", "head": 1, "deprel": "advmod:tmod"}]
>>> other = [tree[0], {"form": "now", "head": 1, "deprel": "advmod"}]
>>> score([[{"text": "Go now", "tokens": other}]], [[{"text": "Go now", "tokens": tree}]])
[1.0]
>>> said, gold = [[{"text": "Go now", "tokens": tokens}] for tokens in (other, tree)]
>>> score([said], [gold], subtypes=True)
[0.5]
"""

from dialtools.metrics import _trees
from dialtools.plugins.metric import Corpus, Metric

of_record, from_statistics, margin = _trees.f1_of_record, _trees.f1, _trees.margin


def score(
    said: list[_trees.Said], gold: list[_trees.Said], *, subtypes: bool = False
) -> list[float]:
    """Return the score of each record, given its texts and their tokens.

    subtypes: is acl:relcl another relation than acl?
    """
    return list(map(of_record, statistics(said, gold, subtypes=subtypes)))


def statistics(
    said: list[_trees.Said], gold: list[_trees.Said], *, subtypes: bool = False
) -> list[list[int]]:
    """Return the numbers of right words, gold words and the system's words of each record."""
    records = _trees.compared(said, gold, "las", "head", "deprel")
    return _trees.counts(records, lambda trees, match: trees.is_labelled(match, subtypes))


def pairs(
    said: list[_trees.Said], gold: list[_trees.Said], *, subtypes: bool = False
) -> list[list[tuple[str, str]]]:
    """Return the relations of each record's words, wherever their heads are."""
    records = _trees.compared(said, gold, "las", "head", "deprel")
    return _trees.pairs(records, lambda word: _trees.relation(word, subtypes))


METRIC = Metric(
    score,
    range=(0, 1),
    needs=("said", "gold"),
    corpus=Corpus(statistics, from_statistics, margin=margin, of_record=of_record),
    pairs=pairs,
)
