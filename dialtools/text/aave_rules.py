"""Rules that write African American Vernacular English: which feature may stand where, and how.

A rule is a function from a sentence to the sites of one feature, called like the feature:
aint_be of aint-be; dialect_rules.py has those of features that other dialects
have. languages/en/dialects.tsv names the features in the order of their rules, with their
numbers in eWAVE; languages/en/dialect_words.tsv holds the words that rules ask for. Rules never
respell words to mimic how they sound.
"""

from collections.abc import Iterator

from dialtools.text import word_forms
from dialtools.text.dialect_sentences import DialectSentence, Site, removed, replaced, site, words

_PRESENT = ("is", "are", "'s", "'re")  # never am or was
# subjects after which be is not left out
_KEEP = frozenset("what who whom which where when why how it that there here i".split())
_EMPHATIC = ("really", "sure", "certainly", "definitely", "truly", "do", "does")
_WHAT_THERE_IS = ("DET", "NUM", "ADJ", "NOUN", "PROPN", "PRON")
_SUBJECTS = ("PRON", "NOUN", "PROPN", "DET", "NUM")
# relations within a clause
_INSIDE = ("obj", "iobj", "obl", "nmod", "det", "amod", "advmod", "conj", "compound")
_IDIOMS = ("case", "event", "rate", "means", "way", "moment")  # in any case
# you all are; not you all the time
_AFTER_ALL = ("AUX", "VERB", "PUNCT", "PART", "SCONJ", "CCONJ", "")


def _negated(sentence: DialectSentence, lemma: str, *forms: str) -> Iterator[int]:
    """Yield the auxiliaries of a lemma, in one of these forms, that n't or not follows."""
    for i in range(len(sentence.tokens) - 1):
        if sentence.lemma(i) == lemma and sentence.word(i) in forms and sentence.is_not(i + 1):
            yield i


def aint_be(sentence: DialectSentence) -> Iterator[Site]:
    """It is not ready. → It ain't ready."""
    for i in _negated(sentence, "be", "am", "is", "are", "'m", "'s", "'re"):
        yield site(sentence, i, replaced(sentence, i, i + 1, "ain't"), also=(i + 1,))


def aint_have(sentence: DialectSentence) -> Iterator[Site]:
    """I haven't seen her. → I ain't seen her; not the main verb have."""
    for i in _negated(sentence, "have", "have", "has", "'ve", "'s"):
        verb = sentence.after(i, "ADV", "PRON")
        if sentence.upos(i) == "AUX" and sentence.has(verb, "Tense=Past", "VerbForm=Part"):
            yield site(sentence, i, replaced(sentence, i, i + 1, "ain't"), also=(i + 1, verb))


def aint_didnt(sentence: DialectSentence) -> Iterator[Site]:
    """She didn't call. → She ain't call; not where the verb is left out."""
    for i in _negated(sentence, "do", "did"):
        verb = sentence.after(i, "ADV", "PRON")
        if sentence.upos(verb) in ("VERB", "AUX") and sentence.has(verb, "VerbForm=Inf"):
            yield site(sentence, i, replaced(sentence, i, i + 1, "ain't"), also=(i + 1, verb))


def invariant_dont(sentence: DialectSentence) -> Iterator[Site]:
    """He doesn't know. → He don't know."""
    for i in _negated(sentence, "do", "does"):
        yield site(sentence, i, replaced(sentence, i, i + 1, "don't"), also=(i + 1,))


def negative_concord(sentence: DialectSentence) -> Iterator[Site]:
    """I don't have any money. → I don't have no money; within a clause, not in questions."""
    if sentence.is_question():
        return
    agreeing: dict[int, list[int]] = {}  # of each negation
    for i in range(len(sentence.tokens)):
        negation = _negation_of(sentence, i) if sentence.word(i) in words("any") else None
        if negation is not None:
            agreeing.setdefault(negation, []).append(i)
    for negation, places in agreeing.items():
        edits = []
        for i in places:
            is_alone = sentence.word(i) == "any" and sentence.relation(i) not in ("det", "advmod")
            negative = "none" if is_alone else words("any")[sentence.word(i)]
            edits.append(replaced(sentence, i, i, negative))
        yield site(sentence, negation, *edits, also=tuple(places))


