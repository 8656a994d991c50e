"""Average lagging of simultaneous output: how far it stays behind its source; lower is better.

A record has "delays", a number for each word of the prediction (with unit=char, for each
character but spaces) in tokens or milliseconds of the source: how much of the source had been read
when the word was written.  "source_length" has the same unit.  aware=yes uses "elapsed" instead, the
delays in milliseconds with computing time included; the page of dt-generate -g simultaneous says
how to get it.  The names are those of SimulEval's logs.  A prediction without words has no value and
is counted (no_delays).

al is the mean delay of a word compared with an ideal that writes as many words as the reference
has, evenly, while the source lasts.  Of the words written after the end of the source, only the
first counts.  Several references give the mean.

laal is al, but where the prediction has more words than the reference, the ideal writes as many
words as the prediction: writing too much brings no advantage.

dal is al with three differences: all words of the prediction count, the ideal has as many words as
the prediction, and each word comes at least one step of that ideal after the word before it, because
writing takes time.  It needs no reference.

Sources: al: Ma et al. 2019, https://aclanthology.org/P19-1289.  laal: Papi et al. 2022,
https://aclanthology.org/2022.autosimtrans-1.2; Polák et al. 2022,
https://aclanthology.org/2022.iwslt-1.24.  dal: Cherry and Foster 2019,
https://arxiv.org/abs/1906.00048.  Equal to AL, LAAL, DAL and their _CA of SimulEval 1.1 (Ma et al.
2020, https://aclanthology.org/2020.emnlp-demos.19).

>>> al.score(["a b c d"], [["w x y z"]], [[2, 3, 4, 4]], [4])  # wait two: 2 - 0, 3 - 1, 4 - 2
[2.0]
>>> laal.score(["a b c d"], [["w x"]], [[1, 2, 3, 4]], [4])  # 1 - 0, 2 - 1, 3 - 2, 4 - 3
[1.0]
>>> dal.score(["a b c d"], [[2, 3, 4, 4]], [4])  # 2, 3, 4, 5 against 0, 1, 2, 3
[2.0]
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Literal

from dialtools.plugins.metric import Metric
from dialtools.records.wellformed import is_number
from dialtools.system.errors import RecordError, show

Unit = Literal["word", "char"]


def score(
    ideal_words: Callable[[int, int], int],
    predictions: list[str],
    references: list[list[str]],
    delays: list[list[float]],
    lengths: list[float],
    *,
    unit: Unit = "word",
    aware: bool = False,
) -> list[float | None]:
    """Return the lagging of each prediction.

    ideal_words: how many words the ideal writes, by those of the reference and of the prediction.
    unit: what a delay belongs to, a word or a character.
    aware: include computing time?
    """
    lags: list[float | None] = []
    rows = zip(checked(predictions, delays, lengths, unit), references, strict=True)
    for (row, source), texts in rows:
        if not row:
            lags.append(None)
            continue
        sizes = [length(text, unit) for text in texts]
        if not all(sizes):
            raise RecordError("no reference with words, whose number is needed (dal does without)")
        lags.append(
            sum(lagging(row, source, ideal_words(size, len(row))) for size in sizes) / len(sizes)
        )
    return lags


def lagging(delays: Sequence[float], source: float, target: int) -> float:
    """Return the mean lag behind the ideal, up to the end of the source.

    target: how many words the ideal writes while the source lasts.
    """
    last = next((number for number, delay in enumerate(delays, 1) if delay >= source), len(delays))
    lags = [delay - number * source / target for number, delay in enumerate(delays[:last])]
    return sum(lags) / last


def score_differentiable(
    predictions: list[str],
    delays: list[list[float]],
    lengths: list[float],
    *,
    unit: Unit = "word",
    aware: bool = False,
) -> list[float | None]:
    """Return the differentiable lagging of each prediction; options as in score."""
    lags: list[float | None] = []
    for row, source in checked(predictions, delays, lengths, unit):
        if not row:
            lags.append(None)
            continue
        step = source / len(row)
        written, total = row[0] - step, 0.0
        for number, delay in enumerate(row):
            written = max(delay, written + step)
            total += written - number * step
        lags.append(total / len(row))
    return lags


def checked(
    predictions: Sequence[str], delays: Sequence, lengths: Sequence, unit: Unit
) -> Iterator[tuple[list[float], float]]:
    """Yield delays and source length of each record. Raise RecordError if they do not fit."""
    for prediction, row, source in zip(predictions, delays, lengths, strict=True):
        if not isinstance(row, list) or not all(map(is_number, row)):
            raise RecordError(f"delays are a list of numbers, here is {show(row)}")
        size = length(prediction, unit)
        if len(row) != size:
            alternative: Unit = "char" if unit == "word" else "word"
            fits = len(row) == length(prediction, alternative)
            hint = f"; unit={alternative}?" if fits else ""
            raise RecordError(f"{len(row)} delays for {size} {unit}s of the prediction{hint}")
        if any(after < before for before, after in pairwise(row)):
            raise RecordError(f"a delay is shorter than the one before it: {show(row)}")
        if not is_number(source) or source <= 0:
            raise RecordError(f'"source_length" is a number above 0, here is {show(source)}')
        yield row, source


def length(text: str, unit: Unit) -> int:
    """Return the number of words in a text, or of characters but spaces."""
    words = text.split()
    return len(words) if unit == "word" else sum(map(len, words))


def counts(*columns: Sequence) -> list[dict[str, int]]:
    """Return {"no_delays": 1} for each record without words; delays are the last column but one."""
    return [{} if delays else {"no_delays": 1} for delays in columns[-2]]


def needs(texts: tuple[str, ...], options: dict) -> tuple[str, ...]:
    """Return the columns that a metric reads: texts, delays without or with computing time, length."""
    return (*texts, "elapsed" if options["aware"] else "delays", "source_length")


al = Metric(
    partial(score, lambda reference, prediction: reference),
    better="lower",
    needs=partial(needs, ("prediction", "reference")),
    references="mean",
    counts=counts,
    summary="Average lagging of simultaneous output, from minus infinity to infinity; lower is better.",
)
laal = Metric(
    partial(score, max),
    better="lower",
    needs=partial(needs, ("prediction", "reference")),
    references="mean",
    counts=counts,
    summary="Length-adaptive average lagging of output, from minus infinity to infinity; lower is better.",
)
dal = Metric(
    score_differentiable,
    better="lower",
    needs=partial(needs, ("prediction",)),
    counts=counts,
    summary="Differentiable average lagging of output, from minus infinity to infinity; lower is better.",
)
