"""Steps of an epoch: examples of similar length together, cut into parts that fit into memory, and
spread over processes, as accelerate launch and torchrun start them.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from math import ceil
from random import Random
from typing import Any, NamedTuple, TypeVar

from dialtools.plugins.registry import Plugin
from dialtools.system.errors import OptionError
from dialtools.training.batch import Example

POOL = 100  # steps among which examples are sorted by length
ALIKE = 2  # steps with inputs of similar length, among which they are sorted by their targets
PADDING = 0.09  # share of padding above which a part of a step is not filled up
LEAST = 8  # examples of a part, unless there are too many tokens

Item = TypeVar("Item")
Groups = list[list[Example]]


class Steps:
    """The steps of one epoch after the other, each a list of examples; a loader for a Trainer."""

    def __init__(
        self, make: Callable[[int], list[Example]], batch_size: int, together: bool, seed: int
    ):
        """Take the examples of epoch n, from 0, as a function.

        batch_size: examples of a step.
        together: the examples of a group stand in one step.
        """
        self.make, self.together, self.seed, self.epoch = make, together, seed, 0
        self.done = 0  # steps of the epoch that an interrupted training has taken
        self.dataset = make(0)
        groups = grouped(self.dataset, together)
        self.size = max(1, round(batch_size * len(groups) / len(self.dataset)))  # groups of a step
        self.steps = ceil(len(groups) / self.size)

    def set_epoch(self, epoch: int) -> None:
        """Let the next iteration be that of epoch n, from 0."""
        self.epoch = epoch

    def __len__(self) -> int:
        return self.steps

    def __iter__(self) -> Iterator[list[Example]]:
        rng = Random(f"{self.seed}:{self.epoch}")
        groups = grouped(self.make(self.epoch) if self.epoch else self.dataset, self.together)
        rng.shuffle(groups)
        pool = self.size * POOL
        steps = [
            step
            for start in range(0, len(groups), pool)
            for step in self._sorted(groups[start : start + pool])
        ]
        rng.shuffle(steps)
        done, self.done = self.done, 0
        return iter(steps[done:])

    def _sorted(self, groups: Groups) -> Iterator[list[Example]]:
        groups, size = sorted(groups, key=_longest_input), self.size
        for start in range(0, len(groups), ALIKE * size):
            alike = sorted(
                groups[start : start + ALIKE * size],
                key=lambda group: max(len(example.target) for example in group),
            )
            for first in range(0, len(alike), size):
                yield [example for group in alike[first : first + size] for example in group]


def grouped(examples: Sequence[Example], together: bool) -> Groups:
    """Return examples in groups, each alone unless those of a group are to stay together."""
    if not together:
        return [[example] for example in examples]
    groups: dict = {}
    for example in examples:
        groups.setdefault(example.group, []).append(example)
    return list(groups.values())


def check_variants(examples: Sequence[Example], objectives: Sequence[Plugin]) -> None:
    """Raise OptionError if an objective compares variants and there are none."""
    if len(grouped(examples, together=True)) < len(examples):
        return
    for objective in objectives:
        if "variants" in objective.declared.needs:
            raise OptionError(
                f"{objective.label} compares the variants of a record, and no id is "
                "in --train twice: --vary names draws some, and dt-swap-names "
                "--variants 2 makes some"
            )


def _longest_input(group: list[Example]) -> int:
    return max(len(example.input) for example in group)


def parts(step: Sequence[Example], most: int, together: bool) -> Iterator[list[Example]]:
    """Yield the examples of a step in parts, each of so many tokens with padding; a group is whole."""
    part: list[Example] = []
    for group in sorted(grouped(step, together), key=_longest_input, reverse=True):
        filled = [*part, *group]
        padded = len(part) >= LEAST and tokens(filled) < (1 - PADDING) * size(filled)
        if part and (padded or size(filled) > most):
            yield part
            filled = group
        part = filled
    if part:
        yield part


def size(examples: Sequence[Example]) -> int:
    """Return the number of tokens of examples in one batch, with padding."""
    return len(examples) * (
        max(len(example.input) for example in examples)
        + max(len(example.target) for example in examples)
    )


def tokens(examples: Sequence[Example]) -> int:
    """Return the number of tokens of examples, without padding."""
    return sum(len(example.input) + len(example.target) for example in examples)


class Share(NamedTuple):
    """Which of how many processes this is; the first, 0, writes."""

    rank: int = 0
    number: int = 1

    def of(self, items: Sequence[Item]) -> Sequence[Item]:
        """Return the items that are this process's."""
        return items[self.rank :: self.number]

    def summed(self, values: Sequence[float], device: Any) -> list[float]:
        """Return the sums of numbers over all processes."""
        if self.number == 1:
            return list(values)
        import torch

        # MPS has no float64
        kind = torch.float32 if str(device).startswith("mps") else torch.float64
        tensor = torch.tensor(values, dtype=kind, device=device)
        torch.distributed.all_reduce(tensor)
        return tensor.tolist()

    def gathered(self, items: Sequence[Item]) -> list[Item]:
        """Return the items of all processes, each given its share's, in the order before sharing."""
        if self.number == 1:
            return list(items)
        import torch

        shares: list[Any] = [None] * self.number
        torch.distributed.all_gather_object(shares, list(items))
        total = sum(map(len, shares))
        return [shares[place % self.number][place // self.number] for place in range(total)]

    def agreed(self, decision: bool) -> bool:
        """Return what the first process decides."""
        if self.number == 1:
            return decision
        import torch

        decisions = [decision]
        torch.distributed.broadcast_object_list(decisions, 0)
        return decisions[0]


def share() -> Share:
    """Return what the environment says. Raise OptionError if that is no number."""
    try:
        return Share(int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1)))
    except ValueError:
        raise OptionError(
            "RANK and WORLD_SIZE are set, but not to numbers: unset them, or start "
            "several processes with accelerate launch"
        ) from None
