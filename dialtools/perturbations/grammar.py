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

grammar.negation negates sentences, and takes negations away, grammar.tense puts them into another
tense; both change the meaning, and the history says so.  Each sentence for which the rule is
certain changes with the given rate, by default always; the note says how (add, remove; past,
present, future).  English, with tokens with upos, lemma, feats, head and deprel: main clauses with
one subject, and commands (Don't go).  Where a word would not go with a negation (some, already,
any), where something ties a sentence to a time (yesterday, when), where two verbs share a subject,
and in formulas (thank you), it stays; so does what follows from a sentence, such as an answer.
Other languages have rules of negation.tsv and tense.tsv (past and present alone), for what
pronouns, copulas and polite endings tell, and need no tokens: 我不是, 行きません, saya tidak bisa,
यह घर नहीं है, je ne viens pas, das ist kein Hund.

Source: "grammatical errors", section 3.1 of "Evaluating Robustness of Open Dialogue Summarization
Models in the Presence of Naturally Occurring Variations": tokens tagged AUX, and determiners,
tokens tagged DET; rate 0.2.  Negation and tense: ours, for the directional and invariance tests of
"Beyond Accuracy: Behavioral Testing of NLP Models with CheckList".

>>> from random import Random
>>> agreement.perturb({"text": "She is here, they aren't.", "lang": "en"}, Random(1))
[['/text', 4, 6, 'is', 'are', 'number']]
>>> determiner.perturb({"text": "The cat sat on a mat.", "lang": "en"}, Random(1))
[['/text', 0, 7, 'The cat', 'Cat', 'article']]
>>> negation.perturb({"text": "田中さんは来ます。", "lang": "ja"}, Random(1))
[['/text', 6, 8, 'ます', 'ません', 'add']]
"""

from functools import partial
from random import Random
from typing import Literal

from dialtools.languages import Language
from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue, tokens
from dialtools.system.errors import OptionError, nearest
from dialtools.text import (
    english_clauses,
    english_negation,
    english_tense,
    rewrites,
    sentence_rules,
    words,
)
from dialtools.text.dialect_sentences import sentences

AGREEMENT, DETERMINER = "grammar.agreement", "grammar.determiner"
NEGATION, TENSE = "grammar.negation", "grammar.tense"
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


def negate(
    record: dict, rng: Random, *, rate: float = 1.0, way: Literal["any", "add", "remove"] = "any"
) -> list[list]:
    """Return the edits of each sentence that is negated, or no longer is.

    rate: probability of a sentence, from 0 to 1.
    way: add negations, remove them, or both.
    """
    wanted = ("add", "remove") if way == "any" else (way,)
    return _of_sentences(record, rng, rate, NEGATION, "negation", wanted)


def shift(
    record: dict,
    rng: Random,
    *,
    rate: float = 1.0,
    to: Literal["any", "past", "present", "future"] = "any",
) -> list[list]:
    """Return the edits of each sentence that takes another tense.

    rate: probability of a sentence, from 0 to 1.
    to: which tense.
    """
    wanted = english_tense.TENSES if to == "any" else (to,)
    return _of_sentences(record, rng, rate, TENSE, "tense", wanted)


def _of_sentences(
    record: dict, rng: Random, rate: float, kind: str, table: str, wanted: tuple[str, ...]
) -> list[list]:
    """Return the edits of sentences by the rules of English, or of the language's table."""
    words.check_rate(rate)
    language = dialogue.language(record).variety
    changes = {NEGATION: english_negation.changes, TENSE: english_tense.changes}[kind]
    edits = []
    for pointer, holder in dialogue.utterances(record):
        text = holder["text"]
        if language.code != "en":
            edits += sentence_rules.changed(pointer, text, language, table, rng, rate, wanted)
            continue
        annotated = tokens.annotated(holder, kind, *english_clauses.TOKENS)
        if tokens.without(holder):  # what was inserted has no token, and may be a negation
            continue
        for sentence in sentences(text, annotated, True):
            part = text[sentence.tokens[0]["start"] : sentence.tokens[-1]["end"]]
            options = {
                note: of_note
                for note, of_note in changes(sentence).items()
                if note in wanted and not sentence_rules.stays(part, language, table, note)
            }
            if options and rng.random() < rate:
                note = rng.choice(list(options))
                of_sentence = [
                    [pointer, start, end, text[start:end], new, note]
                    for start, end, new in sorted(options[note])
                    if text[start:end] != new
                ]
                edits += (
                    of_sentence
                    if len(rewrites.whole(text, of_sentence)) == len(of_sentence)
                    else []
                )
    return edits


def english_tokens(language: Language) -> tuple[str, ...] | None:
    """Return what the tokens of English must have; None for other languages, which need none."""
    return english_clauses.TOKENS if language.code == "en" else None


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
negation = Perturbation(
    negate,
    resource="negation.tsv",
    tokens=english_tokens,
    changes_meaning=True,
    summary="Negate sentences, or take negations away: the meaning changes.",
)
tense = Perturbation(
    shift,
    resource="tense.tsv",
    tokens=english_tokens,
    changes_meaning=True,
    summary="Put sentences into the past, present or future tense: the meaning changes.",
)
