"""Consecutive turns of one speaker, joined, shuffled, or made of one turn.

dialogue.combine joins them into one turn.  All runs of one speaker are joined, the others' stay;
the speaker is drawn from those who have such a run.  It probes the long bias of summarisers: does a
long turn count for more than the same words in short ones?  Of the joined turns' other keys (times,
addressees) only the first turn's stay; tokens and entities go with their words.  Texts are joined
by a space, or by nothing in a language that is written without spaces.

dialogue.reorder shuffles one run of two or more turns, like messages that cross; runs of equal
turns and all other turns stay.  A turn takes along whatever it holds, its time included.

dialogue.split cuts one turn into consecutive turns of five words, for the long bias as well.  The
turn is drawn from those of more than five words; the others stay.  Words are what stands between
white space, punctuation included; a lone mark goes with the word before it, an opening one with the
word after it.  Chinese and Japanese are written without spaces and need the tokens of dt-parse;
there no turn begins with a particle or the like, see sentences.clings, nor within an address.  New
turns hold what the old one held; tokens and entities go with their words, see turntaking.cut.

Source: "combined utterances" and "split utterances", section 3.2 of "Evaluating Robustness of Open
Dialogue Summarization Models in the Presence of Naturally Occurring Variations"; reorder is a
counterpart that is not in the paper.

>>> from random import Random
>>> turns = [{"speaker": "Ann", "text": "Hi."}, {"speaker": "Ann", "text": "Are you in?"}]
>>> combine.perturb({"dialogue": turns, "lang": "en"}, Random(1))[0][4]
[{'speaker': 'Ann', 'text': 'Hi. Are you in?'}]
>>> [turn["text"] for turn in reorder.perturb({"dialogue": turns}, Random(1))[0][4]]
['Are you in?', 'Hi.']
>>> turns = [{"speaker": "Ann", "text": "Bring bread, milk, and two eggs, please."}]
>>> [turn["text"] for turn in split.perturb({"dialogue": turns, "lang": "en"}, Random(1))[0][4]]
['Bring bread, milk, and two', 'eggs, please.']
"""

import re
from collections.abc import Iterator
from random import Random
from unicodedata import category

from dialtools.languages import Language
from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue, tokens
from dialtools.text import sentences, words
from dialtools.variants import turntaking

WORDS = 5


def join_runs(record: dict, rng: Random) -> list[list]:
    """Return one edit for each run of turns that becomes one turn."""
    runs = turntaking.runs(record["dialogue"])
    speakers = sorted({turns[0]["speaker"] for _, turns in runs})
    if not speakers:
        return []
    chosen = rng.choice(speakers)
    space = dialogue.language(record).space
    return [
        ["/dialogue", start, start + len(turns), turns, [turntaking.joined(turns, space)]]
        for start, turns in runs
        if turns[0]["speaker"] == chosen
    ]


def shuffle_run(record: dict, rng: Random) -> list[list]:
    """Return the edit that shuffles a run of turns."""
    runs = [
        (start, run)
        for start, run in turntaking.runs(record["dialogue"])
        if any(turn != run[0] for turn in run)
    ]
    if not runs:
        return []
    start, run = rng.choice(runs)
    shuffled = rng.sample(run, len(run))
    if shuffled == run:  # they move on by one
        shuffled = [*run[1:], run[0]]
    return [["/dialogue", start, start + len(run), run, shuffled]]


def annotation(language: Language) -> tuple[str, ...] | None:
    """Return what the tokens of a language must have to be split; None where it needs none."""
    return None if language.space else ()


def cut_turn(record: dict, rng: Random) -> list[list]:
    """Return the edit that puts several turns in the place of one."""
    turns, language = record["dialogue"], dialogue.language(record)
    for number in rng.sample(range(len(turns)), len(turns)):
        turn = turns[number]
        cuts = _cuts(_words(turn, language))
        if cuts:
            return [["/dialogue", number, number + 1, [turn], turntaking.cut(turn, cuts)]]
    return []


def _words(turn: dict, language: Language) -> Iterator[tuple[int, str, bool]]:
    """Yield (start, form, clings to the word before it?) of the words and marks of a turn."""
    if annotation(language) is None:
        yield from ((match.start(), match[0], False) for match in re.finditer(r"\S+", turn["text"]))
        return
    annotated = tokens.annotated(turn, "dialogue.split")
    for before, token in zip([{}, *annotated], annotated, strict=False):
        start = token["start"]
        clings = sentences.clings(before, token, language)
        yield start, token["form"], clings or words.is_held(turn["text"], start, start)


def _cuts(forms: Iterator[tuple[int, str, bool]]) -> list[int]:
    """Return where new turns begin: every five words, with the marks that open the next word."""
    cuts, count, opening = [], 0, None
    for start, form, clings in forms:
        if not any(map(str.isalnum, form)):
            if category(form[-1]) in ("Ps", "Pi") and opening is None:
                opening = start
            continue
        if count >= WORDS and not clings:
            cuts.append(start if opening is None else opening)
            count = 0
        count, opening = count + 1, None
    return cuts


combine = Perturbation(
    join_runs,
    needs=("dialogue",),
    summary="Join consecutive turns of one speaker into one turn.",
)
reorder = Perturbation(
    shuffle_run,
    needs=("dialogue",),
    summary="Shuffle consecutive turns of one speaker, like messages that cross.",
)
split = Perturbation(
    cut_turn,
    needs=("dialogue",),
    tokens=annotation,
    summary="Cut one turn into consecutive turns of five words.",
)
