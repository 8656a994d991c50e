"""What a model gets before it is trained: tokens, a new head, an adapter, and what objectives add."""

import os
from collections.abc import Sequence
from typing import Any

from dialtools.models import checkpoints, classifiers, engine_torch, scorers, speakers
from dialtools.models.folders import Checkpoint
from dialtools.models.scorers import Head
from dialtools.plugins.registry import Plugin
from dialtools.system import files
from dialtools.system.errors import MissingError, OptionError, need
from dialtools.training import tiny
from dialtools.training.recipe import Job, Machine, Recipe
from dialtools.training.targets import Targets

_TYPES = {
    "label": "single_label_classification",
    "labels": "multi_label_classification",
    "number": "regression",
}
_OF_PAIRS = {  # what is said of counts of pairs of terms
    "pairs_of_several_tokens": "{} of {} pairs have terms of several tokens, whose "
    "log-probabilities are summed and whose embeddings are averaged",
    "pairs_unequal": "{} more pairs have terms with different numbers of tokens and are left out; "
    "unequal=sum compares them",
    "pairs_unknown": "the model does not know {} more pairs",
}


def tokens_of(path: str) -> list[str]:
    """Return the tokens of a file, one a line. Raise OptionError for none, and for one twice."""
    lines = [line.strip() for line in files.text(path).splitlines()]
    tokens = [line for line in lines if line]
    if not tokens:
        raise OptionError(f"--add-tokens: {path} has no token: write one on each line")
    for number, token in enumerate(tokens):
        if token in tokens[:number]:
            raise OptionError(f"--add-tokens: {path} has {token!r} twice")
    return tokens


def add_tokens(tokenizer: Any, tokens: Sequence[str]) -> None:
    """Add tokens that texts may hold, and that stay in outputs."""
    added = need("transformers", "models").AddedToken
    tokenizer.add_tokens([added(token, normalized=False) for token in tokens])


def embed(network: Any, tokenizer: Any, known: int) -> None:
    """Give a model embeddings of the tokens after the known ones: random ones around the mean."""
    torch, part = need("torch", "models"), getattr(network, "encoder", network)
    part = network if hasattr(network, "resize_token_embeddings") else part
    rows = part.get_input_embeddings().weight
    if len(rows) < len(tokenizer):  # some models have rows to spare
        with checkpoints.hushed():
            part.resize_token_embeddings(len(tokenizer), mean_resizing=False)
        rows = part.get_input_embeddings().weight
    with torch.no_grad():
        rows[known : len(tokenizer)] += rows[:known].mean(dim=0)


def prepared(
    objectives: Sequence[Plugin], model: Any, tokenizer: Any
) -> tuple[dict[str, dict], list[str]]:
    """Let each objective that wants to prepare the model, and check its options.

    Return what they count, and warnings about it.
    """
    all_counts = {
        objective.label: objective.declared.prepare(model, tokenizer, **objective.options)
        for objective in objectives
        if objective.declared.prepare
    }
    counts = {label: numbers for label, numbers in all_counts.items() if numbers}
    warnings = [
        f"{label}: {text.format(numbers[name], numbers['pairs'])}"
        for name, text in _OF_PAIRS.items()
        for label, numbers in counts.items()
        if numbers.get(name)
    ]
    return counts, warnings


def adapter(
    model: Any,
    name: str,
    task: str,
    recipe: Recipe,
    machine: Machine,
    whole: Sequence[str] = (),
    tokens: Sequence[int] = (),
) -> Any:
    """Return a model with an adapter to train (LoRA, by peft), or itself if none is asked for.

    name: the folder or hub name of the model, which the adapter's folder will tell.
    task: as peft calls it, such as SEQ_CLS.
    whole: parts of the model that are trained and kept as they are.
    tokens: those whose embeddings are trained, in the input and, where that has its own, the output.
    """
    if not recipe.lora:
        return model
    peft = need("peft", "models")
    if machine.gradient_checkpointing:
        model.enable_input_require_grads()
    model.name_or_path = os.path.abspath(name) if os.path.isdir(name) else name
    config = peft.LoraConfig(
        r=recipe.lora,
        lora_alpha=recipe.lora_alpha or 2 * recipe.lora,
        lora_dropout=recipe.lora_dropout,
        target_modules="all-linear",
        modules_to_save=list(whole) or None,
        trainable_token_indices=_rows(model, tokens) if tokens else None,
        task_type=task,
    )
    with checkpoints.hushed():  # it says what it sets by itself
        adapted = peft.get_peft_model(model, config)
    adapted.peft_config["default"].base_model_name_or_path = model.name_or_path
    return adapted


