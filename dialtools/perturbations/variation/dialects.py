"""Rewrite English utterances with features of a dialect.

Each utterance with a place for some feature gets at most two features, drawn at
random, each in one place: forcing every feature everywhere makes a caricature.
Rules apply in a fixed order, negation first, and only one rule changes a verb
group.  The note of an edit is its feature.  The text needs tokens with upos, lemma
and feats.  Some rules also need head and deprel; without them they are skipped, and
the history says so.

The output is synthetic, not a speaker's text, and the history says so.  Do not
draw conclusions about speakers from it before fluent speakers have read it.

variation.aave writes African American Vernacular English: aint-be, aint-have,
aint-didnt, invariant-dont, negative-concord, completive-done, habitual-be,
zero-copula-noun, zero-copula-adjective, zero-copula-place, zero-progressive-be,
zero-third-s, was-for-were, was-in-conditionals, existential-it, gon, finna,
past-as-participle, zero-possessive, got-for-have, yall, them-for-those,
question-without-inversion, reduced-forms, in that order.  Source: "synthetic AAVE",
section 3.1 of "Evaluating Robustness of Open Dialogue Summarization Models in the
Presence of Naturally Occurring Variations", after Ziems et al. 2022 (VALUE).  The
rules are our own, from the features that eWAVE rates as common in Urban AAVE:
without VALUE's word list, and negative concord with any- words only.

variation.dialect:of=DIALECT writes Indian, Nigerian, Scottish or Colloquial Singapore
English (Singlish).  Source: Kortmann, Lunkenheimer and Ehret 2020, The Electronic
World Atlas of Varieties of English (https://ewave-atlas.org).  A dialect has those
features that the atlas rates as pervasive (A) or as neither pervasive nor extremely
rare (B) in it and that a rule can write for certain, each with its number there:

    indian: zero-progressive-be (174), was-in-conditionals (147),
      stative-progressive (88), having-progressive (88), habitual-progressive (89),
      present-for-perfect (101), added-to (209), theres-with-plural (172),
      zero-definite-article (62), zero-indefinite-article (63), irregular-plural-s
      (48), regular-f-plural (49), mass-plural (55), this-with-plural (71),
      reflexive-self (14), subject-drop (43), object-drop (42), double-comparative
      (78), analytic-comparative (80), too-for-very (222), although-but (215),
      invariant-tag (165), uninverted-wh-question (228), uninverted-yes-no-question
      (229), inverted-indirect-question (227)
    nigerian: zero-progressive-be (174), past-as-participle (130),
      stative-progressive (88), having-progressive (88), habitual-progressive (89),
      present-for-perfect (101), coming-to (116), added-to (209),
      zero-definite-article (62), irregular-plural-s (48), regular-f-plural (49),
      mass-plural (55), this-with-plural (71), me-in-coordination (7),
      myself-in-coordination (8), too-for-very (222), flat-adverb (221), than-what
      (204), inverted-indirect-question (227)
    scottish: negative-concord (154), was-for-were (180), was-in-conditionals (147),
      past-as-participle (130), them-for-those (68), stative-progressive (88),
      epistemic-mustnt (122), needs-washed (124), theres-with-plural (172),
      regular-f-plural (49), this-with-plural (71), hisself (11), me-in-coordination
      (7), myself-in-coordination (8), yous (34), double-comparative (78), real-good
      (220), flat-adverb (221), than-what (204), final-but (211)
    singapore: invariant-dont (158), zero-copula-noun (176), zero-copula-adjective
      (177), zero-copula-place (178), zero-progressive-be (174), zero-third-s (170),
      was-in-conditionals (147), question-without-inversion (228 229), zero-past
      (132), perfect-already (109), present-for-perfect (101), never-for-didnt
      (159), existential-got (205), zero-definite-article (62),
      zero-indefinite-article (63), zero-plural (57 58), irregular-plural-s (48),
      regular-f-plural (49), mass-plural (55), reflexive-self (14),
      me-in-coordination (7), subject-drop (43), object-drop (42),
      double-comparative (78), analytic-comparative (80), although-but (215),
      invariant-tag (165), can-or-not (166), inverted-indirect-question (227)

The rules are our own.  The package of Ziems et al. 2023 (Multi-VALUE, value-nlp 0.3 of
2024) has more dialects and features; it needs one release of spaCy, stanza and NLTK
each, and is not used.

>>> from random import Random
>>> words = [("He", "he", "PRON", ""), ("does", "do", "AUX", "Tense=Pres"),
...          ("n't", "not", "PART", "Polarity=Neg")]
>>> tokens = [{"form": form, "start": at, "end": at + len(form), "lemma": lemma, "upos": upos,
...            "feats": feats}
...           for at, (form, lemma, upos, feats) in zip((0, 3, 7), words)]
>>> aave.perturb({"text": "He doesn't", "tokens": tokens, "lang": "en"}, Random(1))
[['/text', 3, 10, "doesn't", "don't", 'invariant-dont']]
>>> tokens = [{"form": "very", "start": 0, "end": 4, "lemma": "very", "upos": "ADV"},
...           {"form": "good", "start": 5, "end": 9, "lemma": "good", "upos": "ADJ"}]
>>> dialect.perturb({"text": "very good", "tokens": tokens, "lang": "en"}, Random(1), of="indian")
[['/text', 0, 4, 'very', 'too', 'too-for-very']]
"""

