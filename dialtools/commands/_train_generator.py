"""Train a model that writes texts for dialogues: seq2seq or causal, fine-tuned or from nothing.

It fine-tunes a seq2seq or a causal model on records with a "reference", read as
dt-generate reads them: with --prompt, --each and the like.  The folder holds
the model of the best epoch, which transformers loads, and a card;
dt-generate --model FOLDER reads with the same prompt and window.

--objective adds to the loss.  Those of names compare the variants of a dialogue
in one batch: the records of --train with one id or, with --vary names, each
record and --variants less one that are drawn anew for each epoch.  Which tokens
are names follows from the history of dt-swap-names, or else from labels and
mentions.  Ins of the speaker-names paper is --vary names:pool=train --objective
attention:weight=1 --objective states:weight=10, Aug --vary alone.  Those of bias
take a specification, spec=NAME or spec=FILE as for dt-perturb -k terms.swap;
"terms" in the log counts its pairs.  --objective emb gives the model an
embedding for names, which comes with the folder; transformers alone loads the
folder without it, and engines other than torch refuse it.

Remedies that are data are pipes that make --train, as below: Aug, ID and Fre
(which also rename what is generated from), FreAug, robust training with a share
of perturbed records, CTDA and CADA.  Of several references each is learned.

The output is a log: a record of the data, then one for each epoch, and one of
the best.  "dev_loss" is in nats a token; "gap" is how much more it is with the
source of another record.  A gap near 0 means that the model does not read its
input: a warning after each epoch, and an error at the end (status 1, the model
is kept).  "distinct" is the share of distinct outputs, "padding" the share of
tokens that only fill up a batch.

--set gives what transformers' TrainingArguments have beside these options: --set
optim=adafactor --set lr_scheduler_type=cosine --set label_smoothing_factor=0.1.
What an option sets already, and what the steps here cannot do, is an error.
A step reads --batch-size records, in parts of --batch-tokens; where memory runs
out, these are halved.  accelerate launch or torchrun start several processes;
only the first writes.  On a CPU with one thread (--threads 1) the same
command makes the same model, even if it was killed and --resume continued it.

Memory: the records, and some four times the weights.

Examples:

$ dt-train generator --model tiny:layers=1,hidden=32,heads=2,vocabulary=500 --epochs 1 \\
    --train <(head -n 30 examples/speaker-names/dialogues.jsonl) \\
    --dev <(tail -n 10 examples/speaker-names/dialogues.jsonl) \\
    --output-dir /tmp/example.$$ --allow-blind -q 2>&- | jq '.best | values'
1

$ talk() { head -n 8 examples/speaker-names/dialogues.jsonl; }; n() { jq -s length; }; \\
  talk | dt-swap-names -q --pool-file <(talk | dt-names collect) --keep-original 2>&- | n; \\
  talk | dt-swap-names -q --ids | n; \\
  talk | dt-swap-names -q --pool frequent | n; \\
  talk | dt-swap-names -q --pool frequent --variants 2 | n; \\
  talk | dt-perturb -q -k typo.keyboard --share 0.25 | jq '.variant // empty' | n; \\
  talk | dt-perturb -q -k terms.swap --keep-original --require-change skip | n; \\
  echo '{"id": 1, "lang": "en", "text": "A lonely villain"}' |
  dt-perturb -q -k terms.attribute --keep-original --require-change skip | jq -r .text
16
8
8
16
2
10
A lonely villain
A cheerful hero
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import click

from dialtools.commands import _training
from dialtools.models.decoding import Prompting
from dialtools.pipeline import cli
from dialtools.plugins import options
from dialtools.training.recipe import Machine, Reading, Recipe

BY = "dt-train generator"
VALUES: dict[str, Any] = {
    "prompting": Prompting,
    "reading": Reading,
    "recipe": Recipe,
    "machine": Machine,
}


def train_generator(
    command: str = "",
    *,
    model: str,
    train: Iterable[str],
    dev: Iterable[str],
    output_dir: str,
    objective: Iterable[str | Callable] = (),
    vary: Iterable[str | Callable] = (),
    variants: int = 2,
    prompting: Prompting = Prompting(),
    reading: Reading = Reading(),
    recipe: Recipe = Recipe(),
    machine: Machine = Machine(),
    settings: Iterable[str] | Mapping[str, object] = (),
    seed: int = 0,
    go_on: bool = False,
    overwrite: bool = False,
    allow_blind: bool = False,
) -> Iterator[dict]:
    """Train a model; yield a record of the data, one for each epoch, and one of the best epoch.

    command: the command line, for the model card.
    model: folder or hub name, or "tiny", "tiny:kind=causal,layers=2": random weights.
    train, dev: files of records.
    output_dir: folder for the best model.
    objective: specs such as "attention:weight=1", or functions (batch, outputs, model) -> loss.
    vary: how variants of training records are drawn for each epoch: "names:pool=train", "typo".
    variants: how many there are of a record with `vary`, itself included.
    prompting: what the model reads.
    reading: how examples are made of records.
    recipe: epochs, batches, learning rate and the like.
    machine: where and how it runs.
    settings: further arguments of transformers' TrainingArguments, as "NAME=VALUE" or a mapping.
    go_on: continue an interrupted run with the same settings.
    overwrite: train again although output_dir has a model.
    allow_blind: accept a model that does not read its input; else guards.Blind is raised at the
        end.

    Started several times by accelerate launch or torchrun, only the first process yields records.
    """
    from dialtools.plugins import registry
    from dialtools.training import generator, guards, variation
    from dialtools.training import settings as arguments

    job = _training.job(
        command, model, train, dev, output_dir, seed, go_on, overwrite, arguments.read(settings)
    )
    given = generator.GeneratorTraining(
        job,
        registry.several(objective),
        prompting,
        reading,
        recipe,
        machine,
        variation.vary(registry.several(vary), variants, seed, reading.target),
    )
    best = None
    for best in generator.run(given):
        yield best
    if best is not None and not allow_blind:
        guards.OF_GENERATOR.check(best)


@cli.command(
    BY,
    click.option(
        "--model",
        required=True,
        metavar="MODEL",
        help="Model to start from; a folder or a hub name, or tiny: random weights and "
        "a tokenizer of the training data, as in tiny:kind=causal,layers=2,hidden=64.",
    ),
    *_training.data("model"),
    click.option(
        "--objective",
        type=cli.PluginType("objectives"),
        multiple=True,
        help="What is added to the loss; repeat for several.",
    ),
    click.option(
        "--vary",
        multiple=True,
        metavar="KIND",
        help="Draw variants of the training records anew for each epoch; "
        "names:pool=frequent, as dt-swap-names does (pool=train: names of --train), or "
        "as dt-perturb -k does; repeat to apply several one after the other.",
    ),
    click.option(
        "--variants",
        type=click.IntRange(min=2),
        default=2,
        show_default=True,
        metavar="K",
        help="Variants of a record, itself included.",
    ),
    *options.command_line(Prompting),
    *options.command_line(Reading),
    *options.command_line(Recipe),
    *options.command_line(Machine),
    _training.SET,
    cli.seed,
    *_training.AGAIN,
    _training.ALLOW_BLIND,
    cli.listing("objectives"),
    cli.threads,
    cli.output,
    cli.progress,
    cli.quiet,
    sections=_training.SECTIONS,
    rare=_training.RARE,
)
def main(**given) -> None:
    _training.run(train_generator, BY, VALUES, given)
