"""Classifiers: the probability of a label, or a number, of a text or a pair of texts.

A model of dt-train scorer reads as in its training, and its probabilities are calibrated.
"""

import functools
from collections.abc import Sequence
from typing import Any, Literal

from dialtools.models import checkpoints, folders, minibatches, scorers
from dialtools.models.folders import Checkpoint
from dialtools.models.scorers import Manner, Text
from dialtools.system.errors import MissingError, OptionError, RecordError, nearest

Activation = Literal["softmax", "sigmoid", "none"]
Long = Literal["error", "truncate"]
LABELLING = "AutoModelForSequenceClassification"


@functools.lru_cache(maxsize=4)
def loaded(name: str, device: str, precision: str, offline: bool) -> tuple[Any, Any]:
    """Return (tokenizer, model); the last few are kept."""
    manner = scorers.of(name)
    by_cosine = manner is not None and manner.head == "cosine"
    tokenizer, model = network(
        Checkpoint(name, offline), device, precision, "AutoModel" if by_cosine else LABELLING
    )
    tokens = {at: token for token, at in tokenizer.get_vocab().items()}
    pad = model.config.get_text_config().pad_token_id
    if pad is None and by_cosine:  # which places it without
        pad = tokenizer.pad_token_id
    if pad not in tokens:
        raise MissingError(
            f"{name} has no token for padding: set pad_token_id in its config.json, "
            "to one that its tokenizer has"
        )
    tokenizer.pad_token = tokens[pad]  # a Llama knows by the model's where a text ends
    # XLNet takes its label from the last place, padding or not
    if getattr(model.config, "summary_type", "") == "last":
        tokenizer.padding_side = "left"
    if manner and by_cosine:
        model = scorers.cosine(model, manner.unit).to(model.device).eval()
    return tokenizer, model


def network(checkpoint: Checkpoint, device: str, precision: str, what: str) -> tuple[Any, Any]:
    """Return (tokenizer, model); an adapter with labels of its own brings their configuration."""
    name = checkpoint.name
    config = checkpoints.load("AutoConfig", checkpoint)
    built = checkpoints.architecture(config)
    if what != LABELLING:
        return checkpoints.network(what, checkpoint, device, precision, "pooler.")
    if not built.endswith(LABELLING.removeprefix("AutoModel")):
        raise OptionError(f"{name} is a {built}, which has no labels for texts")
    adapter = folders.said(name, folders.ADAPTER)
    if not adapter:
        return checkpoints.network(what, checkpoint, device, precision)
    with_it = tuple(f"{part}." for part in adapter.get("modules_to_save") or ())
    return checkpoints.network(what, checkpoint, device, precision, with_it, config=config)


def probabilities(
    name: str,
    texts: Sequence[Text],
    label: str,
    *,
    activation: Activation | None = None,
    long: Long | None = None,
    device: str = "auto",
    precision: str = "float32",
    offline: bool = False,
    batch_size: int = 16,
) -> list[float]:
    """Return the probability of a label for each text, or for each pair, in the order given.

    label: its name in the model's configuration, in any case unless only case distinguishes two.
    The other options are those of `distributions`.
    """
    at = place(name, loaded(name, device, precision, offline)[1].config, label)
    return [
        row[at]
        for row in distributions(
            name,
            texts,
            activation=activation,
            long=long,
            device=device,
            precision=precision,
            offline=offline,
            batch_size=batch_size,
        )
    ]


