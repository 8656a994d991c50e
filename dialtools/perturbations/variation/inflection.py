"""Inflect content words differently: she walks → she walked, two cars → two car.

Each noun, verb, adjective and adverb with other forms takes one of them with the
given rate; the note is the part of speech of the new form.  English: the Penn
Treebank tags of the same lemma, with the forms of lemminflect's dictionary (VB
VBD VBG VBN VBP VBZ, NN NNS, JJ JJR JJS, RB RBR RBS).  A word that is not among
the forms of its lemma stays, as does one with a capital inside a sentence (New
Year); only short adjectives take -er.  Japanese: です and だ, polite and plain
(高いです → 高い).  Hindi: the endings of adjectives.  Indonesian and Javanese: verbs in
the active and the passive voice.

The text needs tokens with upos and lemma.

Source: "language-use variations", section 3.1 of "Evaluating Robustness of Open
Dialogue Summarization Models in the Presence of Naturally Occurring
Variations", after NL-Augmenter: the lemma of each content word, inflected as a
category drawn at random; rate 0.2.  Unlike there the form is always another.

>>> from random import Random
>>> token = {"form": "अच्छा", "start": 0, "end": 5, "lemma": "अच्छा", "upos": "ADJ"}
>>> perturb({"text": "अच्छा", "tokens": [token], "lang": "hi"}, Random(1), rate=1.0)
[['/text', 0, 5, 'अच्छा', 'अच्छी', 'adjective ending']]
"""

import functools
from random import Random

from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue, tokens
from dialtools.text import english_clauses, rewrites, word_forms, words

KIND = "variation.inflection"
TOKENS = ("upos", "lemma")


def perturb(record: dict, rng: Random, *, rate: float = 0.2) -> list[list]:
    """Return an edit for each word inflected differently; rate: probability of a word."""
    words.check_rate(rate)
    language = dialogue.language(record)
    table = rewrites.rules(language, "inflection")
    edits = []
    for pointer, holder in dialogue.utterances(record):
        text, annotated = holder["text"], tokens.annotated(holder, KIND, *TOKENS)
        if language.code != "en":
            edits += rewrites.rewritten(pointer, text, annotated, table, rng, rate)
            continue
        inflected = []
        for token in annotated:
            form, start, end = token["form"], token["start"], token["end"]
            if token["upos"] not in tokens.CONTENT or ("", form.lower()) in table.by:
                continue
            if words.is_capitalised(text, token):
                continue
            others = _others(token["lemma"].lower(), token["upos"], form.lower())
            if others and rng.random() < rate:
                tag, new = rng.choice(others)
                inflected.append([pointer, start, end, form, rewrites.cased(new, form), tag])
        edits += rewrites.whole(text, inflected)
    return edits


@functools.lru_cache(maxsize=100_000)
def _others(lemma: str, upos: str, form: str) -> list[tuple[str, str]]:
    """Return the other (tag, form) of a word, sorted; [] if it is no form of its lemma."""
    forms_of = english_clauses.lemminflect().getAllInflections(lemma, upos=upos)
    if not any(form in forms for forms in forms_of.values()):
        return []
    if upos == "NOUN" and form == lemma and form.endswith("s") and not form.endswith("ss"):
        return []  # a plural without a singular: thankses
    first_forms = ((tag, forms[0]) for tag, forms in forms_of.items() if forms)
    return sorted(
        (tag, new)
        for tag, new in first_forms
        if new != form and new.isalpha() and not _is_doubtful(lemma, tag, new)
    )


def _is_doubtful(lemma: str, tag: str, form: str) -> bool:
    """Tell whether a comparison is neither irregular (better) nor regular (moderner, freeest)."""
    degree = {"R": "Cmp", "S": "Sup"}.get(tag[2:]) if tag[:2] in ("JJ", "RB") else None
    is_regular = degree is None or form == word_forms.compared(lemma, degree)
    return not is_regular and form.startswith(lemma[:2])


PERTURBATION = Perturbation(perturb, resource="inflection.tsv", tokens=TOKENS)
