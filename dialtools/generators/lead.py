"""The first k utterances of the dialogue, in order.

Source: LEAD-n, a baseline of Gliwa et al. 2019 (SAMSum), https://aclanthology.org/D19-5409.
Utterances without text do not count; a dialogue of fewer than k gives all of them.

>>> turns = [{"speaker": "Ann", "text": "Hi!"}, {"speaker": "Bob", "text": "Coming?"}]
>>> generate([{"dialogue": turns}])
[{'prediction': 'Ann: Hi!'}]
"""

from dialtools.generators._extractive import extract
from dialtools.plugins.generator import Generator


def generate(records: list[dict], *, k: int = 1, speaker: bool = True) -> list[dict]:
    """Return the first k lines of each dialogue.

    k: how many utterances.
    speaker: keep the "Speaker: " in front of each.
    """
    return extract(records, lambda lines: lines[:k], k, speaker)


GENERATOR = Generator(generate, needs=("dialogue",))
