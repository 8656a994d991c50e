"""Family names: what is one, how a full name falls into its parts, and what is drawn for it."""

import pytest
from table_tests import each_row

import dialtools
from dialtools import languages
from dialtools.languages import get
from dialtools.names import full_names, lexicon, pools
from dialtools.names.customs import ko


def known(lang: str) -> lexicon.Lexicon:
    return lexicon.of(get(lang))


def swapped(dialogue: str, **options) -> list[dict]:
    return list(dialtools.swap_names([{"id": 1, "lang": "ja", "dialogue": dialogue}], **options))


def names(dialogue: str, **options) -> list[dict[str, str]]:
    return [record["history"][0]["names"] for record in swapped(dialogue, **options)]


def kinds(name: str) -> list[tuple[str, str]]:
    return [tuple(part) for part in full_names.parts(name, known("ja"))]


FAMILIES = {row["name"] for row in full_names.drawable_families(known("ja"))}
GIVEN = {
    row["name"]: row["gender"]
    for pool in ("frequent", "unisex")
    for row in pools.named(pool, get("ja"))
}


@each_row(
    "name, parts",
    [
        ("田中", ["田中"]),
        ("田中太郎", ["田中", "太郎"]),
        ("田中　太郎", ["田中", "　", "太郎"]),
        ("田中さん", ["田中", "さん"]),
        ("田中 部長", ["田中", " 部長"]),
        ("小林聡", ["小林", "聡"]),
        ("林太郎", ["林", "太郎"]),
        ("長谷川美咲", ["長谷川", "美咲"]),
        ("タナカ", ["タナカ"]),
        ("Tanaka", ["Tanaka"]),
        ("Tanaka Taro", ["Tanaka", " ", "Taro"]),
        ("Taro Tanaka", ["Taro", " ", "Tanaka"]),
        ("Miki Sato", ["Miki", " ", "Sato"]),
        ("やまだ花子", ["やまだ", "花子"]),
        ("花子さん", ["花子", "さん"]),
        ("太郎", []),
        ("泉", []),
        ("さん", []),
        ("先生", []),
        ("東京", []),
        ("林檎", []),
        ("A", []),
        ("佐藤1", []),
        ("田中マルクス", []),
        ("", []),
        ("\n", []),
    ],
)
def test_a_name_falls_into_its_parts(name, parts):
    assert [part.text for part in full_names.parts(name, known("ja"))] == parts
    assert full_names.parts(name, known("en")) == full_names.parts(name, known("zh")) == ()


def test_latin_names_of_both_orders_know_which_part_is_the_family():
    assert kinds("Taro Tanaka") == [("Taro", "given"), (" ", ""), ("Tanaka", "family")]
    # 三木 is read Miki, too
    assert kinds("Miki Sato") == [("Miki", "given"), (" ", ""), ("Sato", "family")]
    assert kinds("Sato Miki") == [("Sato", "family"), (" ", ""), ("Miki", "given")]


def test_whatever_is_drawn_falls_into_the_same_parts_again():
    pairs = [[family, given] for family in sorted(FAMILIES) for given in GIVEN]
    made = [
        *(("".join(pair), pair) for pair in pairs),
        *((" ".join(pair), pair) for pair in pairs[::50]),
    ]
    assert [
        name
        for name, parts in made
        if [part.text for part in full_names.parts(name, known("ja")) if part.kind] != parts
    ] == []


def test_family_names_have_readings_in_hiragana_and_latin_forms_of_them():
    rows = languages.get("ja").table("families")
    assert list(rows[0]) == ["name", "reading", "latin"] and len(
        {row["name"] for row in rows}
    ) == len(rows)
    assert all("ぁ" <= letter <= "ん" for row in rows for letter in row["reading"])
    assert all(row["latin"].isascii() and row["latin"].istitle() for row in rows)
    known = {row["name"]: (row["reading"], row["latin"]) for row in rows}
    assert known["佐藤"] == ("さとう", "Sato") and known["井上"] == (
        "いのうえ",
        "Inoue",
    )  # no long vowel
    assert known["大内"] == ("おおうち", "Ouchi") and known["松浦"] == ("まつうら", "Matsuura")


def test_no_new_family_name_is_a_word_a_place_or_a_given_name():
    other = (
        languages.get("ja").words
        | set(languages.get("ja").facts["capitalised"])
        | set(known("ja").known)
    )
    assert FAMILIES & other == set() and len(FAMILIES) >= 150


