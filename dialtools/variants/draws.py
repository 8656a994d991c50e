"""Variants of a record: drawn, measured, and entered in its history."""

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from dialtools.records import dialogue, edits, history
from dialtools.system import stable_hash
from dialtools.system.errors import RecordError, Unfit, show
from dialtools.variants import kinds
from dialtools.variants.kinds import Kind

if TYPE_CHECKING:  # else --help would import it
    from random import Random

BY = "dt-perturb"
_PLAIN = re.compile(r"[\w#]{1,60}")  # a label that stays one before a colon
Draw = Callable[[dict, list[Kind], int, int], Iterator[dict]]  # as `variants`
TRIES = 20  # draws before a further variant that differs is given up
LONG, FAR = 20_000, 5_000  # characters


def of_record(
    record: dict, chosen: list[Kind], chain: bool, count: int, seed: int, draw: Draw | None = None
) -> list[dict]:
    """Return the variants of a record: of each kind, or with all kinds applied in order.

    draw: draws them, in the place of `variants`.

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
                drawn += list((draw or variants)(record, steps, count, seed))  # all, or none
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
    speaker = chosen[0].speaker
    if speaker is not None and speaker not in dialogue.speakers(dialogue.turns(record)):
        history.count(drawn[0], {f"without a turn of {speaker}": 1})
    return drawn


def variants(
    record: dict, steps: list[Kind], count: int, seed: int, first: int = 1
) -> Iterator[dict]:
    """Yield different variants of a record, each with all steps applied in order.

    first: the number of the first one.

    Each step has an entry in the history. Unfit names the kind that does not fit, or no kind if
    a chain has too few variants.
    """
    before: list[list] = []
    for number in range(first, first + count):
        rngs = [stable_hash.rng(seed, step.plugin.name, record["id"], number) for step in steps]
        for _ in range(TRIES):
            variant = record
            for place, (step, rng) in enumerate(zip(steps, rngs, strict=True), 1):
                of_chain = {"step": [place, len(steps)]} if len(steps) > 1 else {}
                variant = _varied(variant, step, rng, number, seed, of_chain)
            drawn = [entry["edits"] for entry in variant["history"][-len(steps) :]]
            if not any(drawn) or drawn not in before:
                break
        else:
            label = " and ".join(step.plugin.label for step in steps)
            error = Unfit(f"{label}: only {number - first} of {count} variants can differ", record)
            error.kind = steps[0] if len(steps) == 1 else None
            raise error
        before.append(drawn)
        yield variant


def _varied(
    record: dict, kind: Kind, rng: "Random", number: int, seed: int, of_chain: dict
) -> dict:
    """Return a record with one perturbation, and the entry of its history."""
    try:
        turned = dialogue.view(record)  # once, as the turns of a string are new ones each time
        kinds.check(kind, record, turned)
        view = kinds.view(turned)
        for _ in range(TRIES):
            drawn = kind.plugin.call(view, rng)  # edits of the turns
            wanted = drawn if kind.speaker is None else _of_speaker(drawn, view, kind.speaker)
            # who draws one turn of all may miss the speaker's; what has a rate is drawn once
            if wanted or all(pointer != "/dialogue" for pointer, *_ in drawn):
                break
    except Unfit as error:
        error.kind = kind
        raise
    try:
        changed, made_edits = edits.apply(record, wanted)
    except (LookupError, TypeError, ValueError, AttributeError):
        if kind.plugin.is_ours:
            raise
        raise RecordError(
            f"{kind.plugin.label} gives no valid edits of the record: {wanted!r:.60}"
        ) from None
    talk = record.get("dialogue")
    if isinstance(talk, str) and (
        talk.rstrip().count("\n") >= len(turned["dialogue"]) or _is_risky(wanted)
    ):
        _check_turns(changed, edits.apply(view, wanted)[0], kind)
    changed["variant"] = history.variant(record, kind.plugin.label, number)
    signature = kind.signature(record.get("lang"), seed)
    facts = kind.plugin.declared.facts
    return history.add(
        changed,
        BY,
        signature,
        edits=made_edits,
        changed=bool(made_edits),
        **({"meaning": "changed"} if made_edits and kind.plugin.declared.changes_meaning else {}),
        **measured(view, wanted),
        **(facts(view, wanted, **kind.options) if facts else {}),
        **of_chain,
    )


def _of_speaker(drawn: list[list], view: dict, speaker: str) -> list[list]:
    """Return the edits of a speaker's turns; of those of turns, such as join or add them, those in
    which only the speaker's take part."""
    turns = view.get("dialogue") or []
    pointers = {
        f"/dialogue/{number}/text"
        for number, turn in enumerate(turns)
        if turn["speaker"] == speaker
    }
    return [
        edit
        for edit in drawn
        if edit[0] in pointers
        or (
            edit[0] == "/dialogue"
            and all(turn["speaker"] == speaker for turn in (*edit[3], *edit[4]))
        )
    ]


def _is_risky(edits: list[list]) -> bool:
    """Tell whether edits may make lines of a dialogue's string that do not read back as its turns.

    In a turn of several lines any edit may: "at 10:30" without its space is said by "at10".
    """
    for pointer, _, _, _, after, *_ in edits:
        if pointer == "/dialogue":
            for turn in after:
                if "\n" in turn["text"] or not _PLAIN.fullmatch(turn["speaker"]):
                    return True
        elif "\n" in after:
            return True
    return any(pointer.endswith("/speaker") for pointer in {edit[0] for edit in edits})


