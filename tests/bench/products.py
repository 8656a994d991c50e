"""What a model's products of matrices take by torch on this machine, without all the rest.

No engine that works in float32 is much faster than that.
"""

from collections.abc import Iterable
from time import process_time
from typing import Any


def seconds(layers: Iterable[Any], inputs: int, rows: int = 512) -> float:
    """Return the CPU seconds in which linear layers multiply so many inputs.

    rows: inputs that are multiplied at once.
    """
    import torch

    layers = list(layers)
    given = {size: torch.randn(rows, size) for size in map(width, layers)}

    def once() -> float:
        start = process_time()
        for layer in layers:
            layer(given[width(layer)])
        return process_time() - start

    with torch.inference_mode():
        return min(once() for _ in range(3)) * inputs / rows


def linear(network: Any) -> dict[str, Any]:
    """Return the linear layers of a model by name."""
    return {
        name: layer
        for name, layer in network.named_modules()
        if type(layer).__name__ in ("Linear", "Conv1D")
    }


def width(layer: Any) -> int:
    """Return how many numbers a linear layer takes; GPT-2's are Conv1D."""
    return layer.nx if type(layer).__name__ == "Conv1D" else layer.in_features
