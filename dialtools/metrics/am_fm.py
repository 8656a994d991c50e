"""Deep AM-FM, adequacy and fluency beside a reference, from -1 to 1; higher is better.

weight × AM + (1 − weight) × FM. AM is the cosine of the embeddings of prediction and reference,
as in the metric cosine; FM is the ratio of their probabilities under a language model, the lower
by the higher, where a text's probability is 1 / perplexity. Of several references each part takes
the best, or the mean (refs). weight=1 is AM alone, and needs no `lm`; weight=0 is FM alone, and
needs no `model`. A text without a token has AM and FM 0.

against=dialogue compares with the turns before, where there is no reference. (The baseline of
DSTC10 for that case has another FM, the likelihood of the response after the last turn, scaled by
the data set.)  The first token of a text counts, too, unless bos=no or the tokenizer says so. A
text that is too long for a model is an error, unless long=truncate cuts it.

Source: Zhang et al. 2021, https://doi.org/10.1007/978-981-15-8395-7_5; formulas and their default,
the mean of BERT's top layer, as in https://github.com/e0397123/AM-FM (package/).

>>> ratio([1.0, 3.0], [1.0])
0.36787944117144233
"""

import math
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Literal

from dialtools.metrics import _embeddings, _pairs
from dialtools.models import likelihoods
from dialtools.plugins.metric import Metric
from dialtools.system.errors import OptionError
from dialtools.text import overlap


def score(
    predictions: list[str],
    references: list[list[str]],
    *,
    model: str = "",
    lm: str = "",
    weight: float = 0.5,
    bos: likelihoods.Special = "yes",
    refs: _pairs.Rule = "max",
    long: Literal["error", "truncate"] = "error",
    precision: likelihoods.Precision = "float32",
    device: str = "auto",
    offline: bool = False,
    batch_size: int = 16,
) -> list[float]:
    """Return the score of each prediction.

    model: sentence encoder, a folder or hub name.  lm: causal language model.
    weight: that of adequacy, from 0 to 1.
    bos: a token before each text: yes, no, or as the tokenizer adds it by itself.
    refs: take the best of several references (max), or their mean.
    """
    _require(model, lm, weight)
    where = likelihoods.Place(device, precision, offline, batch_size)
    adequacy = fluency = [0.0] * len(predictions)
    if weight > 0:
        vectors = _embeddings.of_texts(
            _embeddings.read(predictions, references, model, long, where)
        )
        adequacy = _embeddings.cosines(vectors, predictions, references, refs)
    if weight < 1:
        losses = _losses({*predictions, *chain(*references)}, lm, bos, long, where)
        fluency = overlap.best(losses.__getitem__, ratio, predictions, references, refs)
    return [
        weight * one + (1 - weight) * other for one, other in zip(adequacy, fluency, strict=True)
    ]


def counts(
    predictions: list[str],
    references: list[list[str]],
    *,
    model: str = "",
    lm: str = "",
    weight: float = 0.5,
    bos: likelihoods.Special = "yes",
    long: Literal["error", "truncate"] = "error",
    precision: likelihoods.Precision = "float32",
    device: str = "auto",
    offline: bool = False,
    batch_size: int = 16,
) -> list[dict[str, int]]:
    """Return how many texts of each record were cut for one of the models."""
    if long == "error":
        return [{}] * len(predictions)
    where = likelihoods.Place(device, precision, offline, batch_size)
    cut: set[str] = set()
    if weight > 0:
        read = _embeddings.read(predictions, references, model, long, where)
        cut.update(text for text, found in read.items() if found.cut)
    if weight < 1:
        said = list(filter(str.strip, chain(predictions, *references)))
        long_ones = likelihoods.too_long("causal", lm, said, where, bos) if said else []
        cut.update(text for text, is_long in zip(said, long_ones, strict=True) if is_long)
    return _pairs.counted("truncated", lambda text: int(text in cut), predictions, references)


def described(options: dict) -> dict[str, object]:
    """Leave out the options of a part that has no weight."""
    if options["weight"] == 1:
        return {"lm": None, "bos": None}
    return {"model": None} if options["weight"] == 0 else {}


def libraries(options: dict) -> tuple[str, ...]:
    """Return the libraries that compute it."""
    return ("torch", "transformers")


def ratio(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the lower of two texts' probabilities by the higher, of the losses of their tokens.

    0 if one has no tokens.
    """
    if not one or not other:
        return 0.0
    return math.exp(-abs(math.fsum(one) / len(one) - math.fsum(other) / len(other)))


def _require(model: str, lm: str, weight: float) -> None:
    if not 0 <= weight <= 1:
        raise OptionError(f"am_fm: weight is from 0 to 1, not {weight:g}")
    if weight > 0 and not model:
        raise OptionError(
            "am_fm: which sentence encoder? am_fm:model=PATH,lm=PATH, or weight=0 for fluency alone"
        )
    if weight < 1 and not lm:
        raise OptionError(
            "am_fm: which language model? am_fm:model=PATH,lm=PATH, or weight=1 for adequacy alone"
        )


def _losses(
    texts: Iterable[str],
    lm: str,
    bos: likelihoods.Special,
    long: likelihoods.Long,
    where: likelihoods.Place,
) -> dict[str, list[float]]:
    """Return {text: the losses of its tokens}, none for an empty text."""
    said = sorted(filter(str.strip, texts))
    if said and likelihoods.kind(lm, where.offline) != "causal":
        raise OptionError(f"am_fm: lm is a causal model, and {lm} is none")
    rows = likelihoods.causal(lm, said, where, bos, long=long) if said else []
    return {**dict.fromkeys(texts, []), **dict(zip(said, rows, strict=True))}


METRIC = Metric(
    score, range=(-1, 1), window=256, counts=counts, libraries=libraries, described=described
)
