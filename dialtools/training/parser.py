"""The training of a dependency parser: from treebanks to a model and a judge of its epochs.

It has its own Trainer, as its network reads sentences in three ways at once, and its model is the
moving average of the weights.
"""

import json
import os
import random
from collections.abc import Iterable, Iterator
from copy import deepcopy
from itertools import chain, pairwise
from math import isfinite
from time import perf_counter
from typing import Any, NamedTuple

from dialtools.parsing import model, network, vocabulary
from dialtools.parsing.model import Model, Parse
from dialtools.parsing.network import Sizes
from dialtools.parsing.vocabulary import UNKNOWN, Vectors, numbers
from dialtools.system import files
from dialtools.system.errors import MissingError, OptionError, need
from dialtools.training import data, folder, treebank
from dialtools.training.recipe import Job, ParserRecipe, ParserShape
from dialtools.training.treebank import TreebankSentence

BY = "dt-train parser"
STATE = "training.safetensors"
_FACTS = ("settings", "epochs", "step", "best", "seconds")  # of a state of training
REACH = 9  # characters of the next sentence that follow each sentence in training
ROUND = 500  # characters: convolutions are slow with an input length that is new


class ParserTraining(NamedTuple):
    """What a user asks for; see dt-train parser."""

    job: Job  # its model is the folder of a parser to start from, or ""
    language: str | None
    shape: ParserShape
    recipe: ParserRecipe
    word_vectors: str | None
    transformer: str | None
    offline: bool


def run(given: ParserTraining) -> Iterator[dict]:
    """Yield the record of the data, one for each epoch, and one of the best.

    The folder keeps the best model. A state is written first, so that an unwritable folder fails
    at once.
    """
    job, recipe = given.job, given.recipe
    data.check_files(job.train, job.dev)
    folder.check_again(job.go_on, job.overwrite)
    has_model = os.path.isfile(os.path.join(job.folder, model.CONFIG))
    if has_model and not (job.overwrite or job.go_on and _begun(job.folder)):
        raise OptionError(f"{job.folder} holds a model: give --overwrite, or --resume a training")
    parent = model.load(job.model) if job.model else None
    sizes = _sizes(parent.config["sizes"] if parent else {}, given.shape)
    train, dev = treebank.read(job.train), treebank.read(job.dev)
    vectors = None
    if given.word_vectors:
        forms = {form for sentence in train + dev for form in sentence.forms()}
        vectors = vocabulary.vectors(given.word_vectors, forms | set(map(str.lower, forms)))
    start = initial(train, sizes, given, parent, vectors)
    about = _about(given, parent, start)
    settings = {
        "recipe": recipe._asdict(),
        "sizes": start.config["sizes"],
        **{name: value for name, value in about.items() if name != "command"},
    }
    state: dict = {"epochs": [], "step": 0, "best": {}, "seconds": 0.0, "settings": settings}
    trainer = ParserTrainer(start, train, recipe, job.seed)
    if job.go_on and _begun(job.folder):
        state = _resumed(trainer, job.folder, settings)
    begun = perf_counter() - state["seconds"]
    resumed = {"resumed": len(state["epochs"])} if state["epochs"] else {}
    if len(state["epochs"]) < recipe.epochs:
        save_state(job.folder, trainer.tensors(), state)
    yield {
        "sentences": len(train),
        "words": sum(len(sentence.tokens) for sentence in train),
        "dev": len(dev),
        "weights": sum(weight.numel() for weight in start.network.parameters()),
        "recipe": {**recipe._asdict(), "seed": job.seed},
        **resumed,
    }
    yield from state["epochs"]

    while trainer.epoch < recipe.epochs:
        losses = trainer.run_epoch()
        measures = scores(trainer.average, dev, recipe.subtypes)
        if not state["best"] or _worth(measures) >= _worth(state["best"]):
            state["best"] = {"epoch": trainer.epoch, **measures}
            _save(job.folder, trainer.average, about, state["best"])
        state["step"], state["seconds"] = trainer.step, round(perf_counter() - begun, 1)
        epoch = {"epoch": trainer.epoch, "step": trainer.step, "loss": losses, **measures}
        state["epochs"].append({**epoch, "seconds": state["seconds"]})
        save_state(job.folder, trainer.tensors(), state)
        yield state["epochs"][-1]
    save_state(job.folder, {}, state)
    yield folder.record_of_best(state["best"], state["seconds"], job.folder)


def _about(given: ParserTraining, parent: Model | None, start: Model) -> dict[str, Any]:
    """Return how the model is made, for the card; with its sizes and recipe it tells a training."""
    return {
        "language": given.language or "not said",
        "command": given.job.command,
        "seed": given.job.seed,
        "parent": f"{given.job.model}, weights {parent.config['hash']}" if parent else "none",
        **given.job.hashes(),
        **files.hashes("vectors", [given.word_vectors] if given.word_vectors else []),
        "transformer": start.config["transformer"] or "none",
        **folder.versions("torch"),
    }


