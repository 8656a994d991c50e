"""Spans that follow the edits of their text: which change, and how far the others move.

Spans are tokens, or others ("entities"): dicts with "start" and "end", in any
order, with their "text" or without.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from itertools import accumulate, groupby

from dialtools.records.spans import dealing
from dialtools.records.spans.remaining import remaining


def changes(tokens: list[dict], edits: list[list]) -> list[list]:
    """Return the edits of a list of tokens, [start, end, before, after], after edits of its text.

    A token that an edit lies within is replaced by one with the new form (and
    lemma, where that was the form), as is one that an edit takes a part of away;
    one that has none left is dropped, and the others of its sentence count anew.
    An edit of more than one token is dealt to them, as `dealing` says: where it
    puts another text in their place they are dropped, and that text has none.

    edits: [pointer, start, end, before, after], sorted, positions in the old text.
    """
    fitted, inside = dealing.dealt(tokens, edits)
    shift = _shift(fitted)
    written = {
        i: _rewritten(tokens[i], group, shift(tokens[i]["start"])) for i, group in inside.items()
    }
    # else a token that is the same here may not be when that is undone
    retyped = all(map(dealing.retypes, edits))
    new = {i: token for i, token in written.items() if token != tokens[i] or not retyped}
    if all(token["form"] for token in new.values()):
        return [[i, i + 1, [tokens[i]], [token]] for i, token in new.items()]
    return list(_without(tokens, new, shift))


def _without(
    tokens: list[dict], new: dict[int, dict], shift: Callable[[int], int]
) -> Iterator[list]:
    """Yield the edits of a list of tokens where some lose their form and others are renumbered.

    new: what tokens, by index, are replaced by.
    """
    for _, group in groupby(range(len(tokens)), key=lambda i: tokens[i].get("sent")):
        places = list(group)
        moved = {i: new.get(i) or displaced(tokens[i], shift(tokens[i]["start"])) for i in places}
        is_whole = all(new[i]["form"] for i in places if i in new)
        left = iter(moved.values() if is_whole else remaining(list(moved.values())))
        for i in places:
            after = [next(left)] if moved[i]["form"] else []
            if i in new or after != [moved[i]]:
                yield [i, i + 1, [tokens[i]], after]


def entity_changes(entities: list[dict], edits: list[list]) -> list[list]:
    """Return edits of a list of entities, [start, end, before, after], for each that changes.

    An entity is dropped where an edit goes beyond it, and where nothing is left of it; its "text"
    is null where that was not what stands there.
    """
    starts, ends = [edit[1] for edit in edits], [edit[2] for edit in edits]
    moved_place = _places(edits)
    changed: list[list] = []
    for i, entity in enumerate(entities):
        start, end = entity["start"], entity["end"]
        touching = edits[bisect_right(ends, start) : bisect_left(starts, end)]
        if touching:
            own = [
                dealing.part(edit, start, end) if dealing.retypes(edit) else edit
                for edit in touching
            ]
            moved = {**entity, "start": moved_place(start, False), "end": moved_place(end, True)}
            stays = start <= own[0][1] and own[-1][2] <= end and moved["start"] < moved["end"]
            if entity.get("text") is not None:
                is_there = len(entity["text"]) == end - start
                moved["text"] = _inside(entity["text"], start, own) if stays and is_there else None
            changed.append([i, i + 1, [entity], [moved] if stays else []])
    return changed


def _places(edits: list[list]) -> Callable[[int, bool], int]:
    """Return a function: place of a span's start, or end (closing) -> its place in the new text."""
    ends = [edit[2] for edit in edits]
    sums = _sums(edits)

    def moved(place: int, closing: bool) -> int:
        number = bisect_right(ends, place)  # edits up to here
        # and one across it
        if number < len(edits) and edits[number][1] < place and not dealing.retypes(edits[number]):
            return edits[number][1] + sums[number] + (len(edits[number][4]) if closing else 0)
        while closing and number and edits[number - 1][1] == place:  # what is put in behind the end
            number -= 1
        return place + sums[number]

    return moved


def _inside(text: str, start: int, edits: list[list]) -> str:
    """Return the text of a span that starts here, with the edits that lie within it."""
    for _, first, last, _, after, *_ in reversed(edits):
        text = text[: first - start] + after + text[last - start :]
    return text


def shifted(tokens: list[dict], edits: list[list], replaced: set[int]) -> list[dict]:
    """Return the tokens moved with their text, except those (by index) that are replaced."""
    return entities_shifted(tokens, dealing.fitted(tokens, edits), replaced)


def entities_shifted(entities: list[dict], edits: list[list], replaced: set[int]) -> list[dict]:
    """Return the entities moved with their text, as `shifted` does tokens."""
    # as all do that write words in another case: nothing moves
    if all(map(dealing.retypes, edits)):
        return entities
    shift = _shift(edits)
    return [
        entity if i in replaced else displaced(entity, shift(entity["start"]))
        for i, entity in enumerate(entities)
    ]


def _shift(edits: list[list]) -> Callable[[int], int]:
    """Return a function: by how much does a token that starts here in the old text move?"""
    moved = _places(edits)
    return lambda start: moved(start, False) - start


def _sums(edits: list[list]) -> list[int]:
    """Return by how much the text after so many edits moves: of none, of the first, …"""
    return [0, *accumulate(len(edit[4]) - len(edit[3]) for edit in edits)]


def displaced(span: dict, by: int) -> dict:
    """Return a span that stands so many code points further on."""
    return {**span, "start": span["start"] + by, "end": span["end"] + by} if by else span


def _rewritten(token: dict, edits: list[list], shift: int) -> dict:
    """Return a token with the edits of its form, "" if it is dropped, without outer spaces."""
    is_gone = any(
        edit[1] <= token["start"] and token["end"] <= edit[2] and not edit[4] for edit in edits
    )
    written = "" if is_gone else _inside(token["form"], token["start"], edits)
    form, start = written.strip(), token["start"] + len(written) - len(written.lstrip())
    lemma = {"lemma": form} if token.get("lemma") == token["form"] else {}
    return {
        **token,
        "form": form,
        "start": start + shift,
        "end": start + shift + len(form),
        **lemma,
    }
