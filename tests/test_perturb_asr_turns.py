"""Fillers, disfluencies and turn errors of speech; what is expected was decided by hand."""

from random import Random

import pytest
from short_sentences import parsed
from table_tests import each_row

import dialtools
from dialtools import languages
from dialtools.plugins import registry
from dialtools.records import dialogue, edits
from dialtools.system.errors import OptionError, RecordError
from dialtools.text import sentences, word_forms


def made(record: dict, kind: str, seed: int = 1) -> dict:
    """Return a record after a perturbation."""
    return edits.apply(record, registry.load("perturbations", kind).call(record, Random(seed)))[0]


def places(record: dict) -> str:
    """Return the text with a bar where a filler stands when every place takes one."""
    wanted = registry.load("perturbations", "asr.filler:rate=1").call(record, Random(1))
    bars = [["/text", start, start, "", "|"] for _, start, end, *_ in wanted if start == end]
    return edits.apply({"text": record["text"]}, bars)[0]["text"]


# Fillers: at the beginning, behind commas, before content words; nowhere else.


@each_row(
    "text, lang, expected",
    [
        ("We could meet, say, at ten.", "en", "|We could meet, |say, |at ten."),
        ("It costs 1,000 or 2,5.", "en", "|It costs 1,000 or 2,5."),
        ("Um, we could go, sir", "en", "Um, we could go, |sir"),  # there is one
        ("So we go, you know, now", "en", "So we go, you know, now"),
        ("Also, there", "en", "|Also, |there"),
        ("umbrellas", "en", "|umbrellas"),
        ('"Yes", he said', "en", '"|Yes", |he said'),
        ("#Person1#, hi", "en", "#Person1#, |hi"),
        ("…", "en", "…"),
        ("", "en", ""),
        (" hi", "en", " |hi"),
        ("a,b, c", "en", "|a,b, |c"),
        ("我去，你呢，1，二", "zh", "|我去，|你呢，|1，|二"),
        ("はい、行きます。", "ja", "|はい、|行きます。"),
        ("हाँ, ठीक है", "hi", "|हाँ, |ठीक है"),
        ("अच्छा, ठीक है", "hi", "अच्छा, ठीक है"),
        ("तोता, है", "hi", "|तोता, |है"),
        ("Iya, jalan-jalan, yuk", "id", "|Iya, |jalan-jalan, |yuk"),
    ],
)
def test_places_of_fillers_in_a_text(text: str, lang: str, expected: str):
    assert places({"text": text, "lang": lang}) == expected


@each_row(
    "written, expected",
    [
        (
            "We/we/PRON saw/see/VERB two//NUM old//ADJ men/man/NOUN",
            "|We |saw two old |men",
        ),  # within a number none
        ("the//DET New//PROPN York//PROPN office//NOUN", "|the New York office"),
        ("ice//NOUN>2:compound cream//NOUN>0:root now//ADV>2:advmod", "|ice cream |now"),
        (
            "now//ADV +,//PUNCT ice//NOUN>4:compound cream//NOUN>0:root",
            "|now, |ice cream",
        ),  # it belongs to no comma
        ("he//PRON gave/give/VERB up//ADV>2:compound:prt", "|he |gave up"),
        ("of//ADV course//NOUN>1:fixed", "|of course"),
        ("she//PRON +'s//VERB here//ADV", "|she's |here"),
    ],
)
def test_fillers_before_content_words_need_tags(written: str, expected: str):
    assert places(parsed(written)) == expected


@each_row(
    "written, expected",
    [
        ("वह//PRON नया//ADJ काम//NOUN शुरू//NOUN करता//VERB है//AUX", "|वह |नया |काम शुरू करता है"),
        (
            "राम//PROPN +,//PUNCT जो//PRON आया//VERB +,//PUNCT ने//ADP घर//NOUN देखा//VERB",
            "|राम, |जो आया, ने |घर देखा",
        ),
    ],
)
def test_no_filler_in_hindi_parts_a_verb_or_a_particle_from_the_word_before(
    written: str, expected: str
):
    """शुरू करना is one verb, and ने belongs to राम, also behind a clause between commas."""
    assert places(parsed(written, "hi")) == expected


