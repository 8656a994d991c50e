"""Leave out words for a group of people: "the Muslim women" becomes "the women".

All terms of a specification's first group are removed, each with its 's and one
run of spaces beside it.  spec=NAME chooses a specification, spec=FILE your own
(one word a line).  Only a and an are adapted; the remaining text is often no
sentence, as the source says.

Source: "ablation", appendix B.1 of "Flexible text generation for
counterfactual fairness probing"; the specifications islam, judaism, lgbq and
transgender of en hold the words of its table 7, all of them from table 6, and
those that its text names besides.

>>> from random import Random
>>> record = {"text": "An apologist for Islamic terrorism?", "lang": "en"}
>>> perturb(record, Random(1), spec=Spec("islam"))
[['/text', 17, 25, 'Islamic ', '']]
"""

from random import Random

from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue
from dialtools.text import substitution
from dialtools.text.terms import Spec


def perturb(record: dict, rng: Random, *, spec: Spec = Spec("gender")) -> list[list]:
    """Return an edit for each word left out; spec: name of a specification, or a file."""
    return substitution.removed(
        record, substitution.keywords(dialogue.language(record), spec, "target")
    )


PERTURBATION = Perturbation(perturb, resource="terms/{spec}.tsv")
