"""Write a tiny model with random weights: a job runs with it where there is no real one.

Its numbers mean nothing.

    python3 stand_ins.py causal|seq2seq|nli|nsp|judge FOLDER

causal is a GPT-2, seq2seq a BART, nli a BERT with the labels of natural
language inference, nsp a BERT that predicts next sentences, judge a GPT-2 that
writes one digit; each reads any text of up to 1,024 bytes.
"""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
import tiny_models

POSITIONS = 1024
LABELS = ["entailment", "neutral", "contradiction"]


def main(kind: str, folder: str) -> None:
    words = tiny_models.tokenizer()
    made = {
        "causal": lambda: tiny_models.gpt2(words, n_positions=POSITIONS),
        "seq2seq": lambda: tiny_models.bart(words, max_position_embeddings=POSITIONS),
        "nli": lambda: tiny_models.classifier(words, LABELS, max_position_embeddings=POSITIONS),
        "nsp": lambda: nsp(words),
        "judge": lambda: judge(words),
    }
    tiny_models.save(Path(folder), made[kind](), words)


def nsp(words: Any) -> Any:
    """Return a BERT that predicts whether one text follows another."""
    from transformers import BertForNextSentencePrediction

    config = tiny_models.classifier(words, LABELS[:2], max_position_embeddings=POSITIONS).config
    return BertForNextSentencePrediction(config)


def judge(words: Any) -> Any:
    """Return a causal model that always finds some digit most likely, and after it the end."""
    import torch

    model = tiny_models.gpt2(words, n_positions=POSITIONS, tie_word_embeddings=False)
    digits = words.convert_tokens_to_ids(list("0123456789"))
    half = model.lm_head.weight.data[digits[:5]].clone()
    model.lm_head.weight.data.zero_()
    # one of a digit and its opposite is above 0
    model.lm_head.weight.data[digits] = torch.cat([half, -half])
    end = model.generation_config.eos_token_id
    model.generation_config.sequence_bias = [[[digit, end], 1000.0] for digit in digits]
    return model


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except ModuleNotFoundError as error:
        sys.exit(
            f"{sys.argv[0]}: the library {error.name} is not installed: "
            "pip install 'dialtools[models]'"
        )
