"""Begin the dialogue with a greeting.

The greeting is the first turn; it is said by whoever speaks second (or by
the only speaker), so that the first turn of the dialogue answers it.  It
adds no information and probes the lead bias of summarisers.

Source: "greeting", section 3.2 of "Evaluating Robustness of Open Dialogue
Summarization Models in the Presence of Naturally Occurring Variations".
The wordings are ours, several for each language and setting.

>>> from random import Random
>>> turns = [{"speaker": "Ann", "text": "Hi!"}, {"speaker": "Bob", "text": "Hi Ann."}]
>>> perturb({"dialogue": turns, "lang": "en"}, Random(1))
[['/dialogue', 0, 0, [], [{'speaker': 'Bob', 'text': "Hi! How's it going?"}]]]
"""

from random import Random
from typing import Literal

from dialtools import dialogue, phrases

NEEDS = ("dialogue",)


def perturb(record: dict, rng: Random, *, setting: Literal["friends", "support"] = "friends") -> list[list]:
    """Return the edit that inserts a greeting; setting: of friends, or of customer support."""
    speakers = dialogue.speakers(record["dialogue"])
    if not speakers:
        return []
    turn = {"speaker": speakers[:2][-1], "text": phrases.draw("greeting", setting, record.get("lang", "en"), rng)}
    return [["/dialogue", 0, 0, [], [turn]]]
