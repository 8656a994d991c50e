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

from random import Random

from dialtools import languages
from dialtools.languages import Language, once_per_language
from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue, tokens
from dialtools.system.errors import OptionError, nearest
from dialtools.text import aave_rules, rewrites
from dialtools.text.aave_sentences import AaveSentence, Site, sentences

KIND = "variation.aave"
TOKENS = ("upos", "lemma", "feats")
HEADS = ("head", "deprel")
Places = dict[str, list[tuple[int, Site]]]  # of each feature: number of the sentence, and site


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
        text, annotated = holder["text"], tokens.annotated(holder, KIND, *TOKENS)
        with_heads = tokens.has(holder, *HEADS)
        places = _places(list(sentences(text, annotated, with_heads)), wanted, with_heads)
        edits += [
            [pointer, start, end, text[start:end], new, name]
            for name, start, end, new in sorted(_drawn(places, rng, most), key=lambda edit: edit[1])
        ]
    return edits


@once_per_language
def _features(language: Language) -> dict[str, bool]:
    """Return the features in the order of their rules, each with whether its rule needs heads."""
    return {row["feature"]: row["heads"] == "yes" for row in language.table("aave")}


def _wanted(typed: str) -> dict[str, bool]:
    """Return the features of an option, "" for all, as `_features` does. Raise OptionError."""
    known = _features(languages.get("en"))
    names = typed.split("+") if typed else list(known)
    for name in names:
        if name not in known:
            raise OptionError(
                f"{KIND}: no feature {name!r}{nearest(name, known)}; there are {', '.join(known)}"
            )
    return {name: needs_heads for name, needs_heads in known.items() if name in names}


def _places(parts: list[AaveSentence], wanted: dict[str, bool], with_heads: bool) -> Places:
    """Return where each feature may stand, if it may anywhere."""
    places: Places = {}
    for name, needs_heads in wanted.items():
        if with_heads or not needs_heads:
            rule = getattr(aave_rules, name.replace("-", "_"))
            sites = [
                (number, site)
                for number, part in enumerate(parts)
                for site in rule(part)
                if _is_sound(part, site)
            ]
            places |= {name: sites} if sites else {}
    return places


def _is_sound(sentence: AaveSentence, site: Site) -> bool:
    """Tell whether all edits of a site change whole characters, and no word without a token."""
    text = sentence.text
    spans = [(start, end) for start, end, new in sorted(site.edits) if text[start:end] != new]
    whole = rewrites.whole(text, [["", *span] for span in spans])
    if len(whole) < len(site.edits):
        return False
    for start, end in spans:
        inside = [
            {"form": text[max(start, token["start"]) : min(end, token["end"])]}
            for token in sentence.tokens
            if token["start"] < end and start < token["end"]
        ]
        if tokens.without({"text": text[start:end], "tokens": inside}):
            return False
    return True


def _drawn(places: Places, rng: Random, most: int) -> list[tuple[str, int, int, str]]:
    """Return (feature, start, end, new) of the drawn features, at most one in a verb group."""
    drawn = set(rng.sample(list(places), min(most, len(places))))
    taken: set[tuple[int, int]] = set()
    edits: list[tuple[str, int, int, str]] = []
    for name in filter(drawn.__contains__, places):
        free = [
            (number, site)
            for number, site in places[name]
            if taken.isdisjoint((number, token) for token in site.group)
            and not any(
                start < edit_end and edit_start < end
                for start, end, _ in site.edits
                for _, edit_start, edit_end, _ in edits
            )
        ]
        if free:
            number, site = rng.choice(free)
            taken.update((number, token) for token in site.group)
            edits += [(name, *edit) for edit in site.edits]
    return edits


def settings(*, features: str, most: int) -> dict:
    """Return the options for the signature; which features, if not all."""
    return {"features": features or None, "most": most}


def facts(record: dict, edits: list[list], *, features: str | None, **_) -> dict:
    """Return the remark of the history: what this is, and which features lacked heads."""
    remark = "synthetic, rule-based AAVE; not a speaker's text"
    left_out = [name for name, needs_heads in _wanted(features or "").items() if needs_heads]
    without = sum(not tokens.has(holder, *HEADS) for holder in dialogue.holders(record))
    if not left_out or not without:
        return {"remark": remark}
    return {
        "remark": f"{remark}; without heads, hence not {', '.join(left_out)}",
        "counts": {"utterances without heads, for which some features were left out": without},
    }


PERTURBATION = Perturbation(
    perturb, resource="aave.tsv", tokens=TOKENS, facts=facts, settings=settings
)
