"""What metrics get of records: a column for each of their NEEDS.

prediction   the text that is scored
predictions  the n-best list, best first
reference    the texts that it is compared with
said         the texts of the record with their tokens: the turns, or the record itself
gold         those with the tokens that theirs are compared with
record       the record as it is
…            anything else: what stands under that key
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from dialtools.evaluation import gold
from dialtools.evaluation.texts import ORIGINAL, Texts
from dialtools.records import dialogue
from dialtools.system.errors import RecordError, show_names

# What a record must have for a column that is no key of it.
_KEYS = {"predictions": ("prediction",), "said": ("dialogue|text",), "gold": (), "record": ()}
# What most ask for.
_PLAIN: dict[str, Callable[[dict], Any]] = {
    "prediction": dialogue.best,
    "reference": dialogue.references,
}


def of(
    records: Sequence[dict],
    names: Iterable[str],
    texts: Texts,
    originals: Sequence[dict | None] = (),
) -> dict[str, list]:
    """Return columns by their names; originals: of each record the one that it is a variant of."""
    pairs = list(zip(records, originals or [None] * len(records), strict=True))
    found = _PLAIN if texts.is_plain() else {}
    return {
        name: list(map(found[name], records))
        if name in found
        else [_cell(name, record, texts, original) for record, original in pairs]
        for name in dict.fromkeys(names)
    }


def keys(names: Iterable[str], texts: Texts) -> tuple[str, ...]:
    """Return the keys that a record must have for columns."""
    other = () if texts.against == ORIGINAL else (texts.against,)
    known = {"prediction": (texts.of,), "reference": other, **_KEYS}
    return tuple(key for name in names for key in known.get(name, (name,)))


def _cell(name: str, record: dict, texts: Texts, original: dict | None):
    if name == "prediction":
        return texts.scored(record)
    if name == "reference":
        return texts.compared(record, original)
    if name == "predictions":
        return (
            [record["prediction"]]
            if isinstance(record["prediction"], str)
            else record["prediction"]
        )
    if name == "said":
        return dialogue.holders(dialogue.view(record))
    if name == "record":
        return record
    if name == "gold":
        return gold.turns(record, texts.against, original)
    if record.get(name) is None:
        raise RecordError(f'no "{name}"; the record has {show_names(record)}', record)
    return record[name]