def distributions(
    name: str,
    texts: Sequence[Text],
    *,
    activation: Activation | None = None,
    long: Long | None = None,
    device: str = "auto",
    precision: str = "float32",
    offline: bool = False,
    batch_size: int = 16,
) -> list[list[float]]:
    """Return the probabilities of all labels for each text, or for each pair, in the order given.

    activation: softmax over labels, sigmoid of each, or none; None is that of the configuration.
    long: treatment of texts that are too long; truncate shortens the longer text of a pair. None
        is an error, but a model of dt-train scorer cuts as in its training.
    """
    tokenizer, model = loaded(name, device, precision, offline)
    manner = scorers.of(name)
    limit = checkpoints.positions(tokenizer, model.config, "encoder")
    made = [_rows(tokenizer, text, limit, manner, long) for text in texts]
    chosen = activation or activation_of(model.config)
    temperature = manner.temperature if manner and chosen != "none" else 1.0

    def work(made: list[list[dict]]) -> list[list[float]]:
        batch = scorers.padded(tokenizer, made).to(model.device)
        with checkpoints.inference():
            return _activated(model(**batch).logits.float() / temperature, chosen).tolist()

    return minibatches.each(
        made,
        lambda rows: sum(len(row["input_ids"]) for row in rows),
        work,
        minibatches.size(model.config, batch_size),
    )


def numbers(
    name: str,
    texts: Sequence[Text],
    *,
    long: Long | None = None,
    device: str = "auto",
    precision: str = "float32",
    offline: bool = False,
    batch_size: int = 16,
) -> list[float]:
    """Return the number that a model of regression gives each text, or each pair.

    That of a model of dt-train scorer is in the unit of what it has learned.
    """
    model = loaded(name, device, precision, offline)[1]
    manner = scorers.of(name)
    if manner.task != "number" if manner else model.config.num_labels != 1:
        raise OptionError(
            f"{name} predicts labels, and no number: dt-score -m "
            f"classifier:model={name},label=… gives the probability of one"
        )
    low, high = manner.range if manner else (0.0, 1.0)
    found = distributions(
        name,
        texts,
        activation="none",
        long=long,
        device=device,
        precision=precision,
        offline=offline,
        batch_size=batch_size,
    )
    if found and len(found[0]) != 1:
        raise MissingError(f"{name} is damaged: it gives {len(found[0])} numbers instead of one")
    return [low + (high - low) * value for (value,) in found]


def too_long(
    name: str,
    texts: Sequence[Text],
    *,
    device: str = "auto",
    precision: str = "float32",
    offline: bool = False,
) -> list[bool]:
    """Return which texts are too long for the model."""
    tokenizer, model = loaded(name, device, precision, offline)
    manner = scorers.of(name)
    limit = checkpoints.positions(tokenizer, model.config, "encoder")
    if manner:
        return [scorers.rows(tokenizer, text, manner, limit)[1] for text in texts]
    return [len(tokenizer(*text, verbose=False)["input_ids"]) > limit for text in texts]


def cuts(name: str, long: Long | None) -> bool:
    """Return whether a model cuts a text that is too long."""
    return long == "truncate" or (long is None and scorers.of(name) is not None)


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
    return (
        "sigmoid"
        if config.problem_type == "multi_label_classification" or config.num_labels == 1
        else "softmax"
    )


def labels_of(config: Any) -> list[str]:
    """Return the names of the labels, in the order of their probabilities."""
    return [config.id2label[at] for at in range(config.num_labels)]


def place(name: str, config: Any, label: str) -> int:
    """Return the number of a label. Raise OptionError, with the nearest label, for an unknown one."""
    labels = labels_of(config)
    alike = [at for at, known in enumerate(labels) if known.casefold() == label.casefold()]
    if label in labels:
        return labels.index(label)
    if len(alike) == 1:
        return alike[0]
    raise OptionError(
        f"{name} has no label {label!r}{nearest(label, labels)}; it has {', '.join(labels)}"
    )


def _rows(
    tokenizer: Any, text: Text, limit: int, manner: Manner | None, long: Long | None
) -> list[dict]:
    """Return the tokens of a text or a pair. Raise RecordError if it is too long."""
    if manner:
        rows, cut = scorers.rows(tokenizer, text, manner, limit)
        if cut and long == "error":
            raise RecordError("more tokens than the model reads: long=truncate cuts them")
        return rows
    row = tokenizer(*text, verbose=False)
    if len(row["input_ids"]) > limit:
        if long != "truncate":
            raise RecordError(
                f"{len(row['input_ids'])} tokens, and the model has positions for "
                f"{limit}: long=truncate cuts them"
            )
        row = tokenizer(*text, truncation=True, max_length=limit)
    return [dict(row)]
