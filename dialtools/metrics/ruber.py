"""RUBER, a response judged by a reference and by what it answers, from 0 to 1; higher is better.

The referenced part is the cosine of two vectors, of the prediction and of the reference: with
vectors=FILE (as fastText writes them) the largest and the smallest number of each dimension over
the words of a text; with encoder=PATH (BERT-RUBER) the embedding of the text, as in the metric
cosine. Of several references it takes the best, or the mean (refs). The unreferenced part is the
probability of `label` that a classifier (`model`) gives to the pair of the query and the
prediction. The query is the dialogue as "Name: text" lines, or query=KEY; a model of dt-train
scorer reads what it was trained on.

Both are scaled to 0–1 and combined: by the lower (min), the higher (max), their mean or their
geometric mean. The paper scales by the lowest and highest part of the data set. A record's score
must not depend on other records, so here they are options, such as
cosines=0.2:0.9,probabilities=0.01:0.98; what is beyond becomes 0 or 1. The default is the range
that is possible. combine=referenced or unreferenced gives one part, not scaled: its lowest and
highest score are the paper's bounds.

The classifier learns from true pairs and from pairs with the last turn of another dialogue:

    dt-convert --next-response TRAIN > true.jsonl
    jq -cs '. as $all | range(length) as $i | $all[$i] | .cluster //= (.id | tostring) |
      (.label = "next" | .prediction = .reference), (.id |= "\\(.)-other" | .label = "other" |
      .prediction = $all[$i - 1].reference)' true.jsonl > pairs.jsonl
    dt-train scorer --train pairs.jsonl --pair dialogue,prediction --target label …

Source: Tao et al. 2018, https://arxiv.org/abs/1701.03079, who train a network of their own with a
margin; Ghazarian et al. 2019, https://aclanthology.org/W19-2310, with cross-entropy on BERT.

>>> combined(0.5, 0.8, "min"), round(combined(0.5, 0.8, "geometric"), 4)
(0.5, 0.6325)
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

from dialtools.metrics import _pairs, _readings, _vectors
from dialtools.models import classifiers, scorers
from dialtools.models.checkpoints import Place
from dialtools.models.scorers import Text
from dialtools.plugins.metric import Metric
from dialtools.plugins.options import flat
from dialtools.records import dialogue
from dialtools.system.errors import OptionError, RecordError, show
from dialtools.text import overlap

TOK = "words"  # finds the words of vectors=FILE

Combine = Literal["min", "max", "mean", "geometric", "referenced", "unreferenced"]
Column = Any  # of references: lists of strings; of queries: texts or lists of turns


def needs(options: dict) -> tuple[str, ...]:
    """Return the columns that the metric reads: queries are a whole record for a model that
    chooses itself.
    """
    query = "record" if scorers.of(options["model"]) else options["query"]
    return (
        "prediction",
        *(["reference"] if options["combine"] != "unreferenced" else []),
        *([query] if options["combine"] != "referenced" else []),
    )


@flat
def score(
    predictions: list[str],
    *columns: Column,
    model: str = "",
    label: str = "",
    query: str = "dialogue",
    vectors: str = "",
    encoder: str = "",
    combine: Combine = "min",
    cosines: str = "-1:1",
    probabilities: str = "0:1",
    refs: _pairs.Rule = "max",
    long: classifiers.Long | None = None,
    place: Place = Place(),
) -> list[float]:
    """Return the score of each prediction.

    columns: of references, and of queries or records, unless one part alone is asked for.
    model, label: the classifier of the unreferenced part, and its label of a fitting response.
    query: the key of what is answered.
    vectors, encoder: a file of word vectors, or a folder or hub name, for the referenced part.
    combine: min, max, mean or geometric; referenced or unreferenced: one part as it is.
    cosines, probabilities: LOW:HIGH, what is scaled to 0 and 1.
    long: treatment of texts that are too long; None: as the model was trained, else an error.
    """
    scales = _scale("cosines", cosines), _scale("probabilities", probabilities)
    parts = []
    if combine != "unreferenced":
        if bool(vectors) == bool(encoder):
            raise OptionError("ruber: the referenced part is of vectors=FILE, or of encoder=PATH")
        vectors_by_text = (
            _vectors.embeddings(predictions, columns[0], encoder, place, long or "error")
            if encoder
            else _pooled_words(predictions, columns[0], _source(vectors, place.offline))
        )
        parts.append(_vectors.cosines(vectors_by_text, predictions, columns[0], refs))
    if combine != "referenced":
        parts.append(_probabilities(predictions, columns[-1], model, label, long, place))
    if len(parts) == 1:
        return parts[0]
    scaled = [
        [min(1.0, max(0.0, (value - low) / (high - low))) for value in part]
        for part, (low, high) in zip(parts, scales, strict=True)
    ]
    return [
        combined(referenced, unreferenced, combine)
        for referenced, unreferenced in zip(*scaled, strict=True)
    ]


def combined(referenced: float, unreferenced: float, rule: Combine) -> float:
    """Return two numbers from 0 to 1 as one."""
    if rule == "mean":
        return (referenced + unreferenced) / 2
    if rule == "geometric":
        return math.sqrt(referenced * unreferenced)
    return min(referenced, unreferenced) if rule == "min" else max(referenced, unreferenced)


def _scale(name: str, text: str) -> tuple[float, float]:
    """Return the bounds LOW:HIGH."""
    try:
        low, high = map(float, text.split(":"))
    except ValueError:
        raise OptionError(f"ruber: {name}=LOW:HIGH, two numbers, not {text!r}") from None
    if not low < high < math.inf or low == -math.inf:
        raise OptionError(f"ruber: {name}=LOW:HIGH, the lower first, not {text!r}")
    return low, high


def _source(vectors: str, offline: bool) -> _vectors.WordSource:
    return _vectors.WordSource(vectors, TOK, "", offline)


def _pooled_words(
    predictions: list[str], references: Column, source: _vectors.WordSource
) -> dict[str, Any]:
    """Return {text: the pooled vectors of its words}, None for a text without a word."""

    def vector(text: str) -> Any:
        matrix = _vectors.of_words(source, text)[0]
        return pooled(matrix) if len(matrix) else None

    return overlap.of_each(vector, predictions, references)


def pooled(matrix: Any) -> Any:
    """Return the largest and the smallest numbers of vectors, (words, n) -> (2n,), of length 1.

    >>> import numpy
    >>> pooled(numpy.array([[3.0, 0.0], [0.0, 0.0]])).tolist()
    [1.0, 0.0, 0.0, 0.0]
    """
    import numpy

    return _vectors.length_1(numpy.concatenate([matrix.max(0), matrix.min(0)]))


def _probabilities(
    predictions: list[str],
    queries: Column,
    model: str,
    label: str,
    long: classifiers.Long | None,
    place: Place,
) -> list[float]:
    """Return the classifier's probability of a label for each query and prediction."""
    if not model or not label:
        raise OptionError(
            "ruber: which model, and which label of it? ruber:model=PATH,label=next, "
            "of a classifier of a dialogue and a response"
        )

    def values(texts: Sequence[Text]) -> list[float]:
        return classifiers.probabilities(model, texts, label, place, long=long)

    return _readings.scores(values, _asked(predictions, queries, model), model, "first", "max")


