"""What is scored, the prediction or another key of the record, and what it is compared with.

That is the references, the original's output, the dialogue, or any key.  A
metric's spec says which: rouge2:against=original, perplexity:of=text.  With
rouge2:subsets=yes a prediction is compared with the first reference followed by
each subset of the others: of a definition, say, the first sentence is needed,
and the others may be there.  The best of these scores counts.
"""

import functools
from collections.abc import Callable, Sequence
from itertools import chain, combinations
from operator import itemgetter
from typing import NamedTuple

from dialtools import registry
from dialtools.errors import OptionError, RecordError, show
from dialtools.records import dialogue

PREDICTION, REFERENCE, ORIGINAL = "prediction", "reference", "original"
_UNNAMED = "\n"  # in a spec what follows was not typed with it: options that are no part of its label
MOST = 12  # references whose subsets are compared with: 2,048 texts


class Asked(NamedTuple):
    """A metric's spec without these options, and what they say."""

    spec: str | Callable
    against: str = REFERENCE
    subsets: bool = False
    of: str = PREDICTION

    def is_plain(self) -> bool:
        """Is it the prediction that is scored, against the references, each by itself?"""
        return self._replace(spec="") == PLAIN


PLAIN = Asked("")


@functools.lru_cache(maxsize=None)
def asked(spec: str | Callable) -> Asked:
    """Return what a spec asks for.

    >>> asked("rouge2:against=original,stem=yes")
    Asked(spec='rouge2:stem=yes', against='original', subsets=False, of='prediction')
    """
    if not isinstance(spec, str) or "=" not in spec:
        return Asked(spec)
    name, options = registry.split(spec.replace(_UNNAMED, "," if "=" in typed(spec) else ":"))
    against, subsets = options.pop("against", REFERENCE), options.pop("subsets", "no")
    of = options.pop("of", PREDICTION)
    if not against or not of or subsets not in ("yes", "no"):
        raise OptionError(f"{typed(spec)}: of=KEY, against=KEY, subsets=yes or no")
    rest = ",".join(f"{key}={value}" for key, value in options.items())
    return Asked(f"{name}:{rest}" if rest else name, against, subsets == "yes", of)


def typed(spec: str) -> str:
    """Return a spec as it was typed, which is how its scores are called.

    >>> typed(extended("bertscore", {"against": "original"}, {"device": "cpu"}))
    'bertscore:against=original'
    """
    return spec.partition(_UNNAMED)[0]


def extended(spec: str | Callable, named: dict[str, str | None], unnamed: dict[str, str | None]) -> str | Callable:
    """Return the spec with options of the command, unless they are None or the spec has them.

    named: options that are part of the label.  unnamed: those that leave the score as it is, and so are not.
    """
    if not isinstance(spec, str):
        return spec
    known = registry.split(spec)[1]
    added, hidden = (",".join(f"{key}={value}" for key, value in options.items() if value is not None and
                              key not in known) for options in (named, unnamed))
    whole = f"{spec}{',' if known else ':'}{added}" if added else spec
    return f"{whole}{_UNNAMED}{hidden}" if hidden else whole


def scored(record: dict, wanted: Asked) -> str:
    """Return the text that is scored; of a dialogue, its "Name: text" lines."""
    if wanted.of == PREDICTION:
        return dialogue.best(record)
    if wanted.of == "dialogue":
        return dialogue.text(dialogue.turns(record))
    found = record.get(wanted.of)
    if not isinstance(found, str):
        raise RecordError(f'"{wanted.of}" is a string where it is scored, here is {show(found)}', record)
    return found


def texts(record: dict, wanted: Asked, original: dict | None) -> list[str]:
    """Return what the record's prediction is compared with; [] where there is none.

    original: the record that it is a variant of.
    """
    if wanted.against == REFERENCE:
        found = dialogue.references(record)
    elif wanted.against == ORIGINAL:
        found = [dialogue.best(known(record, original))]
    elif wanted.against == "dialogue":
        found = [dialogue.text(dialogue.turns(record))] if dialogue.turns(record) else []
    else:
        found = _strings(record, wanted.against)
    return _with_subsets(found, record) if wanted.subsets else found


def chosen(score: Callable[..., list[float]], rule: str | None, columns: Sequence[Sequence]) -> Sequence[Sequence]:
    """Return predictions and, of the texts of each, the one against which it scores most (max) or least (min)."""
    if rule is None:
        return columns
    predictions, references = columns
    apart = [(prediction, [text]) for prediction, texts in zip(*columns, strict=True) for text in texts]
    scores = iter(score([prediction for prediction, _ in apart], [texts for _, texts in apart]))
    best = max if rule == "max" else min
    return predictions, [[best(zip(texts, scores), key=itemgetter(1))[0]] for texts in references]


def known(record: dict, original: dict | None) -> dict:
    """Return the original that a record is a variant of; RecordError where there is none."""
    if original is None:
        raise RecordError("no original before its variants: --keep-original", record)
    return original


def number(record: dict, wanted: Asked) -> int:
    """Return how many texts the record's prediction is compared with, subsets not counted."""
    if wanted.against == REFERENCE:
        return len(dialogue.references(record))
    return 1 if wanted.against in (ORIGINAL, "dialogue") else len(_strings(record, wanted.against))


def _strings(record: dict, key: str) -> list[str]:
    value = record.get(key)
    found = [value] if isinstance(value, str) else [] if value is None else value
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise RecordError(f'"{key}" is a string or a list of strings, here is {show(value)}', record)
    return found


def _with_subsets(references: list[str], record: dict) -> list[str]:
    """Return the first reference followed by each subset of the others, in their order, joined by spaces."""
    if len(references) > MOST:
        raise RecordError(f"subsets are taken of {MOST} references at most, here are {len(references)}", record)
    first, others = references[:1], references[1:]
    subsets = chain.from_iterable(combinations(others, size) for size in range(len(others) + 1))
    return [" ".join([*first, *subset]) for subset in subsets] if references else []
