"""Examples of an encoder: pairs of texts, texts in groups, or texts with a given vector; the losses
that fit them, and how well vectors of texts tell alike texts from others.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any, Literal, NamedTuple

from dialtools.models import encoders
from dialtools.records import values
from dialtools.statistics.effects import product_moment
from dialtools.statistics.moments import is_constant, midranks
from dialtools.system.errors import OptionError, RecordError, nearest, need
from dialtools.training import data
from dialtools.training.data import Data

Kind = Literal["graded", "binary", "positive", "groups", "vectors"]
MOST = 2000  # texts of groups that are compared with each other
BEST = {
    "binary": "auc",
    "graded": "spearman",
    "groups": "auc",
    "positive": "accuracy@1",
    "vectors": "accuracy@1",
}
# kinds of examples by loss: of sentence-transformers, or of one column of texts
_LOSSES: dict[str, tuple[str, ...]] = {
    "contrastive": ("binary",),
    "online-contrastive": ("binary",),
    "cosine": ("binary", "graded"),
    "cosent": ("binary", "graded"),
    "multiple-negatives": ("positive", "vectors"),
    "batch-hard-triplet": ("groups",),
    "multi-similarity": ("groups", "vectors"),
}
_DEFAULT = {
    "binary": "contrastive",
    "graded": "cosine",
    "positive": "multiple-negatives",
    "groups": "batch-hard-triplet",
    "vectors": "multiple-negatives",
}


class Source(NamedTuple):
    """Where in a record the parts of an example are."""

    pair: tuple[str, ...]  # paths of one text or two; of a third that is unlike the first
    target: str | None = None
    group: str | None = None
    vectors: str | None = None
    lang: str | None = None


class Pairs(NamedTuple):
    """Examples in columns; those that a kind does not have are empty."""

    kind: Kind
    texts: list[str]
    others: list[str]
    targets: list[float]
    groups: list[int]  # equal numbers for one group
    vectors: list[list[float]]
    unlike: list[str]  # texts that are unlike the first of their pair
    data: Data  # the records

    def columns(self, low: float, high: float) -> dict[str, list[Any]]:
        """Return the columns of a data set, as the losses of sentence-transformers read them.

        low, high: the targets that stand for 0 and 1, of graded ones; those beyond are 0 or 1.
        """
        if self.kind == "vectors":
            return {"text": self.texts, "label": self.vectors}
        if self.kind == "groups":
            return {"text": self.texts, "label": self.groups}
        pair = {"text": self.texts, "other": self.others}
        if self.kind == "positive":
            return pair | ({"unlike": self.unlike} if self.unlike else {})
        if self.kind == "binary":
            return pair | {"label": self.targets}
        shares = ((target - low) / (high - low) for target in self.targets)
        return pair | {"label": [min(1.0, max(0.0, share)) for share in shares]}


def read(files: Iterable[str], source: Source, part: str) -> Pairs:
    """Return the examples of files. Raise RecordError for one that lacks what it needs."""
    pairs = Pairs("positive", [], [], [], [], [], [], Data([], {}, False))
    names: dict[object, int] = {}

    def add(record: dict) -> None:
        pairs.texts.append(values.text(record, source.pair[0]))
        if source.vectors:
            pairs.vectors.append(values.vector(record, source.vectors, pairs.vectors))
        elif source.group:
            name, lacking = values.at(record, source.group)
            if lacking is not None or not isinstance(name, (str, int)):
                raise RecordError(f'no group under "{source.group}"')
            pairs.groups.append(names.setdefault(name, len(names)))
        else:
            pairs.others.append(values.text(record, source.pair[1]))
            if len(source.pair) > 2:
                pairs.unlike.append(values.text(record, source.pair[2]))
            if source.target:
                pairs.targets.append(values.number(record, source.target))

    records = data.read(files, (), source.lang, add)
    if not pairs.texts:
        raise OptionError(f"--{part}: no records")
    return pairs._replace(kind=_kind(pairs, source, part), data=records)


def _kind(pairs: Pairs, source: Source, part: str) -> Kind:
    if source.vectors:
        return "vectors"
    if source.group:
        number = len(set(pairs.groups))
        if number in (1, len(pairs.texts)):
            which = "all have the same" if number == 1 else "no two have the same"
            raise OptionError(
                f'--{part}: {which} "{source.group}": there are no alike and unlike texts to '
                "compare"
            )
        return "groups"
    if not source.target:
        return "positive"
    if len(set(pairs.targets)) == 1:
        raise OptionError(
            f'--{part}: all "{source.target}" are {pairs.targets[0]:g}: there is '
            "nothing to learn from them, or to measure by them"
        )
    return "binary" if set(pairs.targets) <= {0.0, 1.0} else "graded"


def fitting_loss(asked: str | None, train: Pairs, dev: Pairs) -> str:
    """Return the name of a loss that fits the examples. Raise OptionError for another."""
    name = asked or _DEFAULT[train.kind]
    if name not in _LOSSES:
        raise OptionError(
            f"no loss is called {name!r}{nearest(name, _LOSSES)}; there are {', '.join(_LOSSES)}"
        )
    if train.kind not in _LOSSES[name] or dev.kind != train.kind:
        raise OptionError(
            f"--loss {name} is for {' or '.join(_LOSSES[name])} examples; those of "
            f"--train are {train.kind}, of --dev {dev.kind}"
        )
    return name


def loss(name: str, model: Any, kind: str, margin: float) -> Any:
    """Return a loss of sentence-transformers, or of pytorch-metric-learning."""
    losses = encoders.modules_of_library("losses")
    if name == "contrastive":
        return losses.ContrastiveLoss(model, margin=margin)
    if name == "online-contrastive":
        return losses.OnlineContrastiveLoss(model, margin=margin)
    if kind in ("groups", "vectors") and name != "batch-hard-triplet":
        return _of_column(name, model)
    return {
        "cosine": losses.CosineSimilarityLoss,
        "cosent": losses.CoSENTLoss,
        "multiple-negatives": losses.MultipleNegativesRankingLoss,
        "batch-hard-triplet": losses.BatchHardTripletLoss,
    }[name](model)


def _of_column(name: str, model: Any) -> Any:
    """Return a loss of one column of texts, with vectors or numbers of groups as labels."""
    torch = need("torch", "models")
    similar = (
        need("pytorch_metric_learning.losses", "train").MultiSimilarityLoss()
        if name == "multi-similarity"
        else None
    )

    base: Any = torch.nn.Module

    class OfColumn(base):
        """Multi-similarity of groups, or of texts and vectors; or InfoNCE of the two, scale 20."""

        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, sentence_features, labels):
            [encoded] = [model(features)["sentence_embedding"] for features in sentence_features]
            if similar is not None and labels.dim() == 1:
                return similar(encoded, labels)
            # Texts of one vector share it: it is no negative of any of them.
            vectors, which = torch.unique(labels.to(encoded), dim=0, return_inverse=True)
            if similar is not None:
                return similar(
                    encoded,
                    which,
                    ref_emb=vectors,
                    ref_labels=torch.arange(len(vectors), device=which.device),
                )
            normalized = torch.nn.functional.normalize
            return torch.nn.functional.cross_entropy(
                20 * normalized(encoded) @ normalized(vectors).T, which
            )

    return OfColumn()


def measured(pairs: Pairs, vectors: Any, others: Any) -> dict[str, float]:
    """Return the measures of a kind of examples, from 0 to 1 (spearman from -1); higher is better.

    binary, groups: "auc", the probability that a pair of alike texts is nearer than another pair.
    graded: "spearman", the correlation of cosine and target.
    positive, vectors: "accuracy@1" and "accuracy@5", the share of texts whose own partner is the
    nearest, or among the five nearest, of all partners; partners that are equal count as one.

    vectors, others: of the texts and their partners (examples, dimensions), of length 1.
    """
    if pairs.kind == "groups":
        groups = pairs.groups[:MOST]
        cosines = vectors[:MOST] @ vectors[:MOST].T
        places = list(combinations(range(len(groups)), 2))
        alike = [float(groups[one] == groups[other]) for one, other in places]
        return {"auc": auc([float(cosines[place]) for place in places], alike)}
    if pairs.kind in ("binary", "graded"):
        cosines = (vectors * others).sum(axis=1).tolist()
        if pairs.kind == "binary":
            return {"auc": auc(cosines, pairs.targets)}
        one, other = midranks(cosines)[0], midranks(pairs.targets)[0]
        return {"spearman": 0.0 if is_constant(one) else product_moment(one, other)}
    return {f"accuracy@{k}": accuracy_at(vectors, others, k) for k in (1, 5)}


def auc(scores: list[float], targets: Sequence[float]) -> float:
    """Return the area under the ROC curve, ties counted as half; 0.5 without both targets.

    >>> auc([0.9, 0.4, 0.5, 0.1], [1, 1, 0, 0])
    0.75
    """
    placed = midranks(scores)[0]
    positive = [rank for rank, target in zip(placed, targets, strict=True) if target == 1]
    n, m = len(positive), len(targets) - len(positive)
    return (sum(positive) - n * (n + 1) / 2) / (n * m) if n and m else 0.5


def accuracy_at(vectors: Any, others: Any, k: int) -> float:
    """Return the share of vectors with fewer than k partners nearer than their own."""
    import numpy

    distinct, partners = numpy.unique(numpy.asarray(others), axis=0, return_inverse=True)
    partners, hits = partners.reshape(-1), 0
    for start in range(0, len(vectors), MOST):
        part = slice(start, start + MOST)
        cosines = vectors[part] @ distinct.T
        of_partner = numpy.take_along_axis(cosines, partners[part, None], 1)
        hits += int(((cosines > of_partner).sum(axis=1) < k).sum())
    return hits / len(vectors)
