"""dt-perturb --undo --only: one kind of perturbation taken back out of several."""

from pathlib import Path

import pytest
import samples
from hypothesis import assume, given
from hypothesis import strategies as st
from table_tests import each_row

import dialtools
from dialtools.records import commuted, edits
from dialtools.system.errors import OptionError, RecordError

TURNS = [
    {"speaker": "Ann", "text": "Hi Bob, the cat sat on the mat."},
    {"speaker": "Bob", "text": "Yes, I think so."},
]
RECORD = {"id": 1, "lang": "en", "dialogue": TURNS}


def first(records) -> dict:
    return next(iter(records))


def without(record: dict, only: str) -> dict:
    return first(dialtools.perturb([record], restore=True, only=only))


def with_edits(record: dict, *steps: tuple[str, list[list]]) -> dict:
    """Return a record as if dt-perturb had made these edits, step by step."""
    for place, (name, wanted) in enumerate(steps, 1):
        record, made = edits.apply(record, wanted)
        entry = {"by": "dt-perturb", "signature": f"{name}|v:1", "edits": made, "changed": True}
        if len(steps) > 1:
            entry["step"] = [place, len(steps)]
        record = {**record, "history": [*record.get("history", ()), entry]}
    return {**record, "variant": "x:1"}


GREETING = ("dialogue.greeting", [["/dialogue", 0, 0, [], [{"speaker": "Bob", "text": "Hiya!"}]]])
CASE = ("typo.case", [["/dialogue/1/text", 8, 11, "the", "THE"]])
OMITTED = ("typo.keyboard", [["/dialogue/0/text", 0, 3, "Hi ", ""]])
FILLER = ("asr.filler", [["/dialogue/0/text", 13, 13, "", "uh, "]])


def test_an_inserted_turn_goes_and_typos_behind_it_stay():
    made = without(with_edits(RECORD, GREETING, CASE), "dialogue.greeting")
    assert [turn["text"] for turn in made["dialogue"]] == [
        "Hi Bob, THE cat sat on the mat.",
        "Yes, I think so.",
    ]
    *_, last = made["history"]
    assert last["edits"] == [["/dialogue/0/text", 8, 11, "the", "THE"]] and "step" not in last
    assert (last["distance"], last["again"]) == (3, True)
    [restored] = dialtools.perturb([made], restore=True)
    assert restored["dialogue"] == TURNS


@each_row(
    "only, text",
    [
        ("typo.keyboard", "Hi Bob, the cat uh, sat on the mat."),
        ("typo", "Hi Bob, the cat uh, sat on the mat."),
        ("asr.filler", "Bob, the cat sat on the mat."),
    ],
)
def test_edits_of_one_text_move_with_each_other(only: str, text: str):
    """The filler stands at 13 of what the omission left, which is 16 of the original."""
    for form in (TURNS, "Ann: Hi Bob, the cat sat on the mat.\nBob: Yes, I think so."):
        made = without(with_edits({**RECORD, "dialogue": form}, OMITTED, FILLER), only)
        talk = made["dialogue"]
        assert (talk if isinstance(talk, str) else f"Ann: {talk[0]['text']}").startswith(
            f"Ann: {text}"
        )
        assert first(dialtools.perturb([made], restore=True))["dialogue"] == form


def test_several_of_one_kind_and_several_runs():
    """Two runs with two kinds each; the middle step of a chain, and the first of another."""
    made = with_edits(RECORD, OMITTED, GREETING)
    made = with_edits(made, ("typo.case", [["/dialogue/1/text", 0, 3, "Bob", "BOB"]]))
    made = with_edits(made, ("typo.keyboard", [["/dialogue/2/text", 0, 1, "Y", "T"]]))
    assert [turn["text"] for turn in without(made, "typo.keyboard")["dialogue"]] == [
        "Hiya!",
        "Hi BOB, the cat sat on the mat.",
        "Yes, I think so.",
    ]
    assert [turn["text"] for turn in without(made, "typo")["dialogue"]] == [
        "Hiya!",
        *(turn["text"] for turn in TURNS),
    ]
    again = without(without(made, "typo"), "dialogue")
    assert again["dialogue"] == TURNS
    assert without(again, "typo") == again


