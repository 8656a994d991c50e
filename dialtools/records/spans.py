"""Tokens and other spans beside a text, and how they follow its edits.

Spans are tokens, or others ("entities"): dicts with "start" and "end", in any order, with their
"text" or without.  An edit is [pointer, start, end, before, after]; edits are sorted, with
positions in the old text.

An edit of more than one token that leaves their letters, in another case or two in the other
order, is dealt to them letter by letter.  One that takes text away leaves what follows it.  One
that puts another text in their place drops those that it touches; what it leaves as it was at its
ends is cut off first, if that saves a token that it would cut through.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from itertools import accumulate, groupby
from os.path import commonprefix

Place = Callable[[int, bool], int]  # of a span's start, or end (True) -> in the new text


def token_changes(tokens: list[dict], edits: list[list]) -> list[list]:
    """Return the edits of a list of tokens, [start, end, before, after], after edits of its text.

    A token that an edit lies within is replaced by one with the new form (and lemma, where that
    was the form), as is one that an edit takes a part of away; one that has none left is dropped,
    and the others of its sentence count anew.
    """
    fitted, edits_by_token = _dealt(tokens, edits)
    new_place = _places(fitted)
    rewritten = {
        i: _rewritten(tokens[i], token_edits, new_place(tokens[i]["start"], False))
        for i, token_edits in edits_by_token.items()
    }
    # else a token that is the same here may not be when that is undone
    retyped = all(map(_retypes, edits))
    new = {i: token for i, token in rewritten.items() if token != tokens[i] or not retyped}
    if all(token["form"] for token in new.values()):
        return [[i, i + 1, [tokens[i]], [token]] for i, token in new.items()]
    return list(_renumbered(tokens, new, new_place))


def _renumbered(tokens: list[dict], new: dict[int, dict], new_place: Place) -> Iterator[list]:
    """Yield the edits of a list of tokens where some lose their form and others are renumbered.

    new: what tokens, by index, are replaced by.
    """
    for _, group in groupby(range(len(tokens)), key=lambda i: tokens[i].get("sent")):
        indexes = list(group)
        moved = {i: new.get(i) or _moved(tokens[i], new_place) for i in indexes}
        is_whole = all(new[i]["form"] for i in indexes if i in new)
        remaining = iter(moved.values() if is_whole else _remaining(list(moved.values())))
        for i in indexes:
            after = [next(remaining)] if moved[i]["form"] else []
            if i in new or after != [moved[i]]:
                yield [i, i + 1, [tokens[i]], after]


def _rewritten(token: dict, edits: list[list], new_start: int) -> dict:
    """Return a token with the edits of its form, "" if it is dropped, without outer spaces."""
    start, end = token["start"], token["end"]
    is_gone = any(edit[1] <= start and end <= edit[2] and not edit[4] for edit in edits)
    spaced = "" if is_gone else _edited(token["form"], start, edits)
    form = spaced.strip()
    new_start += len(spaced) - len(spaced.lstrip())
    lemma = {"lemma": form} if token.get("lemma") == token["form"] else {}
    return {**token, "form": form, "start": new_start, "end": new_start + len(form), **lemma}


def entity_changes(entities: list[dict], edits: list[list]) -> list[list]:
    """Return edits of a list of entities, [start, end, before, after], for each that changes.

    An entity is dropped where an edit goes beyond it, and where nothing is left of it; its "text"
    is null where that was not what stands there.
    """
    edit_starts, edit_ends = [edit[1] for edit in edits], [edit[2] for edit in edits]
    new_place = _places(edits)
    changes: list[list] = []
    for i, entity in enumerate(entities):
        start, end = entity["start"], entity["end"]
        touching = edits[bisect_right(edit_ends, start) : bisect_left(edit_starts, end)]
        if not touching:
            continue
        inside = [_part(edit, start, end) if _retypes(edit) else edit for edit in touching]
        moved = {**entity, "start": new_place(start, False), "end": new_place(end, True)}
        stays = start <= inside[0][1] and inside[-1][2] <= end and moved["start"] < moved["end"]
        if entity.get("text") is not None:
            is_there = len(entity["text"]) == end - start
            moved["text"] = _edited(entity["text"], start, inside) if stays and is_there else None
        changes.append([i, i + 1, [entity], [moved] if stays else []])
    return changes


def _edited(text: str, start: int, edits: list[list]) -> str:
    """Return the text of a span that starts here, with the edits that lie within it."""
    for _, first, last, _, after, *_ in reversed(edits):
        text = text[: first - start] + after + text[last - start :]
    return text


def tokens_shifted(tokens: list[dict], edits: list[list], replaced: set[int]) -> list[dict]:
    """Return the tokens moved with their text, except those (by index) that are replaced."""
    # most edits leave nothing as it was at their ends, which is quickly seen
    if not all(_retypes(edit) or not _shares(edit) for edit in edits):
        starts, ends = [token["start"] for token in tokens], [token["end"] for token in tokens]
        edits = [_fitted(edit, tokens, _touched(edit, starts, ends)) for edit in edits]
    return entities_shifted(tokens, edits, replaced)


def entities_shifted(entities: list[dict], edits: list[list], replaced: set[int]) -> list[dict]:
    """Return the entities moved with their text, as `tokens_shifted` does tokens."""
    if all(map(_retypes, edits)):  # words in another case: nothing moves
        return entities
    new_place = _places(edits)
    return [
        entity if i in replaced else _moved(entity, new_place) for i, entity in enumerate(entities)
    ]


def _moved(span: dict, new_place: Place) -> dict:
    return displaced(span, new_place(span["start"], False) - span["start"])


def displaced(span: dict, by: int) -> dict:
    """Return a span that stands so many code points further on."""
    return {**span, "start": span["start"] + by, "end": span["end"] + by} if by else span


def _places(edits: list[list]) -> Place:
    """Return a function: place of a span's start, or end (closing) -> its place in the new text."""
    ends = [edit[2] for edit in edits]
    shifts = [0, *accumulate(len(edit[4]) - len(edit[3]) for edit in edits)]  # after so many edits

    def new_place(place: int, closing: bool) -> int:
        number = bisect_right(ends, place)  # of edits that end before it
        if number < len(edits) and edits[number][1] < place and not _retypes(edits[number]):
            across = edits[number]
            return across[1] + shifts[number] + (len(across[4]) if closing else 0)
        while closing and number and edits[number - 1][1] == place:  # what is put in behind the end
            number -= 1
        return place + shifts[number]

    return new_place


