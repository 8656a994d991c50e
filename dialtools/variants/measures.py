"""Measures of a perturbation: edits per word, characters changed, and where turns went."""

import functools
from collections.abc import Callable

from dialtools.records import dialogue

LONG, FAR = 20_000, 5_000  # characters


def facts(view: dict, edits: list[list]) -> dict:
    """Return the measures of the edits of a record.

    rate: edits per word, or per character in a language without spaces; None without text.
    distance: characters to insert, delete or substitute (Levenshtein), summed over the edits. Of
        exchanged turns only the joined texts count, not labels or line breaks.
    turns: for each old turn the numbers, from 0, of the new turns with its text; only if turns
        were added, dropped, split, joined or moved.
    """
    space = dialogue.language(view).space
    said = "\n".join([holder["text"] for holder in dialogue.holders(view)])
    size = _words(said) if space else len(said) - said.count("\n")
    of_turns = [edit for edit in edits if edit[0] == "/dialogue"]
    found: dict = {
        "rate": round(len(edits) / size, 4) if size else None,
        "distance": distance(edits, space),
    }
    if of_turns:
        found["turns"] = alignment(len(view["dialogue"]), of_turns)
    return found


def _words(text: str) -> int:
    """Return the number of words between white space; in ASCII twice as fast as split."""
    return (
        (text.encode().translate(_SHAPE) + b" ").count(b"x ")
        if text.isascii()
        else len(text.split())
    )


_SHAPE = bytes(ord(" ") if chr(code).isspace() else ord("x") for code in range(256))


def distance(edits: list[list], space: str) -> int | None:
    """Return the Levenshtein distance of old and new texts, summed over the edits.

    Texts of turns are joined by `space`. None for texts of more than LONG characters that differ
    in more than FAR, which would take long.
    """
    between = _levenshtein()
    total = 0
    for edit in edits:
        before, after = edit[3], edit[4]
        if type(before) is not str:
            before, after = _said(before, space), _said(after, space)
        if len(before) < 2 and len(after) < 2:
            total += before != after
        elif len(before) < LONG:
            total += between(before, after)
        else:
            found = between(before, after, score_cutoff=FAR, score_hint=64)
            if found > FAR:
                return None
            total += found
    return total


@functools.lru_cache(maxsize=1)
def _levenshtein() -> Callable:
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.distance


def _said(turns: list[dict], space: str) -> str:
    return space.join(turn["text"] for turn in turns if turn["text"])


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
        found = (of_speaker or fresh) if place is None else [place]
        became.append([start + new for new in found])
    return became


def _who_what(turn: dict) -> tuple[str, str]:
    return turn["speaker"], turn["text"]
