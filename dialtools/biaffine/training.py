"""Training: batches, losses, steps, and what is kept as best."""

import random
from collections.abc import Iterable, Iterator
from copy import deepcopy
from itertools import chain, pairwise
from math import isfinite
from typing import Any, NamedTuple

from dialtools.biaffine import batches, given, network
from dialtools.biaffine.predicting import Model
from dialtools.biaffine.treebank import Sentence
from dialtools.biaffine.vocabulary import UNKNOWN, numbers
from dialtools.errors import OptionError, need


REACH = 9  # characters of the next sentence that the end of one is seen with
ROUND = 500  # characters: convolutions are slow with a number of them that did not occur before


class Recipe(NamedTuple):
    """How to train."""

    epochs: int
    batch: int  # words
    learning_rate: float
    average: float  # of the weights: how much of it stays at a step
    word_dropout: float
    upos_dropout: float
    subtypes: bool
    seed: int


class Trainer:
    """A network in training, the moving average of its weights, and its optimiser."""

    def __init__(self, model: Model, sentences: list[Sentence], recipe: Recipe):
        torch = need("torch", "models")
        self.model, self.sentences, self.recipe = model, sentences, recipe
        self.average = model._replace(network=deepcopy(model.network).eval())
        self.tables = numbers(model.vocabulary)
        self.texts = dict(enumerate(_contexts(sentences)))
        self.optimiser = torch.optim.Adam(model.network.parameters(), recipe.learning_rate, (0.9, 0.95), fused=True)
        self.states: dict[int, Any] = {}  # of a transformer for a sentence
        self.step = self.epoch = 0

    def run_epoch(self) -> dict[str, float]:
        """Train once on all sentences; return the mean losses."""
        torch = need("torch", "models")
        self.epoch += 1
        rng = random.Random(f"{self.recipe.seed}:{self.epoch}")
        torch.manual_seed(rng.getrandbits(60))  # so that nothing random need be kept to go on later
        lengths = [len(sentence.tokens) + rng.randrange(3) for sentence in self.sentences]
        groups = list(batches.grouped(lengths, self.recipe.batch))
        rng.shuffle(groups)
        self.model.network.train()
        sums: dict[str, float] = {}
        for number, group in enumerate(groups, 1):
            losses = self._losses(group)
            self._update(sum(losses.values()), (self.epoch - 1 + number / len(groups)) / self.recipe.epochs)
            for name, loss in losses.items():
                sums[name] = sums.get(name, 0.0) + loss.item() / len(groups)
        if not all(map(isfinite, sums.values())):
            raise OptionError(f"training fails in epoch {self.epoch}, its losses are no numbers any more: a lower "
                              "--learning-rate helps")
        return {name: round(value, 4) for name, value in sums.items()}

    def _losses(self, group: list[int]) -> dict[str, Any]:
        """Return the loss of each thing that the network says of some sentences, by their numbers."""
        torch = need("torch", "models")
        net, dropout = self.model.network, self.model.config["sizes"]["dropout"]
        sentences = [self.sentences[number] for number in group]
        upos = batches.upos([[token["upos"] for token in sentence.tokens] for sentence in sentences], self.tables)
        wanted = batches.answers(sentences, self.recipe.subtypes, self.tables)
        batch = self._seen(group, upos)
        read = network.read(net, batch, dropout)
        arcs, words, heads = network.parse(net, read, batch, dropout)
        labels = network.label(net, words, heads, wanted["heads"].clamp(min=0))
        tags = network.tag(net, read, batch, dropout)
        text = _joined((self.texts[number][0] for number in group), "")
        ends = _joined((self.texts[number][1] for number in group), -100)
        segments = network.segment(net, batches.characters([text], self.tables))
        answers = {"arcs": (arcs, wanted["heads"]), "labels": (labels, wanted["labels"]),
                   "tags": (tags, upos.where(wanted["labels"] >= 0, -100)),
                   "ends": (segments, torch.tensor([ends]))}
        return {name: torch.nn.functional.cross_entropy(scores.flatten(0, 1), right.flatten())
                for name, (scores, right) in answers.items()}

    def _seen(self, group: list[int], upos: Any) -> dict[str, Any]:
        """Return what the network sees of some sentences: not each word, and not each part of speech."""
        batch = batches.words([self.sentences[number].forms() for number in group], self.tables)
        batch["words"] = _dropped(batch["words"], self.recipe.word_dropout)
        batch["upos"] = _dropped(upos, self.recipe.upos_dropout)
        if self.model.config["transformer"]:
            batch["states"] = batches.states(self._states(group))
        return batch

    def _states(self, group: list[int]) -> list[Any]:
        """Return what the transformer says of sentences, which it reads once."""
        new = [number for number in group if number not in self.states]
        found = given.states(self.model.config["transformer"], [self.sentences[number].forms() for number in new],
                             self.model.offline)
        self.states.update(zip(new, found, strict=True))
        return [self.states[number] for number in group]

    def _update(self, loss: Any, done: float) -> None:
        """Take a step; with the share done of all, the learning rate rises to a twentieth, then falls to nothing."""
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
            torch._foreach_lerp_(list(self.average.network.parameters()),
                                 [weight.detach() for weight in self.model.network.parameters()], 1 - kept)

    def tensors(self) -> dict[str, Any]:
        """Return what training goes on from: both networks, and what Adam remembers of each weight."""
        found = {f"now.{name}": weight for name, weight in self.model.network.state_dict().items()}
        found |= {f"average.{name}": weight for name, weight in self.average.network.state_dict().items()}
        memories = self.optimiser.state_dict()["state"]
        return found | {f"adam.{number}.{name}": value for number, memory in memories.items()
                        for name, value in memory.items()}

    def take_up(self, tensors: dict[str, Any], epoch: int, step: int) -> None:
        """Go on from what `tensors` returned after an epoch and so many steps."""
        self.epoch, self.step = epoch, step
        for model, part in ((self.model, "now."), (self.average, "average.")):
            model.network.load_state_dict({name.removeprefix(part): weight for name, weight in tensors.items()
                                           if name.startswith(part)})
        memories: dict[int, dict[str, Any]] = {}
        for name in (name for name in tensors if name.startswith("adam.")):
            _, number, key = name.split(".")
            memories.setdefault(int(number), {})[key] = tensors[name]
        self.optimiser.load_state_dict({**self.optimiser.state_dict(), "state": memories})


def _contexts(sentences: list[Sentence]) -> Iterator[tuple[str, list[int]]]:
    """Yield each sentence with the beginning of the next as one text, and what ends at its own characters."""
    for sentence, after in pairwise([*sentences, sentences[0]]):
        gap = " " if " " in sentence.text else ""
        beyond = gap + after.text[:REACH]
        yield sentence.text + beyond, batches.ends(sentence) + [-100] * len(beyond)


def _joined(rows: Iterable[Iterable[Any]], padding: Any) -> list[Any]:
    """Return rows as one, so much padding between that none is seen from another; its length is rounded up."""
    joined = list(chain.from_iterable(chain(row, [padding] * REACH) for row in rows))
    return joined + [padding] * (-len(joined) % ROUND)


def _dropped(entries: Any, dropout: float) -> Any:
    """Make some entries unknown; padding and the root stay."""
    torch = need("torch", "models")
    gone = (torch.rand(entries.shape) < dropout) & (entries > 2)
    return entries.masked_fill(gone, UNKNOWN)
