"""Train the masked language model of an encoder further on dialogues, as Deep-AM's BERT.

python3 mlm.py MODEL FOLDER TRAIN.jsonl DEV.jsonl [--epochs N] [--batch-size N] [--learning-rate R] [--max-input N]

Each response is read after its dialogue, of which the last tokens are kept; 15 % of the tokens are hidden, drawn anew
in each epoch.  FOLDER gets the model, and the loss on DEV after each epoch, in nats a hidden token, is printed.
"""

import argparse
import json
from typing import Any

from transformers import (
    AutoModelForMaskedLM,
    AutoTokenizer,
    DataCollatorForLanguageModeling,
    Trainer,
    TrainingArguments,
)


def read(path: str, words: Any, most: int) -> list[dict]:
    with open(path, encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    texts = [
        "\n".join([*(turn["text"] for turn in record["dialogue"]), record["prediction"]])
        for record in records
    ]
    return [{"input_ids": ids} for ids in words(texts, truncation=True, max_length=most).input_ids]


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("model", "folder", "train", "dev"):
        parser.add_argument(name)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--learning-rate", type=float, default=3e-5)
    parser.add_argument("--max-input", type=int, default=512)
    options = parser.parse_args()
    words = AutoTokenizer.from_pretrained(options.model, truncation_side="left")
    training = TrainingArguments(
        options.folder,
        num_train_epochs=options.epochs,
        per_device_train_batch_size=options.batch_size,
        per_device_eval_batch_size=options.batch_size,
        learning_rate=options.learning_rate,
        eval_strategy="epoch",
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
    )
    trainer = Trainer(
        AutoModelForMaskedLM.from_pretrained(options.model),
        training,
        data_collator=DataCollatorForLanguageModeling(words, mlm_probability=0.15),
        train_dataset=read(options.train, words, options.max_input),
        eval_dataset=read(options.dev, words, options.max_input),
        processing_class=words,
    )
    trainer.train()
    for entry in trainer.state.log_history:
        if "eval_loss" in entry:
            print(json.dumps({"epoch": round(entry["epoch"]), "dev_loss": entry["eval_loss"]}))
    trainer.save_model()


if __name__ == "__main__":
    main()
