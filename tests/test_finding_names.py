"""Names in a text: which mention is found where several could be, what is no mention, and what a map may not change."""

import json
from unicodedata import normalize

import pytest
from table_tests import each_row

import dialtools
from dialtools.languages import get
from dialtools.names import ambiguity, forms, lexicon, search
from dialtools.system.errors import OptionError, RecordError


def known(lang: str) -> lexicon.Lexicon:
    return lexicon.of(get(lang))


def found(
    text: str, names: list[str], lang: str = "en", guards: tuple[str, ...] = ()
) -> list[tuple[str, str]]:
    return [
        (mention.written, mention.tail)
        for mention in search.mentions(text, names, known(lang), guards)
    ]


@pytest.mark.parametrize(
    "name, lang", [("Bob", "en"), ("Zoë", "de"), ("Иван", "en"), ("민준호", "ko")]
)
@pytest.mark.parametrize(
    "before, after", [("", ""), ("so: ", "; you"), ("(", ")"), ("a, ", "."), ("\n", "\n")]
)
def test_a_name_is_found_however_its_letters_are_parted(
    name: str, lang: str, before: str, after: str
):
    """A quick look at the text must not pass over any of the ways to part letters."""
    between = ["-", "–", ",", "/", "·", ".", " "]
    for sign in [
        *between,
        *(f" {sign} " for sign in between[:5]),
        *(f" {sign}" for sign in between[:5]),
        ". ",
    ]:
        spelled = sign.join(name)
        assert (spelled, "") in found(f"{before}{spelled}{after}", [name], lang), sign


@each_row(
    "text, names, lang, expected",
    [
        ("Ann Leeson", ["Ann Lee", "Ann"], "en", [("Ann", "")]),
        ("Ann Lee Foxy", ["Ann Lee Fox", "Ann Lee", "Ann"], "en", [("Ann Lee", "")]),
        (
            "Ann Leigh Foxy, Ann",
            ["Ann Leigh Fox", "Ann Lee", "Ann"],
            "en",
            [("Ann", ""), ("Ann", "")],
        ),
        ("Ann李的", ["Ann李"], "zh", [("Ann李", "")]),
        ("李Annie", ["李Ann"], "zh", []),
        (
            "王芳芳芳芳",
            ["王芳"],
            "zh",
            [("王芳", "")],
        ),  # nothing is stretched where there are no words
        ("#Person1#says", ["#Person1#"], "en", [("#Person1#", "")]),
        ("https://x.org/A-N-N Ann A-N-N", ["Ann"], "en", [("Ann", ""), ("A-N-N", "")]),
    ],
)
def test_the_longest_form_that_is_no_part_of_another_word_is_found(text, names, lang, expected):
    assert found(text, names, lang) == expected


@each_row("guards", [("Ann", "Ann Arbor"), ("Ann Arbor", "Ann")])
def test_the_longest_guard_counts(guards):
    assert found("Ann Arbor, Arbor", ["Arbor"], guards=guards) == [("Arbor", "")]
    assert found("Ann Arbor, Arbor", ["Arbor"], guards=("Ann",)) == [("Arbor", ""), ("Arbor", "")]


@each_row(
    "text",
    ["Ann, Bobby, Cy's and B-O-B", "Bob Ray 'Ray @Cy x2 al", "anna B O B", "Mary Ann", "O'Neil"],
)
def test_many_names_are_found_as_few_are(text):
    """Of many names those are looked for that the words of a plain text begin with; of other texts all."""
    many = [
        "Ann",
        "Bob",
        "Bobby",
        "Cy",
        "Bob Ray",
        "'Ray",
        "@Cy",
        "x2",
        "Al",
        "Mary Ann",
        "O'Neil",
        *(f"Name{letter}" for letter in "abcdefghijklm"),
    ]
    assert len(many) > search.FEW
    assert found(text, many) == found(f"{text}, été", many) == found(text, many[:11]) != []


