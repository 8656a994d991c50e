"""The k longest utterances of the dialogue, longest first.

The length is that of the whole line as it is written out, "Speaker: text", in
code points: a speaker with a longer name is more likely to be chosen.  With
speaker=no labels are left out of the output and of the length.  Of two lines
of one length the earlier comes first.

Source: LONGEST-n, a baseline of Gliwa et al. 2019 (SAMSum), https://aclanthology.org/D19-5409:
the longest utterances in order of length.
Utterances without text do not count; a dialogue of fewer than k gives all of them.

>>> turns = [{"speaker": "Ann", "text": "Hi!"}, {"speaker": "Bob", "text": "Coming?"}]
>>> generate([{"dialogue": turns}], k=2)
[{'prediction': 'Bob: Coming?\\nAnn: Hi!'}]
"""

from dialtools.generators._extractive import extract
from dialtools.plugins.generator import Generator


def generate(records: list[dict], *, k: int = 1, speaker: bool = True) -> list[dict]:
    """Return the k longest lines of each dialogue.

    k: how many utterances.
    speaker: keep the "Speaker: " in front of each, and count it.
    """
    return extract(records, lambda lines: sorted(lines, key=len, reverse=True)[:k], k, speaker)


GENERATOR = Generator(generate, needs=("dialogue",))
