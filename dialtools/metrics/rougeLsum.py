"""ROUGE-Lsum, the F1 of common subsequences of sentences, from 0 to 1; higher is better.

Each sentence of the reference is compared with all sentences of the prediction, and the union of
what it shares with them counts. As in the rouge-score package, sentences are the lines of a text,
so that a text without line ends has its ROUGE-L. With split=sentences, sentences also end at the
language's punctuation. An empty text scores 0, even against another.

Source: Lin 2004, https://aclanthology.org/W04-1013; equal to the rouge-score package to the last
digit, which backend=rouge_score runs itself.

>>> score(["it sat\\nthe cat"], [["the cat\\nit is here"]])
[0.6666666666666665]
>>> score(["It sat. The cat."], [["The cat. It is here."]], split="sentences")
[0.6666666666666665]
"""

from typing import Literal

from dialtools.languages import Language, get
from dialtools.metrics import _rouge
from dialtools.plugins.metric import Metric


def score(
    predictions: list[str],
    references: list[list[str]],
    *,
    tok: str = "rouge",
    stem: bool = False,
    split: Literal["lines", "sentences"] = "lines",
    refs: _rouge.Rule = "max",
    backend: _rouge.Backend = None,
    language: Language = get("en"),
) -> list[float]:
    """Return the ROUGE-Lsum of each prediction.

    tok: a tokenizer of wording/tokenizers.py.  stem: compare Porter stems (English).
    split: lines or sentences.
    refs: take the best of several references (max), or their mean.
    """
    cut = _rouge.lines if split == "lines" else _rouge.splitter(language)
    return _rouge.scores("rougeLsum", predictions, references, tok, stem, refs, backend, cut)


METRIC = Metric(score, range=(0, 1), by_language={"tok": "tokenizer"}, libraries=_rouge.libraries)
