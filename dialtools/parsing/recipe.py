"""Options of training a parser, each declared once."""

from typing import Annotated, Literal, NamedTuple

from dialtools.plugins.options import Option


class Shape(NamedTuple):
    """Options of the network; None is the parent's, or the default."""

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


class Recipe(NamedTuple):
    """Options of training."""

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
