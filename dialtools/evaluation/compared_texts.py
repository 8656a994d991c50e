"""What metrics get of records: the text that is scored, and what it is compared with.

Scored is the prediction or another key of the record; it is compared with the references, the
original's output, the dialogue or any key. A metric's spec says which: rouge2:against=original,
perplexity:of=text. With rouge2:subsets=yes a prediction is compared with the first reference
followed by each subset of the others, and the best of these scores counts: of a definition, say,
the first sentence is needed, and the others may be there.

A metric gets a column for each of its NEEDS:
prediction   the text that is scored
predictions  the n-best list, best first
reference    the texts that it is compared with
said         the texts of the record with their tokens: the turns, or the record itself
gold         those with the tokens that theirs are compared with
record       the record as it is
…            anything else: what stands under that key

A record has gold tokens beside its "tokens", in each turn, under "gold" or the key of against=KEY;
against=FILE.conllu takes those of the record with the same id (or sent_id) and variant in a
treebank; against=original those of the original.
"""

import functools
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, combinations, count
from operator import itemgetter
from typing import Any, NamedTuple

from dialtools.records import dialogue, history, values
from dialtools.system.errors import OptionError, RecordError, show, show_names

PREDICTION, REFERENCE, ORIGINAL, DIALOGUE = "prediction", "reference", "original", "dialogue"
GOLD = "gold"
MOST = 12  # references whose subsets are compared: 2,048 texts
_TREEBANK = (".conllu", ".conllu.gz", ".conllu.zst")
# what a record must have for a column that is no key of it
_KEYS = {"predictions": ("prediction",), "said": ("dialogue|text",), "gold": (), "record": ()}
# what most ask for
_PLAIN: dict[str, Callable[[dict], Any]] = {
    "prediction": dialogue.best,
    "reference": dialogue.references,
}


def paired(
    predictions: Iterable, references: Iterable[str | list[str]], lang: str | None = None
) -> list[dict]:
    """Return a record for each prediction and its references; their places are the ids.

    lang: of all of them; None leaves it out.
    """
    predictions = list(predictions)
    references = [references] if isinstance(references, str) else list(references)
    if records := [one for one in predictions if isinstance(one, dict)]:
        raise OptionError(
            "references go with a list of predictions, strings; a record has its own, under "
            f'"reference": {show(records[0])}'
        )
    longer = "predictions" if len(predictions) > len(references) else "references"
    if len(predictions) != len(references):
        raise OptionError(
            f"{longer} is longer: {len(predictions):,} predictions, {len(references):,} references; "
            "each prediction has one, or a list of some"
        )
    language = {} if lang is None else {"lang": lang}
    pairs = enumerate(zip(predictions, references, strict=True), 1)
    return [
        {"id": str(number), **language, "prediction": prediction, "reference": reference}
        for number, (prediction, reference) in pairs
    ]


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
        text = record.get(self.of)
        if not isinstance(text, str):
            raise RecordError(
                f'"{self.of}" is a string where it is scored, here is {show(text)}', record
            )
        return text

    def compared(self, record: dict, original: dict | None = None) -> list[str]:
        """Return the texts that a record's text is compared with; [] where there are none.

        original: the record that it is a variant of.
        """
        if self.against == REFERENCE:
            texts = dialogue.references(record)
        elif self.against == ORIGINAL:
            texts = [dialogue.best(required(original, record))]
        elif self.against == DIALOGUE:
            turns = dialogue.turns(record)
            texts = [dialogue.text(turns)] if turns else []
        else:
            is_there = record.get(self.against) is not None
            texts = values.texts(record, self.against) if is_there else []
        if not self.subsets:
            return texts

        # the first reference followed by each subset of the others, joined by spaces
        if len(texts) > MOST:
            raise RecordError(
                f"subsets are taken of {MOST} references at most, here are {len(texts)}", record
            )
        subsets = chain.from_iterable(combinations(texts[1:], size) for size in range(len(texts)))
        return [" ".join([texts[0], *subset]) for subset in subsets]

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
    pairs = [
        (prediction, [text]) for prediction, texts in zip(*columns, strict=True) for text in texts
    ]
    scores = iter(score([prediction for prediction, _ in pairs], [texts for _, texts in pairs]))
    best = max if rule == "max" else min
    return predictions, [
        [best(zip(texts, scores, strict=False), key=itemgetter(1))[0]] for texts in references
    ]


def required(original: dict | None, record: dict) -> dict:
    """Return the original of a record. Raise RecordError if there is none."""
    if original is None:
        raise RecordError("no original before its variants: dt-perturb --keep-original", record)
    return original


