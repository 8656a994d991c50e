"""Polite and plain endings of Japanese sentences: 行きます and 行く, です and だ.

Tokens are those of UniDic's short units: a verb's stem, ます, た and ない are a token each.  A verb is
conjugated by the last kana of its lemma and of its form; where these do not tell (kanji before る,
without a reading), the sentence stays.
"""

from collections.abc import Iterator
from typing import NamedTuple

# last kana of a godan verb: of its dictionary form, before ます, and before ない
U_ROW, I_ROW, A_ROW = "うくぐすつぬぶむる", "いきぎしちにびみり", "わかがさたなばまら"
_PAST = dict(zip(U_ROW, "った いた いだ した った んだ んだ んだ った".split(), strict=True))
_ONBIN = dict(zip(U_ROW, "っ い い し っ ん ん ん っ".split(), strict=True))
_I_OR_E = (
    "イキギシジチニヒビミリエケゲセゼテデネヘベメレいきぎしじちにひびみりえけげせぜてでねへべめれ"
)
# verbs in -iru and -eru that are conjugated like those in -aru; also behind another verb: 裏切る
_GODAN = tuple(
    "入る 帰る 返る 走る 知る 切る 要る 減る 滑る 焦る 限る 喋る 蹴る 参る 散る 握る 湿る 茂る 遮る 照る "
    "練る 煎る 嘲る 罵る 翻る 覆る 蘇る 甦る 耽る 契る 孵る 弄る 捻る 過る 漲る 選る しゃべる".split()
)
_HONORIFIC = ("ください", "下さい", "なさい", "いらっしゃい", "おっしゃい", "ござい", "仰い")
# auxiliaries that are conjugated as verbs are
_AUXILIARIES = frozenset("為る する れる られる せる させる てる ちゃう とく でる".split())
# what may stand behind the end of a clause
_BEHIND = frozenset("。 ！ ! ？ ? … ね よ よね けど けれど けれども が から し".split())


class Ending(NamedTuple):
    """A token, with what its verb is: a list of tokens from there on."""

    tokens: list[dict]
    number: int

    def form(self, step: int = 0) -> str:
        place = self.number + step
        return self.tokens[place]["form"] if 0 <= place < len(self.tokens) else ""

    def lemma(self, step: int = 0) -> str:
        place = self.number + step
        return (self.tokens[place].get("lemma") or "") if 0 <= place < len(self.tokens) else ""

    def ends(self, step: int) -> bool:
        """Tell whether a clause ends before the token so many places further on."""
        return self.number + step >= len(self.tokens) or self.form(step) in _BEHIND

    def span(self, steps: int) -> tuple[int, int]:
        """Return (start, end) of this token and those before the step."""
        return self.tokens[self.number]["start"], self.tokens[self.number + steps - 1]["end"]


def plain(tokens: list[dict]) -> Iterator[tuple[int, int, str]]:
    """Yield the changes of polite endings in a sentence to plain ones."""
    for number, token in enumerate(tokens):
        place = Ending(tokens, number)
        if token["upos"] not in ("VERB", "AUX") or place.form().endswith(_HONORIFIC):
            continue
        if place.lemma(1) != "ます":
            continue
        verb = _of_stem(place.form(), place.lemma())
        if verb is None:
            continue
        if place.form(1) == "ます" and place.ends(2):
            yield *place.span(2), verb.dictionary
        elif place.form(1) == "まし" and place.form(2) == "た" and place.ends(3):
            yield *place.span(3), verb.past
        elif place.form(1) == "ませ" and place.form(2) in ("ん", "ぬ"):
            if place.ends(3):
                yield *place.span(3), verb.negative
            elif place.form(3) == "でし" and place.form(4) == "た" and place.ends(5):
                yield *place.span(5), verb.negative.removesuffix("い") + "かった"


