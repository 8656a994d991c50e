"""Begin the dialogue with a greeting.

The greeting is the first turn. Among friends the second speaker (or the only
one) says it, so that the first turn answers it. In customer support the agent
says it: the speaker whose label says so, or else the second speaker. It adds no
information and probes the lead bias of summarisers.

Source: "greeting", section 3.2 of "Evaluating Robustness of Open Dialogue
Summarization Models in the Presence of Naturally Occurring Variations".
The wordings are ours, several for each language, setting and formality.

>>> from random import Random
>>> turns = [{"speaker": "Ann", "text": "Hi!"}, {"speaker": "Bob", "text": "Hi Ann."}]
>>> perturb({"dialogue": turns, "lang": "en"}, Random(1))
[['/dialogue', 0, 0, [], [{'speaker': 'Bob', 'text': "Hi! How's it going?"}]]]
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
    """Return the edit that inserts a greeting.

    setting: of friends, or of customer support, which is always formal.
    formality: among friends; "auto" is as the dialogue is.
    """
    turns = record["dialogue"]
    if not turns:
        return []
    language, support = dialogue.language(record), setting == "support"
    speaker = turntaking.agent(turns, language) if support else dialogue.speakers(turns)[:2][-1]
    style = phrases.styles(record, formality)[speaker]
    turn = {"speaker": speaker, "text": phrases.wording("greeting", language, style, rng, setting)}
    return [["/dialogue", 0, 0, [], [turn]]]


PERTURBATION = Perturbation(perturb, needs=("dialogue",), resource="phrases.tsv")
