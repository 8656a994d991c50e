"""What dt-parse does besides calling a parser: given words, other strings, long texts, the choice of a parser."""

from copy import deepcopy
from dataclasses import replace
from importlib import import_module

import pytest
from flat_options import generate
from hypothesis import given, settings
from hypothesis import strategies as st

import dialtools
from dialtools import languages
from dialtools.commands.parse import parse
from dialtools.commands.swap_names import swap_names
from dialtools.languages import Language
from dialtools.parsers import _given
from dialtools.parsing import annotator, texts
from dialtools.plugins import registry
from dialtools.system.errors import OptionError, RecordError

WORDS = [
    {"form": "Hi", "start": 0, "end": 2, "sent": 1},
    {"form": "Ann", "start": 3, "end": 6, "sent": 1},
]


def forms(tokens: list[dict]) -> list[str]:
    return [token["form"] for token in tokens]


# Other strings than turns and text


def test_other_strings_get_tokens_under_a_key_of_their_own():
    record = {
        "id": 1,
        "lang": "en",
        "text": "Hi Ann",
        "reference": ["Hi Ann", "", "Ann"],
        "prediction": "Hi Ann",
    }
    before = deepcopy(record)
    made = next(parse([record], parser="whitespace", also=["reference", "prediction"]))
    assert record == before and made["tokens"] == made["prediction_tokens"] == WORDS
    assert list(map(forms, made["reference_tokens"])) == [["Hi", "Ann"], [], ["Ann"]]
    entry = made["history"][-1]
    assert entry["counts"] == {"tokens": 7, "sentences": 4, "texts without a word": 1}
    assert "|also:reference+prediction|" in entry["signature"]


def test_a_string_that_is_not_there_is_an_error():
    with pytest.raises(RecordError, match='no "reference"; the record has id, lang, text'):
        list(
            parse([{"id": 1, "lang": "en", "text": "Hi"}], parser="whitespace", also=["reference"])
        )


def test_tokens_of_other_strings_are_kept_unless_asked():
    record = {"id": 1, "lang": "en", "text": "Hi", "reference": ["Hi", "Ho"]}
    parsed = list(parse([record], parser="graphemes", also=["reference"]))
    parsed[0].pop("tokens")
    with pytest.raises(RecordError, match='already has "tokens" of its reference'):
        list(parse(parsed, parser="graphemes", also=["reference"]))
    made = next(parse(parsed, parser="whitespace", also=["reference"], overwrite=True))
    assert list(map(forms, made["reference_tokens"])) == [["Hi"], ["Ho"]]


def test_tokens_of_a_prediction_go_with_it():
    record = {
        "id": "1",
        "lang": "en",
        "dialogue": [{"speaker": "Ann", "text": "Hello there"}],
        "prediction": "Old",
    }
    parsed = list(parse([record], parser="whitespace", also=["prediction"]))
    made = next(generate(parsed, generator="longest", overwrite=True))
    assert made["prediction"] != "Old" and "prediction_tokens" not in made
    swapped = list(
        swap_names([{**record, "prediction": None}], pool="frequent", variants=1, seed=1)
    )
    new = swapped[0]["dialogue"][0]["speaker"]
    answered = list(
        parse(
            [{**swapped[0], "prediction": f"{new} greets"}],
            parser="whitespace",
            also=["prediction"],
            overwrite=True,
        )
    )
    restored = next(swap_names(answered, restore=True))
    assert restored["prediction"] == "Ann greets" and "prediction_tokens" not in restored


# Words that are given


def annotating(monkeypatch: pytest.MonkeyPatch, found: list):
    """Let a parser tell what it is given, and say the same of every word."""
    from dialtools.parsers import udpipe

    def annotate(given: list[list[dict]], *, language: Language) -> list[list[dict]]:
        found.append(
            (language.tag, [_given.forms(sentence) for sentence in _given.sentences(given)])
        )
        return _given.merged(given, ({"upos": "X"} for tokens in given for _ in tokens))

    declared = replace(udpipe.PARSER, annotate=annotate, versions=lambda language: {})
    monkeypatch.setattr(udpipe, "PARSER", declared)
    registry._load.cache_clear()