def _negation_of(sentence: DialectSentence, i: int) -> int | None:
    """Return the n't or not of the clause that an any- word belongs to."""
    is_compared = sentence.word(i + 1) == "more" and sentence.word(i + 2) == "than"
    is_idiom = sentence.word(sentence.heads[i]) in _IDIOMS or sentence.word(i - 1) == "just"
    if is_compared or is_idiom:
        return None
    first = i
    for _ in range(6):
        head = sentence.heads[i]
        if sentence.relation(i) not in _INSIDE or head == -1:
            return None
        negation = next((k for k in sentence.dependents(head) if sentence.is_not(k)), None)
        if negation is not None:
            is_verb = sentence.upos(head) in ("VERB", "AUX") or sentence.dependents(head, "cop")
            return negation if is_verb and negation < first and head < first else None
        i = head
    return None


def zero_copula_noun(sentence: DialectSentence) -> Iterator[Site]:
    """He is my teacher. → He my teacher."""
    return _zero_copula(sentence, "noun")


def zero_copula_adjective(sentence: DialectSentence) -> Iterator[Site]:
    """They are hungry. → They hungry."""
    return _zero_copula(sentence, "adjective")


def zero_copula_place(sentence: DialectSentence) -> Iterator[Site]:
    """She is at home. → She at home."""
    return _zero_copula(sentence, "place")


def _zero_copula(sentence: DialectSentence, kind: str) -> Iterator[Site]:
    for i, head in enumerate(sentence.heads):
        is_copula = sentence.relation(i) == "cop" and _may_go(sentence, i)
        if is_copula and _predicate(sentence, head) == kind:
            yield site(sentence, i, removed(sentence, i))


def _predicate(sentence: DialectSentence, head: int) -> str:
    """Return what a predicate is: "noun", "adjective", "place", or "" for none of these."""
    cases = [sentence.word(i) for i in sentence.dependents(head, "case") if i < head]
    if cases:
        return "place" if cases[0] in words("preposition") else ""
    if sentence.upos(head) == "ADV":
        return "place" if sentence.word(head) in words("place") else ""
    kinds = {"NOUN": "noun", "PROPN": "noun", "PRON": "noun", "ADJ": "adjective"}
    return kinds.get(sentence.upos(head), "")


def _may_go(sentence: DialectSentence, i: int) -> bool:
    """Tell whether this is or are links subject and predicate, alone, not negated or stressed."""
    head = sentence.heads[i]
    subject = sentence.subject(head) if head >= 0 else None
    is_present = sentence.lemma(i) == "be" and sentence.word(i) in _PRESENT
    if not is_present or subject is None or not subject < i < head:
        return False
    is_stressed = sentence.tokens[i]["form"].isupper() or sentence.word(i - 1) in _EMPHATIC
    return (
        not is_stressed
        and len(sentence.dependents(head, "aux", "cop")) == 1
        and sentence.upos(i + 1) not in ("PUNCT", "CCONJ", "")
        and not sentence.is_negated(head)
        and not any(
            sentence.word(part) in _KEEP or sentence.has(part, "PronType=Rel")
            for part in (subject, *sentence.dependents(subject, "nmod"))
        )
    )


def zero_progressive_be(sentence: DialectSentence) -> Iterator[Site]:
    """We are leaving. → We leaving; not before going to, which gon is for."""
    for i, head in enumerate(sentence.heads):
        is_progressive = sentence.relation(i) == "aux" and sentence.word(head).endswith("ing")
        if is_progressive and _may_go(sentence, i):
            is_future = sentence.lemma(head) == "go" and sentence.word(head + 1) == "to"
            if sentence.upos(head) == "VERB" and not is_future:
                yield site(sentence, i, removed(sentence, i))


def habitual_be(sentence: DialectSentence) -> Iterator[Site]:
    """He usually works late. → He be working late; with usually, always, every, not of states."""
    if sentence.is_question():
        return
    for verb in range(len(sentence.tokens)):
        subject = sentence.subject(verb)
        if not sentence.is_action(verb) or subject is None or subject >= verb:
            continue
        auxiliaries = sentence.dependents(verb, "aux", "cop")
        if is_habit(sentence, verb) and _is_present(sentence, verb, auxiliaries):
            usually = [
                i
                for i in sentence.dependents(verb, "advmod")
                if sentence.word(i) == "usually" and sentence.upos(i + 1) != "PUNCT"
            ]
            superfluous = (*auxiliaries, *usually)
            edits = [removed(sentence, i) for i in superfluous]
            form = f"be {word_forms.gerund(sentence.lemma(verb))}"
            edits.append(replaced(sentence, verb, verb, form))
            yield site(sentence, verb, *edits, also=superfluous)


