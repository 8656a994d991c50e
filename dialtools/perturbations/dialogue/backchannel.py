"""Insert a signal of the listener while somebody speaks: mm-hm, right.

The listener (the addressee, or else the next speaker) says one short turn where
the speaker goes on: between two consecutive turns, or after a sentence within a
turn, which is cut there. If nobody goes on, the signal precedes the next
speaker's answer. It never follows a question, or less than a clause (20
characters; 8 in scripts without spaces; twice as many if the turn begins with a
greeting: Good afternoon, Mr. Lee). A dialogue with one speaker stays as it is.
The turn adds no information.

Source: ours, after the continuers of conversation analysis: Schegloff 1982,
Discourse as an interactional achievement.

>>> from random import Random
>>> turns = [{"speaker": "Ann", "text": "I went to the market. It was closed."},
...          {"speaker": "Bob", "text": "Oh."}]
>>> [turn["text"] for turn in perturb({"dialogue": turns, "lang": "en"}, Random(1))[0][4]]
['I went to the market.', 'Yeah.', 'It was closed.']
"""

import re
from random import Random

from dialtools.languages import Language
from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue
from dialtools.text import phrases, sentences
from dialtools.variants import turntaking

CLAUSE = {" ": 20, "": 8}  # code points that are worth a signal, by what stands between words
_MARK = re.compile(r"\s*[.!?…。！？]")  # behind a sentence: one of its own (news. . . I)


def perturb(record: dict, rng: Random, *, formality: phrases.Formality = "auto") -> list[list]:
    """Return the edit that inserts a listener's signal; formality: of the signal."""
    turns, language = record["dialogue"], dialogue.language(record)
    if len(dialogue.speakers(turns)) < 2:
        return []
    # five times faster than to shuffle
    order = sorted(range(len(turns)), key=lambda number: rng.random())
    candidates = (
        (number, _places(turns, number, goes_on, language))
        for goes_on in (True, False)
        for number in order
    )
    number, places = next((pair for pair in candidates if pair[1]), (0, []))
    if not places:
        return []
    turn, place = turns[number], rng.choice(places)
    listener = turntaking.listener(turns, number)
    style = phrases.styles(record, formality)[listener]
    signal = {
        "speaker": listener,
        "text": phrases.wording("backchannel", language, style, rng),
    }
    if place == len(turn["text"]):
        return [["/dialogue", number + 1, number + 1, [], [signal]]]
    before, after = turntaking.cut(turn, [place])
    return [["/dialogue", number, number + 1, [turn], [before, signal, after]]]


def _places(turns: list[dict], number: int, goes_on: bool, language: Language) -> list[int]:
    """Return where in a turn a signal fits, its end included; goes_on: if its speaker goes on."""
    text, following = turns[number]["text"], turns[number + 1 : number + 2]
    stops = sentences.ends(text, language)
    ends = []
    if goes_on:
        last = next((place for place in range(len(text) - 1, -1, -1) if text[place].isalnum()), -1)
        ends = [end for end in stops if end <= last and not _MARK.match(text, end)]
    if following and (following[0]["speaker"] == turns[number]["speaker"]) == goes_on:
        ends.append(len(text))
    least = CLAUSE[language.space]
    first = stops[0] if stops else len(text)
    return [
        end
        for end in ends
        if end >= least
        and not _asks(text, end, language)
        and not (end == first and end < 2 * least and _greets(text[:end], language))
    ]


def _greets(sentence: str, language: Language) -> bool:
    """Tell whether a sentence begins with what people say before a name: hi, good morning, 您好."""
    calls, lower = language.facts["calls"], sentence.lower()
    if not language.space:
        return lower.startswith(tuple(calls))
    return any(word.strip(",.!:…") in calls for word in lower.split()[:2])


def _asks(text: str, end: int, language: Language) -> bool:
    """Tell whether a sentence ends as a question, leaving aside a bracket or a smile."""
    last = text[max(0, end - 20) : end].rstrip()
    asks = tuple(language.facts.get("asks", ()))
    return "?" in last[-3:] or "？" in last[-3:] or last.rstrip("。.!！…").endswith(asks)


PERTURBATION = Perturbation(perturb, needs=("dialogue",), resource="phrases.tsv")
