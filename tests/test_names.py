"""Renaming speakers and restoring them."""

import json
import random
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from table_tests import each_row

import dialtools
from dialtools import languages
from dialtools.languages import get
from dialtools.names import customs, drawing, full_names, lexicon, pools, swaps
from dialtools.system.errors import OptionError, RecordError

INPUTS = ("dialogue", "text", "context", "reference")


# Beside the cases of data/name_cases.jsonl, which test_name_cases.py runs.
MENTIONS = [
    (
        "en",
        {"Ann": "Mia", "Anna": "Zoe"},
        "Hi Anna, is Annie with Ann's mum?",
        "Hi Zoe, is Annie with Mia's mum?",
    ),
    (
        "en",
        {"Joy": "Ann"},
        "I hope that Joy knows what Joy wants: that joy. What Joy!",
        "I hope that Ann knows what Ann wants: that joy. What Joy!",
    ),
    ("it", {"Gioia": "Anna"}, "So che Gioia dorme, che gioia!", "So che Anna dorme, che gioia!"),
    (
        "en",
        {"America": "Ann"},
        "America, I love America and a margarita.",
        "Ann, I love America and a margarita.",
    ),
    (
        "en",
        {"Margarita": "Rita"},
        "Is that Margarita with a good margarita?",
        "Is that Rita with a good margarita?",
    ),
    ("en", {"Anna": "Zoe"}, "anna.txt, Anna.", "anna.txt, Zoe."),
    ("en", {"Anna": "Zoe"}, "#Person1# met <name> and Anna", "#Person1# met <name> and Zoe"),
    (
        "en",
        {"Anna": "Zoe"},
        "see http://a.org/Anna or Anna@a.org",
        "see http://a.org/Anna or Anna@a.org",
    ),
    ("en", {"#Person1#": "James"}, "#Person1#'s boss asks #Person1#.", "James's boss asks James."),
    (
        "en",
        {"nit-wit": "Carl", "zykotick9": "Mary"},
        "ask zykotick9, not nit-wit",
        "ask Mary, not Carl",
    ),
    ("en", {"JuJuBee_": "Ruth"}, "where does jujubee_ use it?", "where does ruth use it?"),
    ("en", {"Sa[i]nT": "Ruth", "C++": "Carl"}, "Sa[i]nt says C++", "Ruth says Carl"),
    ("en", {"Ng": "Ruth"}, "What is Ng doing?", "What is Ruth doing?"),
    ("en", {"answer": "Ruth"}, "the answer is no", "the answer is no"),
    ("en", {"Mary Ann": "Ruth"}, "Mary Ann and Mary", "Ruth and Mary"),
    ("ja", {"田中": "佐藤"}, "田中さんは来た。", "佐藤さんは来た。"),
    ("ja", {"田中": "佐藤"}, "田中市長と田中マネージャー", "佐藤市長と佐藤マネージャー"),
    ("zh", {"王芳": "李娜"}, "王导演、王学姐和王奶奶", "李导演、李学姐和李奶奶"),
    ("hi", {"राम": "श्याम"}, "राम ने रामा को बुलाया।", "श्याम ने रामा को बुलाया।"),
    ("ko", {"민수": "지훈"}, "민수가 왔어.", "지훈이 왔어."),
    (
        "ko",
        {"민준": "은우"},
        "민준이잖아, 민준이구나, 민준이야말로",
        "은우이잖아, 은우구나, 은우야말로",
    ),  # 은우잖아 may be a verb
    ("ko", {"은우": "민준"}, "은우잖아, 은우군요, 은우는커녕", "은우잖아, 민준이군요, 민준은커녕"),
]


def known(lang: str) -> lexicon.Lexicon:
    return lexicon.of(get(lang))


@each_row("lang, names, text, expected", MENTIONS)
def test_mentions(lang, names, text, expected):
    source = {"id": 1, "lang": lang, "text": text}
    (swapped,) = dialtools.swap_names(
        [source], map=json.dumps({"names": names}), allow_cross_gender=True
    )
    assert swapped["text"] == expected


def test_a_name_that_may_be_a_word_is_left_and_counted():
    record = {"id": 1, "lang": "en", "dialogue": [{"speaker": "Will", "text": "will will come"}]}
    (swapped,) = dialtools.swap_names([record], pool_file=["Noah"])
    assert swapped["dialogue"] == [{"speaker": "Noah", "text": "will will come"}]
    assert swapped["history"][0]["counts"]["left"] == 2


def record(**more) -> dict:
    turns = [
        {"speaker": "Mary", "text": "Hi John, Eve says hi."},
        {"speaker": "John", "text": "Thanks, Mary!"},
    ]
    return {
        "id": "d1",
        "lang": "en",
        "dialogue": turns,
        "context": "What does Mary tell John?",
        "reference": ["Mary greets John.", "Eve greets John through Mary."],
        **more,
    }


def test_every_text_of_the_record_is_renamed_in_one_mapping():
    (swapped,) = dialtools.swap_names([record()], pool_file=["Ruth\tf", "Carl\tm"])
    assert swapped["history"][0]["names"] == {"Mary": "Ruth", "John": "Carl"}
    assert swapped["context"] == "What does Ruth tell Carl?"
    assert swapped["reference"] == ["Ruth greets Carl.", "Eve greets Carl through Ruth."]
    assert [turn["speaker"] for turn in swapped["dialogue"]] == ["Ruth", "Carl"]
    assert swapped["dialogue"][0]["text"] == "Hi Carl, Eve says hi."


def test_variants_differ_and_are_reproducible_in_any_order():
    records = [record(id=id) for id in ("a", "b", "c")]
    swapped = list(dialtools.swap_names(records, variants=5, seed=7))
    again = list(dialtools.swap_names(records[::-1], variants=5, seed=7))
    assert sorted(map(json.dumps, swapped)) == sorted(map(json.dumps, again))
    for id in ("a", "b", "c"):
        maps = [one["history"][0]["names"] for one in swapped if one["id"] == id]
        assert len({json.dumps(names) for names in maps}) == 5
    assert [one["variant"] for one in swapped[:5]] == [f"names:{n}" for n in range(1, 6)]


def test_gender_is_kept_and_unknown_gender_counted():
    genders = known("en").genders
    for swapped in dialtools.swap_names([record()], variants=20):
        names = swapped["history"][0]["names"]
        assert (genders[names["Mary"].lower()], genders[names["John"].lower()]) == ("f", "m")
        assert swapped["history"][0]["counts"]["unknown_gender"] == 0
    odd = record(
        dialogue="#Person1#: Hi\nzykotick9: Hi\nQwertina: Hi"
    )  # the last reads like a name
    (swapped,) = dialtools.swap_names([odd])
    assert swapped["history"][0]["counts"]["unknown_gender"] == 1


def test_names_in_traditional_characters_where_a_record_is_written_so():
    source = {"id": 1, "lang": "zh", "dialogue": "陳靜：偉哥在嗎？\n劉偉：靜靜，我來了。"}
    pool = [
        "name\tgender\treading\tlatin",
        "孔令仪\tf\tKǒng Lìngyí\tKong Lingyi",
        "叶强\tm\tYè Qiáng\tYe Qiang",
    ]
    (swapped,) = dialtools.swap_names([source], pool_file=pool)
    assert swapped["dialogue"] == "孔令儀：強哥在嗎？\n葉強：儀儀，我來了。"
    (plain,) = dialtools.swap_names(
        [{"id": 1, "lang": "zh", "dialogue": "陈静：伟哥在吗？\n刘伟：来了。"}], pool_file=pool
    )
    assert plain["dialogue"] == "孔令仪：强哥在吗？\n叶强：来了。"
    assert "范梦瑶".translate(known("zh").to_traditional) == "范夢瑤"  # 範 is no family name


