"""Tiny models of the families that dt-generate is for, each with its family's own tokenizer and settings.

Which tokens there are for begin, end, padding and languages, and where they
stand, is as in the published models; what is written is noise.
"""

import json
from pathlib import Path
from typing import Any

import tiny_models
from tiny_models import SPECIAL, TEXTS

from dialtools.models import checkpoints

SIZE = dict(
    d_model=32,
    encoder_layers=1,
    decoder_layers=1,
    encoder_attention_heads=2,
    decoder_attention_heads=2,
    encoder_ffn_dim=32,
    decoder_ffn_dim=32,
    max_position_embeddings=96,
    init_std=0.4,
)


def pieces() -> list[tuple[str, float]]:
    """Return the pieces of a unigram model trained on TEXTS, with scores by which the fewest pieces win.

    The scores that it is trained to, and so the order, are others each time.
    """
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    made = Tokenizer(models.Unigram())
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.train_from_iterator(
        TEXTS,
        trainers.UnigramTrainer(
            vocab_size=300, show_progress=False, unk_token="<unk>", special_tokens=["<unk>"]
        ),
    )
    found = sorted(
        piece for piece, _ in json.loads(made.to_str())["model"]["vocab"] if piece != "<unk>"
    )
    return [(piece, -5 - number / 100) for number, piece in enumerate(found)]


def bart() -> tuple[Any, Any]:
    """Return a BART: the first token and the last are forced."""
    words = tiny_models.tokenizer()
    return tiny_models.bart(words, forced_bos_token_id=0), words


def pegasus() -> tuple[Any, Any]:
    """Return a Pegasus: sinusoidal positions, scaled embeddings; an output begins with padding."""
    from transformers import PegasusConfig, PegasusForConditionalGeneration, PegasusTokenizer

    special = [
        "<pad>",
        "</s>",
        "<mask_1>",
        "<mask_2>",
        *(f"<unk_{n}>" for n in range(2, 103)),
        "<unk>",
    ]
    words = PegasusTokenizer(vocab=[*((token, 0.0) for token in special), *pieces()])
    tiny_models.ready(21)
    return PegasusForConditionalGeneration(
        PegasusConfig(
            **SIZE,
            vocab_size=len(words),
            scale_embedding=True,
            activation_function="relu",
            pad_token_id=0,
            eos_token_id=1,
            decoder_start_token_id=0,
            forced_eos_token_id=1,
        )
    ), words


def t5() -> tuple[Any, Any]:
    """Return a T5 of the first kind: relu, one matrix for tokens in and out."""
    return _t5("T5", 27)


def flan() -> tuple[Any, Any]:
    """Return a T5 of the later kind, as Flan's: gated, with a matrix of its own for tokens out."""
    return _t5("T5", 25, feed_forward_proj="gated-gelu", tie_word_embeddings=False)


def mt5() -> tuple[Any, Any]:
    """Return an mT5."""
    return _t5("MT5", 28, feed_forward_proj="gated-gelu", tie_word_embeddings=False)


def _t5(family: str, seed: int, **more: Any) -> tuple[Any, Any]:
    import transformers

    special = ((token, 0.0) for token in ("<pad>", "</s>", "<unk>"))
    words = transformers.T5Tokenizer(
        vocab=[*special, *pieces()], extra_ids=0 if family == "MT5" else 100
    )
    tiny_models.ready(seed)
    return getattr(transformers, f"{family}ForConditionalGeneration")(
        getattr(transformers, f"{family}Config")(
            vocab_size=len(words) + 24,
            d_model=32,
            d_kv=8,
            d_ff=32,
            num_layers=1,
            num_heads=2,
            pad_token_id=0,
            eos_token_id=1,
            decoder_start_token_id=0,
            initializer_factor=2.0,
            **more,
        )
    ), words  # more rows than tokens


def mbart() -> tuple[Any, Any]:
    """Return an mBART of 25 languages: an output begins with its language, and no setting says which."""
    model, words = _mbart("mbart", "MBartTokenizer", 31)
    model.config.decoder_start_token_id = model.generation_config.decoder_start_token_id = None
    return model, words


def mbart50() -> tuple[Any, Any]:
    """Return an mBART of 50 languages: an output begins with the end, and then comes its language."""
    return _mbart("mbart50", "MBart50Tokenizer", 16)


