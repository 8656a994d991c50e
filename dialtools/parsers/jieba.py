"""Chinese words and parts of speech by jieba's dictionary; no heads.

A text is one sentence; a word is its own lemma.  Parts of speech follow from
jieba's, but for words that the tables below name, for numbers, and for 这 and the
like, which are determiners only before what they determine.  The dictionary is
read anew by each process (a second): no cache is kept, where others could
leave theirs.  Words that are given (dt-parse --pretokenised) get the tag that
jieba has for each alone; one that it takes apart is X.

Source: jieba 0.42, https://github.com/fxsj/jieba; its tags are those of ICTCLAS;
parts of speech by the guidelines of Universal Dependencies for Chinese
(https://universaldependencies.org/zh/), checked on UD_Chinese-GSDSimp: of its
words 77 % are found, of those 79 % get its part of speech; a fifth of the
others are 的, 也, 而 and the like, which it calls SCONJ.

>>> [f'{token["form"]}/{token["upos"]}' for token in parse(["那座山很高。"], lang="zh")[0]]
['那/DET', '座/NOUN', '山/NOUN', '很/ADV', '高/ADJ', '。/PUNCT']
"""

import functools
import unicodedata
from collections.abc import Callable

from dialtools import languages
from dialtools.errors import RecordError, need, show
from dialtools.parsers import _given
from dialtools.wording import tokenizers

_UPOS = {
    "a": "ADJ", "ad": "ADV", "an": "NOUN", "ag": "ADJ", "b": "ADJ", "c": "CCONJ", "d": "ADV", "df": "ADV", "dg": "ADV",
    "e": "INTJ", "eng": "X", "f": "NOUN", "g": "NOUN", "h": "PART", "i": "ADJ", "j": "NOUN", "k": "PART", "l": "VERB",
    "m": "NUM", "mq": "NUM", "n": "NOUN", "ng": "NOUN", "nr": "PROPN", "nrfg": "PROPN", "nrt": "PROPN", "ns": "PROPN",
    "nt": "PROPN", "nz": "PROPN", "o": "INTJ", "p": "ADP", "q": "NOUN", "r": "PRON", "rg": "PRON", "rr": "PRON",
    "rz": "PRON", "s": "NOUN", "t": "NOUN", "tg": "NOUN", "u": "PART", "ud": "PART", "ug": "AUX", "uj": "PART",
    "ul": "AUX", "us": "PART", "uv": "PART", "uz": "AUX", "v": "VERB", "vd": "ADV", "vg": "VERB", "vi": "VERB",
    "vn": "NOUN", "vq": "VERB", "y": "PART", "z": "ADJ", "zg": "ADV"}
_WORDS = {word: upos for upos, listed in {
    "AUX": "是 会 會 能 能够 能夠 可以 可 可能 应 應 应该 應該 应当 應當 必须 必須 须 要 得 敢 肯 愿意 願意 被",
    "SCONJ": "因为 因為 由于 由於 如果 要是 假如 虽然 雖然 虽 尽管 儘管 即使 只要 除非 既然 若 不管 无论 無論",
    "ADV": "怎么 怎麼 怎样 怎樣 为什么 為什麼 为何 如何 这么 這麼 那么 那麼 这样 這樣 那样 那樣 多么 多麼 此外",
    "NUM": "很多 许多 許多 不少 多少 好多 若干", "PART": "所", "NOUN": "其中 每天 每年 每月",
    "INTJ": "你好 您好 喂 嗨 嗯 哈哈 拜拜 再见 再見",
    "ADJ": "多 少 伤心 傷心 兴奋 興奮 出名 出色 可口 可怕 可爱 可愛 好吃 开心 開心 恰当 恰當 新鲜 新鮮 普通 热心 熱心 相似 知名 笨 "
           "精彩 细心 細心 缓慢 緩慢 美丽 美麗 美味 老实 老實 众多 眾多 难看 难过 马虎 馬虎",
    "DET": "该 該 每 各 某 任何 所有 其他 其它 一切 有些 某些 各种 各種"}.items() for word in listed.split()}
