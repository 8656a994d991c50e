"""Turns that add no information: a greeting, a closing remark, a request to wait.

dialogue.greeting inserts the first turn, and probes the lead bias of summarisers.  Among friends
the second speaker (or the only one) says it, so that the first turn answers it.

dialogue.closing appends the last turn, and probes the recency bias of summarisers.  Among friends,
the latest speaker who did not have the last word says it (or the only speaker).

In customer support (setting=support) the agent says both: the speaker whose label says so, or else
the second speaker.

dialogue.delay inserts a request to wait, its acknowledgement, and thanks.  After a random turn, but
never the last, the listener (the addressee, or else the next speaker) asks the speaker to wait, the
speaker agrees, and the listener gives thanks: three turns in a row. A dialogue with one speaker
stays as it is.

Source: "greeting", "closing remarks" and "time delays", section 3.2 of "Evaluating Robustness of
Open Dialogue Summarization Models in the Presence of Naturally Occurring Variations".  The wordings
are ours, several for each language, setting and formality.

>>> from random import Random
>>> turns = [{"speaker": "Ann", "text": "Hi!"}, {"speaker": "Bob", "text": "Hi Ann."}]
>>> greeting.perturb({"dialogue": turns, "lang": "en"}, Random(1))
[['/dialogue', 0, 0, [], [{'speaker': 'Bob', 'text': "Hi! How's it going?"}]]]
>>> closing.perturb({"dialogue": turns, "lang": "en"}, Random(1))
[['/dialogue', 2, 2, [], [{'speaker': 'Ann', 'text': 'See you soon!'}]]]
>>> turns = [{"speaker": "Ann", "text": "When does it leave, sir?"},
...          {"speaker": "Bob", "text": "At ten, madam."}]
>>> for turn in delay.perturb({"dialogue": turns, "lang": "en"}, Random(1))[0][4]:
...     print(f"{turn['speaker']}: {turn['text']}")
Bob: One moment, please, while I look that up.
Ann: Yes, no problem.
Bob: Thank you for waiting.
"""

from random import Random
from typing import Literal

from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue
from dialtools.text import phrases
from dialtools.variants import turntaking

Setting = Literal["friends", "support"]


def greet(
    record: dict,
    rng: Random,
    *,
    setting: Setting = "friends",
    formality: phrases.Formality = "auto",
) -> list[list]:
    """Return the edit that inserts a greeting.

    setting: of friends, or of customer support, which is always formal.
    formality: among friends; "auto" is as the dialogue is.
    """
    second = dialogue.speakers(record["dialogue"])[:2][-1:]
    return _remark("greeting", record, rng, 0, second, setting, formality)


def close(
    record: dict,
    rng: Random,
    *,
    setting: Setting = "friends",
    formality: phrases.Formality = "auto",
) -> list[list]:
    """Return the edit that appends a closing remark.

    setting: of friends, or of customer support, which is always formal.
    formality: among friends; "auto" is as the dialogue is.
    """
    turns = record["dialogue"]
    not_last = dialogue.speakers(turns[::-1])[:2][-1:]
    return _remark("closing", record, rng, len(turns), not_last, setting, formality)


def _remark(
    kind: str,
    record: dict,
    rng: Random,
    place: int,
    friend: list[str],
    setting: str,
    formality: phrases.Formality,
) -> list[list]:
    """Return the edit that inserts a remark at a place; friend: who says it among friends."""
    turns, language = record["dialogue"], dialogue.language(record)
    if not turns:
        return []
    speaker = turntaking.agent(turns, language) if setting == "support" else friend[0]
    style = phrases.styles(record, formality)[speaker]
    turn = {"speaker": speaker, "text": phrases.wording(kind, language, style, rng, setting)}
    return [["/dialogue", place, place, [], [turn]]]


def wait(record: dict, rng: Random, *, formality: phrases.Formality = "auto") -> list[list]:
    """Return the edit that inserts the three turns; formality: of their texts."""
    turns, language = record["dialogue"], dialogue.language(record)
    if len(dialogue.speakers(turns)) < 2:
        return []
    number = rng.randrange(len(turns) - 1)
    speaker, asking = turns[number]["speaker"], turntaking.listener(turns, number)
    styles = phrases.styles(record, formality)
    added = [
        {"speaker": who, "text": phrases.wording(kind, language, styles[who], rng)}
        for who, kind in ((asking, "wait"), (speaker, "acknowledge"), (asking, "thanks"))
    ]
    return [["/dialogue", number + 1, number + 1, [], added]]


greeting = Perturbation(
    greet,
    needs=("dialogue",),
    resource="phrases.tsv",
    summary="Begin the dialogue with a greeting.",
)
closing = Perturbation(
    close,
    needs=("dialogue",),
    resource="phrases.tsv",
    summary="End the dialogue with a closing remark.",
)
delay = Perturbation(
    wait,
    needs=("dialogue",),
    resource="phrases.tsv",
    summary="Insert a request to wait, its acknowledgement, and thanks.",
)
