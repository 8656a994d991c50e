"""Verbs: endings, tense, auxiliaries and their reduced forms."""

from collections.abc import Iterator

from dialtools.text.aave.sentences import Sentence, Site, replaced, site, words

_SUBJECTS = ("PRON", "NOUN", "PROPN", "DET", "NUM")


def zero_third_s(sentence: Sentence) -> Iterator[Site]:
    """She walks home. → She walk home; not auxiliaries, be, nor nouns mistaken for verbs (my
    walks).

    Of 982 such verbs of GUM and EWT none stands behind an article, a possessive or an auxiliary.
    """
    for at, token in enumerate(sentence.tokens):
        form, lemma = sentence.word(at), sentence.lemma(at)
        present = ("Number=Sing", "Person=3", "Tense=Pres", "VerbForm=Fin")
        third = token["upos"] == "VERB" and lemma != "be" and sentence.has(at, *present)
        is_noun = any(sentence.has(at - 1, of) for of in ("PronType=Art", "Poss=Yes"))
        as_follows = form == "follows" and sentence.word(at - 1) == "as"
        stays = as_follows or is_noun or sentence.upos(at - 1) == "AUX"
        if third and not stays and form in (lemma + "s", lemma + "es", lemma[:-1] + "ies", "has"):
            yield site(sentence, at, replaced(sentence, at, at, lemma))


def was_for_were(sentence: Sentence) -> Iterator[Site]:
    """We were late. → We was late."""
    return (
        site(sentence, at, replaced(sentence, at, at, "was"))
        for at in _were(sentence, conditional=False)
    )


def was_in_conditionals(sentence: Sentence) -> Iterator[Site]:
    """If I were you → If I was you."""
    return (
        site(sentence, at, replaced(sentence, at, at, "was"))
        for at in _were(sentence, conditional=True)
    )


def _were(sentence: Sentence, conditional: bool) -> Iterator[int]:
    for at in range(len(sentence.tokens)):
        if sentence.upos(at) == "AUX" and sentence.word(at) == "were":
            before = [sentence.word(place) for place in range(max(at - 4, 0), at)]
            if ("if" in before) == conditional:
                yield at


def gon(sentence: Sentence) -> Iterator[Site]:
    """He will call. He is going to call. → He gon call; I'll → I'ma; not if will comes first."""
    for at in range(1, len(sentence.tokens)):
        will = sentence.word(at) in ("will", "'ll") and sentence.lemma(at) == "will"
        is_future = will and sentence.upos(at) == "AUX" and not sentence.is_not(at + 1)
        if is_future and sentence.upos(at - 1) in _SUBJECTS:
            verb = sentence.after(at, "ADV")
            is_perfect = sentence.word(verb) == "have" and sentence.upos(verb) == "AUX"
            if sentence.has(verb, "VerbForm=Inf") and not is_perfect:
                yield _future(sentence, at, at, verb)
        elif _going_to(sentence, at) and sentence.upos(at - 2) in _SUBJECTS:
            be = sentence.word(at - 1) in ("is", "are", "'s", "'re", "am", "'m")
            if be and sentence.lemma(at - 1) == "be":
                yield _future(sentence, at - 1, at + 1, at + 2)


def _going_to(sentence: Sentence, at: int) -> bool:
    """Tell whether this is the going to, or gonna, of a future, before a verb."""
    pair = (sentence.word(at), sentence.word(at + 1))
    before_verb = sentence.has(at + 2, "VerbForm=Inf")
    return before_verb and sentence.lemma(at) == "go" and pair in (("going", "to"), ("gon", "na"))


def _future(sentence: Sentence, first: int, last: int, verb: int) -> Site:
    new = "gon"
    if sentence.word(first - 1) == "i":
        first, new = first - 1, "I'ma"
    return site(
        sentence, verb, replaced(sentence, first, last, new), also=tuple(range(first, verb + 1))
    )


def finna(sentence: Sentence) -> Iterator[Site]:
    """I'm about to leave. → I'm finna leave."""
    for at in range(1, len(sentence.tokens) - 2):
        pair = sentence.word(at) in ("about", "fixing") and sentence.word(at + 1) == "to"
        before = at - 2 if sentence.word(at - 1) == "just" else at - 1
        if pair and sentence.has(at + 2, "VerbForm=Inf") and sentence.lemma(before) == "be":
            yield site(sentence, at + 2, replaced(sentence, at, at + 1, "finna"), also=(at, at + 1))


