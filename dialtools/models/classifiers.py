"""Classifiers: the probability of a label of a text, or of a pair of texts."""

import functools
from collections.abc import Sequence
from typing import Any, Literal

from dialtools.errors import MissingError, OptionError, RecordError, nearest
from dialtools.models import checkpoints, minibatches
from dialtools.models.folders import Checkpoint

Activation = Literal["softmax", "sigmoid", "none"]
Long = Literal["error", "truncate"]
Text = tuple[str, ...]  # one, or the two of a pair


@functools.lru_cache(maxsize=4)
def loaded(name: str, device: str, precision: str, offline: bool) -> tuple[Any, Any]:
    """Return (tokenizer, model); the last few are kept."""
    checkpoint = Checkpoint(name, offline)
    config = checkpoints.load("AutoConfig", checkpoint)
    built = checkpoints.architecture(config)
    if not built.endswith("ForSequenceClassification"):
        raise OptionError(f"{name} is a {built}, which has no labels for texts")
    tokenizer, model = checkpoints.network("AutoModelForSequenceClassification", checkpoint, device,
                                           precision)
    tokens = {at: token for token, at in tokenizer.get_vocab().items()}
    pad = model.config.get_text_config().pad_token_id
    if pad not in tokens:
        raise MissingError(f"{name} has no token for padding: set pad_token_id in its config.json, "
                           "to one that its tokenizer has")
    tokenizer.pad_token = tokens[pad]  # a Llama knows by the model's where a text ends
    # XLNet takes its label from the last place, padding or not
    if getattr(model.config, "summary_type", "") == "last":
        tokenizer.padding_side = "left"
    return tokenizer, model


def probabilities(name: str, texts: Sequence[Text], label: str, *,
                  activation: Activation | None = None, long: Long = "error", device: str = "auto",
                  precision: str = "float32", offline: bool = False,
                  batch_size: int = 16) -> list[float]:
    """Return the probability of a label for each text, or for each pair, in the order given.

    label: its name in the model's configuration, in any case unless only case distinguishes two.
    The other options are those of `distributions`.
    """
    at = place(name, loaded(name, device, precision, offline)[1].config, label)
    return [row[at] for row in distributions(
        name, texts, activation=activation, long=long, device=device, precision=precision,
        offline=offline, batch_size=batch_size)]


def distributions(name: str, texts: Sequence[Text], *, activation: Activation | None = None,
                  long: Long = "error", device: str = "auto", precision: str = "float32",
                  offline: bool = False, batch_size: int = 16) -> list[list[float]]:
    """Return the probabilities of all labels for each text, or for each pair, in the order given.

    activation: softmax over labels, sigmoid of each, or none; None is that of the configuration.
    long: treatment of texts that are too long; truncate shortens the longer text of a pair.
    """
    tokenizer, model = loaded(name, device, precision, offline)
    limit = checkpoints.positions(tokenizer, model.config, "encoder")
    rows = [_row(tokenizer, text, limit, long) for text in texts]
    chosen = activation or activation_of(model.config)

    def work(rows: list[dict]) -> list[list[float]]:
        batch = tokenizer.pad(rows, padding=True, return_tensors="pt",
                              verbose=False).to(model.device)
        with checkpoints.inference():
            return _activated(model(**batch).logits.float(), chosen).tolist()

    return minibatches.each(rows, lambda row: len(row["input_ids"]), work,
                            minibatches.size(model.config, batch_size))


def too_long(name: str, texts: Sequence[Text], *, device: str = "auto", precision: str = "float32",
             offline: bool = False) -> list[bool]:
    """Return which texts are too long for the model."""
    tokenizer, model = loaded(name, device, precision, offline)
    limit = checkpoints.positions(tokenizer, model.config, "encoder")
    return [len(tokenizer(*text, verbose=False)["input_ids"]) > limit for text in texts]


def _activated(logits: Any, activation: Activation) -> Any:  # (texts, labels) -> (texts, labels)
    if activation == "none":
        return logits
    return logits.softmax(dim=-1) if activation == "softmax" else logits.sigmoid()


def activation_of(config: Any) -> Activation:
    """Return the activation that a configuration asks for.

    sigmoid for several labels at once or a single label, none for regression, else softmax.
    """
    if config.problem_type == "regression":
        return "none"
    return ("sigmoid" if config.problem_type == "multi_label_classification" or config.num_labels
            == 1 else "softmax")


def labels_of(config: Any) -> list[str]:
    """Return the names of the labels, in the order of their probabilities."""
    return [config.id2label[at] for at in range(config.num_labels)]


def place(name: str, config: Any, label: str) -> int:
    """Return the number of a label. Raise OptionError, with the nearest label, for an unknown one.
    """
    labels = labels_of(config)
    alike = [at for at, known in enumerate(labels) if known.casefold() == label.casefold()]
    if label in labels:
        return labels.index(label)
    if len(alike) == 1:
        return alike[0]
    raise OptionError(f"{name} has no label {label!r}{nearest(label, labels)}; it has "
                      f"{', '.join(labels)}")


def _row(tokenizer: Any, text: Text, limit: int, long: Long) -> dict:
    """Return the tokens of a text or a pair. Raise RecordError if it is too long."""
    row = tokenizer(*text, verbose=False)
    if len(row["input_ids"]) > limit:
        if long == "error":
            raise RecordError(f"{len(row['input_ids'])} tokens, and the model has positions for "
                              f"{limit}: long=truncate cuts them")
        row = tokenizer(*text, truncation=True, max_length=limit)
    return dict(row)