@each_row(
    "lang, genders",
    [
        (
            "zh",
            {"李明": "m", "陳靜": "f", "欧阳娜": "f", "刘洋": "u", "Tom": "m", "张三": None},
        ),  # by given name, 陳靜 is 陈静
        ("ja", {"太郎": "m", "ゆい": "f", "Yui": "f", "田中": None}),
        ("fr", {"Pierre": "m", "Amina": "f", "zykotick9": ""}),
        ("en", {"Zoë": "f", "Tomás": "m", "Lucía Vega": "f", "Jörg": None, "Иван": None}),
        ("de", {"Sofía": "f"}),
        ("en", {"MR. SMITH": "m", "aunt robin": "f", "DR. GRACE": None}),
        ("id", {"bu dwi": "f"}),
        ("de", {"Onkel Kim": "m", "Oma Kim": "f"}),
        ("es", {"doña Robin": "f", "Tío Robin": "m"}),
        ("jv", {"Bulik Tri": "f"}),
        ("it", {"Zia Robin": "f"}),
        ("hi", {"मिस अमन": "f", "नूर भाभी": "f"}),
        (
            "id",
            {
                "Nyonya Dwi": "f",
                "Tuan Dwi": "m",
                "Slamet": "m",
                "Sri Wahyuni": "f",
                "Widodo": "m",
                "Nur": "u",
            },
        ),
        ("jv", {"Bambang": "m", "Andi": "m", "Slamet": "m"}),
        ("ja", {"花子さん": "f", "健太先輩": "m", "山田君": "m", "田中さん": None}),
        (
            "ko",
            {
                "김민준": "m",
                "남궁서연": "f",
                "김 민준 씨": "m",
                "민준씨": "m",
                "서울": None,
                "김씨": None,
            },
        ),
        ("hi", {"मनजीत भाभी": "f", "मनजीत": "u"}),
        ("zh", {"刘洋姐": "f", "刘洋老师": "u", "王芳老师": "f", "張靜老師": "f"}),
    ],
)
def test_genders_of_names_that_are_in_no_pool_as_they_are_written(lang, genders):
    assert {name: full_names.gender(name, known(lang)) for name in genders} == genders


@each_row(
    "lang, label, new, text, changed, left",
    [
        (
            "zh",
            "王芳老师",
            "刘敏老师",
            "王芳，小芳，王老师，王芳老师，师姐",
            "刘敏，小敏，刘老师，刘敏老师，师姐",
            [],
        ),
        ("zh", "欧阳雪", "诸葛敏", "雪儿，雪兒来了", "敏儿，敏兒来了", []),
        ("zh", "李明医生", "何斌", "李明，李医生，李明医生", "何斌，何医生，何斌", []),
        (
            "zh",
            "王莽老师",
            "刘敏老师",
            "王莽，王老师，师姐，师弟",
            "王莽，刘老师，师姐，师弟",
            ["王莽"],
        ),  # 莽 is not known in names
        ("zh", "高级经理", "何斌经理", "高级酒店", "高级酒店", ["高级"]),
        ("ko", "민준씨", "지훈씨", "민준아! 민준이는? 민준 씨", "지훈아! 지훈이는? 지훈 씨", []),
        (
            "ko",
            "김서연 씨",
            "하은 씨",
            "서연이는 김서연씨야. 김 씨!",
            "하은이는 하은씨야. 김 씨!",
            ["김 씨"],
        ),
        ("ko", "구매자님", "지훈님", "구매자 구매자님", "구매자 지훈님", ["구매자"]),  # the buyer
        ("hi", "राम जी", "मोहन जी", "राम, रामजी, राम जी", "मोहन, मोहनजी, मोहन जी", []),
        (
            "hi",
            "शर्मा जी",
            "वर्मा जी",
            "शर्मा साहब, शर्माजी",
            "वर्मा साहब, वर्माजी",
            [],
        ),  # no pool knows a शर्मा
        ("hi", "Sharma ji", "Verma ji", "Haan Sharma, sharma ji", "Haan Verma, verma ji", []),
        (
            "en",
            "John Smith Jr.",
            "Luke Jones Jr.",
            "John Smith, John Smith Jr.",
            "Luke Jones, Luke Jones Jr.",
            [],
        ),
        (
            "en",
            "Queen Elizabeth II",
            "Queen Zoe II",
            "Elizabeth, the Queen, Elizabeth II",
            "Zoe, the Queen, Zoe II",
            [],
        ),
        (
            "en",
            "AL ROSS, HOST",
            "ED BELL, HOST",
            "I'm Al Ross, your host",
            "I'm Ed Bell, your host",
            [],
        ),
        ("fr", "Mamie Claire", "Mamie Anne", "Claire ? mamie Claire", "Anne ? mamie Anne", []),
        ("id", "Pak Budi", "Pak Joko", "Budi, Pak Budi", "Joko, Pak Joko", []),
        (
            "en",
            "Dr. Anna Smith",
            "Dr. Zoe Jones",
            "Anna Smith, Dr. Anna Smith, Anna",
            "Zoe Jones, Dr. Zoe Jones, Anna",
            ["Anna"],
        ),
        (
            "it",
            "Dott. Rossi",
            "Dott. Verdi",
            "Dottor Rossi, Rossi, Dott. Rossi",
            "Dottor Verdi, Verdi, Dott. Verdi",
            [],
        ),
        (
            "es",
            "Don Quijote",
            "Don Luis",
            "A don Quijote: ¡DON QUIJOTE! Quijote",
            "A don Luis: ¡DON LUIS! Luis",
            [],
        ),
        (
            "it",
            "Dott. Aldo Rossi",
            "Dott. Verdi",
            "Dott. Rossi, Aldo Rossi",
            "Dott. Rossi, Verdi",
            ["Rossi"],
        ),
        (
            "de",
            "Herr Klein",
            "Herr Huber",
            "Sie ist klein. Klein, Herr Klein",
            "Sie ist klein. Huber, Herr Huber",
            ["klein"],
        ),
        (
            "id",
            "Pak Lurah",
            "Pak Joko",
            "Kata lurah kami, Pak Lurah",
            "Kata lurah kami, Pak Joko",
            [],
        ),
        (
            "de",
            "Herr Koch",
            "Herr Huber",
            "Der Koch kocht, Herr Koch.",
            "Der Koch kocht, Herr Huber.",
            ["Koch"],
        ),
        ("en", "Mr. Thomas", "Mr. James", "Thomas, Mr. Thomas", "James, Mr. James", []),
    ],
)
def test_a_label_with_a_title_holds_the_name_without_it(lang, label, new, text, changed, left):
    source = {"id": 1, "lang": lang, "dialogue": [{"speaker": label, "text": text}]}
    (swapped,) = dialtools.swap_names(
        [source], map=json.dumps({label: new}), allow_cross_gender=True
    )
    assert swapped["dialogue"] == [{"speaker": new, "text": changed}]
    assert [each[3] for each in swapped["history"][0].get("left", [])] == left
    swapped["prediction"] = changed
    (restored,) = dialtools.swap_names([swapped], restore=True)
    assert (
        restored["prediction"] == text or lang == "ko" or new == "何斌"
    )  # 何斌 was both, and so was 하은


@each_row(
    "lang, label, title",
    [
        ("zh", "王芳老师", "老师"),
        ("ko", "서연 씨", " 씨"),
        ("hi", "सीता भाभी", " भाभी"),
        ("de", "Frau Müller", "Frau "),
        ("it", "Sig.ra Rossi", "Sig.ra "),
        ("en", "Mary Kurz-Ott, Host", ", Host"),
        ("hi", "सीता Kurz जी", " जी"),
    ],
)
def test_what_is_drawn_for_a_label_with_a_title_keeps_it(lang, label, title):
    drawn = [
        made["history"][0]["names"][label]
        for made in dialtools.swap_names(
            [{"id": 1, "lang": lang, "dialogue": f"{label}: -"}], variants=10
        )
    ]
    assert {
        known(lang).known[new.replace(title, "")]["gender"] for new in drawn if title in new
    } == {"f"}


@each_row("label", ["Henry VIII", "BobJr"])
def test_what_ends_as_a_title_does_has_none(label: str):
    (swapped,) = dialtools.swap_names(
        [{"id": 1, "lang": "en", "dialogue": f"{label}: -"}], pool_file=["Kim"]
    )
    assert swapped["dialogue"] == "Kim: -"


def test_a_name_with_the_titles_of_two_genders_becomes_one_of_both():
    source = {"id": 1, "lang": "id", "dialogue": "Pak Budi: Halo\nBu Budi: Halo"}
    for made in dialtools.swap_names([source], variants=5):
        new = made["history"][0]["names"]
        assert new["Pak Budi"].removeprefix("Pak ") == new["Bu Budi"].removeprefix("Bu ")
        assert full_names.gender(new["Bu Budi"].removeprefix("Bu "), known("id")) == "u"


def test_a_name_may_have_any_number_of_titles():
    assert full_names.gender("Dr. " * 1500 + "Ann Smith", known("en")) == "f"


def test_an_alias_without_a_title_gets_none():
    source = {
        "id": 1,
        "lang": "zh",
        "dialogue": "王芳老师：好\n李明：大芳好，语文王老师好",
        "people": [{"name": "王芳老师", "aliases": ["大芳", "语文王老师"]}],
    }
    (swapped,) = dialtools.swap_names([source], map='{"王芳老师": "刘敏老师"}')
    assert swapped["dialogue"].endswith("刘敏好，刘敏老师好")


