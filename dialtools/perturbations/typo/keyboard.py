"""Hit the wrong key: substitute, transpose, omit or double a letter.

Each word changes with the given rate, by one letter.  Half of the errors
substitute the letter of a neighbouring key; the others transpose two letters,
omit one or double one (20, 15 and 15 %).  kind chooses one of them.  Keys are
neighbours if their centres are at most 1.3 key widths apart.

Hindi uses the InScript layout: a letter becomes one of its own class (consonant,
vowel, sign), from a neighbouring key or through Shift, and no sign loses its
letter.  In Japanese, only kana change, and two of them count as a word.
layout=flick slides to another vowel or row, or forgets ゛, ゜ or to make a letter
small; jis has a key for each kana; romaji loses or doubles ん, っ and ー.  Chinese
needs tokens: a word becomes another of the input method's list, with the same
or nearly the same pinyin (zh and z, in and ing), at most ten times rarer or more
common.

Some words stay: names (speakers, words with a capital inside a sentence, tokens
tagged PROPN), addresses, placeholders, hashtags, `code`, words with digits and
words of one letter.  The note of an edit names the error.

Source: spelling errors, section 3.1 of "Evaluating Robustness of Open Dialogue
Summarization Models in the Presence of Naturally Occurring Variations", rate
0.2.  Unlike Yorke's butter-fingers no error leaves the letter as it was, none
is by a distant key, and case is kept.

>>> from random import Random
>>> perturb({"text": "see you soon", "lang": "en"}, Random(1))
[['/text', 1, 2, 'e', 'r', 'substitute']]
"""

from random import Random
from typing import Literal

from dialtools.languages import Language
from dialtools.perturbations import _keyboards
from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue
from dialtools.system.errors import RecordError
from dialtools.text import words


def annotation(language: Language) -> tuple[str, ...] | None:
    """Return what the tokens of a language must have; None where it needs none."""
    return () if language.code == "zh" else None


def perturb(
    record: dict,
    rng: Random,
    *,
    kind: Literal["any", "substitute", "transpose", "omit", "double"] = "any",
    layout: Literal["flick", "jis", "romaji"] | None = None,
    rate: float = 0.2,
) -> list[list]:
    """Return an edit for each word that is mistyped.

    kind: which error; of Chinese there are only substitutions.
    layout: of Japanese; flick where none is given.
    rate: probability of a word, from 0 to 1.
    """
    words.check_rate(rate)
    language = dialogue.language(record)
    if layout and language.code != "ja":
        raise RecordError(f"typo.keyboard:layout={layout} is not defined for {language.code}")
    if language.code == "zh" and kind not in ("any", "substitute"):
        raise RecordError(f"typo.keyboard:kind={kind} is not defined for {language.code}")
    names = words.protected(record)
    typist = _keyboards.Typist(language, rng, kind, rate, names, layout or "flick")
    if language.code == "zh":
        return [
            [pointer, *slip]
            for pointer, holder in dialogue.utterances(record)
            for slip in _keyboards.pinyin(holder, typist)
        ]
    slips = _keyboards.latin
    if language.code == "ja":
        slips = _keyboards.kana
    elif language.script == "Deva":
        slips = _keyboards.inscript
    text, places = dialogue.joined(record)
    return dialogue.placed(slips(text, typist), places)


PERTURBATION = Perturbation(perturb, resource="keyboard.json", tokens=annotation)
