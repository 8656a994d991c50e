"""Nouns and pronouns: possession without 's, y'all, them shoes."""

from collections.abc import Iterator

from dialtools.text.aave.sentences import Sentence, Site, removed, replaced

# you all are; not you all the time
_AFTER_ALL = ("AUX", "VERB", "PUNCT", "PART", "SCONJ", "CCONJ", "")


def zero_possessive(sentence: Sentence) -> Iterator[Site]:
    """My brother's car → my brother car; not of pronouns, in names or without the thing owned."""
    for at in range(1, len(sentence.tokens)):
        owner = sentence.heads[at]
        is_possessive = sentence.upos(at) == "PART" and sentence.relation(at) == "case"
        if sentence.word(at) != "'s" or not is_possessive:
            continue
        owned = sentence.heads[owner]
        if (
            sentence.relation(owner) == "nmod"
            and owned > at
            and sentence.upos(owner) in ("NOUN", "PROPN")
        ):
            if sentence.upos(owned) == "NOUN" and sentence.upos(at + 1) not in ("PUNCT", ""):
                yield Site(frozenset((at,)), [removed(sentence, at)])


def yall(sentence: Sentence) -> Iterator[Site]:
    """Are you guys coming? → Are y'all coming?"""
    for at in range(len(sentence.tokens) - 1):
        guys = sentence.word(at + 1) in ("guys", "folks")
        everybody = sentence.word(at + 1) == "all" and sentence.upos(at + 2) in _AFTER_ALL
        if sentence.word(at) == "you" and sentence.upos(at) == "PRON" and (guys or everybody):
            yield Site(frozenset((at, at + 1)), [replaced(sentence, at, at + 1, "y'all")])


def them_for_those(sentence: Sentence) -> Iterator[Site]:
    """Those shoes → them shoes; not those that stand alone."""
    for at in range(len(sentence.tokens)):
        if sentence.word(at) == "those" and sentence.upos(at) == "DET":
            yield Site(frozenset((at,)), [replaced(sentence, at, at, "them")])