def test_a_korean_family_name_with_a_title_is_listed_where_the_new_name_has_none():
    source = {"id": 1, "lang": "ko", "dialogue": "김민준: 네.\n이서연: 김 과장님, 김 팀장님!"}
    (swapped,) = dialtools.swap_names([source], map='{"김민준": "지훈", "이서연": "하은"}')
    assert [left[3] for left in swapped["history"][0]["left"]] == ["김 과장님", "김 팀장님"]


def test_a_drawn_name_never_occurs_in_the_record():
    taken = [row["name"] for row in pools.named("frequent", get("en"))][:190]
    crowded = record(dialogue=[{"speaker": "X-1", "text": " ".join(taken)}])
    for swapped in dialtools.swap_names([crowded], variants=5):
        assert swapped["history"][0]["names"]["X-1"] not in taken


@each_row(
    "pool, options, reason",
    [
        (
            ["Ruth"],
            {"gender": False},
            "2 people: 2 of any gender are needed, and the pool holds 1 without gender that",
        ),
        (
            ["Ruth", "Carl"],
            {"gender": False, "variants": 3},  # 2 ways for 2 names; 3!/1! = 6 for 3
            r"3 variants of 2 people that differ \(2 could be made\): 3 of any gender are needed",
        ),
        (
            ["Ruth\tf", "Zoe\tf"],
            {},
            "2 people: 1 male are needed, and the pool holds 2 female that",
        ),
        (
            ["Ruth\tf", "Zoe\tf", "Carl\tm", "Tom\tm"],
            {"variants": 5},  # 2 · 2 ways; 3 · 2 are enough
            r"5 variants of 2 people that differ \(4 could be made\): 3 female are needed, and the pool holds 2 female, "
            "2 male that",
        ),
        (
            ["Ruth\tf", "Sky"],
            {"variants": 2},  # Sky may be either, but John has no other
            r"2 variants of 2 people that differ \(1 could be made\): 2 female and 1 male are needed, and the pool "
            "holds 1 female, 1 without gender that",
        ),
        (
            ["Ruth\tf", "Carl\tm"],
            {"one": True, "variants": 2},
            r"2 variants of 1 person that differ \(1 could be made\): 2 female are needed",
        ),
        (
            ["Mary\tf", "John\tm", "Eve", "You"],
            {},
            "2 people: 1 female and 1 male are needed, and the pool holds none that do not occur in the record",
        ),
    ],
)
def test_a_pool_that_is_too_small_says_how_many_names_are_needed(pool, options, reason):
    with pytest.raises(RecordError, match=f"too few names for {reason}"):
        list(dialtools.swap_names([record()], pool_file=pool, **options))


def test_a_name_without_a_gender_goes_to_whom_it_must():
    """Mary may be called Ruth or Sky, John only Sky; whatever is drawn first."""
    for seed in range(20):
        (swapped,) = dialtools.swap_names([record()], pool_file=["Ruth\tf", "Sky"], seed=seed)
        assert swapped["history"][0]["names"] == {"Mary": "Ruth", "John": "Sky"}


def test_all_variants_that_there_can_be_are_found():
    swapped = list(
        dialtools.swap_names([record()], pool_file=list("Ab Cd Ef Gh Ij Kl".split()), variants=30)
    )
    assert len({json.dumps(one["history"][0]["names"]) for one in swapped}) == 30  # 6 · 5


def test_a_romanised_dialogue_gets_names_in_latin_letters():
    source = {
        "id": 1,
        "lang": "hi",
        "dialogue": "Vikas: Neha kahan hai?\nNeha: Main yahan hoon, Vikas.",
    }
    (swapped,) = dialtools.swap_names([source])
    assert swapped["dialogue"].isascii() and "Vikas" not in swapped["dialogue"]
    assert [
        full_names.gender(name, known("hi")) for name in swapped["history"][0]["names"].values()
    ] == [
        "m",
        "f",
    ]


def test_a_pool_of_ones_own_may_have_readings():
    pool = ["name\tgender\treading\tweight", "彩子\tf\tあやこ\t3", "健\tm\tけん\t1"]
    source = {
        "id": 1,
        "lang": "ja",
        "dialogue": [{"speaker": "美香", "text": "みかだよ。"}],
    }
    (swapped,) = dialtools.swap_names([source], pool_file=pool)
    assert swapped["dialogue"] == [{"speaker": "彩子", "text": "あやこだよ。"}]
    (restored,) = dialtools.swap_names([swapped | {"prediction": "あやこと彩子"}], restore=True)
    assert restored["prediction"] == "みかと美香"


def test_a_pool_of_ones_own_is_all_that_is_drawn_from():
    odd = record(dialogue=[{"speaker": "Qwertina", "text": "Hi"}])  # of unknown gender
    for swapped in dialtools.swap_names([odd], pool_file=["Zelda\tf", "Zack\tm"], variants=2):
        assert swapped["history"][0]["names"]["Qwertina"] in ("Zelda", "Zack")


def test_a_record_without_anybody_to_rename_is_not_touched():
    source = {"id": 1, "lang": "en", "dialogue": [{"speaker": "Agent", "text": "Hi"}]}
    before = json.dumps(source)
    swapped = list(dialtools.swap_names([source], variants=3, keep_original=True))
    assert json.dumps(source) == before == json.dumps(swapped[0])
    assert [one.get("variant") for one in swapped] == [None, "names:1", "names:2", "names:3"]


@each_row("template", ["", "X", "{n}", " {n}\n", "P:{n}", "{n}{n}"])
def test_templates_that_are_none(template):
    with pytest.raises(OptionError, match="needs {n} for the number and no colon"):
        list(dialtools.swap_names([record()], ids=True, pattern=template or "no number"))


def test_ids_are_nobody_elses_label():
    source = record(dialogue="Speaker 1: Hi\nSpeaker1: Hi\nAnn: Ask Speaker2.\nBob: Who?")
    (swapped,) = dialtools.swap_names([source], ids=True)
    assert swapped["history"][0]["names"] == {"Ann": "Speaker3", "Bob": "Speaker4"}


def test_a_change_that_changed_nothing_does_not_stop_a_restore():
    swapped = dialtools.swap_names([record()])
    same = dialtools.perturb(swapped, kind=["typo.case:rate=0"])
    (restored,) = dialtools.swap_names(same, restore=True)
    assert restored["dialogue"] == record()["dialogue"]


@each_row(
    "people",
    [
        [{"name": ""}],
        [{"name": "Eve", "gender": "female"}],
        [{"name": "Eve", "aliases": "Evie"}],
        {"name": "Eve"},
        ["Eve"],
    ],
)
def test_people_that_are_declared_wrongly(people):
    with pytest.raises(RecordError, match='"people" is a list of objects'):
        list(dialtools.swap_names([record(people=people)]))


def test_declared_people_and_their_aliases_are_renamed_too():
    people = [
        {"name": "Eve", "gender": "f", "aliases": ["Evie"]},
        {"name": "Mary", "aliases": ["M. Smith"]},
    ]
    source = record(people=people, context="Evie and Eve met M. Smith.")
    (swapped,) = dialtools.swap_names([source])
    names = swapped["history"][0]["names"]
    assert swapped["context"] == f"{names['Eve']} and {names['Eve']} met {names['Mary'][0]}. Smith."
    (restored,) = dialtools.swap_names([swapped], restore=True)
    assert restored["context"] == source["context"]


