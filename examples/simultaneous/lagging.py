"""Alignment latency: how long after its own source word a word of the translation is written; lower is better.

A record has "alignment", links "source-target" of words from 0 on; "ends", when each word of the source had
been said; and "delays", when each word of the translation was written, in the same unit.  The value is
the mean over the words that have a link; of several, the last word of the source counts.  A record
without links has none.  Unlike average lagging it does not take words for evenly spread and in order.

Source: Ansari et al. 2021, https://aclanthology.org/2021.iwslt-1.1, as in Polák 2023, section 3.5.

>>> score([[1000, 2000, 3000]], [[500, 1000, 2500]], ["0-0 2-1 1-2 0-2"])  # 500, -500 and 2000
[666.6666666666666]
"""

from statistics import fmean

from dialtools.plugins.metric import Metric


def score(
    delays: list[list[float]], ends: list[list[float]], alignments: list[str]
) -> list[float | None]:
    """Return the mean lag of each record, None without links."""
    lags: list[float | None] = []
    for written, spoken, alignment in zip(delays, ends, alignments, strict=True):
        last: dict[int, int] = {}
        for link in alignment.split():
            source, _, target = link.partition("-")
            last[int(target)] = max(int(source), last.get(int(target), 0))
        lags.append(
            fmean(written[target] - spoken[source] for target, source in last.items())
            if last
            else None
        )
    return lags


METRIC = Metric(
    score,
    better="lower",
    needs=("delays", "ends", "alignment"),
    summary="Alignment latency, from minus infinity to infinity; lower is better.",
)
