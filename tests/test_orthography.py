"""Scripts: what is put into a dialogue is written as the dialogue is, or the kind is not defined."""

import json

import pytest
from table_tests import each_row

import dialtools
from dialtools import languages
from dialtools.system.errors import RecordError

WRITTEN = [
    "phrases",
    "fillers",
    "paraphrases",
    "contractions",
    "contexts",
    "determiners",
    "adjectives",
    "homophones",
    "repeats",
    "formality",
    *(f"terms/{name}" for name in languages.get("zh").tables("terms")),
]
SIMPLE = [
    {"speaker": "志明", "text": "你吃饭了吗？我还没有，因为我们在等她。"},
    {"speaker": "春娇", "text": "没关系，马上来，什么时候去？"},
]
TRADITIONAL = [
    {"speaker": "志明", "text": "你吃飯了嗎？我還沒有，因為我們在等她。"},
    {"speaker": "春嬌", "text": "沒關係，馬上來，什麼時候去？"},
]


@each_row(
    "tag, expected",
    [
        ("zh", "zh"),
        ("zh-Hans", "zh"),
        ("zh-CN", "zh"),
        ("zh-Hans-TW", "zh"),
        ("cmn", "zh"),
        ("zh_SG", "zh"),
        ("zh-Hant", "zh-Hant"),
        ("zh-TW", "zh-Hant"),
        ("zh_hk", "zh-Hant"),
        ("zh-MO", "zh-Hant"),
        ("yue", "zh-Hant"),
        ("zh-yue-Hant", "zh-Hant"),
        ("yue-Hans", "zh"),
        ("zh-Hant-CN", "zh-Hant"),
        ("zh-Latn", "zh-Latn"),
        ("hi", "hi"),
        ("hi-IN", "hi"),
        ("hi-Latn-IN", "hi-Latn"),
        ("hi-Deva", "hi"),
        ("jw-Java", "jv-Java"),
        ("ja-Jpan", "ja"),
        ("ko-Kore-KR", "ko"),
        ("en-US", "en"),
        ("en-x-chat", "en"),
        ("de-1996", "de"),
        ("sw-Arab", "sw"),
    ],
)
def test_a_tag_tells_of_a_script(tag: str, expected: str):
    """Subtags of four letters are scripts (BCP 47), but those behind an x; likely scripts of regions are CLDR's."""
    assert languages.get(tag).variety.tag == expected
    assert languages.get(tag).is_written == (expected in ("zh-Hant", expected.partition("-")[0]))


@each_row(
    "lang, texts, expected",
    [
        ("zh", ["OK"], "zh"),
        ("zh", [], "zh"),
        ("zh", ["这", "這"], "zh"),
        ("zh", ["这", "這說"], "zh-Hant"),
        ("zh", ["公里和一只", "说"], "zh"),
        ("zh", ["媽媽在台北的後面"], "zh-Hant"),
        ("zh", ["著名的庙"], "zh"),
        ("zh-Hans", ["這說"], "zh-Hans"),
        ("ja", ["這說"], "ja"),
        ("sw", ["這"], "sw"),
    ],
)
def test_characters_tell_a_script_where_the_tag_does_not(lang: str, texts: list, expected: str):
    assert languages.get(lang).seen(texts).tag == expected


@each_row("name", WRITTEN)
def test_tables_are_in_traditional_characters(name: str):
    """Big5 has no character that only simplified script has, GB 2312 none that only traditional script has."""
    for simple, row in zip(
        languages.get("zh").table(name), languages.get("zh-TW").written(name), strict=True
    ):
        assert "".join(row.values()).encode("big5")
        assert [len(cell) for cell in row.values()] == [len(cell) for cell in simple.values()]
    assert languages.get("zh-CN").written(name) == languages.get("zh").table(name)


def test_rows_of_traditional_characters_are_needed_and_differ():
    rows = languages.get("zh").table("hant")
    cells = "\n".join(
        cell
        for name in [*WRITTEN, "followups"]
        for row in languages.get("zh").table(name)
        for cell in row.values()
    )
    assert [row["own"] for row in rows if row["own"] not in cells] == []
    single = {row["own"]: row["other"] for row in rows if len(row["own"]) == 1}
    assert not any(
        "".join(single.get(letter, letter) for letter in row["own"]) == row["other"]
        for row in rows
        if len(row["own"]) > 1
    )
    assert not any(own == other for own, other in single.items())
    both = "".join(row["both"] for row in rows)
    assert both.encode("big5") and both.encode("gb2312")


@each_row(
    "word, expected",
    [  # where one simplified character is several, from a dictionary
        ("公里", "公里"),
        ("这里", "這裡"),
        ("联系", "聯繫"),
        ("没关系", "沒關係"),
        ("答复", "答覆"),
        ("恢复", "恢復"),
        ("重复", "重複"),
        ("干净", "乾淨"),
        ("干预", "干預"),
        ("一只", "一隻"),
        ("只是", "只是"),
        ("分钟", "分鐘"),
        ("恶心", "噁心"),
        ("累坏了", "累壞了"),
    ],
)
def test_characters_that_are_several_go_by_their_words(word: str, expected: str):
    assert languages.get("zh-Hant").write(word) == expected


