"""The text that is scored, and the texts that it is compared with.

Scored is the prediction or another key of the record; it is compared with the references, the
original's output, the dialogue or any key. A metric's spec says which: rouge2:against=original,
perplexity:of=text. With rouge2:subsets=yes a prediction is compared with the first reference
followed by each subset of the others, and the best of these scores counts: of a definition, say,
the first sentence is needed, and the others may be there.
"""

from collections.abc import Callable, Sequence
from itertools import chain, combinations
from operator import itemgetter
from typing import NamedTuple

from dialtools.records import dialogue
from dialtools.system.errors import RecordError, show

PREDICTION, REFERENCE, ORIGINAL, DIALOGUE = "prediction", "reference", "original", "dialogue"
MOST = 12  # references whose subsets are compared: 2,048 texts


class Texts(NamedTuple):
    """What is scored (`of`), what it is compared with (`against`), and whether subsets are."""

    of: str = PREDICTION
    against: str = REFERENCE
    subsets: bool = False

    def is_plain(self) -> bool:
        """Tell whether the prediction is compared with the references, each by itself."""
        return self == Texts()

    def scored(self, record: dict) -> str:
        """Return the text that is scored; of a dialogue, its "Name: text" lines."""
        if self.of == PREDICTION:
            return dialogue.best(record)
        if self.of == DIALOGUE:
            return dialogue.text(dialogue.turns(record))
        found = record.get(self.of)
        if not isinstance(found, str):
            raise RecordError(
                f'"{self.of}" is a string where it is scored, here is {show(found)}', record
            )
        return found

    def compared(self, record: dict, original: dict | None = None) -> list[str]:
        """Return the texts that a record's text is compared with; [] where there are none.

        original: the record that it is a variant of.
        """
        if self.against == REFERENCE:
            found = dialogue.references(record)
        elif self.against == ORIGINAL:
            found = [dialogue.best(known(record, original))]
        elif self.against == DIALOGUE:
            turns = dialogue.turns(record)
            found = [dialogue.text(turns)] if turns else []
        else:
            found = _strings(record, self.against)
        return _with_subsets(found, record) if self.subsets else found

    def number(self, record: dict) -> int:
        """Return the number of texts that a record's text is compared with, without subsets."""
        if self.against in (ORIGINAL, DIALOGUE):
            return 1
        return len(self._replace(subsets=False).compared(record))


def best_apart(
    score: Callable[..., list[float]], rule: str | None, columns: Sequence[Sequence]
) -> Sequence[Sequence]:
    """Return the columns of predictions and, of the texts of each, the one with the best score.

    rule: max or min; None leaves the columns as they are.
    """
    if rule is None:
        return columns
    predictions, references = columns
    apart = [
        (prediction, [text]) for prediction, texts in zip(*columns, strict=True) for text in texts
    ]
    scores = iter(score([prediction for prediction, _ in apart], [texts for _, texts in apart]))
    best = max if rule == "max" else min
    return predictions, [
        [best(zip(texts, scores, strict=False), key=itemgetter(1))[0]] for texts in references
    ]


def known(record: dict, original: dict | None) -> dict:
    """Return the original of a variant. Raise RecordError if there is none."""
    if original is None:
        raise RecordError("no original before its variants: dt-perturb --keep-original", record)
    return original


def _strings(record: dict, key: str) -> list[str]:
    value = record.get(key)
    found = [value] if isinstance(value, str) else [] if value is None else value
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise RecordError(
            f'"{key}" is a string or a list of strings, here is {show(value)}', record
        )
    return found


def _with_subsets(references: list[str], record: dict) -> list[str]:
    """Return the first reference followed by each subset of the others, joined by spaces."""
    if len(references) > MOST:
        raise RecordError(
            f"subsets are taken of {MOST} references at most, here are {len(references)}", record
        )
    first, others = references[:1], references[1:]
    subsets = chain.from_iterable(combinations(others, size) for size in range(len(others) + 1))
    return [" ".join([*first, *subset]) for subset in subsets] if references else []
