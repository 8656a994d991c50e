"""Negation: ain't, don't, and negative words that agree."""

from collections.abc import Iterator

from dialtools.aave.sentences import Sentence, Site, replaced, site, words

_INSIDE = ("obj", "iobj", "obl", "nmod", "det", "amod", "advmod", "conj", "compound")  # relations within a clause
_IDIOMS = ("case", "event", "rate", "means", "way", "moment")  # in any case


def _negated(sentence: Sentence, lemma: str, *forms: str) -> Iterator[int]:
    """Yield the auxiliaries of a lemma, in one of these forms, that n't or not follows."""
    for at in range(len(sentence.tokens) - 1):
        if sentence.lemma(at) == lemma and sentence.word(at) in forms and sentence.is_not(at + 1):
            yield at


def aint_be(sentence: Sentence) -> Iterator[Site]:
    """It is not ready. → It ain't ready."""
    for at in _negated(sentence, "be", "am", "is", "are", "'m", "'s", "'re"):
        yield site(sentence, at, replaced(sentence, at, at + 1, "ain't"), also=(at + 1,))


def aint_have(sentence: Sentence) -> Iterator[Site]:
    """I haven't seen her. → I ain't seen her; not the main verb have."""
    for at in _negated(sentence, "have", "have", "has", "'ve", "'s"):
        verb = sentence.after(at, "ADV", "PRON")
        if sentence.upos(at) == "AUX" and sentence.has(verb, "Tense=Past", "VerbForm=Part"):
            yield site(sentence, at, replaced(sentence, at, at + 1, "ain't"), also=(at + 1, verb))


def aint_didnt(sentence: Sentence) -> Iterator[Site]:
    """She didn't call. → She ain't call; not where the verb is left out."""
    for at in _negated(sentence, "do", "did"):
        verb = sentence.after(at, "ADV", "PRON")
        if sentence.upos(verb) in ("VERB", "AUX") and sentence.has(verb, "VerbForm=Inf"):
            yield site(sentence, at, replaced(sentence, at, at + 1, "ain't"), also=(at + 1, verb))


def invariant_dont(sentence: Sentence) -> Iterator[Site]:
    """He doesn't know. → He don't know."""
    for at in _negated(sentence, "do", "does"):
        yield site(sentence, at, replaced(sentence, at, at + 1, "don't"), also=(at + 1,))


def negative_concord(sentence: Sentence) -> Iterator[Site]:
    """I don't have any money. → I don't have no money; within the clause, not in questions or in any case."""
    if sentence.is_question():
        return
    for negation in range(len(sentence.tokens)):
        verb = sentence.heads[negation]
        found = [at for at in range(negation + 1, len(sentence.tokens)) if _agrees(sentence, at, verb)]
        if sentence.is_not(negation) and verb >= 0 and found:
            edits = [replaced(sentence, at, at, _negative(sentence, at)) for at in found]
            yield site(sentence, negation, *edits, also=(verb, *found))


def _negative(sentence: Sentence, at: int) -> str:
    alone = sentence.word(at) == "any" and sentence.upos(at) == "PRON"
    return "none" if alone else words("any")[sentence.word(at)]


def _agrees(sentence: Sentence, at: int, verb: int) -> bool:
    """Is this an any- word in the object, or another part of the clause, of a verb that stands before it?"""
    if sentence.word(at) not in words("any") or not verb < at:
        return False
    if sentence.word(sentence.heads[at]) in _IDIOMS:
        return False
    for _ in range(6):
        if sentence.relation(at) not in _INSIDE:
            return False
        at = sentence.heads[at]
        if at in (verb, -1):
            return at == verb
    return False
