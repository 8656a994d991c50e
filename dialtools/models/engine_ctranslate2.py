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

from dialtools.models import checkpoints, ctranslate
from dialtools.models.folders import Checkpoint
from dialtools.models.writers import (
    Input,
    Output,
    Search,
    Writer,
    check_settings,
    end_tokens,
    forced_end,
)
from dialtools.system.errors import MissingError, OptionError, need

Found = list[tuple[list[int], float]]  # outputs of a row, with their ends, and scores


def writer(kind: str, checkpoint: Checkpoint, device: str, precision: str) -> Writer:
    """Return a converted model of transformers."""
    library = need("ctranslate2", "fast")
    place = ctranslate.place(device)
    folder = ctranslate.converted(checkpoint, precision)
    try:
        model = getattr(library, "Translator" if kind == "seq2seq" else "Generator")(
            folder, **place, compute_type=precision
        )
    except (RuntimeError, ValueError) as error:
        raise MissingError(f"ctranslate2 cannot run {checkpoint.name}: {error}") from error
    tokenizer = checkpoints.tokenizer_of(checkpoint)
    config = ctranslate.configuration(checkpoint)
    settings = checkpoints.generation_settings(checkpoint, config)
    tokens = ctranslate.vocabulary(folder)
    check_settings(
        checkpoint.name,
        settings,
        "ctranslate2",
        [[token] for token in range(len(tokens), config.get_text_config().vocab_size)],
    )
    numbers = {token: number for number, token in enumerate(tokens)}
    write = partial(_translate, numbers) if kind == "seq2seq" else _continue
    return Writer(tokenizer, config, settings, partial(write, tokenizer, settings, model))


def _translate(
    numbers: dict[str, int],
    tokenizer: Any,
    settings: Any,
    model: Any,
    rows: list[Input],
    search: Search,
) -> list[list[Output]]:
    """Return the outputs for each row of a seq2seq model."""
    decoding = search.decoding
    prefix = tokenizer.convert_ids_to_tokens(
        [token for token in (search.start, search.first) if token is not None]
    )
    asked = _asked(settings, search)
    most = decoding.max_new_tokens - forced_end(settings)
    if not most:
        raise OptionError(
            "this model's last token is the end in any case, and ctranslate2 writes "
            "no empty text: max_new_tokens is 2 or more, or --engine torch"
        )

    def ask(rows: list[Input], **more: int) -> list[Found]:
        made = model.translate_batch(
            [tokenizer.convert_ids_to_tokens(list(row.ids)) for row in rows],
            [prefix] * len(rows),
            max_input_length=0,
            max_decoding_length=most,
            min_decoding_length=min(_least(settings, search, 1), most),
            **{**asked, **more},
        )
        return [
            _found([[numbers[token] for token in tokens] for tokens in one.hypotheses], one.scores)
            for one in made
        ]

    outputs = ask(rows)
    if forced_end(settings) and decoding.width > 1:
        undecided = [
            place
            for place, found in enumerate(outputs)
            if _undecided(found, most, settings, search)
        ]
        if undecided:
            again = ask(
                [rows[place] for place in undecided], num_hypotheses=2 * decoding.width, patience=2
            )
            for place, found in zip(undecided, again, strict=True):
                outputs[place] = found
    return [_ranked(found, settings, search) for found in outputs]


def _continue(
    tokenizer: Any, settings: Any, model: Any, rows: list[Input], search: Search
) -> list[list[Output]]:
    """Return the outputs for each row of a causal model."""
    asked = _asked(settings, search)
    most = search.decoding.max_new_tokens - forced_end(settings)
    least = min(_least(settings, search, 0), most)

    def made(some: list[Input]) -> list[list[Output]]:
        found = model.generate_batch(
            [tokenizer.convert_ids_to_tokens(list(row.ids)) for row in some],
            include_prompt_in_result=False,
            max_length=most,
            min_length=least,
            **asked,
        )
        return [_ranked(_found(one.sequences_ids, one.scores), settings, search) for one in found]

    if not (least or asked["no_repeat_ngram_size"] or asked["repetition_penalty"] != 1.0):
        return made(rows)
    # In a batch, a prompt's tokens beyond the length of the shortest would count as output.
    outputs: dict[Input, list[Output]] = {}
    for length in dict.fromkeys(len(row.ids) for row in rows):
        alike = [row for row in rows if len(row.ids) == length]
        outputs.update(zip(alike, made(alike), strict=True))
    return [outputs[row] for row in rows]


