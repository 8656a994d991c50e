"""Japanese words with readings and parts of speech, by MeCab and UniDic-lite; no heads.

Words are the short units of UniDic; a text is one sentence.  Lemmas are
UniDic's without the origin that it adds to loanwords, of names and signs as
they are written; a word that the dictionary lacks is its own lemma and has no
reading.  White space is never part of a word.

Words that are given (dt-parse --pretokenised) get what MeCab says of them where
it finds the same word in the sentence, or else of the word alone; one that it
takes apart is X.

Source: UniDic 2.1.2 as in the package unidic-lite; parts of speech by the
guidelines of Universal Dependencies for Japanese
(https://universaldependencies.org/ja/), checked on UD_Japanese-GSD: of its
words 99 % are found, of those 96 % get the right part of speech, 99 % the lemma.
Departures: that guideline also looks at syntax; here a tag follows from UniDic's,
but for nouns before する (VERB, and する AUX) and before な, に of だ (ADJ).
"""

import functools
import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from dialtools import languages
from dialtools.errors import RecordError, need, show
from dialtools.parsers import _given

_UPOS = {
    "代名詞": "PRON", "副詞": "ADV", "助動詞": "AUX", "助詞": "ADP", "助詞-接続助詞": "SCONJ", "助詞-準体助詞": "SCONJ",
    "助詞-終助詞": "PART", "動詞": "VERB", "名詞": "NOUN", "名詞-固有名詞": "PROPN", "名詞-数詞": "NUM",
    "名詞-助動詞語幹": "AUX", "形容詞": "ADJ", "形状詞": "ADJ", "形状詞-助動詞語幹": "AUX", "感動詞": "INTJ",
    "接尾辞": "NOUN", "接尾辞-形容詞的": "AUX", "接尾辞-形状詞的": "PART", "接尾辞-動詞的": "PART", "接続詞": "CCONJ",
    "接頭辞": "NOUN", "補助記号": "PUNCT", "補助記号-一般": "SYM", "記号": "SYM", "記号-文字": "NOUN", "連体詞": "DET"}
_SAID = ("lemma", "upos", "xpos", "reading")  # of a word
_LIGHT_VERBS = ("為る", "出来る", "致す", "下さる")

# MeCab stops at NUL, makes words of other controls, and takes more than linear time and memory, or
# crashes, on long texts: these are cut after a sentence or a space.
_BLANK = re.compile(r"[^\S\u3000]|[\x00-\x1f\x7f-\x9f]")
_PIECE = re.compile(r".{1,2000}\Z|.{1,1999}[。．！？!?\s]|.{1,2000}", re.DOTALL)


def parse(texts: list[str], *, lang: str) -> list[list[dict]]:
    """Return the tokens of each text; RecordError where the language is not Japanese."""
    if languages.tag(lang) != "ja":
        raise RecordError(f"fugashi parses Japanese, the record is {lang} (--lang ja, if it names no language)")
    return [[token for piece in _PIECE.finditer(_BLANK.sub(" ", text)) for token in _tokens(text, piece)]
            for text in texts]


def annotate(given: list[list[dict]], *, lang: str) -> list[list[dict]]:
    """Return given tokens of each text with lemma, parts of speech and reading."""
    sentences = _given.sentences(given)
    parsed = parse([_given.text(sentence) for sentence in sentences], lang=lang)
    return _given.merged(given, (facts for sentence, found in zip(sentences, parsed, strict=True)
                                 for facts in _facts(sentence, found, lang)))


def versions(*, lang: str) -> dict[str, str]:
    """Return the versions of the library and its dictionary."""
    from importlib.metadata import version

    return {"fugashi": version("fugashi"), "unidic-lite": version("unidic-lite")}


def ready(*, lang: str) -> bool:
    """Is the language Japanese, and are the library and its dictionary there?"""
    from importlib.util import find_spec

    return languages.tag(lang) == "ja" and all(map(find_spec, ("fugashi", "unidic_lite")))


@functools.lru_cache(maxsize=1)
def _tagger() -> Callable[[str], list]:
    fugashi, folder = need("fugashi", "ja"), need("unidic_lite", "ja").DICDIR
    return fugashi.Tagger(f'-r "{folder}/mecabrc" -d "{folder}"')  # or else a unidic beside it would be preferred


def _facts(sentence: list[dict], found: list[dict], lang: str) -> Iterator[dict]:
    """Yield what MeCab says of each word that is given; found: its own words of the sentence."""
    by_place = {(token["start"], token["end"]): token for token in found}
    begin = sentence[0]["start"]
    for word in sentence:
        same = by_place.get((word["start"] - begin, word["end"] - begin)) or _alone(word["form"], lang)
        yield {"lemma": word["form"], "upos": "X"} | {key: same[key] for key in _SAID if key in same}


def _alone(form: str, lang: str) -> dict:
    """Return MeCab's token of a word by itself, {} where it takes the word apart."""
    tokens = parse([form], lang=lang)[0]
    return tokens[0] if [token["form"] for token in tokens] == [form] else {}


def _tokens(text: str, piece: re.Match) -> Iterator[dict]:
    """Yield the tokens of a piece of a text."""
    nodes, at = _tagger()(piece[0]), piece.start()
    for node, upos in zip(nodes, _tags(nodes), strict=True):
        start = at + len(node.white_space)
        at = start + len(node.surface)
        if text[start:at] != node.surface:
            raise RecordError(f"MeCab's word {show(node.surface)} does not stand at character {start} of {show(text)}")
        if not node.surface.isspace():  # the ideographic space is a word of UniDic's
            yield _token(node, start, at, upos)


def _token(node, start: int, end: int, upos: str) -> dict:
    feature = node.feature
    parts = (feature.pos1, feature.pos2, feature.pos3, feature.pos4)
    token = {"form": node.surface, "start": start, "end": end, "lemma": _lemma(node), "upos": upos,
             "xpos": "-".join(part for part in parts if part != "*")}
    if feature.kana:
        token["reading"] = feature.kana
    token["sent"] = 1
    return token


def _lemma(node) -> str:
    feature = node.feature
    if feature.lemma is None or feature.pos1 in ("補助記号", "記号"):
        return node.surface
    return feature.orthBase if feature.pos2 == "固有名詞" else feature.lemma.split("-")[0] or feature.lemma


def _tags(nodes: list) -> list[str]:
    """Return the universal part of speech of each word."""
    features = [node.feature for node in nodes]
    tags = [_UPOS.get(f"{feature.pos1}-{feature.pos2}") or _UPOS.get(feature.pos1, "X") for feature in features]
    for at, (feature, after) in enumerate(pairwise(features)):
        if feature.pos1 != "名詞":
            continue
        if feature.pos3.startswith("サ変") and after.pos2 == "非自立可能" and after.lemma in _LIGHT_VERBS:
            tags[at:at + 2] = "VERB", "AUX"
        elif feature.pos3.endswith("形状詞可能") and after.cType == "助動詞-ダ" and nodes[at + 1].surface in "なに":
            tags[at] = "ADJ"
    return tags
