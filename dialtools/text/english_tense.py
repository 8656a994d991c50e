"""Tense of English main clauses: she walks, she walked, she will walk."""

from dialtools.text.dialect_sentences import DialectSentence, replaced
from dialtools.text.english_clauses import (
    Changes,
    Clause,
    has_coordinated_verb,
    inflected,
    main_clause,
)

TENSES = ("past", "present", "future")
# verbs that mean a time, or courtesy and no event
_FORMULAS = frozenset(
    "thank excuse pardon let welcome guess mean bet hope wonder suppose promise swear beg "
    "congratulate apologize apologise bless please use ought need dare".split()
)
_BE = {
    "present": {"VBZ": "is", "VBP": "are"},
    "past": {"VBZ": "was", "VBP": "were"},
}


def changes(sentence: DialectSentence) -> dict[str, Changes]:
    """Return what changes in a sentence for each tense that it may have and has not."""
    clause = main_clause(sentence)
    if clause is None or clause.is_imperative or sentence.lemma(clause.root) in _FORMULAS:
        return {}
    if has_coordinated_verb(clause) or sentence.dependents(clause.root, "advcl"):
        return {}
    if _agreement(clause) is None:
        return {}
    if clause.is_lexical:
        by_tense = _of_verb(clause)
    elif sentence.lemma(clause.finite) == "do":
        by_tense = _of_do(clause)
    elif clause.form == "will":
        by_tense = _of_will(clause)
    elif sentence.lemma(clause.finite) in ("be", "have"):
        by_tense = _of_auxiliary(clause)
    else:
        return {}
    current = _tense(clause)
    return {tense: by_tense[tense] for tense in TENSES if tense in by_tense and tense != current}


def _tense(clause: Clause) -> str:
    if clause.form == "will":
        return "future"
    return "past" if clause.sentence.has(clause.finite, "Tense=Past") else "present"


def _agreement(clause: Clause) -> str | None:
    """Return VBZ or VBP; of there is, by the form itself."""
    if clause.subject is not None and clause.sentence.relation(clause.subject) == "expl":
        form = clause.form
        return "VBZ" if form in ("is", "was") else "VBP" if form in ("are", "were") else None
    return clause.agreement()


def _finite(clause: Clause, lemma: str, tense: str) -> str | None:
    """Return the finite form of a verb that goes with the subject."""
    agreement = _agreement(clause)
    if agreement is None:
        return None
    if lemma == "be":
        is_i = clause.subject is not None and clause.sentence.word(clause.subject) == "i"
        if is_i:
            return {"present": "am", "past": "was"}[tense]
        return _BE[tense][agreement]
    return inflected(lemma, "VBD" if tense == "past" else agreement)


def _past_and_present(clause: Clause, lemma: str, last: int) -> dict[str, Changes]:
    """Return the changes of the finite verb, up to a last word, into the finite forms of a verb."""
    return {
        tense: [replaced(clause.sentence, clause.finite, last, form)]
        for tense in ("past", "present")
        if (form := _finite(clause, lemma, tense))
    }


def _of_verb(clause: Clause) -> dict[str, Changes]:
    sentence, verb = clause.sentence, clause.root
    if sentence.upos(verb) != "VERB" or clause.is_inverted or sentence.word(verb).startswith("'"):
        return {}
    lemma, word = sentence.lemma(verb), sentence.word(verb)
    finite_forms = {inflected(lemma, "VBD"), inflected(lemma, "VBZ"), inflected(lemma, "VBP")}
    if word not in finite_forms:
        return {}
    return {
        tense: [replaced(sentence, verb, verb, form)]
        for tense in TENSES
        if (form := f"will {lemma}" if tense == "future" else _finite(clause, lemma, tense))
    }


def _of_do(clause: Clause) -> dict[str, Changes]:
    sentence, finite, negation = clause.sentence, clause.finite, clause.negation
    if sentence.upos(clause.root) != "VERB" or sentence.word(finite).startswith("'"):
        return {}
    by_tense = _past_and_present(clause, "do", finite)
    if negation is not None and sentence.word(negation) == "n't":
        by_tense["future"] = [replaced(sentence, finite, negation, "won't")]
    elif negation is not None or clause.is_inverted:  # emphatic: I do know
        by_tense["future"] = [replaced(sentence, finite, finite, "will")]
    return by_tense


def _of_will(clause: Clause) -> dict[str, Changes]:
    sentence, finite, verb = clause.sentence, clause.finite, clause.root
    if clause.negation is not None or clause.is_inverted:
        if sentence.upos(verb) != "VERB" or clause.auxiliaries != [finite]:
            return {}
        return _past_and_present(clause, "do", finite)
    infinitive = finite + 1
    if infinitive not in (verb, *clause.auxiliaries) or not sentence.has(
        infinitive, "VerbForm=Inf"
    ):
        return {}
    lemma = sentence.lemma(infinitive)
    return _past_and_present(clause, lemma, infinitive)


def _of_auxiliary(clause: Clause) -> dict[str, Changes]:
    """Return the changes of be and have, as copula or before a participle."""
    sentence, finite, negation = clause.sentence, clause.finite, clause.negation
    lemma = sentence.lemma(finite)
    if clause.is_inverted and sentence.word(finite).startswith("'"):  # what's
        return {}
    by_tense = _past_and_present(clause, lemma, finite)
    if negation is not None and sentence.word(negation) == "n't":
        if clause.form == "am" or _finite(clause, lemma, "present") == "am":
            by_tense.pop("present", None)  # I wasn't, but no I amn't
        if not clause.is_inverted:
            by_tense["future"] = [replaced(sentence, finite, negation, f"won't {lemma}")]
    elif negation is None and not clause.is_inverted:
        by_tense["future"] = [replaced(sentence, finite, finite, f"will {lemma}")]
    return by_tense
