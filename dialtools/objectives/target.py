"""Language model debiasing (LMD): terms for two groups of people are equally likely everywhere.

    L = mean over target pairs (t1, t2) of |log p(t1) − log p(t2)|

averaged over the positions at which the model predicts a token of the output.  The pairs are the
target pairs of a specification, spec=NAME or spec=FILE, as dt-perturb -k terms.swap reads it; a
pair that is there under several conditions (her: his, him) is several pairs.  A term has the
tokens that it has within a text, after a space where the language has spaces; log p of several
tokens is the sum of theirs, all at the same position.  More tokens have a lower sum, whatever the
model thinks of the term, so pairs with different numbers of tokens are left out and counted;
unequal=sum compares them too.  So are pairs with a token that the model does not know.  A
specification in none of whose pairs both terms are tokens of the model is an error.

Source: Zhao et al. 2023, CHBias, section 5.1, after Qian et al. 2019, with λ in {10, 50, 100}:
the weight.  The paper does not say at which positions p is taken, nor what a term of several
tokens has; its code compares the mean output embeddings of such terms, the shorter one padded,
at the positions of the texts in which the first term stands.

>>> import math, torch
>>> logits = torch.tensor([[[.1, .2, .7], [.4, .4, .2]]]).log()
>>> ratio(logits[0], [((0,), (1,))])  # (log 2 + 0) / 2
tensor(0.3466)
>>> ratio(logits[0, :1], [((0, 1), (2,))])  # unequal=sum: |log .1 + log .2 − log .7|
tensor(3.5553)
"""

from collections.abc import Sequence
from typing import Any, Literal

from dialtools.languages import Language, get
from dialtools.objectives import _terms
from dialtools.plugins.objective import Objective, learned
from dialtools.system.errors import OptionError
from dialtools.text.specifications import Spec

Unequal = Literal["skip", "sum"]


def loss(
    batch: Any,
    outputs: Any,
    model: Any,
    *,
    weight: float = 10.0,
    spec: Spec = Spec("gender"),
    unequal: Unequal = "skip",
    language: Language = get("en"),
) -> Any:
    """Return the weighted mean difference between the log-probabilities of paired terms.

    weight: λ of the paper.
    spec: name of a specification of the language of the texts, or a file of one's own.
    unequal: what to do with pairs whose terms have different numbers of tokens.
    """
    pairs = _compared(_terms.known(batch.tokenizer, spec, language).pairs, unequal)
    logits = outputs["logits"]
    if not model.config.is_encoder_decoder:  # a causal model predicts what comes next
        logits = logits[:, :-1]
    return weight * ratio(logits[learned(batch, model)], pairs)


def count(batch: Any, model: Any) -> int:
    """Return the number of positions."""
    return int(learned(batch, model).sum())


def prepare(
    model: Any,
    tokenizer: Any,
    *,
    spec: Spec = Spec("gender"),
    unequal: Unequal = "skip",
    language: Language = get("en"),
    **more: object,
) -> dict[str, int]:
    """Return counts of the terms. Raise OptionError if the model knows none of them."""
    terms = _terms.known(tokenizer, spec, language)
    compared = _compared(terms.pairs, unequal)
    if not compared:
        raise OptionError(
            f"target: no pair of {spec} has two terms of as many tokens; unequal=sum compares them"
        )
    return terms.counts | {
        "pairs": len(compared),
        "pairs_of_several_tokens": sum(max(map(len, pair)) > 1 for pair in compared),
        "pairs_unequal": len(terms.pairs) - len(compared),
    }


def _compared(pairs: Sequence[_terms.Pair], unequal: Unequal) -> list[_terms.Pair]:
    return [
        (first, second) for first, second in pairs if unequal == "sum" or len(first) == len(second)
    ]


def ratio(logits: Any, pairs: Sequence[_terms.Pair]) -> Any:
    """Return the mean over pairs and positions of |log p(t1) − log p(t2)|.

    logits: (positions, vocabulary).
    """
    import torch

    if not len(logits):
        return logits.sum()  # of nothing: 0
    total = logits.float().logsumexp(-1)  # (positions,)

    def likely(ids: _terms.Ids) -> Any:
        return logits[:, list(ids)].float().sum(-1) - len(ids) * total

    return torch.stack(
        [(likely(first) - likely(second)).abs().mean() for first, second in pairs]
    ).mean()


OBJECTIVE = Objective(loss, count=count, prepare=prepare)