@each_row(
    "text, names, expected",
    [
        ("What now?", [], "what now?"),
        ("I see.", [], "I see."),
        ("I'm in.", [], "I'm in."),
        ("Anna, hi", [], "Anna, hi"),
        ("Will, hi", ["Will"], "Will, hi"),
        ("Rose, hi", [], "Rose, hi"),
        ("Monday", [], "Monday"),
        ("NASA", [], "NASA"),
        ("Sorry", [], "sorry"),
        ("ok", [], "ok"),
    ],
)
def test_a_capital_moves_to_the_filler_but_for_names(text: str, names: list[str], expected: str):
    source = {
        "lang": "en",
        "dialogue": [{"speaker": name, "text": ""} for name in names],
        "text": text,
    }
    changed = made(source, "asr.filler:rate=1")["text"].partition(", ")
    assert changed[0][0].isupper() == text[0].isupper()
    assert changed[2].startswith(expected.split(",")[0])


def test_capitals_of_other_languages():
    english, indonesian, hindi = map(languages.get, ("en", "id", "hi"))
    assert (
        word_forms.within_sentence("Kamu", indonesian, ()) == "kamu"
        and word_forms.within_sentence("Budi", indonesian, ()) == "Budi"
    )
    assert word_forms.within_sentence("Untung", indonesian, ()) == "Untung"  # a word and a name
    assert word_forms.within_sentence("आप", hindi, ()) == "आप"
    turns = {
        "en": "It's That’s Don't Can't Won't Okay",
        "id": "Tapi Kalau Setelah",
        "jv": "Piye Mboten Nalika",
    }
    for lang, written in turns.items():
        for word in written.split():
            assert word_forms.within_sentence(word, languages.get(lang), ()) == word.lower()
    assert (
        word_forms.within_sentence("Will's", english, {"will"}) == "Will's"
        and word_forms.within_sentence("I’ve", english, ()) == "I’ve"
    )


def test_a_token_stays_itself_where_a_capital_moves():
    record = parsed("What/what/PRON is/be/AUX it//PRON")
    changed = made(record, "asr.filler:rate=1")
    assert [token["form"] for token in changed["tokens"]] == ["what", "is", "it"]
    assert changed["tokens"][0]["lemma"] == "what" and changed["text"].endswith(", what is it")


def test_no_filler_is_put_before_itself():
    for seed in range(50):
        source = {"text": "Well, he said, you know, actually, yes, no.", "lang": "en"}
        said = made(source, "asr.filler:rate=1", seed)["text"]
        assert said.startswith("Well, he said, you know, actually, yes, ") and len(said) > len(
            source["text"]
        )


@each_row(
    "lang, text", [("zh", "我们，去"), ("ja", "はい、行く"), ("en", "We, go"), ("hi", "हम, चलें")]
)
def test_the_pause_behind_a_filler_is_the_comma_of_the_language(lang: str, text: str):
    known = {row["filler"].lower() for row in languages.get(lang).table("fillers")}
    comma = {"zh": "，", "ja": "、"}.get(lang, ", ")
    parts = made({"text": text, "lang": lang}, "asr.filler:rate=1")["text"].lower().split(comma)
    assert (
        parts[0] in known and parts[2] in known and comma.join([parts[1], parts[3]]) == text.lower()
    )


@each_row(
    "lang, formal, casual, only_formal, only_casual",
    [
        (
            "jv",
            "Kula badhe tindak, nggih, Pak.",
            "Aku arep lunga, ya, Le.",
            {"punapa nggih", "pripun nggih", "ngaten"},
            {"apa ya", "piye ya", "ngono"},
        ),
        ("hi", "आप कहाँ, जी, जाइए।", "तुम कहाँ, यार, जाओ।", {"देखिए"}, {"देखो"}),
        (
            "id",
            "Saya mau, Bapak, Anda.",
            "Aku mau, kamu, nggak.",
            {"bagaimana ya"},
            {"gimana ya", "kayak"},
        ),
    ],
)
def test_fillers_are_as_formal_as_who_says_them(
    lang: str, formal: str, casual: str, only_formal: set, only_casual: set
):
    """Ngoko and krama, by the dictionaries; a "text" beside a dialogue speaks for itself."""
    said: dict[str, str] = {"A": "", "B": "", "text": ""}
    record = {
        "lang": lang,
        "dialogue": [{"speaker": "A", "text": formal}, {"speaker": "B", "text": casual}],
        "text": formal,
        "speaker": "B",
    }  # a key of the record's own
    for seed in range(60):
        changed = made(record, "asr.filler:rate=1", seed)
        texts = {turn["speaker"]: turn["text"] for turn in changed["dialogue"]} | {
            "text": changed["text"]
        }
        said = {who: f"{said[who]} {text}".lower() for who, text in texts.items()}
    for who, own, others in (
        ("A", only_formal, only_casual),
        ("B", only_casual, only_formal),
        ("text", only_formal, only_casual),
    ):
        assert all(filler in said[who] for filler in own) and not any(
            filler in said[who] for filler in others
        )


