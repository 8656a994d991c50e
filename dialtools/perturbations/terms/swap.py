"""Swap words for groups of people: those of the first (mother) for the second, back, or both.

The pairs are the target pairs of a specification, spec=NAME or spec=FILE (see
dialtools.text.terms): forth replaces those of the first group by those of the
second, back the other way, both exchanges them.  Longest first, in one pass;
what was replaced is not looked at again.  Case is kept, a plural where the
pair is of nouns, and a or an goes with the new word; her (his or him) and the
like are decided by their token, or else by the word that follows, which the
history notes.  Names of people (tokens with ner), verbs (tokens with upos: he hosts
a show; but in one's own file of words of any kind), speakers' labels, addresses,
placeholders, hashtags and `code` stay.  Without such tokens a name or a verb that is also
a term is swapped (Stephen King).  Words that agree with a term (Hindi verbs, adjectives
and possessives) follow where tokens with feats and head tell for certain how
(note: agrees); the closing line counts those that agreed and stay, and the labels
of speakers that are terms (Mom).

In a language written without spaces a term is found within words too (女 in
女孩), but not across the border of two tokens.

Source: "target swapping", section 3.5 of "CHBias: Bias Evaluation and
Mitigation of Chinese Conversational Language Models", whose lists are the
specifications gender, orientation, age and appearance of zh (gender-chbias and
appearance-chbias as published, without words that stay); in en gender has the
pairs of WinoBias, gender-reddit, orientation, race, religion1 and religion2
those of RedditBias.  CHBias's own files of gender were swapped both ways, pair
by pair, each pair on what those before it had made: a chain of such kinds.  By
the next word alone, 206 of 214 her and all of 555 his become the right word in
the English treebanks EWT and GUM.

>>> from random import Random
>>> perturb({"text": "His aunt is a nurse.", "lang": "en"}, Random(1), direction="both")
[['/text', 0, 3, 'His', 'Her', 'by the next word'], ['/text', 4, 8, 'aunt', 'uncle']]
"""

from random import Random

from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue
from dialtools.text import gender_agreement, substitution
from dialtools.text.terms import Direction, Spec


def perturb(
    record: dict, rng: Random, *, spec: Spec = Spec("gender"), direction: Direction = "forth"
) -> list[list]:
    """Return an edit for each term that has a counterpart.

    spec: name of a specification, or a file of one's own.
    direction: forth, back or both.
    """
    plan = substitution.plan(dialogue.language(record), spec, "target", direction)
    return gender_agreement.followed(record, substitution.swapped(record, plan))


PERTURBATION = Perturbation(perturb, resource="terms/{spec}.tsv", facts=gender_agreement.facts)
