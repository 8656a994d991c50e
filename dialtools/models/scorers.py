"""What a model of dt-train scorer says of itself: what it reads of a record, what its numbers mean.

It stands in the model's folder, so that whoever runs the model reads as in its training.
"""

import os
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from dialtools.models import folders
from dialtools.system.errors import MissingError, RecordError, need, show

Task = Literal["label", "labels", "number"]
Head = Literal["linear", "cosine"]
Text = tuple[str, ...]  # one, or the two of a pair
KEY = "scorer"  # in the file of habits
SHORTEST = 8  # tokens of input at most, the least there can be


class Manner(NamedTuple):
    """How a scorer reads, and what its outputs mean."""

    task: Task
    labels: list[str] = []  # in the order of the outputs
    range: list[float] = [0.0, 1.0]  # the numbers that outputs of 0 and 1 stand for
    of: str = ""  # path of the text; "": what dt-generate reads
    pair: list[str] = []  # paths of two texts
    profile: str = ""  # path of a text that comes first
    speakers: list[str] | None = None  # those with tokens of their own; None: names as they are
    max_input: int = 512
    truncate: Literal["left", "right"] = "right"
    head: Head = "linear"
    unit: list[float] = [1.0, 0.0]  # of the cosine: weight and bias
    temperature: float = 1.0  # by which outputs are divided before they become probabilities
    threshold: float = 0.5  # of the second of two labels, or of each of several at once


def of(name: str) -> Manner | None:
    """Return the manner of the scorer in a folder; None for any other model.

    Raise MissingError, with file and key, for a value that cannot be.
    """
    values = (folders.read_json(name, folders.HABITS) or {}).get(KEY) if name else None
    if values is None:
        return None
    path = os.path.join(name, folders.HABITS)
    manner = folders.typed(Manner, values, path)
    is_sound = {
        "range": len(manner.range) == 2 and manner.range[0] < manner.range[1],
        "pair": len(manner.pair) in (0, 2),
        "max_input": manner.max_input >= SHORTEST,
        "unit": len(manner.unit) == 2,
        "temperature": manner.temperature > 0,
        "threshold": 0 <= manner.threshold <= 1,
    }
    for key, sound in is_sound.items():
        if not sound:
            raise MissingError(f'{path} is damaged: "{key}" cannot be {getattr(manner, key)}')
    floats = {key: [*map(float, getattr(manner, key))] for key in ("range", "unit")}
    return manner._replace(**floats, temperature=float(manner.temperature))


def dumps(manner: Manner) -> bytes:
    """Return the content of the file."""
    return folders.dumps({KEY: manner._asdict()})


def token(speaker: str | None) -> str:
    """Return the token of a speaker; None: of all who have none of their own."""
    return "<speaker>" if speaker is None else f"<speaker:{speaker}>"


def rows(tokenizer: Any, text: Text, manner: Manner, limit: int) -> tuple[list[dict], bool]:
    """Return what a scorer reads of a text or a pair, and whether it was cut.

    A row of tokens for both texts together; with the cosine, one for each, and "last", the place
    of its last token before the end.

    Raise RecordError for a text with letters or digits that yields no token.
    """
    limit = min(limit, manner.max_input)
    for part in text:
        if any(map(str.isalnum, part)) and {tokenizer.unk_token_id}.issuperset(
            _ids(tokenizer, part)
        ):
            raise RecordError(f"the model knows no token of {show(part, 40)}")
    if manner.head == "cosine":
        rows_apart = [_row(tokenizer, (part,), manner, limit) for part in text]
        return [_ended(tokenizer, row) for row, _ in rows_apart], any(cut for _, cut in rows_apart)
    row, cut = _row(tokenizer, text, manner, limit)
    return [row], cut


def _ids(tokenizer: Any, text: str) -> list[int]:
    return tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]


def _row(tokenizer: Any, text: Text, manner: Manner, limit: int) -> tuple[dict, bool]:
    apart = tokenizer.num_special_tokens_to_add(pair=True) > tokenizer.num_special_tokens_to_add()
    inputs = text if apart else ("\n".join(text),)
    row = tokenizer(*inputs, verbose=False)
    if len(row["input_ids"]) <= limit:
        return dict(row), False
    tokenizer.truncation_side = manner.truncate
    first = len(_ids(tokenizer, f"{text[0]}\n"))
    keeps = bool(manner.profile) and len(text) == 2 and first < limit // 2
    if keeps and not apart:
        second = _ids(tokenizer, text[1])
        is_left = manner.truncate == "left"
        fitting = second[first - limit :] if is_left else second[: limit - first]
        ids = [*_ids(tokenizer, f"{text[0]}\n"), *fitting]
        return {"input_ids": ids, "attention_mask": [1] * len(ids)}, True
    how = "only_second" if keeps else "longest_first"
    return dict(tokenizer(*inputs, truncation=how, max_length=limit, verbose=False)), True


def _ended(tokenizer: Any, row: dict) -> dict:
    """Return a row with the place of its last token before the end."""
    special = set(tokenizer.all_special_ids)
    if not row["input_ids"]:  # an empty text, read by a model that adds no token
        row = {"input_ids": [tokenizer.pad_token_id], "attention_mask": [1]}
    places = [place for place, token in enumerate(row["input_ids"]) if token not in special]
    return {**row, "last": places[-1] if places else len(row["input_ids"]) - 1}


def padded(tokenizer: Any, rows_by_text: Sequence[list[dict]]) -> Any:
    """Return the rows of several texts as tensors; of pairs read apart, all first texts first."""
    together = [row for column in zip(*rows_by_text, strict=True) for row in column]
    return tokenizer.pad(together, padding=True, return_tensors="pt", verbose=False)


def cosine(encoder: Any, unit: Sequence[float]) -> Any:
    """Return a model with the cosine of two texts' vectors, through one linear unit, as output."""
    torch = need("torch", "models")
    base: Any = torch.nn.Module
    outputs = need("transformers.modeling_outputs", "models").SequenceClassifierOutput

    class Cosine(base):
        """Reads rows of tokens, those of first texts before those of second texts."""

        def __init__(self):
            super().__init__()
            self.encoder, self.unit = encoder, torch.nn.Linear(1, 1)
            with torch.no_grad():
                self.unit.weight.fill_(unit[0])
                self.unit.bias.fill_(unit[1])

        @property
        def config(self):
            return self.encoder.config

        @property
        def device(self):
            return self.encoder.device

        def forward(self, last, **inputs):
            states = self.encoder(**inputs).last_hidden_state
            ends = states[torch.arange(len(states), device=states.device), last].float()
            first, second = ends.chunk(2)
            likeness = torch.nn.functional.cosine_similarity(first, second)
            return outputs(logits=self.unit(likeness[:, None]))

        def gradient_checkpointing_enable(self, **options):
            self.encoder.gradient_checkpointing_enable(**options)

        def save_pretrained(self, folder):
            self.encoder.save_pretrained(folder)

    return Cosine()
