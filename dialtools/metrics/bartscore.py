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

import math
from typing import Literal

from dialtools.languages import Language, get
from dialtools.metrics import _pairs
from dialtools.models import likelihoods
from dialtools.models.checkpoints import Place
from dialtools.models.multilingual import Languages
from dialtools.names import occurrences
from dialtools.plugins.metric import Metric
from dialtools.plugins.options import flat
from dialtools.system.errors import OptionError

Direction = Literal["precision", "recall", "f"]


@flat
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
    place: Place = Place(),
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
    languages = Languages(src_lang or "", tgt_lang or "", language.tag)
    back = languages._replace(source=languages.target, target=languages.source)

    def values(pairs: list[_pairs.Pair]) -> list[float]:
        kind = likelihoods.kind(model, place.offline)
        if kind != "seq2seq":
            raise OptionError(
                f"{model} is a {kind} model: bartscore is of one that writes one text from another"
            )
        predictions, texts = map(list, zip(*pairs, strict=True))
        ways = {
            "precision": (texts, predictions, languages),
            "recall": (predictions, texts, back),
        }
        rows_by_way = [
            likelihoods.written(
                model, sources, targets, place, long, way_languages, occurrences.of_tokens
            )
            for way, (sources, targets, way_languages) in ways.items()
            if direction in (way, "f")
        ]
        means = [[-math.fsum(row) / len(row) for row in rows] for rows in rows_by_way]
        return [sum(pair_means) / len(pair_means) for pair_means in zip(*means, strict=True)]

    return _pairs.scores(values, predictions, references, refs)


@flat
def counts(
    predictions: list[str],
    references: list[list[str]],
    *,
    model: str = "",
    long: Literal["error", "truncate"] = "error",
    src_lang: str | None = None,
    tgt_lang: str | None = None,
    place: Place = Place(),
    language: Language = get("en"),
) -> list[dict[str, int]]:
    """Return {"truncated": 1} for each prediction that was cut or compared with a cut text."""

    def is_long(pairs: list[_pairs.Pair]) -> list[bool]:
        predictions, texts = map(list, zip(*pairs, strict=True))
        languages = Languages(src_lang or "", tgt_lang or "", language.tag)
        return likelihoods.too_long_to_write(model, texts, predictions, place, languages)

    return _pairs.truncated(is_long, predictions, references, long)


METRIC = Metric(
    score,
    range=(-math.inf, 0),
    reaches_best=False,
    window=256,
    counts=counts,
    libraries=("torch", "transformers"),
)
