"""Texts translated into another language and back, each way by a generator of dt-generate.

A program and a sequence-to-sequence model read the text as it is. A model that follows
instructions, here or behind a server, reads REQUEST; with a template of the user's all read that.
"""

import functools
from collections.abc import Callable
from random import Random

from dialtools import languages
from dialtools.models import writers
from dialtools.plugins import registry
from dialtools.system.errors import OptionError, show
from dialtools.text import paraphrases

REQUEST = (
    "Translate the following text from {source} into {target}. "
    "Write the translation alone, on one line.\n\n{text}"
)
INSTRUCTED = ("causal", "endpoint")  # generators


@functools.lru_cache(maxsize=20)
def named(
    there: str,
    back: str,
    pivot: str = "",
    *,
    offline: bool = False,
    fill: Callable[..., str] | None = None,
) -> Callable[..., str]:
    """Return a paraphraser as in paraphrases.py: what comes back of a text.

    there, back: folder or hub name of a model, or the spec of a generator, in brackets if it has
        commas.
    pivot: the language between, by its tag or its name in English.
    fill: (record, source=…, target=…) -> prompt, of the user's own; languages by their names.
    """
    specs = _generator(there, offline), _generator(back, offline)
    if fill and not pivot:
        raise OptionError("back-translation with --paraphrase-prompt needs a pivot: pivot=German")
    if pivot and not languages.get(pivot).is_known and not pivot[:1].isupper():
        raise OptionError(
            f"back-translation: pivot is {', '.join(languages.known())}, or another language by "
            f"its name, such as Portuguese, not {show(pivot)}"
        )

    def translator(spec: str, source: str, target: str) -> Callable[..., str]:
        def asked(record: dict) -> str:
            if fill:
                return fill(record, source=source, target=target)
            return REQUEST.format(source=source, target=target, text=record["text"])

        is_instructed = spec.partition(":")[0] in INSTRUCTED
        if is_instructed and not pivot:
            raise OptionError(
                f"back-translation: {show(spec)} is told the languages, so say the pivot, such as "
                "pivot=German"
            )
        return paraphrases.named(spec, offline, asked if fill or is_instructed else None)

    @functools.lru_cache(maxsize=100)
    def both_ways(lang: str) -> tuple[Callable[..., str], Callable[..., str]]:
        source, target = _name(lang), _name(pivot)
        return translator(specs[0], source, target), translator(specs[1], target, source)

    both_ways("en")  # an error of the options comes before any record
    between = pivot if languages.get(pivot).is_known else "und"

    def round_trip(text: str, rng: Random, *, lang: str, formality: str) -> str:
        forth, home = both_ways(lang)
        translation = forth(text, rng, lang=lang, formality=formality)
        return home(translation, rng, lang=between, formality=formality)

    return round_trip


def _generator(spec: str, offline: bool) -> str:
    """Return the spec of the generator that fits a model, or the one that is typed."""
    if spec.startswith("[") and spec.endswith("]"):
        return spec[1:-1]
    if ":" in spec or spec in registry.names("generators"):
        return spec
    return f"{writers.kind(spec, offline)}:model={spec}"


def _name(language: str) -> str:
    """Return the name in English of a language by its tag, or what is its name already."""
    known = languages.get(language)
    return known.facts["name"] if known.is_known else language
