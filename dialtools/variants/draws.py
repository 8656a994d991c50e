"""Variants of a record: drawn, entered in its history, and undone."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dialtools.records import dialogue, edits, history
from dialtools.system import stable_hash
from dialtools.system.errors import RecordError, Unfit, show
from dialtools.variants import kinds, measures
from dialtools.variants.kinds import Kind

if TYPE_CHECKING:  # else --help would import it
    from random import Random

BY = "dt-perturb"
_PLAIN = re.compile(r"[\w#]{1,60}")  # a label that stays one before a colon
TRIES = 20  # draws before a further variant that differs is given up


def of_record(record: dict, chosen: list[Kind], chain: bool, count: int, seed: int) -> list[dict]:
    """Return the variants of a record: of each kind, or with all kinds applied in order.

    A kind that does not fit the record, or has too few variants of it, is an error. Kinds of a
    family or a preset are left out instead, and counted in the history of the first variant; if
    all kinds are left out, that is an error.
    """
    kinds.check_tokens(record)
    drawn: list[dict] = []
    unfit: list[Unfit] = []
    for steps in [chosen] if chain else [[kind] for kind in chosen]:
        while steps:
            try:
                drawn += list(variants(record, steps, count, seed))  # all of them, or none
                break
            except Unfit as error:
                if not (error.kind and error.kind.optional):
                    raise
                unfit.append(error)
                steps = [kind for kind in steps if kind is not error.kind]
    if unfit and not drawn:
        raise unfit[-1]
    if unfit:
        history.count(drawn[0], {f"without {error.kind.plugin.label}": 1 for error in unfit})
    return drawn


def variants(record: dict, steps: list[Kind], count: int, seed: int) -> Iterator[dict]:
    """Yield different variants of a record, each with all steps applied in order.

    Each step has an entry in the history. Unfit names the kind that does not fit, or no kind if
    a chain has too few variants.
    """
    before: list[list] = []
    for number in range(1, count + 1):
        rngs = [stable_hash.rng(seed, step.plugin.name, record["id"], number) for step in steps]
        for _ in range(TRIES):
            made = record
            for place, (step, rng) in enumerate(zip(steps, rngs, strict=True), 1):
                of_chain = {"step": [place, len(steps)]} if len(steps) > 1 else {}
                made = _varied(made, step, rng, number, seed, of_chain)
            drawn = [entry["edits"] for entry in made["history"][-len(steps) :]]
            if not any(drawn) or drawn not in before:
                break
        else:
            label = " and ".join(step.plugin.label for step in steps)
            error = Unfit(f"{label}: only {number - 1} of {count} variants can differ", record)
            error.kind = steps[0] if len(steps) == 1 else None
            raise error
        before.append(drawn)
        yield made


def _varied(
    record: dict, kind: Kind, rng: "Random", number: int, seed: int, of_chain: dict
) -> dict:
    """Return a record with one perturbation, and the entry of its history."""
    try:
        turned = dialogue.view(record)  # once, as the turns of a string are new ones each time
        kinds.check(kind, record, turned)
        view = kinds.view(turned)
        wanted = kind.plugin.call(view, rng)
    except Unfit as error:
        error.kind = kind
        raise
    changed, made = _edited(record, wanted, kind)
    talk = record.get("dialogue")
    if isinstance(talk, str) and (
        talk.rstrip().count("\n") >= len(turned["dialogue"]) or _is_risky(wanted)
    ):
        _check_turns(changed, edits.apply(view, wanted)[0], kind)
    changed["variant"] = history.variant(record, kind.plugin.label, number)
    signature = kind.signature(record.get("lang"), seed)
    return history.add(
        changed,
        BY,
        signature,
        edits=made,
        changed=bool(made),
        **measures.facts(view, wanted),
        **_facts(kind, view, wanted),
        **of_chain,
    )


def _edited(record: dict, wanted: list[list], kind: Kind) -> tuple[dict, list[list]]:
    try:
        return edits.apply(record, wanted)
    except (LookupError, TypeError, ValueError, AttributeError):
        if kind.plugin.is_ours:
            raise
        raise RecordError(
            f"{kind.plugin.label} gives no valid edits of the record: {wanted!r:.60}"
        ) from None


def _is_risky(edits: list[list]) -> bool:
    """Tell whether edits may make lines of a dialogue's string that do not read back as its turns.

    In a turn of several lines any edit may: "at 10:30" without its space is said by "at10".
    """
    for edit in edits:
        if edit[0] == "/dialogue":
            if any(map(_is_odd, edit[4])):
                return True
        elif "\n" in edit[4]:
            return True
    return any(pointer.endswith("/speaker") for pointer in {edit[0] for edit in edits})


def _is_odd(turn: dict) -> bool:
    return "\n" in turn["text"] or not _PLAIN.fullmatch(turn["speaker"])


def _check_turns(changed: dict, wanted: dict, kind: Kind) -> None:
    """Raise RecordError unless a dialogue that is one string reads as the turns of a kind."""
    found, meant = _said(changed), _said(wanted)
    if found != meant:
        one = next(
            (turn for turn, other in zip(meant, found, strict=False) if turn != other),
            meant[-1] if meant else ("", ""),
        )
        raise RecordError(
            f"{kind.plugin.label}: in a dialogue that is one string the turn "
            f"{show(': '.join(one))} reads as another: a list of turns can hold it",
            changed,
        )


def _said(record: dict) -> list[tuple[str, str]]:
    """Return speakers and texts without the space around the texts, which the colon may claim."""
    return [(turn["speaker"], turn["text"].strip()) for turn in dialogue.turns(record)]


def _facts(kind: Kind, view: dict, wanted: list[list]) -> dict:
    """Return the remark and the counts of a kind."""
    own = kind.plugin.declared.facts
    return own(view, wanted, **kind.options) if own else {}


def is_changed(variant: dict) -> bool:
    """Did any step of the last run change the record?"""
    return any(entry.get("changed") for entry in history.run(variant))


class Unchanged:
    """Watches variants, in one process or several: how many there are, and how many are unchanged."""

    def __init__(self) -> None:
        self.seen = self.count = 0

    def add(self, record: dict, entry: dict) -> None:
        self.seen += 1
        self.count += not is_changed(record)

    def merge(self, other: "Unchanged") -> None:
        self.seen += other.seen
        self.count += other.count


def undone(record: dict) -> dict:
    """Return the record before the last run of dt-perturb, all steps of a chain undone."""
    restored, entry = history.undo(record, BY)
    while entry is not None:
        restored = history.add(restored, BY, history.signature("undo"), undoes=entry["number"])
        if history.step(entry) == 1:
            break
        restored, entry = history.undo(restored, BY)
    return restored
