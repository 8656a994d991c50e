"""One kind of ROUGE; shared by rouge1, rouge2, rougeL and rougeLsum.

The numbers are those of the rouge-score package to the last digit (Lin 2004,
https://aclanthology.org/W04-1013, as its Perl script 1.5.5 computes them), for any tokenizer.
"""

import functools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from dialtools.languages import Language, once_per_language
from dialtools.system.errors import need
from dialtools.text import overlap, tokenizers

Backend = Literal["rouge_score"] | None
Rule = Literal["max", "mean"]
Cut = Callable[[str], list[str]]


def lines(text: str) -> list[str]:
    """Return the lines of a text; as in the package, only a line feed ends a line."""
    return [line for line in text.split("\n") if line]


def scores(
    kind: str,
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    tok: str,
    stem: bool,
    refs: Rule,
    backend: Backend,
    cut: Cut = lines,
) -> list[float]:
    """Return the F1 of each prediction; cut: a function from a text to sentences, for rougeLsum."""
    if backend:
        return overlap.best(str, _package(kind, tok, stem, cut), predictions, references, refs)
    if kind == "rougeLsum":
        return overlap.best(
            lambda text: _sentences(text, tok, stem, cut), _union_f1, predictions, references, refs
        )
    known, common = _features(kind, tokenizers.named(tok, stem), predictions, references)
    compare = functools.partial(overlap.f1s, common)
    return overlap.best_of(known, compare, predictions, references, refs)


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


def libraries(options: dict) -> tuple[str, ...]:
    """Return the package that computes it, if it was asked for."""
    return ("rouge-score",) if options.get("backend") else ()


def _union_f1(predicted: list[list[str]], expected: list[list[str]]) -> float:
    """Return the F1 of the union of longest common subsequences by sentence."""
    if len(predicted) == len(expected) == 1:
        return overlap.f1s(overlap.in_order, predicted, expected)[0]
    left = [
        Counter(token for sentence in text for token in sentence) for text in (predicted, expected)
    ]
    lengths = [counts.total() for counts in left]
    common = 0
    for sentence in expected:
        for at in sorted(set().union(*(overlap.places(sentence, other) for other in predicted))):
            token = sentence[at]
            # a token is not counted more often than it occurs
            if all(counts[token] for counts in left):
                common += 1
                for counts in left:
                    counts[token] -= 1
    return overlap.f1(common, *lengths)


def _sentences(text: str, tok: str, stem: bool, cut: Cut) -> list[list[str]]:
    # a text without any token is an error, a sentence without one is not
    tokenizers.named(tok, stem)(text)
    return list(map(tokenizers.lenient(tok, stem), cut(text)))


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


@once_per_language
def splitter(language: Language) -> Cut:
    """Return a function from a text to its sentences; a line end also ends a sentence."""
    from dialtools.text import sentences

    return lambda text: [
        sentence for line in lines(text) for sentence in sentences.split(line, language)
    ]
