"""Synonyms, forms and features of a dialect; what is expected was decided by hand."""

import random
import re
import sys
from pathlib import Path

import pytest
from conftest import ROOT
from short_sentences import changed, parsed
from table_tests import each_row

import dialtools
from dialtools import languages
from dialtools.perturbations.variation import dialects
from dialtools.plugins import registry
from dialtools.records import edits
from dialtools.system.errors import MissingError, OptionError, RecordError
from dialtools.text import dialect_rules, word_forms, wordnet
from dialtools.text.dialect_sentences import sentences
from dialtools.variants import kinds

TABLE = "variation.synonym:rate=1,wordnet=none"
SYNONYMS = [  # of several the first of the table
    ("a//DET big//ADJ house//NOUN", "a large house"),
    ("Big//ADJ house//NOUN", "Large house"),
    ("A//DET Big//ADJ house//NOUN", "A Big house"),
    ("a//DET big//ADJ fan//NOUN", "a big fan"),
    ("as//ADP usual//ADJ", "as usual"),  # no large fan, not as customary
    ("helpful//ADJ staff//NOUN", "helpful staff"),
    ("too//ADV good//ADJ", "too good"),
    ("aged//ADJ", "aged"),
    ("BIG//ADJ", "LARGE"),
    ("an//DET important//ADJ day//NOUN", "a significant day"),
    ("a//DET strange//ADJ day//NOUN", "an odd day"),
    ("A//DET strange//ADJ", "An odd"),
    ("bigger/big/ADJ.CMP", "larger"),
    ("biggest/big/ADJ.SUP", "largest"),
    ("angrier/angry/ADJ.CMP", "madder"),
    ("cheaper/cheap/ADJ.CMP", "more inexpensive"),
    ("better/good/ADJ.CMP", "better"),
    ("greater/great/ADJ.CMP", "greater"),
    ("good//ADJ morning//NOUN", "good morning"),
    ("good//ADJ food//NOUN", "fine food"),
    ("more//ADV beautiful//ADJ", "more lovely"),
    ("more//ADV important//ADJ", "more significant"),
    ("old//ADJ +-//PUNCT +fashioned//ADJ", "old-fashioned"),
    ("big//ADJ +-//PUNCT +ticket//NOUN", "big-ticket"),
    (
        "only//ADJ own//ADJ right//ADJ female//ADJ first//ADJ red//ADJ",
        "only own right female first red",
    ),
    ("for//ADP real//ADJ", "for real"),
    ("too//ADV bad//ADJ", "too bad"),
    ("very//ADV bad//ADJ", "very awful"),
    ("to//PART be//AUX honest//ADJ", "to be honest"),
    ("It//PRON sure//ADJ does//AUX", "It sure does"),
    ("poor//ADJ quality//NOUN", "poor quality"),
    ("poor//ADJ people//NOUN", "needy people"),
    ("I//PRON +'m//AUX afraid//ADJ we//PRON", "I'm afraid we"),
    ("What//PRON +’s//AUX wrong//ADJ", "What’s wrong"),
    ("I//PRON +'m//AUX afraid//ADJ of//ADP", "I'm scared of"),
    ("What//PRON +'s//AUX wrong//ADJ", "What's wrong"),
    ("the//DET wrong//ADJ bus//NOUN", "the incorrect bus"),
    ("a//DET busy//ADJ man//NOUN", "a busy man"),
    ("very//ADV busy//ADJ", "very occupied"),
    ("certain//ADJ things//NOUN", "certain things"),
    ("likely//ADJ to//PART laugh//VERB", "likely to laugh"),
    ("come//VERB true//ADJ", "come true"),
    ("at//ADP large//ADJ", "at large"),
    ("extra//ADJ cheese//NOUN", "additional cheese"),
    ("at//ADP Global//ADJ Voices//PROPN", "at Global Voices"),
    ("AT//ADP BIG//ADJ CITIES//NOUN", "AT LARGE CITIES"),
    ("Peter//PROPN the//DET Great//ADJ", "Peter the Great"),
    ("Strange//ADJ", "Odd"),
    ("true//ADJ motives/motive/NOUN", "true motives"),
    ("very//ADV true//ADJ", "very correct"),
    ("potential//ADJ energy//NOUN", "potential energy"),
    ("hot//ADJ spots/spot/NOUN", "hot spots"),
    ("sick//ADJ and//CCONJ so//ADV", "sick and so"),
    ("in//ADP large//ADJ part//NOUN", "in large part"),
    ("a//DET simple//ADJ parser//NOUN", "a straightforward parser"),
    ("careful//ADJ study//NOUN", "careful study"),
    ("new//ADJ heights/height/NOUN", "new heights"),
    ("armed//ADJ and//CCONJ dangerous//ADJ", "armed and dangerous"),
    ("the//DET exact//ADJ same//ADJ", "the exact same"),
    ("the//DET exact//ADJ word//NOUN", "the precise word"),
    ("it//PRON is//AUX sad//ADJ to//PART", "it is sad to"),
    ("a//DET sad//ADJ man//NOUN", "an unhappy man"),
    ("a//DET healthy//ADJ dose//NOUN", "a healthy dose"),
    ("the//DET bare//ADJ minimum//NOUN", "the bare minimum"),
    ("good//ADJ at//ADP math//NOUN", "good at math"),
    ("smaller/small/ADJ.CMP", "smaller"),
    ("big//NOUN", "big"),
    ("Big//PROPN", "Big"),
    ("zorgly//ADJ", "zorgly"),
]
ELSEWHERE = [
    ("zh", "很//ADV +漂亮//ADJ", "很好看"),
    ("zh", "《//PUNCT +简单//ADJ +爱//NOUN +》//PUNCT", "《简单爱》"),
    ("zh", "简单//ADJ +介绍//VERB", "简单介绍"),
    ("zh", "很//ADV +简单//ADJ", "很容易"),
    ("zh", "时间//NOUN +紧张//ADJ", "时间紧张"),
    ("zh", "很//ADV +紧张//ADJ", "很焦虑"),
    ("zh", "累//ADJ +死了//VERB", "累死了"),
    ("ja", "急//ADJ +な//AUX +坂//NOUN", "急な坂"),
    ("id", "susah//ADJ payah//NOUN", "susah payah"),
    ("id", "paling//ADV lambat//ADJ", "paling lambat"),
    ("id", "sangat//ADV lambat//ADJ", "sangat pelan"),
    ("ja", "簡単//ADJ +な/だ/AUX", "簡単な"),
    ("ja", "簡単//ADJ +だ//AUX", "楽だ"),  # at the latest; not comfortable
    ("zh", "特别//ADJ +行政区//NOUN", "特别行政区"),
    ("zh", "重要//ADJ +枢纽//NOUN", "关键枢纽"),
    ("ja", "確か//ADJ +に/だ/AUX", "確かに"),
    ("ja", "確か//ADJ +な/だ/AUX", "確実な"),  # indeed, sure
    ("ja", "うまく/旨い/ADJ +やる//VERB", "うまくやる"),  # well
    ("hi", "अलग//ADJ +-//PUNCT +अलग//ADJ", "अलग-अलग"),
    ("hi", "अलग//ADJ", "भिन्न"),
    ("hi", "अलग//ADJ अलग//ADJ लोग//NOUN", "अलग अलग लोग"),
    ("hi", "कुल//ADJ मिलाकर//VERB", "कुल मिलाकर"),
    ("hi", "बड़ा//ADJ भाई//NOUN", "बड़ा भाई"),
    ("hi", "मूल//ADJ निवासी//NOUN", "मूल निवासी"),
    ("hi", "मैं//PRON ठीक//ADJ हूँ//AUX", "मैं ठीक हूँ"),
    ("hi", "दिलचस्प//ADJ बात//NOUN", "रोचक बात"),
    ("id", "masih//ADV kecil//ADJ", "masih kecil"),
    ("ja", "大きく/大きい/ADJ", "でかく"),
    ("ja", "美味しかっ/美味しい/ADJ +た//AUX", "旨かった"),
    ("ja", "おいしい/美味しい/ADJ", "旨い"),
    ("ja", "重要//ADJ +な/だ/AUX", "大切な"),
    ("ja", "からい/辛い/ADJ +もの//NOUN", "からいもの"),
    ("ja", "つらかっ/辛い/ADJ +た//AUX", "しんどかった"),  # hot, hard
    ("ja", "お/御/NOUN +大事//ADJ +に/だ/AUX", "お大事に"),
    ("ja", "大切//ADJ +に/だ/AUX", "大事に"),
    ("ja", "お/御/NOUN +忙しい//ADJ", "お忙しい"),
    ("ja", "忙しかっ/忙しい/ADJ +た//AUX", "慌ただしかった"),
    ("zh", "不//ADV +舒服//ADJ", "不舒服"),
    ("zh", "洗//VERB +干净//ADJ", "洗洁净"),
    ("zh", "贵//ADJ +公司//NOUN", "贵公司"),
    ("hi", "अच्छी/अच्छा/ADJ", "बढ़िया"),
    ("hi", "नये/नया/ADJ", "नवीन"),
    ("hi", "मैली/मैला/ADJ", "गंदी"),
    ("id", "sulit//ADJ", "susah"),
    ("id", "tersulit/sulit/ADJ", "tersulit"),
    ("id", "uang//NOUN palsu//ADJ", "uang palsu"),
    ("id", "nama//NOUN lengkap//ADJ", "nama lengkap"),
    ("id", "salah//ADJ satu//NUM", "salah satu"),
    ("id", "sebagian//NOUN besar//ADJ", "sebagian besar"),
    ("id", "laba//NOUN bersih//ADJ", "laba bersih"),
    ("id", "air//NOUN bersih//ADJ", "air resik"),
    ("id", "luar//ADP biasa//ADJ", "luar biasa"),
    ("id", "negara//NOUN tujuan//NOUN utama//ADJ", "negara tujuan utama"),
    ("id", "peningkatan//NOUN kecil//ADJ", "peningkatan kecil"),  # mungil is said of what is cute
    ("ja", "完全//ADJ +休養//NOUN", "完全休養"),
    ("ja", "完全//ADJ +な/だ/AUX +休養//NOUN", "完璧な休養"),
    ("ja", "大きく/大きい/ADJ +分け//VERB", "大きく分け"),
    ("hi", "अच्छी/अच्छा/ADJ तरह//NOUN", "अच्छी तरह"),
    ("hi", "ठीक//ADJ सामने//ADP", "ठीक सामने"),
    ("zh", "越来越//ADV +众多//ADJ", "越来越众多"),
    ("zh", "知名//ADJ +度//PART", "知名度"),
    ("zh", "很//ADV +合适//ADJ", "很适宜"),  # 适合 is a verb
    ("jv", "ayu//ADJ", "endah"),
    ("jv", "salah//ADJ sijine//NUM", "salah sijine"),
    ("jv", "salah//ADJ sawijining//NUM", "salah sawijining"),
    ("jv", "taun//NOUN anyar//ADJ", "taun anyar"),
]


