"""Train a dependency parser from treebanks, from nothing or from another language's parser."""

import hashlib
import os
import shlex
import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from platform import python_version

import click

from dialtools import __version__, cli, registry, terminal
from dialtools.errors import OptionError, need
from dialtools.files import STANDARD, open_input

BY = "dt-train"


def train(command: str = "", *, action: str, train: Iterable[str], dev: Iterable[str],
          output_dir: str, model: str | None = None, language: str | None = None,
          network: str | None = None, layers: int | None = None, hidden: int | None = None,
          dropout: float | None = None, epochs: int = 20, batch_size: int = 250,
          learning_rate: float = 0.003, average: float = 0.99, word_dropout: float = 0.25,
          upos_dropout: float = 0.2, subtypes: bool = False, vectors: str | None = None,
          transformer: str | None = None, seed: int = 0, go_on: bool = False,
          overwrite: bool = False, offline: bool = False) -> Iterator[dict]:
    """Train a parser; yield a record of the data, one for each epoch, and one of the best epoch.

    command: the command line, for the model card.
    action: "parser".
    train, dev: CoNLL-U files.
    output_dir: folder for the best model.
    model: folder of a parser to start from; network, layers and hidden are then its own.
    language: tag of the parser's language; None for any.
    network: "attention" or "bilstm".
    epochs: passes over the training data.
    batch_size: words in one step.
    average: decay of the moving average of the weights, which the model consists of.
    word_dropout, upos_dropout: share of words, parts of speech that training hides.
    vectors: file of word vectors.
    transformer: folder or hub name of a model whose states represent words.
    subtypes: keep acl:relcl, which is acl otherwise.
    go_on: continue an interrupted run with the same settings.
    overwrite: train again although output_dir has a model.
    offline: open no socket.
    """
    from dialtools.biaffine import embeddings, epochs as runs, folder, transfer, treebank
    from dialtools.biaffine.trainer import Recipe, Trainer

    if action != "parser":
        raise OptionError(f"only a parser can be trained, not {action!r}")
    train, dev = registry.several(train), registry.several(dev)
    for name, paths in (("train", train), ("dev", dev)):
        if len(set(paths)) < len(paths):
            raise OptionError(f"--{name}: a file is given twice")
    if go_on and overwrite:
        raise OptionError("--resume continues a training, --overwrite starts again: give only one")
    if go_on and not folder.interrupted(output_dir):
        raise OptionError(f"--resume: {output_dir} holds no interrupted training")
    if folder.exists(output_dir) and not (go_on or overwrite):
        raise OptionError(f"{output_dir} holds a model: give --overwrite, or --resume a training")
    base = folder.load(model) if model is not None else None
    of_base = base.config["sizes"] if base else {}
    sizes = _sizes(of_base, encoder=network, layers=layers, hidden=hidden)
    if dropout is not None:
        sizes = sizes._replace(dropout=dropout)
    recipe = Recipe(
        epochs, batch_size, learning_rate, average, word_dropout, upos_dropout, subtypes, seed)
    known, held_out = treebank.read(train), treebank.read(dev)
    forms = {form for sentence in known + held_out for form in sentence.forms()}
    own = embeddings.vectors(vectors, forms | set(map(str.lower, forms))) if vectors else None
    made = transfer.initial(known, sizes, recipe, language or "", base, own, transformer, offline)
    about = {"language": language or "not said", "command": command, "seed": str(seed),
             "parent": f"{model}, weights {base.config['hash']}" if base else "none",
             **_hashes("train", train), **_hashes("dev", dev),
             **_hashes("vectors", [vectors] if vectors else []),
             "transformer": made.config["transformer"] or "none", "dialtools": __version__,
             "torch": need("torch", "models").__version__, "Python": python_version()}
    weights = sum(weight.numel() for weight in made.network.parameters())
    yield {"sentences": len(known), "words": sum(len(sentence.tokens) for sentence in known),
           "dev": len(held_out), "weights": weights, "recipe": recipe._asdict()}
    yield from runs.run(Trainer(made, known, recipe), held_out, output_dir, about, go_on)


def _sizes(of_parent: dict, **asked):
    """Return the sizes of a network, a parent's if there is one; OptionError for other sizes."""
    from dialtools.biaffine.network import Sizes

    wanted = {name: value for name, value in asked.items() if value is not None}
    for name, value in wanted.items():
        if of_parent and value != of_parent[name]:
            option = "network" if name == "encoder" else name
            raise OptionError(f"--{option} {value}: the parent model has {of_parent[name]}")
    sizes = Sizes(**{**wanted, **of_parent})
    if sizes.encoder == "attention" and 2 * sizes.hidden % sizes.heads:
        raise OptionError(f"--hidden {sizes.hidden}: --network attention needs an even number")
    return sizes


