"""The verb be: where it is left out, where it tells of a habit, existential it."""

from collections.abc import Iterator

from dialtools.text import english
from dialtools.text.aave.sentences import (
    QUESTION_WORDS,
    Sentence,
    Site,
    removed,
    replaced,
    site,
    words,
)

_PRESENT = ("is", "are", "'s", "'re")  # never am or was
# subjects after which be is not left out
_KEEP = QUESTION_WORDS | {"it", "that", "there", "here", "i"}
_EMPHATIC = ("really", "sure", "certainly", "definitely", "truly", "do", "does")


def zero_copula_noun(sentence: Sentence) -> Iterator[Site]:
    """He is my teacher. → He my teacher."""
    return _zero_copula(sentence, "noun")


def zero_copula_adjective(sentence: Sentence) -> Iterator[Site]:
    """They are hungry. → They hungry."""
    return _zero_copula(sentence, "adjective")


def zero_copula_place(sentence: Sentence) -> Iterator[Site]:
    """She is at home. → She at home."""
    return _zero_copula(sentence, "place")


def _zero_copula(sentence: Sentence, kind: str) -> Iterator[Site]:
    for at in range(len(sentence.tokens)):
        head = sentence.heads[at]
        if (
            sentence.relation(at) == "cop"
            and _may_go(sentence, at)
            and _predicate(sentence, head) == kind
        ):
            yield site(sentence, at, removed(sentence, at))


def _predicate(sentence: Sentence, head: int) -> str:
    """Return what a predicate is: "noun", "adjective", "place", or "" for none of these."""
    cases = [sentence.word(at) for at in sentence.dependents(head, "case") if at < head]
    if cases:
        return "place" if cases[0] in words("preposition") else ""
    if sentence.upos(head) == "ADV":
        return "place" if sentence.word(head) in words("place") else ""
    kinds = {"NOUN": "noun", "PROPN": "noun", "PRON": "noun", "ADJ": "adjective"}
    return kinds.get(sentence.upos(head), "")


def _may_go(sentence: Sentence, at: int) -> bool:
    """Tell whether this is or are links subject and predicate, alone, not negated or stressed."""
    head = sentence.heads[at]
    subject = sentence.subject(head) if head >= 0 else None
    is_present = sentence.lemma(at) == "be" and sentence.word(at) in _PRESENT
    if not is_present or subject is None or not subject < at < head:
        return False
    stressed = sentence.tokens[at]["form"].isupper() or sentence.word(at - 1) in _EMPHATIC
    alone = len(sentence.dependents(head, "aux", "cop")) == 1
    follows = sentence.upos(at + 1) not in ("PUNCT", "CCONJ", "")
    return (
        alone
        and follows
        and not stressed
        and not sentence.is_negated(head)
        and not any(
            sentence.word(part) in _KEEP or sentence.has(part, "PronType=Rel")
            for part in (subject, *sentence.dependents(subject, "nmod"))
        )
    )


def zero_progressive_be(sentence: Sentence) -> Iterator[Site]:
    """We are leaving. → We leaving; not before going to, which gon is for."""
    for at in range(len(sentence.tokens)):
        head = sentence.heads[at]
        is_progressive = sentence.relation(at) == "aux" and sentence.word(head).endswith("ing")
        if is_progressive and _may_go(sentence, at):
            future = sentence.lemma(head) == "go" and sentence.word(head + 1) == "to"
            if sentence.upos(head) == "VERB" and not future:
                yield site(sentence, at, removed(sentence, at))


def habitual_be(sentence: Sentence) -> Iterator[Site]:
    """He usually works late. → He be working late; with usually, always, every, not of states."""
    if sentence.is_question():
        return
    for verb in range(len(sentence.tokens)):
        subject = sentence.subject(verb)
        if not sentence.is_action(verb):
            continue
        auxiliaries = sentence.dependents(verb, "aux", "cop")
        stated = subject is not None and subject < verb
        if stated and _is_habit(sentence, verb) and _is_present(sentence, verb, auxiliaries):
            form = f"be {english.gerund(sentence.lemma(verb))}"
            usually = [
                at
                for at in sentence.dependents(verb, "advmod")
                if sentence.word(at) == "usually" and sentence.upos(at + 1) != "PUNCT"
            ]
            gone = [removed(sentence, at) for at in (*auxiliaries, *usually)]
            yield site(
                sentence,
                verb,
                *gone,
                replaced(sentence, verb, verb, form),
                also=(*auxiliaries, *usually),
            )


def _is_present(sentence: Sentence, verb: int, auxiliaries: list[int]) -> bool:
    """Tell whether a verb is in the simple present or in the present progressive."""
    if not auxiliaries:
        return sentence.has(verb, "Mood=Ind", "Tense=Pres", "VerbForm=Fin")
    return (
        len(auxiliaries) == 1
        and sentence.lemma(auxiliaries[0]) == "be"
        and auxiliaries[0] < verb
        and sentence.has(auxiliaries[0], "Tense=Pres")
        and sentence.word(verb).endswith("ing")
    )


def _is_habit(sentence: Sentence, verb: int) -> bool:
    often = any(
        sentence.word(at) in ("usually", "always") for at in sentence.dependents(verb, "advmod")
    )
    # every day
    times = [at for at in sentence.dependents(verb, "obl") if not sentence.dependents(at, "case")]
    return often or any(
        sentence.word(det) == "every" for at in times for det in sentence.dependents(at, "det")
    )


def existential_it(sentence: Sentence) -> Iterator[Site]:
    """There is a problem. → It's a problem; not in questions, nor at the end (all there is)."""
    for at in range(len(sentence.tokens) - 2):
        is_there = sentence.word(at) == "there" and sentence.upos(at) == "PRON"
        there = is_there and sentence.lemma(at + 1) == "be"
        if not there or not sentence.has(at + 1, "VerbForm=Fin"):
            continue
        past, negated = sentence.has(at + 1, "Tense=Past"), sentence.word(at + 2) == "n't"
        if sentence.is_not(at + 2) or sentence.upos(at + 2) in (
            "DET",
            "NUM",
            "ADJ",
            "NOUN",
            "PROPN",
            "PRON",
        ):
            new = "it was" if past else "it is" if negated else "it's"
            yield site(sentence, at + 1, replaced(sentence, at, at + 1, new), also=(at,))


def question_without_inversion(sentence: Sentence) -> Iterator[Site]:
    """What are you doing? → What you doing?; not in tags nor before it, that and there."""
    if not sentence.is_question():
        return
    for at in range(len(sentence.tokens)):
        head = sentence.heads[at]
        if head < 0 or sentence.heads[head] != -1 or sentence.relation(at) not in ("aux", "cop"):
            continue
        subject = sentence.subject(head)
        lone = len(sentence.dependents(head, "aux", "cop")) == 1 and not sentence.is_negated(head)
        is_inverted = subject is not None and at < subject < head
        if is_inverted and lone and sentence.word(subject or 0) not in _KEEP:
            if _goes_in_question(sentence, at, head):
                yield site(sentence, at, removed(sentence, at))


def _goes_in_question(sentence: Sentence, at: int, head: int) -> bool:
    if sentence.word(at) in ("do", "does"):
        return sentence.has(head, "VerbForm=Inf")
    verb = sentence.upos(head) == "VERB" and sentence.word(head).endswith("ing")
    return (
        sentence.lemma(at) == "be"
        and sentence.word(at) in _PRESENT
        and (verb or _predicate(sentence, head) != "")
    )