@each_row(
    "text, written",
    [
        ("王芳芳来了，李明呢？Ann！", ["王芳", "李明", "Ann"]),
        ("민준이가 왔다", ["민준"]),
        ("王-芳，ガク", ["ガク"]),
        ("李-小-明", ["李-小-明"]),
        (normalize("NFD", "ガクと민준"), [normalize("NFD", "ガク"), normalize("NFD", "민준")]),
    ],
)
def test_names_of_joined_letters_are_found_however_they_are_written(text, written):
    names = [
        "王芳",
        "李明",
        "李小明",
        "민준",
        normalize("NFD", "ガク"),
        "Ann",
        *(f"王{title}" for title in "哥姐总叔姨"),
    ]
    assert [mention for mention, _ in found(text, names, "zh")] == written


def test_a_nasal_is_found_as_people_write_it():
    assert found("सन्जय और अनंत, संजय", ["संजय", "अनन्त"], "hi") == [
        ("सन्जय", ""),
        ("अनंत", ""),
        ("संजय", ""),
    ]


@each_row(
    "text, lang, left",
    [
        ("李明li@x.com，给li@x.com李明", "zh", []),
        ("王芳 李明@x.com", "zh", ["李明"]),
        ("http://x.cn/a李明", "zh", ["李明"]),
        ("민준kim@x.com으로, a@x.com민준", "ko", []),
        ("#Ann <Ann> ann@x.com ann.pdf", "en", ["Ann", "Ann", "ann", "ann"]),
    ],
)
def test_a_name_in_an_address_or_a_tag_is_left_and_listed(text, lang, left):
    old = {"zh": "李明", "ko": "민준", "en": "Ann"}[lang]
    record = {"id": 1, "lang": lang, "text": text, "people": [{"name": old}]}
    (entry,) = next(dialtools.swap_names([record]))["history"]
    assert [found[3] for found in entry.get("left", [])] == left
    assert {found[4] for found in entry.get("left", [])} <= {"in an address or a tag"}
    assert entry["counts"]["mentions"] == text.count(old) - sum(name == old for name in left)


@each_row(
    "label, text, becomes",
    [
        ("😀", "ha 😀 @😀", "ha 😀 @Zoe"),
        ("...", "well...", "well..."),
        ("✨", "✨", "✨"),
        (
            "👩\u200d👩\u200d👧",
            "ha 👩\u200d👩\u200d👧 @👩\u200d👩\u200d👧",
            "ha 👩\u200d👩\u200d👧 @Zoe",
        ),
    ],
)
def test_a_sign_is_a_name_as_a_label_and_where_somebody_is_mentioned_by_it(label, text, becomes):
    record = {
        "id": 1,
        "lang": "en",
        "dialogue": [{"speaker": label, "text": text}],
        "reference": label,
    }
    found = next(dialtools.swap_names([record], map=json.dumps({label: "Zoe"})))
    assert (
        found["dialogue"] == [{"speaker": "Zoe", "text": becomes}] and found["reference"] == label
    )
    assert {left[4] for left in found["history"][0]["left"]} == {"also a sign, not a word"}
    assert next(dialtools.swap_names([found], restore=True))["dialogue"] == record["dialogue"]


@each_row(
    "text, why",
    [
        ("Ann-, hi", ""),
        ("- Ann", ""),
        ("Ann--", ""),
        ("well-Ann", "a part of a word with a hyphen"),
        ("Ann-like", "a part of a word with a hyphen"),
        ("x'Ann", "a part of a word with an apostrophe"),
        ("'Ann'", ""),
    ],
)
def test_a_hyphen_or_an_apostrophe_joins_words(text, why):
    mention = search.Mention(text.index("Ann"), text.index("Ann") + 3, "Ann", "Ann", "", "")
    assert ambiguity.part(text, mention, known("en"), None) == why


@each_row(
    "spans, sure",
    [
        ([(0, 2), (2, 3)], True),
        ([(0, 3)], False),
        ([(0, 1), (1, 3)], False),
        ([(0, 1), (1, 2), (2, 3)], True),
    ],
)
def test_tokens_alone_tell_a_name_from_a_longer_word(spans, sure):
    text = "小芳园"
    tokens = [{"form": text[start:end], "start": start, "end": end} for start, end in spans]
    assert ambiguity.part(
        text, search.Mention(0, 2, "小芳", "小芳", "", ""), known("zh"), tokens
    ) == ("" if sure else "perhaps a part of a longer word")
    assert (
        ambiguity.part(
            "园小芳",
            search.Mention(1, 3, "小芳", "小芳", "", ""),
            known("zh"),
            [{"form": "园小芳", "start": 0, "end": 3}],
        )
        == "perhaps a part of a longer word"
    )