def _worth(measures: dict[str, float]) -> float:
    """Return what the best epoch maximises: LAS with gold plus LAS with predicted tags."""
    return measures["las"] + measures["las_own"]


def _sizes(of_parent: dict, shape: ParserShape) -> Sizes:
    """Return the sizes of a network, a parent's if there is one; OptionError for other sizes."""
    called = {"network": "encoder"}  # of options that sizes call otherwise
    asked = {
        called.get(name, name): value
        for name, value in shape._asdict().items()
        if value is not None
    }
    dropout = {name: asked.pop(name) for name in ("dropout",) if name in asked}
    for name, value in asked.items():
        if of_parent and value != of_parent[name]:
            option = "network" if name == "encoder" else name
            raise OptionError(f"--{option} {value}: the parent model has {of_parent[name]}")
    sizes = Sizes(**{**asked, **of_parent, **dropout})
    if sizes.encoder == "attention" and 2 * sizes.hidden % sizes.heads:
        raise OptionError(f"--hidden {sizes.hidden}: --network attention needs an even number")
    return sizes


def initial(
    sentences: list[TreebankSentence],
    sizes: Sizes,
    given: ParserTraining,
    parent: Model | None,
    vectors: Vectors | None,
) -> Model:
    """Return a model to train; it knows what a parent knows, and has room for new entries."""
    recipe, seed = given.recipe, given.job.seed
    need("torch", "models").manual_seed(seed % 2**64)  # torch takes no more
    entries = treebank.vocabulary_of(
        sentences, recipe.subtypes, parent.vocabulary if parent else None
    )
    pieces, transformer = treebank.pieces(sentences), given.transformer
    if parent:
        transformer = transformer or parent.config.get("transformer")
        pieces = parent.config["pieces"] | pieces
    if sizes.vectors and not vectors:
        raise OptionError(
            "the parent model has word vectors: give --word-vectors for this language too"
        )
    if vectors:
        entries["vectors"] = vectors.words
        sizes = sizes._replace(vectors=vectors.table.shape[1])
    if transformer:
        transformer = os.path.abspath(transformer) if os.path.isdir(transformer) else transformer
        sizes = sizes._replace(transformer=vocabulary.width(transformer, given.offline))
    built = network.build(sizes, {name: len(table) for name, table in entries.items()})
    if parent:
        _copy(parent.network.state_dict(), built.state_dict())
    if vectors:
        built["vectors"].weight.copy_(vectors.table)
    config = {
        "lang": given.language or "",
        "sizes": sizes._asdict(),
        "recipe": {**recipe._asdict(), "seed": seed},
        "pieces": pieces,
        "transformer": transformer,
    }
    return Model(built, entries, config, given.offline)


def _copy(old: dict[str, Any], new: dict[str, Any]) -> None:
    """Copy old weights to the first rows of new ones, except vectors of words.

    New words start as the unknown word, which the old network is used to.
    """
    for name in (name for name in new if name in old and name != "vectors.weight"):
        if new[name].shape[1:] != old[name].shape[1:]:
            raise OptionError(
                f"the parent model has {old[name].shape[1]} dimensions in {name}, "
                f"not {new[name].shape[1]}"
            )
        new[name][: old[name].shape[0]] = old[name]
    known = old["words.weight"].shape[0]
    new["words.weight"][known:] = old["words.weight"][UNKNOWN]