@each_row(
    "lang, name, text, stays",
    [
        ("en", "Jack", "Jack of all trades, Jack!", "Jack of all trades, {}!"),
        ("en", "Pat", "Pat, pat the dog. pat, I said", "{}, pat the dog. pat, I said"),
        ("en", "Diego", "Diego, is Diego in San Diego?", "{0}, is {0} in San Diego?"),
        (
            "en",
            "Valentine",
            "Valentine, a happy Valentine’s Day to Valentine!",
            "{0}, a happy Valentine’s Day to {0}!",
        ),
        (
            "en",
            "Oscar",
            "Oscar, the Oscars are on, and Oscar’s late",
            "{0}, the Oscars are on, and {0}’s late",
        ),
        ("es", "Diego", "Diego vive en San Diego", "{} vive en San Diego"),
        ("it", "Marco", "Marco aspetta in piazza San Marco", "{} aspetta in piazza San Marco"),
        ("fr", "Étienne", "Étienne habite à Saint Étienne", "{} habite à Saint Étienne"),
        (
            "en",
            "Roger",
            "I told Roger that he can. Roger that!",
            "I told {} that he can. Roger that!",
        ),
        ("de", "Peter", "Peter spielt Schwarzer Peter", "{} spielt Schwarzer Peter"),
        ("en", "Ty", "ty, Ty! ty so much", "ty, {}! ty so much"),
        ("en", "May", "Auntie May met May in May", "Auntie {} met May in May"),
        ("de", "Wolf", "Ich sah Herrn Wolf und einen Wolf", "Ich sah Herrn {} und einen Wolf"),
        ("en", "Milan", "Milan, let's fly to Milan!", "{}, let's fly to Milan!"),
        ("zh", "林林", "林林总总的问题，林林都解决了。", "林林总总的问题，{}都解决了。"),
        ("zh", "周杰", "周杰伦是谁？周杰也不知道。", "周杰伦是谁？{}也不知道。"),
        ("zh", "马云", "马云飞来了吗？马云呢？", "马云飞来了吗？{}呢？"),
        ("ja", "マイク", "マイクさん、マイクを持って。", "{}さん、マイクを持って。"),
        ("ja", "アンナ", "アンナ、あんな人とあんなに？", "{}、あんな人とあんなに？"),
        ("ja", "サラ", "サラとさらに話す。", "{}とさらに話す。"),
        ("ja", "ショウ", "ショウは行くでしょうね。", "{}は行くでしょうね。"),
        ("ja", "シン", "シンも楽しんでね。", "{}も楽しんでね。"),
        (
            "ja",
            "タク",
            "タクがたくさん、来たらたくさん買う。",
            "{}がたくさん、来たらたくさん買う。",
        ),
        ("ja", "マサ", "マサ、まさか！まさかの話。", "{}、まさか！まさかの話。"),
        ("ja", "リナ", "リナです。始めたばかりなので。", "{}です。始めたばかりなので。"),
        ("ja", "ココ", "ココ、ここにいて。", "{}、ここにいて。"),
        ("zh", "乐乐", "音乐乐谱和乐乐", "音乐乐谱和{}"),
        ("en", "Walker", "hi Walker. he is a dog walker.", "hi {}. he is a dog walker."),
        ("zh", "王建国", "美国国籍，王建国。", "美国国籍，{}。"),
        ("zh", "高丽娜", "高丽娜认识玛丽娜。", "{}认识玛丽娜。"),
        ("ko", "하나", "하나야, 하나님께서 오셨다.", "{}야, 하나님께서 오셨다."),
        ("hi", "चाँद", "चाँद भाई, चाँद निकला।", "{} भाई, चाँद निकला।"),
        ("hi", "राम", "राम राम, राम भैया!", "राम राम, {} भैया!"),
        ("hi", "लक्ष्मण", "लक्ष्मण, लक्ष्मण रेखा!", "{}, लक्ष्मण रेखा!"),
        ("id", "Fitri", "Fitri, selamat Idul Fitri!", "{}, selamat Idul Fitri!"),
        ("id", "Mei", "Halo Mei, tanggal 3 Mei?", "Halo {}, tanggal 3 Mei?"),
        (
            "fr",
            "Noël",
            "Bonjour Noël, le Père Noël vient à Noël",
            "Bonjour {}, le Père Noël vient à Noël",
        ),
        ("es", "Julio", "Julio vino en julio, Julio.", "{0} vino en julio, {0}."),
        ("it", "Roma", "Ciao Roma, vado a Roma", "Ciao {}, vado a Roma"),
        ("zh", "五月", "五月，我五月生的", "{}，我五月生的"),
        ("ko", "경주", "경주야, 경주에 갔어", "{}야, 경주에 갔어"),
        ("en", "Eve", "Eve, on Christmas Eve Eve was in", "{0}, on Christmas Eve {0} was in"),
        ("en", "Will", "Nana will come. Is DJ Will in?", "Nana will come. Is DJ {} in?"),
    ],
)
def test_what_reads_like_a_name_and_is_none_is_left_and_told(lang, name, text, stays):
    new = {"zh": "王刚", "ja": "ケン", "hi": "अमित", "ko": "은우"}.get(lang, "Ole")
    (swapped,) = dialtools.swap_names(
        [{"id": 1, "lang": lang, "text": text}], map=json.dumps({name: new})
    )
    assert swapped["text"] == stays.format(new) and swapped["history"][0]["left"]


@each_row(
    "name, text, stays",
    [
        (
            "Pete",
            "Pete, for Pete's sake",
            "Ole, for Pete's sake",
        ),  # nobody's, though tagged as a name
        ("Diego", "Diego in San Diego", "Ole in San Diego"),
        ("Pat", "Pat saw Pat on the train", "Ole saw Ole on the train"),
    ],
)  # pat on the back: by the tag
def test_a_phrase_with_a_name_that_is_no_word_is_nobodys_whatever_its_tag(name, text, stays):
    tokens = [
        {"form": found[0], "start": found.start(), "end": found.end(), "upos": "PROPN"}
        for found in re.finditer(name, text)
    ]
    (swapped,) = dialtools.swap_names(
        [{"id": 1, "lang": "en", "text": text, "tokens": tokens}], map=json.dumps({name: "Ole"})
    )
    assert swapped["text"] == stays


@each_row(
    "lang, name, text, expected",
    [
        (
            "en",
            "Robin Hood",
            "Hello Robin Hood, is Robin Hood's horse here?",
            "Hello Ole, is Ole's horse here?",
        ),
        ("de", "Max Mustermann", "Das ist Max Mustermann", "Das ist Ole"),
        ("en", "Morgan", "Here is Captain Morgan", "Here is Captain Ole"),
        ("en", "Simon", "Simon says no. He, Simon, says so", "Ole says no. He, Ole, says so"),
        ("es", "Juan", "Buenos días, don Juan", "Buenos días, don Ole"),
    ],
)
def test_the_bearer_of_a_name_that_is_a_phrase_and_people_with_a_title_are_renamed(
    lang, name, text, expected
):
    (swapped,) = dialtools.swap_names(
        [{"id": 1, "lang": lang, "text": text}], map=json.dumps({name: "Ole"})
    )
    assert swapped["text"] == expected and "left" not in swapped["history"][0]


def test_a_phrase_is_one_of_whole_words():
    (swapped,) = dialtools.swap_names(
        [{"id": 1, "lang": "en", "text": "Jane doesn't know a Jane Doe."}], map='{"Jane": "Mia"}'
    )
    assert swapped["text"] == "Mia doesn't know a Jane Doe."


def test_a_given_name_of_two_letters_is_a_chinese_name_but_not_within_another_one():
    text = "国强，张国强！李国强和小国强呢？丽萍姐"
    record = {"id": 1, "lang": "zh", "text": text}
    (two,) = dialtools.swap_names(
        [record], map=json.dumps({"张国强": "周建文", "何丽萍": "郝春梅"})
    )
    assert two["text"] == "建文，周建文！李国强和小建文呢？春梅姐"
    (one,) = dialtools.swap_names([record], map=json.dumps({"张国强": "周浩"}))
    assert one["text"] == "周浩，周浩！李国强和小周浩呢？丽萍姐"


def test_two_letters_that_stand_for_a_speaker_are_left_in_a_text_of_another_script():
    source = {"id": 1, "lang": "ja", "dialogue": "AI: 最近、AIがすごい。\nBK: AIさんもそう思う？"}
    (swapped,) = dialtools.swap_names([source], pool_file=["健太", "蓮"])
    new = swapped["history"][0]["names"]["AI"]
    assert swapped["dialogue"].split("\n")[0] == f"{new}: 最近、AIがすごい。"
    assert f"{new}さんもそう思う？" in swapped["dialogue"]
    assert [left[3] for left in swapped["history"][0]["left"]] == ["AI"]


def test_in_a_reference_a_capital_is_enough():
    source = {"id": 1, "lang": "en", "dialogue": "Mark: Hi", "reference": "Mark says hi. A mark."}
    (swapped,) = dialtools.swap_names([source], pool_file=["Omar"])
    assert swapped["reference"] == "Omar says hi. A mark."


def test_what_is_gone_cannot_be_undone():
    (swapped,) = dialtools.swap_names([record()])
    del swapped["context"]
    with pytest.raises(RecordError, match="no longer holds what was changed"):
        list(dialtools.swap_names([swapped], restore=True))


def test_draws_are_uniform():
    rng, counts = random.Random(1), dict.fromkeys("abcd", 0)
    for _ in range(8000):
        counts[drawing.draw("abcd", rng, lambda name: name != "b")] += 1
    assert counts["b"] == 0 and all(
        2500 < counts[name] < 2850 for name in "acd"
    )  # 2667 expected, 4 sigma is 170


