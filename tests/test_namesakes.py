"""Full names that hold a speaker's name: whose they are decides whether they change."""

import json

from table_tests import each_row

import dialtools

OTHERS = "perhaps the name of somebody else"


def swapped(lines: list[str], lang: str = "en", **more) -> dict:
    name, _, _ = lines[0].partition(":")
    new = {
        "en": "Zoe",
        "de": "Julia",
        "es": "Luis",
        "fr": "Luc",
        "it": "Luca",
        "id": "Rudi",
        "zh": "王强" if name == "张伟" else "Zoe",
    }[lang]
    record = {"id": 1, "lang": lang, "dialogue": "\n".join(lines), **more}
    return next(
        dialtools.swap_names([record], map=json.dumps({name: new}), allow_cross_gender=True)
    )


@each_row(
    "name, said, lang, kept",
    [
        ("Taylor", "I love Taylor Swift. Taylor, do you?", "en", ["Taylor Swift"]),
        ("Taylor", "Taylor Swift's song. Taylor's song.", "en", ["Taylor Swift's"]),
        (
            "Taylor",
            "Of the Taylor Group, in Taylor Court. Hi Taylor Mom is in",
            "en",
            ["Taylor Group", "Taylor Court"],
        ),
        (
            "George",
            "With George W. Bush, and George Bush-O'Neil.",
            "en",
            ["George W. Bush", "George Bush-O'Neil"],
        ),
        (
            "John",
            "Elton John? Hi John. Uncle John! Thanks John See you. Bob John.",
            "en",
            ["Elton John"],
        ),
        ("Anna", "Ask Anna Brown. Anna Brown too.", "en", ["Anna Brown", "Anna Brown"]),
        ("John", "Mr. John Smith? No, Dr. John Brown.", "en", ["John Smith", "John Brown"]),
        (
            "Anna",
            "Is Anna OK? Tell Anna Monday. Is Anna Thai? Anna I am. Anna See, me. Hi ANNA SMITH. Anna I",
            "en",
            [],
        ),
        (
            "Anna",
            "Hat Anna Zeit? Ist Karl Anna da? Anna Karenina. Hat Anna Handschuhe, ist Anna Studentin?",
            "de",
            ["Karl Anna", "Anna Karenina"],
        ),  # nouns have capitals
        (
            "Anna",
            "Anna Was ist los? Trinkt Anna Milch? Was ist Anna von Beruf? Ist Anna Künstlerin? Anna Wolf kommt. "
            "Anna Klein, Anna Meier, Anna Jung kommen.",
            "de",
            ["Anna Wolf", "Anna Klein", "Anna Meier", "Anna Jung"],
        ),
        (
            "Anna",
            "Anna van Gogh, Anna von Trapp. Ist das von Anna Von mir?",
            "de",
            ["Anna van Gogh", "Anna von Trapp"],
        ),
        (
            "Anna",
            "Gruß an Anna von Peter. Anna Krause, Anna Lange. Hat Anna Freunde, Anna Langeweile?",
            "de",
            ["Anna Krause", "Anna Lange"],
        ),
        (
            "King",
            "Ask King. Burger King? Good Morning King. Yes King is in Burger King. Judge King. The Lion King. "
            "With Congressman King, my Chef King.",
            "en",
            ["Burger King", "Burger King", "Lion King"],
        ),
        ("Sol", "Hola Sol. Ayer Sol vino.\nLuego Sol\n¡Feliz Navidad Sol! Mira Sol", "es", []),
        ("Sol", "Es de Radio Sol. Radio Sol", "es", ["Radio Sol"] * 2),
        ("Grace", "Googled Grace. 😀 Bravo Grace. Happy Birthday Grace! ok\nPoor Grace", "en", []),
        (
            "Bintang",
            "Tadi Bintang bilang. Kata Bintang: Lihat Bintang! Dari Radio Bintang.",
            "id",
            ["Radio Bintang"],
        ),
        (
            "Anna",
            "Anna van der Meer, Anna al-Amin, Anna da Silva. Was Anna de facto in?",
            "en",
            ["Anna van der Meer", "Anna al-Amin", "Anna da Silva"],
        ),
        ("Juan", "Viste a Juan de Madrid? Juan van Gogh.", "es", ["Juan van Gogh"]),
        ("Juan", "¿Viste a Juan Gabriel? Gracias Juan Nos vemos.", "es", ["Juan Gabriel"]),
        ("Mario", "Mario Rossi viene. Mario Bravo!", "it", ["Mario Rossi"]),
        ("Ana", "Ana Flores viene. Ana Bien.", "es", ["Ana Flores"]),
        ("Marc", "Marc Petit arrive. Marc Bon.", "fr", ["Marc Petit"]),
        ("Budi", "Ini Budi Santoso? Pak Budi!", "id", ["Budi Santoso"]),
        ("Taylor", "我喜欢Taylor Swift，Taylor呢", "zh", ["Taylor Swift"]),
    ],
)
def test_somebody_elses_full_name_stays_and_is_listed(name, said, lang, kept):
    found = swapped([f"{name}: ok", f"Bob: {said}"], lang)
    assert [left[3] for left in found["history"][0].get("left", [])] == kept
    assert {left[4] for left in found["history"][0].get("left", [])} <= {OTHERS}
    assert found["dialogue"].count(name) == len(kept)


