"""What a masked language model puts in the place of [MASK], best first (a probe of its knowledge).

It reads the prompt or else the "text", which holds one [MASK]; of=KEY names another key, mask=TEXT
another sign.  model is a model such as BERT or RoBERTa, whose own mask token may be written, too.
The prediction is a list of number=5 fillings by falling probability, for dt-score -m accuracy_at.
A filling is one token, or with tokens=N up to N of them: each number of masks is filled from left
to right by a beam search as wide as twice the list, and the probability of a filling is the product
of those of its tokens.  Tokens that mean something to the model alone are never a part of it, and it
begins a word: pieces of BERT such as ##s, which only continue one, come after others alone.
"probabilities" in the history are those of the fillings; those that read alike count as the best.

Source: LAMA (Petroni et al. 2019, https://doi.org/10.18653/v1/D19-1250) for one token; fillings of
several as in BioLAMA (Sung et al. 2021, https://doi.org/10.18653/v1/2021.emnlp-main.388), which
knows other orders of filling, too.
"""

import math
from typing import Any

from dialtools.inference import prompts
from dialtools.models import checkpoints, likelihoods
from dialtools.models.checkpoints import Place, Precision
from dialtools.plugins.generator import Generator
from dialtools.records import values
from dialtools.system.errors import OptionError, RecordError, about

Hypothesis = tuple[float, tuple[int, ...]]  # logarithm of its probability, and its tokens


def needs(options: dict) -> tuple[str, ...]:
    """Return the keys that a record must have."""
    return () if options["of"] else ("dialogue|text",)


def settings(
    *, model: str, of: str, mask: str, number: int, tokens: int, precision: Precision, **_: object
) -> dict:
    """Return the options that change the output, as they take effect."""
    if not model:
        raise OptionError("No model given: use --model PATH, of a masked language model.")
    for name, value in ("number", number), ("tokens", tokens):
        if value < 1:
            raise OptionError(f"{name} is 1 or more, not {value}")
    if not mask:
        raise OptionError("mask is the sign that stands in the text, such as [MASK]")
    return {
        "model": model,
        "of": of or None,
        "mask": mask,
        "number": number,
        "tokens": tokens,
        "precision": precision,
    }


def generate(
    records: list[dict],
    *,
    model: str = "",
    of: str = "",
    mask: str = "[MASK]",
    number: int = 5,
    tokens: int = 1,
    precision: Precision = "float32",
    device: str = "auto",
    offline: bool = False,
    window: int = 256,
    batch_size: int = 16,
) -> list[dict]:
    """Return the likeliest fillings of each record.

    number: how many of them.  tokens: the most that a filling has.
    """
    kind = likelihoods.kind(model, offline)
    if kind != "masked":
        raise OptionError(f"{model} is a {kind} model, and fill-mask is for masked ones like BERT")
    place = Place(precision, device, offline, batch_size)
    tokenizer, network = likelihoods.loaded("masked", model, place)
    limit = checkpoints.positions(tokenizer, network.config, "encoder")
    rows, fillings = [], []
    for record in records:
        with about(record):
            text = values.text(record, of) if of else prompts.of(record)
            rows.append(_masked(tokenizer, text, mask, tokens, limit))
    for length in range(tokens):
        ids = [row[length] for row in rows]
        fillings.append(_filled(tokenizer, network, ids, 2 * number, batch_size))
    return [
        _best(tokenizer, [filling for hypotheses in row for filling in hypotheses], number)
        for row in zip(*fillings, strict=True)
    ]


def _masked(tokenizer: Any, text: str, mask: str, tokens: int, limit: int) -> list[tuple[int, ...]]:
    """Return the tokens of a text with one mask, with two, … in the place of its mask."""
    sign = tokenizer.mask_token
    before, *after = text.replace(mask, sign).split(sign)
    if len(after) != 1:
        raise RecordError(f'the text has "{mask}" {len(after)} times: it wants it once')
    rows = []
    for length in range(1, tokens + 1):
        row = tuple(tokenizer(before + sign * length + after[0], verbose=False)["input_ids"])
        if len(row) > limit:
            raise RecordError(f"{len(row)} tokens, and the model has positions for {limit}")
        rows.append(row)
    return rows


def _filled(
    tokenizer: Any, network: Any, rows: list[tuple[int, ...]], width: int, batch_size: int
) -> list[list[Hypothesis]]:
    """Return the likeliest tokens in the places of the masks of each row."""
    mask = tokenizer.mask_token_id
    places = [[place for place, token in enumerate(row) if token == mask] for row in rows]
    never = set(tokenizer.all_special_ids)
    beams: list[list[Hypothesis]] = [[(0.0, ())] for _ in rows]
    for step in range(len(places[0]) if rows else 0):
        asked = []
        for row, masked, beam in zip(rows, places, beams, strict=True):
            for _, filling in beam:
                ids = list(row)
                for place, token in zip(masked, filling, strict=False):
                    ids[place] = token
                asked.append((tuple(ids), masked[step]))
        left_out = list(never if step else never.union(_continuing(tokenizer)))
        likeliest = iter(likelihoods.likeliest(network, asked, width, batch_size, left_out))
        beams = [
            sorted(
                (
                    (score + logarithm, (*filling, token))
                    for score, filling in beam
                    for token, logarithm in next(likeliest)
                ),
                key=lambda hypothesis: -hypothesis[0],
            )[:width]
            for beam in beams
        ]
    return beams


def _continuing(tokenizer: Any) -> list[int]:
    """Return the pieces of a tokenizer of WordPiece that only continue a word."""
    if tokenizer.convert_tokens_to_string(["a", "##b"]) != "ab":
        return []  # elsewhere "##b" is a word like others
    pieces = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
    return [token for token, piece in enumerate(pieces) if piece.startswith("##") and piece[2:]]


def _best(tokenizer: Any, hypotheses: list[Hypothesis], number: int) -> dict:
    """Return the prediction of a record: its likeliest fillings, each text once."""
    probabilities: dict[str, float] = {}
    for score, filling in sorted(hypotheses, key=lambda hypothesis: -hypothesis[0]):
        text = tokenizer.decode(filling).strip()
        if text:
            probabilities.setdefault(text, math.exp(score))
    best = list(probabilities)[:number]
    return {"prediction": best, "probabilities": [round(probabilities[text], 6) for text in best]}


GENERATOR = Generator(generate, needs=needs, settings=settings)
