"""--restore gives names back in what a system wrote: exactly where that is copied from the input."""

import pytest
from samples import TURNS

import dialtools
from dialtools import languages

LINES = {  # lines that end in a number, an article or a title: none says anything of the next label
    **{lang: [f"{name}: {text}" for name, text in turns] for lang, turns in TURNS.items()},
    "en-GB": [
        "Ann: he is 40",
        "Bob: no, we left on the",
        "Ann: that's Bob's, or an Ann's?",
        "Bob: Ann, come, Dr.",
        "Ann: ok",
    ],
    "de": [
        "Jan: Er ist 40",
        "Uta: Das ist die",
        "Jan: Und Utas Buch?",
        "Uta: Grüße an Jan, Dr.",
        "Jan: Uta!",
    ],
    "es": [
        "Ana: Tiene 40",
        "Luis: ¿Y la",
        "Ana: ¿Viene Luis con don",
        "Luis: Saludos a Ana",
        "Ana: Luis.",
    ],
    "fr": [
        "Luc: Il a 40",
        "Anne: C'est la",
        "Luc: Le livre d'Anne, ou de",
        "Anne: Luc, Dr",
        "Luc: Anne !",
    ],
    "it": [
        "Luca: Ha 40",
        "Anna: E la",
        "Luca: Il libro di Anna, dott.",
        "Anna: Ciao Luca",
        "Luca: Anna.",
    ],
    "jv": [
        "Budi: Umure 40",
        "Siti: Iki bukune",
        "Budi: Siti, Pak",
        "Siti: Iya, Budi",
        "Budi: Siti.",
    ],
    "ko": [
        "민수: 저는 40",
        "지은: 그 민수가 와요? 민수.",
        "민수: 지은은 집에 있어요. 지은.",
        "지은: 김",
        "민수: 네, 지은 씨",
    ],
}


def restored(lines: list[str], lang: str = "en", predicted: str | None = None, **options) -> str:
    (swapped,) = dialtools.swap_names(
        [{"id": 1, "lang": lang, "dialogue": "\n".join(lines)}], **options
    )
    (back,) = dialtools.swap_names(
        [{**swapped, "prediction": predicted or swapped["dialogue"]}], restore=True
    )
    return back["prediction"]


@pytest.mark.parametrize(
    "lang, pool", [(lang, pool) for lang in LINES for pool in languages.get(lang).tables("names")]
)
def test_a_copy_of_the_input_comes_back_as_it_was(lang, pool):
    for seed in range(4):
        assert restored(LINES[lang], lang, pool=pool, seed=seed).split("\n") == LINES[lang]


@pytest.mark.parametrize(
    "said", ["Penny: he is 40\nJade: fine", "Jade: on the\nPenny: lawn", "Jade: Dr\nPenny: ok"]
)
def test_a_line_says_nothing_of_the_label_of_the_next_one(said):
    """Nor where there is no such line in the input."""
    names = {"Ann": "Jade", "Bob": "Penny"}
    wanted = said.replace("Jade", "Ann").replace("Penny", "Bob")
    assert restored(["Ann: Hi", "Bob: Hi"], predicted=said, map=names) == wanted


def test_a_reference_of_several_lines_is_renamed_in_all():
    record = {
        "id": 1,
        "lang": "en",
        "dialogue": "Mark: Hi\nJoy: Hi",
        "reference": "Mark: she is 40\nJoy: a\nMark: no",
    }
    (swapped,) = dialtools.swap_names([record], map={"Mark": "Tom", "Joy": "Ann"})
    assert swapped["reference"] == "Tom: she is 40\nAnn: a\nTom: no"


@pytest.mark.parametrize(
    "dialogue, predicted, wanted",
    [
        ("Chris: Hi\nBob: that's Chris' book", "They read Anna's book.", "They read Chris' book."),
        (
            "Chris: Hi\nBob: that's Chris's book",
            "They read Anna's book.",
            "They read Chris's book.",
        ),
        (
            "Chris: Hi\nBob: Chris' or Chris's?",
            "They read Anna's book.",
            "They read Chris's book.",
        ),  # either
        ("Chris: Hi\nBob: Chris’ book, Chris’ pen", "Anna’s pen", "Chris’ pen"),
    ],
)
def test_an_apostrophe_comes_back_as_it_was(dialogue, predicted, wanted):
    names = {"Chris": "Anna", "Bob": "Joe"}
    assert restored([dialogue], predicted=predicted, map=names, allow_cross_gender=True) == wanted


@pytest.mark.parametrize(
    "predicted, wanted",
    [
        ("wait, will you come", "wait, ann you come"),  # the nickname, as in the input
        ("then will they come?", "then will they come?"),
    ],
)  # the input does not tell
def test_a_word_is_a_name_where_the_input_has_it_so_between_the_same_words(predicted, wanted):
    lines = ["ann: Hi", "Bob: wait, ann you come"]
    names = {"ann": "will", "Bob": "Joe"}
    assert restored(lines, predicted=predicted, map=names, allow_cross_gender=True) == wanted


@pytest.mark.parametrize(
    "text, new",
    [
        ("Paul: l'ami de Paul, que Paul aime\nLuc: oui", {"Paul": "Hugo"}),
        ("Anne: l'ami d'Anne, qu'Anne aime\nLuc: oui", {"Anne": "Paul"}),
    ],
)
def test_an_elision_before_a_name_comes_back_as_one(text: str, new: dict):
    """The space that an elision takes away is not the name's own."""
    (made,) = dialtools.swap_names([{"id": 1, "lang": "fr", "dialogue": text}], map=new)
    (restored,) = dialtools.swap_names([made | {"prediction": made["dialogue"]}], restore=True)
    assert made["dialogue"] != text and restored["prediction"] == text
