"""Repetition (seq-rep-4), runs of four words that came before by all, from 0 to 1; lower is better.

How much a text repeats itself: 0 if all runs of n words differ, near 1 if it degenerates into a
loop. A text of n words or fewer scores 0.

Source: Welleck et al. 2020, https://openreview.net/forum?id=SJeYe0NtvH, section 6 (over words,
where they count the tokens of their model).

>>> score(["I do not know I do not know", "I do"])
[0.2, 0.0]
"""

from dialtools.plugins.metric import Metric
from dialtools.system.errors import OptionError
from dialtools.text import overlap, tokenizers


def score(predictions: list[str], *, n: int = 4, tok: str = "words") -> list[float]:
    """Return the rate of each prediction.

    n: words in a run.  tok: a tokenizer of wording/tokenizers.py.
    """
    if n < 1:
        raise OptionError(f"repetition: n is 1 or more, not {n}")
    return [_rate(overlap.windows(tokens, n)) for tokens in map(tokenizers.named(tok), predictions)]


def _rate(runs: list) -> float:
    return (len(runs) - len(set(runs))) / len(runs) if runs else 0.0


METRIC = Metric(score, range=(1, 0), needs=("prediction",), by_language={"tok": "words"})
