"""Turn-taking: who speaks to whom; turns cut or joined with their tokens and entities."""

import re
from bisect import bisect_left
from collections import Counter
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
    runs, start = [], 0
    for _, group in groupby(turns, key=lambda turn: turn["speaker"]):
        run = list(group)
        if len(run) > 1:
            runs.append((start, run))
        start += len(run)
    return runs


def joined(turns: list[dict], space: str) -> dict:
    """Return several turns as one that holds what the first one holds.

    space: what stands between the texts; empty texts leave none.

    Tokens and entities are those of all turns, or none where a turn with words lacks them.
    """
    spoken = [turn for turn in turns if turn["text"]]
    first = {key: value for key, value in turns[0].items() if key not in ("tokens", "entities")}
    joined = {**first, "text": space.join(turn["text"] for turn in spoken)}
    starts = [0]  # of each turn in the joined text
    for turn in spoken[:-1]:
        starts.append(starts[-1] + len(turn["text"]) + len(space))
    placed = list(zip(spoken, starts, strict=False))
    if any(turn.get("tokens") is not None for turn in spoken) and all(map(tokens.has, spoken)):
        joined["tokens"], sentences = [], 0  # counted on from turn to turn
        for turn, start in placed:
            for token in turn.get("tokens") or []:
                sent = {"sent": token.get("sent", 1) + sentences}
                joined["tokens"].append(displaced(token, start) | sent)
            sentences = max((token["sent"] for token in joined["tokens"]), default=0)
    if spoken and all(turn.get("entities") is not None for turn in spoken):
        joined["entities"] = [
            displaced(entity, start) for turn, start in placed for entity in turn["entities"]
        ]
    return joined


def cut(turn: dict, cuts: list[int]) -> list[dict]:
    """Return a turn for each stretch of text between the cuts, with all keys of the turn.

    cuts: where a new turn begins, in code points, ascending; white space around a stretch is
        dropped.

    A token keeps its head where its whole sentence stays together; an entity that is cut is left
    out.
    """
    all_tokens = turn.get("tokens") or []
    starts = [token["start"] for token in all_tokens]
    sizes = Counter(token.get("sent", 1) for token in all_tokens)
    pieces = []
    for first, last in zip([0, *cuts], [*cuts, len(turn["text"])], strict=True):
        untrimmed = turn["text"][first:last]
        start, end = last - len(untrimmed.lstrip()), first + len(untrimmed.rstrip())
        piece = {**turn, "text": turn["text"][start:end]}
        if all_tokens:
            of_piece = all_tokens[bisect_left(starts, start) : bisect_left(starts, end)]
            piece["tokens"] = _cut_tokens(
                [token for token in of_piece if token["end"] <= end], start, sizes
            )
        if turn.get("entities"):
            piece["entities"] = [
                displaced(entity, -start)
                for entity in turn["entities"]
                if start <= entity["start"] and entity["end"] <= end
            ]
        pieces.append(piece)
    return pieces


def _cut_tokens(of_piece: list[dict], start: int, sizes: Counter) -> list[dict]:
    """Return tokens of a text that began here; sizes: how many tokens each sentence had."""
    remaining = Counter(token.get("sent", 1) for token in of_piece)
    numbers = {sent: number for number, sent in enumerate(remaining, 1)}
    cut = []
    for token in of_piece:
        sent = token.get("sent", 1)
        broken = ("head", "deprel") if remaining[sent] < sizes[sent] else ()
        unbroken = {key: value for key, value in token.items() if key not in broken}
        number = {"sent": numbers[sent]} if "sent" in token else {}
        cut.append(displaced(unbroken, -start) | number)
    return cut
