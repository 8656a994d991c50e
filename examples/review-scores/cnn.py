"""Predict scores as PeerRead did: a convolution over word vectors that stay as they are, the maximum, a linear layer.

python3 cnn.py GLOVE.txt EPOCHS < folds.jsonl > predictions.jsonl

The records are those of dt-train scorer --folds: each is predicted, in its fold and repeat, by a model of the other
folds.  GLOVE is a file of GloVe, a word and its numbers a line, or random:DIMENSIONS.
"""

import json
import random
import re
import sys

import torch
from torch import nn

FILTERS, WIDTH, DROPOUT, BATCH, RATE, LONGEST = 128, 3, 0.5, 8, 1e-3, 1000


def words(text: str) -> list[str]:
    return re.findall(r"\w+|[^\w\s]", text.lower())[:LONGEST]


def vectors(glove: str, vocabulary: set[str]) -> dict[str, torch.Tensor]:
    """Return the vectors of the words that have one."""
    if glove.startswith("random:"):
        torch.manual_seed(0)
        return {word: torch.randn(int(glove.partition(":")[2])) for word in sorted(vocabulary)}
    known = {}
    with open(glove, encoding="utf-8") as file:
        for line in file:
            word, *numbers = line.rstrip().split(" ")
            if word in vocabulary:
                known[word] = torch.tensor([float(number) for number in numbers])
    return known


class Network(nn.Module):
    def __init__(self, dimensions: int, labels: int):
        super().__init__()
        self.filters = nn.Conv1d(dimensions, FILTERS, WIDTH, padding=WIDTH - 1)
        self.drop, self.head = nn.Dropout(DROPOUT), nn.Linear(FILTERS, labels)

    def forward(self, texts: torch.Tensor) -> torch.Tensor:  # (papers, words, dimensions)
        features = self.filters(texts.transpose(1, 2)).relu()
        return self.head(self.drop(features.amax(dim=2)))  # (papers, labels)


def batches(papers: list[dict]) -> list[list[dict]]:
    return [papers[start : start + BATCH] for start in range(0, len(papers), BATCH)]


def read(papers: list[dict]) -> torch.Tensor:
    return nn.utils.rnn.pad_sequence([paper["vectors"] for paper in papers], batch_first=True)


def predict(train: list[dict], held_out: list[dict], labels: list[str], epochs: int) -> None:
    """Give the held-out papers the label that a network of the others finds most likely."""
    torch.manual_seed(1)
    network = Network(train[0]["vectors"].shape[1], len(labels))
    optimiser, order = torch.optim.Adam(network.parameters(), RATE), random.Random(1)
    for _ in range(epochs):
        order.shuffle(train)
        for batch in batches(train):
            gold = torch.tensor([labels.index(paper["label"]) for paper in batch])
            loss = nn.functional.cross_entropy(network(read(batch)), gold)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    network.eval()
    with torch.no_grad():
        for batch in batches(held_out):
            for paper, number in zip(batch, network(read(batch)).argmax(1).tolist(), strict=True):
                paper["prediction"] = labels[number]


def main(glove: str, epochs: str) -> None:
    papers = [json.loads(line) for line in sys.stdin]
    known = vectors(glove, {word for paper in papers for word in words(paper["text"])})
    unknown = torch.zeros(len(next(iter(known.values()))))
    for paper in papers:
        paper["vectors"] = torch.stack(
            [known.get(w, unknown) for w in words(paper["text"])] or [unknown]
        )
    labels = sorted({paper["label"] for paper in papers})
    for repeat, fold in sorted({(paper["repeat"], paper["fold"]) for paper in papers}):
        of_repeat = [paper for paper in papers if paper["repeat"] == repeat]
        train = [paper for paper in of_repeat if paper["fold"] != fold]
        predict(train, [paper for paper in of_repeat if paper["fold"] == fold], labels, int(epochs))
    for paper in papers:
        kept = {
            key: value
            for key, value in paper.items()
            if key not in ("vectors", "prediction_scores")
        }
        print(json.dumps(kept | {"system": "cnn"}, ensure_ascii=False))


if __name__ == "__main__":
    main(*sys.argv[1:])