@each_row(
    "lang, words, expected",
    [
        ("zh", ["我", "喜欢", "你"], [(0, "，"), (1, "，")]),
        ("ja", ["私", "行く", "よ"], [(0, "、"), (1, "、")]),
        ("en", ["we", " ", "go", " ", "too"], [(0, ", "), (3, " ")]),
    ],
)
def test_fillers_stand_before_content_words_with_the_pause_of_the_language(
    lang: str, words: list, expected: list
):
    """Where words are spaced there is no comma behind a filler within a sentence: we uh go."""
    tokens = [
        {
            "form": word,
            "start": len("".join(words[:at])),
            "end": len("".join(words[: at + 1])),
            "upos": "VERB" if at in (1, 2) and len(word) > 1 else "PRON",
        }
        for at, word in enumerate(words)
        if word != " "
    ]
    wanted = registry.load("perturbations", "asr.filler:rate=1").call(
        {"lang": lang, "text": "".join(words), "tokens": tokens}, Random(1)
    )
    assert [
        (start, new[-len(pause) :])
        for (_, start, _, _, new, *_), (_, pause) in zip(wanted, expected, strict=True)
    ] == expected and all(new[-2].isalpha() or new.endswith(", ") for *_, new in wanted)


@each_row("text, lang", [("我看《你好，李焕英》", "zh"), ("「はい、《いえ、はい》」", "ja")])
def test_no_filler_is_put_into_a_title(text: str, lang: str):
    assert "，|李" not in places({"text": text, "lang": lang}) and "いえ、|" not in places(
        {"text": text, "lang": lang}
    )


def test_a_name_behind_a_filler_is_no_edit():
    (edit,) = registry.load("perturbations", "asr.filler:rate=1").call(
        {"lang": "en", "text": "Anna"}, Random(1)
    )
    assert edit[1:4] == [0, 0, ""]


@each_row("kind", ["asr.filler", "asr.disfluency"])
def test_the_rate_of_the_paper_is_the_default(kind: str):
    """Section 3.1: 0.2."""
    assert registry.load("perturbations", kind).defaults()["rate"] == 0.2


# Disfluencies.


@each_row(
    "text, lang, expected",
    [
        ("i was in it", "en", "i i was was in in it it"),
        ("We are. It is so", "en", "We we are are. It it is is so so"),
        ("I know", "en", "I I know"),
        ("Will was at Mo's", "en", "Will was was at Mo's"),  # names are not said twice
        ("मैं और तुम", "hi", "मैं मैं और और तुम तुम"),
        ("धीरे धीरे", "hi", "धीरे धीरे"),  # a word that is written twice already means something
        ("saya dan anda", "id", "saya saya dan dan anda anda"),
        ("aku lan kowe", "jv", "aku aku lan lan kowe kowe"),
        ("#I <it> www.it.com", "en", "#I <it> www.it.com"),
        ("i was The in", "en", "i i was was The in in"),  # as a name would
        ("i said i.e. it", "en", "i i said i.e. it it"),
        ("i^2", "en", "i^2"),
        ("saya 《dan dan itu》", "id", "saya saya 《dan dan itu》"),  # a title
    ],
)
def test_repetitions(text: str, lang: str, expected: str):
    assert (
        made({"text": text, "lang": lang}, "asr.disfluency:kind=repetition,rate=1")["text"]
        == expected
    )


@each_row(
    "text, lang, starts",
    [
        ("market", "en", {"m- ", "ma- ", "mar- "}),
        ("what", "en", {"w- ", "wh- "}),
        ("cat", "en", {""}),
        ("Bonn", "en", {""}),
        ("2nd4th", "en", {""}),
        ("kick-off", "en", {""}),
        ("it", "en", {""}),
        ("and/nord", "en", {""}),
        ("सोचता", "hi", {""}),
        ("विश्वविद्यालय", "hi", {"वि- ", "विश्व- ", "विश्ववि- "}),  # by what is seen as a letter
        ("बताओगे", "hi", {"ब- ", "बता- "}),
        ("e\u0301te\u0301s", "en", {"e\u0301- ", "e\u0301t- "}),
        ("wonderful", "en", {"w- ", "wo- ", "won- "}),
    ],
)
def test_restarts(text: str, lang: str, starts: set[str]):
    source = {"text": f"he {text}", "lang": lang}
    found = {made(source, "asr.disfluency:kind=restart,rate=1", seed)["text"] for seed in range(60)}
    assert found == {f"he {start}{text}" for start in starts}


