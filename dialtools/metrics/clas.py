"""Content-word labelled attachment score, from 0 to 1; higher is better.

las over content words only, so that a language with many function words has no advantage. Content
words have a relation of Universal Dependencies other than aux, case, cc, clf, cop, det, mark and
punct.

Source: Nivre and Fang 2017, https://aclanthology.org/W17-0411; Zeman et al. 2018,
https://aclanthology.org/K18-2001, section 5.1; equal to the evaluation of the CoNLL 2018 shared
task.

>>> tree = [{"form": "Go", "head": 0, "deprel": "root"},
...         {"form": "!", "head": 1, "deprel": "punct"}]
>>> other = [tree[0], {"form": "!", "head": 0, "deprel": "punct"}]
>>> score([[{"text": "Go!", "tokens": other}]], [[{"text": "Go!", "tokens": tree}]])
[1.0]
"""

from dialtools.metrics import _trees
from dialtools.metrics._alignment import Word
from dialtools.plugins.metric import Corpus, Metric

of_record, from_statistics, margin = _trees.f1_of_record, _trees.f1, _trees.margin
CONTENT = frozenset(
    (
        "acl",
        "advcl",
        "advmod",
        "amod",
        "appos",
        "ccomp",
        "compound",
        "conj",
        "csubj",
        "dep",
        "discourse",
        "dislocated",
        "expl",
        "fixed",
        "flat",
        "goeswith",
        "iobj",
        "list",
        "nmod",
        "nsubj",
        "nummod",
        "obj",
        "obl",
        "orphan",
        "parataxis",
        "reparandum",
        "root",
        "vocative",
        "xcomp",
    )
)


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
    """Return the numbers of right, gold and system content words of each record."""
    records = _trees.compared(said, gold, "clas", "head", "deprel")
    return _trees.counts(
        records, lambda trees, match: trees.is_labelled(match, subtypes), _is_content
    )


def _is_content(word: Word) -> bool:
    return _trees.relation(word, False) in CONTENT


METRIC = Metric(
    score,
    range=(0, 1),
    needs=("said", "gold"),
    corpus=Corpus(statistics, from_statistics, margin=margin, of_record=of_record),
)
