"""Tiny models with random weights: a job runs with one where there is no real one, and its numbers mean nothing.

    python3 -m dialtools.models.stand_ins causal|seq2seq|nli|nsp|judge FOLDER

causal is a GPT-2, seq2seq a BART, nli a BERT with the labels of natural
language inference, nsp a BERT that predicts next sentences, judge a GPT-2 that
writes one digit; each reads any text of up to 1,024 bytes.  Their texts are
noise, but depend on all of the input as those of a real model do.
"""

import sys
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
BERT = {
    "hidden_size": 32,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 96,
    "pad_token_id": 1,
}
BART = {
    "d_model": 32,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 32,
    "decoder_ffn_dim": 32,
    "max_position_embeddings": 96,
    "init_std": 0.4,
    "bos_token_id": 0,
    "pad_token_id": 1,
    "eos_token_id": 2,
    "decoder_start_token_id": 2,
    "forced_eos_token_id": 2,
}
GPT2 = {
    "n_embd": 32,
    "n_layer": 1,
    "n_head": 2,
    "n_positions": 96,
    "bos_token_id": 0,
    "eos_token_id": 0,
    "initializer_range": 0.4,
}
POSITIONS = 1024
LABELS = ["entailment", "neutral", "contradiction"]


def main(kind: str, folder: str) -> None:
    words = tokenizer()
    network = {
        "causal": lambda: gpt2(words, n_positions=POSITIONS),
        "seq2seq": lambda: bart(words, max_position_embeddings=POSITIONS),
        "nli": lambda: classifier(words, LABELS, max_position_embeddings=POSITIONS),
        "nsp": lambda: nsp(words),
        "judge": lambda: judge(words),
    }
    save(Path(folder), network[kind](), words)


def nsp(words: Any) -> Any:
    """Return a BERT that predicts whether one text follows another."""
    from transformers import BertForNextSentencePrediction

    config = classifier(words, LABELS[:2], max_position_embeddings=POSITIONS).config
    return BertForNextSentencePrediction(config)


def judge(words: Any) -> Any:
    """Return a causal model that always finds some digit most likely, and after it the end."""
    import torch

    model = gpt2(words, n_positions=POSITIONS, tie_word_embeddings=False)
    digits = words.convert_tokens_to_ids(list("0123456789"))
    half = model.lm_head.weight.data[digits[:5]].clone()
    model.lm_head.weight.data.zero_()
    # one of a digit and its opposite is above 0
    model.lm_head.weight.data[digits] = torch.cat([half, -half])
    end = model.generation_config.eos_token_id
    model.generation_config.sequence_bias = [[[digit, end], 1000.0] for digit in digits]
    return model


def tokenizer(special: list[str] = SPECIAL, frame: str | None = "<s> $A </s>") -> Any:
    """Return a tokenizer trained on TEXTS, with `frame` around each text."""
    from tokenizers import Tokenizer, decoders, pre_tokenizers, processors, trainers
    from tokenizers import models as kinds
    from transformers import PreTrainedTokenizerFast

    built = Tokenizer(kinds.BPE())
    built.pre_tokenizer, built.decoder = (
        pre_tokenizers.ByteLevel(add_prefix_space=False),
        decoders.ByteLevel(),
    )
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    built.train_from_iterator(
        TEXTS,
        trainers.BpeTrainer(
            vocab_size=400, special_tokens=special, show_progress=False, initial_alphabet=alphabet
        ),
    )
    if frame:
        built.post_processor = processors.TemplateProcessing(
            single=frame,
            pair=f"{frame} $B </s>",
            special_tokens=[(token, special.index(token)) for token in ("<s>", "</s>")],
        )
    names = (
        {"bos_token": special[0], "eos_token": special[-1]}
        if not frame
        else dict(bos_token="<s>", pad_token="<pad>", eos_token="</s>", unk_token="<unk>")
    )
    return PreTrainedTokenizerFast(tokenizer_object=built, **names)


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
    return BartForConditionalGeneration(BartConfig(**{**BART, "vocab_size": len(words), **changes}))


def gpt2(words: Any, **changes: Any) -> Any:
    """Return a GPT-2 of 96 positions."""
    from transformers import GPT2Config, GPT2LMHeadModel

    ready(3)
    return GPT2LMHeadModel(GPT2Config(**{**GPT2, "vocab_size": len(words), **changes}))


def classifier(words: Any, labels: list[str], **changes: Any) -> Any:
    """Return a BERT with labels for texts."""
    from transformers import BertConfig, BertForSequenceClassification

    ready(5)
    options: dict[str, Any] = {"vocab_size": len(words), "initializer_range": 0.4}
    options |= {"id2label": dict(enumerate(labels)), **changes}
    return BertForSequenceClassification(BertConfig(**{**BERT, **options}))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except ModuleNotFoundError as error:
        sys.exit(
            f"{sys.argv[0]}: the library {error.name} is not installed: "
            "pip install 'dialtools[models]'"
        )