@each_row(
    "later, only",
    [
        (("typo.case", [["/dialogue/0/text", 0, 4, "Hiya", "HIYA"]]), "dialogue.greeting"),
        (("dialogue.combine", [["/dialogue", 0, 1, [GREETING[1][0][4][0]], []]]), "dialogue"),
    ],
)
def test_what_was_changed_later_is_an_error(later: tuple, only: str):
    if only == "dialogue":  # both are of that family, and go together
        assert without(with_edits(RECORD, GREETING, later), only)["dialogue"] == TURNS
        only = "dialogue.greeting"
    with pytest.raises(RecordError, match="was changed later, by"):
        without(with_edits(RECORD, GREETING, later), only)


def test_turns_that_were_joined_hold_what_was_changed_in_them():
    joined = [{"speaker": "Ann", "text": "Hi Bob, THE cat sat on the mat. Yes, I think so."}]
    step = (
        "dialogue.combine",
        [
            [
                "/dialogue",
                0,
                2,
                [{**TURNS[0], "text": "Hi Bob, THE cat sat on the mat."}, TURNS[1]],
                joined,
            ]
        ],
    )
    case = ("typo.case", [["/dialogue/0/text", 8, 11, "the", "THE"]])
    with pytest.raises(
        RecordError, match="/dialogue/0/text was changed later, by dialogue.combine"
    ):
        without(with_edits(RECORD, case, step), "typo.case")


def test_tokens_come_back():
    """A token that an edit took away is there again, and the others stand where they did."""
    tokens = [
        {"form": form, "start": start, "end": start + len(form)}
        for form, start in (("the", 0), ("big", 4), ("cat", 8))
    ]
    record = {"id": 1, "lang": "en", "text": "the big cat", "tokens": tokens}
    determiner = ("grammar.determiner", [["/text", 0, 4, "the ", ""]])
    made = without(
        with_edits(record, determiner, ("typo.case", [["/text", 4, 7, "cat", "CAT"]])), "grammar"
    )
    assert made["text"] == "the big CAT"
    assert made["tokens"] == [*tokens[:2], {"form": "CAT", "start": 8, "end": 11}]


@pytest.mark.parametrize("seed", range(4))
def test_a_chain_without_a_greeting_and_a_closing_is_the_rest(seed: int):
    """In five languages, as turns and as strings: without dialogue.… all typos of the others stay."""
    kind = ["typo.case:rate=0.5", "dialogue.greeting", "dialogue.closing"]
    for record in samples.records(20):
        both = first(dialtools.perturb([record], kind=kind, chain=True, seed=seed))
        alone = first(dialtools.perturb([record], kind=kind[:1], seed=seed))
        made = without(both, "dialogue")
        assert {**made, "history": 0, "variant": 0} == {**alone, "history": 0, "variant": 0}
        [restored] = dialtools.perturb([made], restore=True)
        assert {key: restored[key] for key in record} == record


texts = st.text("ab ", max_size=8)


@st.composite
def several(draw, text: str) -> list[list]:
    """Draw edits of a text that do not overlap."""
    ends = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pairs = list(zip(ends[::2], ends[1::2], strict=False))
    return [["/text", start, end, text[start:end], draw(texts)] for start, end in pairs]


def turn(text: str) -> dict:
    return {"speaker": "A", "text": text}


@st.composite
def of_turns(draw, turns: list[dict]) -> list[list]:
    """Draw edits that insert, drop and exchange turns, and of the texts of other turns."""
    ends = sorted(draw(st.lists(st.integers(0, len(turns)), max_size=4)))
    pairs = list(zip(ends[::2], ends[1::2], strict=False))
    made: list[list] = [
        [
            "/dialogue",
            start,
            end,
            turns[start:end],
            draw(st.lists(st.builds(turn, texts), max_size=2)),
        ]
        for start, end in pairs
    ]
    gone = {place for start, end in pairs for place in range(start, end)}
    for place in sorted(draw(st.sets(st.integers(0, 5))) - gone):
        if place < len(turns):
            drawn = draw(several(turns[place]["text"]))
            made += [[f"/dialogue/{place}/text", *edit[1:]] for edit in drawn]
    return made


