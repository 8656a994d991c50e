"""Converting a model of transformers for CTranslate2, with a check that both compute the same.

Only ctranslate.py calls this, in a process of its own: making a model of int8
spoils the weights that torch has in memory.
"""

import json
import os
from types import SimpleNamespace
from typing import Any

from dialtools.errors import MissingError
from dialtools.models import ctranslate, folders, loading

TEXT = "The station is closed on Monday, said Mio Sato. 駅は月曜日は休みです。"  # any text will do
TOLERANCE = 1e-3  # of logarithms of probabilities and of states that are about 1 each


def convert(source: str, made: str, precision: str, *allowed: str) -> None:
    """Write the model in the folder `source` as one of CTranslate2 into a new folder.

    precision: of the weights; one of float32 is made in any case, and compared with transformers.
    allowed: "code" that comes with the model may run; weights may be a "pickle".
    """
    checked = made if precision == "float32" else f"{made}.float32"
    model, tokenizer, expected = _write(source, checked, "float32", allowed)
    far = _distance(checked, model, tokenizer, expected)
    if not far <= TOLERANCE:
        raise MissingError(f"what ctranslate2 makes of a {type(model).__name__} differs by {far:.2g} from what "
                           "transformers does: --engine torch")
    if precision != "float32":
        _write(source, made, precision, allowed)


def _write(source: str, made: str, precision: str, allowed: tuple[str, ...]) -> tuple[Any, Any, Any]:
    """Convert a model into a folder; return it as it is in torch, its tokenizer, and what torch made of TEXT."""
    from ctranslate2.converters import TransformersConverter

    kept: list = []
    converter = TransformersConverter(folders.base(source), trust_remote_code="code" in allowed)

    def load_model(architecture: Any, *given: Any, **options: Any) -> Any:
        tokenizer, model = _network(architecture.__name__, source, allowed)
        rows = model.get_input_embeddings().weight.shape[0]
        tokenizer.add_tokens([f"<unused {number}>" for number in range(len(tokenizer), rows)])  # it wants one for each
        tokenizer.num_madeup_words = 0  # and would add more to those of M2M-100
        kept.append((model, tokenizer, _by_torch(model, _ids(tokenizer))))  # now: converting takes some models apart
        return _as_expected(model, architecture.__name__)

    # Its own loading takes what is pickled, and what weights are lacking it fills at random.
    converter.load_model = load_model
    converter.load_tokenizer = lambda *given, **options: kept[0][1]
    converter.convert(made, quantization=precision)
    _amend(made, kept[0][1])
    return kept[0]


def _network(architecture: str, source: str, allowed: tuple[str, ...]) -> tuple[Any, Any]:
    """Return (tokenizer, model) of the class that the architecture belongs to."""
    ends = {"ForConditionalGeneration": "AutoModelForSeq2SeqLM", "MTModel": "AutoModelForSeq2SeqLM",
            "LMHeadModel": "AutoModelForCausalLM", "ForCausalLM": "AutoModelForCausalLM"}
    what = next((what for end, what in ends.items() if architecture.endswith(end)), "AutoModel")
    checkpoint = folders.Checkpoint(source, True, "code" in allowed, "pickle" in allowed)
    return loading.network(what, checkpoint, "cpu", "float32", "pooler." if what == "AutoModel" else "")


def _as_expected(model: Any, architecture: str) -> Any:
    """Return a model with what the converter looks for, where transformers says it otherwise or not at all."""
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
    """Correct what CTranslate2 is told of the model's tokens.

    It wants a token for each role, and calls say which ones end a text.  What a decoder starts with becomes
    part of each call, too, for generation settings may have another one.
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


def _ids(tokenizer: Any) -> list[int]:
    return tokenizer(TEXT)["input_ids"][:32]


def _by_torch(model: Any, ids: list[int]) -> Any:
    """Return the last states of an encoder; of a model that writes, the logits of all tokens after each."""
    import torch

    given = torch.tensor([ids])
    with loading.inference():
        if model.config.is_encoder_decoder:
            return model(input_ids=given, decoder_input_ids=torch.tensor([_begun(model, ids)])).logits[0]
        return model(given).logits[0] if _writes(model) else model(given).last_hidden_state[0]


def _begun(model: Any, ids: list[int]) -> list[int]:
    """Return what a decoder reads, its first token before the others: MarianMT's reads nothing else there."""
    start = model.generation_config.decoder_start_token_id
    return ids if start is None else [start, *ids]


def _writes(model: Any) -> bool:
    return "ForCausalLM" in type(model).__name__ or "LMHead" in type(model).__name__


def _distance(folder: str, model: Any, tokenizer: Any, expected: Any) -> float:
    """Return the largest difference of what torch and CTranslate2 make of TEXT."""
    import ctranslate2
    import numpy
    import torch

    ids = _ids(tokenizer)
    tokens = tokenizer.convert_ids_to_tokens(ids)
    if model.config.is_encoder_decoder:
        ids = _begun(model, ids)
        scored = ctranslate2.Translator(folder).score_batch([tokens], [tokenizer.convert_ids_to_tokens(ids)])
    elif _writes(model):
        scored = ctranslate2.Generator(folder).score_batch([tokens])
    else:
        states = ctranslate2.Encoder(folder).forward_batch([ids]).last_hidden_state
        return _largest(expected, torch.tensor(numpy.array(states))[0])
    known = len(ctranslate.vocabulary(folder))  # without the padding that CTranslate2 takes from MarianMT
    following = expected[:, :known].log_softmax(-1)[range(len(ids) - 1), ids[1:]]
    return _largest(following, torch.tensor(scored[0].log_probs)[:len(following)])


def _largest(expected: Any, found: Any) -> float:
    return float((expected - found).abs().max())
