"""Models that write text, run by CTranslate2: faster on a CPU, the same text in float32.

A generation setting of a model that CTranslate2 does not support is an error.
It cannot sample with a seed for each record.  It ends a search as soon as one
output for each beam has ended, and renormalizes after forbidding tokens, as
transformers does with stop_at_beams and renormalize: both are required.  If a
model forces its last token to be the end (BART), and one of several outputs ends
by itself right before it, CTranslate2 has dropped another output for it, which
transformers may return.  If the first token is given (a language, or BART's), a
search finds an output that ends right after it only if that is the likeliest next
step; min_new_tokens=2 excludes such outputs.  A model with a sliding window
(Mistral, Gemma) reads and writes no more than one window; longer input is cut.
"""

from functools import partial
from typing import Any

from dialtools.models import checkpoints, ctranslate, minibatches
from dialtools.models.folders import Checkpoint
from dialtools.models.writers import (
    ModelInput,
    ModelOutput,
    Search,
    Writer,
    check_settings,
    end_tokens,
    forced_end,
)
from dialtools.system.errors import MissingError, OptionError, need

Hypotheses = list[tuple[list[int], float]]  # outputs of a row, with their ends, and scores


def writer(kind: str, checkpoint: Checkpoint, device: str, precision: str) -> Writer:
    """Return a converted model of transformers."""
    library = need("ctranslate2", "fast")
    place = ctranslate.place(device)
    folder = ctranslate.converted(checkpoint, precision)
    load = library.Translator if kind == "seq2seq" else library.Generator
    try:
        model = load(folder, **place, compute_type=precision)
    except (RuntimeError, ValueError) as error:
        raise MissingError(f"ctranslate2 cannot run {checkpoint.name}: {error}") from error
    tokenizer = checkpoints.tokenizer_of(checkpoint)
    config = ctranslate.configuration(checkpoint)
    settings = checkpoints.generation_settings(checkpoint, config, tokenizer)
    tokens = ctranslate.vocabulary(folder)
    unwritten = range(len(tokens), config.get_text_config().vocab_size)
    check_settings(checkpoint.name, settings, "ctranslate2", [[token] for token in unwritten])
    numbers = {token: number for number, token in enumerate(tokens)}
    write = partial(_translate, numbers) if kind == "seq2seq" else _continue
    write = partial(write, tokenizer, settings, model)

    def write_all(rows: list[ModelInput], search: Search) -> list[list[ModelOutput]]:
        outputs = write(rows, search)
        if not search.decoding.logprobs:
            return outputs
        return _with_logprobs(kind, tokenizer, model, rows, outputs, search.start)

    return Writer(tokenizer, config, settings, write_all, minibatches.Room())


def _with_logprobs(
    kind: str,
    tokenizer: Any,
    model: Any,
    rows: list[ModelInput],
    outputs: list[list[ModelOutput]],
    start: int | None,
) -> list[list[ModelOutput]]:
    """Return outputs with the natural logarithms of their tokens' probabilities.

    start: the first token of a seq2seq model's decoder.
    """
    named = tokenizer.convert_ids_to_tokens
    pairs = [
        (row, output) for row, several in zip(rows, outputs, strict=True) for output in several
    ]
    if kind == "seq2seq":
        read = [named(list(row.ids)) for row, _ in pairs]
        written = [named([start, *output.ids]) for _, output in pairs]
        scored = model.score_batch(read, written, max_input_length=0)
        # the end follows
        logprobs = [result.log_probs[:-1] for result in scored]
    else:
        whole = [named([*row.ids, *output.ids]) for row, output in pairs]
        scored = model.score_batch(whole, max_input_length=0)
        logprobs = [
            result.log_probs[len(result.log_probs) - len(output.ids) :]
            for result, (_, output) in zip(scored, pairs, strict=True)
        ]
    known = iter(logprobs)
    return [[output._replace(logprobs=next(known)) for output in several] for several in outputs]


def _translate(
    numbers: dict[str, int],
    tokenizer: Any,
    settings: Any,
    model: Any,
    rows: list[ModelInput],
    search: Search,
) -> list[list[ModelOutput]]:
    """Return the outputs for each row of a seq2seq model."""
    width = search.decoding.width
    first_tokens = [token for token in (search.start, search.first) if token is not None]
    prefix = tokenizer.convert_ids_to_tokens(first_tokens)
    options = _options(settings, search)
    most = search.decoding.max_new_tokens - forced_end(settings)
    if not most:
        raise OptionError(
            "this model's last token is the end in any case, and ctranslate2 writes "
            "no empty text: max_new_tokens is 2 or more, or engine=torch"
        )
    options |= {
        "max_input_length": 0,
        "max_decoding_length": most,
        "min_decoding_length": min(_least(settings, search, 1), most),
    }

    def translated(rows: list[ModelInput], **more: int) -> list[Hypotheses]:
        sources = [tokenizer.convert_ids_to_tokens(list(row.ids)) for row in rows]
        results = model.translate_batch(sources, [prefix] * len(rows), **{**options, **more})
        return [
            [
                ([numbers[token] for token in tokens], score)
                for tokens, score in zip(result.hypotheses, result.scores, strict=True)
            ]
            for result in results
        ]

    def is_undecided(hypotheses: Hypotheses) -> bool:
        """Tell whether a search reached its last step, so that only all its outputs, fewer than two
        for each beam, show the best: the forced end improves outputs that are cut there.
        """
        are_all_cut = not any(_is_ended(ids, settings) for ids, _ in hypotheses)
        return max(len(ids) for ids, _ in hypotheses) == most and not (
            are_all_cut and search.decoding.length_penalty >= 0
        )

    results = translated(rows)
    if forced_end(settings) and width > 1:
        undecided = [place for place, result in enumerate(results) if is_undecided(result)]
        if undecided:
            repeated = translated(
                [rows[place] for place in undecided], num_hypotheses=2 * width, patience=2
            )
            for place, result in zip(undecided, repeated, strict=True):
                results[place] = result
    return [_ranked(result, settings, search) for result in results]


