"""Throughput of dt-train generator beside a plain loop of transformers' Trainer on the same data.

    python tests/bench/training.py [RECORDS] [MODEL]

RECORDS dialogues (300) with lengths as in DialogSum are made up; MODEL is tiny or a folder (a GPU
is used if there is one).  The plain Trainer has batches of 32 records in random order, padded to
the longest of a batch; ours the same, by length and in parts.  Both train one epoch with the same
model, optimiser and numbers of steps.  Tokens are those of inputs and targets, without padding.
"""

import json
import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import dialtools
from dialtools.models import checkpoints
from dialtools.models.folders import Checkpoint
from dialtools.training.recipe import Machine, Reading, Recipe

BATCH = 32
WORDS = [f"word{number}" for number in range(500)]


def write(path: Path, number: int, seed: int, words: Sequence[str] = WORDS) -> None:
    """Write made-up dialogues and summaries."""
    rng = random.Random(seed)
    with path.open("w") as file:
        for n in range(number):
            said = [rng.choice(words) for _ in range(int(rng.lognormvariate(4.8, 0.45)))]
            told = [rng.choice(said) for _ in range(int(rng.lognormvariate(3, 0.4)))]
            file.write(
                json.dumps(
                    {
                        "id": f"{seed}-{n}",
                        "lang": "en",
                        "dialogue": f"Ann: {' '.join(said)}",
                        "reference": " ".join(told),
                    }
                )
                + "\n"
            )


def ours(folder: Path, model: str, device: str = "auto") -> tuple[float, float]:
    """Return tokens a second of an epoch's steps, and the share of padding."""
    log = list(
        dialtools.train_generator(
            model=model,
            train=[str(folder / "train.jsonl")],
            dev=[str(folder / "dev.jsonl")],
            output_dir=str(folder / "model"),
            recipe=Recipe(epochs=1, batch_size=BATCH),
            reading=Reading(max_new_tokens=64, dev_outputs=1),
            machine=Machine(device=device),
            allow_blind=True,
        )
    )
    return log[1]["tokens_per_second"], log[1]["padding"]


def plain(folder: Path, device: str = "auto") -> tuple[float, float]:
    """Return the same of a plain Trainer, which goes on with the model of ours."""
    import transformers

    checkpoint = Checkpoint(str(folder / "model"), offline=True)
    kind = checkpoints.kind(checkpoints.load("AutoConfig", checkpoint))
    words, model = checkpoints.network(checkpoints.CLASSES[kind], checkpoint, "cpu", "float32")
    lines = (folder / "train.jsonl").read_text().splitlines()
    rows = [example(words, json.loads(line), kind) for line in lines]
    real = sum(len(row["input_ids"]) + len(row["labels"]) for row in rows)
    cells = 0

    def collate(batch: list[dict]) -> dict:
        nonlocal cells
        made = collator(batch)
        cells += made["input_ids"].numel() + made["labels"].numel()
        return made

    collator = transformers.DataCollatorForSeq2Seq(words)
    precision = checkpoints.precision_of("auto", device)
    arguments = transformers.TrainingArguments(
        output_dir=str(folder / "plain"),
        num_train_epochs=1,
        report_to=[],
        disable_tqdm=True,
        per_device_train_batch_size=BATCH,
        save_strategy="no",
        learning_rate=1e-4,
        bf16=precision == "bfloat16",
        use_cpu=device == "cpu",
    )
    trainer = transformers.Trainer(
        model=model, args=arguments, train_dataset=rows, data_collator=collate
    )
    trainer.remove_callback(transformers.PrinterCallback)
    begun = perf_counter()
    trainer.train()
    return real / (perf_counter() - begun), 1 - real / cells


def example(words: Any, record: dict, kind: str) -> dict:
    """Return a record as the plain Trainer takes it."""
    read = words(record["dialogue"]).input_ids
    learned = words(text_target=record["reference"]).input_ids
    if kind == "causal":
        return {"input_ids": read + learned, "labels": [-100] * len(read) + learned}
    return {"input_ids": read, "labels": learned}


def main(number: str = "300", model: str = "tiny:layers=2,hidden=128,vocabulary=2000") -> None:
    """Print both."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "train.jsonl", int(number), 1)
        write(folder / "dev.jsonl", 8, 2)
        for called, (speed, padding) in (
            ("dt-train", ours(folder, model)),
            ("Trainer", plain(folder)),
        ):
            print(f"{called:10}{speed:10,.0f} tokens/s{100 * padding:8.1f} % padding")


if __name__ == "__main__":
    main(*sys.argv[1:])
