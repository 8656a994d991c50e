"""Hard debiasing (HD): what is said of people has no part in the direction between the groups.

    L = sum over attributes a, sum over j = 1 … k of |b_j ⟨a, b_j⟩|

with the input embeddings of the terms, the mean of those of their tokens.  b_1 … b_k are the first
principal directions of the differences t1 − t2 of the target pairs, of length 1: the right
singular vectors of their matrix, which is not centred.  They are found anew in each step and are
constants of it.  |·| of a vector is the sum of the absolute values of its components, as in the
sources.  The pairs are the target pairs of a specification, spec=NAME or spec=FILE, as dt-perturb
-k terms.swap reads it; a is each attribute term of its first group that stands in the step,
once.  A step without one adds 0.  Terms with a token that the model does not know are left out
and counted; a specification in none of whose pairs both terms are tokens of the model, one
without attributes, and one with fewer pairs than k, are errors.

Source: Zhao et al. 2023, CHBias, section 5.1, after Bordia and Bowman 2019, with λ in
{10, 50, 100}: the weight.  The paper does not give k.

>>> import torch
>>> apart = torch.tensor([[3., 4.], [6., 8.], [-.3, -.4]])
>>> shared(torch.tensor([[1., 1.]]), apart, 1)  # ⟨a, b⟩ = 1.4, and |b| = 1.4
tensor(1.9600)
"""

from typing import Any

from dialtools.languages import Language, get
from dialtools.objectives import _terms
from dialtools.plugins.objective import Objective
from dialtools.system.errors import OptionError
from dialtools.text.specifications import Spec


def loss(
    batch: Any,
    outputs: Any,
    model: Any,
    *,
    weight: float = 10.0,
    spec: Spec = Spec("orientation"),
    k: int = 1,
    language: Language = get("en"),
) -> Any:
    """Return the weighted part of attributes in the subspace that parts two groups.

    weight: λ of the paper.
    spec: name of a specification of the language of the texts, or a file of one's own.
    k: number of directions.
    """

    def compare(ones: Any, twos: Any, attributes: Any) -> Any:
        return shared(attributes, (ones - twos).detach(), k)

    return weight * _terms.compared(batch, model, spec, language, compare)


def prepare(
    model: Any,
    tokenizer: Any,
    *,
    spec: Spec = Spec("orientation"),
    k: int = 1,
    language: Language = get("en"),
    **more: object,
) -> dict[str, int]:
    """Return counts of the terms. Raise OptionError if the model knows none of them."""
    terms = _terms.with_attributes(tokenizer, spec, language)
    if not 1 <= k <= len(terms.pairs):
        raise OptionError(
            f"subspace: k is from 1 to the number of target pairs, {len(terms.pairs)}, not {k}"
        )
    return terms.counts


def shared(attributes: Any, differences: Any, k: int) -> Any:
    """Return the sum over attributes and directions of the absolute parts of the attributes.

    attributes: (attributes, dim).  differences: (pairs, dim).
    """
    import torch

    directions = torch.linalg.svd(differences, full_matrices=False).Vh[:k]  # (k, dim)
    parts = (attributes @ directions.T).unsqueeze(-1) * directions  # (attributes, k, dim)
    return parts.abs().sum()


OBJECTIVE = Objective(loss, needs=("embeddings", "step"), prepare=prepare)
