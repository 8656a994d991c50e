"""Terms for groups of people, and for what is said of them, exchanged or left out.

The terms are those of a specification: spec=NAME chooses one of the language, spec=FILE your own
(see dialtools.text.specifications).  Names of people (tokens with ner), verbs (tokens with upos: he
hosts a show; but in one's own file of words of any kind), speakers' labels, addresses,
placeholders, hashtags and `code` stay.  Without such tokens a name or a verb that is also a term is
swapped (Stephen King).

terms.swap swaps target pairs: forth replaces those of the first group by those of the second, back
the other way, both exchanges them. Longest first, in one pass; what was replaced is not looked at
again. Case is kept, a plural where the pair is of nouns, and a or an goes with the new word; her
(his or him) and the like are decided by their token, or else by the word that follows, which the
history notes. Words that agree with a term (Hindi verbs, adjectives and possessives; Spanish,
French and Italian articles, adjectives and participles: de la madre, del padre; German articles,
adjectives and relative pronouns) follow where tokens with feats and head tell for certain how
(note: agrees), and without tokens, which German needs, articles right before a noun do; the closing line counts those
that agreed and stay, and the labels of speakers that are terms (Mom). In es, fr and it a plural
that may mean both (hijos) stays on the way back, in de it is swapped; object pronouns stay, as do
in fr, it and de he and she, which may mean things. In a language written without spaces a term is
found within words too (女 in 女孩), but not across the border of two tokens.

Source: "target swapping", section 3.5 of "CHBias: Bias Evaluation and Mitigation of Chinese
Conversational Language Models", whose lists are the specifications gender, orientation, age and
appearance of zh (gender-chbias and appearance-chbias as published, without words that stay); in en
gender has the pairs of WinoBias, gender-reddit, orientation, race, religion1 and religion2 those of
RedditBias.  CHBias's own files of gender were swapped both ways, pair by pair, each pair on what
those before it had made: a chain of such kinds.  By the next word alone, 206 of 214 her and all of
555 his become the right word in the English treebanks EWT and GUM.

terms.attribute swaps attribute pairs in the same way (固执), with one exception: in a language
written without spaces, if the text has tokens, a term must be one or several whole tokens (老 in
很老, not in 老师).  Without tokens it is also found within words, as in the source: counter
attribute data augmentation (CADA), section 5.1 of CHBias; the pairs of orientation, religion1 and
religion2 of en are those of RedditBias.

terms.substitute is terms.swap in one direction: each word in the first column becomes its
counterpart in the second; words without a counterpart stay.  Source: "substitution", appendix B.2
and table 7 of "Flexible text generation for counterfactual fairness probing": the specifications
islam, judaism, lgbq and transgender of en.  Unlike there the text is not put into lower case, and
plurals and articles follow.

terms.ablate removes all terms of the first group, each with its 's and one run of spaces beside it.
Only a and an are adapted; the remaining text is often no sentence, as the source says: "ablation",
appendix B.1 of the same paper; its specifications hold the words of its table 7, all of them from
table 6, and those that its text names besides.

>>> from random import Random
>>> swap.perturb({"text": "His aunt is a nurse.", "lang": "en"}, Random(1), direction="both")
[['/text', 0, 3, 'His', 'Her', 'by the next word'], ['/text', 4, 8, 'aunt', 'uncle']]
>>> attribute.perturb({"text": "A lonely villain", "lang": "en"}, Random(1))
[['/text', 2, 8, 'lonely', 'cheerful'], ['/text', 9, 16, 'villain', 'hero']]
>>> record = {"text": "The Muslim's mosque", "lang": "en"}
>>> substitute.perturb(record, Random(1), spec=Spec("islam"))
[['/text', 4, 10, 'Muslim', 'Christian'], ['/text', 13, 19, 'mosque', 'church']]
>>> record = {"text": "An apologist for Islamic terrorism?", "lang": "en"}
>>> ablate.perturb(record, Random(1), spec=Spec("islam"))
[['/text', 17, 25, 'Islamic ', '']]
"""

from random import Random

from dialtools.languages import Language
from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue, tokens
from dialtools.text import gender_agreement, substitution
from dialtools.text.specifications import Direction, Spec

TABLE = "terms/{spec}.tsv"


def swap_targets(
    record: dict, rng: Random, *, spec: Spec = Spec("gender"), direction: Direction = "forth"
) -> list[list]:
    """Return an edit for each term that has a counterpart.

    spec: name of a specification, or a file of one's own.
    direction: forth, back or both.
    """
    language = dialogue.language(record)
    if keys := annotation(language):
        for holder in dialogue.holders(record):
            tokens.annotated(holder, "terms.swap", *keys)
    plan = substitution.plan(language, spec, "target", direction)
    return gender_agreement.followed(record, substitution.swapped(record, plan))


def substitute_targets(record: dict, rng: Random, *, spec: Spec = Spec("gender")) -> list[list]:
    """Return an edit for each word with a counterpart; spec: name of a specification, or a file."""
    return swap_targets(record, rng, spec=spec)


def swap_attributes(
    record: dict, rng: Random, *, spec: Spec = Spec("orientation"), direction: Direction = "forth"
) -> list[list]:
    """Return an edit for each attribute that has a counterpart.

    spec: name of a specification, or a file of one's own.
    direction: forth, back or both.
    """
    plan = substitution.plan(dialogue.language(record), spec, "attribute", direction)
    return substitution.swapped(record, plan, whole=True)


def ablate_targets(record: dict, rng: Random, *, spec: Spec = Spec("gender")) -> list[list]:
    """Return an edit for each word left out; spec: name of a specification, or a file."""
    plan = substitution.keywords(dialogue.language(record), spec, "target")
    return substitution.removed(record, plan)


def annotation(language: Language) -> tuple[str, ...] | None:
    """Return what the tokens of a language must have; None where it needs none.

    In German most words beside a swapped noun show its gender (der Lehrer, die Lehrerin), and
    which of them agree depends on the case.
    """
    return ("upos", "feats", "head") if language.code == "de" else None


swap = Perturbation(
    swap_targets,
    resource=TABLE,
    tokens=annotation,
    facts=gender_agreement.facts,
    summary="Swap words for groups of people: those of the first (mother) for the second, back, or "
    "both.",
)
attribute = Perturbation(
    swap_attributes,
    resource=TABLE,
    summary="Swap attributes of people for their opposites: those of the first group (固执), back, "
    "or both.",
)
substitute = Perturbation(
    substitute_targets,
    resource=TABLE,
    tokens=annotation,
    facts=gender_agreement.facts,
    summary="Substitute words for a group of people: Muslim by Christian, gay by straight.",
)
ablate = Perturbation(
    ablate_targets,
    resource=TABLE,
    summary='Leave out words for a group of people: "the Muslim women" becomes "the women".',
)