def test_a_speaker_called_by_a_family_name_gets_one():
    (found,) = names("山田: はい\n鈴木さん: はい\n太郎: はい\n店長: はい")
    assert set(found) == {"山田", "鈴木さん", "太郎"}
    assert found["山田"] in FAMILIES and GIVEN[found["太郎"]] == "m"
    assert found["鈴木さん"].endswith("さん") and found["鈴木さん"][:-2] in FAMILIES


def test_a_family_name_that_is_found_by_its_title_is_given_back_and_not_lost():
    """The new name is one of a person where a title follows, as here, and alone may be a place."""
    source = {"id": 1, "lang": "ja", "text": "千葉さんは千葉に行く。"}
    (swapped,) = dialtools.swap_names([source], map='{"千葉": "溝口"}')
    assert swapped["text"] == "溝口さんは千葉に行く。"
    (restored,) = dialtools.swap_names([swapped | {"prediction": "溝口さんが行く。"}], restore=True)
    assert restored["prediction"] == "千葉さんが行く。"
    assert set(restored["history"][-1]["counts"].values()) == {0}


def test_a_speaker_whose_label_has_a_title_is_found_without_it():
    source = {"id": 1, "lang": "ja", "dialogue": "花子さん: はい\n太郎くん: 花子さん、花子は？"}
    (made,) = dialtools.swap_names([source], seed=1)
    new = made["history"][0]["names"]["花子さん"]
    assert new.endswith("さん") and GIVEN[new[:-2]] == "f"
    assert made["dialogue"].endswith(f": {new}、{new[:-2]}は？")


def test_both_parts_of_a_full_name_change_and_its_gender_is_kept():
    for found in names("田中太郎: はい\n山本 花子: はい\nKenta Ito: はい", variants=20):
        family, given = [part.text for part in full_names.parts(found["田中太郎"], known("ja"))]
        assert family in FAMILIES and GIVEN[given] == "m"
        family, gap, given = [
            part.text for part in full_names.parts(found["山本 花子"], known("ja"))
        ]
        assert family in FAMILIES and gap == " " and GIVEN[given] == "f"
        assert found["Kenta Ito"].isascii()
        assert [part.kind for part in full_names.parts(found["Kenta Ito"], known("ja"))] == [
            "given",
            "",
            "family",
        ]


def test_a_family_keeps_one_name():
    for found in names("田中太郎: はい\n田中花子: はい\n田中: はい", variants=10):
        assert found["田中太郎"].startswith(found["田中"]) and found["田中花子"].startswith(
            found["田中"]
        )


def test_a_family_name_has_no_gender_that_could_be_unknown():
    counts = [
        record["history"][0]["counts"]["unknown_gender"]
        for dialogue in ("田中: はい", "田中太郎: はい", "田中璃々: はい")
        for record in swapped(dialogue)
    ]
    assert counts == [0, 0, 1]


def test_who_shares_a_part_of_a_name_and_keeps_it_makes_it_ambiguous():
    record = swapped("田中太郎: 田中花子さん、田中です、太郎です\n田中花子: はい", one=True)[0]
    (new,) = record["history"][0]["names"].values()
    given = full_names.given(new, known("ja"))
    assert record["dialogue"] == f"{new}: 田中花子さん、田中です、{given}です\n田中花子: はい"
    assert [left[3:] for left in record["history"][0]["left"]] == [
        ["田中", "ambiguous: a form of several names"]
    ]


def test_predictions_get_the_old_parts_back():
    source = {"id": 1, "lang": "ja", "dialogue": "田中太郎: はい\n林: 田中さん？"}
    (record,) = dialtools.swap_names([source])
    record["prediction"] = record["dialogue"]
    (restored,) = dialtools.swap_names([record], restore=True)
    assert restored["prediction"] == restored["dialogue"] == source["dialogue"]


def test_tokens_tell_the_place_from_the_speaker():
    text, at = "千葉さんは千葉に行く。", [(0, "人名-姓"), (5, "地名-一般")]
    tokens = [
        {
            "form": "千葉",
            "start": start,
            "end": start + 2,
            "upos": "PROPN",
            "xpos": f"名詞-固有名詞-{tag}",
        }
        for start, tag in at
    ]
    record = {
        "id": 1,
        "lang": "ja",
        "dialogue": [{"speaker": "千葉", "text": text, "tokens": tokens}],
    }
    (new,) = dialtools.swap_names([record], map='{"千葉": "溝口"}')
    assert new["dialogue"][0]["text"] == "溝口さんは千葉に行く。"


