"""--set NAME=VALUE: arguments of a library's Trainer that have no option here.

What a training does with an argument is the library's affair.  Names are those of its dataclass,
values are converted by the annotation of its field; what an option of ours sets is an error that
names the option, and what would have no effect is one that says why.
"""

import os
from collections.abc import Iterable, Mapping
from types import NoneType
from typing import Any, get_args, get_type_hints

from dialtools.models import checkpoints
from dialtools.plugins.options import alternatives, parsed
from dialtools.system.errors import DialtoolsError, MissingError, OptionError, nearest, need
from dialtools.training import folder
from dialtools.training.recipe import Job

# by what sets them
_OPTIONS = {
    "--output-dir": "output_dir",
    "--seed": "seed data_seed",
    "--epochs": "num_train_epochs",
    "--learning-rate": "learning_rate",
    "--warmup": "warmup_steps warmup_ratio",
    "--batch-size": "per_device_train_batch_size auto_find_batch_size",
    "--device": "use_cpu",
    "--resume": "resume_from_checkpoint ignore_data_skip restore_callback_states_from_checkpoint "
    "save_only_model",
    "--best": "load_best_model_at_end metric_for_best_model greater_is_better",
    "--progress": "disable_tqdm",
}
_OPTIONS_OF_STEPS = {
    "--weight-decay": "weight_decay",
    "--precision": "bf16 fp16",
    "--gradient-checkpointing": "gradient_checkpointing activation_checkpointing",
    "--batch-tokens": "gradient_accumulation_steps",
}
# by why they would have no effect, or a wrong one
_REASONS = {
    "--dev is read after each epoch, by dt-train": "eval_strategy eval_steps eval_delay "
    "eval_on_start eval_do_concat_batches eval_use_gather_object eval_accumulation_steps "
    "per_device_eval_batch_size prediction_loss_only include_for_metrics batch_eval_metrics "
    "bf16_full_eval fp16_full_eval",
    "the last checkpoint alone is kept": "save_total_limit",
    "dt-train trains, and does nothing else": "do_train do_eval do_predict",
    "accelerate launch and torchrun set it": "local_rank",
}
_REASONS_OF_STEPS = {
    "dt-train makes the steps, and reads no more than they hold": "dataloader_drop_last "
    "dataloader_num_workers dataloader_pin_memory dataloader_persistent_workers "
    "dataloader_prefetch_factor dataloader_multiprocessing_context dataloader_in_order "
    "remove_unused_columns label_names train_sampling_strategy length_column_name "
    "accelerator_config",
    "a step is cut into parts, and DeepSpeed would end one after each part": "deepspeed",
    "one process judges and keeps an epoch, and with FSDP none has the whole model": "fsdp "
    "fsdp_config parallelism_config",
    "the loss of a step is a mean over the tokens of all processes as it is": ""
    "average_tokens_across_devices",
    "the log tells tokens already": "include_num_input_tokens_seen",
    "where memory runs out, --batch-tokens is halved": "torch_empty_cache_steps",
}
_REASONS_OF_ENCODERS = {
    "the log needs the loss of each step": "logging_strategy logging_steps logging_first_step "
    "logging_nan_inf_filter",
    "the losses of sentence-transformers do no smoothing": "label_smoothing_factor",
    "an encoder is trained in one process": "fsdp fsdp_config deepspeed parallelism_config",
}

_OF_HUB = ("huggingface_hub", "httpx", "httpx2", "requests")  # whose errors are of the network


def arguments_of(of_encoder: bool) -> type:
    """Return the dataclass of a Trainer's arguments."""
    if of_encoder:
        return need("sentence_transformers", "train").SentenceTransformerTrainingArguments
    return need("transformers", "models").TrainingArguments


