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

from dialtools.metrics import _pairs, _vectors
from dialtools.models import likelihoods
from dialtools.models.checkpoints import Place
from dialtools.names import occurrences
from dialtools.plugins.metric import Metric
from dialtools.plugins.options import flat
from dialtools.system.errors import OptionError
from dialtools.text import overlap


@flat
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
    place: Place = Place(),
) -> list[float]:
    """Return the score of each prediction.

    model: sentence encoder, a folder or hub name.  lm: causal language model.
    weight: that of adequacy, from 0 to 1.
    bos: a token before each text: yes, no, or as the tokenizer adds it by itself.
    refs: take the best of several references (max), or their mean.
    """
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
    adequacy = fluency = [0.0] * len(predictions)
    if weight > 0:
        embeddings = _vectors.embeddings(predictions, references, model, place, long)
        adequacy = _vectors.cosines(embeddings, predictions, references, refs)
    if weight < 1:
        manner = likelihoods.CausalReading(bos, long=long)
        losses = _losses({*predictions, *chain(*references)}, lm, place, manner)
        fluency = overlap.best(losses.__getitem__, ratio, predictions, references, refs)
    return [weight * am + (1 - weight) * fm for am, fm in zip(adequacy, fluency, strict=True)]


def ratio(losses: Sequence[float], reference_losses: Sequence[float]) -> float:
    """Return the lower of two texts' probabilities by the higher, of the losses of their tokens.

    0 if one has no tokens.
    """
    if not losses or not reference_losses:
        return 0.0
    means = [math.fsum(row) / len(row) for row in (losses, reference_losses)]
    return math.exp(-abs(means[0] - means[1]))


def _losses(
    texts: Iterable[str], lm: str, place: Place, manner: likelihoods.CausalReading
) -> dict[str, list[float]]:
    """Return {text: the losses of its tokens}, none for an empty text."""
    readable = sorted(filter(str.strip, texts))
    if not readable:
        return dict.fromkeys(texts, [])
    if likelihoods.kind(lm, place.offline) != "causal":
        raise OptionError(f"am_fm: lm is a causal model, and {lm} is none")
    rows = likelihoods.causal(lm, readable, place, manner, occurrences.of_tokens)
    return {**dict.fromkeys(texts, []), **dict(zip(readable, rows, strict=True))}


@flat
def counts(
    predictions: list[str],
    references: list[list[str]],
    *,
    model: str = "",
    lm: str = "",
    weight: float = 0.5,
    bos: likelihoods.Special = "yes",
    long: Literal["error", "truncate"] = "error",
    place: Place = Place(),
) -> list[dict[str, int]]:
    """Return how many texts of each record were cut for one of the models."""
    if long == "error":
        return [{}] * len(predictions)
    cut: set[str] = set()
    if weight > 0:
        embeddings = _vectors.embeddings(predictions, references, model, place, long)
        cut.update(text for text, embedding in embeddings.items() if embedding.cut)
    texts = list(filter(str.strip, chain(predictions, *references)))
    if weight < 1 and texts:
        manner = likelihoods.CausalReading(bos)
        long_ones = likelihoods.too_long("causal", lm, texts, place, manner)
        cut.update(text for text, is_long in zip(texts, long_ones, strict=True) if is_long)
    return _pairs.counted("truncated", lambda text: int(text in cut), predictions, references)


def described(options: dict) -> dict[str, object]:
    """Leave out the options of a part that has no weight."""
    if options["weight"] == 1:
        return {"lm": None, "bos": None}
    return {"model": None} if options["weight"] == 0 else {}


METRIC = Metric(
    score,
    range=(-1, 1),
    window=256,
    counts=counts,
    libraries=("torch", "transformers"),
    described=described,
)
