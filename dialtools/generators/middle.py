"""The k utterances in the middle of the dialogue, in order.

As many stand before them as after; where that cannot be, one more after.

Source: MIDDLE-n, a baseline of Gliwa et al. 2019 (SAMSum), https://aclanthology.org/D19-5409;
the paper does not say which is the middle of an even number.
Utterances without text do not count; a dialogue of fewer than k gives all of them.

>>> turns = [{"speaker": "Ann", "text": text} for text in ("Hi!", "Coming?", "We wait.", "Bye.")]
>>> generate([{"dialogue": turns}])
[{'prediction': 'Ann: Coming?'}]
"""

from dialtools.generators._extractive import extract
from dialtools.plugins.generator import Generator


def generate(records: list[dict], *, k: int = 1, speaker: bool = True) -> list[dict]:
    """Return the k lines in the middle of each dialogue.

    k: how many utterances.
    speaker: keep the "Speaker: " in front of each.
    """
    return extract(records, lambda lines: _middle(lines, k), k, speaker)


def _middle(lines: list[str], k: int) -> list[str]:
    start = max(0, len(lines) - k) // 2
    return lines[start : start + k]


GENERATOR = Generator(generate, needs=("dialogue",))
