"""Tiny models with random weights and tokenizers of their own, built on the spot.

Their texts are noise, but depend on all of the input as those of a real model do.
"""

from pathlib import Path
from typing import Any

from dialtools.models.stand_ins import (  # noqa: F401
    BERT,
    SPECIAL,
    TEXTS,
    bart,
    classifier,
    gpt2,
    ready,
    save,
    tokenizer,
)


def t5(words: Any) -> Any:
    """Return a T5, which has positions for any number of tokens."""
    from transformers import T5Config, T5ForConditionalGeneration

    ready(2)
    return T5ForConditionalGeneration(
        T5Config(
            vocab_size=len(words),
            d_model=32,
            d_kv=8,
            d_ff=32,
            num_layers=1,
            num_heads=2,
            pad_token_id=1,
            eos_token_id=2,
            decoder_start_token_id=1,
        )
    )


def bert(words: Any) -> Any:
    """Return an encoder, a BERT of 96 positions."""
    from transformers import BertConfig, BertModel

    ready()
    return BertModel(BertConfig(**BERT, vocab_size=len(words))).eval()


def masked(words: Any) -> Any:
    """Return a BERT that guesses masked tokens."""
    from transformers import BertConfig, BertForMaskedLM

    ready(4)
    return BertForMaskedLM(BertConfig(**BERT, vocab_size=len(words), initializer_range=0.4))


def folder(place: Path) -> Path:
    """Fill a folder with models: bart, gpt2 (no token for padding), t5, and silent, a bart that says nothing."""
    words = tokenizer()
    made = bart(words)
    save(place / "bart", made, words)
    made.final_logits_bias[0, 2] = 1000  # the end, whatever was read
    save(place / "silent", made, words)
    save(place / "t5", t5(words), words)
    words = tokenizer(["<end>"], None)
    save(place / "gpt2", gpt2(words), words)
    return place


def nllb() -> tuple[Any, Any]:
    """Return a model and a tokenizer of many languages, an M2M-100 of 96 positions with the languages of NLLB."""
    import json

    from transformers import M2M100Config, M2M100ForConditionalGeneration, NllbTokenizer

    pieces = json.loads(tokenizer()._tokenizer.to_str())["model"]
    words = NllbTokenizer(vocab=pieces["vocab"], merges=[tuple(pair) for pair in pieces["merges"]])
    ready(4)
    model = M2M100ForConditionalGeneration(
        M2M100Config(
            vocab_size=len(words),
            d_model=32,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=2,
            decoder_attention_heads=2,
            encoder_ffn_dim=32,
            decoder_ffn_dim=32,
            max_position_embeddings=96,
            init_std=0.4,
            bos_token_id=0,
            pad_token_id=1,
            eos_token_id=2,
            decoder_start_token_id=2,
        )
    )
    return model, words


def cdial(place: Path, texts: str) -> Path:
    """Fill a folder as CDial-GPT's is: a GPT-2 with a vocab.txt of characters alone; return it.

    Its configuration names an end that it has no embedding of.
    """
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[speaker1]", "[speaker2]"]
    words += sorted({character for character in texts.lower() if not character.isspace()})
    model = gpt2(words, n_positions=513, bos_token_id=50256, eos_token_id=50256)
    save(place, model)
    (place / "generation_config.json").unlink()
    (place / "vocab.txt").write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
    return place
