"""Options of training a generator, each declared once."""

from typing import Annotated, Literal, NamedTuple

from dialtools.models.decoding import Side
from dialtools.plugins.options import Option

RATES = {"tiny": 1e-3, "lora": 2e-4, "": 3e-5}  # the default learning rates


class Recipe(NamedTuple):
    """How a model is trained, and how its best epoch is chosen."""

    epochs: Annotated[int, Option("Passes over the training data (3).", 1, "N")] = 3
    learning_rate: Annotated[
        float | None,
        Option(
            "Highest learning rate of AdamW (3e-5; 2e-4 with --lora, 1e-3 for tiny); it falls to 0 in "
            "a line.",
            1e-12,
            "X",
        ),
    ] = None
    weight_decay: Annotated[float, Option("Weight decay (0.01).", 0, "X")] = 0.01
    warmup: Annotated[
        float, Option("Share of the steps in which the learning rate rises (0.05).", 0, "P", most=1)
    ] = 0.05
    batch_size: Annotated[
        int, Option("Records in one step, those of all processes together (32).", 1, "N")
    ] = 32
    lora: Annotated[
        int | None, Option("Train an adapter of rank R instead of the model.", 1, "R")
    ] = None
    lora_alpha: Annotated[
        float | None, Option("Scale of the adapter (twice its rank).", 1e-9, "X")
    ] = None
    lora_dropout: Annotated[float, Option("Dropout before the adapter (0.05).", 0, "P", most=1)] = (
        0.05
    )
    early_stopping: Annotated[
        int | None, Option("End after N epochs without a better one.", 1, "N")
    ] = None
    best: Annotated[
        str,
        Option(
            "What chooses the best epoch on --dev: loss; or a metric of dt-score on outputs of a "
            "generator, or accuracy, macro_f1, micro_f1, pearson, spearman or rmse of a scorer (loss).",
            None,
            "METRIC",
        ),
    ] = "loss"


class Reading(NamedTuple):
    """How examples are made of records, and outputs of the model."""

    target: Annotated[str, Option("Key of the text to learn (reference).", None, "KEY")] = (
        "reference"
    )
    references: Annotated[
        Literal["all", "first"], Option("Which of several references to learn (all).")
    ] = "all"
    max_input: Annotated[
        int,
        Option("Most tokens of input (1024, or the model's limit); longer input is cut.", 1, "N"),
    ] = 1024
    truncate: Annotated[
        Side | None, Option("Side on which longer input is cut (right; left for a causal model).")
    ] = None
    max_new_tokens: Annotated[
        int,
        Option("Most tokens of a target, and of an output (128); a longer target is cut.", 1, "N"),
    ] = 128
    beams: Annotated[int, Option("Width of the search for outputs (1).", 1, "N")] = 1
    dev_outputs: Annotated[
        int,
        Option(
            "Records of --dev that get outputs after each epoch (100; all with a metric as --best).",
            1,
            "N",
        ),
    ] = 100
    language: Annotated[
        str | None,
        Option("Language of records without one, such as en, zh, ja.", None, "TAG", ("--lang",)),
    ] = None
    add_tokens: Annotated[
        str,
        Option(
            "File of tokens to add to the model's own, one a line, such as signs for acts.",
            None,
            "FILE",
        ),
    ] = ""
    src_lang: Annotated[
        str,
        Option(
            'Language of the input, by the model\'s own code (its code for "lang").', None, "CODE"
        ),
    ] = ""
    tgt_lang: Annotated[
        str, Option("Language of the target, by the model's own code.", None, "CODE")
    ] = ""


class Machine(NamedTuple):
    """Where and how a training runs."""

    batch_tokens: Annotated[
        int,
        Option(
            "Tokens that the model reads and learns at once, with padding (16384); a step with more "
            "sums gradients.",
            1,
            "N",
        ),
    ] = 16384
    gradient_checkpointing: Annotated[
        bool, Option("Compute states twice rather than keep them: less memory, more time.")
    ] = False
    precision: Annotated[
        Literal["auto", "float32", "bfloat16", "float16"],
        Option(
            "Numbers that the model computes with (auto: bfloat16 on a GPU that has it, else "
            "float32)."
        ),
    ] = "auto"
    device: Annotated[
        str, Option("cpu, cuda, cuda:1, mps … (cuda if present, else cpu).", None, "NAME")
    ] = "auto"
    offline: Annotated[
        bool, Option("Open no socket: use only models that are on this machine.")
    ] = False
    trust_remote_code: Annotated[bool, Option("Run code that comes with the model.")] = False
    allow_pickle: Annotated[
        bool,
        Option(
            "Read pickled weights (*.bin) of a model without safetensors. Such a file can run code "
            "when it is read: allow it only for a model whose maker you trust."
        ),
    ] = False


def rate(recipe: Recipe, tiny: bool) -> float:
    """Return the learning rate."""
    if recipe.learning_rate is not None:
        return recipe.learning_rate
    return RATES["tiny" if tiny else "lora" if recipe.lora else ""]
