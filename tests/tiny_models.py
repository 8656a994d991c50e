"""Tiny models with random weights and tokenizers of their own, built on the spot.

Their texts are noise, but depend on all of the input as those of a real model do.
"""

from pathlib import Path
from typing import Any

from dialtools.models import checkpoints

SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]
TEXTS = [
    "Ann: Hi Bob, can you bring the tickets to the station?",
    "Bob: Sure, I will be there at ten.",
    "Ann: Thanks! See you.",
    "Carla: The meeting is moved to Monday.",
    "Dev: Which room?",
    "Mio: チケットはありますか。",
    "Ken: はい、二枚あります。",
    "#Person1#: Good morning, how can I help?",
]
_BERT = {
    "hidden_size": 32,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 96,
    "pad_token_id": 1,
}


def tokenizer(special: list[str] = SPECIAL, frame: str | None = "<s> $A </s>") -> Any:
    """Return a tokenizer trained on TEXTS, with `frame` around each text."""
    from tokenizers import Tokenizer, decoders, pre_tokenizers, processors, trainers
    from tokenizers import models as kinds
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(kinds.BPE())
    made.pre_tokenizer, made.decoder = (
        pre_tokenizers.ByteLevel(add_prefix_space=False),
        decoders.ByteLevel(),
    )
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        TEXTS,
        trainers.BpeTrainer(
            vocab_size=400, special_tokens=special, show_progress=False, initial_alphabet=alphabet
        ),
    )
    if frame:
        made.post_processor = processors.TemplateProcessing(
            single=frame,
            pair=f"{frame} $B </s>",
            special_tokens=[(token, special.index(token)) for token in ("<s>", "</s>")],
        )
    names = (
        {"bos_token": special[0], "eos_token": special[-1]}
        if not frame
        else dict(bos_token="<s>", pad_token="<pad>", eos_token="</s>", unk_token="<unk>")
    )
    return PreTrainedTokenizerFast(tokenizer_object=made, **names)


def save(place: Path, *parts: Any) -> str:
    """Write models and tokenizers into a folder; return it."""
    with checkpoints.hushed():
        for part in parts:
            part.save_pretrained(place)
    return str(place)


def ready(seed: int = 1) -> None:
    """Let random weights be those of a seed."""
    import torch

    torch.set_num_threads(1)  # more only wait for each other at this size
    torch.manual_seed(seed)


def bart(words: Any, **changes: Any) -> Any:
    """Return a BART of 96 positions."""
    from transformers import BartConfig, BartForConditionalGeneration

    ready()
    return BartForConditionalGeneration(
        BartConfig(
            **dict(
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
                forced_eos_token_id=2,
            )
            | changes
        )
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


def gpt2(words: Any, **changes: Any) -> Any:
    """Return a GPT-2 of 96 positions."""
    from transformers import GPT2Config, GPT2LMHeadModel

    ready(3)
    return GPT2LMHeadModel(
        GPT2Config(
            **dict(
                vocab_size=len(words),
                n_embd=32,
                n_layer=1,
                n_head=2,
                n_positions=96,
                bos_token_id=0,
                eos_token_id=0,
                initializer_range=0.4,
            )
            | changes
        )
    )


def bert(words: Any) -> Any:
    """Return an encoder, a BERT of 96 positions."""
    from transformers import BertConfig, BertModel

    ready()
    return BertModel(BertConfig(**_BERT, vocab_size=len(words))).eval()


def masked(words: Any) -> Any:
    """Return a BERT that guesses masked tokens."""
    from transformers import BertConfig, BertForMaskedLM

    ready(4)
    return BertForMaskedLM(BertConfig(**_BERT, vocab_size=len(words), initializer_range=0.4))


def classifier(words: Any, labels: list[str], **changes: Any) -> Any:
    """Return a BERT with labels for texts."""
    from transformers import BertConfig, BertForSequenceClassification

    ready(5)
    return BertForSequenceClassification(
        BertConfig(
            **_BERT
            | dict(vocab_size=len(words), initializer_range=0.4, id2label=dict(enumerate(labels)))
            | changes
        )
    )


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