def _dealt(tokens: list[dict], edits: list[list]) -> tuple[list[list], dict[int, list[list]]]:
    """Return the edits as they fit, and those of each touched token by its index ([] for none)."""
    starts, ends = [token["start"] for token in tokens], [token["end"] for token in tokens]
    fitted_edits: list[list] = []
    edits_by_token: dict[int, list[list]] = {}
    for edit in edits:
        touched = _touched(edit, starts, ends)
        fitted = _fitted(edit, tokens, touched)
        cut = touched if fitted is edit else _touched(fitted, starts, ends)
        fitted_edits.append(fitted)
        for i in touched:
            edits_by_token.setdefault(i, [])
        parts = _parts(fitted, tokens[cut.start : cut.stop])
        for i, part in zip(cut, parts, strict=True):
            edits_by_token[i].append(part)
    return fitted_edits, edits_by_token


def _touched(edit: list, starts: list[int], ends: list[int]) -> range:
    """Return the indexes of the tokens that an edit touches."""
    start, end = edit[1:3]
    first = bisect_right(ends, start)  # the first token that ends after the start
    return range(first, bisect_left(starts, end, lo=first))


def _fitted(edit: list, tokens: list[dict], indexes: range) -> list:
    """Return an edit without the unchanged text at its ends, if that frees a token it touches."""
    touched = tokens[indexes.start : indexes.stop]
    if not touched or _is_within(edit, touched[0]) or not _shares(edit):
        return edit
    pointer, start, end, before, after = edit[:5]
    forwards = [(token["start"] - start, token["end"] - start) for token in touched]
    backwards = [(end - token["end"], end - token["start"]) for token in reversed(touched)]
    first = _unchanged(before, after, forwards)
    last = _unchanged(before[first:][::-1], after[first:][::-1], backwards)
    left_before, left_after = before[first : len(before) - last], after[first : len(after) - last]
    return [pointer, start + first, end - last, left_before, left_after]


