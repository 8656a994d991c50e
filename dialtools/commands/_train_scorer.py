"""Train a scorer: a model that gives texts, pairs of texts or dialogues a label or a number.

It fine-tunes an encoder or a decoder on records with a --target.  It reads what
dt-generate reads: "prompt", or else "context" and the dialogue or "text"; with
--of another text, with --pair two.  The folder tells all of that, and
dt-generate -g classifier --model FOLDER writes the label and "prediction_scores",
dt-score -m classifier:model=FOLDER,label=LABEL its probability, dt-score -m
regressor:model=FOLDER the number, in the unit of the target.

Probabilities are calibrated by a temperature, and for two labels and several at
once the threshold is chosen, both on --dev.  --model FOLDER of another scorer
is an intermediate task.

The output is a log: a record of the data, then one for each epoch, and one of
the best.  "gap" is how much more the loss on --dev is with the inputs of other
records; near 0 the model does not read its input: a warning after each epoch,
and an error at the end (status 1, the model is kept).

With --folds K each record of --train is predicted by a model that has learned
from other clusters alone, after the last epoch; the records come out with
"prediction" and "prediction_scores" (a number: "scores"), "fold" and "repeat",
those of --repeats as variants.  Labels are spread evenly.  The models go, a log
and a card stay in the folder.

--set gives what transformers' TrainingArguments have beside these options: --set
optim=adafactor --set lr_scheduler_type=cosine.
accelerate launch or torchrun start several processes, and only the first writes;
--folds trains in one.  On a CPU with one thread (--threads 1) the same command
makes the same model, also when it was killed and --resume continued it.

Memory: the records, and some four times the weights.

Examples:

$ dt-train scorer --model tiny:layers=1,hidden=32,heads=2,vocabulary=400 --epochs 1 \\
    --train <(head -n 6 examples/recipes/likeness.jsonl) --pair text,reference \\
    --dev <(tail -n 4 examples/recipes/likeness.jsonl) --target score \\
    --output-dir /tmp/example.$$ --allow-blind -q 2>&- | jq '.best | values'
1
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import click

from dialtools.commands import _training
from dialtools.pipeline import cli
from dialtools.plugins import options
from dialtools.system import terminal
from dialtools.system.errors import OptionError
from dialtools.training.recipe import Grading, Machine, Recipe

BY = "dt-train scorer"
VALUES: dict[str, Any] = {"grading": Grading, "recipe": Recipe, "machine": Machine}


def train_scorer(
    command: str = "",
    note: Callable[[dict], object] = lambda record: None,
    *,
    model: str,
    train: Iterable[str],
    dev: Iterable[str] = (),
    output_dir: str,
    grading: Grading = Grading(),
    folds: int | None = None,
    repeats: int = 1,
    cluster: str = "cluster",
    recipe: Recipe = Recipe(),
    machine: Machine = Machine(),
    settings: Iterable[str] | Mapping[str, object] = (),
    seed: int = 0,
    go_on: bool = False,
    overwrite: bool = False,
    allow_blind: bool = False,
) -> Iterator[dict]:
    """Train a scorer; yield a record of the data, one for each epoch, and one of the best epoch.
    With folds, yield the records with predictions of models that have not seen them.

    command: the command line, for the model card.
    note: with folds, called with each record of each training's log.
    model: folder or hub name, another scorer's too, or "tiny", "tiny:kind=causal,layers=2": random
        weights.
    train, dev: files of records.
    output_dir: folder for the best model.
    grading: what the model reads of a record, and what it learns.
    folds: parts of --train, each predicted by a model of the others; no dev then.
    repeats: how often that is done, with other folds each time.
    cluster: path of what records share that stay in one fold; by default those of one id do.
    recipe: epochs, batches, learning rate and the like.
    machine: where and how it runs.
    settings: further arguments of transformers' TrainingArguments, as "NAME=VALUE" or a mapping.
    go_on: continue an interrupted run with the same settings.
    overwrite: train again although output_dir has a model.
    allow_blind: accept a model that does not read its input; else guards.Blind is raised at the
        end.

    Started several times by accelerate launch or torchrun, only the first process yields records.
    """
    from dialtools.training import folder as folders
    from dialtools.training import folds as cross
    from dialtools.training import guards, scorer, steps, targets
    from dialtools.training import settings as arguments

    job = _training.job(
        command, model, train, dev, output_dir, seed, go_on, overwrite, arguments.read(settings)
    )
    given = scorer.ScorerTraining(job, grading, recipe, machine)
    scorer.check(given)
    if bool(job.dev) == bool(folds) or (repeats > 1 and not folds):
        raise OptionError(
            "give --dev, records to choose the best epoch by; or --folds K, and then --repeats N"
        )
    if folds and (recipe.early_stopping or recipe.keep_epochs or recipe.best != targets.LOSS):
        raise OptionError(
            "with --folds no epoch is chosen, the last one predicts: not with --best, "
            "--early-stopping and --keep-epochs"
        )
    if steps.share().rank == 0:
        folders.check(output_dir, model, go_on, overwrite)
    if folds:
        yield from cross.run(given, cross.Folds(folds, repeats, cluster), note)
        return
    best = None
    for best in scorer.run(given):
        yield best
    if best is not None and not allow_blind:
        guards.OF_SCORER.check(best)


def _tell(record: dict) -> None:
    """Tell on standard error what a training of a fold says."""
    from dialtools.training import targets

    if "resumed" in record:
        terminal.say(BY, f"{record['resumed']} of {record['models']} models were trained before")
        return
    place = f"repeat {record['repeat']}, fold {record['fold']}"
    for warning in record.get("warnings", ()):
        terminal.say(BY, f"{place}: {warning}")
    if "best" in record:
        names = dict.fromkeys(name for names in targets.MEASURES.values() for name in names)
        measures = [f"{name} {record[name]:.3f}" for name in names if record.get(name) is not None]
        terminal.say(BY, f"{place}: {', '.join(measures)}")


@cli.command(
    BY,
    click.option(
        "--model",
        required=True,
        metavar="MODEL",
        help="Model to start from; a folder or a hub name. Another scorer gets a new "
        "head (an intermediate task). Or tiny: random weights and a tokenizer of the "
        "training data, as in tiny:layers=2,hidden=64.",
    ),
    *_training.data("model", dev_required=False),
    *options.command_line(Grading),
    click.option(
        "--folds",
        type=click.IntRange(min=2),
        metavar="K",
        help="Write predictions of K parts of --train; each is by a model of the others, and "
        "there is no --dev.",
    ),
    click.option(
        "--repeats",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        metavar="N",
        help="How often, with other folds each time.",
    ),
    click.option(
        "--cluster",
        default="cluster",
        show_default=True,
        metavar="PATH",
        help="Records with the same value here stay in one fold; where it is missing, "
        "those of one id.",
    ),
    *options.command_line(Recipe),
    *options.command_line(Machine),
    _training.SET,
    cli.seed,
    *_training.AGAIN,
    _training.ALLOW_BLIND,
    cli.threads,
    cli.output,
    cli.progress,
    cli.quiet,
    sections=_training.SECTIONS,
    rare=_training.RARE,
)
def main(**given) -> None:
    note = (lambda record: None) if given["quiet"] else _tell
    # with folds it writes records, and no log
    _training.run(train_scorer, BY, VALUES, given, note, is_log=not given["folds"])
