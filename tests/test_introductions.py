"""People whom a text introduces are renamed with --person introduced, and the closing line says so."""

import pytest

import dialtools

INTRODUCED = {
    "en": {
        "Hi, I am Tom Baker. Is this Mr. Hall?": ["Tom"],
        "This is Dr. Green speaking": ["Dr. Green"],
        "Anna Brown speaking, how can I help?": ["Anna"],
        "my name is tom and i need help": ["tom"],
        "My name’s Zhuang. I'm Sorry. It's May.": ["Zhuang"],
        "I'm here. I am Irish. My name is Nobody's. This is great": [],
        "I'm your Agent. It is Christian. My name is what?": [],
    },
    "de": {"Ich heiße Jürgen Schmidt, und ich bin Lehrer.": ["Jürgen"], "Hier ist Berlin": []},
    "es": {"Soy Carmen. Soy médico. ¿Me llamo?": ["Carmen"]},
    "fr": {"Je m’appelle Émilie Dubois. C'est parfait.": ["Émilie"]},
    "id": {"Nama saya Budi Santoso. Saya dokter. Ini bagus.": ["Budi"]},
    "jv": {"Jenengku Slamet. Aku guru.": ["Slamet"]},
    "hi": {"मेरा नाम राहुल शर्मा है। मैं ठीक हूँ।": ["राहुल"], "मैं डॉक्टर हूँ": []},
    "ja": {
        "ABC商事の田中と申します。": ["田中"],
        "私は田中太郎です。私は学生です。": ["田中太郎"],
        "名前はロブです。犬の名前はなんですか": ["ロブ"],
    },
    "zh": {
        "你好，我叫王芳，很高兴认识你": ["王芳"],
        "我是李经理。我是老师。我是高兴的": ["李经理"],
        "我叫你过来。我叫罗布。": ["罗布"],
    },
    "ko": {"저는 김민준입니다. 저는 학생입니다.": ["김민준"]},
}


@pytest.mark.parametrize(
    ("lang", "text", "names"),
    [(lang, text, names) for lang, rows in INTRODUCED.items() for text, names in rows.items()],
)
def test_people_whom_a_text_introduces_are_renamed(lang, text, names):
    record = {"id": 1, "lang": lang, "text": text}
    (renamed,) = dialtools.swap_names([record], person="introduced")
    assert list(renamed["history"][0]["names"]) == names
    (restored,) = dialtools.swap_names([renamed], restore=True)
    assert restored["text"] == text


def test_a_full_name_is_changed_with_who_is_introduced_by_it():
    turns = [
        {"speaker": "Customer", "text": "I am Tom Baker. Do you know Tom Cruise?"},
        {"speaker": "Agent", "text": "Tom's order, Mr. Baker? For Tom Baker?"},
    ]
    record = {"id": 1, "lang": "en", "dialogue": turns}
    (renamed,) = dialtools.swap_names([record], person="introduced", pool_file=["Zoe\tm"])
    assert [turn["text"] for turn in renamed["dialogue"]] == [
        "I am Zoe Baker. Do you know Tom Cruise?",
        "Zoe's order, Mr. Baker? For Zoe Baker?",
    ]


def test_who_speaks_is_introduced_as_who_speaks():
    record = {"id": 1, "lang": "en", "dialogue": "Tom Baker: I'm Tom\nAnna: I'm Bob, I say."}
    (renamed,) = dialtools.swap_names([record], person=["introduced", "Eve"])
    assert list(renamed["history"][0]["names"]) == ["Tom Baker", "Anna", "Bob"]


@pytest.mark.parametrize(("person", "kept"), [("Tom", []), ((), ["Tom Baker"])])
def test_who_does_not_speak_is_introduced_by_anybody(person, kept):
    """A full name is that of a --person whom somebody introduces by it, not of a speaker."""
    dialogue = "Agent: This is Tom Baker.\nAnna: I am here."
    if not person:
        dialogue += "\nTom: Hello."
    record = {"id": 1, "lang": "en", "dialogue": dialogue}
    (renamed,) = dialtools.swap_names([record], person=person)
    left = renamed["history"][0].get("left", [])
    assert [mention[3] for mention in left] == kept
