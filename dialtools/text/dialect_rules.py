"""Rules of features that dialects of English share: which may stand where, and how.

A rule is a function from a sentence to the sites of one feature, called like the feature:
too_for_very of too-for-very. languages/en/dialects.tsv names the features in the order of their
rules, with their numbers in eWAVE and their ratings in each dialect; languages/en/dialect_words.tsv
holds the words that rules ask for. Those of verbs are in dialect_verbs.py, those that
African American English has in aave_rules.py. Rules never respell words to mimic how they sound.
"""

from collections.abc import Callable, Iterator

from dialtools.text import aave_rules, dialect_verbs, word_forms
from dialtools.text.dialect_sentences import (
    DialectSentence,
    Site,
    exchanged,
    removed,
    replaced,
    site,
    words,
)

Rule = Callable[[DialectSentence], Iterator[Site]]
_ASKS = ("what", "who", "where", "when", "why", "how", "which")
_FULL = {"'s": "is", "'re": "are", "'m": "am"}


def rule(feature: str) -> Rule:
    """Return the rule of a feature."""
    name = feature.replace("-", "_")
    modules = (dialect_verbs, aave_rules)
    elsewhere = next((module for module in modules if hasattr(module, name)), None)
    return getattr(elsewhere, name) if elsewhere else globals()[name]


# nouns and pronouns


def zero_definite_article(sentence: DialectSentence) -> Iterator[Site]:
    """The main reason → main reason; not of superlatives, names and numbers."""
    return _zero_article(sentence, ("the",))


def zero_indefinite_article(sentence: DialectSentence) -> Iterator[Site]:
    """He has a car. → He has car; not of a lot, a few and the like."""
    return _zero_article(sentence, ("a", "an"))


def _zero_article(sentence: DialectSentence, articles: tuple[str, ...]) -> Iterator[Site]:
    for i in range(len(sentence.tokens) - 1):
        if sentence.word(i) not in articles or sentence.upos(i) != "DET":
            continue
        noun = i + 1
        while sentence.upos(noun) == "ADJ":
            noun += 1
        adjectives = range(i + 1, noun)
        is_fixed = any(sentence.has(adjective, "Degree=Sup") for adjective in adjectives)
        is_fixed = is_fixed or sentence.word(i + 1) in words("with article")
        if sentence.upos(noun) == "NOUN" and not is_fixed:
            yield Site(frozenset((i, noun)), [removed(sentence, i)])


def zero_plural(sentence: DialectSentence) -> Iterator[Site]:
    """Two cars → two car; regular plurals, not clothes, thanks and the like."""
    for i in range(len(sentence.tokens)):
        lemma, form = sentence.lemma(i), sentence.word(i)
        is_regular = form in (lemma + "s", lemma + "es", lemma[:-1] + "ies")
        is_plural = sentence.upos(i) == "NOUN" and sentence.has(i, "Number=Plur")
        if is_plural and is_regular and form not in words("plural alone"):
            yield Site(frozenset((i,)), [replaced(sentence, i, i, lemma)])


def irregular_plural_s(sentence: DialectSentence) -> Iterator[Site]:
    """The children → the childrens; not before what they own."""
    return _plural(sentence, "plural with s")


def regular_f_plural(sentence: DialectSentence) -> Iterator[Site]:
    """Knives → knifes."""
    return _plural(sentence, "plural of f")


def _plural(sentence: DialectSentence, kind: str) -> Iterator[Site]:
    for i in range(len(sentence.tokens)):
        new = words(kind).get(sentence.word(i))
        is_plural = sentence.upos(i) == "NOUN" and sentence.has(i, "Number=Plur")
        if new and is_plural and sentence.word(i + 1) not in ("'s", "'"):
            yield Site(frozenset((i,)), [replaced(sentence, i, i, new)])


def mass_plural(sentence: DialectSentence) -> Iterator[Site]:
    """We need furniture. → We need furnitures; an object, without an article, this or much."""
    for i in range(1, len(sentence.heads)):
        new = words("mass").get(sentence.word(i))
        is_object = sentence.upos(i) == "NOUN" and sentence.relation(i) in ("obj", "obl")
        determiners = sentence.dependents(i, "det")
        allowed = ("the", "some", "any", "no", "all")
        is_free = all(sentence.word(place) in allowed for place in determiners)
        quantities = ("much", "little", "more", "less")
        is_free = is_free and sentence.word(i - 1) not in quantities
        if new and is_object and is_free and sentence.word(i + 1) not in ("'s", "'"):
            yield Site(frozenset((i,)), [replaced(sentence, i, i, new)])


