"""Losses of an encoder by name: of sentence-transformers, or of texts with groups or vectors."""

from typing import Any

from dialtools.system.errors import OptionError, nearest, need
from dialtools.training.pairs import Examples

_KINDS: dict[str, tuple[str, ...]] = {
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


def chosen(asked: str | None, train: Examples, dev: Examples) -> str:
    """Return the name of a loss that fits the examples. Raise OptionError for another."""
    name = asked or _DEFAULT[train.kind]
    if name not in _KINDS:
        raise OptionError(
            f"no loss is called {name!r}{nearest(name, _KINDS)}; there are {', '.join(_KINDS)}"
        )
    if train.kind not in _KINDS[name] or dev.kind != train.kind:
        raise OptionError(
            f"--loss {name} is for {' or '.join(_KINDS[name])} examples; those of "
            f"--train are {train.kind}, of --dev {dev.kind}"
        )
    return name


def made(name: str, model: Any, kind: str, margin: float) -> Any:
    """Return a loss of sentence-transformers, or of pytorch-metric-learning."""
    losses = need("sentence_transformers.losses", "train")
    if name in ("contrastive", "online-contrastive"):
        kept = losses.ContrastiveLoss if name == "contrastive" else losses.OnlineContrastiveLoss
        return kept(model, margin=margin)
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
            [own] = [model(features)["sentence_embedding"] for features in sentence_features]
            if similar is not None and labels.dim() == 1:
                return similar(own, labels)
            # Texts of one vector share it: it is no negative of any of them.
            vectors, which = torch.unique(labels.to(own), dim=0, return_inverse=True)
            if similar is not None:
                return similar(
                    own,
                    which,
                    ref_emb=vectors,
                    ref_labels=torch.arange(len(vectors), device=which.device),
                )
            normalized = torch.nn.functional.normalize
            return torch.nn.functional.cross_entropy(
                20 * normalized(own) @ normalized(vectors).T, which
            )

    return OfColumn()