def test_given_words_stay_and_get_more(monkeypatch: pytest.MonkeyPatch):
    found: list = []
    annotating(monkeypatch, found)
    mine = [
        {"form": "d", "start": 0, "end": 1, "word": "de", "part": [1, 2], "lemma": "de", "sent": 1},
        {"form": "u", "start": 1, "end": 2, "word": "le", "part": [2, 2], "sent": 1},
        {"form": "Oui", "start": 3, "end": 6, "sent": 2},
    ]
    turns = [
        {"speaker": "A", "text": "du Oui", "tokens": mine},
        {"speaker": "B", "text": "…", "tokens": []},
        {"speaker": "A", "text": "…"},
    ]
    record = {
        "id": 1,
        "lang": "fr",
        "dialogue": turns,
        "reference": "Hi Ann",
        "reference_tokens": WORDS,
    }
    before = deepcopy(record)
    made = next(parse([record], parser="udpipe", pretokenised=True, also=["reference"]))
    assert record == before and found == [("fr", [["de", "le"], ["Oui"], ["Hi", "Ann"]])]
    assert [turn["tokens"] for turn in made["dialogue"]] == [
        [{**token, "upos": "X"} for token in mine],
        [],
        [],
    ]
    assert made["reference_tokens"] == [{**token, "upos": "X"} for token in WORDS]
    assert "|words:given|" in made["history"][-1]["signature"]


@pytest.mark.parametrize(
    "holder, reason",
    [
        ({"text": "Hi Ann"}, 'no "tokens" beside its text: --pretokenised needs them'),
        ({"text": "Hi Ann", "tokens": []}, '"Hi" beside its text has no token'),
        (
            {"text": "Hi, uh, Ann", "tokens": [WORDS[0], WORDS[1] | {"start": 8, "end": 11}]},
            '"uh" beside its text has no token, as --pretokenised needs: --overwrite',
        ),
        (
            {"text": "Ho Ann", "tokens": WORDS},
            'the token "Hi" does not stand at 0 to 2 of "Ho Ann"',
        ),
    ],
)
def test_given_words_must_be_there(monkeypatch: pytest.MonkeyPatch, holder: dict, reason: str):
    annotating(monkeypatch, [])
    with pytest.raises(RecordError, match=reason):
        list(parse([{"id": 1, "lang": "en", **holder}], parser="udpipe", pretokenised=True))


def test_not_every_parser_takes_given_words():
    record = {"id": 1, "lang": "zh", "text": "Hi Ann", "tokens": WORDS}
    with pytest.raises(
        OptionError, match="graphemes cannot annotate given words .* biaffine, fugashi, "
    ):
        list(parse([record], parser="graphemes", pretokenised=True))
    with pytest.raises(OptionError, match="needs a parser of dialtools, not a function"):
        list(parse([record], parser=lambda texts, *, language: [], pretokenised=True))


# Long texts


TEXTS = st.lists(
    st.sampled_from(["a", "word ", "End. ", "wörd\n", "。", "雨", " "]), max_size=60
).map("".join)


@settings(max_examples=300)
@given(TEXTS)
def test_pieces_are_the_text_and_short_and_cut_between_words(text: str):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(texts, "LONGEST", 20)
        found = texts.split(text, languages.get("en"))
    assert "".join(found) == text
    assert all(0 < len(piece) <= 20 for piece in found) or found == [""]
    for one, other in zip(found, found[1:]):
        assert one[-1].isspace() or one[-1] in ".。" or not any(map(str.isspace, one)), (one, other)


@pytest.mark.parametrize("lang", ["en", "ja", "sv", "x-none"])
def test_a_long_text_and_what_no_language_knows(lang: str):
    record = {"id": 1, "lang": lang, "text": "It rains. " * 20_000, "reference": "a" * 5000}
    made = next(parse([record], parser="whitespace", also=["reference"]))
    assert len(made["tokens"]) == 40_000
    assert all(
        record["text"][token["start"] : token["end"]] == token["form"] for token in made["tokens"]
    )
    assert [token["sent"] for token in made["tokens"]] == sorted(
        token["sent"] for token in made["tokens"]
    )
    # one word, cut: it is counted
    assert [token["end"] for token in made["reference_tokens"]] == [2000, 4000, 5000]
    assert made["history"][-1]["counts"]["long texts in pieces"] == 2


