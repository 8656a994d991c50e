"""Rules of verbs that dialects of English share: aspect, tense, agreement, auxiliaries; as those of
dialect_rules.py.
"""

from collections.abc import Iterator

from dialtools.text import aave_rules, word_forms
from dialtools.text.dialect_sentences import DialectSentence, Site, replaced, site, words

_CLAUSES = ("advcl", "cc", "conj", "parataxis", "punct", "acl", "discourse", "vocative")


def _finite_present(sentence: DialectSentence, verb: int) -> str | None:
    """Return the form of be for the subject of a verb in the simple present, None for no such."""
    subject = sentence.subject(verb)
    is_present = sentence.has(verb, "Mood=Ind", "Tense=Pres", "VerbForm=Fin")
    if not is_present or subject is None or not subject < verb or sentence.upos(verb) != "VERB":
        return None
    if sentence.dependents(verb, "aux", "cop") or sentence.is_negated(verb):
        return None
    if sentence.word(subject) == "i":
        return None if sentence.dependents(subject, "conj") else "am"
    return "is" if sentence.has(verb, "Number=Sing", "Person=3") else "are"


def stative_progressive(sentence: DialectSentence) -> Iterator[Site]:
    """She knows the answer. → She is knowing the answer; with an object, not in questions."""
    return _progressive(sentence, tuple(words("stative")), ("obj", "ccomp", "xcomp"))


def having_progressive(sentence: DialectSentence) -> Iterator[Site]:
    """We have a car. → We are having a car; not have to, nor in questions."""
    return _progressive(sentence, ("have",), ("obj",))


def _progressive(
    sentence: DialectSentence, lemmas: tuple[str, ...], objects: tuple[str, ...]
) -> Iterator[Site]:
    if sentence.is_question():
        return
    for verb in range(1, len(sentence.tokens)):
        lemma = sentence.lemma(verb)
        be = _finite_present(sentence, verb) if lemma in lemmas else None
        if be and sentence.dependents(verb, *objects):
            edit = replaced(sentence, verb, verb, f"{be} {word_forms.gerund(lemma)}")
            yield site(sentence, verb, edit)


def habitual_progressive(sentence: DialectSentence) -> Iterator[Site]:
    """He usually works late. → He is usually working late; with usually, always, every."""
    if sentence.is_question():
        return
    for verb in range(1, len(sentence.tokens)):
        lemma = sentence.lemma(verb)
        be = _finite_present(sentence, verb) if sentence.is_action(verb) else None
        if be and aave_rules.is_habit(sentence, verb):
            is_adverb_before = sentence.word(verb - 1) in ("usually", "always")
            adverb = [sentence.word(verb - 1)] if is_adverb_before else []
            new = " ".join([be, *adverb, word_forms.gerund(lemma)])
            first = verb - len(adverb)
            also = tuple(range(first, verb))
            yield site(sentence, verb, replaced(sentence, first, verb, new), also=also)


def zero_past(sentence: DialectSentence) -> Iterator[Site]:
    """We walked home. → We walk home; regular verbs."""
    for i in range(len(sentence.tokens)):
        is_past = sentence.upos(i) == "VERB" and sentence.has(i, "Tense=Past", "VerbForm=Fin")
        if is_past and sentence.word(i).endswith("ed") and sentence.lemma(i)[-2:] != "ed":
            yield site(sentence, i, replaced(sentence, i, i, sentence.lemma(i)))


def perfect_already(sentence: DialectSentence) -> Iterator[Site]:
    """I have eaten my lunch. → I eat my lunch already; not negated, nor in questions."""
    if sentence.is_question():
        return
    for verb in range(1, len(sentence.tokens)):
        first = _perfect(sentence, verb)
        if first is None or sentence.lemma(verb) in ("be", "get"):
            continue
        last = max(sentence.subtree(verb, _CLAUSES))
        if sentence.upos(last + 1) not in ("PUNCT", "CCONJ", ""):
            continue
        also = tuple(range(first, verb))
        if last == verb:
            edit = replaced(sentence, first, verb, f"{sentence.lemma(verb)} already")
            yield site(sentence, verb, edit, also=also)
        else:
            form = sentence.tokens[last]["form"]
            verbal = replaced(sentence, first, verb, sentence.lemma(verb))
            after = replaced(sentence, last, last, f"{form} already")
            yield site(sentence, verb, verbal, after, also=(*also, last))


def present_for_perfect(sentence: DialectSentence) -> Iterator[Site]:
    """I have known her since May. → I know her since May; with since or for, not he, she and it."""
    for verb in range(1, len(sentence.tokens)):
        first = _perfect(sentence, verb)
        if first is None or sentence.word(first) == "has" or sentence.lemma(verb) == "be":
            continue
        cases = (case for obl in sentence.dependents(verb, "obl") for case in sentence.below[obl])
        if not {"since", "for"}.isdisjoint(map(sentence.word, cases)):
            edit = replaced(sentence, first, verb, sentence.lemma(verb))
            yield site(sentence, verb, edit, also=tuple(range(first, verb)))