@each_row("other", ["Jose\u0301", "JOSÉ", " José "])
def test_two_ways_to_write_a_name_are_one_person(other):
    source = record(
        dialogue=[
            {"speaker": "José", "text": "Hi Mary"},
            {"speaker": "Mary", "text": f"Hi {other}"},
            {"speaker": other, "text": "Hi"},
        ]
    )
    (swapped,) = dialtools.swap_names([source], map='{"Jose\u0301": "Carl"}')
    new = swapped["dialogue"][2]["speaker"]
    assert new == swapped["dialogue"][1]["text"][3:] and new.strip().lower() == "carl"
    assert swapped["dialogue"][0]["speaker"] == "Carl"
    drawn, other = dialtools.swap_names([source], one=True)
    assert other["history"][0]["speaker"] == "Mary"
    assert drawn["history"][0]["turns"] == 2 and drawn["history"][0]["position"] == 1


def test_ids_number_the_speakers_in_the_order_of_their_first_turns():
    (swapped,) = dialtools.swap_names([record()], ids=True)
    assert swapped["history"][0]["names"] == {"Mary": "Speaker1", "John": "Speaker2"}
    assert swapped["variant"] == "ids:1"
    (zh,) = dialtools.swap_names([record(lang="zh")], ids=True)
    assert zh["history"][0]["names"]["Mary"] == "说话人1"


@each_row(
    "lang, woman, man, sister",
    [
        ("hi", "माँ", "Dad", "Sister 2"),
        ("en", "Girl", "Salesman", "Female B"),
        ("en", "Saleswoman", "Boy", "girl 1"),
        ("es", "Tía", "Tío", "La abuela"),
        ("en", "Female", "Policeman", "Mum"),
        ("en", "Woman", "Chairman", "Aunt"),
        ("en", "Wife", "Male A", "Sister"),
    ],
)
def test_a_role_that_tells_a_gender_gets_a_name_of_it(lang: str, woman: str, man: str, sister: str):
    for seed in range(5):
        record = {"id": 1, "lang": lang, "dialogue": f"{woman}: हाँ\n{man}: हाँ\n{sister}: हाँ"}
        (swapped,) = dialtools.swap_names([record], roles=True, seed=seed)
        names = swapped["history"][0]["names"].values()
        assert [full_names.gender(name, known(lang)) for name in names] == ["f", "m", "f"]


@each_row(
    "label, lang",
    [
        ("Agent", "en"),
        ("agent 2", "en"),
        ("A", "en"),
        ("Speaker 1", "en"),
        ("Mom", "en"),
        ("Uncle", "en"),
        ("客服", "zh"),
        ("**Agent**", "en"),
        ("🎉 Agent", "en"),
        ("Agent (bot)", "en"),
        ("Mr. A", "en"),
        ("客服小姐", "zh"),
        ("Pak Guru", "id"),
        ("妈妈", "zh"),
        ("お母さん", "ja"),
        ("माँ", "hi"),
        ("दादी", "hi"),
        ("Ibu", "id"),
        ("Simbah", "jv"),
        ("Mutter", "de"),
        ("Maman", "fr"),
        ("Mamá", "es"),
        ("Tía", "es"),
        ("La Policía", "es"),
        ("Le juge", "fr"),
        ("Mamma", "it"),
        ("엄마", "ko"),
        ("고객님", "ko"),
        ("The Old Man", "en"),
        ("UNIDENTIFIED WOMAN #2", "en"),
        ("Project Manager", "en"),
        ("Q.", "en"),
        ("说话人A", "zh"),
    ],
)
def test_roles_are_renamed_only_when_asked(label, lang):
    helpdesk = record(lang=lang, dialogue=[{"speaker": label, "text": "Hello"}])
    (kept,) = dialtools.swap_names([helpdesk])
    assert kept["dialogue"] == helpdesk["dialogue"] and kept["history"][0]["changed"] is False
    (renamed,) = dialtools.swap_names([helpdesk], roles=True)
    assert renamed["dialogue"][0]["speaker"] != label


def test_predictions_are_mapped_back_also_in_n_best_lists():
    (swapped,) = dialtools.swap_names([record()], pool_file=["Ruth\tf", "Carl\tm"])
    swapped["prediction"] = [
        "Ruth greets Carl, carl thanks RUTH's friend Ruthie.",
        "Mary greets Carlos.",
    ]
    (restored,) = dialtools.swap_names([swapped], restore=True)
    assert restored["prediction"] == [
        "Mary greets John, john thanks MARY's friend Ruthie.",
        "Mary greets Carlos.",
    ]
    entry = restored["history"][-1]
    assert entry["unmapped"] == ["Carlos", "Ruthie"] and entry["strangers"] == ["Mary"]
    assert entry["counts"] == {"unmapped": 2, "strangers": 1, "invented": 0, "lost": 0}


@each_row("said, stays", [("Ruth greets.", False), ("They greet.", True)])
def test_scores_of_a_prediction_that_changes_go_with_it(said: str, stays: bool):
    """Delays are of each word, and stay: a name stands for a name."""
    (swapped,) = dialtools.swap_names([record()], pool_file=["Ruth\tf", "Carl\tm"])
    (scored,) = dialtools.score(
        [swapped | {"prediction": said, "delays": [1, 2]}], metric=["rouge1"]
    )
    (restored,) = dialtools.swap_names([scored | {"statistics": {"bleu": [1]}}], restore=True)
    kept = {"delays", "scores", "statistics"} if stays else {"delays"}
    assert {"delays", "scores", "statistics"} & restored.keys() == kept
    assert restored["history"][-1]["counts"].get("old_scores_dropped") == (None if stays else 1)


def test_what_a_system_made_of_the_names_is_listed():
    people = [{"name": "Emma", "aliases": ["Emmy"]}, {"name": "James"}]
    source = record(
        dialogue="Emma: Hi James\nJames: Hi Emmy, I have James' keys, Bob!", people=people
    )
    (swapped,) = dialtools.swap_names([source], pool_file=["Susan\tf", "Robert\tm"])
    swapped["prediction"] = (
        "Sue and Susan's Robertino meet Bobby, Emma and Olivia; Bob has Robert's keys."
    )
    (restored,) = dialtools.swap_names([swapped], restore=True)
    entry = restored["history"][-1]
    assert (
        restored["prediction"]
        == "Sue and Emma's Robertino meet Bobby, Emma and Olivia; Bob has James' keys."
    )
    assert entry["unmapped"] == [
        "Bobby",
        "Robertino",
        "Sue",
    ]  # short, and longer; Bob is in the input, too
    assert entry["strangers"] == ["Emma"] and entry["invented"] == ["Olivia"]
    assert entry["lost"] == [
        "Emmy"
    ]  # what Susan may have been; Robert's was James' all over the input
    (restored,) = dialtools.swap_names([swapped | {"prediction": "They met."}], restore=True)
    assert "lost" not in restored["history"][-1]


@each_row(
    "names, text, said, unmapped",
    [
        (
            {"John Smith": "Peter Brown"},
            "The brown dog!",
            "Peter met Mr. Brown.",
            ["Brown", "Peter"],
        ),  # in the new label
        ({"John": "Robert"}, "They rob me, bob.", "Bob and Rob meet.", ["Bob", "Rob"]),
        ({"John": "Robert"}, "Is Bob here?", "Bob and Rob meet.", ["Rob"]),
    ],
)
def test_a_part_of_a_new_name_is_listed_unless_the_input_wrote_it_so_before(
    names, text, said, unmapped
):
    (swapped,) = dialtools.swap_names(
        [record(dialogue=[{"speaker": min(names), "text": text}])], map=names
    )
    (restored,) = dialtools.swap_names([swapped | {"prediction": said}], restore=True)
    assert restored["prediction"] == said and restored["history"][-1]["unmapped"] == unmapped


@each_row(
    "lang, names, said, restored, told",
    [
        ("zh", {"Tom": "Sam"}, "Sam去吃饭，Sammy不去", "Tom去吃饭，Sammy不去", ["Sammy"]),
        ("ja", {"Tom": "Sam"}, "Samさん", "Tomさん", []),
        ("hi", {"प्रिया": "नेहा"}, "नेहाजी से नेहाने", "प्रियाजी से नेहाने", ["नेहाने"]),
        ("hi", {"प्रिया": "रोहित"}, "रोहितさん", "रोहितさん", ["रोहितさん"]),
    ],
)
def test_a_word_that_goes_on_behind_a_name_ends_with_its_script(lang, names, said, restored, told):
    (swapped,) = dialtools.swap_names([record(lang=lang, dialogue=f"{min(names)}: 1")], map=names)
    (back,) = dialtools.swap_names([swapped | {"prediction": said}], restore=True)
    assert back["prediction"] == restored and back["history"][-1].get("unmapped", []) == told


