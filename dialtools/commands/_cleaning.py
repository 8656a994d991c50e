"""Steps that clean a text of what is no sentence: addresses, mentions, tags, emoji, repeated signs; and its pieces.

Source: section 3.3 of "CHBias: Bias Evaluation and Mitigation of Chinese
Conversational Language Models", which names the steps; what exactly each drops
is told here.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise

from dialtools.languages.scripts import CJK, compiled
from dialtools.wording import sentences
from dialtools.wording.words import ADDRESSES

STEPS = ("urls", "mentions", "tags", "emoji", "squeeze")  # in the order in which they are done
PIECE = 130  # code points
# As people type emoji: flags, keycaps, pictures with skin tones, joined by U+200D; not ©, ™ or arrows by themselves.
_PICTURE = r"(?:\p{Emoji_Presentation}|[\p{Extended_Pictographic}--[©®™‼⁉ℹ\u2190-\u21ff〰〽㊗㊙Ⓜ]]" \
           r"|\p{Extended_Pictographic}(?=\ufe0f))[\ufe0f\p{EMod}]*[\U000e0020-\U000e007f]*"
_PATTERNS = {
    "urls": rf"(?:https?://|www\.)[^\s{CJK}，。！？、；：（）【】「」《》<>]*[^\s{CJK}\p{{P}}]/?|{ADDRESSES[2]}",
    # RT @ann: and //@小明： of what is passed on, 回复@小明: and @ann of whom it is said to
    "mentions": r"(?:\bRT\s*|//\s*|回复\s*)?(?<![\p{Latin}\p{N}._%+-])@[\p{L}\p{M}\p{N}_-]+(?:\s*[:：])?",
    # [doge] and [允悲] as Weibo writes its pictures, <br> and &nbsp; of web pages, what it says of a post passed on
    "tags": r"\[\p{L}{1,8}\]|</?[a-zA-Z][^<>]*>|&(?:[a-zA-Z]{2,8}|#\d{2,6});|转发微博|Repost",
    "emoji": rf"(?V1)\p{{RI}}{{2}}|[0-9#*]\ufe0f?\u20e3|{_PICTURE}(?:\u200d{_PICTURE})*|\ufe0f",
}
_SIGNS = {"urls": ("://", "www.", "@"), "mentions": ("@",), "tags": ("[", "<", "&", "转发微博", "Repost")}
_MARKS = "!?,;:~！？，。、；：～·।؟،؛"
# (pattern, what stands instead); none of them looks far ahead, however long a text is.
_REPEATED = ((rf"([{_MARKS}])(?:\1)+", r"\1"), (r"(?<!\.)\.\.(?!\.)|\.{4,}", "..."), ("…{3,}", "……"),
             (r"[\u200b\ufeff]+", ""), (r"[^\S\n]{2,}|[^\S\n ]", " "), (" ?\n[ \n]*", "\n"))


def clean(text: str, steps: Iterable[str]) -> tuple[str, Counter]:
    """Return a text after some steps, and how often each found something.

    >>> clean("哈哈[doge]，，，@小明 看 https://x.cn/a 👍🏽！！", STEPS)[0]
    '哈哈， 看 ！'
    """
    counts: Counter = Counter()
    for step in STEPS:
        if step in steps and _may_hold(text, step):
            if step == "squeeze":
                text, found = _squeezed(text)
            else:
                text, found = compiled(_PATTERNS[step]).subn("", text)
            counts[step] += found
    return text, counts


def _may_hold(text: str, step: str) -> bool:
    """Could there be anything that a step drops?  That is quicker seen than looked for."""
    if step == "emoji":
        return not text.isascii()
    return step not in _SIGNS or any(sign in text for sign in _SIGNS[step])


def _squeezed(text: str) -> tuple[str, int]:
    """Return a text in which each sign stands once where it was repeated, and white space, too; dots are three.

    >>> _squeezed("Oh!!!  Well.....  ")
    ('Oh! Well...', 5)
    """
    found = 0
    for pattern, once in _REPEATED:
        text, number = compiled(pattern).subn(once, text)
        found += number
    return text.strip(), found + (text != text.strip())


def pieces(text: str, size: int, lang: str) -> Iterator[str]:
    """Yield a text in pieces of at most so many code points: of whole sentences, or else cut at a comma or a space.

    >>> list(pieces("One two. Three, four five. Six.", 12, "en"))
    ['One two.', 'Three,', 'four five.', 'Six.']
    """
    piece = ""
    for part in _parts(text, size, lang):
        if piece.strip() and len((piece + part).strip()) > size:
            yield piece.strip()
            piece = ""
        piece += part
    if piece.strip():
        yield piece.strip()


def _parts(text: str, size: int, lang: str) -> Iterator[str]:
    """Yield sentences, and parts of those that are too long, with the spaces between them."""
    cuts = [0, *sentences.ends(text, lang), len(text)]
    for start, end in pairwise(cuts):
        sentence = text[start:end]
        if len(sentence.strip()) <= size:
            yield sentence
        else:
            yield from _cut(sentence, size)


def _cut(sentence: str, size: int) -> Iterator[str]:
    """Yield parts of a sentence: clauses, or words, or characters as people see them."""
    for clause in compiled(r"(?s).+?(?:[,;:]+\s+|[，；：、\n]+\s*|$)").findall(sentence):
        if len(clause.strip()) <= size:
            yield clause
            continue
        for word in compiled(r"\s*\S+\s*").findall(clause):
            if len(word.strip()) <= size:
                yield word
            else:
                yield from compiled(r"\X").findall(word)