def _hashes(part: str, paths: Iterable[str]) -> dict[str, str]:
    """Return the SHA-256 of each file for a model card; a pipe, read by now, has none."""
    found = {f"{part}: {path}": "no file, and so without a hash" for path in paths}
    for path in filter(os.path.isfile, paths):
        with open_input(path) as file:
            found[f"{part}: {path}"] = "sha256 " + hashlib.sha256(file.read()).hexdigest()
    return found


@cli.command(
    BY,
    click.argument("action", type=click.Choice(["parser"])),
    click.option("--train", multiple=True, required=True, metavar="FILE",
                 help="Treebank to learn from, CoNLL-U; repeat for several."),
    click.option("--dev", multiple=True, required=True, metavar="FILE",
                 help="Treebank to choose the best epoch by; repeat for several."),
    click.option("--output-dir", required=True, metavar="FOLDER", help="Folder for the model."),
    click.option("--model", metavar="FOLDER",
                 help="Start from this model, perhaps of another language; missing characters, "
                 "words, parts of speech and labels are added."),
    click.option("--lang", "language", metavar="TAG",
                 help="Language of the model, which then refuses others; by default it takes any."),
    click.option("--network", type=click.Choice(["bilstm", "attention"]),
                 help="bilstm by default, or the parent's."),
    click.option("--layers", type=click.IntRange(min=1), metavar="N",
                 help="Layers of the encoder; 2 by default, or the parent's."),
    click.option("--hidden", type=click.IntRange(min=2), metavar="N",
                 help="Dimensions of the encoder in each direction; 200 by default, or the "
                 "parent's."),
    click.option("--dropout", type=click.FloatRange(0, 1, max_open=True), metavar="P",
                 help="Share of dimensions that training hides; 0.33 by default, or the parent's."),
    click.option("--epochs", type=click.IntRange(min=1), default=20, show_default=True, metavar="N",
                 help="Passes over the training data."),
    click.option("--batch-size", type=click.IntRange(min=1), default=250,
                 show_default=True, metavar="N", help="Words in one step."),
    click.option("--learning-rate", type=click.FloatRange(0, min_open=True), default=0.003,
                 show_default=True, metavar="X", help="Highest learning rate of Adam."),
    click.option("--average", type=click.FloatRange(0, 1, max_open=True), default=0.99,
                 show_default=True, metavar="P",
                 help="Decay of the moving average of the weights, which the model consists of."),
    click.option("--word-dropout", type=click.FloatRange(0, 1), default=0.25, show_default=True,
                 metavar="P", help="Share of words whose characters alone are seen in training."),
    click.option("--upos-dropout", type=click.FloatRange(0, 1), default=0.2, show_default=True,
                 metavar="P", help="Share of parts of speech that training hides."),
    click.option("--subtypes", is_flag=True, help="Keep subtypes of labels, such as acl:relcl."),
    click.option("--vectors", metavar="FILE",
                 help="Word vectors as text: a word and its numbers on each line."),
    click.option("--transformer", metavar="MODEL",
                 help="Represent words by the states of a transformer, a folder or a hub name; "
                 "it is not trained, and dt-parse needs it, too."),
    cli.seed,
    click.option("--resume", "go_on", is_flag=True,
                 help="Continue where the same command was interrupted."),
    click.option("--overwrite", is_flag=True, help="Train again even if the folder has a model."),
    cli.offline, cli.output, cli.progress, cli.quiet)
def main(output, progress, quiet, **options) -> None:
    """Train a dependency parser for dt-parse --parser biaffine:model=FOLDER.

    It learns words, parts of speech, heads and labels from treebanks in CoNLL-U:
    every word must have UPOS, HEAD and DEPREL.  --from starts from a parser of
    another language, which helps most with a small treebank.

    The output is a log: a record of the data, then one for each epoch with its
    losses and, on --dev, UAS and LAS in percent, from gold parts of speech and
    ("_own") from predicted ones; the last record names the best epoch.  The
    folder holds the model of that epoch and a card that says how it was made.
    On a CPU with one thread (OMP_NUM_THREADS=1), the same command makes the
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
    made = train(shlex.join([BY, *sys.argv[1:]]), **options)
    if progress or (not quiet and terminal.is_watched(output != STANDARD, results=False)):
        from tqdm import tqdm

        first = next(made)
        bar = tqdm(made, desc=BY, unit=" epochs", leave=False, total=options["epochs"])
        made = chain([first], bar)
    cli.write(cli.render(made), output)