def polite(tokens: list[dict]) -> Iterator[tuple[int, int, str]]:
    """Yield the changes of plain endings in a sentence to polite ones."""
    for number, token in enumerate(tokens):
        place = Ending(tokens, number)
        if token["upos"] == "ADJ" and token["form"].endswith("い") and place.ends(1):
            if (token.get("xpos") or "").startswith("形容詞"):
                yield token["end"], token["end"], "です"
        if token["upos"] != "VERB" and not (
            token["upos"] == "AUX" and place.lemma() in _AUXILIARIES
        ):
            continue
        if place.ends(1):
            stem = _stem_of_dictionary(token)
            if stem:
                yield *place.span(1), f"{stem}ます"
        elif place.form(1) in ("た", "だ") and place.lemma(1) == "た" and place.ends(2):
            stem = _stem_of_past(place.form(), place.lemma())
            if stem:
                yield *place.span(2), f"{stem}ました"
        elif place.lemma(1) == "ない" and tokens[number + 1]["upos"] == "AUX":
            stem = _stem_of_negative(place.form(), place.lemma())
            if stem and place.form(1) == "ない" and place.ends(2):
                yield *place.span(2), f"{stem}ません"
            elif stem and place.form(1) == "なかっ" and place.form(2) == "た" and place.ends(3):
                yield *place.span(3), f"{stem}ませんでした"


class Verb(NamedTuple):
    """The plain forms of a verb."""

    dictionary: str
    past: str
    negative: str


def _of_stem(stem: str, lemma: str) -> Verb | None:
    """Return the plain forms of a verb by what stands before ます; None if they are not certain.

    >>> _of_stem("行き", "行く"), _of_stem("食べ", "食べる")
    (Verb(dictionary='行く', past='行った', negative='行かない'), \
Verb(dictionary='食べる', past='食べた', negative='食べない'))
    """
    last, ending = stem[-1:], lemma[-1:]
    if lemma in ("為る", "する") and last == "し":
        base = stem[:-1]
        return Verb(f"{base}する", f"{base}した", f"{base}しない")
    if lemma == "来る":
        if not stem.endswith("来"):
            return None  # き: くる, こない
        return Verb(f"{stem}る", f"{stem}た", f"{stem}ない")
    if ending == "る" and last != "り":  # 見, 食べ
        return Verb(f"{stem}る", f"{stem}た", f"{stem}ない")
    if last not in I_ROW or U_ROW[I_ROW.index(last)] != ending:
        return None
    base, row = stem[:-1], I_ROW.index(last)
    past = "った" if lemma in ("行く", "逝く") or lemma.endswith("て行く") else _PAST[ending]
    negative = "ない" if lemma in ("有る", "在る", "ある") else f"{base}{A_ROW[row]}ない"
    return Verb(base + ending, base + past, negative)


def _stem_of_dictionary(token: dict) -> str | None:
    """Return what stands before ます of a verb in its dictionary form, None if it is not certain."""
    form, lemma = token["form"], token.get("lemma") or ""
    ending = form[-1:]
    if ending not in U_ROW or lemma[-1:] != ending or len(form) < 2:
        return None
    if lemma in ("為る", "する"):
        return form[:-2] + "し" if form.endswith("する") else None
    if lemma == "来る":
        return form[:-1] if form.endswith("来る") else None
    if ending != "る":
        return form[:-1] + I_ROW[U_ROW.index(ending)]
    before = (token.get("reading") or form)[-2:-1]
    if form[:-1].endswith(_HONORIFIC) or lemma.endswith(("下さる", "為さる", "仰る", "御座る")):
        return None
    if not ("ぁ" <= before <= "ヿ"):
        return None  # a kanji
    is_godan = before not in _I_OR_E or lemma.endswith(_GODAN) or form.endswith(_GODAN)
    return form[:-1] + "り" if is_godan else form[:-1]


def _stem_of_past(form: str, lemma: str) -> str | None:
    """Return what stands before ます of a verb before た: 行っ becomes 行き."""
    last, ending = form[-1:], lemma[-1:]
    if ending not in U_ROW or lemma.endswith(("下さる", "為さる", "仰る", "御座る")):
        return None
    if lemma in ("為る", "する"):
        return form if last == "し" else None
    if lemma == "来る":
        return form if last in ("来", "き") else None
    if ending == "る" and last != "っ":
        return form  # 食べ
    onbin = "っ" if lemma in ("行く", "逝く") else _ONBIN[ending]
    return form[:-1] + I_ROW[U_ROW.index(ending)] if last == onbin else None


def _stem_of_negative(form: str, lemma: str) -> str | None:
    """Return what stands before ます of a verb before ない: 行か becomes 行き."""
    last, ending = form[-1:], lemma[-1:]
    if ending not in U_ROW:
        return None
    if lemma in ("為る", "する"):
        return form if last == "し" else None
    if lemma == "来る":
        return form if last == "来" else None
    if ending == "る" and last != "ら":
        return form
    return form[:-1] + I_ROW[U_ROW.index(ending)] if last == A_ROW[U_ROW.index(ending)] else None