def _is_present(sentence: DialectSentence, verb: int, auxiliaries: list[int]) -> bool:
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


def is_habit(sentence: DialectSentence, verb: int) -> bool:
    adverbs = map(sentence.word, sentence.dependents(verb, "advmod"))
    times = [i for i in sentence.dependents(verb, "obl") if not sentence.dependents(i, "case")]
    determiners = (det for i in times for det in sentence.dependents(i, "det"))
    return not {"usually", "always"}.isdisjoint(adverbs) or any(
        sentence.word(det) == "every"
        for det in determiners  # every day
    )


def existentials(sentence: DialectSentence) -> Iterator[int]:
    """Yield the there of there is, was and the like; not in questions, nor at the end."""
    for i in range(len(sentence.tokens) - 2):
        is_there = sentence.word(i) == "there" and sentence.upos(i) == "PRON"
        is_finite = sentence.lemma(i + 1) == "be" and sentence.has(i + 1, "VerbForm=Fin")
        if is_there and is_finite:
            if sentence.is_not(i + 2) or sentence.upos(i + 2) in _WHAT_THERE_IS:
                yield i


def existential_it(sentence: DialectSentence) -> Iterator[Site]:
    """There is a problem. → It's a problem; not in questions, nor at the end (all there is)."""
    for i in existentials(sentence):
        is_past, is_negated = sentence.has(i + 1, "Tense=Past"), sentence.word(i + 2) == "n't"
        new = "it was" if is_past else "it is" if is_negated else "it's"
        yield site(sentence, i + 1, replaced(sentence, i, i + 1, new), also=(i,))


def question_without_inversion(sentence: DialectSentence) -> Iterator[Site]:
    """What are you doing? → What you doing?; not in tags nor before it, that and there."""
    if not sentence.is_question():
        return
    for i, head in enumerate(sentence.heads):
        if head < 0 or sentence.heads[head] != -1 or sentence.relation(i) not in ("aux", "cop"):
            continue
        subject = sentence.subject(head)
        if subject is None or not i < subject < head or sentence.word(subject) in _KEEP:
            continue
        is_alone = len(sentence.dependents(head, "aux", "cop")) == 1
        if is_alone and not sentence.is_negated(head) and _goes_in_question(sentence, i, head):
            yield site(sentence, i, removed(sentence, i))


def _goes_in_question(sentence: DialectSentence, i: int, head: int) -> bool:
    if sentence.word(i) in ("do", "does"):
        return sentence.has(head, "VerbForm=Inf")
    is_present = sentence.lemma(i) == "be" and sentence.word(i) in _PRESENT
    is_progressive = sentence.upos(head) == "VERB" and sentence.word(head).endswith("ing")
    return is_present and (is_progressive or _predicate(sentence, head) != "")


def zero_third_s(sentence: DialectSentence) -> Iterator[Site]:
    """She walks home. → She walk home; not auxiliaries, be, nor nouns taken for verbs (my walks).

    Of 982 such verbs of GUM and EWT none stands behind an article, a possessive or an auxiliary.
    """
    for i, token in enumerate(sentence.tokens):
        form, lemma = sentence.word(i), sentence.lemma(i)
        third_person = ("Number=Sing", "Person=3", "Tense=Pres", "VerbForm=Fin")
        is_third = token["upos"] == "VERB" and lemma != "be" and sentence.has(i, *third_person)
        is_noun = sentence.has(i - 1, "PronType=Art") or sentence.has(i - 1, "Poss=Yes")
        is_as_follows = form == "follows" and sentence.word(i - 1) == "as"
        if is_as_follows or is_noun or sentence.upos(i - 1) == "AUX":
            continue
        if is_third and form in (lemma + "s", lemma + "es", lemma[:-1] + "ies", "has"):
            yield site(sentence, i, replaced(sentence, i, i, lemma))


def was_for_were(sentence: DialectSentence) -> Iterator[Site]:
    """We were late. → We was late."""
    return _was(sentence, conditional=False)


def was_in_conditionals(sentence: DialectSentence) -> Iterator[Site]:
    """If I were you → If I was you."""
    return _was(sentence, conditional=True)


