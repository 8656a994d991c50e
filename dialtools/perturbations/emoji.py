"""Emoji and emoticons, added, left out, or said in words.

emoji.add ends utterances with one that says little, each utterance with the given rate, unless it
ends with one already: 🙂 😊 😄 😉 or, with form=emoticon, :) :-) :D ;).  form=any draws from all.

emoji.drop leaves out emoji and emoticons, with a space; two words stay apart.  An utterance of
nothing else stays as it is.

emoji.say puts their names in their place: Great 😄 becomes Great grinning face with smiling eyes.
The names are Unicode's (CLDR), in the languages of the library emoji; any other is an error where
there is one to be said; German ones come without capitals, Chinese ones in simplified characters.
An emoticon has the name of its emoji.

What stands side by side changes together, with the given rate, by default always.  An emoticon
counts at the edge of a word only; so http://, 10:30 and a closing bracket are none.  Its mouth may
be repeated: :))).

Source: ours.  Emoticons: markdown-it-emoji, and =) :p xD and the like (en/emoticons.tsv).

>>> from random import Random
>>> record = {"text": "See you :-)", "lang": "en"}
>>> drop.perturb(record, Random(1))
[['/text', 7, 11, ' :-)', '']]
>>> say.perturb(record, Random(1))
[['/text', 8, 11, ':-)', 'grinning face with big eyes']]
>>> add.perturb({"text": "See you!", "lang": "en"}, Random(1), rate=1.0)
[['/text', 8, 8, '', ' 🙂']]
"""

import re
from collections.abc import Iterator
from random import Random
from typing import Any, Literal

from dialtools import languages
from dialtools.languages import Language, once_per_language
from dialtools.languages.scripts import CJK, compiled
from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue
from dialtools.system import errors
from dialtools.system.errors import Unfit
from dialtools.text import rewrites, words

_STOPS = tuple(".!?,…")
ADDED = {"emoji": "🙂 😊 😄 😉", "emoticon": ":) :-) :D ;)"}
# Those that show as emoji by themselves or, of old symbols, from U+2600 on (☎ ❤); not ©, ™ or ↔.
_PICTURE = (
    r"(?:[\p{Emoji_Presentation}--\p{RI}]|[\p{Extended_Pictographic}&&[\u2600-\U0010FFFF]]"
    r"|\p{RI}\p{RI}|[0-9#*]\uFE0F\u20E3)"
)
_EMOJI = rf"(?=({_PICTURE}))\X"


def append(
    record: dict,
    rng: Random,
    *,
    rate: float = 0.2,
    form: Literal["emoji", "emoticon", "any"] = "emoji",
) -> list[list]:
    """Return an edit for each utterance that ends with a smile.

    rate: probability of an utterance, from 0 to 1.
    form: what is drawn from.
    """
    words.check_rate(rate)
    space = dialogue.language(record).space
    smiles = " ".join(part for name, part in ADDED.items() if form in (name, "any")).split()
    edits = []
    for pointer, holder in dialogue.utterances(record):
        text = holder["text"]
        end = len(text.rstrip())
        if any(map(str.isalnum, text)) and rng.random() < rate:
            smile = rng.choice(smiles)
            if all(last < end for _, last in _runs(text)):
                edits += rewrites.whole(text, [[pointer, end, end, "", space + smile]])
    return edits


def leave_out(record: dict, rng: Random, *, rate: float = 1.0) -> list[list]:
    """Return an edit for each run that is left out; rate: probability of a run, from 0 to 1."""
    words.check_rate(rate)
    space = dialogue.language(record).space
    edits = []
    for pointer, holder in dialogue.utterances(record):
        text = holder["text"]
        runs = list(_runs(text))
        if not re.search(r"\S", _without(text, runs)):
            continue
        dropped = []
        for start, end in runs:
            if rng.random() < rate:
                before, after = text[max(0, start - 1) : start], text[end : end + 1]
                # with the space before it, or at the start the one behind it
                if before == " " and not after.isalnum():
                    start -= 1
                elif start == 0 and after == " ":
                    end += 1
                joins = after.isalnum() and (before.isalnum() or before in _STOPS)
                dropped.append([pointer, start, end, text[start:end], space * joins])
        edits += rewrites.whole(text, dropped)
    return edits


def name(record: dict, rng: Random, *, rate: float = 1.0) -> list[list]:
    """Return an edit for each run that is said; rate: probability of a run, from 0 to 1."""
    words.check_rate(rate)
    language = dialogue.language(record)
    edits = []
    for pointer, holder in dialogue.utterances(record):
        text, named = holder["text"], []
        for start, end in _runs(text):
            if rng.random() < rate:
                names = [_name(match[0], language) for match in _items().finditer(text[start:end])]
                if all(names):
                    before, after = (
                        language.space if beside.isalnum() else ""
                        for beside in (text[start - 1 : start], text[end : end + 1])
                    )
                    words_for_run = before + language.space.join(map(str, names)) + after
                    named.append([pointer, start, end, text[start:end], words_for_run])
        edits += rewrites.whole(text, named)
    return edits


def _without(text: str, runs: list[tuple[int, int]]) -> str:
    starts = [0, *(end for _, end in runs)]
    ends = [*(start for start, _ in runs), len(text)]
    return "".join(text[start:end] for start, end in zip(starts, ends, strict=True))


def _runs(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of what stands side by side, with spaces at most in between."""
    if text.isascii() and not _MARKS.search(text):
        return
    last = None
    for match in _items().finditer(text):
        start, end = match.span()
        if match[0].endswith("))") and text.count("(", 0, start) > text.count(")", 0, start):
            end -= 1  # (it is late :))
        if last and not text[last[1] : start].strip(" "):
            last = last[0], end
            continue
        if last:
            yield last
        last = start, end
    if last:
        yield last


_MARKS = re.compile(r"[:;=^]|-\)|<[3\\/]|[xX]D")  # some is in each emoticon
_DRAWN_OUT = re.compile(r"([()D])\1+$")


def _items() -> Any:
    """Return a pattern of one emoji or emoticon."""
    forms = words.alternatives(_emoticons(languages.get("en")))
    forms += r"(?:(?<=\))\)*|(?<=\()\(*|(?<=D)D*|)"  # :)))
    before = rf"(?<![^\s.!?…。！？{CJK}])"
    return compiled(rf"(?V1){_EMOJI}|{before}{forms}(?![^\s.,!?…。！？，、{CJK}])")


@once_per_language
def _emoticons(language: Language) -> dict[str, str]:
    """Return {emoticon: emoji}."""
    return {row["emoticon"]: row["emoji"] for row in language.table("emoticons")}


def _name(item: str, language: Language) -> str:
    """Return the name of an emoji or emoticon; "" of one that has none."""
    library = errors.need("emoji", "emoji")
    if language.code not in library.LANGUAGES:
        known = ", ".join(sorted(library.LANGUAGES))
        raise Unfit(f"emoji.say is not defined for {language.tag}; there are {known}")
    picture = _emoticons(languages.get("en")).get(_DRAWN_OUT.sub(r"\1", item), item)
    words_for_item = library.demojize(picture, delimiters=("", ""), language=language.code)
    return "" if words_for_item == picture else words_for_item.replace("_", language.space)


add = Perturbation(append, summary="End utterances with an emoji or an emoticon.")
drop = Perturbation(leave_out, summary="Leave out emoji and emoticons.")
say = Perturbation(name, summary="Say emoji and emoticons in words: 😄 → grinning face.")
