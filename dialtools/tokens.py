"""Tokens and other spans that follow the edits of their text.

A token is a dict with "form", "start" and "end" (code points), where always
text[start:end] == form, and with whatever a parser said of it.  Tokens stand
in the order of the text and do not overlap.  Other spans ("entities") are
dicts with "start" and "end", in any order, with their "text" or without.
"""

from bisect import bisect_left, bisect_right
from itertools import accumulate

from dialtools.errors import RecordError, show

_INFLECTED = ("AUX", "NOUN", "VERB")  # have features in any language that annotates some
_WITHOUT_LEMMA = ("X", "SYM", "PROPN")


def annotated(holder: dict, kind: str, *keys: str) -> list[dict]:
    """Return the tokens of a turn, or of a record with a "text"; RecordError where they lack what a kind needs.

    holder: what holds the "text" and the "tokens", as in dialogue.holders.
    kind: the plug-in's name, for the message.
    keys: what each token must have, as in `has`.
    """
    if not has(holder, *keys):
        wanted = f"tokens with {', '.join(keys)}" if keys else "tokens"
        raise RecordError(f"{kind} needs {wanted}: annotate with dt-parse first")
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
    """Raise RecordError unless each token stands where it says, in the order of the text."""
    text, at = holder["text"], 0
    for token in holder.get("tokens") or ():
        start, end = token["start"], token["end"]
        if not at <= start < end or text[start:end] != token["form"]:
            raise RecordError(f"the token {show(token['form'])} does not stand at {start} to {end} of {show(text)}")
        at = end


def changes(tokens: list[dict], edits: list[list]) -> list[list]:
    """Return edits of the list of tokens, [start, end, before, after], that follow from edits of the text.

    A token that an edit lies within is replaced by one with the new form (and
    lemma, where that was the form).  An edit across tokens drops them all.

    edits: [pointer, start, end, before, after], sorted, positions in the old text.
    """
    starts, ends = [token["start"] for token in tokens], [token["end"] for token in tokens]
    inside: dict[int, list[list]] = {}
    for edit in edits:
        start, end = edit[1:3]
        first = bisect_right(ends, start)  # the first token that ends after the start
        last = bisect_left(starts, end, lo=first) if start < end else bisect_left(starts, start, lo=first)
        if last - first > 1 or (last > first and not (starts[first] <= start and end <= ends[first])):
            return [[0, len(tokens), tokens, []]]
        if last > first:
            inside.setdefault(first, []).append(edit)
    shift = _shift(edits)
    return [[i, i + 1, [tokens[i]], [_rewritten(tokens[i], group, shift(starts[i]))]]
            for i, group in inside.items()]


def entity_changes(entities: list[dict], edits: list[list]) -> list[list]:
    """Return edits of a list of entities, [start, end, before, after]: one for each whose own text changes."""
    changed = []
    for i, entity in enumerate(entities):
        start, end = entity["start"], entity["end"]
        inside = [edit for edit in edits if start <= edit[1] and edit[2] <= end and edit[1] < end and edit[2] > start]
        crossing = [edit for edit in edits if edit not in inside and edit[1] < end and start < edit[2]]
        if inside or crossing:
            moved = {**entity, "start": _moved_place(start, edits, False), "end": _moved_place(end, edits, True)}
            if entity.get("text") is not None:
                moved["text"] = None if crossing else _inside(entity["text"], start, inside)
            changed.append([i, i + 1, [entity], [moved]])
    return changed


def _moved_place(place: int, edits: list[list], closing: bool) -> int:
    """Return where the start, or the end (closing), of a span stands in the new text."""
    shift = 0
    for _, start, end, _, after, *_ in edits:
        if end <= place and not (closing and start == end == place):
            shift += len(after) - (end - start)
        elif start < place < end:
            return start + shift + (len(after) if closing else 0)
    return place + shift


def _inside(text: str, start: int, edits: list[list]) -> str:
    """Return the text of a span that starts here, with the edits that lie within it."""
    for _, first, last, _, after, *_ in reversed(edits):
        text = text[:first - start] + after + text[last - start:]
    return text


def shifted(tokens: list[dict], edits: list[list], replaced: set[int]) -> list[dict]:
    """Return the tokens moved with their text, but for those (by index) that are replaced anyway."""
    shift = _shift(edits)
    return [token if i in replaced else _moved(token, shift(token["start"])) for i, token in enumerate(tokens)]


def _shift(edits: list[list]):
    """Return a function: by how much does a token that starts here in the old text move?"""
    ends = [edit[2] for edit in edits]
    sums = [0, *accumulate(len(edit[4]) - len(edit[3]) for edit in edits)]
    return lambda start: sums[bisect_right(ends, start)]


def _moved(token: dict, by: int) -> dict:
    return {**token, "start": token["start"] + by, "end": token["end"] + by} if by else token


def _rewritten(token: dict, edits: list[list], shift: int) -> dict:
    form, start = _inside(token["form"], token["start"], edits), token["start"]
    lemma = {"lemma": form} if token.get("lemma") == token["form"] else {}
    return {**token, "form": form, "start": start + shift, "end": start + shift + len(form), **lemma}
