"""What holds for every perturbation; they are found, not listed."""

import functools
from copy import deepcopy

import pytest
import regex
import samples
from hypothesis import given
from hypothesis import strategies as st
from table_tests import each_row

import dialtools
from dialtools import languages
from dialtools.plugins import registry
from dialtools.records import dialogue, edits, jsonl
from dialtools.system import stable_hash
from dialtools.system.errors import MissingError, RecordError
from dialtools.variants import kinds

NAMES = registry.names("perturbations")
EVERY = each_row("name", NAMES)


def draw(plugin: registry.Plugin, record: dict, variant: int = 1) -> list[list]:
    return plugin.call(
        dialogue.view(record), stable_hash.rng(7, plugin.name, record["id"], variant)
    )


@functools.lru_cache(maxsize=None)
def defined(name: str) -> list[str]:
    """Return the languages that a perturbation is defined for; skip the test where a library or data is missing."""
    plugin = registry.load("perturbations", samples.kind(name))
    try:
        draw(
            plugin,
            samples.parsed(1, ("en",))[0]
            if "en" in kinds.langs(plugin)
            else probe(kinds.langs(plugin)[0]),
        )
    except MissingError as error:
        pytest.skip(str(error))
    return kinds.langs(plugin)


def probe(lang: str) -> dict:
    """Return a record without words, which any kind that is defined for the language takes."""
    return {"id": "1", "lang": lang, "dialogue": [{"speaker": "A", "text": "…", "tokens": []}]}


@EVERY
def test_a_perturbation_says_where_it_is_defined(name: str):
    plugin = registry.load("perturbations", samples.kind(name))
    assert defined(name)
    for lang in languages.known():
        if lang in defined(name):
            draw(plugin, probe(lang))
        else:
            with pytest.raises(RecordError, match=f"{name} is not defined for {lang}; there are "):
                list(dialtools.perturb([probe(lang)], kind=[samples.kind(name)]))


GRAPHEMES = [
    "👍🏽",
    "👨‍👩‍👧",
    "🇯🇵",
    "e\u0301",
    "नि",
    "가",
    "\u200d",
    "\u0301",
    "\r\n",
    "\u2028",
    "ǅ",
    "ß",
    "İ",
    "Ж",
    "字",
]
SENTENCES = [text for turns in samples.TURNS.values() for _, text in turns]
TEXTS = (
    st.sampled_from(SENTENCES)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
    | st.lists(st.sampled_from([*GRAPHEMES, "a", "N", "won't", " ", ". "]), max_size=12).map(
        "".join
    )
)
SPEAKERS = st.sampled_from(["Ann", "Bob", "#Person1#", "李雷", "अनिता", "Dr. X", "👍🏽"])


TAGS = ["NOUN", "PROPN", "DET", "AUX", "ADJ", "VERB", "ADV", "PART", "PRON", "ADP", "PUNCT"]
FEATS = [
    "Number=Sing",
    "Number=Plur|Person=3",
    "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin",
    "Degree=Pos",
    "Definite=Def|PronType=Art",
    "Tense=Past|VerbForm=Part",
    "VerbForm=Inf",
]
RELATIONS = [
    "root",
    "nsubj",
    "obj",
    "aux",
    "cop",
    "det",
    "amod",
    "case",
    "advmod",
    "nmod:poss",
    "acl:relcl",
]


@st.composite
def tokens(draw, text: str) -> list[dict]:
    """Draw tokens that are the words and signs of a text, tagged and put into a tree at random."""
    found = [match for match in regex.finditer(r"[\p{L}\p{N}]\X*?\b|[^\s\p{C}\p{M}]\p{M}*", text)]
    return [
        {
            "form": word[0],
            "start": word.start(),
            "end": word.end(),
            "lemma": word[0].lower(),
            "upos": draw(st.sampled_from(TAGS)),
            "xpos": draw(st.sampled_from(["NN", "VBZ", "DT"])),
            "feats": draw(st.sampled_from(FEATS)),
            "head": draw(st.integers(0, len(found))),
            "deprel": draw(st.sampled_from(RELATIONS)),
            "sent": 1,
        }
        for word in found
    ]


@st.composite
def turns(draw, lang: str, parsed: bool) -> dict:
    """Draw a turn; one that is parsed is a sentence whose tokens are right, or any text with tokens at random."""
    turn = {"speaker": draw(SPEAKERS), "text": draw(TEXTS), "time": "10:30"}
    if samples.annotated(lang) and draw(st.booleans()):
        turn |= (
            draw(st.sampled_from(samples.annotated(lang)))
            if parsed
            else {"text": draw(st.sampled_from(SENTENCES))}
        )
    return (
        turn | {"tokens": draw(tokens(turn["text"]))} if parsed and "tokens" not in turn else turn
    )


@st.composite
def records(draw, plugin: registry.Plugin) -> dict:
    """Draw a record with a dialogue, as a list or as a string, or with a text; parsed or not."""
    lang = draw(st.sampled_from(defined(plugin.name)))
    record = {
        "n": 2**70,
        "id": draw(st.integers(0, 99)),
        "lang": lang,
        "reference": draw(TEXTS),
        "meta": {"k": [1]},
    }
    needs_turns = "dialogue" in plugin.needs()
    kind = draw(st.sampled_from(["list", "list", "string"] + ["text"] * (not needs_turns)))
    parsed = kind != "string" and draw(st.booleans())
    if kind == "text":
        turn = draw(turns(lang, parsed))
        return record | {key: turn[key] for key in ("text", "tokens") if key in turn}
    found = draw(st.lists(turns(lang, parsed), min_size=1, max_size=6))
    if kind == "list":
        return record | {"dialogue": found}
    text = "\n".join(f"{turn['speaker']}: {turn['text']}" for turn in found)
    return record | {"dialogue": text.replace("\n", "\r\n") if draw(st.booleans()) else text}


