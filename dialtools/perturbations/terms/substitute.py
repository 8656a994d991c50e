"""Substitute words for a group of people: Muslim by Christian, gay by straight.

This is terms.swap in one direction: each word in the first column becomes its
counterpart in the second; words without a counterpart stay.  spec=NAME chooses
a specification, spec=FILE your own (lines of WORD TAB WORD).

Source: "substitution", appendix B.2 and table 7 of "Flexible text generation
for counterfactual fairness probing": the specifications islam, judaism, lgbq
and transgender of en.  Unlike there the text is not put into lower case, and
plurals and articles follow.

>>> from random import Random
>>> perturb({"text": "The Muslim's mosque", "lang": "en"}, Random(1), spec=Spec("islam"))
[['/text', 4, 10, 'Muslim', 'Christian'], ['/text', 13, 19, 'mosque', 'church']]
"""

from random import Random

from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue
from dialtools.text import gender_agreement, substitution
from dialtools.text.terms import Spec


def perturb(record: dict, rng: Random, *, spec: Spec = Spec("gender")) -> list[list]:
    """Return an edit for each word with a counterpart; spec: name of a specification, or a file."""
    plan = substitution.plan(dialogue.language(record), spec, "target", "forth")
    return gender_agreement.followed(record, substitution.swapped(record, plan))


PERTURBATION = Perturbation(perturb, resource="terms/{spec}.tsv", facts=gender_agreement.facts)
