"""What tells a model of speakers: which tokens are their names, and whose turn a token is in.

Names have a second embedding of two rows.  Row 1 is added to the input embedding of each token that
belongs to a speaker's name, row 0 to that of any other: in the encoder of a sequence-to-sequence
model, and in a causal model, whose output has row 0.  Both begin as zeros, so that a model begins
as what it was.

The rows are a part of the model, "speaker_embedding.weight" among its weights, and its
configuration says that they are there.  transformers alone loads such a folder without them,
with a warning.

Turns are for a model that reads [CLS] [speaker1] … [speaker2] …, as CDial-GPT does.  It learned with
the sign of the speaker as the type of each token: the embedding of the sign is added to the token's.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dialtools.models import folders
from dialtools.system.errors import MissingError, OptionError, need

PART = "speaker_embedding"  # in the model, and in its configuration
_STATE = "_speaker_names"
_FIRST, *_SIGNS = "[CLS]", "[speaker1]", "[speaker2]"
_WITH_TURNS = ("gpt2", "openai-gpt")  # whose types of tokens are words


def has(model: Any) -> bool:
    """Return whether a model, or the model of a configuration, has such an embedding."""
    return bool(getattr(getattr(model, "config", model), PART, False))


def comes_with(folder: str) -> bool:
    """Return whether such an embedding comes with a folder, that of an adapter or of a model."""
    if (folders.read_json(folder, "config.json") or {}).get(PART):
        return True
    adapter = folders.read_json(folder, folders.ADAPTER) or {}
    return PART in (adapter.get("modules_to_save") or ())


def add(model: Any) -> None:
    """Give a model such an embedding, unless it has one."""
    import torch

    if hasattr(model, PART):
        return
    matrix = model.get_input_embeddings().weight
    part = torch.nn.Embedding(2, matrix.shape[1], device=matrix.device, dtype=matrix.dtype)
    torch.nn.init.zeros_(part.weight)
    model.add_module(PART, part)
    setattr(model.config, PART, True)
    _connect(model)


def _connect(model: Any) -> None:
    """Let the input embedding of a model add what the names stand for.

    A decoder may share the embedding: only what the encoder reads is added to.  Below the model
    itself, since peft calls its forward() past all hooks.
    """
    reader = model.get_encoder() if model.config.is_encoder_decoder else model.base_model
    words = reader.get_input_embeddings()
    if words is None:
        raise OptionError(f"emb: a {type(model).__name__} has no input embedding to add one to")
    state: dict[str, Any] = {"names": None, "reads": False}

    def begin(module: Any, given: tuple) -> None:
        state["reads"] = True

    def end(module: Any, given: tuple, output: Any) -> None:
        state["reads"], state["names"] = False, None  # read once: what follows is the output

    def embedded(module: Any, given: tuple, output: Any) -> Any:
        if not state["reads"]:
            return output
        return output + getattr(model, PART)(_fitting(state["names"], output)).to(output.dtype)

    reader.register_forward_pre_hook(begin)
    reader.register_forward_hook(end, always_call=True)
    words.register_forward_hook(embedded)
    setattr(model, _STATE, state)


def mark_turns(model: Any, tokenizer: Any) -> None:
    """Let a causal model whose tokenizer has signs of speakers tell each token the last one.

    The embedding of the sign is added to that of the token, also to its own; [CLS] before the first
    sign is of its own type, and a text without a sign is read as it is.
    Source: https://github.com/thu-coai/CDial-GPT (od/inputters).
    """
    import torch

    known = tokenizer.get_vocab()
    if model.config.model_type not in _WITH_TURNS or not known.keys() >= {_FIRST, *_SIGNS}:
        return
    first, signs = known[_FIRST], torch.tensor([known[sign] for sign in _SIGNS])
    state: dict[str, Any] = {}

    def begin(module: Any, given: tuple, named: dict) -> None:
        cache = named.get("past_key_values")
        state["goes on"] = cache is not None and cache.get_seq_length() > 0
        # of this reading alone: others ask for embeddings, too, and training may replace them
        state["hook"] = module.get_input_embeddings().register_forward_hook(embedded)

    def end(module: Any, given: tuple, output: Any) -> None:
        state["hook"].remove()

    def embedded(module: Any, given: tuple, output: Any) -> Any:
        ids = given[0]  # (rows, tokens)
        is_sign = torch.isin(ids, signs.to(ids.device))
        if state["goes on"]:  # several rows may go on from one
            before = state["types"].repeat_interleave(len(ids) // len(state["types"]), 0)
        else:
            before = torch.where((ids == first) & is_sign.roll(-1, 1), ids, -1)
        places = torch.arange(ids.shape[1], device=ids.device).where(is_sign, -1).cummax(1).values
        types = ids.gather(1, places.clamp(min=0)).where(places >= 0, before)  # -1 for none
        state["types"] = types[:, -1:]
        added = torch.nn.functional.embedding(types.clamp(min=0), module.weight)
        return output + added * (types >= 0).unsqueeze(-1)

    model.base_model.register_forward_pre_hook(begin, with_kwargs=True)
    model.base_model.register_forward_hook(end, always_call=True)


def _fitting(names: Any, output: Any) -> Any:
    """Return the row for each token of an embedding's output, (rows, tokens).

    A causal model's search by beams reads each input several times.
    """
    import torch

    rows, tokens = output.shape[:2]
    if names is None or names.shape[1] != tokens:
        return torch.zeros(rows, tokens, dtype=torch.long, device=output.device)
    names = (names > 0).long().to(output.device)
    return names.repeat_interleave(rows // len(names), 0)


@contextmanager
def told(model: Any, names: Any) -> Iterator[None]:
    """Tell a model, within a block, which tokens of the next input are names.

    names: (rows, tokens), 0 for a token of no name.  A model without the embedding reads on.
    """
    state = getattr(model, _STATE, None)
    if state is not None:
        state["names"] = names
    try:
        yield
    finally:
        if state is not None:
            state["names"] = None


def restore(model: Any, folder: str) -> None:
    """Give a model that was loaded from a folder the embedding that it was trained with.

    Raise MissingError if the configuration says that there is one, and its weights are missing.
    """
    if not has(model):
        return
    import torch

    safe_open = need("safetensors", "models").safe_open
    key, weights = f"{PART}.weight", None
    for file in sorted(os.listdir(folder)):
        if file.endswith(".safetensors") and weights is None:
            with safe_open(os.path.join(folder, file), framework="pt") as opened:
                weights = opened.get_tensor(key) if key in opened.keys() else None
    add(model)
    part = getattr(model, PART)
    if weights is None or weights.shape != part.weight.shape:
        raise MissingError(
            f"{folder} has no weights that fit {PART}, which its configuration says that it has"
        )
    with torch.no_grad():
        part.weight.copy_(weights)


def refuse(folder: str, engine: str) -> None:
    """Raise OptionError for a folder with such an embedding, or with turns, which only torch adds."""
    if comes_with(folder) or comes_with(folders.base(folder)):
        raise OptionError(
            f"{folder} has an embedding for speakers' names (dt-train generator "
            f"--objective emb), which {engine} does not know: engine=torch"
        )
    if (folders.read_json(folder, "config.json") or {}).get("model_type") in _WITH_TURNS:
        for file in ("vocab.txt", "tokenizer.json"):
            path = os.path.join(folder, file)
            if os.path.isfile(path):
                with open(path, encoding="utf-8") as opened:
                    words = opened.read()
                if all(sign in words for sign in (_FIRST, *_SIGNS)):
                    raise OptionError(
                        f"{folder} reads whose turn each token is in ({', '.join(_SIGNS)}), which "
                        f"{engine} does not tell it: engine=torch"
                    )
