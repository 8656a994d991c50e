"""Which language texts look like, and records whose language is assumed."""

import json

import pytest
from table_tests import each_row

import dialtools
from dialtools.languages.evidence import Evidence
from dialtools.records.validation import require_script
from dialtools.system.errors import RecordError

KOREAN = "A: 안녕하세요, 오늘 회의 있어요?\nB: 네, 있어요. OK!"
# article 1 of the Universal Declaration of Human Rights, from the Unicode Consortium's "UDHR in Unicode"
ARTICLE = {
    "de": "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und "
    "sollen einander im Geist der Brüderlichkeit begegnen.",
    "en": "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience and "
    "should act towards one another in a spirit of brotherhood.",
    "es": "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y "
    "conciencia, deben comportarse fraternalmente los unos con los otros.",
    "id": "Semua orang dilahirkan merdeka dan mempunyai martabat dan hak-hak yang sama. Mereka dikaruniai akal dan hati "
    "nurani dan hendaknya bergaul satu sama lain dalam semangat persaudaraan.",
    "ja": "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。",
    "ko": "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",
    "ru": "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью.",
    "uk": "Всі люди народжуються вільними і рівними у своїй гідності та правах. Вони наділені розумом і совістю.",
    "zh": "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。",
    "ar": "يولد جميع الناس أحراراً متساوين في الكرامة والحقوق. وقد وهبوا عقلاً وضميراً وعليهم أن يعامل بعضهم بعضاً بروح الإخاء.",
    "": "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem i "
    "sumieniem i powinni postępować wobec innych w duchu braterstwa.",
}  # Polish, which no data tells


@each_row("lang", ARTICLE)
def test_a_text_looks_like_its_language(lang):
    evidence = Evidence()
    evidence.add(ARTICLE[lang])
    assert evidence.guess().lang == lang


@each_row(
    "record, remedy",
    [
        ({"dialogue": KOREAN}, 'Hangul, which en is not written in: "lang": "ko"'),
        ({"dialogue": [{"speaker": "Ann", "text": "今日は暑いですね"}]}, 'Japanese.*"lang": "ja"'),
        ({"text": "नमस्ते दोस्त"}, 'Devanagari.*"lang": "TAG", such as hi'),
        (
            {"prediction": ["今天很热", "今天热"], "reference": "今天非常热"},
            'Chinese.*"lang": "zh"',
        ),
    ],
)
def test_an_assumed_language_with_another_script_is_an_error(record, remedy):
    with pytest.raises(RecordError, match=f'no "lang", and its letters are {remedy}'):
        list(dialtools.select([{"id": 1, **record}]))
    named = {"id": 1, "lang": "en", **record}
    assert list(dialtools.select([named])) == [named]  # it does not read the dialogue


@each_row(
    "lang, text, said",
    [
        ("en", ARTICLE["ko"], "Hangul.*lang=ko"),
        ("zh", ARTICLE["ko"], "Hangul.*lang=ko"),
        ("zh", ARTICLE["ja"], "Japanese.*lang=ja"),
        ("ja", ARTICLE["zh"] * 3, "Chinese.*lang=zh"),
        ("ru", ARTICLE["zh"], "Chinese.*lang=zh"),
        ("ko", ARTICLE["de"], "Latin.*lang=de"),
        ("hi-Latn", ARTICLE["ar"], "Arabic.*lang=ar"),
    ],
)
def test_a_language_with_another_script_is_an_error(lang, text, said):
    named = {"id": 1, "lang": lang, "dialogue": [{"speaker": "A", "text": text}]}
    with pytest.raises(RecordError, match=f'"lang" is "{lang}", which is not written in {said}'):
        require_script(named, "own")


def test_a_given_language_with_another_script_is_an_error(shell, tmp_path):
    record = {
        "id": 1,
        "dialogue": [{"speaker": "A", "text": ARTICLE["ko"]}] * 2,
        "prediction": ARTICLE["ko"],
    }
    (tmp_path / "in").write_text(json.dumps(record))
    for command in (
        "swap-names",
        "perturb -k typo",
        "generate -g lead --overwrite",
        "score -m rouge1 --against dialogue",
        "clean --all",
    ):
        done = shell(f"dt-{command} -q --lang en in")
        assert (done.status, done.out) == (3, ""), (command, done.err)
        assert "in:1: its letters are Hangul, which en is not written in: --lang ko" in done.err
    assert "dt-convert --set lang=ko" in shell("dt-convert --set lang=en in").err


@each_row(
    "lang, text",
    [
        ("zh", "lol OMG https://example.org/a/b/c"),
        ("zh", "OK，走吧"),
        ("hi-Latn", ARTICLE["id"]),
        ("ja", "東京"),
        ("zh", "我喜欢の"),
        ("xx", ARTICLE["ko"]),
        ("en", "Zoë 안녕"),
    ],
)
def test_a_few_letters_and_unknown_languages_tell_nothing(lang, text):
    named = {"id": 1, "lang": lang, "dialogue": [{"speaker": "A", "text": text}]}
    assert next(dialtools.generate([named], generator="lead"))["prediction"]


@each_row(
    "text", ["Zoë says 안녕하세요", "🎉🎉 12:30", "…", "π ≈ 3", "#Person1#: 12", "Zoom 회의", "éàü"]
)
def test_mixed_texts_and_texts_without_letters_are_no_error(text):
    (record,) = dialtools.select([{"id": 1, "text": text}])
    assert record["lang"] == "en"


def test_commands_say_where_and_what_to_add(shell, tmp_path):
    lines = [
        {"id": 1, "dialogue": "Ann: Hi!"},
        {"id": 2, "dialogue": KOREAN},
        {"id": 3, "text": "ok"},
    ]
    for name, ascii in (("plain", False), ("escaped", True)):
        (tmp_path / name).write_text(
            "".join(json.dumps(line, ensure_ascii=ascii) + "\n" for line in lines)
        )
        done = shell(f"dt-generate -g lead {name}")
        assert (
            done.status == 3
            and "plain:2: no" in done.err.replace("escaped", "plain")
            and "--lang ko" in done.err
        )
    assert shell("dt-perturb -k typo.case --on-error skip -q plain | jq -c .id").out.split() == [
        "1",
        "3",
    ]
    told = shell(
        "dt-check plain | jq -r .example; head -1 plain | dt-check --key lang=x > /dev/null"
    )
    assert (
        "--lang ko" in told.out
        and 'language of the records without "lang": not sure: Latin letters' in told.err
    )


def test_a_file_that_looks_like_another_language_than_its_own_is_odd():
    lines = [{"id": n, "lang": "en", "text": ARTICLE["id"]} for n in range(3)]
    (result,) = dialtools.check(lines)
    assert (result["level"], result["n"], result["example"][:18]) == (
        "odd",
        3,
        "en: looks like id ",
    )
