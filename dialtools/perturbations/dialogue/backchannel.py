"""Let the listener show attention while somebody speaks: mm-hm, right.

One short turn of the listener (the addressee, else whoever speaks next) is
put where the speaker goes on: between two consecutive turns, or after a
sentence within a turn, which is cut there.  Where nobody goes on, it stands
before the next speaker's answer.  Never after a question, nor after less than
a clause (20 characters; 8 in scripts without spaces).  In a dialogue of one
speaker nobody listens.  The turn adds no information.

Source: ours, after the continuers of conversation analysis: Schegloff 1982,
Discourse as an interactional achievement.

>>> from random import Random
>>> turns = [{"speaker": "Ann", "text": "I went to the market. It was closed."}, {"speaker": "Bob", "text": "Oh."}]
>>> [turn["text"] for turn in perturb({"dialogue": turns, "lang": "en"}, Random(1))[0][4]]
['I went to the market.', 'Oh, okay.', 'It was closed.']
"""

from collections.abc import Iterator
from random import Random

from dialtools import dialogue, languages, phrases, sentences, turntaking

NEEDS = ("dialogue",)
RESOURCE = "phrases.tsv"
CLAUSE = {" ": 20, "": 8}  # code points that are worth a signal, by what stands between words


def perturb(record: dict, rng: Random, *, formality: phrases.Formality = "auto") -> list[list]:
    """Return the edit that inserts a listener's signal; formality: of the signal."""
    turns = record["dialogue"]
    if len(dialogue.speakers(turns)) < 2:
        return []
    lang, styles = dialogue.lang(record), phrases.styles(record, formality)
    places = list(_places(turns, lang))
    places = [place for place in places if place[2]] or places
    if not places:
        return []
    number, cut, _ = rng.choice(places)
    turn, who = turns[number], turntaking.listener(turns, number)
    signal = {"speaker": who, "text": phrases.wording("backchannel", lang, styles[who], rng)}
    if cut is None:
        return [["/dialogue", number + 1, number + 1, [], [signal]]]
    before, after = turntaking.cut(turn, [cut])
    return [["/dialogue", number, number + 1, [turn], [before, signal, after]]]


def _places(turns: list[dict], lang: str) -> Iterator[tuple[int, int | None, bool]]:
    """Yield (turn, place in its text or None for behind it, whether its speaker goes on)."""
    least = CLAUSE[languages.load(lang)["space"]]
    for number, turn in enumerate(turns):
        text = turn["text"]
        for end in sentences.ends(text, lang):
            if end >= least and not _asks(text, end):
                yield number, end, True
        if number + 1 < len(turns) and len(text) >= least and not _asks(text, len(text.rstrip())):
            yield number, None, turns[number + 1]["speaker"] == turn["speaker"]


def _asks(text: str, end: int) -> bool:
    """Is there a question mark at the end of a sentence, a bracket or a smile aside?"""
    last = text[max(0, end - 3):end]
    return "?" in last or "？" in last
