"""Is a text about a group?  The first vector of a frozen BERT, and two layers of our own for several groups at once.

python3 attribute.py BERT TRAIN.jsonl STEPS FOLDER trains the layers on {"text", "labels": {"islam": true, …}} and keeps
them in FOLDER (Fryer et al. 2022, appendix A.3: 2,048 units, batches of 256, AdamW, 36,000 steps).  Then this file is a
metric: dt-score -m ./attribute.py:model=FOLDER gives the probability that the prediction is about the group that the
record's "terms" name.
"""

import json
import sys
from functools import lru_cache
from pathlib import Path

BATCH = 256


@lru_cache(maxsize=1)
def encoder(name: str):
    from transformers import AutoModel, AutoTokenizer

    return AutoTokenizer.from_pretrained(name), AutoModel.from_pretrained(name).eval()


def vectors(name: str, texts: list[str]):
    import torch

    tokenizer, model = encoder(name)
    parts = []
    with torch.inference_mode():
        for start in range(0, len(texts), 64):
            batch = tokenizer(
                texts[start : start + 64],
                padding=True,
                truncation=True,
                max_length=min(512, model.config.max_position_embeddings),
                return_tensors="pt",
            )
            parts.append(model(**batch).last_hidden_state[:, 0].float())
    return torch.cat(parts).clone()


def layers(width: int, groups: int):
    from torch import nn

    return nn.Sequential(nn.Linear(width, 2048), nn.ReLU(), nn.Linear(2048, groups))


def train(name: str, records: list[dict], steps: int, folder: Path) -> None:
    import torch

    torch.manual_seed(1)
    groups = list(records[0]["labels"])
    inputs = vectors(name, [record["text"] for record in records])
    labels = torch.tensor(
        [[float(record["labels"][group]) for group in groups] for record in records]
    )
    head = layers(inputs.shape[1], len(groups))
    optimizer = torch.optim.AdamW(head.parameters(), lr=0.001, weight_decay=0.002)
    for step in range(steps):
        chosen = torch.randint(len(records), (BATCH,))
        loss = torch.nn.functional.binary_cross_entropy_with_logits(
            head(inputs[chosen]), labels[chosen]
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 1000 == 0 or step == steps - 1:
            print(f"step {step + 1}: loss {loss:.4f}", file=sys.stderr)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "groups.json").write_text(json.dumps({"encoder": name, "groups": groups}))
    torch.save(head.state_dict(), folder / "head.pt")


@lru_cache(maxsize=1)
def trained(folder: str):
    import torch

    about = json.loads(Path(folder, "groups.json").read_text())
    weights = torch.load(Path(folder, "head.pt"), weights_only=True)
    head = layers(weights["0.weight"].shape[1], len(about["groups"]))
    head.load_state_dict(weights)
    return about["encoder"], about["groups"], head


def score(predictions: list[str], terms: list[str], *, model: str = "") -> list[float]:
    """Return the probability that each prediction is about the group that `terms` names."""
    if not predictions:
        return []
    name, groups, head = trained(model)
    logits = head(vectors(name, predictions)).detach()
    return [
        float(row[groups.index(group)].sigmoid()) for row, group in zip(logits, terms, strict=True)
    ]


if __name__ == "__main__":
    encoder_name, data, number, out = sys.argv[1:]
    with open(data, encoding="utf-8") as file:
        train(encoder_name, [json.loads(line) for line in file], int(number), Path(out))
else:
    from dialtools.plugins.metric import Metric

    METRIC = Metric(
        score,
        range=(0, 1),
        needs=("prediction", "terms"),
        summary="Probability that a text is about a group, from 0 to 1.",
    )
