"""Probability of a label under a classifier, from 0 to 1; neutral, as the label may be good or bad.

It classifies one text (is it toxic, of which style) or a pair of texts. With other=first, the
text that predictions are compared with comes before the prediction (premise and hypothesis, an
utterance and the next); with other=second, after it. against=context, dialogue or any key names
that text. of=text classifies the "text" of records, of=KEY any other key.

The model's configuration chooses the activation: sigmoid for several labels at once or a single
label, none for regression, softmax otherwise; `activation` overrides it (summaries of a model
of regression want activation=none, for its numbers are no shares). A text without words is
classified as it is. A text or pair that the model cannot read at once is an error, unless
long=truncate cuts it.

>>> score([], model="some/model", label="toxic")
[]
"""

import functools
from typing import Literal

from dialtools.errors import OptionError
from dialtools.metrics import _pairs
from dialtools.models import classifiers, likelihoods

WINDOW = 256

Other = Literal["none", "first", "second"]


def bounds(options: dict) -> tuple[float, float] | None:
    """Return the lowest and highest score; None for a model whose numbers are no probabilities."""
    return None if options["activation"] == "none" else (0, 1)


def needs(options: dict) -> tuple[str, ...]:
    """Return the columns that the metric reads."""
    return ("prediction",) if options["other"] == "none" else ("prediction", "reference")


def score(predictions: list[str], *references: list[list[str]], model: str = "", label: str = "",
          other: Other = "none", activation: classifiers.Activation | None = None,
          refs: _pairs.Rule = "max", long: classifiers.Long = "error",
          precision: likelihoods.Precision = "float32", device: str = "auto", offline: bool = False,
          batch_size: int = 16) -> list[float]:
    """Return the probability of a label for each text.

    references: unless other=none, a column of lists of the compared texts.
    model: folder or hub name.  label: one of the model's.
    other: the place of the compared text: none, first or second.
    activation: from the model's numbers to probabilities; None: as its configuration says.
    refs: take the highest probability of several other texts (max), or the mean.
    """
    if not model or not label:
        raise OptionError("classifier: which model, and which label? "
                          "classifier:model=PATH,label=toxic")
    values = functools.partial(classifiers.probabilities, model, label=label, activation=activation,
                               long=long, device=device, precision=precision, offline=offline,
                               batch_size=batch_size)
    if other != "none":
        return _pairs.scores(lambda pairs: values(_ordered(pairs, other)), predictions,
                             references[0], refs)
    texts = [(text,) for text in dict.fromkeys(predictions)]
    known = dict(zip(texts, values(texts), strict=True)) if texts else {}
    return [known[text,] for text in predictions]


def counts(predictions: list[str], *references: list[list[str]], model: str = "",
           other: Other = "none", long: classifiers.Long = "error",
           precision: likelihoods.Precision = "float32", device: str = "auto",
           offline: bool = False) -> list[dict[str, int]]:
    """Return {"truncated": 1} for each prediction that was cut, by itself or with another text."""
    def is_long(pairs: list[_pairs.Pair]) -> list[bool]:
        return classifiers.too_long(model, _ordered(pairs, other), device=device,
                                    precision=precision, offline=offline)

    texts = [[""]] * len(predictions) if other == "none" else references[0]
    return _pairs.truncated(is_long, predictions, texts, long)


def libraries(options: dict) -> tuple[str, ...]:
    """Return the libraries that compute it."""
    return ("torch", "transformers")


def _ordered(pairs: list[_pairs.Pair], other: Other) -> list[classifiers.Text]:
    """Return the texts that the model reads, in order, for each pair."""
    if other == "none":
        return [(prediction,) for prediction, _ in pairs]
    return [(text, prediction) if other == "first" else (prediction, text)
            for prediction, text in pairs]
