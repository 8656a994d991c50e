"""Insert a request to wait, its acknowledgement, and thanks.

After a random turn, but never the last, the listener (the addressee, or else
the next speaker) asks the speaker to wait, the speaker agrees, and the listener
gives thanks: three turns in a row. A dialogue with one speaker stays as it is.
The turns add no information.

Source: "time delays", section 3.2 of "Evaluating Robustness of Open Dialogue
Summarization Models in the Presence of Naturally Occurring Variations".  The
wordings are ours, several for each language and formality.

>>> from random import Random
>>> turns = [{"speaker": "Ann", "text": "When does it leave, sir?"},
...          {"speaker": "Bob", "text": "At ten, madam."}]
>>> made = perturb({"dialogue": turns, "lang": "en"}, Random(1))[0][4]
>>> for turn in made:
...     print(f"{turn['speaker']}: {turn['text']}")
Bob: One moment, please, while I look that up.
Ann: Yes, no problem.
Bob: Thank you for waiting.
"""

from random import Random

from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue
from dialtools.text import phrases
from dialtools.variants import turntaking


def perturb(record: dict, rng: Random, *, formality: phrases.Formality = "auto") -> list[list]:
    """Return the edit that inserts the three turns; formality: of their texts."""
    turns = record["dialogue"]
    if len(dialogue.speakers(turns)) < 2:
        return []
    number = rng.randrange(len(turns) - 1)
    speaker, asking = turns[number]["speaker"], turntaking.listener(turns, number)
    styles = phrases.styles(record, formality)
    added = [
        {"speaker": who, "text": phrases.wording(kind, dialogue.language(record), styles[who], rng)}
        for who, kind in ((asking, "wait"), (speaker, "acknowledge"), (asking, "thanks"))
    ]
    return [["/dialogue", number + 1, number + 1, [], added]]


PERTURBATION = Perturbation(perturb, needs=("dialogue",), resource="phrases.tsv")