@given(st.data(), st.lists(st.builds(turn, texts), max_size=5))
def test_both_orders_make_the_same_turns(data, turns: list[dict]):
    earlier = data.draw(of_turns(turns))
    middle, _ = edits.apply({"dialogue": turns}, earlier)
    later = data.draw(of_turns(middle["dialogue"]))
    try:
        first, then = commuted.exchanged(earlier, later)
    except RecordError:
        assume(False)
    made, _ = edits.apply(edits.apply({"dialogue": turns}, first)[0], then)
    assert made == edits.apply(middle, later)[0]


@given(st.data(), texts)
def test_both_orders_make_the_same_text(data, text: str):
    earlier = data.draw(several(text))
    middle, _ = edits.apply({"text": text}, earlier)
    later = data.draw(several(middle["text"]))
    final, _ = edits.apply(middle, later)
    try:
        first, then = commuted.exchanged(earlier, later)
    except RecordError:
        assume(False)
    made, _ = edits.apply(edits.apply({"text": text}, first)[0], then)
    assert made == final


@each_row(
    "options, part",
    [
        ({"only": "typo"}, "goes with restore"),
        ({"restore": True, "only": "typo.case:rate=1"}, "without options"),
        ({"restore": True, "only": "nosuch"}, "nosuch"),
    ],
)
def test_only_names_a_kind(options: dict, part: str):
    with pytest.raises(OptionError, match=part):
        list(dialtools.perturb([RECORD], **options))


def test_the_command_counts_and_goes_on(shell, tmp_path: Path):
    records = [{**RECORD, "id": number} for number in range(1, 30)]
    dialtools.write(
        dialtools.perturb(records, kind=["typo.case", "dialogue.greeting"], chain=True),
        tmp_path / "in.jsonl",
    )
    line = "dt-perturb --undo --only typo in.jsonl"
    plain = shell(line, cwd=tmp_path)
    assert plain.status == 0 and plain.out.count('"again":true') == 29
    assert shell(f"{line} --jobs 2", cwd=tmp_path).out == plain.out
    (tmp_path / "out.jsonl").write_text("".join(plain.out.splitlines(keepends=True)[:10]))
    resumed = shell(f"{line} --resume -o out.jsonl", cwd=tmp_path)
    assert (resumed.status, (tmp_path / "out.jsonl").read_text()) == (0, plain.out)
    none = shell("dt-perturb --undo --only grammar in.jsonl", cwd=tmp_path)
    assert none.err.endswith("nothing restored: no record holds a perturbation of grammar\n")


def test_dt_show_shows_what_is_there_now_or_what_the_model_read():
    both = with_edits(RECORD, GREETING, CASE)
    later = without(both, "dialogue")
    assert "Hiya" not in "\n".join(dialtools.show([RECORD, later]))
    predicted = {**both, "prediction": "So.", "system": "s"}
    predicted["history"] = [*both["history"], {"by": "dt-generate", "signature": "x|v:1"}]
    later = without(predicted, "dialogue")
    original = {**RECORD, "prediction": "So.", "system": "s"}
    shown = "\n".join(dialtools.show([original, later]))
    assert "Hiya" in shown and "THE" in shown


def test_a_chain_counts_a_step_once():
    both = with_edits(RECORD, GREETING, CASE)
    made = {**without(both, "dialogue"), "prediction": "a", "reference": "a"}
    [result] = dialtools.score([made], metric=["exact"], summary=True)
    steps = [
        (step["signature"].partition("|")[0], step.get("records", 1)) for step in result["chain"]
    ]
    assert steps == [("dialogue.greeting", 1), ("typo.case", 1), ("undo", 2), ("exact", 1)]
