"""What an output hangs on: a weight for each token that a model reads, by gradients or attention.

What is explained is the logarithm of the probability of the tokens that a row asks for, given all
before them.

gradient    the derivative of it by the embedding of the token (with the speakers' names of the
            objective emb, before positions), times the embedding, summed over the dimensions; of
            either sign
attention   the mean over layers, heads and the tokens asked for of what each attends to: in an
            encoder-decoder by its cross-attention, in a causal model by what it reads to predict
            the token.  A causal model's first token has 0: models attend to it where they attend
            to nothing (Xiao et al. 2024, https://arxiv.org/abs/2309.17453)
"""

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

from dialtools.models import checkpoints, likelihoods, minibatches
from dialtools.models.checkpoints import Place
from dialtools.models.folders import Checkpoint
from dialtools.models.likelihoods import Query
from dialtools.system.errors import OptionError, need

Method = Literal["gradient", "attention"]


@functools.lru_cache(maxsize=1)
def showing(kind: str, name: str, place: Place) -> tuple[Any, Any]:
    """Return (tokenizer, model), which computes attention in a way that shows it."""
    return checkpoints.network(
        checkpoints.CLASSES[kind],
        Checkpoint(name, place.offline),
        place.device,
        place.precision,
        attn_implementation="eager",
    )


def weights(
    method: Method, model: Any, rows: Sequence[Query], batch_size: int
) -> list[tuple[float, list[float]]]:
    """Return the logarithm of the probability of each row, and the weight of each of its tokens:
    of an encoder's input, or of all that a causal model reads.
    """
    work = functools.partial({"gradient": _gradients, "attention": _attentions}[method], model)
    size = minibatches.size(model.config, batch_size)
    return minibatches.each(rows, lambda row: len(row.source) + len(row.ids), work, size)


def _gradients(model: Any, rows: list[Query]) -> list[tuple[float, list[float]]]:
    torch = need("torch", "models")
    model.requires_grad_(False)
    with checkpoints.inference(gradients=True), _embedded(model) as embedded:
        losses, _ = likelihoods.forward(model, rows)
        (slopes,) = torch.autograd.grad(-losses.sum(), embedded)  # (rows, tokens, dim)
    products = (slopes * embedded[0].detach()).sum(dim=-1)
    return _of_rows(losses.detach(), products, rows)


@contextmanager
def _embedded(model: Any) -> Iterator[list[Any]]:
    """Gather within a block the embeddings of what is read first, with gradients."""
    embedded: list[Any] = []

    def keep(module: Any, inputs: tuple, output: Any) -> Any:
        if embedded:  # a decoder may share the embedding
            return output
        embedded.append(output.detach().requires_grad_())
        return embedded[0]

    reader = model.get_encoder() if model.config.is_encoder_decoder else model
    hook = reader.get_input_embeddings().register_forward_hook(keep)
    try:
        yield embedded
    finally:
        hook.remove()


def _attentions(model: Any, rows: list[Query]) -> list[tuple[float, list[float]]]:
    torch = need("torch", "models")
    has_encoder = model.config.is_encoder_decoder
    with checkpoints.inference():
        losses, outputs = likelihoods.forward(model, rows, output_attentions=True)
        layers = outputs.cross_attentions if has_encoder else outputs.attentions
        layers = [layer for layer in layers or () if layer is not None]
        if not layers:
            raise OptionError(
                f"a {checkpoints.architecture(model.config)} shows no attention: method=gradient"
            )
        shares = sum(layer.float().mean(dim=1) for layer in layers) / len(
            layers
        )  # (rows, to, from)
        means = torch.stack(
            [share[list(row.places)].mean(dim=0) for share, row in zip(shares, rows, strict=True)]
        )
        if not has_encoder:
            means[:, 0] = 0
    return _of_rows(losses, means, rows)


def _of_rows(losses: Any, by_token: Any, rows: Sequence[Query]) -> list[tuple[float, list[float]]]:
    """Return the logarithm of the probability of each row, and the weights of its tokens."""
    return [
        (-sum(of_row), values[: len(row.source or row.ids)])
        for of_row, values, row in zip(
            likelihoods.by_row(losses, rows), by_token.float().tolist(), rows, strict=True
        )
    ]