def test_a_pool_of_one_s_own_is_drawn_from_for_whole_names():
    assert names("田中太郎: はい", pool_file=["佐野\tm"]) == [{"田中太郎": "佐野"}]


def test_too_few_names_are_told_by_person(monkeypatch):
    monkeypatch.setattr(full_names, "drawable_families", lambda lang: [{"name": "佐野"}])
    with pytest.raises(
        dialtools.system.errors.RecordError, match="too few names for 2 people: 2 family are needed"
    ):
        swapped("田中: はい\n山田: はい")


KOREAN = {row["name"] for row in full_names.drawable_families(known("ko"))}


def korean(dialogue: str, **options) -> list[dict]:
    return list(dialtools.swap_names([{"id": 1, "lang": "ko", "dialogue": dialogue}], **options))


@each_row(
    "name, parts",
    [
        ("김민준", ["김", "민준"]),
        ("남궁서연", ["남궁", "서연"]),
        ("황보라", ["황", "보라"]),
        ("김서연 씨", ["김", "서연", " 씨"]),
        ("김 과장님", ["김", " 과장님"]),
        ("박철수님", ["박", "철수", "님"]),
        ("강민정", ["강", "민정"]),
        ("민준씨", ["민준", "씨"]),
        ("민준", []),
        ("구매자", []),
        ("배달원", []),
        ("구매자님", []),
        ("소비자들", []),
        ("친구", []),
        ("Min", ["Min"]),
        ("Kim Minjun", ["Kim", " ", "Minjun"]),
    ],
)
def test_a_korean_name_falls_into_its_parts(name, parts):
    assert [part.text for part in full_names.parts(name, known("ko"))] == parts


def test_a_korean_full_name_stays_full_and_what_follows_its_parts_changes():
    for made in korean(
        "김민준: 네.\n이서연: 민준아! 김 과장님, 김민준 씨, 김씨네 김밥", variants=20, seed=3
    ):
        new = made["history"][0]["names"]
        family, given = [part.text for part in full_names.parts(new["김민준"], known("ko"))]
        assert family in KOREAN and known("ko").known[given]["gender"] == "m"
        assert full_names.parts(new["이서연"], known("ko"))[0].text in KOREAN - {family}
        call = "아" if (ord(given[-1]) - 0xAC00) % 28 else "야"  # a syllable with a final consonant
        assert (
            made["dialogue"].partition("\n")[2]
            == f"{new['이서연']}: {given}{call}! {family} 과장님, {new['김민준']} 씨, {family}씨네 김밥"
        )
        assert (
            dialtools.swap_names([made], restore=True)
            .__next__()["dialogue"]
            .startswith("김민준: 네.\n이서연: 민준아!")
        )


def test_a_korean_name_of_somebody_else_stays_and_is_told():
    (made,) = korean("김민준: 네.\n이서연: 박민준 씨도 와요? 민준이는요?")
    new = made["history"][0]["names"]["김민준"][1:]
    assert "박민준 씨도" in made["dialogue"] and f" {new}" in made["dialogue"]
    assert made["history"][0]["left"][0][3:] == ["박민준", "perhaps the name of somebody else"]


def test_a_korean_word_that_looks_like_a_family_name_with_a_title_stays():
    (made,) = korean("손민준: 어서 오세요.\n전서연: 손님, 전 사장님은요? 손 사장님은요?")
    family = full_names.parts(made["history"][0]["names"]["손민준"], known("ko"))[0].text
    assert made["dialogue"].endswith(
        f": 손님, 전 사장님은요? {family} 사장님은요?"
    )  # a guest, the former boss
    assert [left[3:] for left in made["history"][0]["left"]] == [
        ["전 사장님은요", "also a word before a title"]
    ]


def test_who_shares_a_korean_family_name_and_keeps_it_makes_it_ambiguous():
    made = korean("김민준: 김서연 씨, 김 과장님은요?\n김서연: 네", one=True)[0]
    assert made["dialogue"].endswith(": 김서연 씨, 김 과장님은요?\n김서연: 네")
    assert [left[4] for left in made["history"][0]["left"]] == [
        "ambiguous: a form of several names"
    ]