def test_misspelt_new_names_are_listed_but_no_words_and_no_names():
    """Maura is a name and Aural a word that the language knows, Zeynon is in the input, and zenon has no capital."""
    source = record(
        dialogue=[{"speaker": "Mary", "text": "Hi Zeynon"}, {"speaker": "John", "text": "Hi"}]
    )
    (swapped,) = dialtools.swap_names([source], map={"Mary": "Laura", "John": "Zennon"})
    said = "Zenon, Zennno and Zenonn meet Luara's Zenno, Zeynon, Maura, zenon; the Zennons saw Saura. Aural Laura."
    (restored,) = dialtools.swap_names([swapped | {"prediction": said}], restore=True)
    assert restored["prediction"] == said.replace("the Zennons", "the Johns").replace(
        "Laura.", "Mary."
    )
    assert restored["history"][-1]["unmapped"] == [
        "Luara's",
        "Saura",
        "Zennno",
        "Zenno",
        "Zenon",
        "Zenonn",
    ]


@each_row(
    "names, said, restored, told",
    [
        (
            {"Will": "Zoe", "Eve": "Will"},
            "Zoe meets Will",
            "Will meets Eve",
            {},
        ),  # Will is old, and new
        (
            {"Will": "Carl", "Eve": "Zoe"},
            "Carl says it will rain on Hope.",
            "Will says it will rain on Hope.",
            {},
        ),
        (
            {"Will": "Carl", "Eve": "Zoe"},
            "Will says so to Olivia",
            "Will says so to Olivia",
            {"strangers": ["Will"], "invented": ["Olivia"]},
        ),
        (
            {"Will": "Carl", "Eve": "Zoe"},
            "Zoeee! Zoes, Zoella",
            "Eveee! Eves, Zoella",
            {"unmapped": ["Zoella"]},
        ),
    ],
)
def test_words_and_names_that_were_in_the_input_are_no_strangers(names, said, restored, told):
    """Beside tokens, which change with the names."""
    tokens = [{"form": "Hi", "start": 0, "end": 2}, {"form": "Eve", "start": 3, "end": 6}]
    source = record(
        dialogue=[
            {"speaker": "Will", "text": "Hi Eve", "tokens": tokens},
            {"speaker": "Eve", "text": "Hi"},
        ]
    )
    (swapped,) = dialtools.swap_names([source], map=json.dumps(names), allow_cross_gender=True)
    (back,) = dialtools.swap_names([swapped | {"prediction": said}], restore=True)
    assert back["prediction"] == restored and back["dialogue"] == source["dialogue"]
    facts = ("unmapped", "strangers", "invented", "lost")
    assert {
        fact: back["history"][-1][fact] for fact in facts if fact in back["history"][-1]
    } == told


def test_an_old_name_without_its_title_is_a_stranger_too_and_none_is_invented():
    source, names = (
        record(dialogue="Dr. Ross: Hi\nTOM (off): Hi"),
        {"Dr. Ross": "Dr. Bell", "TOM (off)": "ZOE (off)"},
    )
    (swapped,) = dialtools.swap_names([source], map=names)
    (back,) = dialtools.swap_names(
        [swapped | {"prediction": "Ross and Tom meet Zoe and Dr. Bell"}], restore=True
    )
    assert back["prediction"] == "Ross and Tom meet Tom and Dr. Ross"
    assert (
        back["history"][-1]["strangers"] == ["Ross", "TOM"]
        and "invented" not in back["history"][-1]
    )


def test_endings_of_a_name_are_nothing_that_was_not_mapped_back():
    (swapped,) = dialtools.swap_names(
        [{"id": 1, "lang": "ko", "dialogue": "민수: 나는 민수야."}], pool_file=["연우"]
    )
    (restored,) = dialtools.swap_names(
        [swapped | {"prediction": "연우라고 해요. 연우가 와요."}], restore=True
    )
    assert restored["prediction"] == "민수라고 해요. 민수가 와요."
    assert set(restored["history"][-1]["counts"].values()) == {0}


def test_an_old_name_that_was_left_in_the_input_is_no_stranger_in_the_output():
    (swapped,) = dialtools.swap_names([record(dialogue="Will: Will you come?\nEve: No")])
    (restored,) = dialtools.swap_names([swapped | {"prediction": "Will asks."}], restore=True)
    assert "strangers" not in restored["history"][-1]


@each_row(
    "speakers, said, left",
    [
        ("Robert", "Bob and bob, Bobby", ["Bob", "Bobby"]),
        ("Jim", "James", ["James"]),
        ("William", "Will you ask Bill? I will", ["Bill"]),
        ("Anna Lee", "Anna, Ms. Lee", ["Anna", "Lee"]),
        ("Robert, Bob", "Bob and Rob", ["Rob"]),
        ("Zoé", "Zoe, ZOÉ, Zoë, zoe, zoes", ["Zoe", "Zoë", "zoe"]),
        ("Lucia", "Lucía, lucía, Luciá's, Lúcio", ["Lucía", "lucía", "Luciá's"]),
        (
            "Jean-Luc",
            "Jean Luc, jean luc, JeanLuc, Jean, jean, Jean-Claude, Jean-Luuuc, Jean-Luccc",
            ["Jean Luc", "jean luc", "JeanLuc", "Jean", "Jean-Luuuc"],
        ),
        ("Rosé", "a rose, rosé", []),
        ("Jean-Luc Roy (off)", "Jean-Luc, jean-luc, Jean, --- Luc", ["Jean-Luc", "Jean", "Luc"]),
        ("Jürgen", "Juergen, Jurgen, JUERGEN", ["Juergen", "Jurgen", "JUERGEN"]),
        ("Juergen", "Jürgen", ["Jürgen"]),
        ("@bob", "bob, Bob, @bob, bobby, bob@mail.org", ["bob", "Bob"]),
        ("@will", "I will, Will!", ["Will"]),
        ("Anna", "Annnna, Aaanna, Annaaa, Ana, Hannnna", ["Annnna", "Aaanna"]),
        ("Anna, Ana", "Annnna", ["Annnna"]),
        ("Zoe, Zoë", "zoe, zoë", []),
        ("Alexander, Alexandra", "Alex", ["Alex"]),
        ("Debbie", "Deb, Debs and Deborah, deb", ["Deb", "Debs", "Deborah"]),
        ("Spencer", "Hey Spence, spend", ["Spence"]),
        ("Freddy", "Fred, Frederick", ["Fred", "Frederick"]),
        ("Brenda", "I saw Bren. Brendon too", ["Bren"]),
        ("Juliet", "Oh Jules! July, Julius", ["Jules"]),
        ("Katie", "Kate and Katherine", ["Kate", "Katherine"]),
        ("Alejandro", "so Alex left", ["Alex"]),
        ("Mackenzie Fox", "ask Mac or Kenzie", ["Mac", "Kenzie"]),
        ("Megan", "that is Meggan, Meghan and Morgan, mean", ["Meggan", "Meghan"]),
        ("Marin", "Mary, Mario, Martin", []),
        ("Jonathan", "Jonathon, Jonathn, Nathan", ["Jonathon", "Jonathn"]),
        ("Brian", "Bryan, Briana, Brain", ["Bryan"]),
        ("Maria", "see Mario or Marc in March. Marinate it", []),
        ("Sandra", "in San Marino, Sand", []),
        ("Carla", "Carlas, Carlaaa, my car. CAR", []),
    ],
)
def test_what_may_be_short_for_a_name_is_left_and_told(speakers, said, left):
    source = {
        "id": 1,
        "lang": "en",
        "dialogue": "\n".join(f"{name}: {said}" for name in speakers.split(", ")[:1]),
    }
    source["dialogue"] += "".join(f"\n{name}: Hi" for name in speakers.split(", ")[1:])
    (swapped,) = dialtools.swap_names([source], pool="unknown")
    entry = swapped["history"][0]
    assert [one[3] for one in entry.get("left", [])] == left
    of_several = speakers in ("Alexander, Alexandra", "Anna, Ana", "Robert, Bob")
    assert [one[4].startswith("ambiguous") for one in entry.get("left", [])] == [of_several] * len(
        left
    )


def test_what_was_changed_after_the_swap_must_be_undone_first():
    swapped = dialtools.swap_names([record()])
    greeted = dialtools.perturb(swapped, kind=["dialogue.greeting"])
    with pytest.raises(RecordError, match="dt-perturb changed the record after dt-swap-names"):
        list(dialtools.swap_names(greeted, restore=True))