def _asked(settings: Any, search: Search) -> dict:
    """Return the options common to both kinds of models."""
    decoding = search.decoding
    if decoding.sample:
        raise OptionError(
            "ctranslate2 cannot sample with a seed for each record: --engine torch for samples"
        )
    penalty = decoding.repetition_penalty
    if decoding.width > 1:
        _check_search(settings, search)
    if penalty is None and (settings.repetition_penalty or 1.0) != 1.0:
        raise OptionError(
            "the model's settings have a repetition penalty of "
            f"{settings.repetition_penalty}, over the prompt, too; ctranslate2 has "
            "one over the output alone: --repetition-penalty X"
        )
    outputs = decoding.width if forced_end(settings) else decoding.number
    return {
        "beam_size": decoding.width,
        "num_hypotheses": outputs,
        "length_penalty": decoding.length_penalty or 1e-9,  # 0 would end it with the best beam
        "repetition_penalty": penalty or 1.0,
        "return_scores": True,
        "no_repeat_ngram_size": decoding.no_repeat_ngram_size,
        "end_token": _ends(settings),
        "return_end_token": True,
    }


def _check_search(settings: Any, search: Search) -> None:
    """Raise OptionError if transformers would search in another way."""
    decoding = search.decoding
    early = decoding.stop_at_beams or settings.early_stopping
    forbids = (
        decoding.no_repeat_ngram_size
        or decoding.min_new_tokens
        or settings.min_length
        or settings.bad_words_ids
    )
    normal = decoding.renormalize or settings.renormalize_logits
    lacking = []
    if early is not True:
        lacking.append("--stop-at-beams")
    if forbids and not normal:
        lacking.append("--renormalize")
    if lacking:
        raise OptionError(
            "ctranslate2 ends a search when as many outputs as beams have ended, "
            f"and renormalizes where tokens are forbidden: add {' '.join(lacking)}, "
            "or take --beams 1 or --engine torch"
        )
    if (decoding.repetition_penalty or 1.0) != 1.0:
        raise OptionError(
            "with beams, ctranslate2 has another repetition penalty than "
            "transformers: --beams 1, or --engine torch"
        )


def _ends(settings: Any) -> list[int]:
    ends = end_tokens(settings)
    if not ends:
        raise OptionError(
            "the model's settings name no token for the end, which ctranslate2 "
            "needs: --engine torch"
        )
    return ends


def _least(settings: Any, search: Search, prefix: int) -> int:
    """Return the fewest tokens before the end."""
    if search.decoding.min_new_tokens is not None:
        return search.decoding.min_new_tokens
    least = settings.min_length or 0  # of what the decoder has read, its first token included
    if least and not prefix:
        raise OptionError(
            "the model's settings have a min_length, the prompt included: --min-new-tokens N"
        )
    return max(least - prefix, 0)


def _undecided(found: Found, most: int, settings: Any, search: Search) -> bool:
    """Tell whether a search reached its last step, so that only all its outputs then show the best.

    These are fewer than two for each beam.  The forced end improves outputs that are cut there.
    """
    cut_alone = search.decoding.length_penalty >= 0 and not any(
        _ended(ids, settings) for ids, _ in found
    )
    return max(len(ids) for ids, _ in found) == most and not cut_alone


def _ended(ids: list[int], settings: Any) -> bool:
    return bool(ids) and ids[-1] in _ends(settings)


def _found(outputs: list[list[int]], scores: list[float]) -> Found:
    return list(zip(outputs, scores, strict=True))


def _ranked(found: Found, settings: Any, search: Search) -> list[Output]:
    """Return the outputs of a row, best first.

    A forced end counts for outputs that are cut.  If one output for each beam has ended by itself,
    there are no
    others: transformers ends the search before.
    """
    forced = forced_end(settings) and search.decoding.width > 1
    over = forced and sum(_ended(ids, settings) for ids, _ in found) >= search.decoding.width
    outputs = []
    for ids, score in found:
        ended = _ended(ids, settings)
        if forced and not ended:
            score *= (len(ids) / (len(ids) + 1)) ** search.decoding.length_penalty
        if ended or not over:
            outputs.append(
                Output(
                    ids[:-1] if ended else ids, ended, score if search.decoding.width > 1 else None
                )
            )
    return sorted(outputs, key=lambda output: -(output.score or 0.0))[: search.decoding.number]