from random import Random
from typing import Literal

from dialtools import languages
from dialtools.languages import Language, once_per_language
from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue, tokens
from dialtools.system.errors import OptionError, nearest
from dialtools.text import dialect_rules, rewrites
from dialtools.text.dialect_sentences import DialectSentence, Site, sentences

TOKENS = ("upos", "lemma", "feats")
HEADS = ("head", "deprel")
Dialect = Literal["", "indian", "nigerian", "scottish", "singapore"]
_NAMES = {
    "aave": "AAVE",
    "indian": "Indian English",
    "nigerian": "Nigerian English",
    "scottish": "Scottish English",
    "singapore": "Colloquial Singapore English",
}
Places = dict[str, list[tuple[int, Site]]]  # of each feature: number of the sentence, and site


def perturb_aave(record: dict, rng: Random, *, features: str = "", most: int = 2) -> list[list]:
    """Return the edits of each utterance.

    features: names of those that may be drawn, with + between them; "": all.
    most: of them in an utterance, 1 or more.
    """
    return _edits(record, rng, "variation.aave", _wanted("aave", features), most)


def perturb_dialect(
    record: dict, rng: Random, *, of: Dialect = "", features: str = "", most: int = 2
) -> list[list]:
    """Return the edits of each utterance.

    of: the dialect.
    features: names of those that may be drawn, with + between them; "": all of the dialect.
    most: of them in an utterance, 1 or more.
    """
    return _edits(record, rng, "variation.dialect", _wanted(of, features), most)


def _edits(record: dict, rng: Random, kind: str, wanted: dict[str, bool], most: int) -> list[list]:
    if most < 1:
        raise OptionError(f"{kind}: most is 1 or more, here is {most}")
    edits = []
    for pointer, holder in dialogue.utterances(record):
        text, annotated = holder["text"], tokens.annotated(holder, kind, *TOKENS)
        with_heads = tokens.has(holder, *HEADS)
        places = _places(list(sentences(text, annotated, with_heads)), wanted, with_heads)
        edits += [
            [pointer, start, end, text[start:end], new, name]
            for name, start, end, new in sorted(_drawn(places, rng, most), key=lambda edit: edit[1])
        ]
    return edits


@once_per_language
def _features(language: Language, dialect: str) -> dict[str, bool]:
    """Return a dialect's features in the order of their rules, each with whether it needs heads."""
    return {
        row["feature"]: row["heads"] == "yes" for row in language.table("dialects") if row[dialect]
    }


def _wanted(dialect: str, typed: str) -> dict[str, bool]:
    """Return the features of an option, "" for all, as `_features` does. Raise OptionError."""
    known = _features(languages.get("en"), dialect)
    names = typed.split("+") if typed else list(known)
    for name in names:
        if name not in known:
            raise OptionError(
                f"{_NAMES[dialect]}: no feature {name!r}{nearest(name, known)}; there are "
                f"{', '.join(known)}"
            )
    return {name: needs_heads for name, needs_heads in known.items() if name in names}


def _places(parts: list[DialectSentence], wanted: dict[str, bool], with_heads: bool) -> Places:
    """Return where each feature may stand, if it may anywhere."""
    places: Places = {}
    for name, needs_heads in wanted.items():
        if with_heads or not needs_heads:
            rule = dialect_rules.rule(name)
            sites = [
                (number, site)
                for number, part in enumerate(parts)
                for site in rule(part)
                if _is_sound(part, site)
            ]
            places |= {name: sites} if sites else {}
    return places


def _is_sound(sentence: DialectSentence, site: Site) -> bool:
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


def settings(*, features: str, most: int, **of: str) -> dict:
    """Return the options for the signature; which features, if not all."""
    return {**of, "features": features or None, "most": most}


def facts(record: dict, edits: list[list], *, features: str | None, of: str = "aave", **_) -> dict:
    """Return the remark of the history: what this is, and which features lacked heads."""
    remark = f"synthetic, rule-based {_NAMES[of]}; not a speaker's text"
    wanted = _wanted(of, features or "")
    left_out = [name for name, needs_heads in wanted.items() if needs_heads]
    without = sum(not tokens.has(holder, *HEADS) for holder in dialogue.holders(record))
    if not left_out or not without:
        return {"remark": remark}
    return {
        "remark": f"{remark}; without heads, hence not {', '.join(left_out)}",
        "counts": {"utterances without heads, for which some features were left out": without},
    }


aave = Perturbation(
    perturb_aave,
    resource="dialects.tsv",
    tokens=TOKENS,
    facts=facts,
    settings=settings,
    summary="Rewrite English utterances with features of African American Vernacular English.",
)
dialect = Perturbation(
    perturb_dialect,
    resource="dialects.tsv",
    required=("of",),
    tokens=TOKENS,
    facts=facts,
    settings=settings,
    summary="Rewrite English utterances with features of Indian, Nigerian, Scottish or Singapore "
    "English.",
)
