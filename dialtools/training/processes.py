"""Several processes of one training, as accelerate launch and torchrun start them."""

import os
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

from dialtools.system.errors import OptionError

Item = TypeVar("Item")


class Share(NamedTuple):
    """Which of how many processes this is; the first, 0, writes."""

    rank: int = 0
    number: int = 1

    def of(self, items: Sequence[Item]) -> Sequence[Item]:
        """Return the items that are this process's."""
        return items[self.rank :: self.number]


def share() -> Share:
    """Return what the environment says. Raise OptionError if that is no number."""
    try:
        return Share(int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1)))
    except ValueError:
        raise OptionError(
            "RANK and WORLD_SIZE are set, but not to numbers: unset them, or start "
            "several processes with accelerate launch"
        ) from None


def summed(values: Sequence[float], share: Share, device: Any) -> list[float]:
    """Return the sums of numbers over all processes."""
    import torch

    if share.number == 1:
        return list(values)
    # MPS has no float64
    kind = torch.float32 if str(device).startswith("mps") else torch.float64
    tensor = torch.tensor(values, dtype=kind, device=device)
    torch.distributed.all_reduce(tensor)
    return tensor.tolist()


def gathered(items: Sequence[Item], share: Share) -> list[Item]:
    """Return the items of all processes, each given its share's, in the order before sharing."""
    import torch

    if share.number == 1:
        return list(items)
    parts: list[Any] = [None] * share.number
    torch.distributed.all_gather_object(parts, list(items))
    total = sum(map(len, parts))
    return [parts[at % share.number][at // share.number] for at in range(total)]
