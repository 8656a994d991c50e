"""Tokens and other spans that follow the edits of their text.

A token is a dict with "form", "start" and "end" (code points), where always
text[start:end] == form, and with whatever a parser said of it.  Tokens stand
in the order of the text and do not overlap.  Other spans ("entities") are
dicts with "start" and "end", in any order, with their "text" or without.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from itertools import accumulate, groupby
from types import NoneType

from dialtools.errors import RecordError, Unfit, show
from dialtools.remaining import remaining

CONTENT = frozenset(("ADJ", "ADV", "NOUN", "VERB"))  # UPOS of the words that say what a sentence is about
_INFLECTED = ("AUX", "NOUN", "VERB")  # have features in any language that annotates some
_WITHOUT_LEMMA = ("X", "SYM", "PROPN")
_KINDS = dict.fromkeys(("lemma", "upos", "xpos", "feats", "deprel"), (str, NoneType)) | {"head": (int, NoneType)}


def annotated(holder: dict, kind: str, *keys: str) -> list[dict]:
    """Return the tokens of a turn, or of a record with a "text"; Unfit where they lack what a kind needs.

    holder: what holds the "text" and the "tokens", as in dialogue.holders.
    kind: the plug-in's name, for the message.
    keys: what each token must have, as in `has`.
    """
    if not has(holder, *keys):
        wanted = f"tokens with {', '.join(keys)}" if keys else "tokens"
        tokens = holder.get("tokens") or []
        there = [key for key in tokens[0] if all(key in token for token in tokens)] if tokens else []
        other = f" (those here have {', '.join(there)}; another parser tells more)" if there else ""
        raise Unfit(f"{kind} needs {wanted}: annotate with dt-parse first{other}")
    return holder.get("tokens") or []


def has(holder: dict, *keys: str) -> bool:
    """Has a text tokens, each with these keys?  A text without letters and digits needs none.

    A word may be without "feats", but not all of them where a noun or a verb is among them; one
    tagged X (in treebanks a part of a word that is written apart), SYM or PROPN may be without "lemma".
    """
    tokens = holder.get("tokens")
    if not tokens:
        return not any(map(str.isalnum, holder["text"]))
    for key in keys:
        there = [token.get(key) is not None or (key == "lemma" and token.get("upos") in _WITHOUT_LEMMA)
                 for token in tokens]
        if key == "feats":
            if not any(there) and any(token.get("upos") in _INFLECTED for token in tokens):
                return False
        elif not all(there):
            return False
    return True


def check(holder: dict) -> None:
    """Raise RecordError unless each token stands where it says, in the order of the text, and is what tokens are."""
    text, at = holder["text"], 0
    for token in holder.get("tokens") or ():
        start, end = token["start"], token["end"]
        if not at <= start < end <= len(text) or text[start:end] != token["form"]:
            raise RecordError(f"the token {show(token['form'])} does not stand at {start} to {end} of {show(text)}")
        for key, kind in _KINDS.items():
            if key in token and not isinstance(token[key], kind):
                wanted = "a text" if str in kind else "a whole number"
                raise RecordError(f'"{key}" of a token is {wanted}, here is {show(token[key])}')
        at = end


def changes(tokens: list[dict], edits: list[list]) -> list[list]:
    """Return edits of the list of tokens, [start, end, before, after], that follow from edits of the text.

    A token that an edit lies within is replaced by one with the new form (and
    lemma, where that was the form), as is one that an edit takes a part of away;
    one that has none left is dropped, and the others of its sentence count anew.
    An edit of more than one token is dealt to them where it leaves their letters,
    in another case or two in the other order; if it puts something else in their
    place it drops all tokens.

    edits: [pointer, start, end, before, after], sorted, positions in the old text.
    """
    starts, ends = [token["start"] for token in tokens], [token["end"] for token in tokens]
    inside: dict[int, list[list]] = {}
    for edit in edits:
        start, end = edit[1:3]
        first = bisect_right(ends, start)  # the first token that ends after the start
        last = bisect_left(starts, end, lo=first) if start < end else bisect_left(starts, start, lo=first)
        parts = _dealt(edit, tokens[first:last])
        if last > first and not parts:
            return [[0, len(tokens), tokens, []]]
        for i, part in enumerate(parts, first):
            inside.setdefault(i, []).append(part)
    shift = _shift(edits)
    written = {i: _rewritten(tokens[i], group, shift(starts[i])) for i, group in inside.items()}
    new = {i: token for i, token in written.items() if token != tokens[i]}
    if all(token["form"] for token in new.values()):
        return [[i, i + 1, [tokens[i]], [token]] for i, token in new.items()]
    return list(_without(tokens, new, shift))


def _dealt(edit: list, touched: list[dict]) -> list[list]:
    """Return the edit of each token that an edit touches; none where it puts something else in their place."""
    if touched and _within(edit, touched[-1]):
        return [edit]
    parts = [_part(edit, token["start"], token["end"]) for token in touched]
    if _retypes(edit) or not touched:
        return parts
    if not _keeps(edit, touched[-1]["start"]):
        return []
    return [[*part[:4], ""] for part in parts[:-1]] + [[*parts[-1][:4], edit[4]]]


def _within(edit: list, token: dict) -> bool:
    return token["start"] <= edit[1] and edit[2] <= token["end"]


def _keeps(edit: list, at: int) -> bool:
    """Does an edit only take away what stands before a place, or all, and leave the rest but for its case?"""
    return not edit[4] or (edit[1] < at and edit[3][at - edit[1]:].casefold() == edit[4].casefold())


def _retypes(edit: list) -> bool:
    """Does an edit write the same letters, each in its place but for its case, or two the other way round?"""
    before, after = edit[3:5]
    return len(before) == len(after) and (before.casefold() == after.casefold() or before == after[1::-1])


def _part(edit: list, start: int, end: int) -> list:
    """Return the part of an edit within a span, of which it writes as many letters as there were."""
    pointer, at, to, before, after = edit[:5]
    first, last = max(at, start), min(to, end)
    return [pointer, first, last, before[first - at:last - at], after[first - at:last - at]]


def _without(tokens: list[dict], new: dict[int, dict], shift: Callable[[int], int]) -> Iterator[list]:
    """Yield the edits of the list of tokens, some of which get no form, so that others of their sentences count anew.

    new: what tokens, by index, are replaced by.
    """
    for _, group in groupby(range(len(tokens)), key=lambda i: tokens[i].get("sent")):
        places = list(group)
        moved = {i: new.get(i) or _moved(tokens[i], shift(tokens[i]["start"])) for i in places}
        is_whole = all(new[i]["form"] for i in places if i in new)
        left = iter(moved.values() if is_whole else remaining(list(moved.values())))
        for i in places:
            after = [next(left)] if moved[i]["form"] else []
            if i in new or after != [moved[i]]:
                yield [i, i + 1, [tokens[i]], after]


def entity_changes(entities: list[dict], edits: list[list]) -> list[list]:
    """Return edits of a list of entities, [start, end, before, after]: one for each whose own text changes."""
    starts, ends = [edit[1] for edit in edits], [edit[2] for edit in edits]
    moved_place = _places(edits)
    changed = []
    for i, entity in enumerate(entities):
        start, end = entity["start"], entity["end"]
        touching = edits[bisect_right(ends, start):bisect_left(starts, end)]
        if touching:
            moved = {**entity, "start": moved_place(start, False), "end": moved_place(end, True)}
            if entity.get("text") is not None:
                own = [_part(edit, start, end) if _retypes(edit) else edit for edit in touching]
                inside = start <= own[0][1] and own[-1][2] <= end
                moved["text"] = _inside(entity["text"], start, own) if inside else None
            changed.append([i, i + 1, [entity], [moved]])
    return changed


def _places(edits: list[list]) -> Callable[[int, bool], int]:
    """Return a function: where does the start, or the end (closing), of a span stand in the new text?"""
    ends = [edit[2] for edit in edits]
    sums = _sums(edits)

    def moved(place: int, closing: bool) -> int:
        number = bisect_right(ends, place)  # edits up to here
        if number < len(edits) and edits[number][1] < place and not _retypes(edits[number]):  # and one across it
            return edits[number][1] + sums[number] + (len(edits[number][4]) if closing else 0)
        while closing and number and edits[number - 1][1] == place:  # what is put in behind the end
            number -= 1
        return place + sums[number]

    return moved


def _inside(text: str, start: int, edits: list[list]) -> str:
    """Return the text of a span that starts here, with the edits that lie within it."""
    for _, first, last, _, after, *_ in reversed(edits):
        text = text[:first - start] + after + text[last - start:]
    return text


def shifted(tokens: list[dict], edits: list[list], replaced: set[int]) -> list[dict]:
    """Return the tokens moved with their text, but for those (by index) that are replaced anyway."""
    shift = _shift(edits)
    return [token if i in replaced else _moved(token, shift(token["start"])) for i, token in enumerate(tokens)]


def _shift(edits: list[list]) -> Callable[[int], int]:
    """Return a function: by how much does a token that starts here in the old text move?"""
    moved = _places(edits)
    return lambda start: moved(start, False) - start


def _sums(edits: list[list]) -> list[int]:
    """Return by how much the text after so many edits moves: of none, of the first, …"""
    return [0, *accumulate(len(edit[4]) - len(edit[3]) for edit in edits)]


def _moved(token: dict, by: int) -> dict:
    return {**token, "start": token["start"] + by, "end": token["end"] + by} if by else token


def _rewritten(token: dict, edits: list[list], shift: int) -> dict:
    """Return a token with the edits of its form; a space that they put at its beginning or end is no part of it."""
    written = _inside(token["form"], token["start"], edits)
    form, start = written.strip(), token["start"] + len(written) - len(written.lstrip())
    lemma = {"lemma": form} if token.get("lemma") == token["form"] else {}
    return {**token, "form": form, "start": start + shift, "end": start + shift + len(form), **lemma}
