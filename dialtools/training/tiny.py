"""Small models with random weights, and tokenizers trained on the texts that they will read."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, get_args

from dialtools.plugins import registry
from dialtools.system.errors import OptionError, need

NAME = "tiny"
POSITIONS = 1024
LEARNED = 4_000_000  # characters that a tokenizer learns from
SPECIAL = ["<pad>", "</s>", "<unk>"]
_BYTES = [f"<0x{byte:02X}>" for byte in range(256)]  # stand for rare characters
_SPACE = "▁"


class Shape(NamedTuple):
    """The options of tiny:kind=causal,layers=2,…; some 8 million weights by default."""

    kind: Literal["seq2seq", "causal"] = "seq2seq"
    layers: int = 3  # of the encoder and of the decoder
    hidden: int = 256
    heads: int = 4
    vocabulary: int = 8000  # tokens at most
    dropout: float = 0.1


def shape(spec: str) -> Shape | None:
    """Return the shape that "tiny" or "tiny:layers=2" asks for, None for any other model."""
    if spec.partition(":")[0] != NAME:
        return None
    values: dict[str, Any] = {}
    for key, text in registry.split(spec)[1].items():
        if key not in Shape._fields:
            raise OptionError(f"tiny has no option {key!r}; it has {', '.join(Shape._fields)}")
        default = Shape._field_defaults[key]
        try:
            values[key] = type(default)(text)
        except ValueError:
            raise OptionError(f"tiny: {key} is a number, not {text!r}") from None
    asked = Shape(**values)
    kinds, least = get_args(Shape.__annotations__["kind"]), len(SPECIAL) + len(_BYTES) + 1
    if asked.kind not in kinds:
        raise OptionError(f"tiny: kind is {' or '.join(kinds)}, not {asked.kind!r}")
    if min(asked.layers, asked.hidden, asked.heads) < 1 or asked.hidden % (2 * asked.heads):
        raise OptionError("tiny: hidden is a multiple of twice the heads, and all are at least 1")
    if asked.vocabulary < least or not 0 <= asked.dropout < 1:
        raise OptionError(f"tiny: vocabulary is at least {least}, and dropout a share below 1")
    return asked


def tokenizer(texts: Sequence[str], shape: Shape) -> Any:
    """Return a tokenizer: byte pairs within words, and bytes for what is rare.

    A word has the same tokens at the beginning of a line as behind a space, so that a model may
    copy the name of a speaker into a sentence.
    """
    tokenizers = need("tokenizers", "models")
    decoders = tokenizers.decoders
    room = shape.vocabulary - len(_BYTES)
    learner = _splitting(tokenizers)
    sample = texts[:: max(1, round(sum(map(len, texts)) / LEARNED))]  # from all over the data

    # the trainer itself would choose by chance between characters that are as frequent
    counts = Counter(_SPACE)
    for text in sample:
        counts.update(text.replace(" ", _SPACE))
    characters = sorted(counts, key=lambda character: (-counts[character], character))
    characters = characters[: max(1, room // 2)]
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=room,
        min_frequency=2,
        special_tokens=SPECIAL,
        show_progress=False,
        initial_alphabet=characters,
        limit_alphabet=len(characters),
    )
    learner.train_from_iterator(sample, trainer)

    learned = json.loads(learner.to_str())["model"]
    words = dict(learned["vocab"])
    words |= {byte: len(words) + number for number, byte in enumerate(_BYTES)}
    reader = _splitting(tokenizers, words, [tuple(pair) for pair in learned["merges"]])
    reader.add_special_tokens(SPECIAL)
    reader.decoder = decoders.Sequence(
        [
            decoders.Replace(_SPACE, " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Replace("\n ", "\n"),
            decoders.Strip(" ", 1, 0),
        ]
    )
    if shape.kind == "seq2seq":
        reader.post_processor = tokenizers.processors.TemplateProcessing(
            single="$A </s>", special_tokens=[("</s>", words["</s>"])]
        )
    return need("transformers", "models").PreTrainedTokenizerFast(
        tokenizer_object=reader,
        pad_token="<pad>",
        eos_token="</s>",
        unk_token="<unk>",
        model_max_length=POSITIONS,
        clean_up_tokenization_spaces=False,
    )


def _splitting(
    tokenizers: Any,
    words: dict[str, int] | None = None,
    merges: list[tuple[str, str]] | None = None,
) -> Any:
    """Return a tokenizer that looks at words, signs and line ends apart."""
    splits = tokenizers.pre_tokenizers
    splitting = tokenizers.Tokenizer(
        tokenizers.models.BPE(words, merges, unk_token="<unk>", byte_fallback=words is not None)
    )
    splitting.normalizer = tokenizers.normalizers.Replace("\n", "\n ")
    sign = tokenizers.Regex(rf"[\p{{P}}\p{{S}}&&[^{_SPACE}#]]|\n")  # # belongs to #Person1#
    splitting.pre_tokenizer = splits.Sequence(
        [splits.Metaspace(_SPACE, "always"), splits.Split(sign, "isolated")]
    )
    return splitting


def _seeded(seed: int) -> Any:
    """Return transformers, with torch at the beginning of its random numbers."""
    need("torch", "models").manual_seed(seed % 2**64)  # torch takes no more
    return need("transformers", "models")


def network(words: Any, shape: Shape, seed: int) -> Any:
    """Return a model with random weights: a Pegasus, which has its norms first, or a GPT-2.

    Its decoder's attention hands on what it attends to as it is.  Input and output share one
    embedding, so that what is attended to becomes likelier to be written from the first step on: a
    model learns to read its input with far less data.
    """
    transformers = _seeded(seed)
    if shape.kind == "causal":
        return transformers.GPT2LMHeadModel(_of_decoder(words, shape))
    pegasus = transformers.PegasusForConditionalGeneration(
        transformers.PegasusConfig(
            vocab_size=len(words),
            d_model=shape.hidden,
            encoder_layers=shape.layers,
            decoder_layers=shape.layers,
            encoder_attention_heads=shape.heads,
            decoder_attention_heads=shape.heads,
            encoder_ffn_dim=4 * shape.hidden,
            decoder_ffn_dim=4 * shape.hidden,
            max_position_embeddings=POSITIONS,
            dropout=shape.dropout,
            attention_dropout=0.0,
            activation_dropout=0.0,
            scale_embedding=True,
            init_std=shape.hidden**-0.5,
            forced_eos_token_id=None,
            decoder_start_token_id=words.pad_token_id,
            pad_token_id=words.pad_token_id,
            eos_token_id=words.eos_token_id,
        )
    )
    torch = need("torch", "models")
    with torch.no_grad():
        for layer in pegasus.model.decoder.layers:
            for part in (layer.encoder_attn.v_proj, layer.encoder_attn.out_proj):
                torch.nn.init.eye_(part.weight)
                torch.nn.init.zeros_(part.bias)
    return pegasus


def encoder(words: Any, shape: Shape, seed: int) -> Any:
    """Return an encoder with random weights, a BERT."""
    transformers = _seeded(seed)
    return transformers.BertModel(
        transformers.BertConfig(
            vocab_size=len(words),
            hidden_size=shape.hidden,
            num_hidden_layers=shape.layers,
            num_attention_heads=shape.heads,
            intermediate_size=4 * shape.hidden,
            max_position_embeddings=POSITIONS,
            hidden_dropout_prob=shape.dropout,
            attention_probs_dropout_prob=0.0,
            pad_token_id=words.pad_token_id,
        )
    )


def frame(words: Any, shape: Shape) -> None:
    """Let a tokenizer of a scorer put </s> before a text and behind it; a causal model needs none."""
    if shape.kind == "causal":
        return
    end = words.eos_token
    words.backend_tokenizer.post_processor = need(
        "tokenizers", "models"
    ).processors.TemplateProcessing(
        single=f"{end} $A {end}",
        pair=f"{end} $A {end} $B {end}",
        special_tokens=[(end, words.eos_token_id)],
    )


def scorer(words: Any, shape: Shape, seed: int, labels: dict[str, Any]) -> Any:
    """Return a ModernBERT, which has its norms first, or a GPT-2, with random weights.

    labels: what the configuration says of them; {} for a model without a head.
    """
    transformers = _seeded(seed)
    if shape.kind == "causal":
        config = _of_decoder(words, shape, **labels)
        return (transformers.GPT2ForSequenceClassification if labels else transformers.GPT2Model)(
            config
        )
    end = words.eos_token_id
    config = transformers.ModernBertConfig(
        vocab_size=len(words),
        hidden_size=shape.hidden,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        intermediate_size=2 * shape.hidden,
        max_position_embeddings=POSITIONS,
        global_attn_every_n_layers=1,
        attention_dropout=0.0,
        mlp_dropout=shape.dropout,
        embedding_dropout=shape.dropout,
        classifier_pooling="mean",
        classifier_dropout=shape.dropout,
        pad_token_id=words.pad_token_id,
        bos_token_id=end,
        eos_token_id=end,
        cls_token_id=end,
        sep_token_id=end,
        **labels,
    )
    return (
        transformers.ModernBertForSequenceClassification if labels else transformers.ModernBertModel
    )(config)


def _of_decoder(words: Any, shape: Shape, **more: Any) -> Any:
    return need("transformers", "models").GPT2Config(
        vocab_size=len(words),
        n_embd=shape.hidden,
        n_layer=shape.layers,
        n_head=shape.heads,
        n_positions=POSITIONS,
        bos_token_id=words.eos_token_id,
        resid_pdrop=shape.dropout,
        embd_pdrop=shape.dropout,
        attn_pdrop=0.0,
        pad_token_id=words.pad_token_id,
        eos_token_id=words.eos_token_id,
        **more,
    )
