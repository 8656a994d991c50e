"""Negation: ain't, don't, and negative words that agree."""

from collections.abc import Iterator

from dialtools.text.aave.sentences import Sentence, Site, replaced, site, words

# relations within a clause
_INSIDE = ("obj", "iobj", "obl", "nmod", "det", "amod", "advmod", "conj", "compound")
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
    """I don't have any money. → I don't have no money; within a clause, not in questions."""
    if sentence.is_question():
        return
    agreeing: dict[int, list[int]] = {}  # of each negation
    for at in range(len(sentence.tokens)):
        negation = _negation_of(sentence, at) if sentence.word(at) in words("any") else None
        if negation is not None:
            agreeing.setdefault(negation, []).append(at)
    for negation, found in agreeing.items():
        edits = [replaced(sentence, at, at, _negative(sentence, at)) for at in found]
        yield site(sentence, negation, *edits, also=tuple(found))


def _negative(sentence: Sentence, at: int) -> str:
    alone = sentence.word(at) == "any" and sentence.relation(at) not in ("det", "advmod")
    return "none" if alone else words("any")[sentence.word(at)]


def _negation_of(sentence: Sentence, at: int) -> int | None:
    """Return the n't or not of the clause that an any- word belongs to."""
    first, than = at, sentence.word(at + 1) == "more" and sentence.word(at + 2) == "than"
    if sentence.word(sentence.heads[at]) in _IDIOMS or sentence.word(at - 1) == "just" or than:
        return None
    for _ in range(6):
        head = sentence.heads[at]
        if sentence.relation(at) not in _INSIDE or head == -1:
            return None
        found = [i for i in sentence.dependents(head) if sentence.is_not(i)]
        if found:
            of_verb = sentence.upos(head) in ("VERB", "AUX") or bool(
                sentence.dependents(head, "cop")
            )
            return found[0] if of_verb and found[0] < first and head < first else None
        at = head
    return None
