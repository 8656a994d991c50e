"""Leave out punctuation marks.

Each mark, or run of marks (?!, ...), is dropped with the given rate: . , ? ! ; : and ।
before a space, a closing quote or bracket, or the end; 。 ， 、 ！ ？ ； ： anywhere; 「
and 」 together.  A space before the mark (Hello , Bob; 好吗 ？) is dropped with it,
unless nothing else would separate two words (好 。再见); so is the space after a mark
that begins a line (... well).  Some marks stay: those in a number (3.5, 10:30), a
word (e.g, don't), an address, a placeholder, `code`, a speaker's name or a smiley,
and the marks of a line that has nothing else.

Source: "remove punctuation" among the typographical errors, section 3.1 of
"Evaluating Robustness of Open Dialogue Summarization Models in the Presence of
Naturally Occurring Variations"; its rate of 0.2 is the default.

>>> from random import Random
>>> perturb({"text": "At 3.5, please. Thanks!"}, Random(1), rate=0.5)
[['/text', 6, 7, ',', '']]
"""

import re
from random import Random

from dialtools.languages.scripts import CJK, COMBINING, compiled
from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue
from dialtools.text import words


def perturb(record: dict, rng: Random, *, rate: float = 0.2) -> list[list]:
    """Return an edit for each mark that is left out; rate: probability of a mark, from 0 to 1."""
    words.check_rate(rate)
    speakers = dialogue.speakers(dialogue.turns(record))
    names = words.by_length([name for name in speakers if not name.isalnum()])
    text, places = dialogue.joined(record)
    edits = [
        [start, end, text[start:end], ""]
        for start, mark_end in _drawn(text, rng, rate)
        if (end := _end(text, start, mark_end)) and not words.in_name(text, start, end, names)
    ]
    return dialogue.placed(edits, places)


def _end(text: str, start: int, end: int) -> int:
    """Return where what goes with a mark ends, 0 where there is no letter or digit in its line.

    A space behind a mark that begins a line goes with it, where a word follows (... well).
    """
    if text[start - 1 : start].isalnum():  # as nearly always
        return end
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    if not any(map(str.isalnum, text[first : last if last >= 0 else len(text)])):
        return 0
    begins_line = start == first and text[end : end + 1] == " "
    return end + (begins_line and text[end + 1 : end + 2].isalnum())


def _drawn(text: str, rng: Random, rate: float) -> list[tuple[int, int]]:
    """Return the spans that are drawn, from left to right."""
    random, spans = rng.random, []
    for offset, part in words.parts(text):
        is_plain = words.is_plain(part) and part.isascii()
        marks = re.compile(_PLAIN_MARK) if is_plain else compiled(_MARK)
        drawn = [
            match.span("mark")
            for match in marks.finditer(part)
            if match["mark"] and random() < rate
        ]
        spans += [(offset + start, offset + end) for start, end in drawn]
    if "「" in text:
        pairs = [match.span() for match in compiled(_QUOTED).finditer(text) if random() < rate]
        spans = sorted(
            spans + [(quote, quote + 1) for start, end in pairs for quote in (start, end - 1)]
        )
    return spans


# The first character is one of a set, which a search finds three times faster than one of several
# beginnings.
_ENDS = ".,?!।"
_BEHIND_SPACE = rf"(?<=\ )[{_ENDS}]+(?=\s|$)"
_BEHIND_WORD = rf"""(?<=[{_ENDS}])[{_ENDS}]*(?=\s|["'”’»)\]]|$|[。！？])"""
_COLONS = r"(?<=\S[;:])[;:]*(?=\s|$)"
_PARTED = f"[ {_ENDS};:](?:{_BEHIND_SPACE}|{_BEHIND_WORD}|{_COLONS})"
_PLAIN_MARK = f"(?P<mark>{_PARTED})"
_WIDE = r"(?:\ (?=[。，、！？；：]+(?:\s|$)))?[。，、！？；：]+(?!(?<=\p{N}.)\p{N})"
_BEFORE_WIDE = rf"[.,?!;:]+(?=[{CJK}])"
_ALONE = f"(?![{COMBINING}])"
_MARK = "|".join(
    [
        *words.ADDRESSES,
        *words.MARKS,
        *words.CODE,
        rf"(?<!\p{{GCB=Prepend}})(?P<mark>{_PARTED}|{_WIDE}|{_BEFORE_WIDE}){_ALONE}",
    ]
)
_QUOTED = f"「{_ALONE}[^「」\n]+」{_ALONE}"


PERTURBATION = Perturbation(perturb)
