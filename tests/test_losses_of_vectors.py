"""Losses of dt-train on fixed vectors: values and gradients of pytorch-metric-learning and sentence-transformers."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from dialtools.models import encoders, scorers
from dialtools.training import pairs, targets

pytest.importorskip("sentence_transformers")
DIM, SCALE = 5, 20.0
GROUPS = [0, 1, 0, 2, 1, 0]  # of six texts; their numbers stand for vectors, too


@pytest.fixture
def vectors(torch) -> Any:
    torch.manual_seed(7)
    return torch.randn(6, DIM)


@pytest.fixture
def partners(torch) -> Any:
    torch.manual_seed(8)
    return torch.randn(6, DIM)


def encoder() -> Any:
    """Return a model whose features are the vectors of its texts already."""
    import torch

    class Encoder(torch.nn.Module):
        def forward(self, features: dict) -> dict:
            return {"sentence_embedding": features["vectors"]}

    return Encoder()


def learned(loss: Any, columns: list[Any], labels: Any = None) -> tuple[float, list[Any]]:
    """Return a loss of columns of vectors, and its gradient at each of them."""
    columns = [column.clone().requires_grad_() for column in columns]
    value = loss([{"vectors": column} for column in columns], labels)
    value.backward()
    return value.item(), [column.grad for column in columns]


def agree(ours: tuple[float, list[Any]], theirs: tuple[float, list[Any]]) -> None:
    import torch

    assert ours[0] == pytest.approx(theirs[0], rel=1e-5) and ours[0] > 0
    for one, other in zip(ours[1], theirs[1], strict=True):
        assert one.abs().max() > 1e-4
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-6)


def test_negatives_of_vectors_are_those_of_two_libraries(torch, vectors, partners):
    """InfoNCE at a temperature of 1/20: NT-Xent; where no two texts share a vector, multiple negatives, too."""
    metric = pytest.importorskip("pytorch_metric_learning.losses").NTXentLoss(1 / SCALE)
    ours = pairs.loss("multiple-negatives", encoder(), "vectors", 1.0)
    groups, distinct = torch.tensor(GROUPS), torch.arange(3)

    def contrasted(columns: list[dict], labels: Any) -> Any:
        return metric(columns[0]["vectors"], groups, ref_emb=partners[:3], ref_labels=distinct)

    agree(learned(ours, [vectors], partners[groups]), learned(contrasted, [vectors]))
    of_pairs = pairs.loss("multiple-negatives", encoder(), "positive", 1.0)
    value, gradients = learned(of_pairs, [vectors, partners])
    agree(learned(ours, [vectors], partners), (value, gradients[:1]))


def test_multiple_negatives_of_pairs_are_contrasted(torch, vectors, partners):
    """Those of sentence-transformers, which dt-train takes as they are, against NT-Xent."""
    metric = pytest.importorskip("pytorch_metric_learning.losses").NTXentLoss(1 / SCALE)
    places = torch.arange(6)

    def contrasted(columns: list[dict], labels: Any) -> Any:
        first, second = (column["vectors"] for column in columns)
        return metric(first, places, ref_emb=second, ref_labels=places.clone())

    of_pairs = pairs.loss("multiple-negatives", encoder(), "positive", 1.0)
    agree(learned(of_pairs, [vectors, partners]), learned(contrasted, [vectors, partners]))


@pytest.mark.parametrize("kind", ["groups", "vectors"])
def test_multi_similarity_is_equation_15_of_wang_et_al(torch, vectors, partners, kind: str):
    """As it is written, text by text, with alpha 2, beta 50, lambda 0.5."""
    pytest.importorskip("pytorch_metric_learning")
    groups, normalize = torch.tensor(GROUPS), torch.nn.functional.normalize

    def written(columns: list[dict], labels: Any) -> Any:
        texts = normalize(columns[0]["vectors"])
        cosines = texts @ (texts if kind == "groups" else normalize(partners[:3])).T
        total = 0.0
        for place, row in enumerate(cosines):
            alike = (
                groups == groups[place] if kind == "groups" else torch.arange(3) == groups[place]
            )
            unlike = ~alike
            if kind == "groups":
                alike[place] = False  # no text is a partner of itself
            total = total + torch.log(1 + torch.exp(-2 * (row[alike] - 0.5)).sum()) / 2
            total = total + torch.log(1 + torch.exp(50 * (row[unlike] - 0.5)).sum()) / 50
        return total / len(GROUPS)

    ours = pairs.loss("multi-similarity", encoder(), kind, 1.0)
    of_texts = groups if kind == "groups" else partners[groups]
    agree(learned(ours, [vectors], of_texts), learned(written, [vectors]))


def test_the_cosine_head_of_a_scorer_learns_as_an_encoder_with_the_loss_cosine(
    torch, vectors, partners
):
    """The linear unit starts as the identity; targets are shares of their range in both."""
    shares = torch.tensor([0.0, 0.2, 0.5, 0.7, 0.9, 1.0])
    states = torch.cat([vectors, partners]).requires_grad_()
    head = scorers.cosine(lambda: SimpleNamespace(last_hidden_state=states[:, None]), [1.0, 0.0])
    outputs = head(last=torch.zeros(12, dtype=torch.long)).logits
    squared = targets.loss(targets.Targets("number", [], [0, 1], "like"))
    value = squared(outputs, shares[:, None]).mean()
    value.backward()
    of_pairs = pairs.loss("cosine", encoder(), "graded", 1.0)
    agree(
        (value.item(), list(states.grad.chunk(2))), learned(of_pairs, [vectors, partners], shares)
    )


@pytest.mark.parametrize("name, earlier", [("losses", "losses"), ("modules", "models")])
def test_parts_of_the_library_are_where_older_ones_have_them(monkeypatch, name: str, earlier: str):
    older = SimpleNamespace()
    monkeypatch.setitem(sys.modules, f"sentence_transformers.sentence_transformer.{name}", None)
    monkeypatch.setitem(sys.modules, f"sentence_transformers.{earlier}", older)
    assert encoders.modules_of_library(name) is older
