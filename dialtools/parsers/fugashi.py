"""Japanese words with readings and parts of speech, by MeCab and UniDic-lite; no heads.

Words are the short units of UniDic; a text is one sentence.  Lemmas are
UniDic's without the origin of loanwords; names and signs are their own lemmas.
A word missing from the dictionary is its own lemma and has no reading.  White
space is never part of a word.

Given words (dt-parse --pretokenised) get MeCab's annotation if it finds the same
word in the sentence, or else that of the word alone; a word that it splits is X.

Source: UniDic 2.1.2 as in the package unidic-lite; parts of speech by the
guidelines of Universal Dependencies for Japanese
(https://universaldependencies.org/ja/), checked on UD_Japanese-GSD: 99 % of its
words are found; 96 % of those get the right part of speech, 99 % the lemma.
Departures: those guidelines also consider syntax; here UniDic's tag alone
decides, except for nouns before する (VERB, and する AUX) and before な, に of だ
(ADJ).
"""

import functools
import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from dialtools.languages import Language
from dialtools.parsers import _given
from dialtools.plugins.parser import Parser
from dialtools.system.errors import need

_UPOS = {
    "代名詞": "PRON",
    "副詞": "ADV",
    "助動詞": "AUX",
    "助詞": "ADP",
    "助詞-接続助詞": "SCONJ",
    "助詞-準体助詞": "SCONJ",
    "助詞-終助詞": "PART",
    "動詞": "VERB",
    "名詞": "NOUN",
    "名詞-固有名詞": "PROPN",
    "名詞-数詞": "NUM",
    "名詞-助動詞語幹": "AUX",
    "形容詞": "ADJ",
    "形状詞": "ADJ",
    "形状詞-助動詞語幹": "AUX",
    "感動詞": "INTJ",
    "接尾辞": "NOUN",
    "接尾辞-形容詞的": "AUX",
    "接尾辞-形状詞的": "PART",
    "接尾辞-動詞的": "PART",
    "接続詞": "CCONJ",
    "接頭辞": "NOUN",
    "補助記号": "PUNCT",
    "補助記号-一般": "SYM",
    "記号": "SYM",
    "記号-文字": "NOUN",
    "連体詞": "DET",
}
_FACTS = ("lemma", "upos", "xpos", "reading")
_LIGHT_VERBS = ("為る", "出来る", "致す", "下さる")

# MeCab stops at NUL, makes words of other control characters, and needs more than linear time and
# memory, or crashes, on long texts: these are cut after a sentence or a space.
_BLANK = re.compile(r"[^\S\u3000]|[\x00-\x1f\x7f-\x9f]")
_PIECE = re.compile(r".{1,2000}\Z|.{1,1999}[。．！？!?\s]|.{1,2000}", re.DOTALL)


def parse(texts: list[str], *, language: Language) -> list[list[dict]]:
    """Return the tokens of each text; RecordError if the language is not Japanese."""
    _given.check_language("fugashi", language, "ja", "Japanese")
    return [_tokens(text) for text in texts]


def annotate(given: list[list[dict]], *, language: Language) -> list[list[dict]]:
    """Return the given tokens of each text with lemma, parts of speech and reading."""
    sentences = _given.sentences(given)
    parsed = parse(list(map(_given.text, sentences)), language=language)
    return _given.merged(
        given, (facts for pair in zip(sentences, parsed, strict=True) for facts in _facts(*pair))
    )


def versions(*, language: Language) -> dict[str, str]:
    """Return the versions of the library and its dictionary."""
    return _given.versions("fugashi", "unidic-lite")


def ready(*, language: Language) -> bool:
    """Tell whether the language is Japanese, and the library and its dictionary are installed."""
    return language.code == "ja" and _given.installed("fugashi", "unidic_lite")


@functools.lru_cache(maxsize=1)
def _tagger() -> Callable[[str], list]:
    fugashi, folder = need("fugashi", "ja"), need("unidic_lite", "ja").DICDIR
    return fugashi.Tagger(f'-r "{folder}/mecabrc" -d "{folder}"')  # otherwise unidic is preferred


def _facts(sentence: list[dict], parsed: list[dict]) -> Iterator[dict]:
    """Yield the annotation of each given word; parsed: MeCab's own words of the sentence."""
    by_place = {(token["start"], token["end"]): token for token in parsed}
    begin = sentence[0]["start"]
    for word in sentence:
        form = word["form"]
        token = by_place.get((word["start"] - begin, word["end"] - begin))
        if token is None:
            alone = _tokens(form)
            token = alone[0] if [token["form"] for token in alone] == [form] else {}
        yield {"lemma": form, "upos": "X"} | {key: token[key] for key in _FACTS if key in token}


def _tokens(text: str) -> list[dict]:
    """Return the tokens of a text."""
    tokens = []
    for piece in _PIECE.finditer(_BLANK.sub(" ", text)):
        nodes, end = _tagger()(piece[0]), piece.start()
        for node, upos in zip(nodes, _tags(nodes), strict=True):
            start = end + len(node.white_space)
            end = _given.stretch(text, start, node.surface, "MeCab")
            if not node.surface.isspace():  # the ideographic space is a word of UniDic
                tokens.append(_token(node, start, end, upos))
    return tokens


def _token(node, start: int, end: int, upos: str) -> dict:
    feature = node.feature
    parts = (feature.pos1, feature.pos2, feature.pos3, feature.pos4)
    if feature.lemma is None or feature.pos1 in ("補助記号", "記号"):
        lemma = node.surface
    elif feature.pos2 == "固有名詞":
        lemma = feature.orthBase
    else:
        lemma = feature.lemma.split("-")[0] or feature.lemma
    token = {
        "form": node.surface,
        "start": start,
        "end": end,
        "lemma": lemma,
        "upos": upos,
        "xpos": "-".join(part for part in parts if part != "*"),
    }
    if feature.kana:
        token["reading"] = feature.kana
    token["sent"] = 1
    return token


def _tags(nodes: list) -> list[str]:
    """Return the universal part of speech of each word."""
    features = [node.feature for node in nodes]
    tags = [
        _UPOS.get(f"{feature.pos1}-{feature.pos2}") or _UPOS.get(feature.pos1, "X")
        for feature in features
    ]
    for place, (feature, after) in enumerate(pairwise(features)):
        if feature.pos1 != "名詞":
            continue
        is_verbal = feature.pos3.startswith("サ変") and after.pos2 == "非自立可能"
        is_adjectival = feature.pos3.endswith("形状詞可能") and after.cType == "助動詞-ダ"
        if is_verbal and after.lemma in _LIGHT_VERBS:
            tags[place : place + 2] = "VERB", "AUX"
        elif is_adjectival and nodes[place + 1].surface in "なに":
            tags[place] = "ADJ"
    return tags


PARSER = Parser(parse, annotate=annotate, versions=versions, ready=ready)