def mapped(names: dict[str, str], text: str, lang: str = "en") -> str:
    return next(
        dialtools.swap_names([{"id": 1, "lang": lang, "dialogue": text}], map=json.dumps(names))
    )["dialogue"]


@each_row(
    "text, why",
    [
        ("Ann: he came", None),
        ("Ann: she came", "1 word agrees"),
        ("Ann: she and her hat", "2 words agree"),
    ],
)
def test_how_many_words_agree_with_the_old_gender_is_told(text, why):
    if why is None:
        assert mapped({"Ann": "Tom"}, text) == "Tom: he came"
    else:
        with pytest.raises(OptionError, match=f"the genders differ, and {why} with the old one"):
            mapped({"Ann": "Tom"}, text)


def test_a_title_in_a_label_counts_once():
    """Dra. in the label, Dra. and dra. in the text, ella."""
    with pytest.raises(OptionError, match="the genders differ, and 4 words agree"):
        mapped(
            {"Dra. Ruiz": "Sr. Gil"},
            "Dra. Ruiz: hola\nLuis: Hola, Dra. Ruiz. Esa dra. Ruiz es ella",
            "es",
        )


def test_a_name_may_become_itself_and_two_may_change_places():
    assert mapped({"Ann": "Ann"}, "Ann: Hi Ann") == "Ann: Hi Ann"
    assert mapped({"Ann": "Eve", "Eve": "Ann"}, "Ann: Hi Eve") == "Eve: Hi Ann"


@each_row(
    "lang, text, new, expected",
    [
        ("ja", "Hana: hai", "太郎", "Taro: hai"),
        ("ja", "花子: はい", "太郎", "太郎: はい"),
        ("ja", "花子: はい", "Taro", None),
        ("ja", "花子: はい", "राहुल", None),
        ("ja", "花子: はい", "42", "42: はい"),
        ("en", "Ann: Hi", "李明", None),
    ],
)
def test_a_new_name_is_in_the_script_of_the_record(lang, text, new, expected):
    old = text.partition(":")[0]
    if expected is None:
        with pytest.raises(OptionError, match="the new name is in another script"):
            mapped({old: new}, text, lang)
    else:
        given = dialtools.swap_names(
            [{"id": 1, "lang": lang, "dialogue": text}],
            map=json.dumps({old: new}),
            allow_cross_gender=True,
        )
        assert next(given)["dialogue"] == expected


@each_row(
    "text, why",
    [
        ("I know joy came", "a word in lower case"),
        ("Joy!", None),
        ("That joy", "also a word, and an article or its like stands before it"),
    ],
)
def test_a_word_in_lower_case_is_no_name(text, why):
    at = text.lower().index("joy")
    mention = search.Mention(at, at + 3, "Joy", text[at : at + 3], "", "")
    assert ambiguity.doubt(text, mention, known("en")) == why


@each_row(
    "tags, expected",
    [
        ([{"ner": "B-PER"}], None),
        ([{"ner": "S-PER", "upos": "NOUN"}], None),
        ([{"ner": "O", "upos": "NOUN"}], ""),
        ([{"upos": "PROPN"}], None),
        ([{"upos": "ADJ"}, {"upos": "PROPN"}], None),
    ],
)
def test_what_tokens_say_of_a_person_decides(tags, expected):
    tokens = [{"form": "x", "start": at, "end": at + 1, **tag} for at, tag in enumerate(tags)]
    tokens[-1]["end"] = 3
    assert (
        ambiguity.doubt("joy", search.Mention(0, 3, "Joy", "joy", "", ""), known("en"), tokens)
        == expected
    )


@each_row("text, sure", [("आशा जी", True), ("आशा जी ने", True), ("आशा जीवन की", False)])
def test_a_title_is_a_whole_word_where_there_are_spaces(text, sure):
    assert (
        ambiguity.doubt(text, search.Mention(0, 3, "आशा", "आशा", "", ""), known("hi")) is None
    ) == sure


