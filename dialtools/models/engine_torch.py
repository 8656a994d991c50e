"""Models that write text, run by transformers and torch."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from dialtools.models import checkpoints, likelihoods, minibatches, prompt_cache, speakers
from dialtools.models.folders import Checkpoint
from dialtools.models.likelihoods import Query
from dialtools.models.writers import (
    ModelInput,
    ModelOutput,
    Search,
    Writer,
    by_row,
    end_tokens,
    forced_end,
    stop_place,
)
from dialtools.system.errors import MissingError, OptionError


def writer(kind: str, checkpoint: Checkpoint, device: str, precision: str) -> Writer:
    """Return a model of transformers."""
    if precision == "int8":
        raise OptionError(
            "torch has no int8 here: engine=ctranslate2 has, or take precision=float32"
        )
    class_name = checkpoints.CLASSES[kind]
    tokenizer, network = checkpoints.network(class_name, checkpoint, device, precision)
    pad(tokenizer, checkpoint.name)
    return over(kind, tokenizer, network)


def over(kind: str, tokenizer: Any, network: Any) -> Writer:
    """Return a model of transformers that is loaded."""
    return Writer(
        tokenizer,
        network.config,
        network.generation_config,
        partial(_write, kind, tokenizer, network),
        minibatches.Room(),
    )


def pad(tokenizer: Any, name: str) -> None:
    """Let a tokenizer without a token for padding pad with its end; name: of the model."""
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    if tokenizer.pad_token is None:
        raise MissingError(
            f"the tokenizer of {name} has no token for padding, and none for the end"
        )


def _write(
    kind: str, tokenizer: Any, network: Any, rows: list[ModelInput], search: Search
) -> list[list[ModelOutput]]:
    """Return the outputs for each row, best first or as drawn."""
    import torch

    decoding, device, is_causal = search.decoding, network.device, kind == "causal"
    samples = decoding.number if decoding.sample else 1
    prompts, pad_token = [row.ids for row in rows], tokenizer.pad_token_id
    names, _ = minibatches.padded(
        [row.names or (0,) * len(row.ids) for row in rows], device, left=is_causal
    )
    with (
        torch.inference_mode(),
        checkpoints.hushed(),
        _deterministic(search.exact),
        speakers.told(network, names.repeat_interleave(samples, 0)),
    ):
        if is_causal:
            copies = samples * decoding.width
            ids, mask, cache = prompt_cache.read(network, prompts, copies, device, pad_token)
        else:
            ids, mask = minibatches.padded(prompts, device, pad_token)
            cache = None
        prefix = ids.shape[1] if is_causal else 1  # a decoder starts with its first token
        try:
            generated = network.generate(
                input_ids=ids.repeat_interleave(samples, 0),
                attention_mask=mask.repeat_interleave(samples, 0),
                logits_processor=_steps(rows, search, prefix),
                stopping_criteria=_ends(tokenizer, search, prefix),
                return_dict_in_generate=True,
                pad_token_id=pad_token,
                **({} if cache is None else {"past_key_values": cache}),
                **_options(search),
            )
        except ValueError as error:  # not every model has a search by beams
            reason = " ".join(str(error).split())[:300]
            raise OptionError(f"transformers refuses: {reason}") from error
    written = generated.sequences[:, prefix:].tolist()
    scores = getattr(generated, "sequences_scores", None)
    settings, outputs = network.generation_config, []
    ends, most = end_tokens(settings), decoding.max_new_tokens - forced_end(settings)
    for row, score in zip(
        written, [None] * len(written) if scores is None else scores.tolist(), strict=True
    ):
        length = next((place for place, token in enumerate(row) if token in ends), len(row))
        # else the model wrote it
        while search.stop and length and row[length - 1] == pad_token:
            length -= 1
        outputs.append(ModelOutput(row[:length], length < most, score))
    of_rows = by_row(outputs, decoding.number)
    if not decoding.logprobs:
        return of_rows
    with torch.inference_mode(), checkpoints.hushed(), _deterministic(search.exact):
        return _with_logprobs(network, rows, of_rows, search.start)


def _with_logprobs(
    network: Any, rows: list[ModelInput], outputs: list[list[ModelOutput]], start: int | None
) -> list[list[ModelOutput]]:
    """Return outputs with the natural logarithms of their tokens' probabilities, as the model has
    them: neither temperature nor forbidden tokens have a part in them.

    start: the decoder's first token.
    """
    first = network.generation_config.decoder_start_token_id if start is None else start
    queries = []
    for row, of_row in zip(rows, outputs, strict=True):
        for output in of_row:
            written, number = tuple(output.ids), len(output.ids)
            if network.config.is_encoder_decoder:
                places = tuple(range(number))
                query = Query((first, *written[:-1]), places, written, row.ids, row.names)
            else:
                query = likelihoods.continuation(network, row.ids, written, row.names)
            queries.append(query)
    losses, _ = likelihoods.forward(network, queries)
    logprobs = iter(likelihoods.by_row(-losses, queries))
    return [[output._replace(logprobs=next(logprobs)) for output in of_row] for of_row in outputs]


def _options(search: Search) -> dict[str, Any]:
    """Return the arguments for transformers; None leaves one to the model's own settings."""
    decoding = search.decoding
    options = {
        "num_beams": decoding.width,
        "num_return_sequences": 1 if decoding.sample else decoding.number,
        "length_penalty": decoding.length_penalty,
        "max_new_tokens": decoding.max_new_tokens,
        "do_sample": False,
        "no_repeat_ngram_size": 0,
        "repetition_penalty": None if decoding.repetition_penalty is None else 1.0,
        "min_new_tokens": decoding.min_new_tokens,
        "early_stopping": decoding.stop_at_beams or None,
        "renormalize_logits": decoding.renormalize or None,
        "decoder_start_token_id": search.start,
        "forced_bos_token_id": search.first,
        "output_scores": True if decoding.number > 1 and decoding.width > 1 else None,
    }
    return {name: value for name, value in options.items() if value is not None}


