"""Translate utterances into another language and back, by two models, a server or a program.

Each utterance with words changes with the given rate.  there and back each name a
model by its folder or hub name, or a generator of dt-generate by its spec, in square
brackets if that has commas:

    there=MODEL,back=MODEL
    there=MODEL,back=[seq2seq:model=MODEL,beams=1]
    there=[endpoint:endpoint=URL,model=NAME],pivot=German

Without back, there translates both ways.  A sequence-to-sequence model, or a
program, reads the text as it is (of several languages, such as NLLB, say which by
src_lang and tgt_lang); one that follows instructions (causal, endpoint) is asked to
translate into pivot, and back, or reads the template of --paraphrase-prompt, with
{{ text }}, {{ source }} and {{ target }}.  Under --paraphrase-floor what comes back
is dropped, and the text stays.  What comes back has no tokens.

Source: Sennrich, Haddow and Birch 2016, Improving Neural Machine Translation Models
with Monolingual Data, for translating back; as a perturbation the back_translation
of NL-Augmenter, which pivots by German.

>>> from random import Random
>>> text = {"text": "I saw the big cat", "lang": "en"}
>>> perturb(text, Random(1), there="exec:sed -u s/big/gross/", back="exec:sed -u s/gross/large/")
[['/text', 0, 17, 'I saw the big cat', 'I saw the large cat']]
"""

from collections.abc import Callable
from random import Random

from dialtools.plugins.perturbation import Perturbation
from dialtools.system.errors import masked
from dialtools.text import paraphrases
from dialtools.variants import round_trips


def perturb(
    record: dict,
    rng: Random,
    *,
    there: str = "",
    back: str = "",
    pivot: str = "",
    rate: float = 1.0,
    round_trip: Callable = round_trips.named,
) -> list[list]:
    """Return an edit for each utterance that comes back as another one.

    there: what translates; a model, or the spec of a generator.
    back: what translates back; as there, if it is not told.
    pivot: the language between: its tag, or its name in English.
    rate: probability of an utterance.
    round_trip: (there, back, pivot) -> (text, rng, *, lang, formality) -> text.
    """
    return paraphrases.edits(record, rng, rate, round_trip(there, back or there, pivot))


def settings(*, there: str, back: str, pivot: str, rate: float, round_trip: str = "") -> dict:
    """Return the options for the signature; round_trip: the prompt and the floor of the command."""
    return {
        "there": masked(there),
        "back": masked(back) or None,
        "pivot": pivot or None,
        "rate": rate,
        "with": round_trip or None,
    }


PERTURBATION = Perturbation(perturb, settings=settings, required=("there",))