@pytest.mark.parametrize("name", NAMES)
@given(st.data())
def test_a_perturbation(name: str, data: st.DataObject):
    plugin = registry.load("perturbations", samples.kind(name))
    record = data.draw(records(plugin))
    before = deepcopy(record)
    try:
        wanted = draw(plugin, record)
    except RecordError as error:
        assert "dt-parse" in error.reason and not any(
            "tokens" in part for part in dialogue.holders(record)
        )
        return
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
    for pointer, start, end, before, after, *note in wanted:
        if pointer in texts:
            ends = {match.end() for match in regex.finditer(r"\X", texts[pointer])} | {0}
            assert {start, end} <= ends, (pointer, start, end, texts[pointer])
        assert before != after
        assert len(note) < 2 and all(isinstance(said, str) and said for said in note)


def _check_rest(record: dict, changed: dict, made: list[list]) -> None:
    """Only what an edit points at is another; keys keep their order."""
    edited = {pointer.split("/")[1] for pointer, *_ in made}
    edited |= {"tokens"} if "text" in edited else set()  # which move with the text
    assert edited <= {"dialogue", "text", "tokens"}
    assert list(changed) == list(record)
    assert all(changed[key] == value for key, value in record.items() if key not in edited)
    if isinstance(record.get("dialogue"), list) and not any(
        pointer == "/dialogue" for pointer, *_ in made
    ):
        for number, (old, new) in enumerate(
            zip(record["dialogue"], changed["dialogue"], strict=True)
        ):
            parts = {
                pointer.split("/")[3]
                for pointer, *_ in made
                if pointer.startswith(f"/dialogue/{number}/")
            }
            parts |= {"tokens"} & set(new) if "text" in parts else set()
            assert parts <= {"speaker", "text", "tokens"}
            assert old | dict.fromkeys(parts) == new | dict.fromkeys(parts)


def _check_tokens(changed: dict) -> None:
    for turn in dialogue.turns(changed):
        assert isinstance(turn["speaker"], str) and isinstance(turn["text"], str)
        for token in turn.get("tokens", ()):
            assert turn["text"][token["start"] : token["end"]] == token["form"]


def sample(name: str, number: int) -> list[dict]:
    """Return records for a kind: such as are not parsed if that does, else parsed ones."""
    known = tuple(lang for lang in samples.TURNS if lang in defined(name))
    plain = samples.records(number, known) + samples.rare() * ("en" in known) if known else []
    try:
        return plain if list(dialtools.perturb(plain, kind=[samples.kind(name)])) else []
    except RecordError as error:
        assert "dt-parse" in error.reason
        return samples.parsed(number, known)


@EVERY
def test_variants_do_not_depend_on_order(name: str):
    found = sample(name, 20)
    forward = list(dialtools.perturb(found, kind=[samples.kind(name)], seed=3))
    backward = list(dialtools.perturb(found[::-1], kind=[samples.kind(name)], seed=3))
    assert forward == backward[::-1]
    assert [made["id"] for made in forward] == [record["id"] for record in found]


@EVERY
def test_a_kind_that_cannot_do_without_tokens_says_so(name: str):
    """As its declaration has it, which --list shows."""
    plugin = registry.load("perturbations", samples.kind(name))
    for record in samples.records(
        5, tuple(lang for lang in samples.TURNS if lang in defined(name)) or ("en",)
    ):
        wanted = kinds.annotation(plugin, languages.get(record["lang"]))
        try:
            list(dialtools.perturb([record], kind=[samples.kind(name)]))
        except RecordError as error:
            said = f"{name} needs tokens" + f" with {', '.join(wanted)}" * bool(wanted)
            assert said in error.reason and "dt-parse" in error.reason
        else:
            assert wanted is None


def test_which_languages_need_tokens_is_listed():
    assert kinds.about("dialogue.split") == 'every language; needs "dialogue" and tokens in ja, zh'
    assert "; needs tokens with upos, lemma in ja and tokens in zh; " in kinds.about(
        "asr.homophone"
    )
    assert "; needs tokens with upos, lemma; " in kinds.about("variation.synonym")


@EVERY
def test_something_is_changed_where_it_is_defined(name: str):
    found = sample(name, 20)
    made = list(dialtools.perturb(found, kind=[samples.kind(name)]))
    assert not found or any(variant["history"][-1]["changed"] for variant in made)


@EVERY
def test_seeds_and_variants_matter_or_nothing_is_drawn(name: str):
    """Two variants of one record differ, or the command says that there are no more."""
    for record in sample(name, 10):
        try:
            made = list(dialtools.perturb([record], kind=[samples.kind(name)], variants=3))
        except RecordError as error:
            assert "variants can differ" in error.reason
            continue
        told = [variant["dialogue"] for variant in made if variant["history"][-1]["changed"]]
        assert all(one != other for i, one in enumerate(told) for other in told[:i])
