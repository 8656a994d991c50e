"""Train an encoder, which makes vectors of texts: alike texts near each other.

It fine-tunes an encoder of sentence-transformers on pairs of texts with a --target
(0 or 1, or graded), on pairs that are all alike, on texts in groups (--group), or
on texts with a vector each (--vectors), such as that of a node in a graph.  The
folder is one of sentence-transformers: dt-score -m cosine:model=FOLDER,
dt-cluster --encoder FOLDER and dt-generate -g nearest --model FOLDER read it.

The output is a log: a record of the data, one of the model before training
(epoch 0), then one for each epoch, and one of the best.  Measured on --dev are
"auc" (0 or 1, groups: the probability that a pair of alike texts is nearer than
another pair), "spearman" (graded), or "accuracy@1" and "accuracy@5" (the share of
texts whose own partner is the nearest, or among the five nearest).

--set gives what transformers' and sentence-transformers' training arguments have
beside these options: --set batch_sampler=no_duplicates --set bf16=true.
On a CPU with one thread (--threads 1) the same command makes the same encoder.

Memory: the records, and some four times the weights.

Examples:

$ dt-train encoder --model tiny:layers=1,hidden=32,heads=2,vocabulary=400 -q \\
    --train <(head -n 6 examples/recipes/likeness.jsonl) \\
    --dev <(tail -n 4 examples/recipes/likeness.jsonl) --target score \\
    --output-dir /tmp/example.$$ 2>&- | jq '.best | values'
1
"""

from collections.abc import Iterable, Iterator, Mapping

import click

from dialtools.commands import _training
from dialtools.pipeline import cli
from dialtools.plugins import options
from dialtools.system.errors import OptionError
from dialtools.training.recipe import Course

BY = "dt-train encoder"


def train_encoder(
    command: str = "",
    *,
    model: str,
    train: Iterable[str],
    dev: Iterable[str],
    output_dir: str,
    pair: str = "text,reference",
    target: str | None = None,
    group: str | None = None,
    vectors: str | None = None,
    language: str | None = None,
    course: Course = Course(),
    settings: Iterable[str] | Mapping[str, object] = (),
    seed: int = 0,
    go_on: bool = False,
    overwrite: bool = False,
) -> Iterator[dict]:
    """Train an encoder; yield a record of the data, one of the model before training and one for
    each epoch, and one of the best epoch.

    command: the command line, for the model card.
    model: folder or hub name, or "tiny", "tiny:layers=2": random weights.
    train, dev: files of records.
    output_dir: folder for the best encoder.
    pair: paths of two texts, with a comma between them, and of a third that is unlike the first;
        of the first alone with group or vectors.
    target: path of how alike the two are: 0 or 1, or any numbers; None: all pairs are alike.
    group: path of what alike texts share, such as "speaker".
    vectors: path of a vector that each text should have.
    language: of records without one.
    course: loss, epochs, batches, learning rate and the like.
    settings: further arguments of SentenceTransformerTrainingArguments, as "NAME=VALUE" or a mapping.
    go_on: continue an interrupted run with the same settings.
    overwrite: train again although output_dir has a model.
    """
    from dialtools.training import encoder
    from dialtools.training import settings as arguments
    from dialtools.training.pairs import Source

    options.check(course)
    if sum(given is not None for given in (target, group, vectors)) > 1:
        raise OptionError("give only one of --target, --group and --vectors")
    texts = tuple(path for path in pair.split(",") if path)
    if len(texts) == 3 and (target or group or vectors):
        raise OptionError(
            "a third path of --pair is for pairs that are all alike: leave out "
            "--target, --group and --vectors"
        )
    if len(texts) not in (2, 3) and not (len(texts) == 1 and (group or vectors)):
        raise OptionError(f"--pair has two paths, such as text,reference, not {pair!r}")
    source = Source(texts, target, group, vectors, language)
    arguments_set = arguments.read(settings, of_encoder=True)
    job = _training.job(
        command, model, train, dev, output_dir, seed, go_on, overwrite, arguments_set
    )
    return encoder.run(encoder.EncoderTraining(job, source, course))


@cli.command(
    BY,
    click.option(
        "--model",
        required=True,
        metavar="MODEL",
        help="Encoder to start from, a folder or a hub name; or tiny: random weights and "
        "a tokenizer of the training data, as in tiny:layers=2,hidden=64.",
    ),
    *_training.data("encoder"),
    click.option(
        "--pair",
        default="text,reference",
        show_default=True,
        metavar="PATH,PATH",
        help="The two texts of a record, and a third that is unlike the first (a hard "
        "negative); the first alone with --group or --vectors.",
    ),
    click.option(
        "--target",
        metavar="PATH",
        help="How alike the two texts are: 0 or 1, or any numbers; by default all pairs "
        "are alike, and the other texts of a step are not.",
    ),
    click.option(
        "--group", metavar="PATH", help="Texts with the same value here are alike, such as speaker."
    ),
    click.option(
        "--vectors",
        metavar="PATH",
        help="Lead each text to the vector that its record has here, through a linear map.",
    ),
    click.option(
        "--lang",
        "language",
        metavar="TAG",
        help="Language of records without one, such as en, zh, ja.",
    ),
    *options.command_line(Course),
    _training.SET,
    cli.seed,
    *_training.AGAIN,
    cli.threads,
    cli.output,
    cli.progress,
    cli.quiet,
    sections=_training.SECTIONS,
    rare=_training.RARE,
)
def main(**given) -> None:
    _training.run(train_encoder, BY, {"course": Course}, given)
