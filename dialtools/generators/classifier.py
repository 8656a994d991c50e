"""The label that a classifier gives a text or a pair of texts (is it toxic, which intent is it).

It reads what other models read, the prompt or else "context", dialogue and "text";
of=KEY names another key, such as of=reference.  With against=KEY it reads a pair:
other=first puts that text first (a premise, an utterance before the next), other=second
last.  The prediction is the most probable label, or with number=N a list of the N most
probable, best first; of a model for several labels at once it is all labels with a
probability of 0.5 or more, joined by "; ".  "prediction_scores" has the probability of
each label.  Activation and long texts are those of dt-score -m classifier.  A model of
dt-train scorer reads of a record what it was trained on; its probabilities are calibrated,
and its threshold is the one that was best in training.
"""

from typing import Literal

from dialtools.evaluation.compared_texts import Texts
from dialtools.inference import prompts, readings
from dialtools.models import classifiers, scorers
from dialtools.models.checkpoints import Place, Precision
from dialtools.plugins.generator import Generator
from dialtools.system.errors import OptionError, RecordError

Other = Literal["none", "first", "second"]
LIKELY = 0.5  # of each of several labels


def needs(options: dict) -> tuple[str, ...]:
    """Return the keys that a record must have."""
    if manner := scorers.of(options["model"]):
        return () if manner.pair or manner.of else ("dialogue|text",)
    return (options["of"] or "dialogue|text", *filter(None, [options["against"]]))


def settings(
    *,
    model: str,
    of: str,
    against: str,
    other: Other,
    activation: classifiers.Activation | None,
    long: classifiers.Long | None,
    number: int,
    precision: Precision,
    **_: object,
) -> dict:
    """Return the options that change the output, as they take effect."""
    if not model:
        raise OptionError("No classifier given: use --model PATH.")
    if (other == "none") == bool(against):
        raise OptionError("a pair of texts needs both against=KEY and other=first or second")
    if number < 1:
        raise OptionError(f"number is 1 or more, not {number}")
    if scorers.of(model) and (of or against):
        raise OptionError(f"{model} reads what it was trained on: not with of= or against=")
    return {
        "model": model,
        "of": of or None,
        "against": against or None,
        "other": None if other == "none" else other,
        "activation": activation,
        "long": "truncate" if classifiers.cuts(model, long) else "error",
        "number": number,
        "precision": precision,
    }


def generate(
    records: list[dict],
    *,
    model: str = "",
    of: str = "",
    against: str = "",
    other: Other = "none",
    activation: classifiers.Activation | None = None,
    long: classifiers.Long | None = None,
    number: int = 1,
    precision: Precision = "float32",
    device: str = "auto",
    offline: bool = False,
    window: int = 256,
    batch_size: int = 16,
) -> list[dict]:
    """Return the labels of each record, and whether its text was cut.

    model: folder or hub name.  of, against: keys of the text and of the one beside it.
    other: the place of the text under `against`.
    """
    manner = scorers.of(model)
    texts = [
        readings.one(record, manner) if manner else _texts(record, of, against, other == "first")
        for record in records
    ]
    place = Place(precision, device, offline, batch_size)
    config = classifiers.loaded(model, place)[1].config
    activation = activation or classifiers.activation_of(config)
    if config.problem_type == "regression" or (manner and manner.task == "number"):
        raise OptionError(
            f"{model} predicts a number, and no label: dt-score -m regressor:model={model}"
        )
    distinct = list(dict.fromkeys(texts))
    rows = classifiers.distributions(model, distinct, place, activation, long) if distinct else []
    cut = (
        classifiers.too_long(model, distinct, place)
        if classifiers.cuts(model, long)
        else [False] * len(distinct)
    )
    labels, several = classifiers.labels_of(config), activation == "sigmoid"
    least = manner.threshold if manner else LIKELY
    outputs = {
        text: {**_labelled(labels, row, number, several, least), "truncated": was_cut}
        for text, row, was_cut in zip(distinct, rows, cut, strict=True)
    }
    return [outputs[text] for text in texts]


def _texts(record: dict, of: str, against: str, first: bool) -> classifiers.Text:
    """Return what the model reads: one text, or two."""
    text = Texts(of=of).scored(record) if of else prompts.of(record)
    if not against:
        return (text,)
    compared = Texts(against=against).compared(record)
    if len(compared) != 1:
        raise RecordError(
            f'"{against}" must be one text to stand beside another, here are {len(compared)}',
            record,
        )
    return (*compared, text) if first else (text, *compared)


def _labelled(
    labels: list[str], row: list[float], number: int, several: bool, least: float
) -> dict:
    """Return the prediction for the probabilities of labels, and these.

    least: the probability from which on a label counts, of several at once; of two it is that of
    the second.
    """
    scores = {"prediction_scores": dict(zip(labels, row, strict=True))}
    if several and len(labels) > 1:
        if number > 1:
            raise OptionError("the model gives several labels at once: number=1")
        likely = [label for label, value in zip(labels, row, strict=True) if value >= least]
        return {"prediction": "; ".join(likely), **scores}
    best = sorted(range(len(row)), key=lambda place: -row[place])
    if len(row) == 2 and least != LIKELY:
        best = [1, 0] if row[1] >= least else [0, 1]
    names = [labels[place] for place in best[:number]]
    return {"prediction": names if number > 1 else names[0], **scores}


GENERATOR = Generator(generate, needs=needs, settings=settings)