@each_row("written, expected", SYNONYMS)
def test_synonyms(written: str, expected: str):
    assert changed(parsed(written), TABLE) == expected


@each_row("lang, written, expected", ELSEWHERE)
def test_synonyms_elsewhere(lang: str, written: str, expected: str):
    assert changed(parsed(written, lang), TABLE) == expected


def test_an_adjective_behind_a_prefix_stays():
    record = parsed("不//NOUN +完全//ADJ +な/だ/AUX", "ja")
    assert changed(record, TABLE) == "不完璧な"  # no prefix, as far as the token tells
    record["tokens"][0]["xpos"] = "接頭辞"
    assert changed(record, TABLE) == "不完全な"


@pytest.mark.parametrize(
    ("feats", "marked", "expected"),
    [
        ("Gender=Fem|Number=Sing", True, "बुरी"),
        ("Gender=Masc|Number=Sing|Case=Nom", False, "बुरा"),
        ("Gender=Masc|Number=Sing|Case=Acc", True, "बुरे"),
        ("Gender=Masc|Number=Plur", False, "बुरे"),
        ("", True, "ख़राब"),
    ],
)
def test_a_hindi_synonym_that_inflects_agrees_with_the_noun_that_follows(
    feats: str, marked: bool, expected: str
):
    """Ill, of health (f) or of a house (m): what has one form becomes what has several."""
    record = parsed("ख़राब//ADJ चीज़//NOUN" + " में//ADP" * marked, "hi")
    record["tokens"][1]["feats"] = feats
    assert changed(record, TABLE).split()[0] == expected