def this_with_plural(sentence: DialectSentence) -> Iterator[Site]:
    """These children → this children."""
    for i in range(len(sentence.tokens) - 1):
        singular = {"these": "this", "those": "that"}.get(sentence.word(i))
        if singular and sentence.upos(i) == "DET":
            yield Site(frozenset((i,)), [replaced(sentence, i, i, singular)])


def reflexive_self(sentence: DialectSentence) -> Iterator[Site]:
    """Ourselves → ourself."""
    return _reflexive(sentence, {"ourselves": "ourself", "themselves": "themself"})


def hisself(sentence: DialectSentence) -> Iterator[Site]:
    """Himself → hisself, themselves → theirselves."""
    return _reflexive(sentence, {"himself": "hisself", "themselves": "theirselves"})


def _reflexive(sentence: DialectSentence, forms: dict[str, str]) -> Iterator[Site]:
    for i in range(len(sentence.tokens)):
        if new := forms.get(sentence.word(i)):
            yield Site(frozenset((i,)), [replaced(sentence, i, i, new)])


def me_in_coordination(sentence: DialectSentence) -> Iterator[Site]:
    """My brother and I were late. → Me and my brother were late."""
    for first, last in _and_i(sentence):
        text = sentence.text
        start, end = sentence.tokens[first]["start"], sentence.tokens[last - 2]["end"]
        phrase = text[start:end]
        if sentence.upos(first) != "PROPN":
            phrase = phrase[0].lower() + phrase[1:]
        me = "Me" if text[start].isupper() and first == 0 else "me"
        edit = (start, sentence.tokens[last]["end"], f"{me} and {phrase}")
        yield Site(frozenset(range(first, last + 1)), [edit])


def myself_in_coordination(sentence: DialectSentence) -> Iterator[Site]:
    """My husband and I left. → My husband and myself left."""
    for _, last in _and_i(sentence):
        token = sentence.tokens[last]
        yield Site(frozenset((last,)), [(token["start"], token["end"], "myself")])


def _and_i(sentence: DialectSentence) -> Iterator[tuple[int, int]]:
    """Yield the first and the last token of subjects of two that end in and I."""
    for i, head in enumerate(sentence.heads):
        is_joined = sentence.tokens[i]["form"] == "I" and sentence.relation(i) == "conj"
        if not is_joined or not 0 <= head < i - 1 or sentence.word(i - 1) != "and":
            continue
        first = min(sentence.subtree(head))
        is_pair = sentence.dependents(head, "conj") == [i] and head == i - 2
        if sentence.relation(head) == "nsubj" and is_pair and sentence.word(head) != "you":
            yield first, i


def yous(sentence: DialectSentence) -> Iterator[Site]:
    """Are you guys coming? → Are yous coming?"""
    for plural in aave_rules.yall(sentence):
        [(start, end, _)] = plural.edits
        new = word_forms.cased_like("yous", sentence.text[start:end])
        yield Site(plural.group, [(start, end, new)])


def subject_drop(sentence: DialectSentence) -> Iterator[Site]:
    """I don't know. → Don't know; at the beginning, of statements."""
    is_pronoun = sentence.word(0) in ("i", "he", "she", "we", "they", "it")
    if not sentence.heads or not is_pronoun or sentence.is_question():
        return
    is_subject = sentence.relation(0) == "nsubj" and sentence.heads[0] > 0
    is_subject = is_subject and sentence.upos(1) in ("VERB", "AUX")
    # it and s of its good stay together
    is_apart = is_subject and sentence.tokens[0]["end"] < sentence.tokens[1]["start"]
    if is_apart and sentence.has(1, "VerbForm=Fin"):
        yield site(sentence, sentence.heads[0], removed(sentence, 0), also=(0,))


