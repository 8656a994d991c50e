"""Models with a head for labels, for a number, or for the cosine of two texts."""

from collections.abc import Sequence
from typing import Any

from dialtools.models import checkpoints, classifiers, engine_torch, scorers
from dialtools.models.folders import Checkpoint
from dialtools.models.scorers import Head
from dialtools.system.errors import MissingError, OptionError, need
from dialtools.training import adapters, tiny, vocabulary
from dialtools.training.recipe import Machine, Recipe
from dialtools.training.targets import Targets
from dialtools.training.tiny import Shape

_TYPES = {
    "label": "single_label_classification",
    "labels": "multi_label_classification",
    "number": "regression",
}


def tokenizer_of(name: str, machine: Machine) -> Any:
    """Return a model's tokenizer, which can pad."""
    found = checkpoints.tokenizer_of(_checkpoint(name, machine))
    engine_torch.pad(found, name)
    return found


def _checkpoint(name: str, machine: Machine) -> Checkpoint:
    return Checkpoint(name, machine.offline, machine.trust_remote_code, machine.allow_pickle)


def made(
    name: str,
    shape: Shape | None,
    tokenizer: Any,
    head: Head,
    targets: Targets,
    machine: Machine,
    seed: int,
) -> Any:
    """Return a model with a new head, random by the seed; all of a tiny model is random."""
    need("torch", "models").manual_seed(seed % 2**64)
    labels = {} if head == "cosine" else _labels(targets)
    if shape:
        network = tiny.scorer(tokenizer, shape, seed, labels)
    else:
        network = _from(name, head, labels, machine)
    network.config.pad_token_id = tokenizer.pad_token_id
    return scorers.cosine(network, (1.0, 0.0)) if head == "cosine" else network


def _labels(targets: Targets) -> dict[str, Any]:
    """Return what a configuration says of the outputs."""
    names = targets.labels or ["number"]
    return {
        "num_labels": len(names),
        "id2label": dict(enumerate(names)),
        "label2id": {name: at for at, name in enumerate(names)},
        "problem_type": _TYPES[targets.task],
    }


def _from(name: str, head: Head, labels: dict[str, Any], machine: Machine) -> Any:
    """Return a trained model with a new head."""
    checkpoint = _checkpoint(name, machine)
    config = checkpoints.load("AutoConfig", checkpoint)
    if config.is_encoder_decoder and head == "cosine":
        raise OptionError(f"--head cosine is for encoders and decoders; {name} is both")
    if head == "cosine":
        return checkpoints.network("AutoModel", checkpoint, "cpu", "float32", "pooler.")[1]
    built = checkpoints.architecture(config)
    if built.endswith("ForSequenceClassification"):
        return _anew(
            classifiers.network(checkpoint, "cpu", "float32", classifiers.LABELLING)[1], labels
        )
    config.update(labels)
    network, report = checkpoints.load(
        classifiers.LABELLING,
        checkpoint,
        config=config,
        output_loading_info=True,
        use_safetensors=not machine.allow_pickle or None,
        dtype=need("torch", "models").float32,
        ignore_mismatched_sizes=True,
    )
    inner = f"{network.base_model_prefix}."
    lacking = [
        key
        for key in sorted(report["missing_keys"])
        if key.startswith(inner) and ".pooler." not in key
    ]
    if lacking or report["mismatched_keys"]:
        raise MissingError(f"{name} has no weights that fit {lacking[0] if lacking else 'it'}")
    return network


def _anew(network: Any, labels: dict[str, Any]) -> Any:
    """Return a model for labels with the inner part of another one."""
    config = network.config
    config.update(labels)
    fresh = type(network)(config)
    setattr(fresh, fresh.base_model_prefix, network.base_model)
    return fresh


def with_tokens(network: Any, tokenizer: Any, tokens: Sequence[str]) -> None:
    """Add tokens that no text holds by itself to a tokenizer, and embeddings of them."""
    known = len(tokenizer)
    tokenizer.add_tokens(list(tokens), special_tokens=True)
    vocabulary.embed(network, tokenizer, known)


def adapted(network: Any, name: str, head: Head, recipe: Recipe, machine: Machine) -> Any:
    """Return the model, with an adapter to train if one is asked for."""
    if not recipe.lora:
        return network
    if head == "cosine":
        network.encoder = adapters.added(
            network.encoder, name, "FEATURE_EXTRACTION", recipe, machine
        )
        return network
    network.config.architectures = [type(network).__name__]  # for who reads it beside the adapter
    # peft finds parts by the end of their names: "dropout" would be that of the adapter, too
    whole = [
        part
        for part, inner in network.named_children()
        if inner is not network.base_model and any(True for _ in inner.parameters())
    ]
    return adapters.added(network, name, "SEQ_CLS", recipe, machine, whole)
