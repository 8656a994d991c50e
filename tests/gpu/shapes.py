"""Models with random weights, in the shapes of real ones or tiny, and texts for them."""

import sys
from pathlib import Path
from random import Random
from typing import Any

sys.path[:0] = [
    str(Path(__file__).resolve().parent.parent),
    str(Path(__file__).resolve().parent.parent / "bench"),
]

import synthetic
import tiny_models

WORDS = " ".join(tiny_models.TEXTS).split()
BART_LARGE = dict(
    d_model=1024,
    encoder_layers=12,
    decoder_layers=12,
    encoder_attention_heads=16,
    decoder_attention_heads=16,
    encoder_ffn_dim=4096,
    decoder_ffn_dim=4096,
    max_position_embeddings=1024,
    init_std=0.05,
)
CAUSAL_1B = dict(
    hidden_size=2048,
    num_hidden_layers=16,
    num_attention_heads=32,
    num_key_value_heads=8,
    intermediate_size=8192,
    max_position_embeddings=2048,
)
ROBERTA_LARGE = dict(
    hidden_size=1024,
    num_hidden_layers=24,
    num_attention_heads=16,
    intermediate_size=4096,
    max_position_embeddings=514,
)
TINY_BART = dict(max_position_embeddings=1024, init_std=0.2)
TINY_CAUSAL = dict(
    hidden_size=32,
    num_hidden_layers=1,
    num_attention_heads=2,
    num_key_value_heads=1,
    intermediate_size=64,
    max_position_embeddings=512,
)
TINY_ROBERTA = dict(
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=64,
    max_position_embeddings=514,
)


def seq2seq(place: Path, tiny: bool) -> str:
    """Write a BART of the shape of BART-large; return its folder."""
    words = tiny_models.tokenizer()
    return tiny_models.save(
        place, tiny_models.bart(words, **TINY_BART if tiny else BART_LARGE), words
    )


def causal(place: Path, tiny: bool) -> str:
    """Write a Llama of about a billion weights; return its folder."""
    from transformers import LlamaConfig, LlamaForCausalLM

    tiny_models.ready(6)
    words = tiny_models.tokenizer(frame="<s> $A")
    config = LlamaConfig(
        vocab_size=len(words),
        bos_token_id=0,
        pad_token_id=1,
        eos_token_id=2,
        initializer_range=0.1,
        **TINY_CAUSAL if tiny else CAUSAL_1B,
    )
    return tiny_models.save(place, LlamaForCausalLM(config), words)


def encoder(place: Path, tiny: bool) -> str:
    """Write a RoBERTa of the shape of roberta-large; return its folder."""
    from transformers import RobertaConfig, RobertaModel

    tiny_models.ready(7)
    words = tiny_models.tokenizer()
    words.model_max_length = 512
    config = RobertaConfig(
        vocab_size=len(words),
        bos_token_id=0,
        pad_token_id=1,
        eos_token_id=2,
        **TINY_ROBERTA if tiny else ROBERTA_LARGE,
    )
    return tiny_models.save(place, RobertaModel(config), words)


def layers(tiny: bool) -> int:
    """Return the layer whose states BERTScore takes."""
    return 2 if tiny else 17


def dialogues(count: int, longest: int, seed: int = 1) -> list[dict]:
    """Return records whose texts have 5 to `longest` words, most of them few, as dialogues do."""
    rng = Random(seed)
    return [
        {
            "id": number,
            "lang": "en",
            "text": " ".join(
                rng.choices(WORDS, k=min(longest, int(5 + rng.gammavariate(2, longest / 8))))
            ),
        }
        for number in range(count)
    ]


def variants(sources: int) -> list[dict]:
    """Return records of sources with five variants each, with predictions and references."""
    found: list[Any] = list(synthetic.sensitivity(sources))
    return found[: sources * synthetic.VARIANTS]
