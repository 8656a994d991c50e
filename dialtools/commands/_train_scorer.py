"""Train a scorer: a model that gives texts, pairs of texts or dialogues a label or a number."""

import shlex
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import click

from dialtools import cli, options, registry, terminal
from dialtools.errors import OptionError
from dialtools.training import folder as folders, guards, processes, scorer
from dialtools.training.recipe import Machine, Recipe
from dialtools.training.scorer import Grading

BY = "dt-train scorer"
VALUES: dict[str, Any] = {"grading": Grading, "recipe": Recipe, "machine": Machine}


def train_scorer(command: str = "", *, model: str, train: Iterable[str], dev: Iterable[str] = (),
                 output_dir: str, grading: Grading = Grading(), recipe: Recipe = Recipe(),
                 machine: Machine = Machine(), seed: int = 0, go_on: bool = False,
                 overwrite: bool = False, allow_blind: bool = False) -> Iterator[dict]:
    """Train a scorer; yield a record of the data, one for each epoch, and one of the best epoch.

    command: the command line, for the model card.
    model: folder or hub name, another scorer's too, or "tiny", "tiny:kind=causal,layers=2": random
        weights.
    train, dev: files of records.
    output_dir: folder for the best model.
    grading: what the model reads of a record, and what it learns.
    recipe: epochs, batches, learning rate and the like.
    machine: where and how it runs.
    go_on: continue an interrupted run with the same settings.
    overwrite: train again although output_dir has a model.
    allow_blind: accept a model that does not read its input; else guards.Blind is raised at the
        end.

    Started several times by accelerate launch or torchrun, only the first process yields records.
    """
    given = scorer.Given(command, model, registry.several(train), registry.several(dev), output_dir,
                         grading, recipe, machine, seed, go_on, overwrite)
    scorer.check(given)
    if not given.dev:
        raise OptionError("No --dev given: records to choose the best epoch by.")
    if processes.share().rank == 0:
        folders.check(output_dir, model, go_on, overwrite)
    best = None
    for best in scorer.run(given):
        yield best
    if best is not None and not allow_blind:
        guards.check_scorer_reads(best)


def _said(records: Iterator[dict], ends: list[Exception]) -> Iterator[dict]:
    """Yield records, and tell their warnings; what ends them comes into `ends`."""
    try:
        for record in records:
            for warning in record.get("warnings", ()):
                terminal.say(BY, warning)
            yield record
    except guards.Blind as error:
        ends.append(error)


@cli.command(
    BY,
    click.option("--model", required=True, metavar="PATH",
                 help="Model to start from, a folder or a hub name; another scorer gets a new "
                 "head (an intermediate task); or tiny: random weights and a tokenizer of the "
                 "training data, as in tiny:layers=2,hidden=64."),
    click.option("--train", multiple=True, required=True, metavar="FILE",
                 help="Records to learn from; repeat for several."),
    click.option("--dev", multiple=True, metavar="FILE",
                 help="Records to choose the best epoch by; repeat for several."),
    click.option("--output-dir", required=True, metavar="FOLDER", help="Folder for the model."),
    *options.command_line(Grading), *options.command_line(Recipe),
    *options.command_line(Machine), cli.seed,
    click.option("--resume", "go_on", is_flag=True,
                 help="Continue where the same command was interrupted."),
    click.option("--overwrite", is_flag=True, help="Train again even if the folder has a model."),
    click.option("--allow-blind", is_flag=True,
                 help="Accept a model that does not read its input."),
    cli.threads, cli.output, cli.progress, cli.quiet)
def main(output, progress, quiet, **given) -> None:
    """Train a scorer, which gives a text, a pair of texts or a dialogue a label or a number.

    It fine-tunes an encoder or a decoder on records with a --target.  It reads what
    dt-generate reads: "prompt", or else "context" and the dialogue or "text"; with
    --of another text, with --pair two.  The folder tells all of that, and
    dt-generate -g classifier:model=FOLDER writes the label and "prediction_scores",
    dt-score -m classifier:model=FOLDER,label=LABEL its probability, dt-score -m
    regressor:model=FOLDER the number, in the unit of the target.

    Probabilities are calibrated by a temperature, and for two labels and several at
    once the threshold is chosen, both on --dev.  --model FOLDER of another scorer
    is an intermediate task.

    The output is a log: a record of the data, then one for each epoch, and one of
    the best.  "gap" is how much more the loss on --dev is with the inputs of other
    records; near 0 the model does not read its input: a warning after each epoch,
    and an error at the end (status 1, the model is kept).

    On a CPU with one thread (--threads 1) the same command makes the same model, also
    when it was killed and --resume continued it.

    Memory: the records, and some four times the weights.

    Examples:

    $ dt-train scorer --model tiny:layers=1,hidden=32,heads=2,vocabulary=400 --epochs 1 \\
        --train <(head -n 6 examples/recipes/likeness.jsonl) --pair text,reference \\
        --dev <(tail -n 4 examples/recipes/likeness.jsonl) --target score \\
        --output-dir /tmp/example.$$ --allow-blind -q 2>&- |
      jq -c '[.kind, .epoch, .best] | map(values)'
    ["number"]
    [1]
    [1]
    """
    values = {name: options.gathered(kind, given) for name, kind in VALUES.items()}
    fields = {field for kind in VALUES.values() for field in kind._fields}
    made = train_scorer(shlex.join(["dt-train", *sys.argv[1:]]), **values,
                        **{name: value for name, value in given.items() if name not in fields})
    if processes.share().rank:
        for _ in made:  # the first process writes
            raise OptionError("a process that is not the first has written")
        return
    ends: list[Exception] = []
    cli.write_log(_said(made, ends), BY, values["recipe"].epochs, output, progress, quiet)
    for error in ends:
        raise error
