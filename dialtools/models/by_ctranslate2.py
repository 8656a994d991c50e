"""Models that write text, run by CTranslate2: several times faster on a CPU, and the same text in float32.

What of a model's own generation settings CTranslate2 does not know is an error.
It cannot draw samples by a seed for each record.  It ends a search as soon as
as many outputs as beams have ended, and where tokens are forbidden the others'
probabilities sum to 1 again: as transformers does with early_stopping and
renormalize, which therefore must be asked for.  Where the last token is the end
in any case (BART), and one of several outputs ends by itself right before it,
CTranslate2 has dropped another for that, which transformers may have among them.
"""

import json
import os
from collections.abc import Callable
from functools import partial
from typing import Any

from dialtools.errors import MissingError, OptionError, need
from dialtools.models import ctranslate, loading
from dialtools.models.folders import Checkpoint
from dialtools.models.writers import Output, Row, Search, Writer, check_settings, end_tokens


def writer(kind: str, checkpoint: Checkpoint, device: str, precision: str) -> Writer:
    """Return a model of transformers, converted."""
    library = need("ctranslate2", "fast")
    place, _, number = loading.device_of(device).partition(":")
    if place not in ("cpu", "cuda"):
        raise OptionError(f"ctranslate2 runs on cpu and cuda, not on {place}: --engine torch")
    folder = ctranslate.converted(checkpoint, precision)
    try:
        model = getattr(library, "Translator" if kind == "seq2seq" else "Generator")(
            folder, device=place, device_index=int(number or 0), compute_type=precision)
    except (RuntimeError, ValueError) as error:
        raise MissingError(f"ctranslate2 cannot run {checkpoint.name}: {error}") from error
    tokenizer = loading.tokenizer_of(checkpoint)
    config = loading.load("AutoConfig", checkpoint)
    settings = loading.generation_settings(checkpoint, config)
    check_settings(checkpoint.name, settings, "ctranslate2")
    write = partial(_translate, _vocabulary(folder)) if kind == "seq2seq" else _continue
    return Writer(tokenizer, config, settings, partial(write, tokenizer, settings, model))


def _vocabulary(folder: str) -> dict[str, int]:
    """Return the numbers of a converted model's tokens, which may be more than the tokenizer knows."""
    name = next(name for name in sorted(os.listdir(folder)) if name in ("shared_vocabulary.json",
                                                                        "target_vocabulary.json"))
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return {token: number for number, token in enumerate(json.load(file))}


def _translate(vocabulary: dict[str, int], tokenizer: Any, settings: Any, model: Any, rows: list[Row],
               search: Search) -> list[list[Output]]:
    """Return the outputs for each row of a seq2seq model."""
    prefix = tokenizer.convert_ids_to_tokens([token for token in (search.start, search.first) if token is not None])
    most, asked = search.max_new_tokens - _forced(settings), _asked(settings, search)
    if not most:
        raise OptionError("this model's last token is the end in any case, and ctranslate2 writes no empty text: "
                          "max_new_tokens is 2 or more, or --engine torch")

    def ask(some: list[Row], **more: int) -> list:
        return model.translate_batch(
            [tokenizer.convert_ids_to_tokens(list(row.ids)) for row in some], [prefix] * len(some), max_input_length=0,
            max_decoding_length=most, min_decoding_length=min(_least(settings, search, 1), most), **{**asked, **more})

    made = ask(rows)
    if _forced(settings) and search.num_return > 1:
        made = _completed(made, lambda places: ask([rows[at] for at in places], **_all(search)), most)
    found = [[[vocabulary[token] for token in tokens] for tokens in one.hypotheses] for one in made]
    return _ranked(found, [one.scores for one in made], settings, search)


def _completed(made: list, again: Callable[[list[int]], list], most: int) -> list:
    """Return what came of each row, with all outputs where the search went on to its last step.

    Those cut there get the end, and may then be better than some that came to an end of their own.
    """
    places = [at for at, one in enumerate(made) if max(map(len, one.hypotheses)) == most]
    found = dict(zip(places, again(places), strict=True)) if places else {}
    return [found.get(at, one) for at, one in enumerate(made)]


def _all(search: Search) -> dict[str, int]:
    """Return what lets a search give all outputs that it has after its last step, fewer than two for each beam."""
    return {"num_hypotheses": 2 * search.beams, "patience": 2}


