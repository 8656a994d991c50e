"""Rewrite English utterances with features of African American Vernacular English.

Each utterance with a place for some feature gets at most two features, drawn at
random, each in one place: forcing every feature everywhere makes a caricature.
Rules apply in a fixed order, negation first, and only one rule changes a verb
group.  The note of an edit is its feature.  The features, in that order: aint-be,
aint-have, aint-didnt, invariant-dont, negative-concord, completive-done,
habitual-be, zero-copula-noun, zero-copula-adjective, zero-copula-place,
zero-progressive-be, zero-third-s, was-for-were, was-in-conditionals,
existential-it, gon, finna, past-as-participle, zero-possessive, got-for-have,
yall, them-for-those, question-without-inversion, reduced-forms.

The text needs tokens with upos, lemma and feats.  Some rules also need head and
deprel; without them they are skipped, and the history says so.

The output is synthetic, not a speaker's text, and the history says so.  Do not
draw conclusions about speakers from it before fluent speakers have read it.

Source: "synthetic AAVE", section 3.1 of "Evaluating Robustness of Open Dialogue
Summarization Models in the Presence of Naturally Occurring Variations", after
Ziems et al. 2022 (VALUE).  The rules are our own, from the features that eWAVE
(https://ewave-atlas.org) rates as common in Urban AAVE: without VALUE's word
list, and negative concord with any- words only.

>>> from random import Random
>>> words = [("He", "he", "PRON", ""), ("does", "do", "AUX", "Tense=Pres"),
...          ("n't", "not", "PART", "Polarity=Neg")]
>>> tokens = [{"form": form, "start": at, "end": at + len(form), "lemma": lemma, "upos": upos,
...            "feats": feats}
...           for at, (form, lemma, upos, feats) in zip((0, 3, 7), words)]
>>> perturb({"text": "He doesn't", "tokens": tokens, "lang": "en"}, Random(1))
[['/text', 3, 10, "doesn't", "don't", 'invariant-dont']]
"""

import functools
from collections.abc import Callable, Iterator
from random import Random

from dialtools import languages
from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue, tokens
from dialtools.system.errors import OptionError, nearest
from dialtools.text import rewrites
from dialtools.text.aave import be, negation, nouns, verbs
from dialtools.text.aave.sentences import Sentence, Site, sentences

KIND = "variation.aave"
TOKENS = ("upos", "lemma", "feats")
HEADS = ("head", "deprel")
RULES: dict[str, Callable[[Sentence], Iterator[Site]]] = {
    "aint-be": negation.aint_be,
    "aint-have": negation.aint_have,
    "aint-didnt": negation.aint_didnt,
    "invariant-dont": negation.invariant_dont,
    "negative-concord": negation.negative_concord,
    "completive-done": verbs.completive_done,
    "habitual-be": be.habitual_be,
    "zero-copula-noun": be.zero_copula_noun,
    "zero-copula-adjective": be.zero_copula_adjective,
    "zero-copula-place": be.zero_copula_place,
    "zero-progressive-be": be.zero_progressive_be,
    "zero-third-s": verbs.zero_third_s,
    "was-for-were": verbs.was_for_were,
    "was-in-conditionals": verbs.was_in_conditionals,
    "existential-it": be.existential_it,
    "gon": verbs.gon,
    "finna": verbs.finna,
    "past-as-participle": verbs.past_as_participle,
    "zero-possessive": nouns.zero_possessive,
    "got-for-have": verbs.got_for_have,
    "yall": nouns.yall,
    "them-for-those": nouns.them_for_those,
    "question-without-inversion": be.question_without_inversion,
    "reduced-forms": verbs.reduced_forms,
}


def perturb(record: dict, rng: Random, *, features: str = "", most: int = 2) -> list[list]:
    """Return the edits of each utterance.

    features: names of those that may be drawn, with + between them; "": all.
    most: of them in an utterance, 1 or more.
    """
    wanted = _wanted(features)
    if most < 1:
        raise OptionError(f"{KIND}: most is 1 or more, here is {most}")
    edits = []
    for pointer, holder in dialogue.utterances(record):
        text, found = holder["text"], tokens.annotated(holder, KIND, *TOKENS)
        with_heads = tokens.has(holder, *HEADS)
        places = _places(list(sentences(text, found, with_heads)), wanted, with_heads)
        edits += [
            [pointer, start, end, text[start:end], new, name]
            for name, start, end, new in sorted(_drawn(places, rng, most), key=lambda edit: edit[1])
        ]
    return edits


