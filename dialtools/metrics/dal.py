"""Differentiable average lagging of output, from minus infinity to infinity; lower is better.

As al, with three differences: all words of the prediction count, the ideal has as many words as
the prediction, and each word comes at least one step of that ideal after the word before it,
because writing takes time. No reference is needed.

Source: Cherry and Foster 2019, https://arxiv.org/abs/1906.00048; equal to DAL and DAL_CA of
SimulEval 1.1.

>>> score(["a b c d"], [[2, 3, 4, 4]], [4])  # 2, 3, 4, 5 against 0, 1, 2, 3
[2.0]
"""

from collections.abc import Sequence

from dialtools.metrics import _lagging
from dialtools.plugins.metric import Metric


def needs(options: dict) -> tuple[str, ...]:
    """Return the columns that the metric reads."""
    return ("prediction", *_lagging.needs(options["aware"]))


def score(
    predictions: list[str],
    delays: list[list[float]],
    lengths: list[float],
    *,
    unit: _lagging.Unit = "word",
    aware: bool = False,
) -> list[float | None]:
    """Return the lagging of each prediction; options as in al."""
    return [
        _lagged(own, source) if own else None
        for own, source in _lagging.checked(predictions, delays, lengths, unit)
    ]


def _lagged(delays: Sequence[float], source: float) -> float:
    step = source / len(delays)
    at, total = delays[0] - step, 0.0
    for number, delay in enumerate(delays):
        at = max(delay, at + step)
        total += at - number * step
    return total / len(delays)


METRIC = Metric(score, better="lower", needs=needs, counts=_lagging.left_out)
