"""How the parts of a run were made: by the same steps, with the same options."""

import re

from dialtools.evaluation.gaps import kind
from dialtools.records import dialogue
from dialtools.system.errors import RecordError

# two runs may differ in these: a record's number of references, and which server answered
_REFERENCES = re.compile(r"\|refs:[^|]*")
_ADDRESS = re.compile(r"\|endpoint:[^|]*")


class Provenance:
    """The signatures of the parts so far, to refuse parts that were made in different ways."""

    def __init__(self) -> None:
        # (place in history, command, system, language, kind) -> (signature, the part that has it)
        self.signed: dict[tuple, tuple[str, str]] = {}

    def admit(self, record: dict, part: str, given: list[dict]) -> None:
        """Raise RecordError if another part has other signatures for the same kind of record.

        Entries that the record's history has from the input are not compared: no part made them.
        Systems are told apart only if the input names them.  If the run named them, parts
        that two models made would pass as two systems, and be merged.

        part: its name.
        given: the records of the id in the input.
        """
        entries, variants = record.get("history") or [], kind(record.get("variant") or "")
        systems = {one.get("system") for one in given}
        system = record.get("system") if record.get("system") in systems else None
        for place, entry in enumerate(entries):
            inputs = [one for one in given if len(one.get("history") or ()) > place]
            if any(one["history"][place] == entry for one in inputs):
                continue
            if place < len(entries) - 1:  # the last is what this run has made
                before = [one["history"][place] for one in inputs if _may_be_of(record, one)]
                _require_same_input(record, entry, part, before)
            text = _signature(entry)
            same = place, entry.get("by"), system, dialogue.lang(record), variants
            first, where = self.signed.setdefault(same, (text, part))
            if first != text and where != part:
                raise RecordError(
                    f"{part} was not made as {where} was: {text}, there {first}", record
                )


def _require_same_input(record: dict, entry: dict, part: str, inputs: list[dict]) -> None:
    """Raise RecordError unless an entry has the signature of one at its place in the input."""
    text, there = (
        _signature(entry),
        [_signature(one) for one in inputs if one.get("by") == entry.get("by")],
    )
    if there and text not in there:
        raise RecordError(f"{part} was not made of this input: {text}, there {there[0]}", record)


def _may_be_of(record: dict, given: dict) -> bool:
    """Tell whether a record may be a variant of one of the input, by its own variant's beginning."""
    variant = given.get("variant")
    return not variant or f"{record.get('variant')}/".startswith(f"{variant}/")


def _signature(entry: dict) -> str:
    """Return the signatures of an entry as one text, without what two runs may differ in."""
    own = entry.get("signature")
    signatures = own.values() if isinstance(own, dict) else [own]
    return " ".join(
        _ADDRESS.sub("", _REFERENCES.sub("", str(signature))) for signature in signatures
    )