def test_a_second_swap_is_restored_step_by_step():
    once = list(dialtools.swap_names([record()]))
    twice = list(dialtools.swap_names(once, ids=True))
    assert twice[0]["variant"] == "names:1/ids:1"
    (back,) = dialtools.swap_names(dialtools.swap_names(twice, restore=True), restore=True)
    assert all(back[key] == record()[key] for key in ("dialogue", "context", "reference"))


def test_unknown_pool_and_broken_file_of_names():
    with pytest.raises(
        OptionError, match="no pool 'frequnt'.*did you mean frequent.*; 'pool_file' reads"
    ):
        list(dialtools.swap_names([record()], pool="frequnt"))


@each_row(
    "lines, reason",
    [
        (["Ruth\tf", "Carl\tx"], "names: line 2: a gender is f, m or u, here is 'x'"),
        ([], "names: no names"),
        (["", " "], "names: no names"),
        (["Ruth", "Z"], "line 2: a name of two letters or more, .* is wanted, here is 'Z'"),
        (
            ["Name\tGender\tgender", "Ruth\tf\tm"],
            "line 2: the header has the column 'gender' twice",
        ),
        (["Dr: No"], "line 1: a name .* without a colon, is wanted"),
        (["gender\tname", "f\t"], "line 2: a name of two letters"),
        (["Sam\tf", "Ruth\tf", "Sam\tm"], "line 3: Sam has the gender 'f' above, and 'm' here"),
    ],
)
def test_files_of_names_that_are_none(lines, reason):
    with pytest.raises(OptionError, match=reason):
        list(dialtools.swap_names([record()], pool_file=lines))


def drawn(**options):
    """Return {variant: names} of a record."""
    return {
        one["variant"]: one["history"][0]["names"]
        for one in dialtools.swap_names([record()], **options)
    }


def test_each_pool_makes_variants_that_do_not_depend_on_the_others():
    own_pool = ["Ruth\tf", "Carl\tm", "Eve\tf", "Tom\tm"]
    several = drawn(pool=["black", "white"], pool_file={"a/b": own_pool}, variants=2)
    alone = [
        drawn(pool="black", variants=2),
        drawn(pool="white", variants=2),
        drawn(pool_file=own_pool, variants=2),
    ]
    assert list(several) == [
        "names.black:1",
        "names.black:2",
        "names.white:1",
        "names.white:2",
        "names.a%2Fb:1",
        "names.a%2Fb:2",
    ]
    assert list(several.values()) == [names for one in alone for names in one.values()]
    ones = list(dialtools.swap_names([record()], pool=["black", "white"], one=True))
    assert [one["variant"] for one in ones] == [
        "one1.black:1",
        "one2.black:1",
        "one1.white:1",
        "one2.white:1",
    ]
    assert [one["history"][0]["pool"] for one in ones] == ["black", "black", "white", "white"]
    assert [
        dialtools.swap_names([one], restore=True).__next__()["dialogue"] for one in ones
    ] == 4 * [record()["dialogue"]]


@each_row(
    "pools_asked, reason",
    [
        ({"pool": ["black", "black"]}, "two pools have the label"),
        ({"pool": "black", "pool_file": ["Ruth"]}, "a file needs a label"),
        ({"pool": "black", "pool_file": {"Black": ["Ruth"]}}, "two pools have the label"),
        (
            {"pool_file": ["Wei,M,asian"]},
            "names: line 1: a name is wanted, here is 'Wei,M,asian'; the first line of a table",
        ),
        ({"pool_file": ["name,group", "Wei,"]}, "line 2: no group"),
        ({"pool_file": ["name,gender", '"Wei","x"']}, "line 2: a gender is f, m or u, here is 'x'"),
    ],
)
def test_pools_that_cannot_be_told_apart_or_hold_no_names_are_refused(pools_asked, reason):
    with pytest.raises(OptionError, match=reason):
        list(dialtools.swap_names([record()], **pools_asked))


def test_a_table_of_names_is_read_by_its_header_and_each_group_is_a_pool():
    table = ["Group;Name;Sex", 'asian;"Wei";F', "asian;Hao;male", "", "black;Tyra;f", "black;Wei;m"]
    found = drawn(pool_file=table)
    assert found == {
        "names.asian:1": {"Mary": "Wei", "John": "Hao"},
        "names.black:1": {"Mary": "Tyra", "John": "Wei"},
    }


def test_a_header_tells_the_columns_in_any_order():
    found = pools.parse(
        ["weight\tGender\tname", "1\tF\tRuth", "2\tm\tJose\u0301", "1\tF\tRuth\r\n"]
    )
    assert [(row["name"], row["gender"]) for row in found] == [("Ruth", "f"), ("José", "m")]


@each_row(
    "lines, said",
    [
        (
            ["gender\tname", "m\tTom", "f\tAnn\tMay 3"],
            "pool.tsv: line 3: 'May 3' is beyond the columns gender, name",
        ),
        (["name", "Ann\tf"], "pool.tsv: line 2: 'f' is beyond the columns name"),
    ],
)
def test_cells_beyond_the_columns_are_an_error(lines: list[str], said: str):
    with pytest.raises(OptionError, match=re.escape(said)):
        pools.parse(lines, "pool.tsv")
    assert (
        pools.parse(["Ann\tf\t2"])
        == pools.parse(["name\tgender", "Ann\tf\t\t"])
        == [{"name": "Ann", "gender": "f"}]
    )
    rows = pools.unchecked_rows(
        ((f"pool.tsv:{number}", line.encode()) for number, line in enumerate(lines, 1)), "en"
    )
    (found,) = [found for row in rows for found in pools.faults(row, {}) if "beyond" in found[1]]
    assert found[0] == "wrong"


NAMES = st.sampled_from(
    ["Ann", "Anna", "#Person1#", "JuJuBee_", "王芳", "राम", "C++", "Will", "Mary Ann"]
)
SAID = st.lists(
    st.one_of(
        NAMES, st.text(max_size=8), st.sampled_from(["anna", "ANN", "\r\n", "will", "#", "@Ann"])
    ),
    max_size=8,
).map(" ".join)


@given(
    speakers=st.lists(NAMES, min_size=1, max_size=4),
    said=st.lists(SAID, min_size=4, max_size=4),
    string=st.booleans(),
    lang=st.sampled_from(["en", "zh", "hi"]),
    seed=st.integers(0, 99),
)
def test_restoring_gives_back_every_input_field(speakers, said, string, lang, seed):
    turns = [{"speaker": speaker, "text": text} for speaker, text in zip(speakers, said)]
    plain = "\n".join(f"{turn['speaker']}: {turn['text']}" for turn in turns)
    source = {
        "id": 1,
        "lang": lang,
        "dialogue": plain if string else turns,
        "context": said[0],
        "reference": said[1:],
    }
    before = json.dumps(source)
    swapped = list(dialtools.swap_names([source], variants=2, seed=seed))
    assert json.dumps(source) == before
    for restored in dialtools.swap_names(swapped, restore=True):
        assert {key: restored.get(key) for key in INPUTS} == {
            key: source.get(key) for key in INPUTS
        }


def test_of_a_map_what_a_record_needs_is_used():
    """Blank lines and spaces around names are nothing; of aliases the history tells under their own key."""
    known = "Ann\tMia\n\n Mary\tRuth \nKim\tLou\n"
    (swapped,) = dialtools.swap_names(
        [record(dialogue="MARY: Hi, Anna\nJohn: Hi", context="", reference="")], map=known
    )
    assert swapped["dialogue"] == "RUTH: Hi, Anna\nJohn: Hi"
    assert swapped["history"][0]["names"] == {"Mary": "Ruth"}
    known = '{"names": {"Mary": "Ruth"}, "aliases": {"Molly": "Rue"}}'
    (swapped,) = dialtools.swap_names(
        [record(dialogue="Mary: I'm Molly\nJohn: Hi", context="", reference="")], map=known
    )
    assert swapped["dialogue"] == "Ruth: I'm Rue\nJohn: Hi" and swapped["history"][0]["names"] == {
        "Mary": "Ruth"
    }