def _continue(
    tokenizer: Any, settings: Any, model: Any, rows: list[ModelInput], search: Search
) -> list[list[ModelOutput]]:
    """Return the outputs for each row of a causal model."""
    options = _options(settings, search)
    most = search.decoding.max_new_tokens - forced_end(settings)
    least = min(_least(settings, search, 0), most)

    def continued(rows: list[ModelInput]) -> list[list[ModelOutput]]:
        results = model.generate_batch(
            [tokenizer.convert_ids_to_tokens(list(row.ids)) for row in rows],
            include_prompt_in_result=False,
            max_length=most,
            min_length=least,
            **options,
        )
        return [
            _ranked(list(zip(result.sequences_ids, result.scores, strict=True)), settings, search)
            for result in results
        ]

    if not (least or options["no_repeat_ngram_size"] or options["repetition_penalty"] != 1.0):
        return continued(rows)
    # In a batch, a prompt's tokens beyond the length of the shortest would count as output.
    outputs: dict[ModelInput, list[ModelOutput]] = {}
    for length in dict.fromkeys(len(row.ids) for row in rows):
        rows_of_length = [row for row in rows if len(row.ids) == length]
        outputs.update(zip(rows_of_length, continued(rows_of_length), strict=True))
    return [outputs[row] for row in rows]


def _options(settings: Any, search: Search) -> dict[str, Any]:
    """Return the options common to both kinds of models."""
    decoding = search.decoding
    if decoding.sample:
        raise OptionError(
            "ctranslate2 cannot sample with a seed for each record: engine=torch for samples"
        )
    penalty = decoding.repetition_penalty
    if decoding.width > 1:
        _check_search(settings, search)
    if penalty is None and (settings.repetition_penalty or 1.0) != 1.0:
        raise OptionError(
            "the model's settings have a repetition penalty of "
            f"{settings.repetition_penalty}, over the prompt, too; ctranslate2 has "
            "one over the output alone: repetition_penalty=X"
        )
    ends = end_tokens(settings)
    if not ends:
        raise OptionError(
            "the model's settings name no token for the end, which ctranslate2 needs: engine=torch"
        )
    return {
        "beam_size": decoding.width,
        "num_hypotheses": decoding.width if forced_end(settings) else decoding.number,
        "length_penalty": decoding.length_penalty or 1e-9,  # 0 would end it with the best beam
        "repetition_penalty": penalty or 1.0,
        "return_scores": True,
        "no_repeat_ngram_size": decoding.no_repeat_ngram_size,
        "end_token": ends,
        "return_end_token": True,
    }


def _check_search(settings: Any, search: Search) -> None:
    """Raise OptionError if transformers would search in another way."""
    decoding = search.decoding
    forbids = (
        decoding.no_repeat_ngram_size
        or decoding.min_new_tokens
        or settings.min_length
        or settings.bad_words_ids
    )
    lacking = []
    if (decoding.stop_at_beams or settings.early_stopping) is not True:
        lacking.append("stop_at_beams=yes")
    if forbids and not (decoding.renormalize or settings.renormalize_logits):
        lacking.append("renormalize=yes")
    if lacking:
        raise OptionError(
            "ctranslate2 ends a search when as many outputs as beams have ended, "
            f"and renormalizes where tokens are forbidden: add {','.join(lacking)}, "
            "or take --beams 1 or engine=torch"
        )
    if (decoding.repetition_penalty or 1.0) != 1.0:
        raise OptionError(
            "with beams, ctranslate2 has another repetition penalty than "
            "transformers: --beams 1, or engine=torch"
        )


def _least(settings: Any, search: Search, prefix: int) -> int:
    """Return the fewest tokens before the end."""
    if search.decoding.min_new_tokens is not None:
        return search.decoding.min_new_tokens
    least = settings.min_length or 0  # of what the decoder has read, its first token included
    if least and not prefix:
        raise OptionError(
            "the model's settings have a min_length, the prompt included: min_new_tokens=N"
        )
    return max(least - prefix, 0)


def _is_ended(ids: list[int], settings: Any) -> bool:
    return bool(ids) and ids[-1] in end_tokens(settings)


def _ranked(hypotheses: Hypotheses, settings: Any, search: Search) -> list[ModelOutput]:
    """Return the outputs of a row, best first.

    A forced end counts for outputs that are cut.  If one output for each beam has ended by itself,
    there are no others: transformers ends the search before.
    """
    width, penalty = search.decoding.width, search.decoding.length_penalty
    is_forced = forced_end(settings) and width > 1
    is_over = is_forced and sum(_is_ended(ids, settings) for ids, _ in hypotheses) >= width
    outputs = []
    for ids, score in hypotheses:
        if _is_ended(ids, settings):
            outputs.append(ModelOutput(ids[:-1], True, score if width > 1 else None))
        elif not is_over:
            if is_forced:
                score *= (len(ids) / (len(ids) + 1)) ** penalty
            outputs.append(ModelOutput(ids, False, score if width > 1 else None))
    return sorted(outputs, key=lambda output: -(output.score or 0.0))[: search.decoding.number]