def _check_turns(changed: dict, wanted: dict, kind: Kind) -> None:
    """Raise RecordError unless a dialogue that is one string reads as the turns of a kind."""
    # without the space around the texts, which the colon may claim
    read, meant = (
        [(turn["speaker"], turn["text"].strip()) for turn in dialogue.turns(record)]
        for record in (changed, wanted)
    )
    if read != meant:
        misread = next(
            (turn for turn, other in zip(meant, read, strict=False) if turn != other),
            meant[-1] if meant else ("", ""),
        )
        raise RecordError(
            f"{kind.plugin.label}: in a dialogue that is one string the turn "
            f"{show(': '.join(misread))} reads as another: a list of turns can hold it",
            changed,
        )


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


def measured(view: dict, edits: list[list]) -> dict:
    """Return the measures of the edits of a record.

    rate: edits per word, or per character in a language without spaces; None without text.
    distance: characters to insert, delete or substitute (Levenshtein), summed over the edits. Of
        exchanged turns only the joined texts count, not labels or line breaks.
    turns: for each old turn the numbers, from 0, of the new turns with its text; only if turns
        were added, dropped, split, joined or moved.
    """
    space = dialogue.language(view).space
    text = "\n".join([holder["text"] for holder in dialogue.holders(view)])
    if not space:
        size = len(text) - text.count("\n")
    elif text.isascii():  # the number of words, twice as fast as by split
        size = (text.encode().translate(_SHAPE) + b" ").count(b"x ")
    else:
        size = len(text.split())
    facts: dict = {
        "rate": round(len(edits) / size, 4) if size else None,
        "distance": distance(edits, space),
    }
    edits_of_turns = [edit for edit in edits if edit[0] == "/dialogue"]
    if edits_of_turns:
        facts["turns"] = alignment(len(view["dialogue"]), edits_of_turns)
    return facts


_SHAPE = bytes(ord(" ") if chr(code).isspace() else ord("x") for code in range(256))


def distance(edits: list[list], space: str) -> int | None:
    """Return the Levenshtein distance of old and new texts, summed over the edits.

    Texts of turns are joined by `space`. None for texts of more than LONG characters that differ
    in more than FAR, which would take long.
    """
    from rapidfuzz.distance import Levenshtein

    total = 0
    for edit in edits:
        before, after = edit[3], edit[4]
        if type(before) is not str:
            before, after = (
                space.join(turn["text"] for turn in turns if turn["text"])
                for turns in (before, after)
            )
        if len(before) < 2 and len(after) < 2:
            total += before != after
        elif len(before) < LONG:
            total += Levenshtein.distance(before, after)
        else:
            characters = Levenshtein.distance(before, after, score_cutoff=FAR, score_hint=64)
            if characters > FAR:
                return None
            total += characters
    return total


def alignment(count: int, edits: list[list]) -> list[list[int]]:
    """Return, for each of `count` turns, the numbers of the turns that it became.

    Within an edit an unchanged turn becomes itself. Any other turn becomes the new turns of its
    speaker or, if there are none, all new turns.

    >>> a, b, c = ({"speaker": "A", "text": text} for text in ("a", "b", "c"))
    >>> alignment(3, [["/dialogue", 0, 0, [], [c]], ["/dialogue", 1, 2, [b], [b, c]]])
    [[1], [2], [4]]
    >>> alignment(3, [["/dialogue", 0, 1, [a], [b, c]], ["/dialogue", 1, 3, [b, c], [a]]])
    [[0, 1], [2], [2]]
    >>> alignment(1, [["/dialogue", 0, 1, [a], [b, {"speaker": "B", "text": "Yes."}, c]]])
    [[0, 2]]
    """
    became: list[list[int]] = []
    shift = 0
    for _, start, end, before, after, *_ in sorted(edits, key=lambda edit: edit[1:3]):
        became += [[number + shift] for number in range(len(became), start)]
        became += _within(before, after, start + shift) if before else []
        shift += len(after) - len(before)
    return became + [[number + shift] for number in range(len(became), count)]


def _within(before: list[dict], after: list[dict], start: int) -> list[list[int]]:
    """Return `alignment` of the turns of one edit; start: the number of its first new turn."""
    places: dict[tuple, list[int]] = {}  # who says what -> where in the new turns, the last first
    for new in reversed(range(len(after))):
        places.setdefault(_who_what(after[new]), []).append(new)
    kept: list[int | None] = []
    for turn in before:
        same = places.get(_who_what(turn))
        kept.append(same.pop() if same else None)
    fresh = sorted(new for rest in places.values() for new in rest)
    became = []
    for turn, place in zip(before, kept, strict=True):
        of_speaker = [new for new in fresh if after[new]["speaker"] == turn["speaker"]]
        numbers = (of_speaker or fresh) if place is None else [place]
        became.append([start + number for number in numbers])
    return became


def _who_what(turn: dict) -> tuple[str, str]:
    return turn["speaker"], turn["text"]