@pytest.fixture
def tiny(tmp_path: Path) -> str:
    """Return a WordNet of adjectives: lengthy and prolonged share their first sense, a rare word is among them."""
    words = [
        "lengthy 0 prolonged 1 protracted 2 elongate(a) 3 drawn-out 4",
        "prolonged 0 sustained 1",
    ]
    data, offsets = "", []
    for line in words:
        offsets.append(f"{len(data):08}")
        data += f"{offsets[-1]} 00 s {len(line.split()) // 2:02x} {line} 000 | gloss\n"
    (tmp_path / "data.adj").write_text(data)
    (tmp_path / "index.adj").write_text(
        "".join(
            f"{lemma} a {len(own)} 0 {len(own)} 0 {' '.join(own)}  \n"
            for lemma, own in {
                "lengthy": offsets[:1],
                "prolonged": offsets[::-1],
                "protracted": offsets[:1],
                "elongate": offsets[:1],
                "sustained": ["00000000", "00000000", offsets[1]],
            }.items()
        )
    )
    return str(tmp_path)


def test_synonyms_from_wordnet(tiny: str):
    record = parsed("a//DET lengthy//ADJ talk//NOUN")
    (made,) = dialtools.perturb([record], kind=[f"variation.synonym:rate=1,wordnet={tiny}"])
    assert made["text"] == "a prolonged talk"  # the one that is in words.txt
    assert made["history"][0]["edits"][0][5] == "WordNet"
    assert f"|wordnet:{wordnet.named(tiny, 'adj')}|" in made["history"][0]["signature"]
    assert changed(record, TABLE) == "a lengthy talk"
    with pytest.raises(MissingError, match="no WordNet in /nowhere"):
        changed(record, "variation.synonym:wordnet=/nowhere")