def object_drop(sentence: DialectSentence) -> Iterator[Site]:
    """I like it. → I like; right behind the verb, where nothing follows."""
    for i, head in enumerate(sentence.heads):
        is_object = sentence.word(i) in ("it", "them") and sentence.relation(i) == "obj"
        if is_object and head == i - 1 and sentence.upos(i + 1) in ("PUNCT", "CCONJ", ""):
            yield site(sentence, head, removed(sentence, i), also=(i,))


# adjectives and adverbs


def double_comparative(sentence: DialectSentence) -> Iterator[Site]:
    """It is easier. → It is more easier; the easiest → the most easiest."""
    for i, degree, _ in _comparisons(sentence):
        more = "more" if degree == "Cmp" else "most"
        yield Site(frozenset((i,)), [replaced(sentence, i, i, f"{more} {sentence.word(i)}")])


def analytic_comparative(sentence: DialectSentence) -> Iterator[Site]:
    """It is easier. → It is more easy."""
    for i, degree, lemma in _comparisons(sentence):
        more = "more" if degree == "Cmp" else "most"
        yield Site(frozenset((i,)), [replaced(sentence, i, i, f"{more} {lemma}")])


def _comparisons(sentence: DialectSentence) -> Iterator[tuple[int, str, str]]:
    """Yield the place, the degree and the lemma of adjectives compared by a regular ending."""
    for i in range(len(sentence.tokens)):
        is_after_article = sentence.word(i - 1) in ("an", "more", "most")
        if sentence.upos(i) != "ADJ" or is_after_article:
            continue
        for degree in ("Cmp", "Sup"):
            lemma = sentence.lemma(i)
            is_regular = word_forms.compared(lemma, degree) == sentence.word(i)
            if sentence.has(i, f"Degree={degree}") and is_regular and " " not in sentence.word(i):
                yield i, degree, lemma


def too_for_very(sentence: DialectSentence) -> Iterator[Site]:
    """It is very difficult. → It is too difficult."""
    for i in range(len(sentence.tokens) - 1):
        if sentence.word(i) == "very" and sentence.upos(i) == "ADV":
            if sentence.upos(i + 1) in ("ADJ", "ADV") and sentence.word(i + 1) != "very":
                yield Site(frozenset((i,)), [replaced(sentence, i, i, "too")])


def real_good(sentence: DialectSentence) -> Iterator[Site]:
    """That's really good. → That's real good."""
    for i in range(len(sentence.tokens) - 1):
        is_degree = sentence.word(i) == "really" and sentence.upos(i) == "ADV"
        if is_degree and sentence.upos(i + 1) == "ADJ" and not sentence.is_not(i - 1):
            yield Site(frozenset((i,)), [replaced(sentence, i, i, "real")])


def flat_adverb(sentence: DialectSentence) -> Iterator[Site]:
    """Come quickly! → Come quick!; behind the verb."""
    for i, head in enumerate(sentence.heads):
        new = words("flat").get(sentence.word(i))
        is_adverb = sentence.upos(i) == "ADV" and sentence.relation(i) == "advmod"
        if new and is_adverb and 0 <= head < i and sentence.upos(head) == "VERB":
            yield Site(frozenset((i,)), [replaced(sentence, i, i, new)])


# clauses


def although_but(sentence: DialectSentence) -> Iterator[Site]:
    """Although he is old, he works. → Although he is old, but he works."""
    if sentence.word(0) not in ("although", "though") or not sentence.heads:
        return
    clause = sentence.heads[0]
    main = sentence.heads[clause] if clause >= 0 else -1
    if sentence.relation(clause) != "advcl" or main <= clause:
        return
    comma = max(sentence.subtree(clause, ("punct",))) + 1
    if sentence.word(comma) == "," and sentence.upos(comma + 1) in ("PRON", "DET", "NOUN", "PROPN"):
        end = sentence.tokens[comma]["end"]
        yield site(sentence, main, (end, end, " but"), also=(comma,))


def than_what(sentence: DialectSentence) -> Iterator[Site]:
    """It's harder than you think. → It's harder than what you think."""
    for i in range(1, len(sentence.tokens) - 2):
        is_clause = sentence.upos(i + 1) == "PRON" and sentence.has(i + 2, "VerbForm=Fin")
        if sentence.word(i) == "than" and is_clause and sentence.word(i + 1) != "what":
            yield Site(frozenset((i, i + 1)), [replaced(sentence, i, i, "than what")])


