"""End the dialogue with a closing remark.

The remark is the last turn. Among friends, the latest speaker who did not have
the last word says it (or the only speaker). In customer support the agent says
it: the speaker whose label says so, or else the second speaker. It adds no
information and probes the recency bias of summarisers.

Source: "closing remarks", section 3.2 of "Evaluating Robustness of Open
Dialogue Summarization Models in the Presence of Naturally Occurring
Variations".  The wordings are ours, several for each language, setting and
formality.

>>> from random import Random
>>> turns = [{"speaker": "Ann", "text": "Hi!"}, {"speaker": "Bob", "text": "Hi Ann."}]
>>> perturb({"dialogue": turns, "lang": "en"}, Random(1))
[['/dialogue', 2, 2, [], [{'speaker': 'Ann', 'text': 'See you soon!'}]]]
"""

from random import Random
from typing import Literal

from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue
from dialtools.text import phrases
from dialtools.variants import turntaking


def perturb(
    record: dict,
    rng: Random,
    *,
    setting: Literal["friends", "support"] = "friends",
    formality: phrases.Formality = "auto",
) -> list[list]:
    """Return the edit that appends a closing remark.

    setting: of friends, or of customer support, which is always formal.
    formality: among friends; "auto" is as the dialogue is.
    """
    turns = record["dialogue"]
    if not turns:
        return []
    language, support = dialogue.language(record), setting == "support"
    speaker = (
        turntaking.agent(turns, language) if support else dialogue.speakers(turns[::-1])[:2][-1]
    )
    style = phrases.styles(record, formality)[speaker]
    turn = {"speaker": speaker, "text": phrases.wording("closing", language, style, rng, setting)}
    return [["/dialogue", len(turns), len(turns), [], [turn]]]


PERTURBATION = Perturbation(perturb, needs=("dialogue",), resource="phrases.tsv")