def columns(
    records: Sequence[dict],
    names: Iterable[str],
    texts: Texts,
    originals: Sequence[dict | None] = (),
) -> dict[str, list]:
    """Return columns by their names; originals: of each record the one that it is a variant of."""
    pairs = list(zip(records, originals or [None] * len(records), strict=True))
    plain = _PLAIN if texts.is_plain() else {}
    return {
        name: list(map(plain[name], records))
        if name in plain
        else [_cell(name, record, texts, original) for record, original in pairs]
        for name in dict.fromkeys(names)
    }


def keys(names: Iterable[str], texts: Texts) -> tuple[str, ...]:
    """Return the keys that a record must have for columns."""
    against = () if texts.against == ORIGINAL else (texts.against,)
    known = {"prediction": (texts.of,), "reference": against, **_KEYS}
    return tuple(key for name in names for key in known.get(name, (name,)))


def _cell(name: str, record: dict, texts: Texts, original: dict | None) -> Any:
    if name == "prediction":
        return texts.scored(record)
    if name == "reference":
        return texts.compared(record, original)
    if name == "predictions":
        predictions = record["prediction"]
        return [predictions] if isinstance(predictions, str) else predictions
    if name == "said":
        return dialogue.holders(dialogue.view(record))
    if name == "record":
        return record
    if name == "gold":
        return gold(record, texts.against, original)
    if record.get(name) is None:
        raise RecordError(f'no "{name}"; the record has {show_names(record)}', record)
    return record[name]


def gold(record: dict, against: str, original: dict | None) -> list[dict]:
    """Return the texts of a record (turns, or its own) with the tokens to compare with."""
    if against == ORIGINAL:
        return dialogue.holders(dialogue.view(required(original, record)))
    holders = dialogue.holders(dialogue.view(record))
    key = GOLD if against == REFERENCE else against
    if key.endswith(_TREEBANK):
        trees, name = _treebank(key), (str(record.get("id")), record.get("variant"))
        if name not in trees:
            variant = f" and variant {show(name[1])}" if name[1] else ""
            raise RecordError(f"{key} has no sentence with this id{variant}", record)
        gold_holders = trees[name]
    else:
        gold_holders = [_beside(holder, key, record) for holder in holders]
    for number, holder, gold_holder in zip(count(1), holders, gold_holders, strict=False):
        if _characters(holder.get("tokens")) != _characters(gold_holder["tokens"]):
            turn = f"of turn {number} " if "speaker" in holder else ""
            raise RecordError(
                f"the tokens {turn}and what they are compared with "
                f"are of different texts: {show(holder['text'])}, {show(gold_holder['text'])}",
                record,
            )
    return gold_holders


def _beside(holder: dict, key: str, record: dict) -> dict:
    """Return the text of a turn with the tokens that stand under a key of it."""
    tokens = holder.get(key)
    if not isinstance(tokens, list) or not all(
        isinstance(token, dict)
        and isinstance(token.get("form"), str)
        and all(type(token.get(end, 0)) is int for end in ("start", "end"))
        for token in tokens
    ):
        raise RecordError(
            f'"{key}" beside "tokens" is a list of tokens to compare these with, '
            f"here is {show(tokens)}",
            record,
        )
    return {"text": holder["text"], "tokens": tokens}


def _characters(tokens: list[dict] | None) -> str:
    return "".join("".join(token["form"] for token in tokens or ()).split())


def require_readable(against: str) -> None:
    """Raise OptionError unless the treebank, if `against` names one, can be read."""
    if against.endswith(_TREEBANK):
        try:
            _treebank(against)
        except RecordError as error:
            raise OptionError(str(error)) from None


def signed(against: str) -> str:
    """Return the name of `against` in signatures: digits identify the content of a treebank."""
    return f"{against}-{history.digits_of(against)}" if against.endswith(_TREEBANK) else against


def treebank_size(against: str) -> int:
    """Return the number of texts in the treebank, 0 if `against` names none."""
    return len(_treebank(against)) if against.endswith(_TREEBANK) else 0


@functools.lru_cache(maxsize=4)
def _treebank(path: str) -> dict[tuple, list[dict]]:
    """Return {(id, variant): the texts with their tokens} of a CoNLL-U file."""
    from dialtools.plugins import registry
    from dialtools.system import files

    read = registry.load("formats", "conllu").call
    with files.open_input(path) as file:
        try:
            return {
                (str(record.get("id")), record.get("variant")): dialogue.holders(record)
                for _, record in read(file)
            }
        except RecordError as error:
            raise RecordError(error.reason, place=f"{path}:{error.place}") from None
