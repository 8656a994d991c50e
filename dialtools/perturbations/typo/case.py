"""Change the case of words: hello, Hello, HELLO.

Each word changes with the given rate, to one of the cases that it does not
have.  Names (of speakers, tokens tagged PROPN), addresses, placeholders,
hashtags and `code` stay; so do letters whose other case has several letters
(ß, İ).  In Chinese and Japanese text, only words in letters with case change.

Source: "letter casing" among the typographical errors, section 3.1 of
"Evaluating Robustness of Open Dialogue Summarization Models in the Presence of
Naturally Occurring Variations"; its rate of 0.2 is the default.

>>> from random import Random
>>> perturb({"text": "see you soon"}, Random(1))
[['/text', 0, 3, 'see', 'See']]
"""

from random import Random

from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue
from dialtools.text import words


def perturb(record: dict, rng: Random, *, rate: float = 0.2) -> list[list]:
    """Return an edit for each word that changes its case; rate: probability of a word."""
    words.check_rate(rate)
    names = words.protected(record)
    text, places = dialogue.joined(record)
    edits = []
    for word, start, end in words.drawn(text, rng, rate):
        cases = _other_cases(word)
        if cases and word.lower() not in names:
            edits.append([start, end, word, words.one(rng, cases)])
    return dialogue.placed(edits, places)


def _other_cases(word: str) -> list[str]:
    """Return the other cases of a word with as many letters, always in the same order."""
    lower, upper = word.lower(), word.upper()
    cases = [lower, upper[:1] + lower[1:], upper] if len(word) > 1 else [lower, upper]
    if not word.isascii():
        cases = [case for case in cases if len(case) == len(word) and case.lower() == lower]
    return [case for case in cases if case != word]


PERTURBATION = Perturbation(perturb)