def _perfect(sentence: DialectSentence, verb: int) -> int | None:
    """Return the have of a present perfect that is all the verb has, right before it or already."""
    auxiliaries = sentence.dependents(verb, "aux", "cop") if sentence.heads else []
    if len(auxiliaries) != 1 or sentence.upos(verb) != "VERB" or sentence.is_negated(verb):
        return None
    [first] = auxiliaries
    is_already = sentence.word(verb - 1) == "already"
    is_present = sentence.lemma(first) == "have" and sentence.has(first, "Tense=Pres")
    is_perfect = is_present and sentence.has(verb, "Tense=Past", "VerbForm=Part")
    subject = sentence.subject(verb)
    is_beside = first == (verb - 2 if is_already else verb - 1)
    return first if is_perfect and is_beside and subject is not None and subject < first else None


def coming_to(sentence: DialectSentence) -> Iterator[Site]:
    """I'm about to cook. → I'm coming to cook."""
    for i in range(1, len(sentence.tokens) - 2):
        before = i - 2 if sentence.word(i - 1) == "just" else i - 1
        is_about_to = (sentence.word(i), sentence.word(i + 1)) == ("about", "to")
        if is_about_to and sentence.has(i + 2, "VerbForm=Inf") and sentence.lemma(before) == "be":
            yield site(sentence, i + 2, replaced(sentence, i, i, "coming"), also=(i,))


def never_for_didnt(sentence: DialectSentence) -> Iterator[Site]:
    """He didn't come. → He never come; not where the verb is left out or asked for."""
    for i in range(1, len(sentence.tokens) - 2):
        is_didnt = sentence.word(i) == "did" and sentence.upos(i) == "AUX"
        if is_didnt and sentence.is_not(i + 1) and sentence.has(i + 2, "VerbForm=Inf"):
            if sentence.upos(i + 2) == "VERB":
                edit = replaced(sentence, i, i + 1, "never")
                yield site(sentence, i, edit, also=(i + 1, i + 2))


def epistemic_mustnt(sentence: DialectSentence) -> Iterator[Site]:
    """He can't have seen us. → He mustn't have seen us."""
    for i in range(1, len(sentence.tokens) - 3):
        is_cannot = sentence.word(i) in ("ca", "can") and sentence.is_not(i + 1)
        if is_cannot and sentence.word(i + 2) == "have" and sentence.has(i + 3, "VerbForm=Part"):
            yield site(sentence, i, replaced(sentence, i, i + 1, "mustn't"), also=(i + 1, i + 2))


def needs_washed(sentence: DialectSentence) -> Iterator[Site]:
    """The car needs to be washed. → The car needs washed."""
    for i in range(len(sentence.tokens) - 3):
        is_need = sentence.lemma(i) in ("need", "want") and sentence.upos(i) == "VERB"
        is_to_be = (sentence.word(i + 1), sentence.word(i + 2)) == ("to", "be")
        if is_need and is_to_be and sentence.has(i + 3, "Tense=Past", "VerbForm=Part"):
            edit = replaced(sentence, i + 1, i + 3, sentence.word(i + 3))
            yield site(sentence, i, edit, also=(i + 1, i + 2, i + 3))


def added_to(sentence: DialectSentence) -> Iterator[Site]:
    """He made me do it. → He made me to do it; with what somebody makes another do."""
    for verb, head in enumerate(sentence.heads):
        is_bare = sentence.relation(verb) in ("xcomp", "ccomp") and sentence.has(
            verb, "VerbForm=Inf"
        )
        if is_bare and sentence.lemma(head) == "make" and 0 <= head < verb - 1:
            is_object = sentence.upos(verb - 1) in ("PRON", "NOUN", "PROPN")
            if is_object and not sentence.dependents(verb, "mark", "aux"):
                yield site(
                    sentence, verb, replaced(sentence, verb, verb, f"to {sentence.word(verb)}")
                )


def theres_with_plural(sentence: DialectSentence) -> Iterator[Site]:
    """There are two men. → There's two men; were → was."""
    for i in range(len(sentence.tokens) - 2):
        is_there = sentence.word(i) == "there" and sentence.upos(i) == "PRON"
        singular = {"are": "is", "were": "was"}.get(sentence.word(i + 1))
        if not is_there or not singular:
            continue
        if singular == "is" and not sentence.is_not(i + 2):
            yield site(sentence, i + 1, replaced(sentence, i, i + 1, "there's"), also=(i,))
        else:
            yield site(sentence, i + 1, replaced(sentence, i + 1, i + 1, singular), also=(i,))


def existential_got(sentence: DialectSentence) -> Iterator[Site]:
    """There is a problem. → Got a problem; not negated, nor in questions."""
    for i in aave_rules.existentials(sentence):
        if not sentence.is_not(i + 2) and not sentence.is_question():
            yield site(sentence, i + 1, replaced(sentence, i, i + 1, "got"), also=(i,))
