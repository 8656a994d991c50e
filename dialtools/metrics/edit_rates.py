"""Edits that turn a prediction into its reference, of characters or of words.

edit and cer count insertions, deletions and replacements of characters (code points, Levenshtein).
White space at both ends does not count; case and everything else does.  cer divides the smallest number
by the length of the reference; two empty texts score 0, and a text against an empty reference its number
of characters.  edit is the same on a bounded scale, 1 minus edits by the length of the longer text; two
empty texts are equal (1).

ter counts edits and shifts of words, by the words of the reference.  With several references, the fewest
edits to any of them count, and the mean of their lengths.  Two empty texts score 0; a text against an
empty reference scores 100.  Case does not count.  Punctuation stays attached to words unless
normalized=yes separates it as sacrebleu does: in references twice, so that "Ann's." is three words there
and two in a prediction.  In Chinese and Japanese (asian=yes) characters are words and punctuation is
separated, as far as sacrebleu does it: runs of kana stay whole.  Results have corpus TER, and beside it
the mean over records.  A text of more than 1,000 words is an error, because the search for shifts may
take minutes.

Source: ter: Snover et al. 2006, https://aclanthology.org/2006.amta-papers.25, as sacrebleu computes it
(Post 2018, https://aclanthology.org/W18-6319).

>>> edit.score(["the cat sat", ""], [["the cats sit"], [""]])
[0.8333333333333334, 1.0]
>>> cer.score(["the cat sat"], [["the cats sit"]])
[0.16666666666666666]
>>> ter.score(["sat the cat here"], [["the cat sat here today"]])
[40.0]
"""

from collections.abc import Iterable, Sequence
from math import inf
from typing import Literal

from dialtools.metrics import _statistics
from dialtools.plugins.metric import Corpus, Metric
from dialtools.system.errors import RecordError
from dialtools.text import overlap

LONGEST = 1000  # words


def similarity(
    predictions: list[str], references: list[list[str]], *, refs: Literal["max", "mean"] = "max"
) -> list[float]:
    """Return the similarity of each prediction.

    refs: take the best of several references (max), or their mean.
    """

    def compare(prediction: str, reference: str) -> float:
        longer = max(len(prediction), len(reference), 1)
        return 1 - overlap.edits(prediction, reference) / longer

    return overlap.best(str.strip, compare, predictions, references, refs)


def error_rate(
    predictions: list[str], references: list[list[str]], *, refs: Literal["min", "mean"] = "min"
) -> list[float]:
    """Return the rate of each prediction.

    refs: take the best of several references (min), or their mean.
    """

    def compare(prediction: str, reference: str) -> float:
        return overlap.edits(prediction, reference) / max(len(reference), 1)

    return overlap.best(str.strip, compare, predictions, references, refs)


def statistics(
    predictions: list[str],
    references: list[list[str]],
    *,
    normalized: bool = False,
    asian: bool = False,
    case: bool = False,
) -> list[list[float]]:
    """Return, for each prediction, the number of edits and the mean length of its references.

    normalized: separate punctuation.  asian: separate Chinese and Japanese characters too.
    case: does case count?
    """
    from sacrebleu.metrics import TER

    scorer = TER(normalized=normalized or asian, asian_support=asian, case_sensitive=case)
    rows = []
    for prediction, texts in zip(predictions, references, strict=True):
        for text in (prediction, *texts):
            if len(text) > LONGEST and len(scorer._preprocess_segment(text).split()) > LONGEST:
                raise RecordError(f"TER is for texts of at most {LONGEST:,} words")
        rows += scorer._extract_corpus_statistics([prediction], [[text] for text in texts])
    return rows


def from_statistics(rows: Iterable[Sequence[float]]) -> float:
    """Return the corpus TER from the statistics of its records, or sums of them."""
    edits, words = 0.0, 0.0
    for record_edits, record_words in rows:
        edits += record_edits
        words += record_words
    if not words:
        return 100.0 if edits else 0.0
    return 100 * (edits / words)


def described(options: dict) -> dict[str, bool]:
    """Return `normalized`, which asian=yes implies in sacrebleu."""
    return {"normalized": options["normalized"] or options["asian"]}


of_record = _statistics.alone(from_statistics)

edit = Metric(
    similarity,
    range=(0, 1),
    symmetric=True,
    summary="Edit similarity, 1 minus edits by the length of the longer text, from 0 to 1; higher is better.",
)
cer = Metric(
    error_rate,
    range=(inf, 0),
    summary="Character error rate, edits by the reference's length, from 0 to 1 and more; lower is better.",
)
ter = Metric(
    _statistics.scored(statistics, of_record),
    range=(inf, 0),
    unit="points",
    references="fewest",
    subsets="min",
    by_language={"asian": "unspaced"},
    corpus=Corpus(statistics, from_statistics, of_record=of_record),
    libraries=("sacrebleu",),
    described=described,
    summary="TER, edits and shifts of words by the reference's words, from 0 to 100 and more; lower is better.",
)
