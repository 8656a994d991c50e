"""Average lagging of simultaneous output, from minus infinity to infinity; lower is better.

The mean delay of a word compared with an ideal that writes as many words as the reference has,
evenly, while the source lasts. Of the words written after the end of the source, only the first
counts. The unit is that of a record's "delays" (one for each word of the prediction, or with
unit=char for each character) and of its "source_length": tokens or milliseconds. aware=yes uses
"elapsed" instead, the delays in milliseconds with computing time included; the page of
dt-generate -g simultaneous says how to get it. Several references give the mean. A prediction
without words has no value and is counted (no_delays).

Source: Ma et al. 2019, https://aclanthology.org/P19-1289; equal to AL and AL_CA of SimulEval 1.1
(Ma et al. 2020, https://aclanthology.org/2020.emnlp-demos.19).

>>> score(["a b c d"], [["w x y z"]], [[2, 3, 4, 4]], [4])  # wait two: 2 - 0, 3 - 1, 4 - 2
[2.0]
"""

from dialtools.metrics import _lagging
from dialtools.plugins.metric import Metric

counts = _lagging.left_out


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
    """Return the lagging of each prediction.

    unit: what a delay belongs to, a word or a character.
    aware: include computing time?
    """
    rows = zip(_lagging.checked(predictions, delays, lengths, unit), references, strict=True)
    return [
        _lagging.average(lambda size: _lagging.lagging(own, source, size), texts, unit)
        if own
        else None
        for (own, source), texts in rows
    ]


METRIC = Metric(score, better="lower", needs=needs, references="mean", counts=counts)
