"""BARTScore, log-likelihood of a text given another, from minus infinity to 0; higher is better.

A sequence-to-sequence model reads one text and scores the other: the mean natural logarithm of the
probability of its tokens, including those that the tokenizer adds. There are three directions:
precision   from the reference to the prediction
recall      from the prediction to the reference
f           the mean of the two
The paper's faithfulness, from the source to the prediction, is against=dialogue with
direction=precision. A text longer than the model's positions is an error, unless long=truncate cuts
its end off.

A multilingual model (mBART, M2M-100, NLLB) gets the record's language if it has exactly one code
for it. src_lang and tgt_lang override this, in the model's own codes: src_lang for the text that
predictions are compared with, tgt_lang for the predictions.

Source: Yuan et al. 2021, https://arxiv.org/abs/2106.11520, who use facebook/bart-large-cnn, also
fine-tuned on paraphrases, and truncate texts.

>>> score([], [], model="facebook/bart-large-cnn")
[]
"""

import functools
import math
from typing import Literal

from dialtools.languages import Language, get
from dialtools.metrics import _pairs
from dialtools.models import likelihoods
from dialtools.models.multilingual import Languages
from dialtools.plugins.metric import Metric
from dialtools.system.errors import OptionError

Direction = Literal["precision", "recall", "f"]


def score(
    predictions: list[str],
    references: list[list[str]],
    *,
    model: str = "",
    direction: Direction = "precision",
    refs: _pairs.Rule = "max",
    long: Literal["error", "truncate"] = "error",
    src_lang: str | None = None,
    tgt_lang: str | None = None,
    precision: likelihoods.Precision = "float32",
    device: str = "auto",
    offline: bool = False,
    batch_size: int = 16,
    language: Language = get("en"),
) -> list[float]:
    """Return the BARTScore of each prediction.

    model: folder or hub name.
    direction: precision, recall or f (see above).
    refs: take the best of several references (max), or their mean.
    long: what to do with a text that is longer than the model's positions.
    src_lang, tgt_lang: languages of the other text and of the prediction, in the model's codes.
    """
    if not model:
        raise OptionError("bartscore: which model? bartscore:model=PATH, a folder or a hub name")
    where = likelihoods.Place(device, precision, offline, batch_size)
    values = functools.partial(
        _values,
        model=model,
        direction=direction,
        long=long,
        where=where,
        languages=Languages(src_lang or "", tgt_lang or "", language.tag),
    )
    return _pairs.scores(values, predictions, references, refs)


def counts(
    predictions: list[str],
    references: list[list[str]],
    *,
    model: str = "",
    long: Literal["error", "truncate"] = "error",
    src_lang: str | None = None,
    tgt_lang: str | None = None,
    precision: likelihoods.Precision = "float32",
    device: str = "auto",
    offline: bool = False,
    batch_size: int = 16,
    language: Language = get("en"),
) -> list[dict[str, int]]:
    """Return {"truncated": 1} for each prediction that was cut or compared with a cut text."""
    where = likelihoods.Place(device, precision, offline, batch_size)

    def is_long(pairs: list[_pairs.Pair]) -> list[bool]:
        return likelihoods.too_long_to_write(
            model, *_sides(pairs), where, Languages(src_lang or "", tgt_lang or "", language.tag)
        )

    return _pairs.truncated(is_long, predictions, references, long)


def libraries(options: dict) -> tuple[str, ...]:
    """Return the libraries that compute it."""
    return ("torch", "transformers")


def _values(
    pairs: list[_pairs.Pair],
    model: str,
    direction: Direction,
    long: likelihoods.Long,
    where: likelihoods.Place,
    languages: Languages,
) -> list[float]:
    """Return the score of each pair. Raise RecordError for texts that the model cannot read."""
    kind = likelihoods.kind(model, where.offline)
    if kind != "seq2seq":
        raise OptionError(
            f"{model} is a {kind} model: bartscore is of one that writes one text from another"
        )
    others, predictions = _sides(pairs)
    back = languages._replace(source=languages.target, target=languages.source)
    ways = {
        "precision": (others, predictions, where, long, languages),
        "recall": (predictions, others, where, long, back),
    }
    found = [
        [-math.fsum(row) / len(row) for row in likelihoods.written(model, *given)]
        for way, given in ways.items()
        if direction in (way, "f")
    ]
    return [sum(means) / len(means) for means in zip(*found, strict=True)]


def _sides(pairs: list[_pairs.Pair]) -> tuple[list[str], list[str]]:
    """Return the compared texts and the predictions, a list each."""
    return [other for _, other in pairs], [prediction for prediction, _ in pairs]


METRIC = Metric(
    score, range=(-math.inf, 0), reaches_best=False, window=256, counts=counts, libraries=libraries
)