@each_row(
    "label, said, kept",
    [
        ("John", "I love Elton John", "Elton John"),
        ("John", "No, I'm like Elton John", "Elton John"),
        ("Mr. King", "Burger King! I am Stephen King", "King"),
        ("Mr. King", "Burger King! Stephen King here", "King"),
        ("King", "We are in Burger King", "Burger King"),
        ("King", "This is Burger King", "Burger King"),
        ("John", "I'm John. I love John Lennon", "John Lennon"),
        ("Mr. King", "King Kong is on", "King Kong"),
    ],
)
def test_what_one_says_oneself_may_be_anothers_full_name(label, said, kept):
    source = {"id": 1, "lang": "en", "dialogue": [{"speaker": label, "text": said}]}
    new = label.replace("John", "Zoe").replace("King", "Roy")
    (found,) = dialtools.swap_names([source], map=json.dumps({label: new}), allow_cross_gender=True)
    assert [left[3] for left in found["history"][0]["left"]] == [kept]
    assert found["dialogue"][0]["text"] == said.replace("Stephen King", "Stephen Roy").replace(
        "I'm John", "I'm Zoe"
    )


@each_row(
    "lines",
    [
        ["Anna: My name is Anna Brown.", "Bob: Anna Brown, right?"],
        [
            "Anna: Is it due?\nRegards,\nAnna Brown-Lee",
            "Bob: I, for one, know Anna Brown-Lee. Anna Brown-Lee.",
        ],
        ["Anna: Good morning. Anna Brown-Lee speaking.", "Bob: Anna Brown-Lee?"],
        ["Anna: It's me, Anna Brown. I'm Dr. Anna Brown-Lee.", "Bob: Ms. Anna Brown-Lee?"],
        ["Anna: Hi", "Bob: Hi Anna Brown! So Anna Brown came."],
        ["Anna: I am Anna van Brown.", "Bob: Anna van Brown?"],
    ],
)
def test_ones_own_full_name_follows(lines):
    found = swapped(lines, reference="Bob meets Anna Brown.")
    assert "Anna" not in found["dialogue"] and found["reference"] == "Bob meets Zoe Brown."
    assert "left" not in found["history"][0]


@each_row(
    "lang, said",
    [
        ("en", "Hello, I’m Tom Wilson. Tom Wilson, room 306"),
        ("en", "My name is Susan Wilson"),
        ("de", "Ich bin Karl Wilson."),
        ("es", "Me llamo María Wilson"),
        ("fr", "Ici, c’est Nicolas Wilson"),
        ("it", "Sono Paolo Wilson"),
        ("id", "Ini Ahmad Wilson"),
    ],
)
def test_who_is_introduced_by_a_full_name_bears_it(lang, said):
    found = swapped([f"Wilson: {said}", f"Eve: {said.split()[-2]} Wilson!"], lang)
    assert "Wilson" not in found["dialogue"] and "left" not in found["history"][0]
    found = swapped(["Wilson: Hello", f"Eve: {said}"], lang)
    assert "Wilson" in found["dialogue"] and "left" in found["history"][0]


def test_a_full_name_of_others_in_the_dialogue_is_theirs_everywhere():
    found = swapped(
        ["Anna: Hi", "Bob: Have you read Anna Karenina?"],
        reference=["Anna has read Anna Karenina."],
        context="who is anna karenina?",
    )
    assert (found["reference"], found["context"]) == (
        ["Zoe has read Anna Karenina."],
        "who is anna karenina?",
    )


@each_row(
    "lines, expected",
    [
        (["Anna: Hi", "Anna Lee: I am Anna Lee"], "Zoe: Hi\nAnna Lee: I am Anna Lee"),
        (["张伟: 你好", "张伟东: 我是张伟东"], "王强: 你好\n张伟东: 我是张伟东"),
    ],
)
def test_who_keeps_a_name_that_holds_another_one_keeps_it_in_the_texts(lines, expected):
    assert swapped(lines, "zh" if "张" in expected else "en")["dialogue"] == expected


def test_who_has_one_character_more_is_somebody_else():
    found = swapped(
        ["张伟: 好", "李: 张伟东来了，张伟兰也来。张伟东西多，张伟东张西望，张伟东奔西走。"], "zh"
    )
    assert (
        found["dialogue"]
        == "王强: 好\n李: 张伟东来了，张伟兰也来。王强东西多，王强东张西望，王强东奔西走。"
    )
    assert {left[4] for left in found["history"][0]["left"]} == {"perhaps a part of a longer name"}


