"""The label that a classifier gives a text or a pair of texts (is it toxic, which intent is it).

It reads what other models read, the prompt or else "context", dialogue and "text";
of=KEY names another key, such as of=reference.  With against=KEY it reads a pair:
other=first puts that text first (a premise, an utterance before the next), other=second
last.  The prediction is the most probable label, or with number=N a list of the N most
probable, best first; of a model for several labels at once it is all labels with a
probability of 0.5 or more, joined by "; ".  "probabilities" in the history are those of
the labels written.  Activation and long texts are those of dt-score -m classifier.
"""

from typing import Any, Literal

from dialtools.errors import OptionError, RecordError
from dialtools.generation import prompts
from dialtools.models import classifiers
from dialtools.models.readers import Precision
from dialtools.scoring.texts import Texts

Other = Literal["none", "first", "second"]
LIKELY = 0.5  # of each of several labels


def needs(options: dict) -> tuple[str, ...]:
    """Return the keys that a record must have."""
    return (options["of"] or "dialogue|text", *filter(None, [options["against"]]))


def settings(*, model: str = "", of: str = "", against: str = "", other: Other = "none",
             activation: classifiers.Activation | None = None, long: classifiers.Long = "error",
             number: int = 1, precision: Precision = "float32", device: str = "auto",
             offline: bool = False, window: int = 256,
             batch_size: int = 16) -> dict:
    """Return the options that change the output, as they take effect."""
    if not model:
        raise OptionError("No classifier given: use -g classifier:model=PATH, or --model PATH.")
    if (other == "none") == bool(against):
        raise OptionError("a pair of texts needs both against=KEY and other=first or second")
    if number < 1:
        raise OptionError(f"number is 1 or more, not {number}")
    return {"model": model, "of": of or None, "against": against or None,
            "other": None if other == "none" else other, "activation": activation, "long": long,
            "number": number, "precision": precision}


def generate(records: list[dict], *, model: str = "", of: str = "", against: str = "",
             other: Other = "none", activation: classifiers.Activation | None = None,
             long: classifiers.Long = "error", number: int = 1, precision: Precision = "float32",
             device: str = "auto", offline: bool = False, window: int = 256,
             batch_size: int = 16) -> list[dict]:
    """Return the labels of each record, and whether its text was cut.

    model: folder or hub name.  of, against: keys of the text and of the one beside it.
    other: the place of the text under `against`.
    """
    texts = [_texts(record, of, against, other == "first") for record in records]
    loading: dict[str, Any] = {"device": device, "precision": precision, "offline": offline}
    config = classifiers.loaded(model, **loading)[1].config
    activation = activation or classifiers.activation_of(config)
    if config.problem_type == "regression":
        raise OptionError(f"{model} predicts a number, and no label")
    distinct = list(dict.fromkeys(texts))
    rows = classifiers.distributions(model, distinct, activation=activation, long=long,
                                     batch_size=batch_size, **loading) if distinct else []
    cut = classifiers.too_long(model, distinct, **loading) if long == "truncate" else \
        [False] * len(distinct)
    labels, several = classifiers.labels_of(config), activation == "sigmoid"
    made = {text: {**_labelled(labels, row, number, several), "truncated": was_cut}
            for text, row, was_cut in zip(distinct, rows, cut, strict=True)}
    return [made[text] for text in texts]


def _texts(record: dict, of: str, against: str, first: bool) -> classifiers.Text:
    """Return what the model reads: one text, or two."""
    text = Texts(of=of).scored(record) if of else prompts.of(record)
    if not against:
        return (text,)
    others = Texts(against=against).compared(record)
    if len(others) != 1:
        raise RecordError(f'"{against}" must be one text to stand beside another, here are '
                          f"{len(others)}", record)
    return (*others, text) if first else (text, *others)


def _labelled(labels: list[str], row: list[float], number: int, several: bool) -> dict:
    """Return the prediction for the probabilities of labels, and those of the labels written."""
    if several and len(labels) > 1:
        if number > 1:
            raise OptionError("the model gives several labels at once: number=1")
        likely = [at for at, value in enumerate(row) if value >= LIKELY]
        return {"prediction": "; ".join(labels[at] for at in likely),
                "probabilities": [row[at] for at in likely]}
    best = sorted(range(len(row)), key=lambda at: -row[at])[:number]
    names = [labels[at] for at in best]
    return {"prediction": names if number > 1 else names[0],
            "probabilities": [row[at] for at in best]}
