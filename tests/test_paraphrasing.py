"""Utterances said in other words, by rules, by a server and by a function; the floor of likeness."""

import re
from pathlib import Path

import pytest
from misbehaving_server import completion, said, serving

import dialtools
from dialtools.system.errors import DialtoolsError, OptionError, RecordError

RECORD = {"id": 1, "lang": "en", "text": "red green blue grey"}


def half(text, rng, *, lang, formality):
    return "red green white black"  # ROUGE-1 with RECORD's text: two of four words, 50


@pytest.mark.parametrize(("floor", "is_changed"), [("rouge1=50", True), ("rouge1=50.1", False)])
def test_a_paraphrase_under_the_floor_is_dropped_and_counted(floor: str, is_changed: bool):
    [variant] = dialtools.perturb(
        [RECORD], kind="variation.paraphrase", paraphraser=half, paraphrase_floor=floor
    )
    assert (variant["text"] != RECORD["text"]) is is_changed
    entry = variant["history"][0]
    under = {} if is_changed else {"paraphrases under the floor": 1}
    assert entry.get("counts", {}) == under
    assert f"|paraphrase:half,{floor}|" in entry["signature"].replace("%2C", ",")


def test_a_program_that_fails_is_told_with_the_record():
    with pytest.raises(RecordError) as error:
        list(dialtools.perturb([RECORD], kind="variation.paraphrase", paraphraser="exec:false"))
    assert error.value.record["id"] == 1


def test_what_a_dropped_repetition_says_is_the_utterance():
    talk = {"id": 1, "lang": "en", "dialogue": "Ann: I am late.\nBob: I am late."}
    [variant] = dialtools.perturb(
        [talk], kind="dialogue.repetition", paraphraser=half, paraphrase_floor="rouge1=10"
    )
    assert variant["dialogue"].count("I am late.") == 3
    assert variant["history"][0]["counts"] == {
        "utterances repeated word for word": 1,
        "paraphrases under the floor": 1,
    }


def test_a_server_reads_a_prompt_of_each_utterance(tmp_path: Path):
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("say otherwise: {{ text }}")
    with serving() as server:  # answers what it is asked in capitals
        [variant] = dialtools.perturb(
            [RECORD],
            kind="variation.paraphrase",
            paraphraser=f"endpoint:endpoint={server.url},model=m",
            paraphrase_prompt=str(prompt),
        )
    assert variant["text"] == "SAY OTHERWISE: RED GREEN BLUE GREY"
    assert ",prompt-" in variant["history"][0]["signature"].replace("%2C", ",")
    [restored] = dialtools.perturb([variant], restore=True)
    assert restored["text"] == RECORD["text"]


def test_half_of_the_utterances_change_with_a_rate_of_a_half():
    talk = {"id": 1, "lang": "en", "dialogue": [{"speaker": "A", "text": "hi"}] * 400}
    [variant] = dialtools.perturb([talk], kind="variation.paraphrase:rate=0.5", paraphraser=half)
    changed = sum(turn["text"] != "hi" for turn in variant["dialogue"])
    assert 140 < changed < 260  # six standard deviations of a coin thrown 400 times


@pytest.mark.parametrize(
    "floor", ["rouge1", "=3", "rouge1=x", "rouge1=101", "ter=3", "distinct1=3"]
)
def test_what_is_no_floor_is_refused(floor: str):
    with pytest.raises(OptionError, match="paraphrase_floor"):
        list(
            dialtools.perturb(
                [RECORD], kind="variation.paraphrase", paraphraser=half, paraphrase_floor=floor
            )
        )


ROUND = "variation.back-translation:there=exec:sed -u s/green/grün/,back=exec:sed -u s/grün/lime/"


@pytest.mark.parametrize(("floor", "is_changed"), [("rouge1=75", True), ("rouge1=75.1", False)])
def test_what_comes_back_of_a_translation_stands_for_the_text(floor: str, is_changed: bool):
    """By hand: lime for green leaves three of four words, ROUGE-1 75."""
    [variant] = dialtools.perturb([RECORD], kind=ROUND, paraphrase_floor=floor)
    assert variant["text"] == ("red lime blue grey" if is_changed else RECORD["text"])
    entry = variant["history"][0]
    assert entry.get("counts", {}) == ({} if is_changed else {"paraphrases under the floor": 1})
    assert f"|with:{floor}|" in entry["signature"]
    assert [*dialtools.perturb([variant], restore=True)][0]["text"] == RECORD["text"]


