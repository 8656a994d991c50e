"""Chinese words and parts of speech by jieba's dictionary; no heads.

A text is one sentence; a word is its own lemma.  Parts of speech follow from
jieba's tags, except for the words in the tables below, numbers, and 这 and the
like, which are determiners only before what they determine.  Each process reads
the dictionary anew (a second) rather than from a cache file that anybody could
write.  Given words (dt-parse --pretokenised) get jieba's tag of the word alone; a
word that it splits is X.

Source: jieba 0.42, https://github.com/fxsj/jieba; its tags are those of ICTCLAS;
parts of speech by the guidelines of Universal Dependencies for Chinese
(https://universaldependencies.org/zh/), checked on UD_Chinese-GSDSimp: 77 % of
its words are found; 79 % of those get the right part of speech.  A fifth of the
others are 的, 也, 而 and the like, which the treebank tags SCONJ.
"""

import functools
import unicodedata
from collections.abc import Callable

from dialtools.languages import Language
from dialtools.parsers import _given
from dialtools.plugins.parser import Parser
from dialtools.system.errors import need
from dialtools.text import tokenizers

_UPOS = {
    tag: upos
    for upos, listed in {
        "ADJ": "a ag b i z",
        "ADV": "ad d df dg vd zg",
        "NOUN": "an f g j n ng q s t tg vn",
        "CCONJ": "c",
        "INTJ": "e o",
        "X": "eng",
        "PART": "h k u ud uj us uv y",
        "VERB": "l v vg vi vq",
        "NUM": "m mq",
        "PROPN": "nr nrfg nrt ns nt nz",
        "ADP": "p",
        "PRON": "r rg rr rz",
        "AUX": "ug ul uz",
    }.items()
    for tag in listed.split()
}  # by jieba's tags
_WORDS = {
    word: upos
    for upos, listed in {
        "AUX": "是 会 會 能 能够 能夠 可以 可 可能 应 應 应该 應該 应当 應當 必须 必須 须 要 得 敢 肯 愿意 願意 被",
        "SCONJ": "因为 因為 由于 由於 如果 要是 假如 虽然 雖然 虽 尽管 儘管 即使 只要 除非 既然 若 不管 无论 無論",
        "ADV": "怎么 怎麼 怎样 怎樣 为什么 為什麼 为何 如何 这么 這麼 那么 那麼 这样 這樣 那样 那樣 多么 多麼 此外",
        "NUM": "很多 许多 許多 不少 多少 好多 若干",
        "PART": "所",
        "NOUN": "其中 每天 每年 每月",
        "INTJ": "你好 您好 喂 嗨 嗯 哈哈 拜拜 再见 再見",
        "ADJ": "多 少 伤心 傷心 兴奋 興奮 出名 出色 可口 可怕 可爱 可愛 好吃 开心 開心 恰当 恰當 "
        "新鲜 新鮮 普通 热心 熱心 相似 知名 笨 "
        "精彩 细心 細心 缓慢 緩慢 美丽 美麗 美味 老实 老實 众多 眾多 难看 难过 马虎 馬虎",
        "DET": "该 該 每 各 某 任何 所有 其他 其它 一切 有些 某些 各种 各種",
    }.items()
    for word in listed.split()
}
_POINTING = frozenset("这那哪每此本這另")  # they begin words that determine the next
_UNBOUND = frozenset(
    "里裡兒儿边邊样樣么麼人身当當时時次天年"
)  # they end such words that stand alone: 这里, 每天
_DETERMINED = ("m", "q", "n", "a", "b")  # first letters of tags
_NUMERALS = frozenset("零〇一二三四五六七八九十百千万萬亿億两兩半几幾数數")


def parse(texts: list[str], *, language: Language) -> list[list[dict]]:
    """Return the tokens of each text; RecordError if the language is not Chinese."""
    _given.check_language("jieba", language, "zh", "Chinese")
    return [_tokens(text) for text in texts]


def annotate(given: list[list[dict]], *, language: Language) -> list[list[dict]]:
    """Return the given tokens of each text with lemma and parts of speech."""
    _given.check_language("jieba", language, "zh", "Chinese")
    sentences = _given.sentences(given)
    return _given.merged(given, (facts for sentence in sentences for facts in _facts(sentence)))


def versions(*, language: Language) -> dict[str, str]:
    """Return the version of the library, whose dictionary comes with it."""
    return _given.versions("jieba")


def ready(*, language: Language) -> bool:
    """Tell whether the language is Chinese and the library installed."""
    return language.code == "zh" and _given.installed("jieba")


@functools.lru_cache(maxsize=1)
def _cutter() -> Callable:
    tokenizer = tokenizers.jieba_tokenizer()
    return need("jieba.posseg", "zh").POSTokenizer(tokenizer).cut


def _tokens(text: str) -> list[dict]:
    end, tokens, tags = 0, [], []
    for pair in _cutter()(text):
        form, start, end = pair.word, end, _given.stretch(text, end, pair.word, "jieba")
        if not form.isspace():
            tokens.append({"form": form, "start": start, "end": end, "lemma": form})
            tags.append(pair.flag)
    facts = _tagged([token["form"] for token in tokens], tags)
    return [{**token, **fact, "sent": 1} for token, fact in zip(tokens, facts, strict=True)]


def _facts(sentence: list[dict]) -> list[dict]:
    words = _given.forms(sentence)
    cuts = [list(_cutter()(word)) for word in words]
    tags = [pairs[0].flag if len(pairs) == 1 else "x" for pairs in cuts]
    facts = _tagged(words, tags)
    return [{"lemma": word, **fact} for word, fact in zip(words, facts, strict=True)]


def _tagged(words: list[str], tags: list[str]) -> list[dict]:
    """Return the part of speech of each word of a sentence, and jieba's tag for it."""
    nexts = [*tags, ""][1:]
    return [
        {"upos": _upos(word, tag, after), "xpos": tag}
        for word, tag, after in zip(words, tags, nexts, strict=True)
    ]


def _upos(word: str, tag: str, after: str) -> str:
    """Return the universal part of speech of a word; tag: jieba's; after: that of the next word."""
    if tag == "x":
        # a token that the dictionary lacks
        kinds = {unicodedata.category(character)[0] for character in word}
        if word.isnumeric():
            return "NUM"
        return "PUNCT" if kinds == {"P"} else "SYM" if kinds & {"S"} else "X"
    is_pointing = tag == "r" and word[0] in _POINTING and word[-1] not in _UNBOUND
    if is_pointing and after.startswith(_DETERMINED):
        return "DET"
    if word in _WORDS and (tag[0] not in "nu" or _WORDS[word] == "ADJ"):  # 应 is also a family name
        return _WORDS[word]
    if tag == "m" and not any(sign in _NUMERALS or sign.isnumeric() for sign in word):
        return "NOUN"  # 年, 月: of dates
    if tag == "f" and (len(word) == 1 or word[0] in "之以"):
        return "ADP"  # 上, 之后: after a noun
    return _UPOS.get(tag, "X")


PARSER = Parser(parse, annotate=annotate, versions=versions, ready=ready)