@each_row(
    "known, reason",
    [
        (
            '["Ann"]',
            r'.map.: line 1: NAME TAB NEW is wanted, or {"NAME": "NEW"}; here is "\[\\"Ann\\"\]"',
        ),
        ("Ann\tZoe\nBob", 'line 2: NAME TAB NEW is wanted.*; here is "Bob"'),
        ('{"Ann": }', "'map': no JSON"),
        ("Ann\tZoe\nAnn\tMia", '"Ann" becomes both "Zoe" and "Mia"'),
        ('{"Ann": "Zoe", "Ann": "Mia"}', '"Ann" becomes both "Zoe" and "Mia"'),
        ('{"names": ["Ann"]}', r'\["Ann"\] is no name'),
        ('{"Ann": {"to": "Zoe"}}', "is no name"),
        ('{"Ann": "Zoe: "}', '"Zoe: " cannot be a new name'),
        *(
            (f'{{"names": {{}}, "guards": {guards}}}', '"guards" a list of strings')
            for guards in ('"Ann"', '["Ann", 1]')
        ),
    ],
)
def test_maps_that_are_none(known, reason):
    with pytest.raises(OptionError, match=reason):
        list(dialtools.swap_names([record()], map=known))


@each_row(
    "speakers, said, left",
    [
        ("健太", "健ちゃん、健くん、健君、健、太ちゃん", ["健ちゃん", "健くん", "健君"]),
        ("健太, 健", "健ちゃん", []),
        ("田中太郎", "太ちゃん、田ちゃん", ["太ちゃん"]),
        ("けんた", "けちゃん", []),
    ],
)
def test_what_may_be_short_for_a_japanese_name_is_left_and_told(speakers, said, left):
    dialogue = "".join(f"{name}: はい\n" for name in speakers.split(", ")) + f"花子: {said}"
    (swapped,) = dialtools.swap_names([{"id": 1, "lang": "ja", "dialogue": dialogue}])
    assert [one[3] for one in swapped["history"][0].get("left", [])] == left


def test_a_label_in_capitals_becomes_one_and_what_is_written_otherwise_does_not():
    source = record(
        dialogue="ROSS: It is RACHEL, ROSS'S, Ross's, ross's\nRACHEL: Hi Ross\nTJ: Hi\nJ.R.: Hi"
    )
    (swapped,) = dialtools.swap_names([source])
    new = swapped["history"][0]["names"]
    ross, rachel = new["ROSS"], new["RACHEL"]
    assert ross.isupper() and rachel.isupper() and new["TJ"].istitle() and new["J.R."].istitle()
    assert swapped["dialogue"] == (
        f"{ross}: It is {rachel}, {ross}'S, {ross.title()}'s, {ross.lower()}'s\n"
        f"{rachel}: Hi {ross.title()}\n{new['TJ']}: Hi\n{new['J.R.']}: Hi"
    )
    assert next(dialtools.swap_names([swapped], restore=True))["dialogue"] == source["dialogue"]


def test_an_ending_in_capitals_does_not_stay_behind_a_name_without():
    (swapped,) = dialtools.swap_names([record(dialogue="ROSS: ROSS'S!")], map='{"ROSS": "Richard"}')
    assert swapped["dialogue"] == "Richard: Richard's!"


@each_row(
    "names",
    [
        {"Anna": "zoe", "Tom": "Zoe"},
        {"Anna": "Zoé", "Tom": "Zoe\u0301"},
        {"Anna": "Mary Ann", "Tom": "Mary  Ann"},
        {"Anna": "Zoe", "Tom": "Zoe"},
        {"Anna": "Zoe", "ANNA": "Zoe"},
    ],
)
def test_two_people_do_not_become_one(names):
    with pytest.raises(OptionError, match="two names become"):
        list(dialtools.swap_names([record()], map=json.dumps(names)))


def test_what_the_swap_made_of_a_form_is_mapped_back_to_it():
    source = record(dialogue="Dr. Anna Smith: Hi\nBob: Anna Smith, hi")
    (swapped,) = dialtools.swap_names([source], map='{"Dr. Anna Smith": "Dr. Zoe", "Bob": "Kim"}')
    assert swapped["dialogue"] == "Dr. Zoe: Hi\nKim: Zoe, hi"
    (restored,) = dialtools.swap_names(
        [swapped | {"prediction": "Kim greets Zoe, Dr. Zoe."}], restore=True
    )
    assert restored["prediction"] == "Bob greets Anna Smith, Dr. Anna Smith."


def test_a_name_right_behind_an_address_is_found_where_there_are_no_spaces():
    source = {
        "id": 1,
        "lang": "zh",
        "dialogue": "王芳：看https://a.cn/王芳。王芳，你好（www.b.cn）王芳的",
    }
    (swapped,) = dialtools.swap_names([source], map='{"王芳": "刘敏"}')
    assert swapped["dialogue"] == "刘敏：看https://a.cn/王芳。刘敏，你好（www.b.cn）刘敏的"


@each_row(
    "key, value, wanted",
    [
        ("names", 7, "map of names"),
        ("names", None, "map of names"),
        ("names", {"Anna": 7}, "map of names"),
        ("names", {"Anna": ""}, "map of names"),
        ("names", {"": "Zoe"}, "map of names"),
        ("aliases", 7, "map of names"),
        ("aliases", ["Ann"], "map of names"),
        ("aliases", {"Ann": 7}, "map of names"),
        ("readings", 7, "lists of three"),
        ("readings", ["abc"], "lists of three"),
        ("readings", [["a"]], "lists of three"),
    ],
)
def test_a_history_that_nobody_can_restore_by_is_an_error_on_that_record(key, value, wanted):
    entry = {
        "by": "dt-swap-names",
        "signature": "s",
        "edits": [],
        "names": {"Anna": "Zoe"},
        key: value,
    }
    made = {"id": 1, "lang": "en", "dialogue": "Anna: Hi", "prediction": "Anna", "history": [entry]}
    with pytest.raises(RecordError, match=rf'"{key}" in the history are no {wanted} \(id 1\)'):
        list(dialtools.swap_names([made], restore=True))


def test_without_a_report_no_form_that_is_left_is_kept():
    totals = swaps.Totals(by_form=False)
    for number in range(3):
        totals.add(
            {},
            {"left": [["/text", 0, 1, f"Ann{number}", "a reason"]], "unmapped": [f"Zoe{number}"]},
        )
    assert totals.result()["reasons"] == {"a reason": 3} and not totals.kept_forms


def test_remarks_and_capitals_in_labels_of_a_script_make_nobody_another_person():
    source = record(
        dialogue="JOHN: Hi\nJOHN (V.O.): Mary!\nJOHN (CONT'D): Hm\nMARY (whispering): John?\nMary: Yes"
    )
    (swapped,) = dialtools.swap_names([source])
    john, mary = (swapped["history"][0]["names"][name] for name in ("JOHN", "Mary"))
    assert john.isupper() and mary.istitle()
    assert swapped["dialogue"] == (
        f"{john}: Hi\n{john} (V.O.): {mary}!\n{john} (CONT'D): Hm\n"
        f"{mary.upper()} (whispering): {john.title()}?\n{mary}: Yes"
    )
    assert next(dialtools.swap_names([swapped], restore=True))["dialogue"] == source["dialogue"]


def test_what_is_left_in_a_dialogue_that_is_a_string_is_told_by_its_place_there():
    source = {
        "id": 1,
        "lang": "en",
        "dialogue": "Will: Hi Ann\nAnn: Ann will go, WILL you?\n",
        "text": "will",
    }
    (swapped,) = dialtools.swap_names([source], map={"Will": "Tom", "Ann": "Olivia"})
    left = swapped["history"][0]["left"]
    assert {pointer for pointer, *_ in left} == {"/dialogue", "/text"}
    assert [source[pointer[1:]][start:end] for pointer, start, end, *_ in left] == [
        text for *_, text, _ in left
    ]


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"ids": True}])
def test_a_dialogue_of_thousands_of_speakers_takes_nearly_linear_time(options):
    """Three times as many speakers take less than six times the time: it was nine, and a minute for 10,000."""

    def seconds(number: int) -> float:
        turns = [
            {"speaker": f"Nm{n}x", "text": f"Hi Nm{number - n}x, how are you?"}
            for n in range(number)
        ]
        names = {"map": {turn["speaker"]: turn["speaker"].replace("Nm", "Qz") for turn in turns}}
        start = time.process_time()
        (swapped,) = dialtools.swap_names(
            [{"id": 1, "lang": "en", "dialogue": turns}], **(options or names)
        )
        assert not any("Nm" in turn["speaker"] for turn in swapped["dialogue"])
        return time.process_time() - start

    seconds(10)
    assert seconds(4500) < 6 * seconds(1500)


def test_a_file_of_customs_is_of_a_language_and_others_have_none():
    folder = Path(customs.__file__).parent
    codes = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert codes and codes <= {*languages.known()}
    for code in languages.known():
        declared = [answer for answer in vars(customs.of(get(code))).values() if answer]
        assert bool(declared) == (code in codes)
        assert {answer.__module__ for answer in declared} <= {f"dialtools.names.customs.{code}"}