@each_row("kept, said", [("王伟", "老王，王大夫，我姓王"), ("王护士", "老王，王大夫，我姓王")])
def test_who_shares_a_chinese_family_name_and_keeps_it_makes_it_ambiguous(kept, said):
    source = {"id": 1, "lang": "zh", "dialogue": f"王医生: {kept}好\n{kept}: 王医生好，{said}"}
    first, second = (made["dialogue"] for made in dialtools.swap_names([source], one=True, seed=1))
    new = first.partition("医生")[0]
    assert first == f"{new}医生: {kept}好\n{kept}: {new}医生好，{said}" and new != "王"
    assert second.startswith("王医生: ") and second.endswith(f": 王医生好，{said}")


@each_row("role, family", [("顾客", "顾"), ("路人", "路")])
def test_a_role_that_begins_as_a_chinese_family_name_shares_none(role, family):
    source = {
        "id": 1,
        "lang": "zh",
        "dialogue": f"{role}: {family}小姐好，老{family}好\n{family}芳: 好",
    }
    (made,) = dialtools.swap_names([source])
    new = made["history"][0]["names"][f"{family}芳"][0]
    assert (
        made["dialogue"].startswith(f"{role}: {new}小姐好，老{new}好\n")
        and "left" not in made["history"][0]
    )


@pytest.mark.parametrize("lang, label", [("zh", "王医生"), ("zh", "张总"), ("zh-TW", "陳小姐")])
def test_a_chinese_family_name_with_a_title_keeps_that(lang, label):
    source = {"id": 1, "lang": lang, "dialogue": f"{label}: 好\n李明: {label}好，老{label[0]}！"}
    for made in dialtools.swap_names([source], variants=20):
        new = made["history"][0]["names"][label]
        assert new[1:] == label[1:] and made["dialogue"].endswith(f": {new}好，老{new[0]}！")
        assert full_names.family_and_given(made["history"][0]["names"]["李明"], known(lang))[
            1
        ]  # a full name
        assert made["history"][0]["counts"]["unknown_gender"] == 0
    (own,) = dialtools.swap_names([source], pool_file=["周文\tu", "何文\tu"])
    assert own["history"][0]["names"][label] in ("周文", "何文")


def test_a_name_that_was_a_month_of_old_is_one():
    (swapped,) = dialtools.swap_names(
        [{"id": 1, "lang": "ja", "text": "葉月は元気？"}], map='{"葉月": "美咲"}'
    )
    assert swapped["text"] == "美咲は元気？"


def test_a_chinese_family_name_behind_xiao_and_lao_becomes_another_one():
    source = {
        "id": 1,
        "lang": "zh",
        "dialogue": "小张: 张经理，老张，我姓张\n老王: 小张好\n小雨: 王总好",
    }
    for made in dialtools.swap_names([source], variants=10):
        zhang, wang, given = made["history"][0]["names"].values()
        assert zhang[0] == "小" and wang[0] == "老" and given[0] != "小"
        assert made["dialogue"] == (
            f"{zhang}: {zhang[1]}经理，老{zhang[1]}，我姓{zhang[1]}\n"
            f"{wang}: {zhang}好\n{given}: {wang[1]}总好"
        )


@each_row("lang, label", [("zh", "欧阳"), ("zh", "欧阳老师"), ("zh-TW", "歐陽老師")])
def test_a_chinese_family_name_of_two_characters_is_one_where_it_stands_alone(lang, label):
    source = {
        "id": 1,
        "lang": lang,
        "dialogue": f"{label}: 好\n李明: 小{label[:2]}好，老{label[:2]}！",
    }
    (made,) = dialtools.swap_names([source])
    new = made["history"][0]["names"][label]
    assert new[1:] == (label[2:] or new[1:]) and made["dialogue"].endswith(
        f": 小{new[0]}好，老{new[0]}！"
    )


def test_a_korean_family_name_is_free_where_nobody_is_called_by_it():
    assert ko.is_borne("박", "박 과장님", known("ko")) and ko.is_borne(
        "박", "박민준이", known("ko")
    )
    assert ko.is_borne("박", "성은 박", known("ko")) and not ko.is_borne(
        "박", "수박 과장님, 박수와 박자", known("ko")
    )


