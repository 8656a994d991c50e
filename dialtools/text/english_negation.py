"""Negation of English main clauses, added and removed: she isn't here, she is here."""

from dialtools.text import word_forms
from dialtools.text.dialect_sentences import DialectSentence, removed, replaced
from dialtools.text.english_clauses import (
    NT,
    Changes,
    Clause,
    has_coordinated_verb,
    inflected,
    main_clause,
)

_NEGATIVE = frozenset(
    "not n't never no nobody nothing none nowhere neither nor hardly scarcely barely seldom rarely "
    "without cannot nope".split()
)
# verbs of courtesy and of talk about talk
_FORMULAS = frozenset(
    "thank excuse pardon let welcome guess mean bet hope wonder suppose promise swear beg "
    "congratulate apologize apologise bless damn hold hang listen look see wait come say "
    "please use ought need dare".split()
)


def changes(sentence: DialectSentence) -> dict[str, Changes]:
    """Return what negates a sentence, as "add", or what takes its negation away, as "remove"; {}
    where that is not certain.
    """
    clause = main_clause(sentence)
    if clause is None or sentence.lemma(clause.root) in _FORMULAS:
        return {}
    if clause.is_inverted or sentence.is_question():  # can't you asks for what can you asks for
        return {}
    if clause.negation is not None:
        edits = _affirmed(clause)
        return {"remove": edits} if edits else {}
    if never := _never(clause):
        return {"remove": [removed(sentence, never)]}
    if not _NEGATIVE.isdisjoint(sentence.forms):
        return {}
    edits = _negated(clause)
    return {"add": edits} if edits else {}


def _never(clause: Clause) -> int | None:
    """Return the never of a clause that may go, None if there is none."""
    sentence = clause.sentence
    nevers = [i for i, form in enumerate(sentence.forms) if form == "never"]
    if len(nevers) != 1 or sum(form in _NEGATIVE for form in sentence.forms) > 1:
        return None
    [i] = nevers
    is_of_clause = sentence.heads[i] == clause.root and sentence.relation(i) == "advmod"
    is_after_subject = clause.subject is not None and clause.subject < i
    return i if is_of_clause and is_after_subject else None


def _negated(clause: Clause) -> Changes | None:
    sentence, finite, form = clause.sentence, clause.finite, clause.form
    if has_coordinated_verb(clause):
        return None
    written = sentence.word(finite)
    if clause.is_imperative:
        if finite != clause.root or sentence.word(finite) != sentence.lemma(finite):
            return None
        return [replaced(sentence, finite, finite, f"don't {written}")] if _opens(clause) else None
    if clause.is_lexical:
        return _with_do(clause)
    if written in ("'s", "'re", "'m"):
        return [_behind(sentence, finite, " not")]
    if written in ("'ve", "'ll", "'d"):
        negative = {"will": "won't"}.get(form, f"{form}n't")
        return [replaced(sentence, finite, finite, negative)]
    if form in ("can", "will"):
        negative = {"can": "can't", "will": "won't"}[form]
        return [replaced(sentence, finite, finite, negative)]
    if form in NT and written == form:
        return [_behind(sentence, finite, "n't")]
    if form in ("am", "may", "might", "shall"):
        return [_behind(sentence, finite, " not")]
    return None


def _with_do(clause: Clause) -> Changes | None:
    """Return the change of a verb to do with it: doesn't know."""
    sentence, verb = clause.sentence, clause.root
    if sentence.upos(verb) != "VERB" or sentence.word(verb).startswith("'"):
        return None
    lemma, form = sentence.lemma(verb), sentence.word(verb)
    if sentence.has(verb, "Tense=Past"):
        auxiliary = "didn't"
    elif form == inflected(lemma, "VBZ"):
        auxiliary = "doesn't"
    elif form == lemma:
        auxiliary = "don't"
    else:
        return None
    return [replaced(sentence, verb, verb, f"{auxiliary} {lemma}")]


def _affirmed(clause: Clause) -> Changes | None:
    sentence, finite, negation = clause.sentence, clause.finite, clause.negation
    if negation is None or sum(form in _NEGATIVE for form in sentence.forms) > 1:
        return None
    if sentence.word(finite) == "ai" or has_coordinated_verb(clause):
        return None
    if sentence.lemma(finite) == "do" and finite != clause.root:
        return _without_do(clause)
    full = {"ca": "can", "wo": "will", "sha": "shall"}.get(sentence.word(finite))
    if full:
        return [replaced(sentence, finite, negation, full)]
    start, end = sentence.tokens[negation]["start"], sentence.tokens[negation]["end"]
    if start and sentence.text[start - 1].isalnum():  # don't, cannot
        return [(start, end, "")]
    return [removed(sentence, negation)]


def _without_do(clause: Clause) -> Changes | None:
    """Return the change of do and not to nothing, and of the verb to its finite form."""
    sentence, finite, verb = clause.sentence, clause.finite, clause.root
    start, end = sentence.tokens[finite]["start"], sentence.tokens[verb]["start"]
    if clause.negation is None or sentence.upos(verb) != "VERB" or verb <= clause.negation:
        return None
    between = sentence.text[sentence.tokens[clause.negation]["end"] : end]
    tag = {"does": "VBZ", "did": "VBD", "do": "VB"}.get(sentence.word(finite))
    form = inflected(sentence.lemma(verb), tag) if tag else None
    if form is None or sentence.word(verb) != sentence.lemma(verb) or not between[:1].isspace():
        return None
    if clause.is_imperative:
        opening = sentence.text[end : end + 1]
        capital = word_forms.capitalised(opening) if sentence.text[start].isupper() else opening
        return [(start, end + 1, capital)]
    rest = between.lstrip()  # an adverb: don't really know
    changes = [(start, end, rest)]
    if form != sentence.word(verb):
        changes.append(replaced(sentence, verb, verb, form))
    return changes


def _opens(clause: Clause) -> bool:
    """Tell whether nothing but please, a name or a mark stands before an imperative."""
    before = clause.sentence.forms[: clause.finite]
    return all(form in ("please", "so", "and", "but") or not form.isalnum() for form in before)


def _behind(sentence: DialectSentence, i: int, new: str) -> tuple[int, int, str]:
    """Return the edit that puts something behind a token, in capitals behind such a word."""
    end = sentence.tokens[i]["end"]
    new = new.replace("'", "’") if sentence.is_curly else new
    return end, end, new.upper() if word_forms.is_shouted(sentence.tokens[i]["form"]) else new
