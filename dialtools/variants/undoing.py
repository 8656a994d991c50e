"""Perturbations of a record undone: the last run of dt-perturb, or all of one kind."""

from collections.abc import Collection

from dialtools.records import commuted, dialogue, edits, history
from dialtools.system.errors import OptionError, RecordError
from dialtools.variants import draws, kinds

BY = draws.BY


def undone(record: dict) -> dict:
    """Return the record before the last run of dt-perturb, all steps of a chain undone."""
    restored, entry = history.undo(record, BY)
    while entry is not None:
        restored = history.add(restored, BY, history.signature("undo"), undoes=entry["number"])
        if history.step(entry) == 1:
            break
        restored, entry = history.undo(restored, BY)
    return restored


def names_of(spec: str) -> tuple[str, ...]:
    """Return the names of a kind, or of all kinds of a family."""
    if spec in (families := kinds.families()):
        return tuple(families[spec])
    if ":" in spec and not spec.startswith("exec:"):
        raise OptionError(f"--only takes a kind or a family without options, not {spec}")
    return tuple(plugin.name for plugin in kinds.load(spec))


def without(record: dict, spec: str, names: Collection[str]) -> dict:
    """Return the record without the perturbations of some kinds; it may have none.

    All steps are undone from the first of these kinds on (in a chain, from its first step), and the
    others done again.  Raise RecordError where one of them changed what these kinds wrote.

    spec: what the user calls the kinds.
    """
    standing = [
        entry
        for _, entry in history.standing(record)
        if entry.get("by") == BY and entry.get("edits") is not None
    ]
    remaining = sum(_name(entry) in names for entry in standing)
    if not remaining:
        return record
    restored, taken = record, list[dict]()  # entries, the latest first
    signature = history.signature("undo", only=spec)
    while remaining or history.step(taken[-1]) > 1:
        restored, entry = history.undo(restored, BY)
        if entry is None:
            raise RecordError("cannot undo: a chain in the history lacks its first step", record)
        restored = history.add(restored, BY, signature, undoes=entry["number"])
        remaining -= _name(entry) in names
        taken.append(entry)

    chains: list[list[dict]] = []
    removed: list[list[list]] = []  # edits of the kinds, as if they came after all others
    for entry in reversed(taken):
        if history.step(entry) == 1:
            chains.append([])
        made = edits.of_texts(entry["edits"])
        if _name(entry) in names:
            removed.append(made)
            continue
        for place in reversed(range(len(removed))):
            try:
                made, removed[place] = commuted.exchanged(removed[place], made)
            except RecordError as error:
                raise RecordError(
                    f"--only {spec}: {error.reason}, by {_name(entry)}: undo that as well", record
                ) from None
        chains[-1].append({**entry, "edits": made})
    for chain in chains:
        for place, entry in enumerate(chain, 1):
            restored = _again(restored, entry, [place, len(chain)] if len(chain) > 1 else None)
    return restored


def _again(record: dict, entry: dict, step: list[int] | None) -> dict:
    """Return a record with a step done again; entry: of the history, with edits of this record."""
    view = dialogue.view(record)
    changed, made = commuted.reapplied(record, entry["edits"])
    facts = {
        key: value
        for key, value in entry.items()
        if key not in ("by", "signature", "edits", "step", "number", "counts", "turns", "again")
    }
    if not isinstance(record.get("dialogue"), str):
        facts |= draws.measured(view, entry["edits"])
    of_chain = {} if step is None else {"step": step}
    return history.add(changed, BY, entry["signature"], edits=made, **facts, **of_chain, again=True)


def _name(entry: dict) -> str:
    """Return the name of the kind of an entry."""
    return str(entry.get("signature")).partition("|")[0]