class ParserTrainer:
    """A network in training, the moving average of its weights, and the optimiser."""

    def __init__(
        self, model: Model, sentences: list[TreebankSentence], recipe: ParserRecipe, seed: int
    ):
        torch = need("torch", "models")
        self.model, self.sentences, self.recipe, self.seed = model, sentences, recipe, seed
        self.average = model._replace(network=deepcopy(model.network).eval())
        self.tables = numbers(model.vocabulary)
        # each followed by the beginning of the next, and what ends at each character; -100 there
        self.texts: list[tuple[str, list[int]]] = []
        for sentence, after in pairwise([*sentences, sentences[0]]):
            beyond = (" " if " " in sentence.text else "") + after.text[:REACH]
            ends = treebank.ends(sentence) + [-100] * len(beyond)
            self.texts.append((sentence.text + beyond, ends))
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
        groups = list(vocabulary.grouped(lengths, self.recipe.batch_size))
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
        if not all(map(isfinite, sums.values())) or not all(
            weight.isfinite().all() for weight in weights
        ):
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
        upos = vocabulary.upos([sentence.upos() for sentence in sentences], self.tables)
        wanted = treebank.answers(sentences, self.recipe.subtypes, self.tables)
        batch = vocabulary.words([sentence.forms() for sentence in sentences], self.tables)
        batch["words"] = _dropped(batch["words"], self.recipe.word_dropout)
        batch["upos"] = _dropped(upos, self.recipe.upos_dropout)
        if name := self.model.config["transformer"]:  # which reads each sentence once
            new = [number for number in group if number not in self.states]
            forms = [self.sentences[number].forms() for number in new]
            states = vocabulary.contextual(name, forms, self.model.offline)
            self.states.update(zip(new, states, strict=True))
            batch["states"] = vocabulary.states([self.states[number] for number in group])
        read = network.read(net, batch, dropout)
        arcs, words, heads = network.parse(net, read, batch, dropout)
        labels = network.label(net, words, heads, wanted["heads"].clamp(min=0))
        tags = network.tag(net, read, batch, dropout)
        text = _joined((self.texts[number][0] for number in group), "")
        ends = _joined((self.texts[number][1] for number in group), -100)
        segments = network.segment(net, vocabulary.characters([text], self.tables))
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
        weights = {
            f"{part}.{name}": weight
            for part, net in networks.items()
            for name, weight in net.state_dict().items()
        }
        moments = self.optimiser.state_dict()["state"]
        return weights | {
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


def _joined(rows: Iterable[Iterable[Any]], padding: Any) -> list[Any]:
    """Return rows as one, padded so that none sees another; its length is a multiple of ROUND."""
    joined = list(chain.from_iterable(chain(row, [padding] * REACH) for row in rows))
    return joined + [padding] * (-len(joined) % ROUND)


def _dropped(entries: Any, dropout: float) -> Any:
    """Make some entries unknown; padding and the root stay."""
    gone = (need("torch", "models").rand(entries.shape) < dropout) & (entries > 2)
    return entries.masked_fill(gone, UNKNOWN)


def scores(trained: Model, sentences: list[TreebankSentence], subtypes: bool) -> dict[str, float]:
    """Return UAS and LAS with gold parts of speech; UPOS, UAS and LAS with predicted ones.

    All are percentages of words, punctuation included.
    """
    forms = [sentence.forms() for sentence in sentences]
    tags = [sentence.upos() for sentence in sentences]
    gold = _shares(model.parse(trained, forms, tags), sentences, subtypes)
    predicted = _shares(model.parse(trained, forms), sentences, subtypes)
    return {
        "uas": gold["uas"],
        "las": gold["las"],
        "upos_own": predicted["upos"],
        "uas_own": predicted["uas"],
        "las_own": predicted["las"],
    }


def _shares(
    parses: list[Parse], sentences: list[TreebankSentence], subtypes: bool
) -> dict[str, float]:
    """Return the percentages of words with the right tag, head, and head and label."""
    counts = {"upos": 0, "uas": 0, "las": 0}
    words = 0
    for parsed, gold in zip(parses, sentences, strict=True):
        rows = zip(*parsed, gold.upos(), gold.heads(), gold.labels(subtypes), strict=True)
        for upos, head, label, gold_upos, gold_head, gold_label in rows:
            words += 1
            counts["upos"] += upos == gold_upos
            counts["uas"] += head == gold_head
            counts["las"] += (head, label) == (gold_head, gold_label)
    return {name: round(100 * count / words, 2) for name, count in counts.items()}


def _begun(home: str) -> bool:
    """Return whether a folder has the state of a training, which may have ended."""
    return os.path.isfile(os.path.join(home, STATE))


def _resumed(trainer: ParserTrainer, home: str, settings: dict) -> dict:
    """Restore the state of a folder, and return what it says.

    Raise OptionError if its treebanks or settings differ.
    """
    tensors, state = load_state(home)
    before = state["settings"]
    folder.check_settings(home, before, settings)
    if list(before) != list(settings):
        raise OptionError(
            f"--resume: the training in {home} has its files in another order: {', '.join(before)}"
        )
    if tensors:
        trainer.restore(tensors, len(state["epochs"]), state["step"])
    trainer.epoch = len(state["epochs"])
    return state


def save_state(home: str, tensors: dict[str, Any], facts: dict) -> None:
    """Write a state of training: tensors, none where it has ended, and JSON."""
    os.makedirs(home, exist_ok=True)
    content = need("safetensors.torch", "models").save(tensors, {"facts": json.dumps(facts)})
    with files.open_output(os.path.join(home, STATE)) as file:
        file.write(content)


def load_state(home: str) -> tuple[dict[str, Any], dict]:
    """Return what `save_state` wrote."""
    path = os.path.join(home, STATE)
    try:
        with need("safetensors", "models").safe_open(path, "pt") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}
            facts = json.loads(file.metadata()["facts"])
        return tensors, {name: facts[name] for name in _FACTS}
    except model.damage() as error:
        raise MissingError(
            f"{path} is damaged, or is not a state of training: {model.summary(error)}"
        ) from error


def _save(home: str, trained: Model, about: dict[str, str], best: dict) -> None:
    """Write a model with its hashes and its card."""
    hashes = model.hashes(trained.network, trained.vocabulary, trained.config["pieces"])
    on_dev = ", ".join(f"{name} {value}" for name, value in best.items())
    card = folder.card(
        f"Parser {home}",
        "A dependency parser for dt-parse, trained by dt-train",
        {**about, "on dev": on_dev, "weights": hashes["hash"]},
        None,
        "The licence of the treebank may bind what is trained on it.",
    )
    model.save(home, trained._replace(config=trained.config | hashes), card)