def _mbart(module: str, kind: str, seed: int) -> tuple[Any, Any]:
    from importlib import import_module

    from transformers import MBartConfig, MBartForConditionalGeneration

    known = import_module(f"transformers.models.{module}.tokenization_{module}")
    words = getattr(known, kind)(
        vocab=[
            *((token, 0.0) for token in SPECIAL),
            *pieces(),
            *((token, 0.0) for token in (*known.FAIRSEQ_LANGUAGE_CODES, "<mask>")),
        ]
    )
    tiny_models.ready(seed)
    return MBartForConditionalGeneration(
        MBartConfig(
            **SIZE,
            vocab_size=len(words),
            scale_embedding=True,
            bos_token_id=0,
            pad_token_id=1,
            eos_token_id=2,
            decoder_start_token_id=2,
            forced_eos_token_id=2,
            tokenizer_class=kind,
        )
    ), words


def m2m(place: Path) -> tuple[Any, Any]:
    """Return an M2M-100; place: a folder for the files that its tokenizer, one of sentencepiece, is read from."""
    from transformers import M2M100Config, M2M100ForConditionalGeneration, M2M100Tokenizer

    words = M2M100Tokenizer(
        _vocabulary(place, [*SPECIAL, *_sentencepiece(place / "spm")]), str(place / "spm.model")
    )
    tiny_models.ready(17)
    return M2M100ForConditionalGeneration(
        M2M100Config(
            **SIZE,
            vocab_size=len(words) + 108,
            bos_token_id=0,
            pad_token_id=1,
            eos_token_id=2,
            decoder_start_token_id=2,
        )
    ), words  # 100 languages, 8 made-up words


def marian(place: Path) -> tuple[Any, Any]:
    """Return a MarianMT as OPUS-MT has them: an output begins with padding, the last token, which is never written."""
    from transformers import MarianConfig, MarianMTModel, MarianTokenizer

    known = ["</s>", "<unk>", *_sentencepiece(place / "spm"), "<pad>"]
    with checkpoints.hushed():  # it recommends a library that it makes no use of
        words = MarianTokenizer(*[str(place / "spm.model")] * 2, _vocabulary(place, known))
    tiny_models.ready(41)
    model = MarianMTModel(
        MarianConfig(
            **SIZE,
            vocab_size=len(words),
            scale_embedding=True,
            activation_function="swish",
            eos_token_id=0,
            forced_eos_token_id=0,
            pad_token_id=len(words) - 1,
            decoder_start_token_id=len(words) - 1,
        )
    )
    model.final_logits_bias[0, 0] = 4.0
    model.generation_config.update(bad_words_ids=[[len(words) - 1]], renormalize_logits=True)
    return model, words


def _sentencepiece(name: Path) -> list[str]:
    """Write a model trained on TEXTS, NAME.model; return its pieces."""
    import sentencepiece

    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXTS),
        model_prefix=str(name),
        vocab_size=150,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    found = sentencepiece.SentencePieceProcessor(model_file=f"{name}.model")
    return [found.id_to_piece(number) for number in range(3, found.get_piece_size())]


def _vocabulary(place: Path, known: list[str]) -> str:
    """Write the numbers of tokens into a file in a folder; return its path."""
    (place / "vocab.json").write_text(
        json.dumps({token: number for number, token in enumerate(known)})
    )
    return str(place / "vocab.json")


def llama() -> tuple[Any, Any]:
    """Return a Llama with a chat template, several tokens that end an output, and none for padding."""
    from transformers import LlamaConfig, LlamaForCausalLM

    words = tiny_models.tokenizer(["<|begin|>", "<|end|>", "<|head|>", "<|eot|>"], None)
    words.chat_template = (
        "{{ bos_token }}{% for m in messages %}<|head|>{{ m.role }}\n{{ m.content }}<|eot|>"
        "{% endfor %}{% if add_generation_prompt %}<|head|>assistant\n{% endif %}"
    )
    tiny_models.ready(18)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(words),
            hidden_size=32,
            intermediate_size=32,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=128,
            initializer_range=0.4,
            bos_token_id=0,
            eos_token_id=[1, 3],
            pad_token_id=None,
        )
    ), words
