"""Join consecutive turns of one speaker into one turn.

All runs of one speaker are joined, the others' stay; the speaker is drawn
from those who have such a run.  It probes the long bias of summarisers: does
a long turn count for more than the same words in short ones?  Of the joined
turns' other keys (times, addressees) only the first turn's stay.

Source: "combined utterances", section 3.2 of "Evaluating Robustness of Open
Dialogue Summarization Models in the Presence of Naturally Occurring
Variations".  Texts are joined by a space, or by nothing in a language that is
written without spaces.

>>> from random import Random
>>> turns = [{"speaker": "Ann", "text": "Hi."}, {"speaker": "Ann", "text": "Bob?"}]
>>> perturb({"dialogue": turns, "lang": "en"}, Random(1))[0][4]
[{'speaker': 'Ann', 'text': 'Hi. Bob?'}]
"""

from itertools import groupby
from random import Random

from dialtools import languages

NEEDS = ("dialogue",)


def perturb(record: dict, rng: Random) -> list[list]:
    """Return one edit for each run of turns that becomes one turn."""
    runs = _runs(record["dialogue"])
    speakers = sorted({turns[0]["speaker"] for _, turns in runs})
    if not speakers:
        return []
    chosen = rng.choice(speakers)
    space = languages.load(record.get("lang", "en"))["space"]
    return [["/dialogue", start, start + len(turns), turns, [_joined(turns, space)]]
            for start, turns in runs if turns[0]["speaker"] == chosen]


def _runs(turns: list[dict]) -> list[tuple[int, list[dict]]]:
    """Return (index of the first turn, turns) of each run of two or more turns of one speaker."""
    runs, start = [], 0
    for _, run in groupby(turns, key=lambda turn: turn["speaker"]):
        run_turns = list(run)
        if len(run_turns) > 1:
            runs.append((start, run_turns))
        start += len(run_turns)
    return runs


def _joined(turns: list[dict], space: str) -> dict:
    """Return the turns as one, with what the first one holds but its spans, which are those of one text."""
    text = space.join(turn["text"] for turn in turns if turn["text"])
    return {key: value for key, value in turns[0].items() if key not in ("tokens", "entities")} | {"text": text}
