"""What holds for every perturbation; they are found, not listed."""

from copy import deepcopy

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

import dialtools
import samples
from dialtools import dialogue, edits, keyed, languages, registry
from dialtools import records as jsonl
from dialtools.errors import MissingError, RecordError

NAMES = registry.names("perturbations")
EVERY = pytest.mark.parametrize("name", NAMES)


def applies(plugin: registry.Plugin, record: dict) -> bool:
    """Does a perturbation apply to a record?  One that is not defined for its language says so."""
    try:
        draw(plugin, record)
    except RecordError as error:
        return "not defined" not in error.reason
    except MissingError as error:
        pytest.skip(str(error))
    return True


def draw(plugin: registry.Plugin, record: dict, variant: int = 1) -> list[list]:
    return plugin.call(dialogue.view(record), keyed.rng(7, plugin.name, record["id"], variant))


@pytest.fixture(params=NAMES)
def plugin(request: pytest.FixtureRequest) -> registry.Plugin:
    return registry.load("perturbations", request.param)


def defined(plugin: registry.Plugin) -> list[str]:
    """Return the languages that a perturbation is defined for."""
    turns = [{"speaker": "A", "text": "a"}, {"speaker": "B", "text": "b"}]
    found = [lang for lang in languages.known() if applies(plugin, {"id": "1", "lang": lang, "dialogue": turns})]
    assert found
    return found


GRAPHEMES = ["👍🏽", "👨‍👩‍👧", "🇯🇵", "e\u0301", "नि", "가", "\u200d", "\u0301", "\r\n", "\u2028", "ǅ", "ß", "İ", "Ж", "字"]
SENTENCES = [text for turns in samples.TURNS.values() for _, text in turns]
TEXTS = (st.sampled_from(SENTENCES) | st.text(st.characters(exclude_categories=["Cs"]), max_size=40) |
         st.lists(st.sampled_from([*GRAPHEMES, "a", "N", "won't", " ", ". "]), max_size=12).map("".join))
SPEAKERS = st.sampled_from(["Ann", "Bob", "#Person1#", "李雷", "अनिता", "Dr. X", "👍🏽"])


@st.composite
def tokens(draw, text: str) -> list[dict]:
    """Draw tokens that are words of the text, tagged at random."""
    return [{"form": word[0], "start": word.start(), "end": word.end(), "lemma": word[0].lower(),
             "upos": draw(st.sampled_from(["NOUN", "PROPN", "DET", "AUX", "ADJ"])), "head": 0, "sent": 1}
            for word in regex.finditer(r"\w\X*?\b", text)]


@st.composite
def turns(draw) -> dict:
    turn = {"speaker": draw(SPEAKERS), "text": draw(TEXTS), "time": "10:30"}
    return turn | {"tokens": draw(tokens(turn["text"]))} if draw(st.booleans()) else turn


@st.composite
def records(draw, plugin: registry.Plugin) -> dict:
    """Draw a record with a dialogue, as a list or as a string, or with a text."""
    lang = draw(st.sampled_from(defined(plugin)))
    record = {"n": 2**70, "id": draw(st.integers(0, 99)), "lang": lang, "reference": draw(TEXTS), "meta": {"k": [1]}}
    needs_turns = "dialogue" in plugin.constant("NEEDS", ())
    kind = draw(st.sampled_from(["list", "string"] if needs_turns else ["list", "string", "text"]))
    if kind == "text":
        return record | {"text": draw(TEXTS)}
    found = draw(st.lists(turns(), min_size=1, max_size=6))
    if kind == "list":
        return record | {"dialogue": found}
    text = "\n".join(f"{turn['speaker']}: {turn['text']}" for turn in found)
    return record | {"dialogue": text.replace("\n", "\r\n") if draw(st.booleans()) else text}


@EVERY
@given(st.data())
def test_a_perturbation(name: str, data: st.DataObject):
    plugin = registry.load("perturbations", name)
    record = data.draw(records(plugin))
    before = deepcopy(record)
    wanted = draw(plugin, record)
    assert record == before, "the input is not touched"
    assert wanted == draw(plugin, record), "the same seed gives the same"
    _check_graphemes(dialogue.view(record), wanted)
    changed, made = edits.apply(record, wanted)
    assert edits.undo(changed, made) == record, "undone, all is as it was"
    assert bool(made) == (changed != record), "an edit changes something"
    assert jsonl.loads(jsonl.dumps(changed)) == changed, "any Unicode survives"
    _check_rest(record, changed, made)
    _check_tokens(changed)


def _check_graphemes(view: dict, wanted: list[list]) -> None:
    """Texts are edited between what people see as characters, never within one."""
    texts = dict(dialogue.strings(view))
    for pointer, start, end, before, after in wanted:
        if pointer in texts:
            ends = {match.end() for match in regex.finditer(r"\X", texts[pointer])} | {0}
            assert {start, end} <= ends, (pointer, start, end, texts[pointer])
        assert before != after


def _check_rest(record: dict, changed: dict, made: list[list]) -> None:
    """Only what an edit points at is another; keys keep their order."""
    edited = {pointer.split("/")[1] for pointer, *_ in made}
    assert edited <= {"dialogue", "text", "tokens"}
    assert list(changed) == list(record)
    assert all(changed[key] == value for key, value in record.items() if key not in edited)
    if isinstance(record.get("dialogue"), list) and not any(pointer == "/dialogue" for pointer, *_ in made):
        for old, new in zip(record["dialogue"], changed["dialogue"], strict=True):
            assert old | {"text": 0, "tokens": 0} == new | {"text": 0, "tokens": 0}


def _check_tokens(changed: dict) -> None:
    for turn in dialogue.turns(changed):
        assert isinstance(turn["speaker"], str) and isinstance(turn["text"], str)
        for token in turn.get("tokens", ()):
            assert turn["text"][token["start"]:token["end"]] == token["form"]


@EVERY
def test_variants_do_not_depend_on_order(name: str):
    plugin = registry.load("perturbations", name)
    known = defined(plugin)
    sample = [record for record in samples.records(20) if record["lang"] in known]
    forward = list(dialtools.perturb(sample, kind=[name], seed=3))
    backward = list(dialtools.perturb(sample[::-1], kind=[name], seed=3))
    assert forward == backward[::-1]
    assert [made["id"] for made in forward] == [record["id"] for record in sample]


@EVERY
def test_seeds_and_variants_matter_or_nothing_is_drawn(name: str):
    """Two variants of one record differ, or the command says that there are no more."""
    plugin = registry.load("perturbations", name)
    known = defined(plugin)
    for record in samples.records(10):
        if record["lang"] in known:
            try:
                made = list(dialtools.perturb([record], kind=[name], variants=3))
            except RecordError as error:
                assert "variants that differ" in error.reason
                continue
            told = [variant["dialogue"] for variant in made if variant["history"][-1]["changed"]]
            assert all(one != other for i, one in enumerate(told) for other in told[:i])
