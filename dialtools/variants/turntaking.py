"""Turn-taking: who speaks to whom; turns cut or joined with their tokens and entities."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from dialtools import languages
from dialtools.languages import Language
from dialtools.records import dialogue, tokens
from dialtools.records.spans import displaced


def listener(turns: list[dict], number: int) -> str:
    """Return the listener of a turn; in a monologue, its speaker.

    The listener is the "addressee" if that is another speaker of the dialogue, or else the next
    other speaker, or else the previous one.
    """
    speaker, addressee = turns[number]["speaker"], turns[number].get("addressee")
    if (
        isinstance(addressee, str)
        and addressee != speaker
        and any(turn["speaker"] == addressee for turn in turns)
    ):
        return addressee
    after, before = range(number + 1, len(turns)), range(number - 1, -1, -1)
    others = (
        turns[i]["speaker"]
        for places in (after, before)
        for i in places
        if turns[i]["speaker"] != speaker
    )
    return next(others, speaker)


def agent(turns: list[dict], language: Language) -> str:
    """Return the agent of a support dialogue: by label (Agent, 客服 2), or the second speaker."""
    labels = {
        label
        for known in (languages.get("en"), language)
        for label in known.facts.get("agents", ())
    }
    speakers = dialogue.speakers(turns)
    named = (
        speaker for speaker in speakers if re.sub(r"[\s_-]*\d*$", "", speaker.lower()) in labels
    )
    return next(named, speakers[:2][-1])


def runs(turns: list[dict]) -> list[tuple[int, list[dict]]]:
    """Return (number of the first turn, turns) of each run of two or more turns of one speaker."""
    found, start = [], 0
    for _, group in groupby(turns, key=lambda turn: turn["speaker"]):
        run = list(group)
        if len(run) > 1:
            found.append((start, run))
        start += len(run)
    return found


def joined(turns: list[dict], space: str) -> dict:
    """Return several turns as one that holds what the first one holds.

    space: what stands between the texts; empty texts leave none.

    Tokens and entities are those of all turns, or none where a turn with words lacks them.
    """
    said = [turn for turn in turns if turn["text"]]
    text = space.join(turn["text"] for turn in said)
    one = {key: value for key, value in turns[0].items() if key not in ("tokens", "entities")} | {
        "text": text
    }
    if any(turn.get("tokens") is not None for turn in said) and all(
        tokens.has(turn) for turn in said
    ):
        one["tokens"] = _joined_tokens(said, space)
    if said and all(turn.get("entities") is not None for turn in said):
        one["entities"] = [
            displaced(entity, at)
            for turn, at in zip(said, _starts(said, space), strict=True)
            for entity in turn["entities"]
        ]
    return one


def _starts(turns: list[dict], space: str) -> list[int]:
    """Return where the text of each turn begins in the joined text."""
    starts = [0]
    for turn in turns[:-1]:
        starts.append(starts[-1] + len(turn["text"]) + len(space))
    return starts


def _joined_tokens(turns: list[dict], space: str) -> list[dict]:
    """Return the tokens of all turns, their sentences counted on."""
    made: list[dict] = []
    sentences = 0
    for turn, at in zip(turns, _starts(turns, space), strict=True):
        found = turn.get("tokens") or []
        made += [
            displaced(token, at) | {"sent": token.get("sent", 1) + sentences} for token in found
        ]
        sentences += max((token.get("sent", 1) for token in found), default=0)
    return made


def cut(turn: dict, cuts: list[int]) -> list[dict]:
    """Return a turn for each stretch of text between the cuts, with all keys of the turn.

    cuts: where a new turn begins, in code points, ascending; white space around a stretch is
        dropped.

    A token keeps its head where its whole sentence stays together; an entity that is cut is left
    out.
    """
    found = turn.get("tokens") or []
    starts = [token["start"] for token in found]
    whole = Counter(token.get("sent", 1) for token in found)
    pieces = []
    for start, end in _spans(turn["text"], cuts):
        piece = {**turn, "text": turn["text"][start:end]}
        if found:
            here = found[bisect_left(starts, start) : bisect_left(starts, end)]
            piece["tokens"] = _cut_tokens(
                [token for token in here if token["end"] <= end], start, whole
            )
        if turn.get("entities"):
            piece["entities"] = [
                displaced(entity, -start)
                for entity in turn["entities"]
                if start <= entity["start"] and entity["end"] <= end
            ]
        pieces.append(piece)
    return pieces


def _spans(text: str, cuts: list[int]) -> Iterator[tuple[int, int]]:
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        piece = text[start:end]
        yield end - len(piece.lstrip()), start + len(piece.rstrip())


def _cut_tokens(found: list[dict], start: int, whole: Counter) -> list[dict]:
    """Return tokens of a text that began here; whole: how many tokens each sentence had."""
    here = Counter(token.get("sent", 1) for token in found)
    numbers = {sent: number for number, sent in enumerate(here, 1)}
    made = []
    for token in found:
        sent = token.get("sent", 1)
        broken = ("head", "deprel") if here[sent] < whole[sent] else ()
        kept = {key: value for key, value in token.items() if key not in broken}
        made.append(displaced(kept, -start) | ({"sent": numbers[sent]} if "sent" in token else {}))
    return made
