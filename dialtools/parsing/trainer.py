"""Training of a network: batches, losses, optimiser steps, the average of weights."""

import random
from collections.abc import Iterable, Iterator
from copy import deepcopy
from itertools import chain, pairwise
from math import isfinite
from typing import Any

from dialtools.parsing import batches, embeddings, network
from dialtools.parsing.model import Model
from dialtools.parsing.recipe import Recipe
from dialtools.parsing.treebank import Sentence
from dialtools.parsing.vocabulary import UNKNOWN, numbers
from dialtools.system.errors import OptionError, need

REACH = 9  # characters of the next sentence that follow each sentence in training
ROUND = 500  # characters: convolutions are slow with an input length that is new


class Trainer:
    """A network in training, the moving average of its weights, and the optimiser."""

    def __init__(self, model: Model, sentences: list[Sentence], recipe: Recipe, seed: int):
        torch = need("torch", "models")
        self.model, self.sentences, self.recipe, self.seed = model, sentences, recipe, seed
        self.average = model._replace(network=deepcopy(model.network).eval())
        self.tables = numbers(model.vocabulary)
        self.texts = dict(enumerate(_contexts(sentences)))
        self.optimiser = torch.optim.Adam(
            model.network.parameters(), recipe.learning_rate, (0.9, 0.95), fused=True
        )
        self.states: dict[int, Any] = {}  # of a transformer, by sentence
        self.step = self.epoch = 0

    def run_epoch(self) -> dict[str, float]:
        """Train on all sentences once; return the mean losses."""
        torch = need("torch", "models")
        self.epoch += 1
        rng = random.Random(f"{self.seed}:{self.epoch}")
        torch.manual_seed(rng.getrandbits(60))  # so that a resumed run draws the same
        lengths = [len(sentence.tokens) + rng.randrange(3) for sentence in self.sentences]
        groups = list(batches.grouped(lengths, self.recipe.batch_size))
        rng.shuffle(groups)
        self.model.network.train()
        sums: dict[str, float] = {}
        for number, group in enumerate(groups, 1):
            losses = self._losses(group)
            done = (self.epoch - 1 + number / len(groups)) / self.recipe.epochs
            self._update(sum(losses.values()), done)
            for name, loss in losses.items():
                sums[name] = sums.get(name, 0.0) + loss.item() / len(groups)
        weights = self.average.network.parameters()  # of which the last step can make such, too
        if not all(map(isfinite, sums.values())) or not all(map(_is_finite, weights)):
            raise OptionError(
                f"training diverged in epoch {self.epoch} (a loss or a weight is not finite): "
                "try a lower --learning-rate"
            )
        return {name: round(value, 4) for name, value in sums.items()}

    def _losses(self, group: list[int]) -> dict[str, Any]:
        """Return the loss of each prediction for a group of sentences."""
        torch = need("torch", "models")
        net, dropout = self.model.network, self.model.config["sizes"]["dropout"]
        sentences = [self.sentences[number] for number in group]
        upos = batches.upos([sentence.upos() for sentence in sentences], self.tables)
        wanted = batches.answers(sentences, self.recipe.subtypes, self.tables)
        batch = self._batch(group, upos)
        read = network.read(net, batch, dropout)
        arcs, words, heads = network.parse(net, read, batch, dropout)
        labels = network.label(net, words, heads, wanted["heads"].clamp(min=0))
        tags = network.tag(net, read, batch, dropout)
        text = _joined((self.texts[number][0] for number in group), "")
        ends = _joined((self.texts[number][1] for number in group), -100)
        segments = network.segment(net, batches.characters([text], self.tables))
        answers = {
            "arcs": (arcs, wanted["heads"]),
            "labels": (labels, wanted["labels"]),
            "tags": (tags, upos.where(wanted["labels"] >= 0, -100)),
            "ends": (segments, torch.tensor([ends])),
        }
        return {
            name: torch.nn.functional.cross_entropy(scores.flatten(0, 1), right.flatten())
            for name, (scores, right) in answers.items()
        }

    def _batch(self, group: list[int], upos: Any) -> dict[str, Any]:
        """Return the tensors of a group of sentences, with dropout of words and tags."""
        batch = batches.words([self.sentences[number].forms() for number in group], self.tables)
        batch["words"] = _dropped(batch["words"], self.recipe.word_dropout)
        batch["upos"] = _dropped(upos, self.recipe.upos_dropout)
        if self.model.config["transformer"]:
            batch["states"] = batches.states(self._states(group))
        return batch

    def _states(self, group: list[int]) -> list[Any]:
        """Return the states of the transformer, which reads each sentence once."""
        new = [number for number in group if number not in self.states]
        forms = [self.sentences[number].forms() for number in new]
        found = embeddings.states(self.model.config["transformer"], forms, self.model.offline)
        self.states.update(zip(new, found, strict=True))
        return [self.states[number] for number in group]

    def _update(self, loss: Any, done: float) -> None:
        """Take a step; the learning rate rises in the first twentieth of the run, then falls to 0.

        done: the share of the run that is done.
        """
        torch = need("torch", "models")
        self.step += 1
        for settings in self.optimiser.param_groups:
            settings["lr"] = self.recipe.learning_rate * min(done / 0.05, (1 - done) / 0.95)
        self.optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.network.parameters(), 5.0)
        self.optimiser.step()
        kept = min(self.recipe.average, self.step / (self.step + 10))
        with torch.no_grad():
            torch._foreach_lerp_(
                list(self.average.network.parameters()),
                [weight.detach() for weight in self.model.network.parameters()],
                1 - kept,
            )

    def tensors(self) -> dict[str, Any]:
        """Return the state of training: both networks, and Adam's moments of each weight."""
        networks = {"now": self.model.network, "average": self.average.network}
        found = {
            f"{part}.{name}": weight
            for part, net in networks.items()
            for name, weight in net.state_dict().items()
        }
        moments = self.optimiser.state_dict()["state"]
        return found | {
            f"adam.{number}.{name}": value
            for number, values in moments.items()
            for name, value in values.items()
        }

    def restore(self, tensors: dict[str, Any], epoch: int, step: int) -> None:
        """Restore the state that `tensors` returned after an epoch and a number of steps."""
        self.epoch, self.step = epoch, step
        parts: dict[str, dict[str, Any]] = {"now": {}, "average": {}, "adam": {}}
        for name, value in tensors.items():
            part, _, rest = name.partition(".")
            parts[part][rest] = value
        self.model.network.load_state_dict(parts["now"])
        self.average.network.load_state_dict(parts["average"])
        moments: dict[int, dict[str, Any]] = {}
        for name, value in parts["adam"].items():
            number, _, key = name.partition(".")
            moments.setdefault(int(number), {})[key] = value
        self.optimiser.load_state_dict({**self.optimiser.state_dict(), "state": moments})


def _is_finite(weight: Any) -> bool:
    return bool(weight.isfinite().all())


def _contexts(sentences: list[Sentence]) -> Iterator[tuple[str, list[int]]]:
    """Yield each sentence followed by the beginning of the next, and what ends at each character.

    For characters of the next sentence, -100.
    """
    for sentence, after in pairwise([*sentences, sentences[0]]):
        gap = " " if " " in sentence.text else ""
        beyond = gap + after.text[:REACH]
        yield sentence.text + beyond, batches.ends(sentence) + [-100] * len(beyond)


def _joined(rows: Iterable[Iterable[Any]], padding: Any) -> list[Any]:
    """Return rows as one, padded so that none sees another; its length is a multiple of ROUND."""
    joined = list(chain.from_iterable(chain(row, [padding] * REACH) for row in rows))
    return joined + [padding] * (-len(joined) % ROUND)


def _dropped(entries: Any, dropout: float) -> Any:
    """Make some entries unknown; padding and the root stay."""
    gone = (need("torch", "models").rand(entries.shape) < dropout) & (entries > 2)
    return entries.masked_fill(gone, UNKNOWN)