def _asked(predictions: list[str], queries: Column, model: str) -> tuple[list, ...]:
    """Return predictions and what each answers; records with them for a model of dt-train scorer.

    Raise OptionError for one that would read no prediction.
    """
    manner = scorers.of(model)
    if not manner:
        return predictions, [[_text(query)] for query in queries]
    if "prediction" not in manner.pair:
        raise OptionError(
            f"ruber: {model} has learned another thing than whether a prediction "
            "fits: train it with --pair dialogue,prediction"
        )
    rows = zip(queries, predictions, strict=True)
    return ([{**record, "prediction": prediction} for record, prediction in rows],)


def _text(query: object) -> str:
    """Return a query as text; turns as "Name: text" lines."""
    if isinstance(query, str):
        return query
    if isinstance(query, list) and all(isinstance(turn, dict) for turn in query):
        return dialogue.text(query)
    raise RecordError(f"a query is a text or a dialogue, not {show(query)}")


@flat
def counts(
    predictions: list[str],
    *columns: Column,
    model: str = "",
    query: str = "dialogue",
    vectors: str = "",
    encoder: str = "",
    combine: Combine = "min",
    long: classifiers.Long | None = None,
    place: Place = Place(),
) -> list[dict[str, int]]:
    """Return how many texts of each record were cut, and how many words have no vector."""
    of_texts: list[dict[str, int]] = [{}] * len(predictions)
    if combine != "unreferenced" and vectors:
        source = _source(vectors, place.offline)
        of_texts = _pairs.counted(
            "no_vector", lambda text: _vectors.of_words(source, text)[1], predictions, columns[0]
        )
    if combine != "unreferenced" and encoder and long == "truncate":
        embeddings = _vectors.embeddings(predictions, columns[0], encoder, place, long)
        of_texts = _pairs.too_long(embeddings, long, predictions, columns[0])
    if combine == "referenced":
        return of_texts
    asked = _asked(predictions, columns[-1], model)
    of_pairs = _readings.truncated(asked, model, "first", long, place)
    return [
        dict(Counter(text) + Counter(pair)) for text, pair in zip(of_texts, of_pairs, strict=True)
    ]


def described(options: dict) -> dict[str, object]:
    """Leave out the options of a part that is not asked for, and of the scale of a single one."""
    unused = {
        "unreferenced": ("vectors", "encoder", "refs", "cosines", "probabilities"),
        "referenced": ("model", "label", "query", "cosines", "probabilities"),
    }
    return dict.fromkeys(unused.get(options["combine"], ()))


def libraries(options: dict) -> tuple[str, ...]:
    """Return the libraries that compute it."""
    needs_none = options["combine"] == "referenced" and options["vectors"]
    return () if needs_none else ("torch", "transformers")


METRIC = Metric(
    score,
    bounds=lambda options: (-1, 1) if options["combine"] == "referenced" else (0, 1),
    better="higher",
    window=256,
    needs=needs,
    counts=counts,
    libraries=libraries,
    described=described,
)