_POINTING = frozenset("这那哪每此本這另")  # first letters of words that point at the next one, with a measure or without
_UNBOUND = frozenset("里裡兒儿边邊样樣么麼人身当當时時次天年")  # last letters of such words that stand alone: 这里, 每天
_DETERMINED = ("m", "q", "n", "a", "b")  # first letters of tags
_NUMERALS = frozenset("零〇一二三四五六七八九十百千万萬亿億两兩半几幾数數")


def parse(texts: list[str], *, lang: str) -> list[list[dict]]:
    """Return the tokens of each text; RecordError where the language is not Chinese."""
    _check(lang)
    return [_tokens(text) for text in texts]


def annotate(given: list[list[dict]], *, lang: str) -> list[list[dict]]:
    """Return given tokens of each text with lemma and parts of speech."""
    _check(lang)
    return _given.merged(given, (facts for sentence in _given.sentences(given) for facts in _facts(sentence)))


def versions(*, lang: str) -> dict[str, str]:
    """Return the version of the library, which its dictionary comes with."""
    from importlib.metadata import version

    return {"jieba": version("jieba")}


def ready(*, lang: str) -> bool:
    """Is the language Chinese, and the library there?"""
    from importlib.util import find_spec

    return languages.tag(lang) == "zh" and find_spec("jieba") is not None


def _check(lang: str) -> None:
    if languages.tag(lang) != "zh":
        raise RecordError(f"jieba parses Chinese, the record is {lang} (--lang zh, if it names no language)")


@functools.lru_cache(maxsize=1)
def _cutter() -> Callable:
    tokenizer = tokenizers.jieba_tokenizer()
    return need("jieba.posseg", "zh").POSTokenizer(tokenizer).cut


def _tokens(text: str) -> list[dict]:
    at, tokens, tags = 0, [], []
    for found in _cutter()(text):
        start, at = at, at + len(found.word)
        if text[start:at] != found.word:
            raise RecordError(f"jieba's word {show(found.word)} does not stand at character {start} of {show(text)}")
        if not found.word.isspace():
            tokens.append({"form": found.word, "start": start, "end": at, "lemma": found.word})
            tags.append(found.flag)
    facts = _tagged([token["form"] for token in tokens], tags)
    return [{**token, **of_token, "sent": 1} for token, of_token in zip(tokens, facts, strict=True)]


def _facts(sentence: list[dict]) -> list[dict]:
    words = _given.forms(sentence)
    cuts = [list(_cutter()(word)) for word in words]
    tags = [found[0].flag if len(found) == 1 else "x" for found in cuts]
    return [{"lemma": word, **of_word} for word, of_word in zip(words, _tagged(words, tags), strict=True)]


def _tagged(words: list[str], tags: list[str]) -> list[dict]:
    """Return the part of speech of each word of a sentence, and jieba's tag for it."""
    nexts = [*tags, ""][1:]
    return [{"upos": _upos(word, tag, after), "xpos": tag}
            for word, tag, after in zip(words, tags, nexts, strict=True)]


def _upos(word: str, tag: str, after: str) -> str:
    """Return the universal part of speech of a word with one of jieba's tags; after: that of the next word, or ""."""
    if tag == "x":
        return _of_sign(word)
    if tag == "r" and word[0] in _POINTING and word[-1] not in _UNBOUND and after.startswith(_DETERMINED):
        return "DET"
    if word in _WORDS and (tag[0] not in "nu" or _WORDS[word] == "ADJ"):  # 应 is a family name, too
        return _WORDS[word]
    if tag == "m" and not any(sign in _NUMERALS or sign.isnumeric() for sign in word):
        return "NOUN"  # 年, 月: of dates
    if tag == "f" and (len(word) == 1 or word[0] in "之以"):
        return "ADP"  # 上, 之后: after a noun
    return _UPOS.get(tag, "X")


def _of_sign(word: str) -> str:
    """Return the part of speech of what the dictionary does not know as a word."""
    kinds = {unicodedata.category(character)[0] for character in word}
    if word.isnumeric():
        return "NUM"
    return "PUNCT" if kinds == {"P"} else "SYM" if kinds & {"S"} else "X"
