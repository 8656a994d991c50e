"""Swap attributes of people for their opposites: those of the first group (固执), back, or both.

The pairs are the attribute pairs of a specification, spec=NAME or spec=FILE.
Everything else is as in terms.swap, with one exception: in a language written
without spaces, if the text has tokens, a term must be one or several whole
tokens (老 in 很老, not in 老师).  Without tokens it is also found within words, as
in the source.

Source: counter attribute data augmentation (CADA), section 5.1 of "CHBias:
Bias Evaluation and Mitigation of Chinese Conversational Language Models"; the
pairs of orientation, religion1 and religion2 of en are those of RedditBias.

>>> from random import Random
>>> perturb({"text": "A lonely villain", "lang": "en"}, Random(1))
[['/text', 2, 8, 'lonely', 'cheerful'], ['/text', 9, 16, 'villain', 'hero']]
"""

from random import Random

from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue
from dialtools.text import substitution
from dialtools.text.terms import Direction, Spec


def perturb(
    record: dict, rng: Random, *, spec: Spec = Spec("orientation"), direction: Direction = "forth"
) -> list[list]:
    """Return an edit for each attribute that has a counterpart.

    spec: name of a specification, or a file of one's own.
    direction: forth, back or both.
    """
    plan = substitution.plan(dialogue.language(record), spec, "attribute", direction)
    return substitution.swapped(record, plan, whole=True)


PERTURBATION = Perturbation(perturb, resource="terms/{spec}.tsv")