def read(pairs: Iterable[str] | Mapping[str, Any], of_encoder: bool = False) -> dict[str, Any]:
    """Return arguments of a Trainer, given as "NAME=VALUE" or as a mapping, with typed values.

    Raise OptionError for one that there is not, or that is not for --set.
    """
    given: dict[str, Any] = {}
    for pair in pairs.items() if isinstance(pairs, Mapping) else pairs:
        name, sign, value = (
            pair.partition("=") if isinstance(pair, str) else (pair[0], "=", pair[1])
        )
        if not sign:
            raise OptionError(f"--set {name}: give NAME=VALUE, such as optim=adafactor")
        if name in given:
            raise OptionError(f"--set {name} is given twice")
        given[name] = value
    if not given:
        return {}

    kind = arguments_of(of_encoder)
    annotations = get_type_hints(kind)
    options = _OPTIONS | ({} if of_encoder else _OPTIONS_OF_STEPS)
    reasons = _REASONS | (_REASONS_OF_ENCODERS if of_encoder else _REASONS_OF_STEPS)
    for name in given:
        if name not in kind.__dataclass_fields__:  # type: ignore[attr-defined]
            raise OptionError(f"--set: {kind.__name__} has no {name!r}{nearest(name, annotations)}")
        for option, names in options.items():
            if name in names.split():
                raise OptionError(f"--set {name}: {option} sets it")
        for reason, names in reasons.items():
            if name in names.split():
                raise OptionError(f"--set {name}: {reason}")
    return {name: _converted(name, value, annotations[name]) for name, value in given.items()}


def _converted(name: str, value: Any, annotation: Any) -> Any:
    """Return a value as its annotation has it; what is no text is one already."""
    if not isinstance(value, str):
        return value
    if NoneType in get_args(annotation) and value.lower() == "none":
        return None
    try:
        return parsed(value, annotation)
    except ValueError as error:
        if value[:1] in ("{", "["):
            raise OptionError(f"--set {name}: {value!r} is no JSON: {error}") from None
        wanted = " or ".join(kind.__name__ for kind in alternatives(annotation))
        raise OptionError(f"--set {name}: a value is {wanted}, not {value!r}") from None


def trainer_arguments(
    job: Job,
    steps: int,
    warmup: float,
    epochs: int,
    device: str,
    fixed: Mapping[str, Any],
    offline: bool,
    of_encoder: bool = False,
) -> Any:
    """Return the arguments of a Trainer: those of every training, those of one kind, and --set.

    steps: of an epoch.
    warmup: share of all steps in which the learning rate rises.
    fixed: those of the kind.

    Raise OptionError for values that the library refuses.
    """
    settings = dict(job.settings)
    if offline and settings.get("push_to_hub"):
        raise OptionError("--set push_to_hub: not with --offline")
    if "save_steps" in settings:  # without the strategy it would do nothing
        settings.setdefault("save_strategy", "steps")
    if not of_encoder and {name for name in settings if name.startswith(("logging", "report"))}:
        settings.setdefault("logging_strategy", "steps")
    most = settings.get("max_steps", -1)
    every = {
        "output_dir": os.path.join(job.folder, folder.CHECKPOINTS),
        "num_train_epochs": epochs,
        "warmup_steps": round(warmup * (most if most > 0 else epochs * steps)),
        "logging_nan_inf_filter": False,
        "save_strategy": "epoch",
        "eval_strategy": "no",
        "report_to": [],
        "disable_tqdm": True,
        "seed": job.seed % 2**32,
        # without it transformers refuses bfloat16
        "use_cpu": checkpoints.device_of(device).startswith("cpu"),
    }
    try:
        with checkpoints.hushed(offline):
            return arguments_of(of_encoder)(**{**every, **fixed, **settings})
    except Exception as error:
        raise explained(error, job) from error


def explained(error: Exception, job: Job) -> Exception:
    """Return an error of a library as the user of --set should read it, where it may come from it."""
    if not job.settings or isinstance(error, DialtoolsError):
        return error
    settings = ", ".join(f"{name}={value}" for name, value in job.settings.items())
    reason = " ".join(str(error).split())[:200]
    if isinstance(error, ImportError) or isinstance(error, RuntimeError) and "install" in reason:
        return MissingError(f"--set {settings}: {reason}")
    if type(error).__module__.partition(".")[0] in _OF_HUB:
        return MissingError(f"--set {settings}: the hub cannot be reached: {reason}")
    if isinstance(error, (ValueError, TypeError, KeyError, NotImplementedError)):
        return OptionError(f"--set {settings}: {reason}")
    return error