def completive_done(sentence: Sentence) -> Iterator[Site]:
    """I have already eaten. I already ate. → I done ate; not negated, asked, or of states."""
    if sentence.is_question():
        return
    for verb in range(1, len(sentence.tokens)):
        if not sentence.is_action(verb):
            continue
        subject, auxiliaries = sentence.subject(verb), sentence.dependents(verb, "aux", "cop")
        already = sentence.word(verb - 1) == "already"
        first = auxiliaries[0] if len(auxiliaries) == 1 else verb - 1
        if subject is None or not subject < first:
            continue
        beside = verb - 2 if already else verb - 1
        # I've got: I have
        perfect = (
            len(auxiliaries) == 1
            and first == beside
            and sentence.lemma(first) == "have"
            and sentence.has(first, "Tense=Pres", "VerbForm=Fin")
            and sentence.has(verb, "VerbForm=Part")
            and sentence.word(verb) != "got"
        )
        if perfect or (
            not auxiliaries and already and sentence.has(verb, "Tense=Past", "VerbForm=Fin")
        ):
            form = sentence.word(verb)
            past = words("participle").get(form) or words("past").get(form) or form
            new = replaced(sentence, first, verb, f"done {past}")
            yield site(sentence, verb, new, also=tuple(range(first, verb + 1)))


def past_as_participle(sentence: Sentence) -> Iterator[Site]:
    """He had gone. → He had went; of a few verbs."""
    for at in range(len(sentence.tokens)):
        verb = sentence.after(at, "ADV", "PRON")
        is_perfect = sentence.lemma(at) == "have" and sentence.upos(at) == "AUX"
        if is_perfect and sentence.upos(verb) == "VERB":
            past = words("participle").get(sentence.word(verb))
            if past and sentence.has(verb, "VerbForm=Part"):
                yield site(sentence, verb, replaced(sentence, verb, verb, past), also=(at,))


def got_for_have(sentence: Sentence) -> Iterator[Site]:
    """She has a car. → She got a car; in the affirmative present, of what one owns."""
    for at in range(1, len(sentence.tokens) - 1):
        is_have = sentence.upos(at) == "VERB" and sentence.word(at) in ("have", "has")
        present = is_have and sentence.has(at, "Mood=Ind", "Tense=Pres", "VerbForm=Fin")
        asked = sentence.lemma(at - 2) == "do"  # whatever the tagger makes of have
        negated = sentence.word(at + 1) in ("not", "n't")  # I haven't a clue
        if not (present and sentence.upos(at - 1) in _SUBJECTS) or asked or negated:
            continue
        owned = _object(sentence, at)
        if owned is not None and sentence.lemma(owned) not in words("not owned"):
            yield site(sentence, at, replaced(sentence, at, at, "got"))


def _object(sentence: Sentence, verb: int) -> int | None:
    """Return the noun that is a verb's object by its head, or else the last noun that follows."""
    if sentence.heads:
        if sentence.dependents(verb, "aux", "xcomp", "ccomp"):
            return None  # have him call
        return next(
            (at for at in sentence.dependents(verb, "obj") if sentence.upos(at) == "NOUN"), None
        )
    at = verb + 1
    while sentence.upos(at) in ("DET", "NUM", "ADJ"):
        at += 1
    while sentence.upos(at + 1) == "NOUN":
        at += 1
    return at if sentence.upos(at) == "NOUN" else None


def reduced_forms(sentence: Sentence) -> Iterator[Site]:
    """I'm trying to sleep. → I'm tryna sleep; have to and got to → gotta, going to → gonna."""
    for at in range(len(sentence.tokens) - 2):
        if sentence.word(at + 1) != "to" or not sentence.has(at + 2, "VerbForm=Inf"):
            continue
        form = sentence.word(at)
        have = form in ("have", "has") and sentence.has(at, "Tense=Pres", "VerbForm=Fin")
        got = form == "got" and sentence.lemma(at - 1) == "have"
        subject = sentence.upos(at - 1) in _SUBJECTS
        going = _going_to(sentence, at) and sentence.lemma(at - 1) == "be"
        is_gotta = got or have and subject
        new = "tryna" if form == "trying" else "gonna" if going else "gotta" if is_gotta else None
        if new:
            yield site(sentence, at, replaced(sentence, at, at + 1, new), also=(at + 1, at + 2))
