"""Part-of-speech accuracy: words with the right universal tag, from 0 to 1; higher is better.

As uas, whose page says what is compared; the UPOS of a word must be the same, wherever its head
is.

Source: Zeman et al. 2018, https://aclanthology.org/K18-2001, section 5.1; equal to the evaluation
of the CoNLL 2018 shared task.

>>> tree = [{"form": "Go", "upos": "VERB"}, {"form": "now", "upos": "ADV"}]
>>> other = [{"form": "Go", "upos": "VERB"}, {"form": "now", "upos": "SCONJ"}]
>>> score([[{"text": "Go now", "tokens": other}]], [[{"text": "Go now", "tokens": tree}]])
[0.5]
"""

from dialtools.metrics import _trees
from dialtools.plugins.metric import Corpus, Metric

of_record, from_statistics, margin = _trees.f1_of_record, _trees.f1, _trees.margin


def score(said: list[_trees.Said], gold: list[_trees.Said]) -> list[float]:
    """Return the score of each record, given its texts and their tokens."""
    return list(map(of_record, statistics(said, gold)))


def statistics(said: list[_trees.Said], gold: list[_trees.Said]) -> list[list[int]]:
    """Return the numbers of right words, gold words and the system's words of each record."""
    records = _trees.compared(said, gold, "upos", "upos")
    return _trees.counts(
        records,
        lambda trees, match: (
            _trees.fact(trees.gold[match[0]], "upos") == _trees.fact(trees.system[match[1]], "upos")
        ),
    )


def pairs(said: list[_trees.Said], gold: list[_trees.Said]) -> list[list[tuple[str, str]]]:
    """Return the tags of each record's words."""
    return _trees.pairs(
        _trees.compared(said, gold, "upos", "upos"), lambda word: _trees.fact(word, "upos")
    )


METRIC = Metric(
    score,
    range=(0, 1),
    needs=("said", "gold"),
    corpus=Corpus(statistics, from_statistics, margin=margin, of_record=of_record),
    pairs=pairs,
)
