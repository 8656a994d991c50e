"""Measure how far the attentions of variants of a dialogue are apart, where outputs agree and where not.

    python3 attention.py DIALOGUES MODEL written.jsonl restored.jsonl …

MODEL is a folder of a sequence-to-sequence model, written.jsonl what it wrote for the variants, and
restored.jsonl the same with the speakers' names put back, which tells whether two outputs agree;
three arguments for each model.  An attention is that of the last layer, a row a head: the
cross-attention, averaged over the tokens of the output, and the encoder's, averaged over those of
the input.  Values of the tokens of one name are summed, rows padded with zeros to one length, and
the distance is the mean squared error, as in the loss of section 3.1 of the paper, times 10⁶.
"differ / agree" is 1.5 for the cross-attention in the paper, and 1 for the encoder's.
"""

import json
import re
import sys
from collections import defaultdict
from itertools import combinations, groupby
from pathlib import Path
from statistics import fmean
from typing import Any

import torch
from means import table
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

from dialtools.objectives.attention import padded, summed


def text_of(record: dict) -> str:
    """Return what dt-generate reads of a record."""
    talk = record["dialogue"]
    if not isinstance(talk, str):
        talk = "\n".join(f"{turn['speaker']}: {turn['text']}" for turn in talk)
    return "\n".join([record["context"], talk] if record.get("context") else [talk])


def occurrences(places: list[tuple[int, int]], text: str, names: list[str]) -> list[int]:
    """Return for each token of a text the number of the name that it is a part of, or 0.

    >>> occurrences([(0, 2), (2, 3), (3, 4), (5, 7), (0, 0)], "Ann: Hi", ["Ann"])
    [1, 1, 0, 0, 0]
    """
    if not names:
        return [0] * len(places)
    longest_first = sorted(map(re.escape, names), key=len, reverse=True)
    spans = [
        match.span() for match in re.finditer(rf"(?<!\w)(?:{'|'.join(longest_first)})(?!\w)", text)
    ]
    return [
        next((n for n, (begin, end) in enumerate(spans, 1) if begin < last and start < end), 0)
        for start, last in places
    ]


def attentions(model: Any, tokenizer: Any, record: dict) -> dict[str, Any]:
    """Return both attentions, (heads, tokens of the input with a name as one)."""
    most = model.config.max_position_embeddings
    text = text_of(record)
    options = {"truncation": True, "max_length": most, "return_offsets_mapping": True}
    read = tokenizer(text, **options)
    names = [name for entry in record["history"] for name in entry.get("names", {}).values()]
    marks = occurrences(read["offset_mapping"], text, names)
    labels = torch.tensor([tokenizer(record["prediction"])["input_ids"]])
    with torch.no_grad():
        outputs = model(
            input_ids=torch.tensor([read["input_ids"]]), labels=labels, output_attentions=True
        )
    layers = {"cross": outputs.cross_attentions[-1], "encoder": outputs.encoder_attentions[-1]}
    return {name: summed(layer[0].mean(1), marks) for name, layer in layers.items()}


def distances(model: Any, tokenizer: Any, written: list[dict], restored: list[dict]) -> dict:
    """Return the distances of pairs of variants by pool, attention and whether outputs agree."""
    errors = defaultdict(list)
    pairs = zip(written, restored, strict=True)
    for (_, pool), group in groupby(pairs, lambda pair: (pair[0]["id"], pool_of(pair[0]))):
        variants = [
            (attentions(model, tokenizer, record), output["prediction"]) for record, output in group
        ]
        for (first, output), (second, another) in combinations(variants, 2):
            for name, values in first.items():
                a, b = padded([values, second[name]])
                error = torch.nn.functional.mse_loss(a, b).item()
                outputs = "agree" if output == another else "differ"
                errors[pool, name, outputs].append(1e6 * error)
    return errors


def pool_of(record: dict) -> str:
    """Return the pool of the names of a variant, such as names.seen:2."""
    return record["variant"].partition(":")[0].partition(".")[2]


def read(file: str, most: int) -> list[dict]:
    """Return the records of so many dialogues."""
    records = list(map(json.loads, Path(file).read_text(encoding="utf-8").splitlines()))
    kept = list(dict.fromkeys(record["id"] for record in records))[:most]
    return [record for record in records if record["id"] in kept]


def main(most: str, *files: str) -> None:
    cells = defaultdict(lambda: defaultdict(list))
    for folder, written, restored in zip(*[iter(files)] * 3, strict=True):
        model = AutoModelForSeq2SeqLM.from_pretrained(folder, attn_implementation="eager").eval()
        tokenizer = AutoTokenizer.from_pretrained(folder)
        records = read(written, int(most))
        errors = distances(model, tokenizer, records, read(restored, int(most)))
        row = records[0]["system"]
        for pool, name in dict.fromkeys(key[:2] for key in errors):
            agree, differ = (errors[pool, name, outputs] for outputs in ("agree", "differ"))
            if agree and differ:  # else there is nothing to compare
                cell = cells[row, pool, name]
                cell["agree"].append(fmean(agree))
                cell["differ"].append(fmean(differ))
                cell["differ / agree"].append(fmean(differ) / fmean(agree))
    print("Distance of the attentions of two variants, × 10⁶\n")
    print(table(cells, ("row", "names", "attention")))


if __name__ == "__main__":
    main(*sys.argv[1:])