def test_whatever_is_drawn_in_korean_falls_into_the_same_parts_again():
    given = {
        row["name"]
        for pool in languages.get("ko").tables("names")
        for row in languages.get("ko").table(f"names/{pool}")
    }
    assert [
        family + name
        for family in KOREAN
        for name in given
        if [part.text for part in full_names.parts(family + name, known("ko"))] != [family, name]
    ] == []
    assert len(KOREAN) >= 60 and KOREAN.isdisjoint(languages.get("ko").facts["surnames_as_words"])


def test_a_japanese_full_name_with_a_title_has_both_parts():
    parts = [tuple(part) for part in full_names.parts("田中太郎さん", known("ja"))]
    assert parts == [("田中", "family"), ("太郎", "given"), ("さん", "")]


def test_new_chinese_names_differ_in_their_family_names_and_nobody_is_called_by_these():
    source = {
        "id": 1,
        "lang": "zh",
        "dialogue": "王芳：李老师好，张哥，小周，老吴\n高远：王老师好\n赵敏：好\n钱进：好",
    }
    # 李老师 of an output would be both
    others = "李周吴" + languages.get("zh").facts["surnames_as_words"]
    for made in dialtools.swap_names([source], variants=30, seed=2):
        new = {
            full_names.family_and_given(name, known("zh"))[0]
            for name in made["history"][0]["names"].values()
        }
        assert len(new) == 4 and new.isdisjoint(others)
        made["prediction"] = made["dialogue"]
        assert next(dialtools.swap_names([made], restore=True))["prediction"] == source["dialogue"]


def test_chinese_family_names_are_shared_where_there_are_too_few():
    source = {"id": 1, "lang": "zh", "dialogue": "王芳：好\n赵敏：好"}
    (made,) = dialtools.swap_names([source], pool_file=["李丽\tf", "李娟\tf"], gender=False)
    assert set(made["history"][0]["names"].values()) == {"李丽", "李娟"}


def test_a_japanese_name_in_a_longer_one_stays():
    (made,) = swapped("太郎: 健太郎と金太郎と桃太郎、太郎")
    new = made["history"][0]["names"]["太郎"]
    assert made["dialogue"] == f"{new}: 健太郎と金太郎と桃太郎、{new}"
    assert [left[3] for left in made["history"][0]["left"]] == ["太郎"] * 3


def test_the_parts_of_a_romanised_korean_name_change_too():
    (made,) = korean("Kim Minjun: annyeong\nPark Jiwoo: Minjun, Mr. Kim, Kim Minjun-ssi, Kimchi")
    family, _, given = [
        part.text
        for part in full_names.parts(made["history"][0]["names"]["Kim Minjun"], known("ko"))
    ]
    assert made["dialogue"].endswith(f": {given}, Mr. {family}, Kim Minjun-ssi, Kimchi")
    assert [left[3:] for left in made["history"][0]["left"]] == [
        ["Kim Minjun", "a part of a word with a hyphen"]
    ]


@each_row(
    "new, text, changed",
    [
        (
            {"이서연": "금소은"},
            "이 서연이에요. 서연이, 이 서연 씨, 이서연",
            "금 소은이에요. 소은이, 금 소은 씨, 금소은",
        ),
        ({"이서연": "지훈"}, "이 서연이에요.", "지훈이에요."),
        (
            {"이 서연": "배 윤지"},
            "이서연이에요. 서연이, 이 서연 씨, 이 과장님",
            "배윤지예요. 윤지가, 배 윤지 씨, 배 과장님",
        ),
    ],
)
def test_a_korean_full_name_may_have_a_space_in_it(new, text, changed):
    (label,) = new
    source = {"id": 1, "lang": "ko", "dialogue": [{"speaker": label, "text": text}]}
    (swapped,) = dialtools.swap_names([source], map=new, allow_cross_gender=True)
    assert swapped["dialogue"][0]["text"] == changed and "left" not in swapped["history"][0]
    assert next(dialtools.swap_names([swapped], restore=True))["dialogue"] == source["dialogue"]
    drawn = next(dialtools.swap_names([source]))["history"][0]["names"][label]
    assert drawn.count(" ") == label.count(" ") and len(drawn) >= len(label)


def test_a_word_of_kin_is_no_form_of_a_chinese_name():
    source = {"id": 1, "lang": "zh", "dialogue": "王弟：你弟弟呢？\n赵哥：弟弟！哥哥"}
    (swapped,) = dialtools.swap_names([source], map='{"王弟": "李娜"}', allow_cross_gender=True)
    assert swapped["dialogue"] == "李娜：你弟弟呢？\n赵哥：弟弟！哥哥"
