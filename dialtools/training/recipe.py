"""What a user asks of a training: the job, and its options, each declared once."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple

from dialtools.models import scorers
from dialtools.models.decoding import (
    AllowPickle,
    MaxInput,
    Offline,
    SourceLanguage,
    Truncate,
    TrustRemoteCode,
)
from dialtools.models.scorers import Head, Task
from dialtools.plugins.options import Option
from dialtools.system import files

RATES = {"tiny": 1e-3, "lora": 2e-4, "": 3e-5}  # the default learning rates
ENCODER_RATES = {True: 1e-3, False: 2e-5}  # those of encoders: of tiny and of other models

Device = Annotated[
    str, Option("cpu, cuda, cuda:1, mps … (cuda if present, else cpu).", None, "NAME")
]
LanguageOfRecords = Annotated[
    str | None,
    Option("Language of records without one, such as en, zh, ja.", None, "TAG", ("--lang",)),
]


class Job(NamedTuple):
    """What a training starts from, what it learns from, and where it ends."""

    command: str  # the command line, for the card
    model: str
    train: tuple[str, ...]
    dev: tuple[str, ...]
    folder: str
    seed: int
    go_on: bool
    overwrite: bool
    settings: Mapping[str, Any] = {}  # arguments of the Trainer, by name: --set

    def set(self) -> dict[str, Any]:
        """Return --set for a record of options; nothing where it was not given."""
        return {"set": dict(self.settings)} if self.settings else {}

    def hashes(self) -> dict[str, str]:
        """Return what tells the files of the training from others."""
        return {**files.hashes("train", self.train), **files.hashes("dev", self.dev)}


class Recipe(NamedTuple):
    """How a model is trained, and how its best epoch is chosen."""

    epochs: Annotated[int, Option("Passes over the training data (3).", 1, "N")] = 3
    learning_rate: Annotated[
        float | None,
        Option(
            "Highest learning rate (3e-5; with --lora 2e-4, for tiny 1e-3); that of AdamW, which falls "
            "to 0 in a line.",
            1e-12,
            "X",
        ),
    ] = None
    weight_decay: Annotated[float, Option("Weight decay (0.01).", 0, "X")] = 0.01
    warmup: Annotated[
        float, Option("Share of the steps in which the learning rate rises (0.05).", 0, "P", most=1)
    ] = 0.05
    batch_size: Annotated[
        int, Option("Records in one step, of all processes together (32).", 1, "N")
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
            "What chooses the best epoch on --dev (loss); or a metric of dt-score on outputs of a "
            "generator, or accuracy, macro_f1, micro_f1, pearson, spearman or rmse of a scorer.",
            None,
            "METRIC",
        ),
    ] = "loss"
    keep_epochs: Annotated[
        bool, Option("Keep the model of each epoch, too, as FOLDER/epoch-1, epoch-2 ….")
    ] = False


class Reading(NamedTuple):
    """How examples are made of records, and outputs of the model."""

    target: Annotated[str, Option("Key of the text to learn (reference).", None, "KEY")] = (
        "reference"
    )
    references: Annotated[
        Literal["all", "first"], Option("Which of several references to learn (all).")
    ] = "all"
    max_input: MaxInput = 1024
    truncate: Truncate = None
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
    language: LanguageOfRecords = None
    add_tokens: Annotated[
        str,
        Option(
            "File of tokens to add to the model's own, one a line, such as signs for acts.",
            None,
            "FILE",
        ),
    ] = ""
    src_lang: SourceLanguage = ""
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
            "Numbers that the model computes with; auto is bfloat16 on a GPU that has it, else "
            "float32."
        ),
    ] = "auto"
    device: Device = "auto"
    offline: Offline = False
    trust_remote_code: TrustRemoteCode = False
    allow_pickle: AllowPickle = False

    def settings(self) -> dict[str, Any]:
        """Return what must be the same when a training is resumed."""
        names = ("batch_tokens", "precision", "gradient_checkpointing", "device")
        return {name: getattr(self, name) for name in names}


class Grading(NamedTuple):
    """What a scorer reads of a record, and what it learns."""

    target: Annotated[
        str,
        Option(
            "Path of what is to be learned (label); a text or true and false is a label, a list "
            "several labels at once, a number, or texts that all are numbers, regression.",
            None,
            "PATH",
        ),
    ] = "label"
    task: Annotated[Task | None, Option("What the target is, where that is not meant.")] = None
    of: Annotated[
        str,
        Option(
            "Path of the text (what dt-generate reads: context and dialogue or text).", None, "PATH"
        ),
    ] = ""
    pair: Annotated[
        str,
        Option(
            "Paths of two texts, such as prediction,reference or dialogue,text.", None, "PATH,PATH"
        ),
    ] = ""
    profile: Annotated[str, Option("Path of a text that comes first.", None, "PATH")] = ""
    speaker_tokens: Annotated[
        bool,
        Option(
            "Call participants by tokens, not names; one for each who speaks in two records of "
            "--train or more, and one for all others."
        ),
    ] = False
    head: Annotated[
        Head,
        Option(
            "linear; or cosine: the cosine of the vectors of the two texts' last tokens, through one "
            "linear unit (linear)."
        ),
    ] = "linear"
    class_weights: Annotated[bool, Option("Weigh labels by the inverse of their frequency.")] = (
        False
    )
    max_input: Annotated[
        int,
        Option(
            "Most tokens of input (512, or the model's limit); longer input is cut.",
            scorers.SHORTEST,
            "N",
        ),
    ] = 512
    truncate: Annotated[
        Literal["left", "right"] | None,
        Option("Side on which longer input is cut (left of a dialogue, right of other texts)."),
    ] = None
    language: LanguageOfRecords = None


class Course(NamedTuple):
    """How an encoder is trained."""

    loss: Annotated[
        str | None,
        Option(
            "Loss of sentence-transformers: contrastive (the default for targets of 0 and 1) or "
            "online-contrastive, cosine (the default for other targets) or cosent, multiple-negatives "
            "(for pairs without a target, and --vectors), batch-hard-triplet (for --group) or "
            "multi-similarity (for --group and --vectors).",
            None,
            "NAME",
        ),
    ] = None
    epochs: Annotated[
        int,
        Option(
            "Passes over the training data (1); 0 writes the encoder as it "
            "is before training, to compare with.",
            0,
            "N",
        ),
    ] = 1
    learning_rate: Annotated[
        float | None,
        Option(
            "Highest learning rate (2e-5; for tiny 1e-3); that of AdamW, which falls to 0 in a line.",
            1e-12,
            "X",
        ),
    ] = None
    warmup: Annotated[
        float, Option("Share of the steps in which the learning rate rises (0.1).", 0, "P", most=1)
    ] = 0.1
    batch_size: Annotated[int, Option("Examples in one step (64).", 2, "N")] = 64
    max_input: Annotated[
        int | None,
        Option("Most tokens of a text that the encoder reads (the model's own limit).", 3, "N"),
    ] = None
    margin: Annotated[
        float,
        Option(
            "Cosine distance from which on the contrastive losses let unlike texts be (1.0).",
            0,
            "X",
        ),
    ] = 1.0
    device: Device = "auto"
    offline: Offline = False


class ParserShape(NamedTuple):
    """The network of a parser; None is the parent's, or the default."""

    network: Annotated[
        Literal["bilstm", "attention"] | None,
        Option("Network that reads a sentence (bilstm, or the parent's)."),
    ] = None
    layers: Annotated[int | None, Option("Layers of the encoder (2, or the parent's).", 1, "N")] = (
        None
    )
    hidden: Annotated[
        int | None,
        Option("Dimensions of the encoder in each direction (200, or the parent's).", 2, "N"),
    ] = None
    dropout: Annotated[
        float | None,
        Option(
            "Share of dimensions that training hides (0.33, or the parent's).", 0, "P", most=0.99
        ),
    ] = None


class ParserRecipe(NamedTuple):
    """How a parser is trained."""

    epochs: Annotated[int, Option("Passes over the training data (20).", 1, "N")] = 20
    batch_size: Annotated[int, Option("Words in one step (250).", 1, "N")] = 250
    learning_rate: Annotated[float, Option("Highest learning rate of Adam (0.003).", 1e-9, "X")] = (
        0.003
    )
    average: Annotated[
        float,
        Option(
            "Decay of the moving average of the weights, which the model consists of (0.99).",
            0,
            "P",
            most=0.9999,
        ),
    ] = 0.99
    word_dropout: Annotated[
        float,
        Option(
            "Share of words whose characters alone are seen in training (0.25).", 0, "P", most=1
        ),
    ] = 0.25
    upos_dropout: Annotated[
        float, Option("Share of parts of speech that training hides (0.2).", 0, "P", most=1)
    ] = 0.2
    subtypes: Annotated[bool, Option("Keep subtypes of labels, such as acl:relcl.")] = False


def rate(recipe: Recipe, is_tiny: bool) -> float:
    """Return the highest learning rate."""
    if recipe.learning_rate is not None:
        return recipe.learning_rate
    return RATES["tiny" if is_tiny else "lora" if recipe.lora else ""]
