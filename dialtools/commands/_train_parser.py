"""Train a dependency parser from treebanks, from nothing or from another language's parser."""

from collections.abc import Iterable, Iterator
from platform import python_version
from typing import Any

import click

from dialtools import __version__
from dialtools.commands import _training
from dialtools.parsing.recipe import Recipe, Shape
from dialtools.pipeline import cli
from dialtools.plugins import options, registry
from dialtools.system import files
from dialtools.system.errors import OptionError, need
from dialtools.training.data import check_files

BY = "dt-train parser"


def train_parser(
    command: str = "",
    *,
    train: Iterable[str],
    dev: Iterable[str],
    output_dir: str,
    model: str | None = None,
    language: str | None = None,
    shape: Shape = Shape(),
    recipe: Recipe = Recipe(),
    word_vectors: str | None = None,
    transformer: str | None = None,
    seed: int = 0,
    go_on: bool = False,
    overwrite: bool = False,
    offline: bool = False,
) -> Iterator[dict]:
    """Train a parser; yield a record of the data, one for each epoch, and one of the best epoch.

    command: the command line, for the model card.
    train, dev: CoNLL-U files.
    output_dir: folder for the best model.
    model: folder of a parser to start from; its shape is then the parent's.
    language: tag of the parser's language; None for any.
    shape: network, layers and dimensions.
    recipe: epochs, batches, learning rate and the like.
    word_vectors: file of word vectors.
    transformer: folder or hub name of a model whose states represent words.
    go_on: continue an interrupted run with the same settings.
    overwrite: train again although output_dir has a model.
    offline: open no socket.
    """
    from dialtools.parsing import embeddings, folder, transfer, treebank
    from dialtools.parsing import epochs as runs
    from dialtools.parsing.trainer import Trainer

    options.check(recipe, shape)
    train, dev = registry.several(train), registry.several(dev)
    check_files(train, dev)
    folder.check(output_dir, go_on, overwrite)
    base = folder.load(model) if model is not None else None
    sizes = _sizes(base.config["sizes"] if base else {}, shape)
    known, held_out = treebank.read(train), treebank.read(dev)
    forms = {form for sentence in known + held_out for form in sentence.forms()}
    own = (
        embeddings.vectors(word_vectors, forms | set(map(str.lower, forms)))
        if word_vectors
        else None
    )
    made = transfer.initial(
        known, sizes, recipe, seed, language or "", base, own, transformer, offline
    )
    about = {
        "language": language or "not said",
        "command": command,
        "seed": str(seed),
        "parent": f"{model}, weights {base.config['hash']}" if base else "none",
        **files.hashes("train", train),
        **files.hashes("dev", dev),
        **files.hashes("vectors", [word_vectors] if word_vectors else []),
        "transformer": made.config["transformer"] or "none",
        **_versions(),
    }
    weights = sum(weight.numel() for weight in made.network.parameters())
    data = {
        "sentences": len(known),
        "words": sum(len(sentence.tokens) for sentence in known),
        "dev": len(held_out),
        "weights": weights,
        "recipe": {**recipe._asdict(), "seed": seed},
    }
    trainer = Trainer(made, known, recipe, seed)
    yield from runs.run(trainer, held_out, output_dir, about, data, go_on)


def _versions() -> dict[str, str]:
    return {
        "dialtools": __version__,
        "torch": need("torch", "models").__version__,
        "Python": python_version(),
    }


def _sizes(of_parent: dict, shape: Shape) -> Any:
    """Return the sizes of a network, a parent's if there is one; OptionError for other sizes."""
    from dialtools.parsing.network import Sizes

    called = {"network": "encoder"}  # of options that sizes call otherwise
    wanted = {
        called.get(name, name): value
        for name, value in shape._asdict().items()
        if value is not None
    }
    dropout = {name: wanted.pop(name) for name in ("dropout",) if name in wanted}
    for name, value in wanted.items():
        if of_parent and value != of_parent[name]:
            option = "network" if name == "encoder" else name
            raise OptionError(f"--{option} {value}: the parent model has {of_parent[name]}")
    sizes = Sizes(**{**wanted, **of_parent, **dropout})
    if sizes.encoder == "attention" and 2 * sizes.hidden % sizes.heads:
        raise OptionError(f"--hidden {sizes.hidden}: --network attention needs an even number")
    return sizes


@cli.command(
    BY,
    click.option(
        "--train",
        multiple=True,
        required=True,
        metavar="FILE",
        help="Treebank to learn from, CoNLL-U; repeat for several.",
    ),
    click.option(
        "--dev",
        multiple=True,
        required=True,
        metavar="FILE",
        help="Treebank to choose the best epoch by; repeat for several.",
    ),
    click.option("--output-dir", required=True, metavar="FOLDER", help="Folder for the model."),
    click.option(
        "--model",
        metavar="FOLDER",
        help="Start from this model, perhaps of another language; missing characters, "
        "words, parts of speech and labels are added.",
    ),
    click.option(
        "--lang",
        "language",
        metavar="TAG",
        help="Language of the model, which then refuses others; by default it takes any.",
    ),
    *options.command_line(Shape),
    *options.command_line(Recipe),
    click.option(
        "--word-vectors",
        metavar="FILE",
        help="Word vectors as text: a word and its numbers on each line.",
    ),
    click.option(
        "--transformer",
        metavar="MODEL",
        help="Represent words by the states of a transformer, a folder or a hub name; "
        "it is not trained, and dt-parse needs it, too.",
    ),
    cli.seed,
    *_training.AGAIN,
    cli.threads,
    cli.offline,
    cli.output,
    cli.progress,
    cli.quiet,
)
def main(**given) -> None:
    """Train a dependency parser for dt-parse.

    dt-parse --parser biaffine:model=FOLDER uses it.  It learns words, parts of speech,
    heads and labels from treebanks in CoNLL-U: every word must have UPOS, HEAD and
    DEPREL.  --model starts from a parser of another language, which helps most with
    a small treebank.

    The output is a log: a record of the data, then one for each epoch with its
    losses and, on --dev, UAS and LAS in percent, from gold parts of speech and
    ("_own") from predicted ones; the last record names the best epoch.  The
    folder holds the model of that epoch and a card that says how it was made.
    On a CPU with one thread (--threads 1), the same command makes the
    same model.

    Memory: the treebanks and some four times the weights.

    Examples:

    $ dt-train parser --train tests/data/annotated.conllu --dev tests/data/annotated.conllu \\
        --epochs 2 --output-dir /tmp/example.$$ -q |
      jq -c 'del(.seconds) | [.epoch, .sentences, .best] | map(values)'
    [11]
    [1]
    [2]
    [2]
    """
    _training.run(train_parser, BY, {"shape": Shape, "recipe": Recipe}, given)
