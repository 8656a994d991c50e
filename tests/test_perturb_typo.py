"""typo.*: what is mistyped and what never is; expected texts were decided by hand."""

from random import Random
from time import process_time

import pytest
import regex
from table_tests import each_row

from dialtools import languages
from dialtools.perturbations import _keyboards
from dialtools.plugins import registry
from dialtools.records import edits
from dialtools.system.errors import OptionError, RecordError
from dialtools.text import words


def changed(
    spec: str,
    text: str,
    lang: str = "en",
    seed: int = 1,
    speakers: tuple[str, ...] = (),
    tokens: list[dict] | None = None,
) -> str:
    """Return a text as a kind changes it; others speak before, without a word."""
    turn = {"speaker": "#Person1#", "text": text} | (
        {"tokens": tokens} if tokens is not None else {}
    )
    record = {
        "id": "1",
        "lang": lang,
        "dialogue": [*({"speaker": name, "text": ""} for name in speakers), turn],
    }
    wanted = registry.load("perturbations", spec).call(record, Random(seed))
    made, _ = edits.apply(record, wanted)
    return made["dialogue"][-1]["text"]


def every(spec: str, text: str, lang: str = "en", seeds: int = 200, **more) -> set[str]:
    return {changed(spec, text, lang, seed, **more) for seed in range(seeds)}


def token(text: str, form: str, **more: str) -> dict:
    return {"form": form, "start": text.index(form), "end": text.index(form) + len(form), **more}


@each_row(
    "lang, text, expected",
    [
        ("en", "Hi, Ann! Well: I know; do you?", "Hi Ann Well I know do you"),
        ("en", "At 3.5 or 10:30, for $1,000.50.", "At 3.5 or 10:30 for $1,000.50"),
        (
            "en",
            "See http://x.org/a,b?c=d. or a.b@c.de, ok.",
            "See http://x.org/a,b?c=d. or a.b@c.de ok",
        ),
        ("en", "#Person1#, don't! It's e.g. here.", "#Person1# don't It's e.g here"),
        ("en", "Wait... what?! 'No.' (Yes.)", "Wait what 'No' (Yes)"),
        ("en", "hi , i use it .", "hi i use it"),
        ("en", ":) ok ;-) see you :D", ":) ok ;-) see you :D"),
        ("en", "...", "..."),
        ("en", "... well\n? I see\n. . . no", "well\nI see\n no"),
        ("en", "", ""),
        ("zh", "你好，今天、明天！去吗？好；行。", "你好今天明天去吗好行"),
        ("zh", "３，０００元。在10：30。", "３，０００元在10：30"),
        ("zh", "2007、2008，好", "2007、2008好"),
        ("zh", "好吗?我去", "好吗我去"),
        (
            "zh",
            "你好 。今天好吗 ？ 好 ！",
            "你好 今天好吗 好",
        ),  # a space goes where another one or nothing follows
        ("ja", "「はい」と言った。え！？", "はいと言ったえ"),
        ("hi", "क्या हाल है? ठीक है। हाँ, चलो!", "क्या हाल है ठीक है हाँ चलो"),
        ("id", "Apa kabar, Budi? Baik.", "Apa kabar Budi Baik"),
    ],
)
def test_punctuation_goes_but_not_within_numbers_addresses_and_smileys(
    lang: str, text: str, expected: str
):
    assert changed("typo.punctuation:rate=1", text, lang) == expected


def test_punctuation_of_a_name_stays():
    assert (
        changed("typo.punctuation:rate=1", "Ask Dr. X, please.", speakers=("Dr. X",))
        == "Ask Dr. X please"
    )


def test_brackets_of_a_quotation_go_together():
    assert every("typo.punctuation:rate=0.5", "「え」か", "ja") == {"「え」か", "えか"}


