"""TER, edits and shifts of words by the reference's words, from 0 to 100 and more; lower is better.

With several references, the fewest edits to any of them count, and the mean of their lengths. Two
empty texts score 0; a text against an empty reference scores 100. Case does not count.
Punctuation stays attached to words unless normalized=yes separates it as sacrebleu does: in
references twice, so that "Ann's." is three words there and two in a prediction. In Chinese and
Japanese (asian=yes) characters are words and punctuation is separated, as far as sacrebleu does
it: runs of kana stay whole. Results have corpus TER, and beside it the mean over records. A text
of more than 1,000 words is an error, because the search for shifts may take minutes.

Source: Snover et al. 2006, https://aclanthology.org/2006.amta-papers.25, as sacrebleu computes it
(Post 2018, https://aclanthology.org/W18-6319).

>>> score(["sat the cat here"], [["the cat sat here today"]])
[40.0]
"""

from collections.abc import Iterable, Sequence

from dialtools.plugins.metric import Corpus, Metric
from dialtools.system.errors import RecordError

LONGEST = 1000  # words


def score(
    predictions: list[str],
    references: list[list[str]],
    *,
    normalized: bool = False,
    asian: bool = False,
    case: bool = False,
) -> list[float]:
    """Return the TER of each prediction.

    normalized: separate punctuation.  asian: separate Chinese and Japanese characters too.
    case: does case count?
    """
    rows = statistics(predictions, references, normalized=normalized, asian=asian, case=case)
    return list(map(of_record, rows))


def of_record(row: Sequence[float]) -> float:
    """Return the TER of a record from its statistics."""
    return from_statistics([row])


def statistics(
    predictions: list[str],
    references: list[list[str]],
    *,
    normalized: bool = False,
    asian: bool = False,
    case: bool = False,
) -> list[list[float]]:
    """Return, for each prediction, the number of edits and the mean length of its references."""
    from sacrebleu.metrics import TER

    ter = TER(normalized=normalized or asian, asian_support=asian, case_sensitive=case)
    rows = []
    for prediction, texts in zip(predictions, references, strict=True):
        for text in (prediction, *texts):
            if len(text) > LONGEST and len(ter._preprocess_segment(text).split()) > LONGEST:
                raise RecordError(f"TER is for texts of at most {LONGEST:,} words")
        rows += ter._extract_corpus_statistics([prediction], [[text] for text in texts])
    return rows


def from_statistics(rows: Iterable[Sequence[float]]) -> float:
    """Return the corpus TER from the statistics of its records, or sums of them."""
    number, length = 0.0, 0.0
    for edited, words in rows:
        number += edited
        length += words
    if not length:
        return 100.0 if number else 0.0
    return 100 * (number / length)


def described(options: dict) -> dict[str, bool]:
    """Return `normalized`, which asian=yes implies in sacrebleu."""
    return {"normalized": options["normalized"] or options["asian"]}


def libraries(options: dict) -> tuple[str, ...]:
    """Return the package that computes it."""
    return ("sacrebleu",)


METRIC = Metric(
    score,
    range=(float("inf"), 0),
    unit="points",
    references="fewest",
    subsets="min",
    by_language={"asian": "unspaced"},
    corpus=Corpus(statistics, from_statistics, of_record=of_record),
    libraries=libraries,
    described=described,
)
