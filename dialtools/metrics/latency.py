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

atd is how long, in the mean, a word ends after the source word in its place.  A word has one place
less for each word that had been written beyond the words read, when its chunk begins; past what has
been read, the place is that of the last word read.  Writing a word takes as long as reading one.
With speech=yes delays are milliseconds: a source word is 300 of them, and a written one takes no
time; without it, delays above 1,000 are an error.  It needs neither a reference nor "source_length",
and with aware=yes both "delays" and "elapsed".

StreamLAAL of a talk is the laal of its parts, as dt-resegment --stream cuts them.

Sources: al: Ma et al. 2019, https://aclanthology.org/P19-1289.  laal: Papi et al. 2022,
https://aclanthology.org/2022.autosimtrans-1.2; Polák et al. 2022,
https://aclanthology.org/2022.iwslt-1.24.  dal: Cherry and Foster 2019,
https://arxiv.org/abs/1906.00048.  atd: Kano et al. 2023, https://arxiv.org/abs/2211.13173.  Equal to AL, LAAL,
DAL, ATD and their _CA of SimulEval 1.1 (Ma et al. 2020,
https://aclanthology.org/2020.emnlp-demos.19).

>>> al.score(["a b c d"], [["w x y z"]], [[2, 3, 4, 4]], [4])  # wait two: 2 - 0, 3 - 1, 4 - 2
[2.0]
>>> laal.score(["a b c d"], [["w x"]], [[1, 2, 3, 4]], [4])  # 1 - 0, 2 - 1, 3 - 2, 4 - 3
[1.0]
>>> dal.score(["a b c d"], [[2, 3, 4, 4]], [4])  # 2, 3, 4, 5 against 0, 1, 2, 3
[2.0]
>>> atd.score(["a b c d"], [[2, 3, 4, 4]])  # they end at 3, 4, 5, 6; 3 - 1, 4 - 2, 5 - 3, 6 - 4
[2.0]
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate, groupby, pairwise, repeat
from operator import itemgetter
from typing import Any, Literal

from dialtools.plugins.metric import Metric
from dialtools.records.wellformed import is_number
from dialtools.system.errors import OptionError, RecordError, show

Unit = Literal["word", "char"]
SPOKEN = 300  # milliseconds of a word of speech, in atd
LONGEST = 1_000  # words or characters of a source, in atd: more are milliseconds


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
    rows = zip(checked(predictions, delays, lengths, unit, aware), references, strict=True)
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
    for row, source in checked(predictions, delays, lengths, unit, aware):
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


def score_tokens(
    predictions: list[str],
    delays: list[list[float]],
    *elapsed: list[list[float]],
    unit: Unit = "word",
    speech: bool = False,
    aware: bool = False,
) -> list[float | None]:
    """Return the average token delay of each prediction.

    elapsed: with aware=yes, a column of delays with computing time included.
    speech: delays are milliseconds of speech, not words or characters of a text?
    Other options as in score.
    """
    if aware and not speech:
        raise OptionError("atd: aware=yes is for speech=yes, where delays are milliseconds, too")
    return [
        token_delay(row, elapsed[0][number] if aware else None, speech) if row else None
        for number, row in enumerate(checked_delays(predictions, delays, unit))
    ]


def token_delay(delays: list[float], elapsed: Any, speech: bool) -> float:
    """Return the mean time from the end of a word's source word to its own end.

    elapsed: None without computing time.
    """
    if delays[0] < 0 or not (speech or all(delay == int(delay) for delay in delays)):
        reason = "milliseconds from 0" if speech else "numbers of source words (else speech=yes)"
        raise RecordError(f"delays are {reason}, here is {show(delays)}")
    if delays[-1] > LONGEST and not speech:
        raise RecordError(f"delays of up to {delays[-1]:g}: milliseconds? speech=yes")
    computing: Iterable[float] = repeat(0)
    if elapsed is not None:
        if not isinstance(elapsed, list) or not all(map(is_number, elapsed)):
            raise RecordError(f'"elapsed" is a list of numbers, here is {show(elapsed)}')
        if len(elapsed) != len(delays):
            raise RecordError(f"{len(elapsed)} numbers are elapsed, and {len(delays)} delays")
        if any(elapsed):  # SimulEval writes 0 where it has not measured
            behind = [time - delay for time, delay in zip(elapsed, delays, strict=True)]
            computing = [after - before for before, after in pairwise([0, *behind])]

    size, writing = (SPOKEN, 0) if speech else (1, 1)
    ends = [0.0]  # of the words of the source, as many as any written word may ask for
    number_read = 0
    ended = 0.0  # the word before
    lags: list[float] = []
    times = zip(delays, computing, strict=False)
    last = 0.0
    for delay, chunk in groupby(times, key=itemgetter(0)):
        spare = max(0, len(lags) - number_read)  # words written beyond what had been read
        words, rest = divmod(delay - last, size)
        number_read += int(words) + bool(rest)
        room = len(delays) + 1 - len(ends)
        pieces = [size] * min(int(words), room) + [rest] * bool(rest and words < room)
        ends += list(accumulate(pieces, initial=ends[-1]))[1:]
        last = delay
        for _, time in chunk:
            ended = max(delay, ended) + writing + time
            place = len(lags) + 1 - spare
            lags.append(ended - ends[min(place, len(ends) - 1)])
    return sum(lags) / len(lags)


def checked(
    predictions: Sequence[str], delays: Sequence, lengths: Sequence, unit: Unit, aware: bool
) -> Iterator[tuple[list[float], float]]:
    """Yield delays and source length of each record. Raise RecordError if they do not fit."""
    for row, source in zip(checked_delays(predictions, delays, unit, aware), lengths, strict=True):
        if not is_number(source) or source <= 0:
            raise RecordError(f'"source_length" is a number above 0, here is {show(source)}')
        yield row, source


def checked_delays(
    predictions: Sequence[str], delays: Sequence, unit: Unit, aware: bool = False
) -> Iterator[list[float]]:
    """Yield the delays of each record. Raise RecordError if they do not fit the prediction.

    aware: they include computing time; of a stream (dt-resegment --stream) such may decrease.
    """
    for prediction, row in zip(predictions, delays, strict=True):
        if not isinstance(row, list) or not all(map(is_number, row)):
            raise RecordError(f"delays are a list of numbers, here is {show(row)}")
        size = length(prediction, unit)
        if len(row) != size:
            alternative: Unit = "char" if unit == "word" else "word"
            fits = len(row) == length(prediction, alternative)
            hint = f"; unit={alternative}?" if fits else ""
            raise RecordError(f"{len(row)} delays for {size} {unit}s of the prediction{hint}")
        if not aware and any(after < before for before, after in pairwise(row)):
            raise RecordError(f"a delay is shorter than the one before it: {show(row)}")
        yield row


def length(text: str, unit: Unit) -> int:
    """Return the number of words in a text, or of characters but spaces."""
    words = text.split()
    return len(words) if unit == "word" else sum(map(len, words))


def counts(*columns: Sequence) -> list[dict[str, int]]:
    """Return {"no_delays": 1} for each record without words; delays are the last column but one."""
    return [{} if delays else {"no_delays": 1} for delays in columns[-2]]


def token_counts(
    predictions: Sequence, delays: Sequence, *elapsed: Sequence
) -> list[dict[str, int]]:
    """Return the same for atd."""
    return [{} if row else {"no_delays": 1} for row in delays]


def token_needs(options: dict) -> tuple[str, ...]:
    """Return the columns that atd reads."""
    return ("prediction", "delays", *(["elapsed"] if options["aware"] else []))


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
atd = Metric(
    score_tokens,
    better="lower",
    needs=token_needs,
    counts=token_counts,
    summary="Average token delay of simultaneous output, from 0 to infinity; lower is better.",
)