@each_row(
    "lang, text, expected",
    [
        ("en", "see you, Bob", "seeyou, Bob"),
        ("en", "at 10 we go on  now", "at10wegoon  now"),
        ("en", "on 5 20, 30 pm", "on5 20, 30pm"),
        ("en", "see www.x.org or #tag or @me", "see www.x.org or #tag or @me"),
        ("zh", "我用 iPhone 打电话 给你", "我用iPhone打电话 给你"),
        ("ja", "私は　元気 です", "私は　元気 です"),
        ("hi", "घर में है", "घरमेंहै"),
        ("id", "di rumah", "dirumah"),
    ],
)
def test_spaces_are_dropped_between_words_but_not_beside_names_and_addresses(
    lang: str, text: str, expected: str
):
    assert changed("typo.whitespace:kind=drop,rate=1", text, lang, speakers=("Bob",)) == expected


@each_row(
    "lang, text, expected",
    [
        ("en", "with", {"wi th"}),
        ("en", "other", {"ot her", "oth er"}),
        ("en", "I'm a cat", {"I'm a cat"}),
        ("en", "1982", {"1982"}),
        ("hi", "१९८२", {"१९८२"}),
        ("id", "Rp4500", {"Rp4500"}),
        ("id", "dimakan", {"di makan"}),
        ("zh", "你好", {"你 好"}),
        ("ja", "元気", {"元　気"}),
        ("ja", "きょう", {"きょ　う"}),
        ("hi", "अनुमानित", {"अनु मानित", "अनुमा नित"}),
    ],
)
def test_spaces_are_typed_into_words(lang: str, text: str, expected: set[str]):
    spec = "typo.whitespace:kind=add,rate=1"
    assert every(spec, text, lang) - ({text} if lang in ("zh", "ja") else set()) == expected


@each_row(
    "kind", ["typo.keyboard", "typo.whitespace", "asr.filler", "asr.disfluency", "asr.homophone"]
)
@each_row("lang, word", [("zh", "今日"), ("ja", "会議")])
def test_addresses_placeholders_and_hashtags_stay_where_there_are_no_spaces(
    kind: str, lang: str, word: str
):
    held = [f"https://a.cn/{word}です", f"#{word}です#", f"@{word}です", f"<{word}です>"]
    text = " ".join(held)
    tokens = [
        {"form": word, "start": at, "end": at + 2, "upos": "NOUN", "lemma": word, "deprel": "obj"}
        for at in (match.start() for match in regex.finditer(word, text))
    ]
    assert len(tokens) == 4 and every(f"{kind}:rate=1", text, lang, 20, tokens=tokens) == {text}


@each_row("kind", ["typo.keyboard", "typo.case", "typo.whitespace", "typo.punctuation"])
def test_a_host_and_its_path_stay_without_www_too(kind: str):
    text = "mirror.example.com/books/list?sort=asc my.other-host.example.org notes.old.txt ~/.notes.txt --notes.txt"
    assert every(f"{kind}:rate=1", text, seeds=20) == {text}


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("see ...example.com", "example.com"),
        ("/etc/.old.conf", "old.conf"),
        ("-x.txt", "-x.txt"),
        ("no...list", None),
        ("at http://x.de/a，好", "http://x.de/a"),
        ("www.x.de wwwx", "www.x.de"),
        ("on x.docx", "x.docx"),
        ("a.lists", None),
        ("x.y+z-1@m.x.de", "x.y+z-1@m.x.de"),
        ("给李明a@x.de", "a@x.de"),
        ("给 李明@x.de", "李明@x.de"),
        ("a@x", "@x"),
        ("an #a b#", "#a"),
        ("an #a#b", "#a#"),
        ("a <b> c", "<b>"),
        ("a < b >", None),
        ("<a<b>", "<b>"),
        ("@ann's", "@ann's"),
        ("@ann’s", "@ann’s"),
        ("@ann'so", "@ann"),
        ("x.de/a no.co.uk/a", "no.co.uk/a"),
        ("我在x.com买", "x.com"),
        ("x.comで", "x.com"),
        ("去报告.docx看", "去报告.docx"),
        ("on x.com.cn", "x.com.cn"),
        ("a x.comb", None),
        ("अब x.comमें", None),
        ("wait.Co", None),
        ("try `ls -l a`, ok", "`ls -l a`"),
        ("``hi'' or ``no''", None),
        ("don`t, and isn`t", None),
        ("`cause I don`t", None),
        ("l`été, d`accord", None),
        ("用`ls`吧", "`ls`"),
        ("xem tiến-độ.pdf", "tiến-độ.pdf"),
        ("ראה קובץ.pdf", "קובץ.pdf"),
        ("على موقع.com", "موقع.com"),
        ('<a b="c d">e', '<a b="c d">'),
        ("a <b and c> = d", None),
        ("<3 a = b>", None),
        ('</a b="c"', None),
    ],
)
def test_what_is_an_address_a_placeholder_a_hashtag_or_code(text: str, held: str | None):
    """Dots before a host are none of it, nor is what stands before an ellipsis; 's behind a mention is no word."""
    assert [text[start:end] for start, end in words.addresses(text)] == ([held] if held else [])
    assert words.is_plain(text) is False


