"""Ask for agreement with a question tag, or leave it out: it is late, isn't it?

Each sentence for which the rule is certain gets one, or loses it, with the given rate; way=add or
way=remove makes one of the two.  English: statements whose subject tells its pronoun (not a name, nor
a noun that may be a person); do, be, have or the modal verb is repeated, and not turned round.  They
need tokens with upos, lemma, feats, head and deprel.  Other languages have a tag that never changes,
and patterns of the statements that may have it (tags.tsv): ね, 对吧, है ना, kan, oder, n'est-ce pas,
¿no?, vero, 그렇죠.

Questions, commands, sentences of several clauses, and those with a tag stay as they are.

Source: ours; tags as in Huddleston and Pullum 2002, The Cambridge Grammar of the English Language,
chapter 10, section 5.1.

>>> from random import Random
>>> perturb({"text": "今日は寒いです。", "lang": "ja"}, Random(1), rate=1.0)
[['/text', 7, 7, '', 'ね', 'add']]
"""

from random import Random
from typing import Literal

from dialtools.languages import Language
from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue, tokens
from dialtools.text import english_clauses, rewrites, sentence_rules, words
from dialtools.text.dialect_sentences import DialectSentence, sentences

KIND, TABLE = "variation.question-tag", "tags"
_PRONOUNS = {word: word for word in ("you", "he", "she", "it", "we", "they", "there")}
_PRONOUNS |= {"i": "I", "this": "it", "that": "it", "these": "they", "those": "they"}
_NEGATIVE = {form: f"{form}n't" for form in english_clauses.NT}
_NEGATIVE |= {"can": "can't", "will": "won't"}


def perturb(
    record: dict, rng: Random, *, rate: float = 0.2, way: Literal["any", "add", "remove"] = "any"
) -> list[list]:
    """Return an edit for each sentence that gets a tag, or loses it.

    rate: probability of a sentence, from 0 to 1.
    way: add tags, remove them, or both.
    """
    words.check_rate(rate)
    language = dialogue.language(record).variety
    wanted = ("add", "remove") if way == "any" else (way,)
    edits = []
    for pointer, holder in dialogue.utterances(record):
        text = holder["text"]
        of_text = sentence_rules.changed(pointer, text, language, TABLE, rng, rate, wanted)
        if language.code == "en" and "add" in wanted:
            annotated = tokens.annotated(holder, KIND, *english_clauses.TOKENS)
            if not tokens.without(holder):
                of_text += _added(pointer, text, annotated, language, rng, rate)
        edits += rewrites.whole(text, sorted(of_text, key=lambda edit: edit[1:3]))
    return edits


def _added(
    pointer: str, text: str, annotated: list[dict], language: Language, rng: Random, rate: float
) -> list[list]:
    edits = []
    for sentence in sentences(text, annotated, True):
        start, end = _ending(sentence)
        statement = text[sentence.tokens[0]["start"] : end]
        tag = _tag(sentence, language)
        if not tag or sentence_rules.stays(statement, language, TABLE, "add"):
            continue
        if rng.random() < rate:
            tag = tag.replace("'", "’") if sentence.is_curly else tag
            edits.append([pointer, start, end, text[start:end], f", {tag}?", "add"])
    return edits


def _ending(sentence: DialectSentence) -> tuple[int, int]:
    """Return where the last word of a sentence ends, and the sentence."""
    last = next(
        (token for token in reversed(sentence.tokens) if token["upos"] != "PUNCT"),
        sentence.tokens[-1],
    )
    return last["end"], sentence.tokens[-1]["end"]


def _tag(sentence: DialectSentence, language: Language) -> str:
    """Return the tag of a statement, "" where none is certain."""
    start, end = _ending(sentence)
    clause = english_clauses.main_clause(sentence)
    if clause is None or clause.subject is None or clause.is_inverted:
        return ""
    if sentence.text[start:end] not in ("", ".", "!") or sentence.text[end : end + 1].isalnum():
        return ""
    if sentence.dependents(clause.root, "conj", "parataxis", "ccomp", "advcl", "discourse"):
        return ""
    pronoun = _pronoun(clause, language)
    auxiliary = _auxiliary(clause)
    if not pronoun or not auxiliary:
        return ""
    if clause.negation is None:
        auxiliary = "aren't" if auxiliary == "am" else _NEGATIVE.get(auxiliary, "")
    return f"{auxiliary} {pronoun}" if auxiliary else ""


def _auxiliary(clause: english_clauses.Clause) -> str:
    """Return the verb of the tag: the finite one, or do in its form."""
    sentence = clause.sentence
    if not clause.is_lexical:
        return clause.form
    if sentence.has(clause.finite, "Tense=Past"):
        return "did"
    return {"VBZ": "does", "VBP": "do"}.get(clause.agreement() or "", "")


def _pronoun(clause: english_clauses.Clause, language: Language) -> str:
    """Return the pronoun of the subject, "" if it is not certain."""
    sentence, subject = clause.sentence, clause.subject
    if subject is None or sentence.dependents(subject, "conj", "acl", "cc"):
        return ""
    word, upos = sentence.word(subject), sentence.upos(subject)
    if upos in ("PRON", "DET"):
        return _PRONOUNS.get(word, "")
    if upos != "NOUN":
        return ""
    if subject and (person := sentence.word(subject - 1)) in ("you", "we"):  # you guys
        return person
    if sentence.has(subject, "Number=Plur"):
        return "they"
    women, men = zip(*language.facts["gendered_roles"], strict=True)
    return "she" if word in women else "he" if word in men else ""


def english_tokens(language: Language) -> tuple[str, ...] | None:
    """Return what the tokens of English must have; None for other languages, which need none."""
    return english_clauses.TOKENS if language.code == "en" else None


PERTURBATION = Perturbation(perturb, resource="tags.tsv", tokens=english_tokens)
