"""ROUGE-1, the F1 of words in common, from 0 to 1; higher is better.

A word counts as often as it occurs in both texts. An empty text scores 0, even against another.

Source: Lin 2004, https://aclanthology.org/W04-1013; equal to the rouge-score package to the last
digit, which backend=rouge_score runs itself.

>>> score(["the cat sat"], [["the cat is here"]])
[0.5714285714285715]
>>> score(["two cats"], [["a cat"]], stem=True)
[0.5]
"""

from dialtools.metrics import _rouge
from dialtools.plugins.metric import Metric


def score(
    predictions: list[str],
    references: list[list[str]],
    *,
    tok: str = "rouge",
    stem: bool = False,
    refs: _rouge.Rule = "max",
    backend: _rouge.Backend = None,
) -> list[float]:
    """Return the ROUGE-1 of each prediction.

    tok: a tokenizer of wording/tokenizers.py.  stem: compare Porter stems (English).
    refs: take the best of several references (max), or their mean.
    """
    return _rouge.scores("rouge1", predictions, references, tok, stem, refs, backend)


METRIC = Metric(
    score,
    range=(0, 1),
    symmetric=True,
    by_language={"tok": "tokenizer"},
    libraries=_rouge.libraries,
)