def _shares(edit: list) -> bool:
    """Return whether old and new text, of more than a letter, begin or end alike."""
    before, after = edit[3:5]
    return len(before) > 1 and after != "" and (before[0] == after[0] or before[-1] == after[-1])


def _is_within(edit: list, token: dict) -> bool:
    return token["start"] <= edit[1] and edit[2] <= token["end"]


def _unchanged(before: str, after: str, spans: list[tuple[int, int]]) -> int:
    """Return how many letters an edit leaves unchanged before a token, or over all of it.

    spans: where the tokens that it touches begin and end, counted from where the edit does.
    """
    alike = len(commonprefix((before, after)))
    (start, end), *following = spans
    if start >= 0:
        return min(alike, start)
    next_start = following[0][0] if following else len(before)
    return min(alike, next_start) if alike >= end else 0


def _parts(edit: list, touched: list[dict]) -> list[list]:
    """Return the edit of each token that an edit touches; one that is gone has nothing left."""
    if touched and _is_within(edit, touched[-1]):
        return [edit]
    parts = [_part(edit, token["start"], token["end"]) for token in touched]
    if _retypes(edit) or not touched:
        return parts
    last_start = touched[-1]["start"]
    only_deletes = (
        not edit[4]
        or (  # before the last token; the case of the rest may change
            edit[1] < last_start
            and edit[3][last_start - edit[1] :].casefold() == edit[4].casefold()
        )
    )
    if not only_deletes:
        return [[edit[0], token["start"], token["end"], token["form"], ""] for token in touched]
    return [[*part[:4], ""] for part in parts[:-1]] + [[*parts[-1][:4], edit[4]]]


def _retypes(edit: list) -> bool:
    """Return whether an edit keeps all letters, perhaps in another case, or swaps two."""
    before, after = edit[3:5]
    return len(before) == len(after) and (
        before.casefold() == after.casefold() or before == after[1::-1]
    )


def _part(edit: list, start: int, end: int) -> list:
    """Return the part of an edit within a span; it writes as many letters as there were."""
    pointer, edit_start, edit_end, before, after = edit[:5]
    first, last = max(edit_start, start), min(edit_end, end)
    within = slice(first - edit_start, last - edit_start)
    return [pointer, first, last, before[within], after[within]]


def _remaining(tokens: list[dict]) -> list[dict]:
    """Return the tokens of a sentence that have a form, without those that an edit left none.

    Heads count from 1 within the sentence.  If one that is gone was a head, none of them has
    "head" and "deprel" any more: what hung on it hangs nowhere.

    >>> root = {"head": 0, "deprel": "root"}
    >>> _remaining([{"form": "", "head": 2, "deprel": "punct"}, {"form": "Hi", **root}])
    [{'form': 'Hi', 'head': 0, 'deprel': 'root'}]
    >>> _remaining([{"form": "", **root}, {"form": "Bob", "head": 1, "deprel": "vocative"}])
    [{'form': 'Bob'}]
    """
    indexes = [i for i, token in enumerate(tokens) if token["form"]]
    numbers = {0: 0} | {i + 1: number for number, i in enumerate(indexes, 1)}
    has_heads = all(tokens[i].get("head") in (None, *numbers) for i in indexes)
    words: dict[int, list[int]] = {}  # where a surface word would begin -> its words that remain
    for i in indexes:
        if tokens[i].get("part"):
            words.setdefault(i - tokens[i]["part"][0], []).append(i)
    parts = {
        i: [place, len(surface)] for surface in words.values() for place, i in enumerate(surface, 1)
    }
    remaining = []
    for i in indexes:
        token = {
            key: value
            for key, value in tokens[i].items()
            if has_heads or key not in ("head", "deprel")
        }
        if parts.get(i) == [1, 1]:
            del token["part"]
        elif i in parts:
            token["part"] = parts[i]
        if token.get("head"):
            token["head"] = numbers[token["head"]]
        remaining.append(token)
    return remaining
