"""Words switched to another language by a bilingual list of the user's."""

from pathlib import Path

import pytest
from table_tests import each_row

import dialtools
from dialtools.system.errors import DialtoolsError


def switched(tmp_path: Path, rows: str, text: str, lang: str = "en", **record) -> str:
    """Return a text with all words of a list switched, and check that all can be undone."""
    (tmp_path / "list.tsv").write_text(rows.replace(":", "\t"))
    kind = f"variation.code-switch:lexicon={tmp_path / 'list.tsv'},rate=1"
    before = {"id": 1, "lang": lang, "text": text, **record}
    [variant] = dialtools.perturb([before], kind=kind)
    [restored] = dialtools.perturb([variant], restore=True)
    assert {key: restored[key] for key in before} == before
    return variant["text"]


@each_row(
    "rows, text, lang, expected",
    [
        (
            "house:casa\nbig house:caserón",
            "A Big house, HOUSES; a house",
            "en",
            "A Caserón, HOUSES; a casa",
        ),
        ("I:yo", "I see. “I see that I do", "en", "Yo see. “Yo see that yo do"),
        ("I:yo\nhouse:casa", "I’m at the house's door", "en", "I’m at the casa's door"),
        ("Haus:house", "Das Haus. Haus und HAUS", "de", "Das house. House und HOUSE"),
        ("dog:perro\ndog:can", "dog", "en", "perro"),
        ("cat:gato", "cat字cats, `cat`, #cat", "en", "gato字cats, `cat`, #cat"),
        ("casa:house", "minha casa", "pt", "minha house"),
        ("집:house", "집 집중 집에", "ko", "house 집중 집에"),
        ("кот:cat", "кот, котик", "ru", "cat, котик"),
        ("Ann:Anna", "hi Ann", "en", "hi Anna"),
    ],
)
def test_words_are_switched_in_their_case_and_whole(
    tmp_path: Path, rows: str, text: str, lang: str, expected: str
):
    assert switched(tmp_path, rows, text, lang) == expected


def test_letters_that_would_meet_have_a_space_between_them(tmp_path: Path):
    """我/喜欢/苹果/A: like and apple, and apple and A, would be one word; 我 and like are two."""
    spans = [(0, 1), (1, 3), (3, 5), (5, 6)]
    text = "我喜欢苹果A"
    tokens = [{"form": text[start:end], "start": start, "end": end} for start, end in spans]
    rows = "喜欢:like\n苹果:apple\n果:fruit"
    assert switched(tmp_path, rows, text, "zh", tokens=tokens) == "我like apple A"


def test_what_stands_within_a_token_is_no_word(tmp_path: Path):
    tokens = [{"form": "人民", "start": 0, "end": 2}]
    assert switched(tmp_path, "人:man", "人民", "zh", tokens=tokens) == "人民"


def test_labels_of_speakers_stay(tmp_path: Path):
    (tmp_path / "list.tsv").write_text("mom\tmamá\ncar\tcoche\n")
    talk = {"id": 1, "lang": "en", "dialogue": "Mom: my car\nBob: Mom, the car"}
    kind = f"variation.code-switch:lexicon={tmp_path / 'list.tsv'},rate=1"
    [variant] = dialtools.perturb([talk], kind=kind)
    assert variant["dialogue"] == "Mom: my coche\nBob: Mom, the coche"
    assert variant["history"][0]["counts"] == {"words switched": 2}


def test_the_rate_is_that_of_the_listed_words(tmp_path: Path):
    (tmp_path / "list.tsv").write_text("car\tcoche\n")
    kind = f"variation.code-switch:lexicon={tmp_path / 'list.tsv'},rate=0.3"
    record = {"id": 1, "lang": "en", "text": "car bus " * 1000}
    [variant] = dialtools.perturb([record], kind=kind)
    switched = variant["text"].split().count("coche")
    assert 210 < switched < 390  # six standard deviations of a thousand draws of 0.3


def test_back_is_the_other_way_and_an_edited_list_is_another(tmp_path: Path):
    file = tmp_path / "list.tsv"
    signatures = []
    for rows in ("car\tcoche\nautomobile\tcoche\n", "car\tauto\n"):
        file.write_text(rows)
        kind = f"variation.code-switch:lexicon={file},direction=back,rate=1"
        [variant] = dialtools.perturb([{"id": 1, "lang": "es", "text": "coche auto"}], kind=kind)
        signatures.append(variant["history"][0]["signature"])
        assert variant["text"] == ("car auto" if len(signatures) == 1 else "coche car")
    assert signatures[0] != signatures[1]


@each_row(
    "rows, message",
    [
        ("car coche\n", "line 1"),
        ("# en es\ncar\tcoche\nbus\t\n", "line 3"),
        ("a\tb\tc\n", "line 1"),
        ("\n# nothing\n", "no words"),
    ],
)
def test_a_list_that_is_none_is_refused(tmp_path: Path, rows: str, message: str):
    (tmp_path / "list.tsv").write_text(rows)
    with pytest.raises(DialtoolsError, match=message):
        list(dialtools.perturb([], kind=f"variation.code-switch:lexicon={tmp_path / 'list.tsv'}"))


def test_a_language_without_spaces_needs_tokens_and_all_need_a_list(tmp_path: Path):
    (tmp_path / "list.tsv").write_text("我\tI\n")
    record = {"id": 1, "lang": "zh", "text": "我去"}
    for options, message in (
        ("", "needs lexicon="),
        (f":lexicon={tmp_path / 'list.tsv'}", "needs tokens"),
    ):
        with pytest.raises(DialtoolsError, match=message):
            list(dialtools.perturb([record], kind=f"variation.code-switch{options}"))