@each_row("text", ["` cd '' or ` x", "set `` it '' , ok", "a `\nb`"])
def test_a_backquote_before_a_space_begins_no_code(text: str):
    """It is told at once, since the pattern for all takes several times longer."""
    assert words.addresses(text) == [] and words.is_plain(text) is True


def test_what_looks_like_a_host_or_a_tag_for_long_takes_no_longer_for_it():
    for text in ("a." * 240_000, "<a" + " =" * 60_000, " `a" * 40_000):
        start = process_time()
        assert words.addresses(text) == []
        assert process_time() - start < 8  # 0.02 to 0.6; in quadratic time 25 and more


def test_names_are_not_parted():
    assert every("typo.whitespace:kind=add,rate=1", "王小芳", "zh", speakers=("王小芳",)) == {
        "王小芳"
    }
    assert every("typo.whitespace:rate=1", "Amanda", speakers=("Amanda",)) == {"Amanda"}


def test_a_capital_is_one_of_a_name_but_where_a_sentence_begins():
    assert every("typo.keyboard:rate=1,kind=omit", "ok. Is") == {"o. I", "o. s", "k. I", "k. s"}
    assert every("typo.keyboard:rate=1,kind=omit", "ok Is") == {"o Is", "k Is"}
    assert every("typo.keyboard:rate=1,kind=omit", '"Is"') == {'"I"', '"s"'}


def test_a_name_in_quotation_marks_is_one():
    assert every("typo.case:rate=1", "so 'Ann' it", speakers=("Ann",), seeds=20) <= {
        f"{first} 'Ann' {last}" for first in ("So", "SO") for last in ("It", "IT")
    }


def test_case_changes_but_not_of_names_and_not_of_letters_that_would_become_two():
    assert every("typo.case:rate=1", "Ann saw", speakers=("Ann",)) == {"Ann Saw", "Ann SAW"}
    assert every("typo.case:rate=1", "我用iPhone", "zh") == {
        "我用iphone",
        "我用Iphone",
        "我用IPHONE",
    }
    assert every("typo.case:rate=1", "groß", "de") == {"Groß"}
    assert every("typo.case:rate=1", "#Person1#'s, @ann’s, <ann>'s") == {
        "#Person1#'s, @ann’s, <ann>'s"
    }
    assert every("typo.case:rate=1", "घर 王 가", "hi") == {"घर 王 가"}


BOTH_WAYS = [
    ("I am here.", "I'm here."),
    ("You are late and they have been there.", "You're late and they've been there."),
    ("Do not go, I will.", "Don't go, I will."),
    ("I cannot see it", "I can't see it"),
    ("Tom will not do", "Tom won't do"),
    ("IT IS NOT OK", "IT'S NOT OK"),
    ("We have got it", "We've got it"),
    ("I would like tea", "I'd like tea"),
    ("You had better go", "You'd better go"),
    ("It has been long", "It's been long"),
    ("Why do you not ask?", "Why don't you ask?"),
    ("Did he not say so?", "Didn't he say so?"),
    ("There is a cat", "There's a cat"),
    ("You should have gone", "You should've gone"),
    ("Let us go", "Let's go"),
    ("I’ve seen it and do not mind", "I’ve seen it and don’t mind"),
]


