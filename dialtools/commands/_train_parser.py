"""Train a dependency parser from treebanks, from nothing or from another language's parser.

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
    --epochs 2 --output-dir /tmp/example.$$ -q | jq '.best | values'
2
"""

from collections.abc import Iterable, Iterator

import click

from dialtools.commands import _training
from dialtools.pipeline import cli
from dialtools.plugins import options
from dialtools.training.recipe import ParserRecipe, ParserShape

BY = "dt-train parser"


def train_parser(
    command: str = "",
    *,
    train: Iterable[str],
    dev: Iterable[str],
    output_dir: str,
    model: str | None = None,
    language: str | None = None,
    shape: ParserShape = ParserShape(),
    recipe: ParserRecipe = ParserRecipe(),
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
    from dialtools.training import parser

    options.check(recipe, shape)
    job = _training.job(
        command, model or "", train, dev, output_dir, seed, go_on, overwrite, settings={}
    )
    return parser.run(
        parser.ParserTraining(job, language, shape, recipe, word_vectors, transformer, offline)
    )


@cli.command(
    BY,
    *_training.data("model", "A treebank in CoNLL-U"),
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
    *options.command_line(ParserShape),
    *options.command_line(ParserRecipe),
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
    _training.run(train_parser, BY, {"shape": ParserShape, "recipe": ParserRecipe}, given)
