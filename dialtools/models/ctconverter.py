"""Conversion of a model of transformers for CTranslate2, and a check that both compute the same.

Only ctranslate.py calls this, in a separate process: making an int8 model spoils
the weights that torch has in memory.
"""

import json
import os
from types import SimpleNamespace
from typing import Any

from dialtools.models import checkpoints, folders
from dialtools.system.errors import MissingError

TOLERANCE = 1e-3  # of states and of logarithms of probabilities; for each unit of those above 1


def convert(source: str, made: str, precision: str, *allowed: str) -> None:
    """Write the model in the folder `source` as one of CTranslate2 into a new folder.

    precision: of the weights; one of float32 is made in any case, and compared with transformers.
    allowed: "code" that comes with the model may run; weights may be a "pickle".
    """
    checked = made if precision == "float32" else f"{made}.float32"
    model, tokenizer, expected = _write(source, checked, "float32", allowed)
    far = _distance(checked, model, tokenizer, expected)
    if not far <= TOLERANCE:
        raise MissingError(
            f"the result of ctranslate2 for a {type(model).__name__} differs by "
            f"{far:.2g} from that of transformers: --engine torch"
        )
    if precision != "float32":
        _write(source, made, precision, allowed)


def _write(
    source: str, made: str, precision: str, allowed: tuple[str, ...]
) -> tuple[Any, Any, Any]:
    """Convert a model into a folder; return it as it is in torch, its tokenizer, and what torch
    makes of tokens.
    """
    from ctranslate2.converters import TransformersConverter

    kept: list = []
    converter = TransformersConverter(folders.base(source), trust_remote_code="code" in allowed)

    def load_model(architecture: Any, *given: Any, **options: Any) -> Any:
        tokenizer, model = _network(architecture.__name__, source, allowed)
        rows = model.get_input_embeddings().weight.shape[0]
        # it wants one for each
        tokenizer.add_tokens([f"<unused {number}>" for number in range(len(tokenizer), rows)])
        tokenizer.num_madeup_words = 0  # and would add more to those of M2M-100
        # now: converting takes some models apart
        expected = _by_torch(model, _ids(model, tokenizer))
        kept.append((model, tokenizer, expected))
        return _as_expected(model, architecture.__name__)

    # Its own loading takes what is pickled, and what weights are lacking it fills at random.
    converter.load_model = load_model
    converter.load_tokenizer = lambda *given, **options: kept[0][1]
    converter.convert(made, quantization=precision)
    _amend(made, kept[0][1])
    return kept[0]


def _network(architecture: str, source: str, allowed: tuple[str, ...]) -> tuple[Any, Any]:
    """Return (tokenizer, model) of the class that the architecture belongs to."""
    ends = {
        "ForConditionalGeneration": "AutoModelForSeq2SeqLM",
        "MTModel": "AutoModelForSeq2SeqLM",
        "LMHeadModel": "AutoModelForCausalLM",
        "ForCausalLM": "AutoModelForCausalLM",
    }
    what = next((what for end, what in ends.items() if architecture.endswith(end)), "AutoModel")
    checkpoint = folders.Checkpoint(source, True, "code" in allowed, "pickle" in allowed)
    return checkpoints.network(
        what, checkpoint, "cpu", "float32", "pooler." if what == "AutoModel" else ""
    )


def _as_expected(model: Any, architecture: str) -> Any:
    """Return a model with the attributes that the converter needs and transformers lacks."""
    encoder, config = getattr(getattr(model, "model", None), "encoder", None), model.config
    if encoder is not None:  # BART and its kin: what is built into their classes
        config.normalize_before = hasattr(encoder, "layer_norm")
        config.normalize_embedding = hasattr(encoder, "layernorm_embedding")
    if hasattr(config, "scale_decoder_outputs"):  # T5, which counts as tied in any case
        config.tie_word_embeddings = config.scale_decoder_outputs
    elif config.model_type == "mt5":
        config.tie_word_embeddings = False
    if not hasattr(config, "position_embedding_type"):
        config.position_embedding_type = "absolute"  # there are no others any more
    if architecture.startswith("XLMRoberta"):  # it expects a classifier
        return SimpleNamespace(roberta=model, config=config)
    return model


def _amend(made: str, tokenizer: Any) -> None:
    """Correct the model's tokens in CTranslate2's configuration.

    It needs a token for each role, while calls name the tokens that end a text.  The decoder's
    first token is part of each call, too, since generation settings may have another one.
    """
    path = os.path.join(made, "config.json")
    with open(path, encoding="utf-8") as file:
        config = json.load(file)
    for role in ("unk_token", "bos_token", "eos_token"):
        if role in config and config[role] is None:
            config[role] = tokenizer.convert_ids_to_tokens(0)
    if "decoder_start_token" in config:
        config["decoder_start_token"] = None
    with open(path, "w", encoding="utf-8") as file:
        json.dump(config, file, ensure_ascii=False)


def _ids(model: Any, tokenizer: Any) -> list[int]:
    """Return tokens from all over the vocabulary; none with a role, such as padding, which may be
    read otherwise.
    """
    rows = model.get_input_embeddings().weight.shape[0]
    step = rows // 32 + 1
    return sorted(set(range(step // 2, rows, step)) - set(tokenizer.all_special_ids))


def _by_torch(model: Any, ids: list[int]) -> Any:
    """Return the last states of an encoder; of a model that writes, the logits of all tokens after
    each.
    """
    import torch

    given = torch.tensor([ids])
    with checkpoints.inference():
        if model.config.is_encoder_decoder:
            return model(
                input_ids=given, decoder_input_ids=torch.tensor([_begun(model, ids)])
            ).logits[0]
        return model(given).logits[0] if _writes(model) else model(given).last_hidden_state[0]


def _begun(model: Any, ids: list[int]) -> list[int]:
    """Return what a decoder reads, its first token before the others: MarianMT's reads nothing
    else there.
    """
    start = model.generation_config.decoder_start_token_id
    return ids if start is None else [start, *ids]


def _writes(model: Any) -> bool:
    return "ForCausalLM" in type(model).__name__ or "LMHead" in type(model).__name__


def _distance(folder: str, model: Any, tokenizer: Any, expected: Any) -> float:
    """Return the largest difference of what torch and CTranslate2 make of the same; of numbers
    above 1 as a part.
    """
    import torch

    found = torch.tensor(_by_ctranslate2(folder, model, tokenizer))
    # a MarianMT of CTranslate2 lacks its padding
    if model.config.is_encoder_decoder or _writes(model):
        expected, found = expected[:, : found.shape[1]].log_softmax(-1), found.log_softmax(-1)
    return float(((expected - found) / expected.abs().clamp(min=1)).abs().max())


def _by_ctranslate2(folder: str, model: Any, tokenizer: Any) -> Any:
    """Return what CTranslate2 makes of what _by_torch is given."""
    import ctranslate2
    import numpy

    ids = _ids(model, tokenizer)
    tokens = tokenizer.convert_ids_to_tokens(ids)
    if model.config.is_encoder_decoder:
        begun = tokenizer.convert_ids_to_tokens(_begun(model, ids))
        made = ctranslate2.Translator(folder).translate_batch(
            [tokens],
            [begun],
            beam_size=1,
            min_decoding_length=0,
            max_decoding_length=len(begun),
            return_logits_vocab=True,
        )
        return numpy.stack([numpy.array(logits) for logits in made[0].logits[0]])
    if _writes(model):
        return numpy.array(ctranslate2.Generator(folder).forward_batch([tokens]))[0]
    return numpy.array(ctranslate2.Encoder(folder).forward_batch([ids]).last_hidden_state)[0]
