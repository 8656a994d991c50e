"""Attribute distance debiasing (ADD): what is said of people is as near to one group as another.

    L = sum over attributes a, sum over target pairs (t1, t2) of |cos(t1, a) − cos(t2, a)|

with the input embeddings of the terms, the mean of those of their tokens.  The pairs are the
target pairs of a specification, spec=NAME or spec=FILE, as dt-perturb -k terms.swap reads it; a
is each attribute term of its first group that stands in the step, once.  A step without one
adds 0.  Terms with a token that the model does not know are left out and counted; a
specification in none of whose pairs both terms are tokens of the model, and one without
attributes, are errors.

Source: Zhao et al. 2023, CHBias, section 5.1, after Lauscher et al. 2020, with λ in
{10, 50, 100}: the weight.  The paper says neither where a comes from nor what a term of several
tokens has.

>>> import torch
>>> one, two, said = torch.tensor([[1., 0.]]), torch.tensor([[0., 2.]]), torch.tensor([[3., 4.]])
>>> apart(one, two, said)  # |3 / 5 − 4 / 5|
tensor(0.2000)
"""

from typing import Any

from dialtools.languages import Language, get
from dialtools.objectives import _terms
from dialtools.plugins.objective import Objective
from dialtools.text.specifications import Spec


def loss(
    batch: Any,
    outputs: Any,
    model: Any,
    *,
    weight: float = 10.0,
    spec: Spec = Spec("orientation"),
    language: Language = get("en"),
) -> Any:
    """Return the weighted difference between the distances of two groups from attributes.

    weight: λ of the paper.
    spec: name of a specification of the language of the texts, or a file of one's own.
    """
    return weight * _terms.compared(batch, model, spec, language, apart)


def prepare(
    model: Any,
    tokenizer: Any,
    *,
    spec: Spec = Spec("orientation"),
    language: Language = get("en"),
    **more: object,
) -> dict[str, int]:
    """Return counts of the terms. Raise OptionError if the model knows none of them."""
    return _terms.with_attributes(tokenizer, spec, language).counts


def apart(ones: Any, twos: Any, attributes: Any) -> Any:
    """Return the sum over pairs and attributes of the differences of cosines.

    ones, twos: (pairs, dim).  attributes: (attributes, dim).
    """
    from torch.nn.functional import normalize

    directions = normalize(attributes, dim=-1).T
    return (normalize(ones, dim=-1) @ directions - normalize(twos, dim=-1) @ directions).abs().sum()


OBJECTIVE = Objective(loss, needs=("embeddings", "step"), prepare=prepare)
