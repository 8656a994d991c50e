"""Classifiers: the probability of a label, a number, or whether a text goes on where another ended.

A model of dt-train scorer reads as in its training, and its probabilities are calibrated.
"""

import functools
from collections.abc import Sequence
from typing import Any, Literal

from dialtools.models import checkpoints, folders, minibatches, scorers
from dialtools.models.checkpoints import Place
from dialtools.models.folders import Checkpoint
from dialtools.models.scorers import Manner, Text
from dialtools.system.errors import MissingError, OptionError, RecordError, nearest

IS_NEXT = 0  # the place of this answer in every head of next-sentence prediction

Activation = Literal["softmax", "sigmoid", "none"]
Long = Literal["error", "truncate"]
NEXT = "AutoModelForNextSentencePrediction"
LABELLING = "AutoModelForSequenceClassification"


@functools.lru_cache(maxsize=4)
def loaded(name: str, place: Place, task: str = LABELLING) -> tuple[Any, Any]:
    """Return (tokenizer, model); the last few are kept."""
    checkpoint = Checkpoint(name, place.offline)
    if task == NEXT:
        tokenizer, model = checkpoints.network(task, checkpoint, place.device, place.precision)
        tokenizer.truncation_side = "left"  # what was said last counts most
        return tokenizer, model
    manner = scorers.of(name)
    by_cosine = manner is not None and manner.head == "cosine"
    what = "AutoModel" if by_cosine else LABELLING
    tokenizer, model = network(checkpoint, place.device, place.precision, what)
    tokens = {number: token for token, number in tokenizer.get_vocab().items()}
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
    adapter = folders.read_json(name, folders.ADAPTER)
    if not adapter:
        return checkpoints.network(what, checkpoint, device, precision)
    with_it = tuple(f"{part}." for part in adapter.get("modules_to_save") or ())
    return checkpoints.network(what, checkpoint, device, precision, with_it, config=config)


def probabilities(
    name: str,
    texts: Sequence[Text],
    label: str,
    place: Place = Place(),
    activation: Activation | None = None,
    long: Long | None = None,
) -> list[float]:
    """Return the probability of a label for each text, or for each pair, in the order given.

    label: its name in the model's configuration, in any case unless only case distinguishes two.
    The other options are those of `distributions`.
    """
    number = label_number(name, loaded(name, place)[1].config, label)
    return [row[number] for row in distributions(name, texts, place, activation, long)]


def distributions(
    name: str,
    texts: Sequence[Text],
    place: Place = Place(),
    activation: Activation | None = None,
    long: Long | None = None,
    task: str = LABELLING,
) -> list[list[float]]:
    """Return the probabilities of all labels for each text, or for each pair, in the order given.

    activation: softmax over labels, sigmoid of each, or none; None is that of the configuration.
    long: treatment of texts that are too long; truncate shortens the longer text of a pair. None
        is an error, but a model of dt-train scorer cuts as in its training.
    task: LABELLING; or NEXT, whose truncate cuts the beginning of the first text.
    """
    tokenizer, model = loaded(name, place, task)
    manner = scorers.of(name)
    limit = checkpoints.positions(tokenizer, model.config, "encoder")
    if task == NEXT:
        rows_by_text = [[_row_for_next(tokenizer, text, limit, long)] for text in texts]
    else:
        rows_by_text = [_rows(tokenizer, text, limit, manner, long) for text in texts]
    chosen = activation or activation_of(model.config)
    temperature = manner.temperature if manner and chosen != "none" else 1.0

    def work(rows: list[list[dict]]) -> list[list[float]]:
        batch = scorers.padded(tokenizer, rows).to(model.device)
        with checkpoints.inference():
            logits = model(**batch).logits.float() / temperature  # (texts, labels)
            if chosen == "softmax":
                logits = logits.softmax(dim=-1)
            elif chosen == "sigmoid":
                logits = logits.sigmoid()
            return logits.tolist()

    return minibatches.each(
        rows_by_text,
        lambda rows: sum(len(row["input_ids"]) for row in rows),
        work,
        minibatches.size(model.config, place.batch_size),
    )


def numbers(
    name: str, texts: Sequence[Text], place: Place = Place(), long: Long | None = None
) -> list[float]:
    """Return the number that a model of regression gives each text, or each pair.

    That of a model of dt-train scorer is in the unit of what it has learned.
    """
    model = loaded(name, place)[1]
    manner = scorers.of(name)
    if manner.task != "number" if manner else model.config.num_labels != 1:
        raise OptionError(
            f"{name} predicts labels, and no number: dt-score -m "
            f"classifier:model={name},label=… gives the probability of one"
        )
    low, high = manner.range if manner else (0.0, 1.0)
    rows = distributions(name, texts, place, "none", long)
    if rows and len(rows[0]) != 1:
        raise MissingError(f"{name} is damaged: it gives {len(rows[0])} numbers instead of one")
    return [low + (high - low) * value for (value,) in rows]


def too_long(
    name: str, texts: Sequence[Text], place: Place = Place(), task: str = LABELLING
) -> list[bool]:
    """Return which texts are too long for the model."""
    tokenizer, model = loaded(name, place, task)
    manner = scorers.of(name)
    limit = checkpoints.positions(tokenizer, model.config, "encoder")
    if manner:
        return [scorers.rows(tokenizer, text, manner, limit)[1] for text in texts]
    return [len(tokenizer(*text, verbose=False)["input_ids"]) > limit for text in texts]


def cuts(name: str, long: Long | None) -> bool:
    """Return whether a model cuts a text that is too long."""
    return long == "truncate" or (long is None and scorers.of(name) is not None)


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
    return [config.id2label[number] for number in range(config.num_labels)]


def label_number(name: str, config: Any, label: str) -> int:
    """Return the number of a label. Raise OptionError, with the nearest label, for an unknown one."""
    labels = labels_of(config)
    if label in labels:
        return labels.index(label)
    folded = [known.casefold() for known in labels]
    if folded.count(label.casefold()) == 1:
        return folded.index(label.casefold())
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


def _row_for_next(tokenizer: Any, pair: Text, limit: int, long: Long | None) -> dict:
    """Return the tokens of a pair for next-sentence prediction."""
    row = tokenizer(*pair, verbose=False)
    number = len(row["input_ids"])
    if number <= limit:
        return dict(row)
    if long != "truncate":
        raise RecordError(
            f"{number} tokens, and the model has positions for {limit}: "
            "long=truncate cuts the turns before"
        )
    alone = len(tokenizer("", pair[1], verbose=False)["input_ids"])
    if alone >= limit:
        raise RecordError(
            f"the text alone has {alone} tokens, and the model has positions for {limit}"
        )
    return dict(tokenizer(*pair, truncation="only_first", max_length=limit))