def final_but(sentence: DialectSentence) -> Iterator[Site]:
    """It wasn't cold, though. → It wasn't cold but."""
    last = len(sentence.tokens) - 1
    i = last - 1 if sentence.upos(last) == "PUNCT" else last
    if sentence.word(i) != "though" or i < 2 or sentence.is_question():
        return
    comma = i - 1 if sentence.word(i - 1) == "," else i
    start = sentence.tokens[comma - 1]["end"]
    yield Site(frozenset((comma, i)), [(start, sentence.tokens[i]["end"], " but")])


def invariant_tag(sentence: DialectSentence) -> Iterator[Site]:
    """You know him, don't you? → You know him, isn't it?"""
    last = len(sentence.tokens) - 1
    i = last - 3
    is_tag = sentence.word(last) == "?" and sentence.word(i - 1) == "," and sentence.is_not(i + 1)
    if is_tag and sentence.upos(i) == "AUX" and sentence.upos(i + 2) == "PRON":
        if (sentence.word(i), sentence.word(i + 2)) != ("is", "it"):
            edit = replaced(sentence, i, i + 2, "isn't it")
            yield Site(frozenset((i, i + 1, i + 2)), [edit])


def can_or_not(sentence: DialectSentence) -> Iterator[Site]:
    """Can I go home? → I go home, can or not?"""
    last = len(sentence.tokens) - 1
    is_asked = sentence.word(0) == "can" and sentence.word(last) == "?"
    if is_asked and sentence.upos(1) == "PRON" and sentence.upos(2) in ("VERB", "ADV"):
        mark = sentence.tokens[last]
        start = sentence.tokens[last - 1]["end"]
        tag = (start, mark["end"], ", can or not?")
        yield Site(frozenset(range(last + 1)), [removed(sentence, 0), tag])


def uninverted_wh_question(sentence: DialectSentence) -> Iterator[Site]:
    """What are you doing? → What you are doing?; before a pronoun."""
    for i in range(1, len(sentence.tokens) - 1):
        if sentence.is_question() and sentence.word(i - 1) in _ASKS and _asks(sentence, i):
            if sentence.word(i) == "do":
                yield site(sentence, i, removed(sentence, i), also=(i + 1,))
            else:
                yield site(sentence, i, *exchanged(sentence, i, _FULL), also=(i + 1,))


def uninverted_yes_no_question(sentence: DialectSentence) -> Iterator[Site]:
    """Are you coming? → You are coming?; before a pronoun, at the beginning."""
    if not sentence.is_question() or not _asks(sentence, 0):
        return
    if sentence.word(0) == "do":
        yield site(sentence, 0, removed(sentence, 0), also=(1,))
    else:
        yield site(sentence, 0, *exchanged(sentence, 0, _FULL), also=(1,))


def _asks(sentence: DialectSentence, i: int) -> bool:
    """Tell whether an auxiliary stands before its subject, a pronoun, and can stand behind it."""
    return (
        sentence.upos(i) == "AUX"
        and sentence.word(i) not in ("does", "did", "'s")
        and sentence.upos(i + 1) == "PRON"
        and sentence.relation(i + 1) == "nsubj"
        and not sentence.is_not(i + 2)
        and sentence.upos(i + 2) not in ("PUNCT", "")
    )


def inverted_indirect_question(sentence: DialectSentence) -> Iterator[Site]:
    """I wonder what you are doing. → I wonder what are you doing; with a pronoun."""
    for i in range(2, len(sentence.tokens) - 1):
        clause = sentence.heads[i] if sentence.heads else -1
        is_indirect = clause >= 0 and sentence.relation(clause) == "ccomp"
        is_subject = sentence.upos(i) == "PRON" and sentence.relation(i) == "nsubj"
        is_followed = sentence.heads[i + 1 : i + 2] == [clause] and sentence.relation(i + 1) in (
            "aux",
            "cop",
        )
        is_asked = sentence.word(i - 1) in _ASKS and clause in (i - 1, sentence.heads[i - 1])
        if is_indirect and is_subject and is_followed and is_asked and not sentence.is_not(i + 2):
            if sentence.word(i + 1) not in ("'d", "'ve", "'ll"):
                yield site(sentence, i + 1, *exchanged(sentence, i, _FULL), also=(i,))
