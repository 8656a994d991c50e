"""Perplexity under a language model, from 1 to infinity; lower is likelier.

The exponential of the mean loss of a text's tokens: exactly that of plain transformers,
model(**tokens, labels=tokens["input_ids"]).loss, in any batch and order. The first token has no
loss unless a token stands before it; bos=yes puts the tokenizer's there. `unit` says what the
mean is over: the model's tokens, bytes, or the tokens of a tokenizer such as space.

`model` is a causal model (GPT-2, …) or a masked one (BERT, …). A masked one gives the
pseudo-perplexity: each token is masked in its turn, except those that the tokenizer adds. of=text
scores the "text" of a record, of=KEY any other key. A text without a token is an error; so is one
that is too long, unless `long` says what to do with it. engine=ctranslate2 is faster on a CPU,
needs the library of that name, and agrees to about 1e-5.

Source: Jelinek et al. 1977; masked: Salazar et al. 2020,
https://aclanthology.org/2020.acl-main.240 (there over a corpus).

>>> perplexity([0.0, 1.0], 2), perplexity([0.0, 1.0], 1)
(1.6487212707001282, 2.718281828459045)
"""

import math

from dialtools.metrics import _pairs
from dialtools.models import likelihoods
from dialtools.models.checkpoints import Place
from dialtools.models.readers import Engine
from dialtools.names import occurrences
from dialtools.plugins.metric import Metric
from dialtools.plugins.options import flat
from dialtools.system.errors import OptionError, RecordError
from dialtools.text import tokenizers

_OWN_UNITS = ("token", "byte")


@flat
def score(
    predictions: list[str],
    *,
    model: str = "",
    kind: likelihoods.Kind | None = None,
    unit: str = "token",
    bos: likelihoods.Special = "tokenizer",
    eos: likelihoods.Special = "tokenizer",
    long: likelihoods.Long = "error",
    stride: int = 0,
    engine: Engine = "torch",
    place: Place = Place(),
) -> list[float]:
    """Return the perplexity of each text.

    model: folder or hub name.  kind: causal or masked; None: as its configuration says.
    unit: token, byte, or one of tokenizers.py.
    bos, eos: a token before and after the text: yes, no, or as the tokenizer adds it by itself.
    long: what to do with a text longer than the model's positions: error; truncate, at its end;
        stride: windows that begin `stride` tokens apart (0: half the positions), and each token
        is predicted in the first that holds it.
    engine: ctranslate2 converts the model once and caches it.
    """
    if not model:
        raise OptionError("perplexity: which model? perplexity:model=PATH, a folder or a hub name")
    if unit not in _OWN_UNITS:
        tokenizers.require(unit)
    if unit != "token" and long == "truncate":
        raise OptionError(
            f"perplexity: unit={unit} counts what long=truncate cuts off; long=stride reads all"
        )

    def values(texts: list[str]) -> list[float]:
        lengths = [_length(text, unit) for text in texts]
        if _kind(model, kind, place.offline) == "masked":
            if (bos, eos) != ("tokenizer", "tokenizer") or long == "stride" or engine != "torch":
                raise OptionError(
                    "perplexity: bos, eos, long=stride and engine are for causal models, this one "
                    "is masked"
                )
            losses = likelihoods.masked(model, texts, place, long)
        else:
            manner = likelihoods.CausalReading(bos, eos, long, stride, engine)
            losses = likelihoods.causal(model, texts, place, manner, occurrences.of_tokens)
        return [
            perplexity(row, length or len(row)) for row, length in zip(losses, lengths, strict=True)
        ]

    return _pairs.of_each(values, predictions)


def _length(text: str, unit: str) -> int:
    """Return the number of units of a text; 0 for the model's own tokens."""
    if unit == "token":
        return 0
    number = len(text.encode()) if unit == "byte" else len(tokenizers.named(unit)(text))
    if not number:
        raise RecordError(f"no {unit} in the text, and so no perplexity by {unit}")
    return number


def _kind(model: str, kind: likelihoods.Kind | None, offline: bool) -> str:
    kind_of_model = kind or likelihoods.kind(model, offline)
    if kind_of_model == "seq2seq":
        raise OptionError(
            f"{model} writes one text from another: perplexity is of a causal or a masked model"
        )
    return kind_of_model


def perplexity(losses: list[float], number: int) -> float:
    """Return the exponential of the mean loss per unit. Raise RecordError on overflow."""
    mean = math.fsum(losses) / number
    try:
        return math.exp(mean)
    except OverflowError:
        raise RecordError(
            f"the perplexity is beyond the numbers: a mean loss of {mean:g}"
        ) from None


@flat
def counts(
    predictions: list[str],
    *,
    model: str = "",
    kind: likelihoods.Kind | None = None,
    bos: likelihoods.Special = "tokenizer",
    eos: likelihoods.Special = "tokenizer",
    long: likelihoods.Long = "error",
    engine: Engine = "torch",
    place: Place = Place(),
) -> list[dict[str, int]]:
    """Return {"truncated": 1} or {"windowed": 1} for each text that was too long."""
    if long == "error":
        return [{}] * len(predictions)
    manner = likelihoods.CausalReading(bos, eos, engine=engine)
    long_texts = likelihoods.too_long(
        _kind(model, kind, place.offline), model, predictions, place, manner
    )
    return _pairs.marked(long_texts, "truncated" if long == "truncate" else "windowed")


def described(options: dict) -> dict[str, object]:
    """Return the stride if it has an effect."""
    return {} if options["long"] == "stride" else {"stride": None}


def libraries(options: dict) -> tuple[str, ...]:
    """Return the libraries that compute it and find its units."""
    of_unit = () if options["unit"] in _OWN_UNITS else tokenizers.libraries(options["unit"])
    return (options["engine"], "transformers", *of_unit)


METRIC = Metric(
    score,
    range=(math.inf, 1),
    window=256,
    needs=("prediction",),
    counts=counts,
    libraries=libraries,
    described=described,
)
