"""Gender in translations: numbers by hand, from the definitions in "Gender inflected or bias inflicted"."""

import math

import pytest
from sklearn.metrics import f1_score

import dialtools
from dialtools import languages
from dialtools.evaluation import scorer as scorers
from dialtools.system.errors import RecordError
from dialtools.text import pronouns

TEXTS = {
    "male": "The clerk said he was late.",
    "female": "The clerk said she was late.",
    "neutral": "They were late.",
}


GENDERS = [
    ("en", "HE told himself so.", "male"),
    ("en", "The sheer theory of the shell", "neutral"),
    ("en", "he/she", "neutral"),
    ("en", "", "neutral"),
    ("en", "She’s in, isn't she?", "female"),
    ("es", "Él no vino.", "male"),
    ("es", "El médico no vino.", "neutral"),
    ("es", "Ellos y ella.", "female"),
    ("fr", "Il y a du pain.", "neutral"),
    ("fr", "Il  y\na une place ; elle vient.", "female"),
    ("fr", "Il vient.", "male"),
    ("ja", "彼女は医者です。", "female"),
    ("ja", "彼は医者です。", "male"),
    ("ja", "彼らは彼女を待つ。", "female"),
    ("zh", "他是医生。", "male"),
    ("zh", "其他人弹吉他。", "neutral"),
    ("zh", "她们和其他人", "female"),
    ("zh", "他和她", "neutral"),
    ("it", "Lui disse che era tardi.", "male"),
    ("it", "Ella parte domani.", "female"),
    ("it", "Il medico le parla.", "neutral"),
    ("it", "Lui e lei partono.", "neutral"),
    ("ru", "Врач сказал, что ОН опоздал.", "male"),
    ("ru", "Врач дал ей ключ.", "female"),
    ("ru", "Они пошли к ним.", "neutral"),
    ("ru", "Ей-богу, не знаю.", "neutral"),
    ("ru", "Я был у него.", "male"),
    ("uk", "Лікарка сказала, що вона прийде.", "female"),
    ("uk", "Я був із ним.", "male"),
    ("uk", "Їхня донька вдома.", "neutral"),
    ("he", "הרופאה אמרה שהיא מאחרת.", "female"),
    ("he", "הוא רופא.", "male"),
    ("he", "אותו דבר.", "neutral"),
    ("he", "ה\u05d5\u05bc\u05d0 רופא", "male"),  # with a vowel sign
    ("ar", "قال الطبيب وهو يضحك.", "male"),
    ("ar", "هي طبيبة.", "female"),
    ("ar", "كتبت الرسالة.", "neutral"),
    ("ar", "هُوَ طبيب", "male"),  # with vowel signs
    ("ko", "그는 의사이다.", "male"),
    ("ko", "의사는 그녀가 늦었다고 말했다.", "female"),
    ("ko", "그 사람은 의사다.", "neutral"),
    ("en", "Each nurse said that (s)he was late.", "neutral"),
    ("en", "The clerk said s/he left. She did.", "female"),
    ("ru", "Врач сказал, что он(а) уйдёт.", "neutral"),
    ("he", "הספר שלו/ה", "neutral"),
    ("fr", "Il n’y a plus d'infirmière.", "neutral"),
    ("fr", "Y a-t-il une infirmière ?", "neutral"),
    ("fr", "S'il vous plaît !", "neutral"),
    ("fr", "S’il te plaît, dit-elle, il fait froid.", "female"),
    ("fr", "Il est important d'y aller.", "neutral"),
    ("fr", "S'il vient, il est important.", "male"),
    ("uk", "Шапка була на нім.", "male"),
    ("fr", "Elle croit qu’il devrait y avoir du monde.", "female"),
    ("fr", "Il s’avère qu'il existe.", "neutral"),
    ("fr", "Il devrait venir, s'il le faut.", "male"),
    ("fr", "Est-il possible qu'elle vienne ?", "female"),
    ("fr", "Il vient, il n'y en a plus.", "male"),
    ("fr", "Elle dit qu'il ne faut pas.", "female"),
    ("zh", "马耳他很小。", "neutral"),
    ("zh", "尤其他很忙。", "male"),
    ("ja", "元彼と彼女", "female"),
    ("ja", "彼(女)は", "neutral"),
    ("ja", "元彼女", "female"),
    ("ja", "元彼と彼", "male"),
    ("ko", "그녀에게는 시간이 없다.", "female"),
    ("ko", "그에게는 시간이 없다.", "male"),
    ("ko", "그/그녀는 의사이다.", "neutral"),
    ("ko", "그녀석", "neutral"),
    ("ko", "그녀들은 의사다.", "female"),
    ("ko", "범인은 그였다.", "male"),
    ("zh", "他妈妈来了。", "male"),
    ("zh", "他妈的！", "neutral"),
    ("zh", "安排他处理。", "male"),
    ("zh", "尊重他人。", "neutral"),
    ("es", "E\u0301l no vino.", "male"),
    ("ko", "\u1100\u1173\u1102\u1173\u11ab 의사이다.", "male"),
]  # the last two in NFD


