"""Steps of an epoch: examples of similar length together, parts of a step that fit into memory."""

from collections.abc import Callable, Iterator, Sequence
from math import ceil
from random import Random

from dialtools.training.batch import Example

POOL = 100  # steps among which examples are sorted by length
ALIKE = 2  # steps with inputs of similar length, among which they are sorted by their targets
PADDING = 0.09  # share of padding above which a part of a step is not filled up
LEAST = 8  # examples of a part, unless there are too many tokens

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
        found = [
            step
            for at in range(0, len(groups), pool)
            for step in self._sorted(groups[at : at + pool])
        ]
        rng.shuffle(found)
        return iter(found)

    def _sorted(self, groups: Groups) -> Iterator[list[Example]]:
        groups, size = sorted(groups, key=_input), self.size
        for start in range(0, len(groups), ALIKE * size):
            alike = sorted(groups[start : start + ALIKE * size], key=_target)
            for at in range(0, len(alike), size):
                yield [example for group in alike[at : at + size] for example in group]


def grouped(examples: Sequence[Example], together: bool) -> Groups:
    """Return examples in groups, each alone unless those of a group are to stay together."""
    if not together:
        return [[example] for example in examples]
    groups: dict = {}
    for example in examples:
        groups.setdefault(example.group, []).append(example)
    return list(groups.values())


def _input(group: list[Example]) -> int:
    return max(len(example.input) for example in group)


def _target(group: list[Example]) -> int:
    return max(len(example.target) for example in group)


def parts(step: Sequence[Example], most: int, together: bool) -> Iterator[list[Example]]:
    """Yield the examples of a step in parts, each of so many tokens with padding; a group is whole."""
    part: list[Example] = []
    for group in sorted(grouped(step, together), key=_input, reverse=True):
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
