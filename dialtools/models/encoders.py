"""Encoders of sentences."""

import functools
import os
from typing import Any

from dialtools.errors import MissingError, OptionError, need
from dialtools.models.loading import device_of, load, positions, tokenizer_of


@functools.lru_cache(maxsize=1)
def encoder(name: str, device: str = "auto", offline: bool = False) -> tuple[Any, Any]:
    """Return a sentence encoder, as (tokenizer, model), ready on its device; the last one is kept."""
    _check_pooling(name)
    tokenizer = tokenizer_of(name, offline, False)
    if load("AutoConfig", name, offline, False).is_encoder_decoder or tokenizer.pad_token is None:
        raise OptionError(f"{name} writes texts: a sentence encoder is a model such as all-MiniLM-L6-v2")
    model, report = load("AutoModel", name, offline, False, use_safetensors=True, output_loading_info=True)
    lacking = [key for key in report["missing_keys"] if not key.startswith("pooler.")]  # which the mean leaves aside
    if lacking:
        raise MissingError(f"{name} has no weights for {len(lacking)} parts of the model, such as {lacking[0]}")
    return tokenizer, model.to(device_of(device)).eval()


def _check_pooling(name: str) -> None:
    """Raise OptionError for a folder of sentence-transformers that says that embeddings are no means."""
    import json

    path = os.path.join(name, "1_Pooling", "config.json")
    if os.path.isfile(path):
        with open(path, encoding="utf-8") as file:
            said = json.load(file)
        if not (said.get("pooling_mode_mean_tokens") or said.get("pooling_mode") == "mean"):
            raise OptionError(f"{name} does not take the mean of its states, which is all that is done here")


def embeddings(name: str, texts: list[str], offline: bool = False) -> list[list[float]]:
    """Return an embedding of length 1 for each text: the mean of the encoder's last states over its tokens.

    A text is cut where the model has no further positions.
    """
    torch = need("torch", "models")
    tokenizer, model = encoder(name, offline=offline)
    batch = tokenizer(texts, padding=True, truncation=True, max_length=positions(tokenizer, model, "encoder"),
                      return_tensors="pt").to(model.device)
    with torch.inference_mode():
        states = model(**batch).last_hidden_state  # (texts, tokens, dim)
    mask = batch["attention_mask"].unsqueeze(-1).to(states.dtype)  # (texts, tokens, 1)
    means = (states * mask).sum(1) / mask.sum(1)
    return torch.nn.functional.normalize(means).tolist()
