"""Texts of posts cleaned: addresses, mentions, tags, emoji and repetitions dropped; long ones cut.

Source: section 3.3 of "CHBias: Bias Evaluation and Mitigation of Chinese
Conversational Language Models", which names the steps; the patterns below
define them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise

from dialtools import languages
from dialtools.languages import Language
from dialtools.languages.scripts import CJK, compiled
from dialtools.records import dialogue, edits
from dialtools.system.errors import RecordError
from dialtools.text import sentences
from dialtools.text.words import ADDRESSES

STEPS = ("urls", "mentions", "tags", "emoji", "squeeze")  # in the order of cleaning
# Emoji: flags, keycaps, pictures with skin tones, joined by U+200D; but no lone ©, ™ or arrows.
_PICTURE = (
    r"(?:\p{Emoji_Presentation}|[\p{Extended_Pictographic}--[©®™‼⁉ℹ\u2190-\u21ff〰〽㊗㊙Ⓜ]]"
    r"|\p{Extended_Pictographic}(?=\ufe0f))[\ufe0f\p{EMod}]*[\U000e0020-\U000e007f]*"
)
_PATTERNS = {
    "urls": rf"(?:https?://|www\.)[^\s{CJK}，。！？、；：（）【】「」《》<>]*[^\s{CJK}\p{{P}}]/?|{ADDRESSES[2]}",
    # RT @ann: and //@小明： before a reposted text, 回复@小明: and @ann before a reply
    "mentions": r"(?:\bRT\s*|//\s*|回复\s*)?(?<![\p{Latin}\p{N}._%+-])@[\p{L}\p{M}\p{N}_-]+"
    r"(?:\s*[:：])?",
    # Weibo's pictures [doge] and [允悲], <br> and &nbsp; of web pages, Weibo's mark of a repost
    "tags": r"\[\p{L}{1,8}\]|</?[a-zA-Z][^<>]*>|&(?:[a-zA-Z]{2,8}|#\d{2,6});|转发微博|Repost",
    "emoji": rf"(?V1)\p{{RI}}{{2}}|[0-9#*]\ufe0f?\u20e3|{_PICTURE}(?:\u200d{_PICTURE})*|\ufe0f",
}
_SIGNS = {
    "urls": ("://", "www.", "@"),
    "mentions": ("@",),
    "tags": ("[", "<", "&", "转发微博", "Repost"),
}
_MARKS = "!?,;:~！？，。、；：～·।؟،؛"
# (pattern, replacement); none looks far ahead, so that long texts take linear time
_REPEATED = (
    (rf"([{_MARKS}])(?:\1)+", r"\1"),
    (r"(?<!\.)\.\.(?!\.)|\.{4,}", "..."),
    ("…{3,}", "……"),
    (r"[\u200b\ufeff]+", ""),
    (r"[^\S\n]{2,}|[^\S\n ]", " "),
    (" ?\n[ \n]*", "\n"),
)


def cleaned(record: dict, steps: list[str]) -> tuple[dict, Counter]:
    """Return the record with clean texts, and how often each step found something."""
    changes: list[list] = []
    changed: list[int] = []
    counts: Counter[str] = Counter()
    utterances = list(dialogue.utterances(record))
    for number, (pointer, holder) in enumerate(utterances):
        text = holder["text"]
        after, counts_of = cleaned_text(text, steps)
        counts += counts_of
        if after != text:
            changes.append([pointer, 0, len(text), text, after])
            changed.append(number)
    clean = edits.apply(record, changes)[0]
    holders = dialogue.holders(clean)
    if len(holders) != len(utterances):  # "http://… Ann: Hi" was part of the turn before
        raise RecordError(
            "cleaning would turn a line of this dialogue, which is one string, into "
            "a turn: make it a list of turns"
        )
    for number in changed:
        for key in ("tokens", "entities"):
            holders[number].pop(key, None)  # applying the edits made copies
    return clean, counts


def cleaned_text(text: str, steps: Iterable[str]) -> tuple[str, Counter]:
    """Return a text after some steps, and how often each found something.

    >>> cleaned_text("哈哈[doge]，，，@小明 看 https://x.cn/a 👍🏽！！", STEPS)[0]
    '哈哈， 看 ！'
    """
    counts: Counter = Counter()
    for step in STEPS:
        if step in steps and _may_hold(text, step):
            if step == "squeeze":
                text, number = _squeezed(text)
            else:
                text, number = compiled(_PATTERNS[step]).subn("", text)
            counts[step] += number
    return text, counts


def _may_hold(text: str, step: str) -> bool:
    """Could a step find something?  This is faster than its pattern."""
    if step == "emoji":
        return not text.isascii()
    return step not in _SIGNS or any(sign in text for sign in _SIGNS[step])


def _squeezed(text: str) -> tuple[str, int]:
    """Return a text with repeated signs and white space written once, dots three times.

    >>> _squeezed("Oh!!!  Well.....  ")
    ('Oh! Well...', 5)
    """
    places = 0
    for pattern, once in _REPEATED:
        text, number = compiled(pattern).subn(once, text)
        places += number
    return text.strip(), places + (text != text.strip())


def pieces(record: dict, size: int) -> Iterator[dict]:
    """Yield the record, or one for each piece of its text, with new ids and one cluster."""
    if record.get("text") is None:
        raise RecordError(
            'only a "text" can be cut into pieces, not a dialogue: leave out --pieces and --all'
        )
    texts = list(text_pieces(record["text"], size, languages.get(dialogue.lang(record))))
    if len(texts) < 2:
        yield record
        return
    cluster = record.get("cluster") or str(record["id"])
    plain = {key: value for key, value in record.items() if key not in ("tokens", "entities")}
    for number, text in enumerate(texts, 1):
        yield plain | {"id": f"{record['id']}/{number}", "cluster": cluster, "text": text}


def text_pieces(text: str, size: int, language: Language) -> Iterator[str]:
    """Yield pieces of at most so many code points: sentences, or else clauses or words.

    >>> list(text_pieces("One two. Three, four five. Six.", 12, languages.get("en")))
    ['One two.', 'Three,', 'four five.', 'Six.']
    """
    piece = ""
    for part in _parts(text, size, language):
        if piece.strip() and len((piece + part).strip()) > size:
            yield piece.strip()
            piece = ""
        piece += part
    if piece.strip():
        yield piece.strip()


def _parts(text: str, size: int, language: Language) -> Iterator[str]:
    """Yield sentences, and parts of sentences that are too long, with the spaces between them."""
    for start, end in pairwise([0, *sentences.ends(text, language), len(text)]):
        sentence = text[start:end]
        if len(sentence.strip()) <= size:
            yield sentence
        else:
            yield from _parts_of_sentence(sentence, size)


def _parts_of_sentence(sentence: str, size: int) -> Iterator[str]:
    """Yield clauses, or else words, or else graphemes."""
    for clause in compiled(r"(?s).+?(?:[,;:]+\s+|[，；：、\n]+\s*|$)").findall(sentence):
        if len(clause.strip()) <= size:
            yield clause
            continue
        for word in compiled(r"\s*\S+\s*").findall(clause):
            if len(word.strip()) <= size:
                yield word
            else:
                yield from compiled(r"\X").findall(word)
