"""Causal models, run by vLLM in this process; it makes its own batches.

It samples with a seed for each sample, but other texts than torch with the same
seed.  It has no beam search here, counts a prompt's tokens as repeated, and takes
temperatures from 0.01 to 2; any other option is an error.
"""

import os
from functools import partial
from typing import Any

from dialtools.models import checkpoints, folders, minibatches, speakers
from dialtools.models.folders import Checkpoint
from dialtools.models.writers import (
    ModelInput,
    ModelOutput,
    Search,
    Writer,
    by_row,
    check_settings,
    end_tokens,
)
from dialtools.system.errors import MissingError, OptionError, need


def writer(kind: str, checkpoint: Checkpoint, device: str, precision: str) -> Writer:
    """Return a model loaded by vLLM."""
    name = checkpoint.name
    if kind != "causal" or folders.base(name) != name:
        raise OptionError("vllm runs causal models here, and no adapters: engine=torch")
    if precision == "int8" or not device.startswith(("auto", "cuda")):
        raise OptionError("vllm runs on cuda, in float32, bfloat16 or float16: engine=torch")
    if device not in ("auto", "cuda", "cuda:0"):
        raise OptionError(
            f"vllm takes the first GPU that it sees, not {device}: choose it by "
            "CUDA_VISIBLE_DEVICES"
        )
    # In a process of its own it would batch by what happens to have arrived, and live on where this
    # one is killed.
    os.environ.setdefault("VLLM_ENABLE_V1_MULTIPROCESSING", "0")
    # else its messages come between the records, on stdout
    os.environ.setdefault("VLLM_CONFIGURE_LOGGING", "0")
    os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")  # else it tells its makers what runs here
    library = need("vllm", "vllm")
    tokenizer = checkpoints.tokenizer_of(checkpoint)
    config = checkpoints.load("AutoConfig", checkpoint)
    settings = checkpoints.generation_settings(checkpoint, config, tokenizer)
    check_settings(name, settings, "vllm", [])
    folder = folders.located(checkpoint)
    speakers.refuse(folder, "vllm")
    folders.check_weights(folder, checkpoint.allow_pickle)
    try:
        with checkpoints.hushed(offline=True):
            model = library.LLM(
                model=folder,
                dtype=precision,
                trust_remote_code=checkpoint.trust_remote_code,
                seed=0,
                load_format="auto" if checkpoint.allow_pickle else "safetensors",
            )
    except (RuntimeError, ValueError, OSError, ImportError, _error_class(library)) as error:
        raise MissingError(f"vllm cannot load {name}: {_line(error)}") from error
    return Writer(tokenizer, config, settings, partial(_write, library, settings, model))


def _write(
    library: Any, settings: Any, model: Any, rows: list[ModelInput], search: Search
) -> list[list[ModelOutput]]:
    """Return the outputs for each row, as drawn."""
    _check(search)
    if settings.min_length and search.decoding.min_new_tokens is None:
        raise OptionError(
            "the model's settings have a min_length, the prompt included: min_new_tokens=N"
        )
    if settings.forced_eos_token_id is not None:
        raise OptionError(
            "the model's settings force the end on an output, which vllm does not "
            "know: engine=torch"
        )
    prompts, requests = [], []
    for row in rows:
        for seed in row.seeds or (None,):  # without sampling one output, and no seed
            prompts.append({"prompt_token_ids": list(row.ids)})
            requests.append(library.SamplingParams(**_options(settings, search, seed)))
    try:
        results = model.generate(prompts, requests, use_tqdm=False)
    # such as a prompt longer than what vLLM has room for on this GPU
    except (ValueError, _error_class(library)) as error:
        raise OptionError(f"vllm refuses: {_line(error)}") from error
    # what it had begun would come back with the next batch: no retry
    except (RuntimeError, MemoryError) as error:
        if not minibatches.out_of_memory(error):
            raise
        raise MissingError(
            "not enough memory on the GPU for a window: a smaller window or "
            "max_input, or precision=bfloat16, needs less"
        ) from error
    outputs = []
    for result in results:
        output = result.outputs[0]
        ids = list(output.token_ids)
        while ids and ids[-1] in end_tokens(settings):
            ids.pop()
        logprobs = []
        if search.decoding.logprobs:  # of more tokens than the end leaves
            steps = zip(ids, output.logprobs, strict=False)
            logprobs = [step[token].logprob for token, step in steps]
        outputs.append(ModelOutput(ids, output.finish_reason != "length", logprobs=logprobs))
    return by_row(outputs, search.decoding.number)


def _error_class(library: Any) -> type[Exception]:
    """Return the class of vLLM's own errors, ValueError in earlier versions."""
    return getattr(getattr(library, "exceptions", None), "VLLMError", ValueError)


def _check(search: Search) -> None:
    """Raise OptionError for options that vLLM lacks, or treats in another way."""
    decoding = search.decoding
    if decoding.width > 1:
        raise OptionError("vllm has no search by beams here: --beams 1")
    if decoding.no_repeat_ngram_size:
        raise OptionError("vllm cannot forbid that n-grams repeat: no_repeat_ngram_size=0")
    if (decoding.repetition_penalty or 1.0) != 1.0:
        raise OptionError(
            "vllm counts the tokens of the prompt as repeated: repetition_penalty=1"
            ", or another engine"
        )
    if search.exact:
        raise OptionError(
            "vllm makes its own batches: exact=yes is for engine=torch or ctranslate2"
        )
    if decoding.sample and not 0.01 <= decoding.temperature <= 2:
        raise OptionError(
            "vllm draws at temperatures from 0.01 to 2, not at "
            f"{decoding.temperature}: engine=torch"
        )


def _options(settings: Any, search: Search, seed: int | None) -> dict[str, Any]:
    """Return the options of one request."""
    decoding = search.decoding
    options = {
        "max_tokens": decoding.max_new_tokens,
        "min_tokens": decoding.min_new_tokens or 0,
        "temperature": decoding.temperature if decoding.sample else 0.0,
        "seed": seed,
        "stop_token_ids": end_tokens(settings),
        "ignore_eos": True,  # the tokenizer's, which may differ from the settings'
        "stop": list(search.stop) or None,
        "include_stop_str_in_output": bool(search.stop),
        "repetition_penalty": (decoding.repetition_penalty or settings.repetition_penalty or 1.0),
        "logprobs": 0 if decoding.logprobs else None,  # of others than the token itself
    }
    if decoding.sample:
        options |= {"top_k": decoding.top_k or -1, "top_p": decoding.top_p}
    return options


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:300]