def _ends(tokenizer: Any, search: Search, start: int) -> list[Callable]:
    """Return a criterion that ends outputs with a stop text, checked after each step.

    The stop_strings of transformers also match special tokens, and need certain tokenizers.
    """
    import torch

    def are_ended(ids, scores, **others):  # (rows, tokens) -> (rows,)
        texts = [tokenizer.decode(row, skip_special_tokens=True) for row in ids[:, start:].tolist()]
        ended = [stop_place(text, search.stop) >= 0 for text in texts]
        return torch.tensor(ended, device=ids.device)

    # A search goes on: the cut does not change the rank of an output.
    return [are_ended] if search.stop and search.decoding.width == 1 else []


def _steps(rows: list[ModelInput], search: Search, prefix: int) -> list[Callable]:
    """Return the changes to the scores of tokens at each step; a prompt's tokens may recur."""
    decoding = search.decoding
    steps = without_repeats(decoding.no_repeat_ngram_size, prefix)
    if decoding.repetition_penalty is not None and decoding.repetition_penalty != 1.0:
        from transformers import RepetitionPenaltyLogitsProcessor

        penalize = RepetitionPenaltyLogitsProcessor(penalty=decoding.repetition_penalty)
        steps.append(
            lambda ids, scores: (
                penalize(ids[:, prefix:], scores) if ids.shape[1] > prefix else scores
            )
        )
    if decoding.sample:
        seeds = [seed for row in rows for seed in row.seeds]
        steps += draws(
            decoding.temperature,
            decoding.top_k,
            decoding.top_p,
            seeds,
            on_cpu if search.exact else lambda step: step,
        )
    return steps


def without_repeats(size: int, start: int) -> list[Callable]:
    """Return a step that forbids n-grams that occurred after `start`."""
    from transformers import NoRepeatNGramLogitsProcessor

    if not size:
        return []
    forbid = NoRepeatNGramLogitsProcessor(size)
    return [lambda ids, scores: forbid(ids[:, start:], scores)]


def draws(
    temperature: float,
    top_k: int,
    top_p: float,
    seeds: list[int],
    summing: Callable = lambda step: step,
) -> list[Callable]:
    """Return steps that turn the choice of the best token into sampling, with a seed for each row.

    summing: wraps a step that sums probabilities.

    The token with the highest log-probability plus Gumbel noise is a sample of the
    distribution (Gumbel-max), so that rows need not share a generator.
    """
    import torch
    from transformers import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

    generators = [torch.Generator().manual_seed(seed) for seed in seeds]

    def disturb(ids, scores):  # (rows, tokens), (rows, vocabulary) -> (rows, vocabulary)
        noise = [
            torch.empty(scores.shape[1]).exponential_(generator=generator)
            for generator in generators
        ]
        return scores - torch.stack(noise).clamp_min(1e-30).log().to(scores.device)

    return [
        TemperatureLogitsWarper(temperature),
        *([TopKLogitsWarper(top_k)] if top_k else []),
        *([summing(TopPLogitsWarper(top_p))] if top_p < 1 else []),
        disturb,
    ]


def on_cpu(step: Callable) -> Callable:
    """Return a step that runs on the CPU: CUDA cannot sum probabilities deterministically."""
    return lambda ids, scores: step(ids.cpu(), scores.cpu()).to(scores.device)


@contextmanager
def _deterministic(wanted: bool) -> Iterator[None]:
    """Restrict torch to deterministic kernels."""
    import torch

    if not wanted:
        yield
        return
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # or CUDA's matrix products refuse
    before = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(True)
    try:
        yield
    except RuntimeError as error:
        if "deterministic" not in str(error):
            raise
        raise OptionError(
            "exact=yes: torch cannot run this model deterministically on this device, "
            f"use --device cpu: {str(error).partition('.')[0]}"
        ) from error
    finally:
        torch.use_deterministic_algorithms(before)