def _was(sentence: DialectSentence, conditional: bool) -> Iterator[Site]:
    for i in range(len(sentence.tokens)):
        if sentence.upos(i) == "AUX" and sentence.word(i) == "were":
            before = [sentence.word(place) for place in range(max(i - 4, 0), i)]
            if ("if" in before) == conditional:
                yield site(sentence, i, replaced(sentence, i, i, "was"))


def gon(sentence: DialectSentence) -> Iterator[Site]:
    """He will call. He is going to call. → He gon call; I'll → I'ma; not if will comes first."""
    for i in range(1, len(sentence.tokens)):
        is_will = sentence.word(i) in ("will", "'ll") and sentence.lemma(i) == "will"
        is_future = is_will and sentence.upos(i) == "AUX" and not sentence.is_not(i + 1)
        if is_future and sentence.upos(i - 1) in _SUBJECTS:
            verb = sentence.after(i, "ADV")
            is_perfect = sentence.word(verb) == "have" and sentence.upos(verb) == "AUX"
            if sentence.has(verb, "VerbForm=Inf") and not is_perfect:
                yield _future(sentence, i, i, verb)
        elif _going_to(sentence, i) and sentence.upos(i - 2) in _SUBJECTS:
            if sentence.word(i - 1) in (*_PRESENT, "am", "'m") and sentence.lemma(i - 1) == "be":
                yield _future(sentence, i - 1, i + 1, i + 2)


def _going_to(sentence: DialectSentence, i: int) -> bool:
    """Tell whether this is the going to, or gonna, of a future, before a verb."""
    pair = (sentence.word(i), sentence.word(i + 1))
    before_verb = sentence.has(i + 2, "VerbForm=Inf")
    return before_verb and sentence.lemma(i) == "go" and pair in (("going", "to"), ("gon", "na"))


def _future(sentence: DialectSentence, first: int, last: int, verb: int) -> Site:
    new = "gon"
    if sentence.word(first - 1) == "i":
        first, new = first - 1, "I'ma"
    return site(
        sentence, verb, replaced(sentence, first, last, new), also=tuple(range(first, verb + 1))
    )


def finna(sentence: DialectSentence) -> Iterator[Site]:
    """I'm about to leave. → I'm finna leave."""
    for i in range(1, len(sentence.tokens) - 2):
        is_about_to = sentence.word(i) in ("about", "fixing") and sentence.word(i + 1) == "to"
        before = i - 2 if sentence.word(i - 1) == "just" else i - 1
        if is_about_to and sentence.has(i + 2, "VerbForm=Inf") and sentence.lemma(before) == "be":
            yield site(sentence, i + 2, replaced(sentence, i, i + 1, "finna"), also=(i, i + 1))


def completive_done(sentence: DialectSentence) -> Iterator[Site]:
    """I have already eaten. I already ate. → I done ate; not negated, asked, or of states."""
    if sentence.is_question():
        return
    for verb in range(1, len(sentence.tokens)):
        if not sentence.is_action(verb):
            continue
        subject, auxiliaries = sentence.subject(verb), sentence.dependents(verb, "aux", "cop")
        is_already = sentence.word(verb - 1) == "already"
        first = auxiliaries[0] if len(auxiliaries) == 1 else verb - 1
        if subject is None or not subject < first:
            continue
        if auxiliaries:
            is_done = (
                len(auxiliaries) == 1
                and first == (verb - 2 if is_already else verb - 1)
                and sentence.lemma(first) == "have"
                and sentence.has(first, "Tense=Pres", "VerbForm=Fin")
                and sentence.has(verb, "VerbForm=Part")
                and sentence.word(verb) != "got"  # I've got: I have
            )
        else:
            is_done = is_already and sentence.has(verb, "Tense=Past", "VerbForm=Fin")
        if is_done:
            form = sentence.word(verb)
            past = words("participle").get(form) or words("past").get(form) or form
            edit = replaced(sentence, first, verb, f"done {past}")
            yield site(sentence, verb, edit, also=tuple(range(first, verb + 1)))


def past_as_participle(sentence: DialectSentence) -> Iterator[Site]:
    """He had gone. → He had went; of a few verbs."""
    for i in range(len(sentence.tokens)):
        verb = sentence.after(i, "ADV", "PRON")
        is_perfect = sentence.lemma(i) == "have" and sentence.upos(i) == "AUX"
        if is_perfect and sentence.upos(verb) == "VERB":
            past = words("participle").get(sentence.word(verb))
            if past and sentence.has(verb, "VerbForm=Part"):
                yield site(sentence, verb, replaced(sentence, verb, verb, past), also=(i,))