def translate(handler, body: dict, before: int) -> None:
    """Answer with the text that the prompt ends in, and the last language that it names."""
    request, _, text = said(body).rpartition("\n\n")
    target = re.findall("into (\\w+)", request)[-1]
    handler.give(completion(body, f"{text}\n({target})"))


def test_a_server_is_told_the_languages_and_reads_its_own_translation():
    with serving(translate) as server:
        kind = f"variation.back-translation:there=[endpoint:endpoint={server.url},model=m],pivot=de"
        [variant] = dialtools.perturb([RECORD], kind=kind)
        prompts = [said(body).splitlines() for _, _, body in server.got]
    assert variant["text"] == "red green blue grey (German) (English)"
    assert [lines[-1] for lines in prompts] == [RECORD["text"], RECORD["text"] + " (German)"]
    assert [re.findall("from (.*) into (\\w+)", lines[0]) for lines in prompts] == [
        [("English", "German")],
        [("German", "English")],
    ]


def test_a_template_of_ones_own_names_the_languages(tmp_path: Path):
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("{{ source }}>{{ target }}: {{ text }}")
    [variant] = dialtools.perturb(
        [RECORD],
        kind="variation.back-translation:there=exec:cat,pivot=Portuguese",
        paraphrase_prompt=str(prompt),
    )
    assert variant["text"] == "Portuguese>English: English>Portuguese: red green blue grey"
    assert "|with:prompt-" in variant["history"][0]["signature"]


def test_models_by_their_folders_translate_in_turn(torch, tmp_path: Path):
    """The generator that fits a folder, and the same one by its spec, give the same."""
    from tiny_models import t5

    from dialtools.models import stand_ins

    words = stand_ins.tokenizer()
    bart = stand_ins.bart(words, max_position_embeddings=stand_ins.POSITIONS)
    there = stand_ins.save(tmp_path / "there", bart, words)
    back = stand_ins.save(tmp_path / "back", t5(words), words)
    texts = [
        next(dialtools.perturb([RECORD], kind=f"variation.back-translation:{spec}"))["text"]
        for spec in (
            f"there={there},back={back}",
            f"there=[seq2seq:model={there},beams=4],back=seq2seq:model={back}",
        )
    ]
    [middle] = dialtools.generate([RECORD], model=there)
    on_one_line = " ".join(middle["prediction"].split())
    [last] = dialtools.generate([{**RECORD, "text": on_one_line}], model=back)
    assert texts == [" ".join(last["prediction"].split())] * 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("", "needs there="),
        (":back=exec:cat", "needs there="),
        (":there=exec:cat,pivot=xx", "by its name"),
        (":there=[endpoint:endpoint=http://127.0.0.1:9/v1,model=m]", "pivot=German"),
        (":there=longest", "writes no paraphrases"),
        (":there=no/such/folder", "no/such/folder"),
    ],
)
def test_what_cannot_translate_is_refused(options: str, message: str):
    with pytest.raises(DialtoolsError, match=message):
        list(dialtools.perturb([RECORD], kind=f"variation.back-translation{options}"))


def test_no_family_has_a_kind_that_needs_an_option():
    variants = list(dialtools.perturb([RECORD], kind="variation"))
    assert variants and not any("back-translation" in variant["variant"] for variant in variants)


@pytest.mark.parametrize(("floor", "is_changed"), [("rouge1=75", True), ("rouge1=75.1", False)])
def test_any_generator_paraphrases_above_a_floor(floor: str, is_changed: bool):
    [variant] = dialtools.perturb(
        [RECORD],
        kind="variation.paraphrase",
        paraphraser="exec:sed -u s/green/lime/",
        paraphrase_floor=floor,
    )
    assert (variant["text"] == "red lime blue grey") is is_changed
