"""Tokens that a model gets beside its own, each with an embedding."""

from collections.abc import Sequence
from typing import Any

from dialtools.models import checkpoints
from dialtools.system import files
from dialtools.system.errors import OptionError, need


def read(path: str) -> list[str]:
    """Return the tokens of a file, one a line. Raise OptionError for none, and for one twice."""
    lines = [line.strip() for line in files.text(path).splitlines()]
    tokens = [line for line in lines if line]
    if not tokens:
        raise OptionError(f"--add-tokens: {path} has no token: write one on each line")
    for number, token in enumerate(tokens):
        if token in tokens[:number]:
            raise OptionError(f"--add-tokens: {path} has {token!r} twice")
    return tokens


def add(tokenizer: Any, tokens: Sequence[str]) -> None:
    """Add tokens that texts may hold, and that stay in outputs."""
    added = need("transformers", "models").AddedToken
    tokenizer.add_tokens([added(token, normalized=False) for token in tokens])


def embed(network: Any, tokenizer: Any, known: int) -> None:
    """Give a model embeddings of the tokens after the known ones: random ones around the mean."""
    torch, part = need("torch", "models"), getattr(network, "encoder", network)
    part = network if hasattr(network, "resize_token_embeddings") else part
    rows = part.get_input_embeddings().weight
    if len(rows) < len(tokenizer):  # some models have rows to spare
        with checkpoints.hushed():
            part.resize_token_embeddings(len(tokenizer), mean_resizing=False)
        rows = part.get_input_embeddings().weight
    with torch.no_grad():
        rows[known : len(tokenizer)] += rows[:known].mean(dim=0)