def got_for_have(sentence: DialectSentence) -> Iterator[Site]:
    """She has a car. → She got a car; in the affirmative present, of what one owns."""
    for i in range(1, len(sentence.tokens) - 1):
        is_have = sentence.upos(i) == "VERB" and sentence.word(i) in ("have", "has")
        is_present = is_have and sentence.has(i, "Mood=Ind", "Tense=Pres", "VerbForm=Fin")
        is_asked = sentence.lemma(i - 2) == "do"  # whatever the tagger makes of have
        is_stated = sentence.upos(i - 1) in _SUBJECTS and not sentence.is_not(i + 1)
        if not is_present or is_asked or not is_stated:
            continue
        owned = _object(sentence, i)
        if owned is not None and sentence.lemma(owned) not in words("not owned"):
            yield site(sentence, i, replaced(sentence, i, i, "got"))


def _object(sentence: DialectSentence, verb: int) -> int | None:
    """Return the noun that is a verb's object by its head, or else the last noun that follows."""
    if sentence.heads:
        if sentence.dependents(verb, "aux", "xcomp", "ccomp"):
            return None  # have him call
        return next(
            (i for i in sentence.dependents(verb, "obj") if sentence.upos(i) == "NOUN"), None
        )
    i = verb + 1
    while sentence.upos(i) in ("DET", "NUM", "ADJ"):
        i += 1
    while sentence.upos(i + 1) == "NOUN":
        i += 1
    return i if sentence.upos(i) == "NOUN" else None


def reduced_forms(sentence: DialectSentence) -> Iterator[Site]:
    """I'm trying to sleep. → I'm tryna sleep; have to and got to → gotta, going to → gonna."""
    for i in range(len(sentence.tokens) - 2):
        if sentence.word(i + 1) != "to" or not sentence.has(i + 2, "VerbForm=Inf"):
            continue
        form = sentence.word(i)
        if form == "trying":
            new = "tryna"
        elif _going_to(sentence, i) and sentence.lemma(i - 1) == "be":
            new = "gonna"
        elif form == "got" and sentence.lemma(i - 1) == "have":
            new = "gotta"
        elif form in ("have", "has") and sentence.has(i, "Tense=Pres", "VerbForm=Fin"):
            new = "gotta" if sentence.upos(i - 1) in _SUBJECTS else ""
        else:
            new = ""
        if new:
            yield site(sentence, i, replaced(sentence, i, i + 1, new), also=(i + 1, i + 2))


def zero_possessive(sentence: DialectSentence) -> Iterator[Site]:
    """My brother's car → my brother car; not of pronouns, in names or without the thing owned."""
    for i in range(1, len(sentence.tokens)):
        owner = sentence.heads[i]
        is_possessive = sentence.upos(i) == "PART" and sentence.relation(i) == "case"
        if sentence.word(i) != "'s" or not is_possessive:
            continue
        owned = sentence.heads[owner]
        if (
            sentence.relation(owner) == "nmod"
            and owned > i
            and sentence.upos(owner) in ("NOUN", "PROPN")
            and sentence.upos(owned) == "NOUN"
            and sentence.upos(i + 1) not in ("PUNCT", "")
        ):
            yield Site(frozenset((i,)), [removed(sentence, i)])


def yall(sentence: DialectSentence) -> Iterator[Site]:
    """Are you guys coming? → Are y'all coming?"""
    for i in range(len(sentence.tokens) - 1):
        is_you = sentence.word(i) == "you" and sentence.upos(i) == "PRON"
        is_you_all = sentence.word(i + 1) == "all" and sentence.upos(i + 2) in _AFTER_ALL
        if is_you and (is_you_all or sentence.word(i + 1) in ("guys", "folks")):
            yield Site(frozenset((i, i + 1)), [replaced(sentence, i, i + 1, "y'all")])


def them_for_those(sentence: DialectSentence) -> Iterator[Site]:
    """Those shoes → them shoes; not those that stand alone."""
    for i in range(len(sentence.tokens)):
        if sentence.word(i) == "those" and sentence.upos(i) == "DET":
            yield Site(frozenset((i,)), [replaced(sentence, i, i, "them")])