@each_row("long, short", BOTH_WAYS)
def test_english_is_contracted_and_expanded(long: str, short: str):
    full = long.replace("I’ve", "I have")
    assert changed("typo.contraction:kind=contract,rate=1", long) == short
    assert changed("typo.contraction:kind=expand,rate=1", short) == full


@each_row(
    "text",
    [
        "Yes, I am.",
        "I know what he is like",
        "I have a car",
        "He is, they say",
        "not only that",
        "Please let us know",
        "John's car",
        "who's he?",
        "he's gone",
        "it's finished",
        "I'd put it there",
        "Don't you dare!",
        "Isn't that great?",
        "Why don't people care?",
        "Can you not do that?",
        "she had it",
        "taller than I am now",
        "www.it's.com/don't",
        "",
        "'s n't 'd",
        "a wanna-be, a gotta-have, I-don't-care",
        "it is n't so; they are n't",
    ],
)
def test_what_is_not_sure_stays(text: str):
    assert changed("typo.contraction:rate=1", text) == text


@each_row(
    "text, form, lemma, upos, expected",
    [
        ("he's gone", "'s", "be", "AUX", "he is gone"),
        ("he's gone", "'s", "have", "AUX", "he has gone"),
        ("Tom's gone", "'s", "be", "AUX", "Tom is gone"),
        ("Tom's car", "'s", "'s", "PART", "Tom's car"),
        ("I'd put it", "'d", "would", "AUX", "I would put it"),
        ("I'd put it", "'d", "have", "AUX", "I had put it"),
        ("where'd he go", "'d", "do", "AUX", "where'd he go"),
        ("I have it", "have", "have", "VERB", "I have it"),
        ("I have it", "have", "have", "AUX", "I've it"),
        ("it has, then", "has", "have", "AUX", "it has, then"),
    ],
)
def test_tokens_decide(text: str, form: str, lemma: str, upos: str, expected: str):
    tokens = [token(text, form, lemma=lemma, upos=upos)]
    assert changed("typo.contraction:rate=1", text, tokens=tokens) == expected


def test_tokens_follow_a_contraction_where_words_stay_apart():
    text = "I do not"
    record = {
        "id": "1",
        "lang": "en",
        "text": text,
        "tokens": [token(text, form) for form in text.split()],
    }
    wanted = registry.load("perturbations", "typo.contraction:rate=1").call(record, Random(1))
    made, _ = edits.apply(record, wanted)
    assert [token["form"] for token in made["tokens"]] == ["I", "do", "n't"]


@each_row(
    "lang, text, expected",
    [
        ("id", "Saya tidak tahu, terima kasih.", "Saya nggak tahu, makasih."),
        ("id", "Udah, gimana?", "Sudah, bagaimana?"),
        ("id", "Benar-benar? Benar.", "Bener-bener? Bener."),
        ("jv", "Aku ora arep lunga", "Aku ra rep lunga"),
        ("hi", "यह नहीं है, वह है", "ये नईं है, वो है"),
        ("zh", "什么？有没有？我没有去。", "啥？有没有？我没去。"),
        ("zh", "不用谢，不用力", "甭谢，不用力"),
        ("ja", "食べている。行ってしまった。", "食べてる。行っちゃった。"),
        ("ja", "食べてる。捨てます。家でいる。", "食べている。捨てます。家でいる。"),
        ("ja", "それではない。今まではない。", "それじゃない。今まではない。"),
        ("ja", "そうなのです。私のです。", "そうなんです。私のです。"),
        (
            "ja",
            "教えていただけますか。読んでいただく。見ていたよ。",
            "教えていただけますか。読んでいただく。見てたよ。",
        ),
        (
            "ja",
            "自信が持てる。もう待てません。来てません。",
            "自信が持てる。もう待てません。来ていません。",
        ),
        ("ja", "捨てちゃった。いいんちゃう？", "捨ててしまった。いいんちゃう？"),
        (
            "ja",
            "あっという間。なんということ。そういうこと。猫という字。",
            "あっという間。なんということ。そういうこと。猫っていう字。",
        ),
        ("ja", "それじゃあまた。それじゃ、また。", "それじゃあまた。それでは、また。"),
        (
            "ja",
            "あなたのですか。飲んでいません。なんでいるの。",
            "あなたのですか。飲んでません。なんでいるの。",
        ),
        ("zh", "没有的话，不用肥皂。没有时间，不用担心。", "没有的话，不用肥皂。没时间，甭担心。"),
    ],
)
def test_speech_is_reduced_in_other_languages(lang: str, text: str, expected: str):
    assert changed("typo.contraction:rate=1", text, lang) == expected


