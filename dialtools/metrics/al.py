"""Average lagging of simultaneous output, from minus infinity to infinity; lower is better.

By how much, on average, a word is later than it would be if words came evenly
while the source lasts, as many as the reference has; words after the end of the
source do not count, but for the first.  In the unit of the "delays" of a record
(one for each word of the prediction; unit=char: each character) and of its
"source_length": tokens or milliseconds.  aware=yes takes "elapsed" instead, the
delays with the time for computing, all of it in milliseconds; dt-generate's -g
simultaneous tells how what it writes becomes that.  Of several references the
mean.  A prediction without words has no value, and is counted (no_delays).

Source: Ma et al. 2019, https://aclanthology.org/P19-1289; equal to AL and AL_CA
of SimulEval 1.1 (Ma et al. 2020, https://aclanthology.org/2020.emnlp-demos.19).

>>> score(["a b c d"], [["w x y z"]], [[2, 3, 4, 4]], [4])  # wait two: 2 - 0, 3 - 1, 4 - 2
[2.0]
"""

from dialtools.metrics import _lagging

REFERENCES = "mean"
counts = _lagging.left_out


def needs(options: dict) -> tuple[str, ...]:
    """Return the columns that it works on."""
    return ("prediction", "reference", *_lagging.needs(options["aware"]))


def score(predictions: list[str], references: list[list[str]], delays: list[list[float]], lengths: list[float], *,
          unit: _lagging.Unit = "word", aware: bool = False) -> list[float | None]:
    """Return the lagging of each prediction.

    unit: what has a delay, a word or a character.
    aware: with the time for computing?
    """
    rows = zip(_lagging.checked(predictions, delays, lengths, unit), references, strict=True)
    return [_lagging.average(lambda size: _lagging.lagging(own, source, size), texts, unit) if own else None
            for (own, source), texts in rows]