def _rows(model: Any, tokens: Sequence[int]) -> dict[str, list[int]]:
    """Return the tokens by the name of each table of embeddings that has weights of its own."""
    parts = [model.get_input_embeddings(), model.get_output_embeddings()]
    if parts[0].weight is parts[1].weight:
        del parts[1]
    names = {part: name for name, part in model.named_modules()}
    return {names[part]: list(tokens) for part in parts}


def adapter_of_generator(
    model: Any, name: str, kind: str, recipe: Recipe, machine: Machine, tokens: Sequence[int]
) -> Any:
    """Return a generator with an adapter to train, if one is asked for; kind: seq2seq or causal."""
    whole = [speakers.PART] if speakers.has(model) else []
    task = {"seq2seq": "SEQ_2_SEQ_LM", "causal": "CAUSAL_LM"}[kind]
    return adapter(model, name, task, recipe, machine, whole, tokens)


def adapter_of_scorer(network: Any, name: str, head: Head, recipe: Recipe, machine: Machine) -> Any:
    """Return a scorer with an adapter to train beside its head, if one is asked for."""
    if not recipe.lora:
        return network
    if head == "cosine":
        network.encoder = adapter(network.encoder, name, "FEATURE_EXTRACTION", recipe, machine)
        return network
    network.config.architectures = [type(network).__name__]  # for who reads it beside the adapter
    # peft finds parts by the end of their names: "dropout" would be that of the adapter, too
    whole = [
        part
        for part, inner in network.named_children()
        if inner is not network.base_model and any(True for _ in inner.parameters())
    ]
    return adapter(network, name, "SEQ_CLS", recipe, machine, whole)


def checkpoint_of(name: str, machine: Machine) -> Checkpoint:
    """Return a model to start from, and how it may be read."""
    return Checkpoint(name, machine.offline, machine.trust_remote_code, machine.allow_pickle)


def tokenizer_of(name: str, machine: Machine) -> Any:
    """Return a model's tokenizer, which can pad."""
    tokenizer = checkpoints.tokenizer_of(checkpoint_of(name, machine))
    engine_torch.pad(tokenizer, name)
    return tokenizer


def scorer(job: Job, tokenizer: Any, head: Head, targets: Targets, machine: Machine) -> Any:
    """Return a model with a new head, random by the seed; all of a tiny model is random."""
    need("torch", "models").manual_seed(job.seed % 2**64)
    names = targets.labels or ["number"]
    labels: dict[str, Any] = {}
    if head == "linear":
        labels = {
            "num_labels": len(names),
            "id2label": dict(enumerate(names)),
            "label2id": {name: number for number, name in enumerate(names)},
            "problem_type": _TYPES[targets.task],
        }
    shape = tiny.shape(job.model)
    if shape:
        network = tiny.scorer(tokenizer, shape, job.seed, labels)
    else:
        network = _with_head(job.model, head, labels, machine)
    network.config.pad_token_id = tokenizer.pad_token_id
    return scorers.cosine(network, (1.0, 0.0)) if head == "cosine" else network


def _with_head(name: str, head: Head, labels: dict[str, Any], machine: Machine) -> Any:
    """Return a trained model with a new head."""
    checkpoint = checkpoint_of(name, machine)
    config = checkpoints.load("AutoConfig", checkpoint)
    if head == "cosine":
        if config.is_encoder_decoder:
            raise OptionError(f"--head cosine is for encoders and decoders; {name} is both")
        return checkpoints.network("AutoModel", checkpoint, "cpu", "float32", "pooler.")[1]

    if checkpoints.architecture(config).endswith("ForSequenceClassification"):
        _, before = classifiers.network(checkpoint, "cpu", "float32", classifiers.LABELLING)
        before.config.update(labels)
        fresh = type(before)(before.config)
        setattr(fresh, fresh.base_model_prefix, before.base_model)
        return fresh

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