def test_wide_forms_are_of_all_signs_of_ascii():
    assert forms.of("A!~", "B", known("en")) == {"A!~": "B", "Ａ！～": "Ｂ"}  # U+FF01 to U+FF5E
    assert forms.of("A", "B", known("en")) == {"A": "B"} and forms.of("Al", "Bo", known("en")) == {
        "Al": "Bo",
        "Ａｌ": "Ｂｏ",
    }


@each_row(
    "old, new, oblique",
    [
        ("मुन्ना", "राजा", {"मुन्ने": "राजे"}),
        ("मुन्ना", "राहुल", {"मुन्ने": "राहुल"}),
        ("मुन्ना", "आशा", {"मुन्ने": "आशा"}),
        ("आशा", "मीना", {}),
        ("राहुल", "मुन्ना", {}),
    ],
)
def test_the_oblique_of_a_hindi_name_of_a_man_follows(old, new, oblique):
    made = forms.of(old, new, known("hi"))
    assert {form: to for form, to in made.items() if form.endswith("े")} == oblique


def test_a_name_in_hiragana_may_have_the_ending_of_several():
    (found,) = search.mentions("あかりたちは元気", ["あかり"], known("ja"))
    assert ambiguity.part("あかりたちは元気", found, known("ja"), None) == ""


@each_row(
    "unseen",
    ["\u200d", "\u200c", "\u200b", "\u2060", "\ufeff", "\u0301", "\u093c", "\ufe0f", "\u200d "],
)
def test_invisible_characters_alone_are_no_name(unseen):
    source = {
        "id": 1,
        "lang": "en",
        "dialogue": [
            {"speaker": "Ann", "text": f"Hi{unseen} Bo{unseen}b"},
            {"speaker": unseen, "text": "?"},
        ],
    }
    (swapped,) = dialtools.swap_names([source])
    assert [*swapped["history"][0]["names"]] == ["Ann"] and swapped["dialogue"][1] == source[
        "dialogue"
    ][1]
    (restored,) = dialtools.swap_names([swapped], restore=True)
    assert restored["dialogue"] == source["dialogue"]
    for people in ([{"name": unseen}], [{"name": "Ann", "aliases": [unseen]}]):
        with pytest.raises(RecordError, match='"people"'):
            list(dialtools.swap_names([source | {"people": people}]))
    names = {"names": {"Ann": "Zoe"}, "aliases": {unseen: "Zoe"}}
    for options in (
        {"map": {unseen: "Zoe"}},
        {"map": {"Ann": unseen}},
        {"map": names},
        {"person": (unseen,)},
        {"pool_file": [unseen, "Zoe"]},
    ):
        with pytest.raises(OptionError):
            list(dialtools.swap_names([source], **options))


def said_to(name: str, text: str) -> str:
    """Return what somebody else says to one who is renamed."""
    turns = [{"speaker": name, "text": "Hi"}, {"speaker": "Xy", "text": text}]
    source = {"id": 1, "lang": "en", "dialogue": turns}
    (swapped,) = dialtools.swap_names([source], map={name: "Zennon"}, allow_cross_gender=True)
    return swapped["dialogue"][1]["text"]


@each_row(
    "name, text",
    [
        ("Al", "See Smith et al. for it, or Jones et al, 2019"),
        ("Ed", "the 2nd ed. of it, 3rd ed., vol. 2"),
        ("Ed", "special ed"),
        ("Gen", "Gen Z, next gen phones"),
        ("Fig", "see fig. 3 and Fig. 4"),
        ("Pat", "pat. pending"),
        ("Jan", "on Jan. 5, Jan 5, or 5 Jan"),
        ("Sat", "Sat. 5 pm"),
        ("Kelvin", "300 kelvin"),
        ("Cal", "100 cal, cal. 5"),
        ("Sam", "Uncle Sam"),
    ],
)
def test_abbreviations_and_units_are_no_names(name, text):
    assert said_to(name, text) == text


@each_row(
    "name, text",
    [
        ("Al", "I met Al. He is here, and al too."),
        ("Ed", "Bye, Ed. See you. ed came"),
        ("Jan", "Jan came. Is Jan. Good"),
        ("Kelvin", "Kelvin is 40"),
        ("Pat", "Hi Pat. Is it 5?"),
    ],
)
def test_names_that_are_abbreviations_too_are_names_elsewhere(name, text):
    assert name not in said_to(name, text)
