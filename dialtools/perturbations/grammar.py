"""Slips of grammar: words that disagree, small words left out.

grammar.agreement changes each word that has a counterpart with the given rate.
English: finite auxiliaries (am is are was were has have does do, also joined to n't or to a word).
Imperative do stays, as do have and do after to or another auxiliary, and words with a single form
(had, did, can, will).  Hindi: है हैं, था थे थी, and participles in -ता and रहा, in number or
gender; the note says which.  Indonesian has no agreement: verbs lose me- or ber- (membaca → baca),
as in casual speech.  Javanese has none either: words of the ngoko and krama levels are mixed
(aku → kula).  English words that are always auxiliaries (is, are, was), Hindi है and था, and
Javanese words need no tokens.  All others need tokens with upos, lemma and feats.

grammar.determiner drops each determiner with the given rate, with one space.  If it began a
sentence, the next word gets its capital.  English: articles and demonstratives.
types=article+indefinite+… adds indefinite (some), total (every), negative (no) and interrogative
(which) determiners, which change the meaning.  Chinese: measure words (classifier) and 的 before a
noun (de).  Japanese: を and が (particle).  Hindi: ने (particle).  "a few", "a little" and words
joined to others stay, such as the Indonesian -nya, which treebanks also tag as a determiner.
English articles are found without tokens (but not the A of "plan A"); all other words need tokens
with upos.  The rest of the text keeps its tokens.

Source: "grammatical errors", section 3.1 of "Evaluating Robustness of Open Dialogue Summarization
Models in the Presence of Naturally Occurring Variations": tokens tagged AUX, and determiners,
tokens tagged DET; rate 0.2.

>>> from random import Random
>>> agreement.perturb({"text": "She is here, they aren't.", "lang": "en"}, Random(1))
[['/text', 4, 6, 'is', 'are', 'number']]
>>> determiner.perturb({"text": "The cat sat on a mat.", "lang": "en"}, Random(1))
[['/text', 0, 7, 'The cat', 'Cat', 'article']]
"""

from functools import partial
from random import Random

from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue
from dialtools.system.errors import OptionError, nearest
from dialtools.text import rewrites, words

AGREEMENT, DETERMINER = "grammar.agreement", "grammar.determiner"
TYPES = (
    "article",
    "demonstrative",
    "indefinite",
    "total",
    "negative",
    "interrogative",
    "classifier",
    "de",
    "particle",
)


def disagree(record: dict, rng: Random, *, rate: float = 0.2) -> list[list]:
    """Return an edit for each word that no longer agrees; rate: probability of a word."""
    words.check_rate(rate)
    table = rewrites.rules(dialogue.language(record), "agreement")
    edits = []
    for pointer, holder in dialogue.utterances(record):
        annotated = rewrites.seen(holder, AGREEMENT, table)
        edits += rewrites.rewritten(pointer, holder["text"], annotated, table, rng, rate)
    return edits


def drop_determiners(
    record: dict,
    rng: Random,
    *,
    rate: float = 0.2,
    types: str = "article+demonstrative+classifier+de+particle",
) -> list[list]:
    """Return an edit for each word that is dropped.

    rate: probability of a word, from 0 to 1.
    types: of words, with + between them: those named above.
    """
    words.check_rate(rate)
    wanted = types.split("+")
    for name in wanted:
        if name not in TYPES:
            raise OptionError(
                f"{DETERMINER}: no type {name!r}{nearest(name, TYPES)}; there are "
                f"{', '.join(TYPES)}"
            )
    table = rewrites.rules(dialogue.language(record), "determiners")
    edits = []
    for pointer, holder in dialogue.utterances(record):
        text, annotated, dropped = holder["text"], rewrites.seen(holder, DETERMINER, table), []
        for number, token in enumerate(annotated):
            choices = rewrites.choices(text, table, annotated, number)
            notes = [note for _, note in choices if note in wanted]
            if notes and _stands_alone(text, token) and rng.random() < rate:
                start, end, after = rewrites.dropped(text, token["start"], token["end"])
                dropped.append([pointer, start, end, text[start:end], after, notes[0]])
        edits += rewrites.whole(text, dropped)
    return edits


def _stands_alone(text: str, token: dict) -> bool:
    """Tell whether another word follows; without tokens, the A of "plan A" does not count."""
    start, end = token["start"], token["end"]
    if "part" in token or not any(map(str.isalnum, text[end : end + 1000])):
        return False
    if "upos" not in token:
        follows = text[end : end + 1].isspace() and text[end + 1 : end + 2].isalnum()
        return follows and (text[start] != "A" or words.opens(text, start))
    return True


agreement = Perturbation(
    disagree,
    resource="agreement.tsv",
    tokens=partial(rewrites.wanted, name="agreement"),
    summary="Make auxiliaries disagree in number: is → are; in other languages, comparable slips.",
)
determiner = Perturbation(
    drop_determiners,
    resource="determiners.tsv",
    tokens=partial(rewrites.wanted, name="determiners"),
    summary="Drop determiners as learners do; in other languages, comparable small words.",
)