def test_the_gender_of_a_text():
    found = {(lang, text): pronouns.gender(text, languages.get(lang)) for lang, text, _ in GENDERS}
    assert found == {(lang, text): gender for lang, text, gender in GENDERS}


def test_each_table_has_both_genders_or_none_and_no_word_twice():
    for lang in languages.having("pronouns.tsv"):
        rows = languages.get(lang).table("pronouns")
        assert {row["gender"] for row in rows} in ({"m", "f"}, {"m", "f", "n"}, {"n"}), lang
        words = [row["word"] for row in rows]
        assert len(set(words)) == len(words), lang
        assert all(word == word.lower() for word in words), lang


@pytest.mark.parametrize(
    "lang, text, why",
    [
        ("hi", "वह सो रहा है।", "वह, वे, वो may mean anybody"),
        ("id", "Dia dokter.", "beliau, dia, ia may mean anybody"),
        ("jv", "Dheweke dhokter.", "dheweke, .* may mean anybody"),
        ("de", "Sie kommen.", "ihr, sie may mean anybody"),
        ("pt", "Ele veio.", "there is no pronouns.tsv"),
        ("xx", "", "there is no pronouns.tsv"),
    ],
)
def test_a_language_whose_pronouns_tell_no_gender_is_refused_by_name(
    lang: str, text: str, why: str
):
    told = "they do in ar, en, es, fr, he, it, ja, ko, ru, uk, zh"
    with pytest.raises(RecordError, match=f"^pronouns tell no gender in {lang}: .*{why}; {told}$"):
        pronouns.gender(text, languages.get(lang))


def test_a_language_may_have_pronouns_and_nothing_else():
    record = {
        "id": 1,
        "lang": "ru",
        "gender": "female",
        "prediction": "Врач сказала, что она придёт.",
        "reference": "",
    }
    (scored,) = dialtools.score([record], metric=["gender_accuracy", "rouge1"])
    assert (
        scored["scores"]["gender_accuracy"] == 1
        and "|tok:words|" in scored["history"][-1]["signature"]["rouge1"]
    )


def records(*rows: tuple[str, str, str]) -> list[dict]:
    """Return records: the person's gender, the stereotype, the gender of the translation."""
    return [
        {
            "id": number,
            "gender": gender,
            "stereotype": group,
            "set": group,
            "prediction": TEXTS[found],
        }
        for number, (gender, group, found) in enumerate(rows)
    ]


ROWS = records(
    ("male", "pro", "male"),
    ("male", "pro", "male"),
    ("female", "pro", "female"),
    ("female", "pro", "male"),
    ("male", "anti", "male"),
    ("female", "anti", "male"),
    ("female", "anti", "neutral"),
    ("male", "anti", "male"),
)


def test_accuracy_and_deltas():
    """F1 by scikit-learn; neutral is no label of its own, but a miss."""
    results = dialtools.score(ROWS, metric=["gender_accuracy", "delta_g", "delta_s"], summary=True)
    accuracy, delta_g, delta_s = results
    found = [
        next(gender for gender, text in TEXTS.items() if text == record["prediction"])
        for record in ROWS
    ]
    true = [record["gender"] for record in ROWS]

    def f1(part: slice) -> list[float]:
        return list(
            f1_score(
                true[part], found[part], labels=["male", "female"], average=None, zero_division=0
            )
        )

    assert accuracy["mean"] == 100 * 5 / 8
    male, female = f1(slice(None))
    assert delta_g["corpus"] == pytest.approx(100 * (male - female), abs=1e-10)
    assert delta_s["corpus"] == pytest.approx(
        50 * sum(f1(slice(4))) - 50 * sum(f1(slice(4, 8))), abs=1e-10
    )