def test_a_word_that_has_a_sense_as_its_third_is_no_synonym(tiny: str):
    """Sustained shares a sense with prolonged, but it is its third."""
    assert (
        changed(parsed("prolonged//ADJ"), f"variation.synonym:rate=1,wordnet={tiny}") == "lengthy"
    )


def test_the_folder_of_wordnet_is_found_where_it_is_said_to_be(
    tiny: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(wordnet, "USUAL", "/nowhere")
    monkeypatch.delenv("DIALTOOLS_WORDNET", raising=False)
    record = parsed("lengthy//ADJ")
    assert changed(record, "variation.synonym:rate=1") == "lengthy"
    monkeypatch.setenv("DIALTOOLS_WORDNET", tiny)
    assert changed(record, "variation.synonym:rate=1") == "prolonged"


def test_adjectives_that_need_a_wordnet_are_told_where_there_is_none(
    tiny: str, monkeypatch: pytest.MonkeyPatch
):
    """Not big, which the table has, a name, a word that is no common one, and none where none is meant."""
    monkeypatch.setattr(wordnet, "USUAL", "/nowhere")
    monkeypatch.delenv("DIALTOOLS_WORDNET", raising=False)
    record = parsed("a//DET big//ADJ lengthy//ADJ Lengthy//ADJ zorbly//ADJ talk//NOUN")

    def counts(spec: str) -> dict:
        (variant,) = dialtools.perturb([record], kind=[spec])
        return variant["history"][0].get("counts", {})

    (message,) = counts("variation.synonym:rate=1")
    assert "no WordNet is here" in message and "wordnet-base" in message
    assert counts("variation.synonym:rate=0") == {message: 1}
    assert counts("variation.synonym:wordnet=none") == {}
    monkeypatch.setenv("DIALTOOLS_WORDNET", tiny)
    assert counts("variation.synonym") == {}


@each_row("lang", ["en", "hi", "id", "ja", "jv", "zh"])
def test_tables_of_adjectives(lang: str):
    rows = languages.get(lang).table("adjectives")
    assert len([row for row in rows if row["synonyms"]]) >= {"en": 150, "jv": 60}.get(lang, 95)
    assert [row["word"] for row in rows] == sorted({row["word"] for row in rows})
    assert [row for row in rows if row["word"] in row["synonyms"].split("|")] == []
    if lang == "ja":  # an adjective in い is inflected like one in い only
        assert [
            row
            for row in rows
            for word in row["synonyms"].split("|")
            if row["word"].endswith("い") and word and not word.endswith("い")
        ] == []


@each_row(
    "word, expected",
    [
        ("apple", "an"),
        ("house", "a"),
        ("honest", "an"),
        ("hour", "an"),
        ("useful", "a"),
        ("union", "a"),
        ("uncle", "an"),
        ("unimportant", "an"),
        ("one-way", "a"),
        ("European", "a"),
        ("ugly", "an"),
        ("usual", "a"),
        ("odd", "an"),
        ("unable", "an"),
        ("unanimous", "a"),
        ("heir", "an"),
        ("Ukrainian", "a"),
        ("UK citizen", "a"),
        ("MP", "an"),
        ("Mr Lee", "a"),
        ("Unai", "a"),
        ("Usama", "an"),
        ("Honolulu", "a"),
    ],
)
def test_articles(word: str, expected: str):
    other = {"a": "an", "an": "a"}[expected]
    english = languages.get("en")
    assert [
        edit[4]
        for edit in word_forms.article_edits("/text", f"{other} ", len(other) + 1, word, english)
    ] == [expected]
    assert word_forms.article_edits("/text", f"{expected} ", len(expected) + 1, word, english) == []


@each_row(
    "word, expected",
    [
        ("big", "bigger biggest"),
        ("nice", "nicer nicest"),
        ("happy", "happier happiest"),
        ("pricey", "pricier priciest"),
        ("huge", "huger hugest"),
        ("simple", "simpler simplest"),
        ("narrow", "narrower narrowest"),
        ("clean", "cleaner cleanest"),
        ("modern", "more modern most modern"),
        ("tired", "more tired most tired"),
        ("useful", "more useful most useful"),
        ("well-known", "more well-known most well-known"),
        ("grey", "greyer greyest"),
        ("shy", "shier shiest"),
    ],
)
def test_comparison(word: str, expected: str):
    assert f"{word_forms.compared(word, 'Cmp')} {word_forms.compared(word, 'Sup')}" == expected


def inflected(form: str, lemma: str, upos: str) -> set[str]:
    pytest.importorskip("lemminflect")
    record = parsed(f"{form}/{lemma}/{upos}")
    plugin = registry.load("perturbations", "variation.inflection")
    draws = [plugin.call(record, random.Random(seed), rate=1.0) for seed in range(60)]
    return {f"{new} {tag}" for edits in draws for _, _, _, _, new, tag in edits}


@each_row(
    "form, lemma, upos, expected",
    [
        ("walks", "walk", "VERB", {"walk VB", "walk VBP", "walked VBD", "walking VBG"}),
        ("Went", "go", "VERB", {"Go VB", "Go VBP", "Goes VBZ", "Going VBG", "Gone VBN"}),
        ("cat", "cat", "NOUN", {"cats NNS"}),
        ("CATS", "cat", "NOUN", {"CAT NN"}),
        ("mice", "mouse", "NOUN", {"mouse NN"}),
        ("big", "big", "ADJ", {"bigger JJR", "biggest JJS"}),
        ("better", "good", "ADJ", {"good JJ", "best JJS"}),
        ("modern", "modern", "ADJ", set()),
        ("expensive", "expensive", "ADJ", set()),
        ("thanks", "thanks", "NOUN", set()),
        ("gon", "go", "VERB", set()),
        ("zorgs", "zorg", "NOUN", set()),
        ("Anna", "Anna", "PROPN", set()),
        ("is", "be", "AUX", set()),
        ("free", "free", "ADJ", set()),  # lemminflect: freeer
    ],
)
def test_forms_of_english_words(form: str, lemma: str, upos: str, expected: set[str]):
    assert inflected(form, lemma, upos) == expected


@each_row(
    "written, expected",
    [
        ("the//DET New//ADJ Year//PROPN", []),
        ("Fine//ADJ Arts/art/NOUN +.//PUNCT Cats/cat/NOUN", ["Fine", "Cats"]),
        ("the//DET NEW//ADJ", ["NEW"]),
        ("the//DET new//ADJ", ["new"]),
    ],
)
def test_a_word_with_a_capital_inside_a_sentence_is_not_inflected(
    written: str, expected: list[str]
):
    pytest.importorskip("lemminflect")
    plugin = registry.load("perturbations", "variation.inflection:rate=1")
    assert [old for _, _, _, old, *_ in plugin.call(parsed(written), random.Random(1))] == expected


@each_row(
    "text",
    [
        "too//ADV hot//ADJ",
        "hot//ADJ enough//ADV",
        "a//DET bit//NOUN hungry//ADJ",
        "a//DET new//ADJ trial//NOUN",
        "somewhat//ADV interesting//ADJ",
    ],
)
def test_a_word_of_a_high_degree_takes_no_degree(text: str):
    """Scorching enough, a bit starving, somewhat fascinating are not said."""
    assert changed(parsed(text), "variation.synonym:rate=1,wordnet=none") == parsed(text)["text"]


def test_spacy_is_not_imported_by_the_way(shell):
    """lemminflect imports spaCy where there is one, which takes seconds."""
    pytest.importorskip("lemminflect")
    code = (
        "import sys, pathlib; pathlib.Path('spacy.py').write_text('raise SystemExit(9)'); "
        "sys.path.insert(0, '.'); from dialtools.perturbations.variation import inflection; "
        "print(inflection._others('cat', 'NOUN', 'cat'), 'spacy' in sys.modules, [finder for "
        "finder in sys.meta_path if type(finder).__name__ == 'SimpleNamespace'])"
    )
    assert shell(f'python -c "{code}"').out == "[('NNS', 'cats')] False []\n"


def test_a_missing_lemminflect_is_named(monkeypatch: pytest.MonkeyPatch):
    from dialtools.perturbations.variation import inflection

    monkeypatch.setitem(sys.modules, "lemminflect", None)
    inflection._others.cache_clear()
    with pytest.raises(
        MissingError, match=r"lemminflect is not installed: pip install 'dialtools\[en\]'"
    ):
        changed(parsed("cats/cat/NOUN"), "variation.inflection:rate=1")


@each_row(
    "lang, written, expected",
    [
        ("ja", "学生//NOUN +です//AUX +。//PUNCT", "学生だ。"),
        ("ja", "学生//NOUN +だ//AUX", "学生です"),
        ("ja", "高い//ADJ +です//AUX +よ//PART", "高いよ"),
        ("ja", "元気//ADJ +です//AUX +か//PART", "元気ですか"),
        ("ja", "お//NOUN +疲れ//NOUN +様//NOUN +です//AUX", "お疲れ様です"),  # a greeting
        ("ja", "さま//NOUN +でし/です/AUX +た//AUX", "さまでした"),
        ("ja", "学生//NOUN +でし/です/AUX +た//AUX", "学生だった"),
        ("ja", "雨//NOUN +だっ/だ/AUX +た//AUX", "雨でした"),
        ("ja", "読ん/読む/VERB +だ/た/AUX", "読んだ"),
        ("ja", "雨//NOUN +だ//AUX +と//ADP", "雨だと"),
        ("ja", "雨//NOUN +でしょう/です/AUX", "雨だろう"),
        ("hi", "अच्छा//ADJ", "अच्छी"),
        ("hi", "बढ़िया//ADJ", "बढ़िया"),
        ("hi", "भारी//ADJ", "भारी"),
        ("hi", "खुफिया//ADJ", "खुफिया"),
        ("hi", "रिहा//ADJ", "रिहा"),
        ("id", "memindahkan/indah/VERB itu//PRON", "dipindahkan itu"),
        ("id", "membaca/baca/VERB buku//NOUN", "dibaca buku"),
        ("id", "memilih/pilih/VERB dia//PRON", "dipilih dia"),
        ("id", "ditulis/tulis/VERB", "menulis"),
        (
            "id",
            "ditransfer/transfer/VERB diproses/proses/VERB diklaim/klaim/VERB",
            "mentransfer memproses mengklaim",
        ),
        ("id", "ditinggal/tinggal/VERB ditanya/tanya/VERB", "meninggalkan menanyai"),  # not: died
        (
            "id",
            "meningkat/tingkat/VERB lima//NUM melemah/lemah/VERB +nya//DET",
            "meningkat lima melemahnya",
        ),
        ("id", "diambil/ambil/VERB dicat/cat/VERB", "mengambil mengecat"),
        ("id", "dia//PRON dingin//ADJ", "dia dingin"),
        ("jv", "ngadeg/adeg/VERB ing//ADP kana//PRON", "ngadeg ing kana"),
        ("jv", "maca/waca/VERB buku//NOUN", "diwaca buku"),
        ("jv", "ditulis/tulis/VERB", "nulis"),
        ("jv", "dithuthuk/thuthuk/VERB didol/dol/VERB", "nuthuk ngedol"),
        ("jv", "nyambut/sambut/VERB gawe//NOUN", "nyambut gawe"),  # to work
    ],
)
def test_forms_elsewhere(lang: str, written: str, expected: str):
    assert changed(parsed(written, lang), "variation.inflection:rate=1") == expected


# Feature, sentence, what it becomes: the example of its rule, then others, and guards, where it
# stays.
AAVE = [
    line.split("\t")[:3]
    for line in (ROOT / "tests" / "data" / "aave.tsv").read_text("utf-8").splitlines()[1:]
]


@each_row("feature, written, expected", AAVE)
def test_features_of_aave(feature: str, written: str, expected: str):
    record = parsed(written)
    assert changed(record, f"variation.aave:features={feature}") == expected
    if expected != record["text"]:
        plugin = registry.load("perturbations", "variation.aave")
        assert {edit[5] for edit in plugin.call(record, random.Random(1), features=feature)} == {
            feature
        }


DIALECTS = ("indian", "nigerian", "scottish", "singapore")
FEATURES = {
    row["feature"]: [dialect for dialect in ("aave", *DIALECTS) if row[dialect]]
    for row in languages.get("en").table("dialects")
}
# written by hand, some of them the examples of eWAVE
OTHERS = [
    line.split("\t")[:3]
    for line in (ROOT / "tests" / "data" / "dialects.tsv").read_text("utf-8").splitlines()[1:]
]


@each_row("feature, written, expected", OTHERS)
def test_features_of_other_dialects(feature: str, written: str, expected: str):
    record = parsed(written)
    for dialect in FEATURES[feature]:
        kind = f"variation.dialect:of={dialect},features={feature}"
        [variant] = dialtools.perturb([record], kind=[kind])
        assert variant["text"] == expected
        notes = {edit[5] for edit in variant["history"][0]["edits"] if edit[0] == "/text"}
        assert notes == ({feature} if expected != record["text"] else set())
        [restored] = dialtools.perturb([variant], restore=True)
        assert {key: restored[key] for key in record} == record


def test_each_feature_has_a_rule_a_row_an_example_and_a_guard():
    for feature in FEATURES:
        assert feature in dialects.__doc__ and dialect_rules.rule(feature)
    for rows in (AAVE, OTHERS):
        kept = {feature for feature, text, expected in rows if parsed(text)["text"] == expected}
        made = {feature for feature, text, expected in rows if parsed(text)["text"] != expected}
        assert kept == made
    assert {feature for feature, *_ in [*AAVE, *OTHERS]} == set(FEATURES)


def test_each_dialect_has_ten_features_with_their_numbers_in_the_docstring():
    rows = languages.get("en").table("dialects")
    for dialect in DIALECTS:
        features = [row for row in rows if row[dialect]]
        assert len(features) >= 10 and {row[dialect] for row in features} <= {"A", "B"}
        text = re.search(rf"    {dialect}: (.*?\))\n(?!      )", dialects.__doc__, re.DOTALL)
        listed = re.findall(r"([\w-]+)\s+\(([\d\s]+)\)", text[1])
        assert [(name, " ".join(numbers.split())) for name, numbers in listed] == [
            (row["feature"], row["ewave"]) for row in features
        ]


def test_a_dialect_is_named_and_has_its_own_features():
    record = parsed("very//ADV good//ADJ")
    [variant] = dialtools.perturb([record], kind="variation.dialect:of=nigerian")
    assert variant["text"] == "too good"
    remark = variant["history"][0]["remark"]
    assert remark.startswith("synthetic, rule-based Nigerian English; not a speaker's text")
    assert "|of:nigerian|" in variant["history"][0]["signature"]
    for options, message in (
        ("", "needs of="),
        (":of=scots", "did you mean scottish"),
        (":of=scottish,features=too-for-very", "Scottish English: no feature 'too-for-very'"),
    ):
        with pytest.raises(OptionError, match=message):
            list(dialtools.perturb([record], kind=f"variation.dialect{options}"))


def test_what_needs_heads_is_left_out_without_them_and_told():
    record = parsed("He//PRON>4:nsubj is/be/AUX.S>4:cop my//PRON>4:nmod:poss teacher//NOUN>0:root")
    for token in record["tokens"]:
        del token["head"]
    (made,) = dialtools.perturb([record], kind=["variation.aave"])
    entry = made["history"][0]
    assert made["text"] == record["text"] and entry["changed"] is False
    assert entry["remark"].startswith(
        "synthetic, rule-based AAVE; not a speaker's text; without heads, hence not neg"
    )
    assert list(entry["counts"].values()) == [1]
    (whole,) = dialtools.perturb([parsed("I//PRON>0:root")], kind=["variation.aave"])
    assert whole["history"][0]["remark"] == "synthetic, rule-based AAVE; not a speaker's text"
    assert "counts" not in whole["history"][0]


BUSY = (
    "He//PRON>4:nsubj does/do/AUX.S>4:aux +n't/not/PART.NEG>4:advmod have//VERB.I>0:root "
    "any//DET>6:det money//NOUN>4:obj and//CCONJ>9:cc we//PRON>9:nsubj were/be/AUX.D>10:cop "
    "late//ADJ>4:conj but//CCONJ>13:cc those//DET>13:det shoes/shoe/NOUN>4:conj"
)


def test_at_most_two_features_an_utterance_and_one_in_a_verb_group():
    plugin = registry.load("perturbations", "variation.aave")
    record = parsed(BUSY)
    seen = set()
    for seed in range(200):
        features = {edit[5] for edit in plugin.call(record, random.Random(seed))}
        assert 1 <= len(features) <= 2 and not {"invariant-dont", "negative-concord"} <= features
        seen |= features
    assert seen == {"invariant-dont", "negative-concord", "was-for-were", "them-for-those"}
    with pytest.raises(OptionError, match="most is 1 or more"):
        plugin.call(record, random.Random(1), most=0)


def test_the_earlier_rule_has_a_verb_group():
    """Negation goes before all else, as the order of the table says."""
    plugin = registry.load("perturbations", "variation.aave")
    for seed in range(20):
        made = plugin.call(
            parsed(BUSY), random.Random(seed), features="negative-concord+invariant-dont", most=2
        )
        assert [edit[5] for edit in made] == ["invariant-dont"]


def test_an_unknown_feature_is_named():
    with pytest.raises(OptionError, match="no feature 'aint' .did you mean aint-be"):
        changed(parsed("a//DET"), "variation.aave:features=aint")


def test_trees_that_are_none_do_no_harm():
    """Heads that go round in circles, out of the sentence or to themselves."""
    record = parsed(
        "It//PRON>2:nsubj is/be/AUX.S>3:cop not//PART.NEG>2:advmod any//DET>9:det "
        "good//ADJ>5:obj +?//PUNCT>1:obl"
    )
    plugin = registry.load("perturbations", "variation.aave")
    for seed in range(30):
        made = plugin.call(record, random.Random(seed))
        assert edits.undo(*edits.apply(record, made)) == record


def test_a_word_that_was_put_in_between_two_stays():
    """You guys is y'all, but with a filler between, which has no token, it would take that away."""
    record = parsed("You//PRON guys/guy/NOUN.P see//VERB")
    assert changed(record, "variation.aave:features=yall") == "Y'all see"
    filled, _ = edits.apply(record, [["/text", 4, 4, "", "uh "]])
    assert changed(filled, "variation.aave:features=yall") == filled["text"] == "You uh guys see"


def test_sentences_of_a_text_are_apart():
    record = parsed("We//PRON were/be/AUX.D late//ADJ +.//PUNCT")
    second = [
        {**token, "sent": 2, "start": token["start"] + 13, "end": token["end"] + 13}
        for token in record["tokens"]
    ]
    found = list(sentences(record["text"] * 2, record["tokens"] + second, False))
    assert [len(part.tokens) for part in found] == [4, 4] and found[1].word(4) == ""


@each_row("kind", ["synonym", "inflection", "aave"])
def test_what_needs_tokens_says_so(kind: str):
    with pytest.raises(
        RecordError, match=f"variation.{kind} needs tokens with upos, lemma.*dt-parse"
    ):
        changed({"lang": "en", "text": "a b"}, f"variation.{kind}")
    assert changed({"lang": "en", "text": "… 👍🏽"}, f"variation.{kind}") == "… 👍🏽"


def test_languages_are_those_of_the_tables():
    found = {
        name: kinds.langs(registry.load("perturbations", f"variation.{name}"))
        for name in ("synonym", "inflection", "aave")
    }
    assert found == {
        "synonym": ["en", "hi", "id", "ja", "jv", "zh"],
        "inflection": ["en", "hi", "id", "ja", "jv"],
        "aave": ["en"],
    }