@functools.cache
def _features() -> dict[str, bool]:
    """Return the features in the order of their rules, each with whether its rule needs heads."""
    return {row["feature"]: row["heads"] == "yes" for row in languages.get("en").table("aave")}


@functools.cache
def _wanted(typed: str) -> list[str]:
    """Return the features of an option in the order of their rules. Raise OptionError."""
    for name in typed.split("+") if typed else ():
        if name not in _features():
            raise OptionError(
                f"{KIND}: no feature {name!r}{nearest(name, _features())}; there are "
                f"{', '.join(_features())}"
            )
    return [name for name in _features() if not typed or name in typed.split("+")]


def _places(
    parts: list[Sentence], wanted: list[str], with_heads: bool
) -> dict[str, list[tuple[int, Site]]]:
    """Return where each feature may stand: the number of the sentence, and the site."""
    places: dict[str, list[tuple[int, Site]]] = {}
    for name in wanted:
        if with_heads or not _features()[name]:
            found = [
                (number, site)
                for number, part in enumerate(parts)
                for site in RULES[name](part)
                if _is_sound(part, site)
            ]
            places |= {name: found} if found else {}
    return places


def _is_sound(sentence: Sentence, site: Site) -> bool:
    """Tell whether all edits of a site change whole characters, and no word without a token."""
    text = sentence.text
    spans = [(start, end) for start, end, new in sorted(site.edits) if text[start:end] != new]
    whole = rewrites.whole(text, [["", *span] for span in spans])
    return len(whole) == len(site.edits) and not any(
        _has_other_words(sentence, *span) for span in spans
    )


def _has_other_words(sentence: Sentence, start: int, end: int) -> bool:
    """Tell whether a span has a word that is in no token of the sentence."""
    inside = [
        {"form": sentence.text[max(start, token["start"]) : min(end, token["end"])]}
        for token in sentence.tokens
        if token["start"] < end and start < token["end"]
    ]
    return tokens.without({"text": sentence.text[start:end], "tokens": inside}) != ""


def _drawn(
    places: dict[str, list[tuple[int, Site]]], rng: Random, most: int
) -> list[tuple[str, int, int, str]]:
    """Return (feature, start, end, new) of the drawn features, at most one in a verb group."""
    chosen = rng.sample(list(places), min(most, len(places)))
    taken: set[tuple[int, int]] = set()
    made: list[tuple[str, int, int, str]] = []
    for name in sorted(chosen, key=list(places).index):
        free = [
            (number, site)
            for number, site in places[name]
            if taken.isdisjoint((number, at) for at in site.group)
            and not any(
                start < other_end and other < end
                for start, end, _ in site.edits
                for _, other, other_end, _ in made
            )
        ]
        if free:
            number, site = rng.choice(free)
            taken.update((number, at) for at in site.group)
            made += [(name, *edit) for edit in site.edits]
    return made


def settings(*, features: str, most: int) -> dict:
    """Return the options for the signature; which features, if not all."""
    return {"features": features or None, "most": most}


def facts(record: dict, edits: list[list], *, features: str | None, **_) -> dict:
    """Return the remark of the history: what this is, and which features lacked heads."""
    said = "synthetic, rule-based AAVE; not a speaker's text"
    left = [
        name
        for name, needs_heads in _features().items()
        if needs_heads and name in _wanted(features or "")
    ]
    without = sum(not tokens.has(holder, *HEADS) for holder in dialogue.holders(record))
    if not left or not without:
        return {"remark": said}
    return {
        "remark": f"{said}; without heads, hence not {', '.join(left)}",
        "counts": {"utterances without heads, for which some features were left out": without},
    }


PERTURBATION = Perturbation(
    perturb, resource="aave.tsv", tokens=TOKENS, facts=facts, settings=settings
)