def test_sentences_are_counted_on_over_pieces():
    lists = iter(
        [
            [{"start": 0, "end": 1, "sent": 1}, {"start": 1, "end": 2, "sent": 2}],
            [],
            [{"start": 0, "end": 1, "sent": 1}, {"start": 2, "end": 3, "sent": 2}],
        ]
    )
    found = texts.joined(["ab", "  ", "c d"], lists)
    assert [(token["start"], token["end"], token["sent"]) for token in found] == [
        (0, 1, 1),
        (1, 2, 2),
        (4, 5, 3),
        (6, 7, 4),
    ]


# The choice of a parser


def ready(monkeypatch: pytest.MonkeyPatch, **known: tuple[str, ...]):
    """Let parsers say for which languages they are ready."""
    for name in annotator.ORDER:
        module = import_module(f"dialtools.parsers.{name}")
        langs = known.get(name, ())
        declared = replace(module.PARSER, ready=lambda language, langs=langs: language.tag in langs)
        monkeypatch.setattr(module, "PARSER", declared)
    annotator.chosen.cache_clear()
    registry._load.cache_clear()


def test_the_first_parser_that_is_ready_is_taken(monkeypatch: pytest.MonkeyPatch):
    ready(monkeypatch, stanza=("en", "zh"), fugashi=("ja",), jieba=("zh",))
    assert [annotator.chosen(languages.get(lang)).name for lang in ("zh", "ja", "en")] == [
        "stanza",
        "fugashi",
        "stanza",
    ]
    annotator.chosen.cache_clear()


def test_a_language_without_a_parser_fails_alone(shell, tmp_path):
    for library in ("fugashi", "unidic_lite"):
        pytest.importorskip(library, reason=f"{library} is not installed")
    lines = [
        {"id": 1, "lang": "ja", "text": "雨だ。"},
        {"id": 2, "lang": "jv", "text": "Udan."},
        {"id": 3, "lang": "ja", "text": "雪だ。"},
    ]
    dialtools.write(lines, tmp_path / "in.jsonl")
    no_models = {"STANZA_RESOURCES_DIR": str(tmp_path / "none")}
    done = shell("dt-parse --parser auto in.jsonl | jq .id; exit ${PIPESTATUS[0]}", **no_models)
    assert done.out == "1\n" and done.status == 3
    assert (
        "dt-parse: in.jsonl:2: --parser auto finds no parser for jv among stanza, fugashi, jieba"
        in done.err
    )
    done = shell(
        "dt-parse --parser auto --on-error keep in.jsonl | jq -c '[.id, .errors[0].by]';"
        "exit ${PIPESTATUS[0]}",
        **no_models,
    )
    assert done.out == '[1,null]\n[2,"dt-parse"]\n[3,null]\n' and done.status == 1


def test_auto_says_what_it_took(shell, tmp_path):
    for library in ("fugashi", "unidic_lite", "jieba"):
        pytest.importorskip(library, reason=f"{library} is not installed")
    lines = [{"id": 1, "lang": "ja", "text": "雨だ。"}, {"id": 2, "lang": "zh", "text": "下雨了。"}]
    dialtools.write(lines, tmp_path / "in.jsonl")
    done = shell(
        "dt-parse --parser auto in.jsonl --jobs 2 | jq -r '.history[0].signature' | cut "
        "-d '|' -f 1,2",
        STANZA_RESOURCES_DIR=str(tmp_path / "none"),
    )
    assert done.out == "fugashi|lang:ja\njieba|lang:zh\n"
    assert "by fugashi for ja, jieba for zh\n" in done.err


def test_a_device_is_for_parsers_with_a_model():
    with pytest.raises(OptionError, match="whitespace has no model"):
        list(parse([{"id": 1, "lang": "en", "text": "Hi"}], parser="whitespace", device="cpu"))
