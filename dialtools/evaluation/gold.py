"""The tokens that those of a record are compared with: of a gold standard, or of the original.

A record has them beside its "tokens", in each turn, under "gold" or the key of
against=KEY; against=FILE.conllu takes those of the record with the same id (or
sent_id) and variant in a treebank; against=original those of the original.
"""

import functools
from itertools import count

from dialtools.evaluation.texts import ORIGINAL, REFERENCE, known
from dialtools.records import dialogue, history
from dialtools.system.errors import OptionError, RecordError, show

KEY = "gold"
_TREEBANK = (".conllu", ".conllu.gz", ".conllu.zst")


def turns(record: dict, against: str, original: dict | None) -> list[dict]:
    """Return the texts of a record (turns, or its own) with the tokens to compare with."""
    if against == ORIGINAL:
        return dialogue.holders(dialogue.view(known(record, original)))
    holders = dialogue.holders(dialogue.view(record))
    key = KEY if against == REFERENCE else against
    if key.endswith(_TREEBANK):
        found = _in_file(record, key)
    else:
        found = [_beside(holder, key, record) for holder in holders]
    for number, one, other in zip(count(1), holders, found, strict=False):
        if _characters(one.get("tokens")) != _characters(other["tokens"]):
            raise RecordError(
                f"the tokens {_of_turn(one, number)}and what they are compared with "
                f"are of different texts: {show(one['text'])}, {show(other['text'])}",
                record,
            )
    return found


def require_readable(against: str) -> None:
    """Raise OptionError unless the treebank, if `against` names one, can be read."""
    if against.endswith(_TREEBANK):
        try:
            _treebank(against)
        except RecordError as error:
            raise OptionError(str(error)) from None


def named(against: str) -> str:
    """Return the name of `against` in signatures: digits identify the content of a treebank."""
    return f"{against}-{history.digits_of(against)}" if against.endswith(_TREEBANK) else against


def sentences(against: str) -> int:
    """Return the number of texts in the treebank, 0 if `against` names none."""
    return len(_treebank(against)) if against.endswith(_TREEBANK) else 0


def _beside(holder: dict, key: str, record: dict) -> dict:
    tokens = holder.get(key)
    if not isinstance(tokens, list) or not all(_is_token(token) for token in tokens):
        raise RecordError(
            f'"{key}" beside "tokens" is a list of tokens to compare these with, '
            f"here is {show(tokens)}",
            record,
        )
    return {"text": holder["text"], "tokens": tokens}


def _is_token(token: object) -> bool:
    return (
        isinstance(token, dict)
        and isinstance(token.get("form"), str)
        and all(type(token.get(key, 0)) is int for key in ("start", "end"))
    )


def _characters(tokens: list[dict] | None) -> str:
    return "".join("".join(token["form"] for token in tokens or ()).split())


def _of_turn(holder: dict, number: int) -> str:
    return f"of turn {number} " if "speaker" in holder else ""


def _in_file(record: dict, path: str) -> list[dict]:
    trees = _treebank(path)
    key = str(record.get("id")), record.get("variant")
    if key not in trees:
        raise RecordError(
            f"{path} has no sentence with this id"
            + (f" and variant {show(key[1])}" if key[1] else ""),
            record,
        )
    return trees[key]


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