@each_row(
    "lang, said, expected, left",
    [
        ("zh", "·安娜·卡列尼娜？安娜，看。杰克·安娜", "·安娜·卡列尼娜？玲玲，看。杰克·安娜", 2),
        ("zh", "·安娜：看", "·玲玲：看", 0),
        ("ko", "안나·민준 왔어?", "은우·민준 왔어?", 0),
    ],
)  # a list
def test_a_part_of_a_foreign_name_is_somebody_elses(lang, said, expected, left):
    name, new = {"zh": ("安娜", "玲玲"), "ko": ("안나", "은우")}[lang]
    (found,) = dialtools.swap_names(
        [{"id": 1, "lang": lang, "dialogue": [{"speaker": name, "text": said}]}],
        map=json.dumps({name: new}),
        allow_cross_gender=True,
    )
    assert (
        found["dialogue"][0]["text"] == expected
        and len(found["history"][0].get("left", [])) == left
    )


def test_a_part_of_a_name_that_is_a_word_is_listed_where_no_capital_tells():
    lines = ["अनंत शर्मा: नमस्ते", "राहुल: अनंत आया था, अनंत शर्मा भी।"]
    found = next(
        dialtools.swap_names(
            [{"id": 1, "lang": "hi", "dialogue": "\n".join(lines)}],
            map=json.dumps({"अनंत शर्मा": "विजय वर्मा"}),
        )
    )
    assert found["dialogue"] == "विजय वर्मा: नमस्ते\nराहुल: अनंत आया था, विजय वर्मा भी।"
    assert [left[3:] for left in found["history"][0]["left"]] == [["अनंत", "also a word"]]


def test_the_possessive_of_a_speaker_in_another_ones_label_is_his():
    record = {"id": 1, "lang": "en", "dialogue": "Chris's mom: hi\nChris: Chris's car"}
    assert next(dialtools.swap_names([record], map='{"Chris": "Luke"}'))["dialogue"].endswith(
        "Luke: Luke's car"
    )


@each_row(
    "lang, said, expected",
    [
        ("it", "con l' Anna, d’ Anna, un' Anna", "con la Giulia, di Giulia, una Giulia"),
        ("fr", "qu' Anna, d' Anna", "que Giulia, de Giulia"),
    ],
)
def test_an_elided_word_may_have_a_space_behind_it(lang, said, expected):
    record = {"id": 1, "lang": lang, "dialogue": f"Anna: ciao\nBob: {said}"}
    found = next(dialtools.swap_names([record], map='{"Anna": "Giulia"}'))
    assert found["dialogue"] == f"Giulia: ciao\nBob: {expected}"
    assert next(dialtools.swap_names([found], restore=True))["dialogue"] == record["dialogue"]


def test_two_given_names_that_are_one_are_somebody_elses():
    record = {
        "id": 1,
        "lang": "es",
        "dialogue": "José: Hola María\nMaría: Hola José. Viene José María.",
    }
    found = next(dialtools.swap_names([record], map='{"José": "Luis", "María": "Ana"}'))
    assert found["dialogue"] == "Luis: Hola Ana\nAna: Hola Luis. Viene José María."
    assert [left[3:] for left in found["history"][0]["left"]] == [["José María", OTHERS]]


def test_a_full_name_with_the_name_in_a_label_with_a_title_is_somebody_elses_too():
    found = swapped(["Pak Budi: Halo", "Ani: Budi Santoso? Pak Budi dan Budi."], "id")
    assert found["dialogue"] == "Rudi: Halo\nAni: Budi Santoso? Rudi dan Rudi."


@each_row(
    "said, renamed, kept",
    [
        ("This is Sandra Taylor.", "Taylor", "Donovan"),
        ("I am Sandra Donovan.", "Donovan", "Taylor"),
    ],
)
def test_one_rule_for_all_full_names_of_a_dialogue(said, renamed, kept):
    """The family name by which the speaker is introduced is the speaker's, in all texts; any other is not."""
    texts = "Sandra Taylor called, and Sandra Donovan."
    source = {
        "id": 1,
        "lang": "en",
        "dialogue": f"Sandra: {said}\nBob: {texts}",
        "reference": texts,
        "context": texts,
    }
    (found,) = dialtools.swap_names(
        [source], map={"Sandra": "Zoe", "Bob": "Tom"}, allow_cross_gender=True
    )
    wanted = texts.replace(f"Sandra {renamed}", f"Zoe {renamed}")
    assert found["reference"] == found["context"] == wanted and found["dialogue"].endswith(wanted)
    assert {left[3] for left in found["history"][0]["left"]} == {f"Sandra {kept}"}