def _continue(tokenizer: Any, settings: Any, model: Any, rows: list[Row], search: Search) -> list[list[Output]]:
    """Return the outputs for each row of a causal model."""
    most, asked = search.max_new_tokens - _forced(settings), _asked(settings, search)
    least = min(_least(settings, search, 0), most)

    def made(some: list[Row]) -> list[list[Output]]:
        found = model.generate_batch(
            [tokenizer.convert_ids_to_tokens(list(row.ids)) for row in some], include_prompt_in_result=False,
            max_length=most, min_length=least, **asked)
        return _ranked([one.sequences_ids for one in found], [one.scores for one in found], settings, search)

    if not (least or asked["no_repeat_ngram_size"] or asked["repetition_penalty"] != 1.0):
        return made(rows)
    # In a batch, what a prompt has beyond the length of the shortest would count as written.
    outputs: dict[Row, list[Output]] = {}
    for length in dict.fromkeys(len(row.ids) for row in rows):
        alike = [row for row in rows if len(row.ids) == length]
        outputs.update(zip(alike, made(alike), strict=True))
    return [outputs[row] for row in rows]


def _asked(settings: Any, search: Search) -> dict:
    """Return the options that both kinds of models have."""
    if search.sample:
        raise OptionError("ctranslate2 does not draw by a seed for each record: --engine torch for samples")
    penalty = search.repetition_penalty
    if search.beams > 1:
        _check_search(settings, search)
    if penalty is None and (settings.repetition_penalty or 1.0) != 1.0:
        raise OptionError(f"the model's settings have a repetition penalty of {settings.repetition_penalty}, over the "
                          "prompt, too; ctranslate2 has one over the output alone: --repetition-penalty X")
    return {"beam_size": search.beams, "num_hypotheses": search.beams if _forced(settings) else search.num_return,
            "length_penalty": search.length_penalty, "repetition_penalty": penalty or 1.0, "return_scores": True,
            "no_repeat_ngram_size": search.no_repeat_ngram_size, "end_token": _ends(settings),
            "return_end_token": True}


def _check_search(settings: Any, search: Search) -> None:
    """Raise OptionError where transformers would search in another way."""
    early = settings.early_stopping if search.early_stopping is None else search.early_stopping
    forbids = search.no_repeat_ngram_size or search.min_new_tokens or settings.min_length
    normal = search.renormalize or settings.renormalize_logits
    lacking = ["--early-stopping"] * (early is not True) + ["--renormalize"] * bool(forbids and not normal)
    if lacking:
        raise OptionError("ctranslate2 ends a search when as many outputs as beams have ended, and renormalizes where "
                          f"tokens are forbidden: add {' '.join(lacking)}, or take --beams 1 or --engine torch")
    if (search.repetition_penalty or 1.0) != 1.0:
        raise OptionError("with beams, ctranslate2 has another repetition penalty than transformers: --beams 1, or "
                          "--engine torch")


def _ends(settings: Any) -> list[int]:
    ends = end_tokens(settings)
    if not ends:
        raise OptionError("the model's settings name no token for the end, which ctranslate2 needs: --engine torch")
    return ends


def _forced(settings: Any) -> int:
    """Return 1 where the last of an output's tokens is the end in any case, else 0."""
    return int(settings.forced_eos_token_id is not None)


def _least(settings: Any, search: Search, prefix: int) -> int:
    """Return how many tokens come before the end at least."""
    if search.min_new_tokens is not None:
        return search.min_new_tokens
    least = settings.min_length or 0  # of what the decoder has read, its first token included
    if least and not prefix:
        raise OptionError("the model's settings have a min_length, the prompt included: --min-new-tokens N")
    return max(least - prefix, 0)


def _ranked(found: list[list[list[int]]], scores: list[list[float]], settings: Any,
            search: Search) -> list[list[Output]]:
    """Return the outputs of each row, best first; those that are cut count the end that is forced on them."""
    ends, made = _ends(settings), []
    for sequences, values in zip(found, scores, strict=True):
        own = []
        for ids, score in zip(sequences, values, strict=True):
            ended = bool(ids) and ids[-1] in ends
            if not ended and _forced(settings) and search.beams > 1:
                score *= (len(ids) / (len(ids) + 1)) ** search.length_penalty
            own.append(Output(ids[:-1] if ended else ids, ended, score if search.beams > 1 else None))
        made.append(sorted(own, key=lambda output: -(output.score or 0.0))[:search.num_return])
    return made
