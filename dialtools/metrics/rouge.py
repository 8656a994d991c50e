"""ROUGE: how much of the words, word pairs or subsequences of two texts is in common, as F1.

rouge1 counts words and rouge2 pairs of neighbouring words, each as often as it occurs in both
texts; a text of fewer than two words has a rouge2 of 0, even against itself.  rougeL is the longest
common subsequence of words, which may have gaps; line ends are spaces.  rougeLsum compares each
sentence of the reference with all sentences of the prediction, and the union of what it shares with
them counts.  As in the rouge-score package, its sentences are the lines of a text, so that a text
without line ends has its rougeL; with split=sentences, sentences also end at the language's
punctuation.  An empty text scores 0, even against another.

Source: Lin 2004, https://aclanthology.org/W04-1013; equal to the rouge-score package to the last
digit, for any tokenizer; backend=rouge_score runs the package itself.

>>> rouge1.score(["the cat sat"], [["the cat is here"]])
[0.5714285714285715]
>>> rouge1.score(["two cats"], [["a cat"]], stem=True)
[0.5]
>>> rouge2.score(["the cat sat"], [["the cat is here"]])
[0.4]
>>> rougeL.score(["the cat sat"], [["the cat is here"]])
[0.5714285714285715]
>>> rougeLsum.score(["it sat\\nthe cat"], [["the cat\\nit is here"]])
[0.6666666666666665]
>>> rougeLsum.score(["It sat. The cat."], [["The cat. It is here."]], split="sentences")
[0.6666666666666665]
"""

import functools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from dialtools.languages import Language, get
from dialtools.plugins.metric import Metric, of_backend
from dialtools.system.errors import need
from dialtools.text import overlap, sentences, tokenizers

Backend = Literal["rouge_score"] | None
Rule = Literal["max", "mean"]
Cut = Callable[[str], list[str]]


def score(
    kind: str,
    predictions: list[str],
    references: list[list[str]],
    *,
    tok: str = "rouge",
    stem: bool = False,
    refs: Rule = "max",
    backend: Backend = None,
) -> list[float]:
    """Return the ROUGE of each prediction; kind: rouge1, rouge2 or rougeL.

    tok: a tokenizer of text/tokenizers.py.  stem: compare Porter stems (English).
    refs: take the best of several references (max), or their mean.
    """
    if backend:
        package = _package(kind, tok, stem, sentences.lines)
        return overlap.best(str, package, predictions, references, refs)
    known, common = _features(kind, tokenizers.named(tok, stem), predictions, references)
    compare = functools.partial(overlap.f1s, common)
    return overlap.best_of(known, compare, predictions, references, refs)


def score_sentences(
    predictions: list[str],
    references: list[list[str]],
    *,
    tok: str = "rouge",
    stem: bool = False,
    split: Literal["lines", "sentences"] = "lines",
    refs: Rule = "max",
    backend: Backend = None,
    language: Language = get("en"),
) -> list[float]:
    """Return the ROUGE-Lsum of each prediction.

    tok, stem, refs: as in score.  split: what a sentence is, a line or what punctuation ends.
    """
    cut = sentences.lines if split == "lines" else sentences.with_lines(language)
    if backend:
        compare = _package("rougeLsum", tok, stem, cut)
        return overlap.best(str, compare, predictions, references, refs)

    def tokens_by_sentence(text: str) -> list[list[str]]:
        # a text without any token is an error, a sentence without one is not
        tokenizers.named(tok, stem)(text)
        return list(map(tokenizers.lenient(tok, stem), cut(text)))

    return overlap.best(tokens_by_sentence, _union_f1, predictions, references, refs)


def _features(
    kind: str, tokenize: tokenizers.Tokenizer, *columns: Sequence
) -> tuple[Mapping, overlap.Common]:
    """Return the features of each text, and the function that finds the overlap of two columns."""
    if kind == "rouge1":
        return overlap.bags(tokenize, *columns), overlap.in_bags(*columns)
    if kind == "rougeL":
        return overlap.of_each(tokenize, *columns), overlap.in_order

    def pairs(text: str) -> set:
        return overlap.numbered(overlap.windows(tokenize(text), 2))

    return overlap.of_each(pairs, *columns), overlap.in_sets


def _union_f1(predicted: list[list[str]], expected: list[list[str]]) -> float:
    """Return the F1 of the union of longest common subsequences by sentence."""
    if len(predicted) == len(expected) == 1:
        return overlap.f1s(overlap.in_order, predicted, expected)[0]
    remaining = [
        Counter(token for sentence in text for token in sentence) for text in (predicted, expected)
    ]
    lengths = [counts.total() for counts in remaining]
    common = 0
    for sentence in expected:
        places = set().union(*(overlap.places(sentence, candidate) for candidate in predicted))
        for token in (sentence[place] for place in sorted(places)):
            # a token is not counted more often than it occurs
            if all(counts[token] for counts in remaining):
                common += 1
                for counts in remaining:
                    counts[token] -= 1
    return overlap.f1(common, *lengths)


def _package(kind: str, tok: str, stem: bool, cut: Cut) -> Callable[[str, str], float]:
    """Return the rouge-score package's own function with our tokenizer; its own is English."""
    scorer = need("rouge_score.rouge_scorer", "reference").RougeScorer(
        [kind], stem, tokenizer=_Tokenizer(tok, stem)
    )
    join = (lambda text: "\n".join(cut(text))) if kind == "rougeLsum" else str
    return lambda prediction, reference: (
        scorer.score(join(reference), join(prediction))[kind].fmeasure
    )


class _Tokenizer:
    """A tokenizer as the package wants it."""

    def __init__(self, tok: str, stem: bool):
        self.tokenize = tokenizers.lenient(tok, stem)


rouge1 = Metric(
    functools.partial(score, "rouge1"),
    range=(0, 1),
    symmetric=True,
    by_language={"tok": "tokenizer"},
    libraries=of_backend,
    summary="ROUGE-1, the F1 of words in common, from 0 to 1; higher is better.",
)
rouge2 = Metric(
    functools.partial(score, "rouge2"),
    range=(0, 1),
    symmetric=True,
    by_language={"tok": "tokenizer"},
    libraries=of_backend,
    summary="ROUGE-2, the F1 of word pairs in common, from 0 to 1; higher is better.",
)
rougeL = Metric(
    functools.partial(score, "rougeL"),
    range=(0, 1),
    symmetric=True,
    by_language={"tok": "tokenizer"},
    libraries=of_backend,
    summary="ROUGE-L, the F1 of the longest common subsequence of words, from 0 to 1; higher is better.",
)
rougeLsum = Metric(
    score_sentences,
    range=(0, 1),
    by_language={"tok": "tokenizer"},
    libraries=of_backend,
    summary="ROUGE-Lsum, the F1 of common subsequences of sentences, from 0 to 1; higher is better.",
)