@pytest.mark.parametrize(
    "metric", ["gender_accuracy", "delta_g", "delta_s", "gender:share=neutral", "tgbi"]
)
def test_texts_whose_gender_no_pronoun_tells_are_counted(metric: str, shell, tmp_path):
    """The paper counts them as neutral, and so as missed; "she or he" is neutral, too, but not without a gender."""
    texts = ["La doctora llegó.", "Ella llegó.", "Ella o él llegó.", "Llegó la doctora."]
    rows = [
        {
            "id": n,
            "lang": "es",
            "gender": "female",
            "stereotype": "pro",
            "set": "x",
            "prediction": text,
        }
        for n, text in enumerate(texts)
    ]
    (result,) = dialtools.score(rows, metric=[metric], summary=True)
    assert result["without_gender"] == 2
    assert metric != "gender_accuracy" or result["mean"] == 100 / 4
    dialtools.write(rows, tmp_path / "in.jsonl")
    assert "4 records, 2 records without gender" in shell(f"dt-score -m {metric} in.jsonl").err


def test_somebody_of_neutral_gender():
    """As in evaluate.py of mt_gender: right where neutral, else a false positive. F1: 4/5 and 0 of 1 female."""
    people = records(
        ("male", "", "male"),
        ("male", "", "male"),
        ("n", "", "male"),
        ("neutral", "", "neutral"),
        ("female", "", "neutral"),
    )
    accuracy, delta_g = dialtools.score(people, metric=["gender_accuracy", "delta_g"], summary=True)
    assert accuracy["mean"] == 100 * 3 / 5
    assert delta_g["corpus"] == pytest.approx(100 * 4 / 5)


def test_tgbi():
    """Equation 1: of pro 3/4 male and 1/4 female, of anti 3/4 male and 1/4 neutral."""
    (result,) = dialtools.score(ROWS, metric=["tgbi"], summary=True)
    assert result["corpus"] == pytest.approx(
        100 * (math.sqrt(3 / 4 * 1 / 4) + math.sqrt(1 / 4)) / 2
    )
    (other,) = dialtools.score(ROWS, metric=["tgbi:key=gender"], summary=True)
    assert other["corpus"] == pytest.approx(
        100 * (math.sqrt(0) + math.sqrt(2 / 4 * 1 / 4 + 1 / 4)) / 2
    )


def test_what_is_there_several_times_counts_as_often():
    """By hand. TGBI: √(2/3 × 1/3) of x, √(1/2) of y, and no part for what sums of drawn records have 0 of.
    ΔS: of pro F1 4/5 of male, 0 of female; of anti none of male, 1 of female."""
    he, she, they = "He left.", "She left.", "They left."
    tgbi, delta = scorers.of("tgbi", "en"), scorers.of("delta_s", "en")
    rows = tgbi.statistics([he, he, she, they, he], list("xxxyy"))
    assert tgbi.corpus(rows) == pytest.approx((2**0.5 / 3 + 0.5**0.5) / 2)
    assert tgbi.corpus([{"x\tmale": 0, "x\tneutral": 1, "y\tmale": 0}]) == 1
    rows = delta.statistics([he, he, he, she], ["m", "m", "f", "f"], ["pro"] * 3 + ["anti"])
    assert delta.corpus(rows) == pytest.approx((0.8 + 0) / 2 - (0 + 1) / 2)


def test_tgbi_of_two_systems_is_tested_by_drawing_sentences_anew():
    """One system is the other with all translations male: P falls to 0 in each resample."""
    good = [
        record | {"id": 10 * n + record["id"], "system": "good"}
        for n in range(4)
        for record in ROWS
    ]
    bad = [record | {"system": "bad", "prediction": TEXTS["male"]} for record in good]
    scored = dialtools.score([*good, *bad], metric=["tgbi"])
    (result,) = dialtools.ttest(
        scored, value="statistics.tgbi", by="system", test="bootstrap:resamples=1000"
    )
    assert (
        result["corpus_a"] == pytest.approx(100 * (math.sqrt(3) / 4 + 1 / 2) / 2)
        and result["corpus_b"] == 0
    )
    assert result["p"] < 0.01 and result["ci"][0] > 0


@pytest.mark.parametrize(
    "metric, change, message",
    [
        ("gender_accuracy", {"gender": "both"}, '"female" or "neutral", here is "both"'),
        ("delta_s", {"stereotype": "both"}, '"pro" or "anti", here is "both"'),
        ("tgbi", {"set": [1]}, "a name, here is"),
        ("delta_g", {"gender": None}, 'no "gender"'),
    ],
)
def test_what_a_record_must_tell(metric: str, change: dict, message: str):
    with pytest.raises(RecordError, match=message):
        list(dialtools.score([ROWS[0] | change], metric=[metric]))