def test_a_word_that_is_repeated_may_break_off_as_well():
    source = {"text": "there", "lang": "en"}
    found = {made(source, "asr.disfluency:rate=1", seed)["text"] for seed in range(60)}
    assert found == {"there there", "t- there", "th- there"}


def test_a_restart_takes_the_capital_of_a_sentence():
    found = {
        made({"text": "Sorry. Anna", "lang": "en"}, "asr.disfluency:kind=restart,rate=1", seed)[
            "text"
        ]
        for seed in range(60)
    }
    assert found == {"S- sorry. Anna", "So- sorry. Anna"}


def test_speakers_are_never_begun_twice():
    source = {"lang": "en", "dialogue": [{"speaker": "hope", "text": "hope Hope hopes"}]}
    assert made(source, "asr.disfluency:rate=1")["dialogue"][0]["text"].startswith("hope Hope h")


def test_chinese_and_japanese_by_their_tokens():
    chinese = parsed("我//PRON +喜欢//VERB +图书馆//NOUN +北京//PROPN +大学//NOUN", "zh")
    assert (
        made(chinese, "asr.disfluency:kind=repetition,rate=1")["text"] == "我，我喜欢图书馆北京大学"
    )
    assert (
        made(chinese, "asr.disfluency:kind=restart,rate=1")["text"]
        == "我喜，喜欢图，图书馆北京大学"
    )
    japanese = parsed(
        "私//PRON +は//ADP +図書館//NOUN +に//ADP +行っ//VERB +て//SCONJ +いる//VERB", "ja"
    )
    japanese["tokens"][-1]["xpos"] = "動詞-非自立可能"
    assert made(japanese, "asr.disfluency:rate=1")["text"] == "私、私は図、図書館に行、行っている"


@each_row("lang, text", [("zh", "我喜欢"), ("ja", "好きです")])
def test_without_spaces_disfluencies_need_tokens(lang: str, text: str):
    with pytest.raises(
        RecordError, match="asr.disfluency needs tokens with upos: annotate with dt-parse first"
    ):
        list(dialtools.perturb([{"id": 1, "lang": lang, "text": text}], kind=["asr.disfluency"]))


@each_row(
    "before, token, lang, expected",
    [
        ({"upos": "VERB"}, {"upos": "NOUN"}, "en", False),
        ({"upos": "NUM"}, {"upos": "NOUN"}, "en", True),
        (
            {"upos": "NOUN"},
            {"upos": "NOUN"},
            "ja",
            True,
        ),  # without relations two nouns are a compound
        ({"upos": "NOUN", "deprel": "obj"}, {"upos": "NOUN", "deprel": "obl"}, "en", False),
        ({"upos": "NOUN", "deprel": "compound:nn"}, {"upos": "NOUN", "deprel": "obj"}, "zh", True),
        ({"upos": "NOUN"}, {"upos": "ADP"}, "ja", True),
        ({"upos": "NOUN"}, {"upos": "ADP"}, "zh", False),
        ({"upos": "VERB"}, {"upos": "PART"}, "zh", True),
        ({"upos": "NOUN"}, {"upos": "ADP", "xpos": "f"}, "zh", True),
        ({"upos": "NOUN", "xpos": "接頭辞"}, {"upos": "VERB", "xpos": "動詞-一般"}, "ja", True),
        ({"upos": "SCONJ"}, {"upos": "VERB", "xpos": "動詞-非自立可能"}, "ja", True),
        ({}, {"upos": "NOUN"}, "ja", False),
        (
            {"form": "不", "upos": "ADV"},
            {"form": "需要", "upos": "VERB"},
            "zh",
            True,
        ),  # not 不嗯，需要
        ({"form": "138-", "end": 4}, {"form": "0013", "start": 4}, "zh", True),
        ({"form": "B"}, {"form": "站"}, "zh", True),
        ({"form": "B", "end": 1}, {"form": "站", "start": 2}, "zh", False),
        ({"form": ":"}, {"form": "好"}, "zh", False),
        ({"form": "UI"}, {"form": "设计"}, "zh", False),
        ({"form": "-"}, {"form": "05"}, "ja", True),
        (
            {"form": "する", "upos": "VERB"},
            {"form": "こと", "upos": "NOUN"},
            "ja",
            True,
        ),  # 形式名詞, never said alone
        ({"form": "と", "upos": "ADP"}, {"form": "いう", "upos": "VERB"}, "ja", True),
        ({"form": "も", "upos": "ADP"}, {"form": "いう", "upos": "VERB"}, "ja", False),
    ],
)
def test_what_clings_to_the_word_before(before: dict, token: dict, lang: str, expected: bool):
    assert sentences.clings(before, token, languages.get(lang)) is expected