def test_a_name_is_no_contraction():
    assert changed("typo.contraction:rate=1", "I will go", speakers=("Will",)) == "I will go"


def test_a_language_without_contractions_says_so():
    from dialtools import perturb

    with pytest.raises(
        RecordError,
        match="typo.contraction is not defined for ko; there are en, hi, id, ja, jv, zh",
    ):
        list(perturb([{"id": "1", "lang": "ko", "text": "안녕"}], kind=["typo.contraction"]))


def test_neighbours_are_those_of_the_published_layouts():
    """QWERTY: q, g and p; InScript: र, क and म; kana of JIS X 6002: か; as read from xkb-data."""
    latin = _keyboards._neighbours(
        languages.get("en").keyboard["rows"], languages.get("en").keyboard["offsets"]
    )
    assert {key: "".join(sorted(latin[key])) for key in "qgp"} == {
        "q": "aw",
        "g": "bfhtvy",
        "p": "lo",
    }
    hindi = _keyboards._inscript_keys(languages.get("hi"))
    assert (
        set(hindi["र"]) >= set("पकहलसग") and set(hindi["क"]) >= set("रतगसद") and "ख" in hindi["क"]
    )
    assert set(_keyboards._around_kana(languages.get("ja"), "jis")["か"]) == set("すんきえおは")
    assert set(_keyboards._around_kana(languages.get("ja"), "flick")["か"]) == set("きくけこあさな")


@each_row(
    "kind, expected",
    [
        ("substitute", {"qe", "ee", "ae", "se", "ww", "wr", "ws", "wd"}),
        ("transpose", {"ew"}),
        ("omit", {"w", "e"}),
        ("double", {"wwe", "wee"}),
    ],
)
def test_each_kind_of_slip(kind: str, expected: set[str]):
    assert every(f"typo.keyboard:rate=1,kind={kind}", "we") == expected


def test_a_capital_keeps_its_place_and_names_stay():
    assert every("typo.keyboard:rate=1,kind=transpose", "As it") <= {"Sa ti"}
    stay = "Bob McX bob x9 www.x.com #tag #Person1# I"
    assert every("typo.keyboard:rate=1", stay, speakers=("Bob",)) == {stay}
    text = "bob saw rome"
    tagged = [token(text, "rome", upos="PROPN")]
    assert all(
        made.startswith("bob ") and made.endswith(" rome")
        for made in every("typo.keyboard:rate=1", text, speakers=("Bob",), tokens=tagged)
    )


def test_half_of_the_slips_substitute():
    typist = _keyboards.Typist(languages.get("en"), Random(5), "any", 1, set())
    drawn = [typist.error() for _ in range(20000)]
    shares = [drawn.count(kind) / len(drawn) for kind in _keyboards.KINDS]
    assert shares == pytest.approx([0.5, 0.2, 0.15, 0.15], abs=0.02)


WORDS = ["क्या", "हिन्दी", "बाज़ार", "में", "अनुमानित", "स्त्री", "कहाँ", "और", "लड़की", "विश्वविद्यालय"]


