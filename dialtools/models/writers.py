"""Models that write text, each by an engine: torch, ctranslate2 or vllm."""

import functools
import importlib
import os
from collections.abc import Callable
from typing import Any, NamedTuple

from dialtools.models import checkpoints, minibatches
from dialtools.models.decoding import Decoding
from dialtools.models.folders import Checkpoint
from dialtools.system.errors import OptionError, show

_OF_TRANSFORMERS = (
    "suppress_tokens",
    "begin_suppress_tokens",
    "sequence_bias",
    "guidance_scale",
    "exponential_decay_length_penalty",
    "encoder_no_repeat_ngram_size",
    "encoder_repetition_penalty",
    "num_beam_groups",
    "diversity_penalty",
    "constraints",
    "force_words_ids",
    "remove_invalid_values",
    "stop_strings",
    "watermarking_config",
    "penalty_alpha",
    "dola_layers",
)  # settings of transformers alone


class ModelInput(NamedTuple):
    """The input of a model for one prompt."""

    ids: tuple[int, ...]
    seeds: tuple[int, ...] = ()  # one for each sample to be drawn
    names: tuple[int, ...] = ()  # of a model that asks which tokens are names: 0 for none


class ModelOutput(NamedTuple):
    """An output of a model."""

    ids: list[int]  # after the decoder's first token, or the prompt; without the end
    ended: bool  # by itself
    # of a beam: sum of the tokens' log-probabilities / length ** length_penalty
    score: float | None = None
    logprobs: list[float] = []  # of each token, if asked for


class Search(NamedTuple):
    """A search or a sampling, in tokens of a model."""

    decoding: Decoding
    stop: tuple[str, ...] = ()
    start: int | None = None  # the decoder's first token
    first: int | None = None  # the token that each output begins with
    exact: bool = False


class Writer(NamedTuple):
    """A model, ready to write."""

    tokenizer: Any
    config: Any
    settings: Any  # the generation settings that come with the model
    write: Callable[[list[ModelInput], Search], list[list[ModelOutput]]]
    room: minibatches.Room | None = None  # of its device, for all that is written


def check_settings(name: str, settings: Any, engine: str, never: list[list[int]]) -> None:
    """Raise OptionError for generation settings of a model that only transformers supports.

    never: tokens that the engine never writes, one in each list, as in "bad_words_ids".
    """
    for key in _OF_TRANSFORMERS:
        if getattr(settings, key, None) not in (None, False, 0, 1, 0.0, 1.0):
            raise OptionError(
                f"the generation settings of {name} have a {key}, which {engine} "
                "does not know: engine=torch"
            )
    if (settings.bad_words_ids or []) != never:
        raise OptionError(
            f"the generation settings of {name} have as bad_words_ids "
            f"{settings.bad_words_ids}, and what {engine} never writes is {never}: "
            "engine=torch"
        )


def end_tokens(settings: Any) -> list[int]:
    """Return the tokens that end an output by a model's generation settings."""
    ends = settings.eos_token_id
    return ends if isinstance(ends, list) else [] if ends is None else [ends]


def forced_end(settings: Any) -> int:
    """Return 1 if the settings force the end as the last token of an output, else 0."""
    return int(settings.forced_eos_token_id is not None)


def by_row(outputs: list[ModelOutput], number: int) -> list[list[ModelOutput]]:
    """Return the outputs of each row, of a number each."""
    return [outputs[start : start + number] for start in range(0, len(outputs), number)]


def stop_texts(stop: str) -> tuple[str, ...]:
    """Return the texts before which an output ends, of an option: one, or a JSON list; none for "".

    >>> stop_texts("###"), stop_texts('["\\\\n", "Ann:"]'), stop_texts("")
    (('###',), ('\\n', 'Ann:'), ())
    """
    import json

    try:
        stops = json.loads(stop) if stop.startswith("[") else [stop] if stop else []
    except ValueError:
        stops = [stop]
    if not all(isinstance(text, str) and text for text in stops):
        raise OptionError(f"stop must be a text, or a JSON list of texts, not {show(stop)}")
    return tuple(stops)


def stop_place(text: str, stops: tuple[str, ...]) -> int:
    """Return the place of the first of them in a text, -1 for none.

    >>> stop_place("Yes. Ann: Bob: No.", ("Bob:", "Ann:")), stop_place("Yes.", ())
    (5, -1)
    """
    return min((place for place in map(text.find, stops) if place >= 0), default=-1)


def short(name: str) -> str:
    """Return a model's name for tables: the last part of its path or hub name.

    >>> short("facebook/bart-large-xsum"), short("runs/7/")
    ('bart-large-xsum', '7')
    """
    return os.path.basename(os.path.abspath(name))


def kind(name: str, offline: bool = False, trust_remote_code: bool = False) -> str:
    """Return the generator for a model's configuration: "seq2seq", "causal" or "classifier"."""
    kind_of_model, architecture = checkpoints.kind_of(Checkpoint(name, offline, trust_remote_code))
    if architecture.endswith("ForSequenceClassification"):
        return "classifier"
    if kind_of_model not in ("seq2seq", "causal"):
        raise OptionError(
            f"{name} is a {architecture}, which writes no text; "
            "if it does, use -g seq2seq or -g causal"
        )
    return kind_of_model


@functools.lru_cache(maxsize=2)
def writer(
    kind: str,
    checkpoint: Checkpoint,
    engine: str = "torch",
    device: str = "auto",
    precision: str = "float32",
) -> Writer:
    """Return a model that writes text, on its device; the last two are kept: translators that take turns.

    kind: "seq2seq" or "causal".
    device: a device of torch; "auto" is cuda if present, else cpu.
    precision: of weights and sums, a Precision other than auto
    """
    library = importlib.import_module(f"dialtools.models.engine_{engine}")
    return library.writer(kind, checkpoint, device, precision)
