"""Utterances said in other words, by rules, by a server and by a function; the floor of likeness."""

from pathlib import Path

import pytest
from misbehaving import serving

import dialtools
from dialtools.system.errors import OptionError

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