@each_row("word", WORDS)
def test_a_sign_keeps_a_letter_before_it(word: str):
    """No vowel sign, nasal or virama at the beginning, after a virama or after another vowel sign."""
    wrong = regex.compile(
        r"^\p{M}|\u094d[\u093e-\u094d\u0901-\u0903]|[\u0904-\u0914\u093e-\u094c][\u093e-\u094c]"
    )
    made = every("typo.keyboard:rate=1", word, "hi")
    assert len(made) > 1 and [form for form in made if wrong.search(form)] == []


def test_letters_of_hindi_stay_in_their_class():
    assert every("typo.keyboard:rate=1,kind=transpose", "कमल", "hi") == {"मकल", "कलम"}
    assert every("typo.keyboard:rate=1,kind=omit", "मेरा", "hi") == {"मरा", "मेर"}
    assert every("typo.keyboard:rate=1,kind=double", "कि", "hi") == {"ककि"}


@each_row(
    "spec, text, expected",
    [
        ("kind=substitute", "が", {"か", "ぎ", "ぐ", "げ", "ご", "あ", "ざ", "な"}),
        ("kind=substitute", "っ", {"つ", "た", "ち", "て", "と", "ぅ", "ぬ", "む"}),
        ("kind=omit", "ね", {""}),
        ("kind=double", "カ", {"カカ"}),
        ("kind=transpose", "かな", {"なか"}),
        ("layout=jis,kind=substitute", "か", set("すんきえおは")),
        ("layout=romaji", "こんな", {"こな", "こんんな"}),
        ("kind=substitute", "漢字", set()),
    ],
)
def test_kana_slip(spec: str, text: str, expected: set[str]):
    made = every(f"typo.keyboard:rate=1,{spec}", text, "ja", 600) - {text}
    assert made == expected


def test_a_name_in_kana_stays():
    assert every("typo.keyboard:rate=1", "さくら", "ja", speakers=("さくら",)) == {"さくら"}


def test_chinese_candidates_have_nearly_the_same_pinyin():
    alike = _keyboards._alike("shen me", languages.get("zh"))
    assert list(alike) == ["shen me", "sen me", "sheng me"]
    text = "这个形式"
    made = every(
        "typo.keyboard:rate=1", text, "zh", tokens=[token(text, "这个"), token(text, "形式")]
    )
    assert {form[2:] for form in made} >= {"形势", "行使"}
    with pytest.raises(
        RecordError, match="typo.keyboard needs tokens: annotate with dt-parse first"
    ):
        changed("typo.keyboard", "你好", "zh")


@each_row("spec, lang", [("layout=jis", "en"), ("kind=omit", "zh")])
def test_options_of_another_language_are_refused(spec: str, lang: str):
    with pytest.raises(RecordError, match=f"typo.keyboard:{spec} is not defined for {lang}"):
        changed(f"typo.keyboard:{spec}", "a", lang, tokens=[])


@each_row("name", ["case", "contraction", "keyboard", "punctuation", "whitespace"])
@each_row("rate", [-0.1, 1.1, float("nan")])
def test_a_rate_is_a_probability(name: str, rate: float):
    with pytest.raises(OptionError, match="a rate is from 0 to 1"):
        changed(f"typo.{name}:rate={rate}", "a")


def test_a_rate_is_met():
    text = " ".join(["and so we talked about something else"] * 400)
    made = list(words.words(text))
    drawn = words.drawn(text, Random(3), 0.2)
    assert len(drawn) / len(made) == pytest.approx(0.2, abs=0.02)
    assert words.drawn(text, Random(3), 1) == made and words.drawn(text, Random(3), 0) == []


@each_row(
    "at, end, expected",
    [
        (2, 3, True),
        (1, 2, True),
        (0, 1, False),
        (4, 5, False),
        (2, 2, True),
        (1, 1, False),
        (4, 4, False),
    ],
)
def test_a_place_is_in_a_name_by_its_letters_however_many_names_there_are(
    at: int, end: int, expected: bool
):
    """王小明 stands from 1 to 4; a search for each of the names at each place would take minutes."""
    names = words.by_length([*(f"李{number}" for number in range(100_000)), "王小明"])
    assert {words.in_name("找王小明吧", at, end, names) for _ in range(5_000)} == {expected}
