"""Main clauses of English sentences, as rules see them that negate them, change their tense or ask.

A clause is found where that is certain: a sentence with one root, whose finite verb is the root, its
copula or its first auxiliary, with a subject beside it unless it is an imperative.
"""

import functools
import sys
from types import SimpleNamespace
from typing import NamedTuple

from dialtools.system import errors
from dialtools.text.dialect_sentences import DialectSentence

Changes = list[tuple[int, int, str]]  # start, end, what stands there instead
TOKENS = ("upos", "lemma", "feats", "head", "deprel")  # what tokens must have
NT = frozenset("is are was were has have had do does did could should would must".split())
_FULL = {"'s": "is", "'re": "are", "'m": "am", "'ve": "have", "'ll": "will", "'d": "would"}
_FULL |= {"ca": "can", "wo": "will", "sha": "shall"}
_SINGULAR = frozenset("he she it this that everything everybody everyone somebody someone".split())
_PLURAL = frozenset("you we they these those".split())
_WH = frozenset("who what which whose".split())


class Clause(NamedTuple):
    """The main clause of a sentence, by the numbers of its tokens."""

    sentence: DialectSentence
    root: int
    finite: int  # the finite verb: the root, its copula or its first auxiliary
    subject: int | None  # None of an imperative
    negation: int | None  # not or n't right behind the finite verb
    auxiliaries: list[int]  # with the copula

    @property
    def form(self) -> str:
        """Return the finite verb in full, in lower case: will of 'll; 's is has by its lemma."""
        form = self.sentence.word(self.finite)
        if form == "'s" and self.sentence.lemma(self.finite) == "have":
            return "has"
        if form == "'d" and self.sentence.lemma(self.finite) == "have":
            return "had"
        return _FULL.get(form, form)

    @property
    def is_inverted(self) -> bool:
        """Tell whether the subject follows the finite verb."""
        return self.subject is not None and self.subject > self.finite

    @property
    def is_lexical(self) -> bool:
        """Tell whether the finite verb is the root, and not be or an auxiliary."""
        is_auxiliary = self.sentence.upos(self.root) == "AUX"  # She has.
        return (
            self.finite == self.root and not is_auxiliary and self.sentence.lemma(self.root) != "be"
        )

    @property
    def is_imperative(self) -> bool:
        return self.subject is None

    def agreement(self) -> str | None:
        """Return the present tense that goes with the subject, "VBZ" or "VBP"; None if unsure."""
        sentence, subject = self.sentence, self.subject
        if subject is None or sentence.relation(subject) == "csubj":
            return None
        if sentence.relation(subject) == "expl":  # there is, there are: by what there is
            return None
        form = sentence.word(subject)
        if sentence.dependents(subject, "conj"):
            return "VBP"
        if form == "i" or form in _PLURAL:
            return "VBP"
        if form in _WH:
            return None
        if form in _SINGULAR or sentence.has(subject, "Number=Sing"):
            return "VBZ"
        return "VBP" if sentence.has(subject, "Number=Plur") else None


def main_clause(sentence: DialectSentence) -> Clause | None:
    """Return the main clause of a sentence with heads, None where it is not certain."""
    roots = [i for i, head in enumerate(sentence.heads) if head == -1]
    if len(roots) != 1 or sentence.upos(roots[0]) in ("INTJ", "X", "SYM", "PUNCT"):
        return None
    root = roots[0]
    auxiliaries = sorted(sentence.dependents(root, "aux", "cop"))
    finite = next((i for i in sorted({root, *auxiliaries}) if sentence.has(i, "VerbForm=Fin")), -1)
    if finite < 0 or any(i < finite for i in auxiliaries):
        return None
    if sentence.upos(finite) not in ("AUX", "VERB") or " " in sentence.word(finite):
        return None  # doesn't know: an edit of a chain wrote it
    has_nothing = sentence.upos(root) == "VERB" and sentence.lemma(root) == "have"
    if has_nothing and not sentence.dependents(root, "obj", "xcomp", "ccomp"):
        return None  # I have: the auxiliary or the verb
    subjects = sentence.dependents(root, "nsubj", "expl", "csubj")
    is_imperative = sentence.has(root, "Mood=Imp") or sentence.has(finite, "Mood=Imp")
    if len(subjects) != (0 if is_imperative else 1):
        return None
    negation = finite + 1 if sentence.is_not(finite + 1) else None
    return Clause(sentence, root, finite, subjects[0] if subjects else None, negation, auxiliaries)


def has_coordinated_verb(clause: Clause) -> bool:
    """Tell whether a further verb has the same subject: he came and left."""
    sentence = clause.sentence
    return any(
        sentence.upos(i) in ("VERB", "AUX") and not sentence.dependents(i, "nsubj", "expl")
        for i in sentence.dependents(clause.root, "conj")
    )


@functools.lru_cache(maxsize=10_000)
def inflected(lemma: str, tag: str) -> str | None:
    """Return the form of a verb for a Penn tag (VBZ, VBD, …), None for an unknown one."""
    if lemma == "be":
        return {"VBZ": "is", "VBP": "are", "VB": "be"}.get(tag)
    forms = lemminflect().getInflection(lemma, tag)
    return next((form for form in forms if form.isalpha()), None)


def lemminflect():
    """Return the library of English forms, imported without spaCy, which would take seconds."""
    if library := sys.modules.get("lemminflect"):
        return library

    def find_spec(name: str, path=None, target=None):
        if name == "spacy":
            raise ModuleNotFoundError("not wanted", name="spacy")

    guard = SimpleNamespace(find_spec=find_spec)
    sys.meta_path.insert(0, guard)
    try:
        return errors.need("lemminflect", "en")
    finally:
        sys.meta_path.remove(guard)
