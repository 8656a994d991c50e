"""Length-adaptive average lagging of output, from minus infinity to infinity; lower is better.

As al, but where the prediction has more words than the reference, the ideal writes as many words
as the prediction: writing too much brings no advantage.

Source: Papi et al. 2022, https://aclanthology.org/2022.autosimtrans-1.2; Polák et al. 2022,
https://aclanthology.org/2022.iwslt-1.24; equal to LAAL and LAAL_CA of SimulEval 1.1.

>>> score(["a b c d"], [["w x"]], [[1, 2, 3, 4]], [4])  # 1 - 0, 2 - 1, 3 - 2, 4 - 3
[1.0]
"""

from dialtools.metrics import _lagging
from dialtools.plugins.metric import Metric


def needs(options: dict) -> tuple[str, ...]:
    """Return the columns that the metric reads."""
    return ("prediction", "reference", *_lagging.needs(options["aware"]))


def score(
    predictions: list[str],
    references: list[list[str]],
    delays: list[list[float]],
    lengths: list[float],
    *,
    unit: _lagging.Unit = "word",
    aware: bool = False,
) -> list[float | None]:
    """Return the lagging of each prediction; options as in al."""
    rows = zip(_lagging.checked(predictions, delays, lengths, unit), references, strict=True)
    return [
        _lagging.average(
            lambda size: _lagging.lagging(own, source, max(size, len(own))), texts, unit
        )
        if own
        else None
        for (own, source), texts in rows
    ]


METRIC = Metric(score, better="lower", needs=needs, references="mean", counts=_lagging.left_out)