@each_row(
    "lang, turns", [("zh-TW", TRADITIONAL), ("zh", TRADITIONAL), ("zh", SIMPLE), ("zh-CN", SIMPLE)]
)
@each_row(
    "kind",
    [
        "dialogue.greeting",
        "dialogue.closing",
        "dialogue.delay",
        "dialogue.repetition",
        "dialogue.backchannel",
        "asr.filler:rate=1",
        "typo.contraction:rate=1",
    ],
)
def test_what_is_put_in_is_written_as_the_rest(kind: str, lang: str, turns: list):
    for seed in range(5):
        (made,) = dialtools.perturb(
            [{"id": "1", "lang": lang, "dialogue": turns}], kind=[kind], seed=seed
        )
        assert made["history"][-1]["changed"] and made["lang"] == lang
        assert json.dumps(made["dialogue"], ensure_ascii=False).encode(
            "big5" if turns is TRADITIONAL else "gb2312"
        )


@each_row("name", ["phrases", "fillers", "paraphrases"])
def test_what_is_put_in_is_written_alike_in_taiwan_and_hong_kong(name: str):
    """裡 is 裏 in Hong Kong's list of characters for schools, 著 is 着, 臺 is 台, 衛 is 衞."""
    written = "".join(cell for row in languages.get("zh-HK").written(name) for cell in row.values())
    assert set(written) & set("裡著臺衛") == set()


@each_row(
    "text, expected", [("我的女兒很高興", "我的兒子很高興"), ("我的女儿很高兴", "我的儿子很高兴")]
)
def test_terms_are_found_in_both_scripts(text: str, expected: str):
    tokens = [
        {"form": text[start:end], "start": start, "end": end}
        for start, end in ((0, 1), (1, 2), (2, 4), (4, 7))
    ]
    (made,) = dialtools.perturb(
        [{"id": "1", "lang": "zh", "text": text, "tokens": tokens}], kind=["terms.swap"]
    )
    assert made["text"] == expected


def test_terms_of_taiwan_are_known():
    (made,) = dialtools.perturb(
        [{"id": "1", "lang": "zh-TW", "text": "學姊和姊姊說：阿嬤、皇后在後面等姊夫"}],
        kind=["terms.swap:direction=both"],
    )
    assert made["text"] == "學長和哥哥說：阿公、皇帝在後面等大嫂"


@each_row(
    "text, target, attribute",
    [("老头很固执", ["老头"], ["固执"]), ("老頭在台北很固執", ["老頭"], ["固執"])],
)
def test_records_are_selected_by_terms_in_both_scripts(text: str, target: list, attribute: list):
    record = {"id": "1", "lang": "zh", "text": text}
    assert [made["text"] for made in dialtools.clean([record], terms="age")] == [text]
    (found,) = dialtools.select([record], terms="age")
    assert [found["history"][-1][kind] for kind in ("target", "attribute")] == [target, attribute]


def test_a_script_without_tables_is_not_defined():
    turns = [{"speaker": "A", "text": "kya hua?"}, {"speaker": "B", "text": "kuch nahi, theek hai"}]
    record = {"id": "1", "lang": "hi-Latn", "dialogue": turns}
    for kind in ("dialogue.greeting", "asr.filler", "typo.keyboard"):
        with pytest.raises(
            RecordError, match=f"^{kind} is not defined for hi-Latn, only for hi in its own script"
        ):
            list(dialtools.perturb([record], kind=[kind]))
    (made,) = dialtools.perturb([record], kind=["dialogue.split"])
    assert made["dialogue"] == turns


@each_row(
    "lang, texts, expected",
    [
        ("hi", ["kya haal", "hai"], "Latn"),
        ("hi-IN", ["kya haal hai"], "Latn"),
        ("hi", ["kya haal", "ha"], ""),
        ("hi", ["kya haal hai", "ठीक"], ""),
        ("hi", ["123456789012"], ""),
        ("hi", ["здравствуйте"], "Cyrl"),
        ("zh-TW", ["Good morning!"], "Latn"),
        ("zh-TW", ["這 good morning"], ""),
        ("ja", ["おはようございます"], ""),
        ("en", ["今天天气怎么样？", "还不错"], "Hani"),
        ("en", ["ÀÉÎÕÜÀÉÎÕÜ"], ""),
        ("en", ["здравствуйте OK"], ""),
        ("jv", ["ꦱꦸꦒꦼꦁꦫꦮꦸꦃ" * 3], "another script"),
        ("en", [], ""),
    ],
)
def test_texts_may_have_no_letter_of_the_script_of_their_language(
    lang: str, texts: list, expected: str
):
    assert languages.get(lang).foreign(texts) == expected


@each_row("lang, said", [("hi", "kya haal hai, sab theek?"), ("en", "今天天气怎么样？还不错吧。")])
def test_what_is_put_in_is_not_in_another_script_than_the_rest(lang: str, said: str):
    turns = [{"speaker": "Asha", "text": said}, {"speaker": "Ravi", "text": "…"}]
    for record in (
        {"id": "1", "lang": lang, "dialogue": turns},
        {"id": "1", "lang": lang, "text": said},
    ):
        kind = "dialogue.greeting" if "dialogue" in record else "asr.filler"
        with pytest.raises(
            RecordError,
            match=f"^{kind} is not defined for (hi in Latn|en in Hani), only in its own",
        ):
            list(dialtools.perturb([record], kind=[kind]))
        (made,) = dialtools.perturb([record], kind=["typo.whitespace:rate=1"])
        assert made["history"][-1]["changed"]