# Turn errors.

TURNS = [
    {"speaker": name, "text": text, "at": at}
    for at, (name, text) in enumerate(
        [("A", "Hi."), ("A", "Come in."), ("B", "Thanks!"), ("A", "So?"), ("B", "Well.")]
    )
]


def spoken(record: dict) -> str:
    return " ".join(f"{turn['speaker']}:{turn['text']}" for turn in record["dialogue"])


def test_every_boundary_between_speakers_can_be_missed():
    source = {"lang": "en", "dialogue": TURNS}
    assert (
        spoken(made(source, "asr.turns:kind=boundary,rate=1"))
        == "A:Hi. A:Come in. Thanks! A:So? Well."
    )
    assert made(source, "asr.turns:kind=boundary,rate=1")["dialogue"][1]["at"] == 1


def test_every_label_can_be_wrong():
    changed = made({"lang": "en", "dialogue": TURNS}, "asr.turns:kind=label,rate=1")
    assert spoken(changed) == "B:Hi. B:Come in. A:Thanks! B:So? A:Well."
    assert [turn["at"] for turn in changed["dialogue"]] == [0, 1, 2, 3, 4]


def test_any_is_one_or_the_other_and_says_which():
    source = {"lang": "en", "dialogue": TURNS * 20}
    wanted = registry.load("perturbations", "asr.turns:rate=1").call(source, Random(1))
    assert {edit[5] for edit in wanted} == {"boundary", "label"}
    for _, start, end, before, after, note in wanted:
        assert (end - start, len(after)) == ((2, 1) if note == "boundary" else (1, 1))
        assert (after[0]["speaker"] == before[0]["speaker"]) == (note == "boundary")


@each_row("lang, text", [("en", "a b"), ("zh", "ab"), ("ja", "ab")])
def test_missed_boundaries_join_as_the_language_is_written(lang: str, text: str):
    source = {
        "lang": lang,
        "dialogue": [{"speaker": "A", "text": "a"}, {"speaker": "B", "text": "b"}],
    }
    assert made(source, "asr.turns:kind=boundary,rate=1")["dialogue"] == [
        {"speaker": "A", "text": text}
    ]


@each_row("turns", [[], TURNS[:1], TURNS[:2]])
def test_one_speaker_is_never_mistaken(turns: list[dict]):
    for kind in ("any", "boundary", "label"):
        assert (
            made({"lang": "en", "dialogue": turns}, f"asr.turns:kind={kind},rate=1")["dialogue"]
            == turns
        )


def test_the_share_of_turn_errors_is_the_rate():
    """1000 turns of two speakers in turn: 200 labels, give or take four standard deviations of 12.6."""
    source = {
        "lang": "en",
        "dialogue": [{"speaker": "AB"[i % 2], "text": "x"} for i in range(1000)],
    }
    wanted = registry.load("perturbations", "asr.turns:kind=label").call(source, Random(1))
    assert 150 <= len(wanted) <= 250


@each_row("kind", ["asr.filler", "asr.disfluency", "asr.turns"])
def test_rates(kind: str):
    source = {"lang": "en", "dialogue": TURNS}
    assert registry.load("perturbations", f"{kind}:rate=0").call(source, Random(1)) == []
    with pytest.raises(OptionError, match="a rate is from 0 to 1"):
        registry.load("perturbations", f"{kind}:rate=1.5").call(source, Random(1))


def test_a_dialogue_that_is_a_string_stays_one_and_is_undone():
    text = "A: Hi. It is me, Ann!\r\nB: Well, come in.\r\n\r\nA: Thanks. I will.\r\n"
    source = {"id": "1", "lang": "en", "dialogue": text}
    for kind in ("asr.filler:rate=1", "asr.disfluency:rate=1", "asr.turns:rate=1"):
        [variant] = dialtools.perturb([source], kind=[kind])
        assert isinstance(variant["dialogue"], str) and variant["dialogue"] != text
        assert (
            dialogue.turns(variant)
            and next(dialtools.perturb([variant], restore=True))["dialogue"] == text
        )
