"""Cut one turn into consecutive turns of five words.

The turn is drawn from those of more than five words; the others stay.  It
probes the long bias of summarisers: does a long turn count for more than the
same words in short ones?

Words are what stands between white space, punctuation included; a lone mark
goes with the word before it, an opening one with the word after it.  Chinese
and Japanese are written without spaces and need the tokens of dt-parse; there
no turn begins with a particle or the like, see joints.py, nor within an address.
New turns hold what the old one held; tokens and entities go with their words,
see turntaking.cut.

Source: "split utterances", section 3.2 of "Evaluating Robustness of Open
Dialogue Summarization Models in the Presence of Naturally Occurring
Variations".

>>> from random import Random
>>> turns = [{"speaker": "Ann", "text": "Bring bread, milk, and two eggs, please."}]
>>> [turn["text"] for turn in perturb({"dialogue": turns, "lang": "en"}, Random(1))[0][4]]
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


def annotation(language: Language) -> tuple[str, ...] | None:
    """Return what the tokens of a language must have; None where it needs none."""
    return None if language.space else ()


def perturb(record: dict, rng: Random) -> list[list]:
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
    wanted = annotation(language)
    if wanted is None:
        yield from ((match.start(), match[0], False) for match in re.finditer(r"\S+", turn["text"]))
    else:
        found = tokens.annotated(turn, "dialogue.split", *wanted)
        for before, token in zip([{}, *found], found, strict=False):
            start, form = token["start"], token["form"]
            clings = sentences.clings(before, token, language)
            yield start, form, clings or words.is_held(turn["text"], start, start)


def _cuts(found: Iterator[tuple[int, str, bool]]) -> list[int]:
    """Return where new turns begin: every five words, with the marks that open the next word."""
    cuts, count, opening = [], 0, None
    for start, form, clings in found:
        if not any(map(str.isalnum, form)):
            if category(form[-1]) in ("Ps", "Pi") and opening is None:
                opening = start
            continue
        if count >= WORDS and not clings:
            cuts.append(start if opening is None else opening)
            count = 0
        count, opening = count + 1, None
    return cuts


PERTURBATION = Perturbation(perturb, needs=("dialogue",), tokens=annotation)
