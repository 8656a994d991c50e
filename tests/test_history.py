"""history.py: how variants are called, what was done, and how it is undone."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dialtools
from dialtools import __version__
from dialtools.records import edits, history
from dialtools.system.errors import RecordError

NAMES = st.text(min_size=1, max_size=8)


def test_signatures_are_in_the_grammar_of_sacrebleu():
    made = history.signature(
        "rouge2", lang="en", tok="rouge", stem=False, case=True, refs=None, n=1
    )
    assert made == f"rouge2|lang:en|tok:rouge|stem:no|case:yes|n:1|v:{__version__}"


@given(NAMES, NAMES)
def test_variants_of_different_kinds_have_different_names(kind: str, other: str):
    names = [
        history.variant({"variant": before}, name, number)
        for before in ("", "names:1")
        for name in {kind, other}
        for number in (1, 2)
    ]
    assert len(set(names)) == len(names)


def test_a_kind_cannot_be_mistaken_for_a_path():
    assert (
        history.variant({"variant": "names:2"}, "terms:file=a/b", 1)
        == "names:2/terms%3Afile=a%2Fb:1"
    )


def test_what_a_filter_adds_leaves_the_record_as_it_was():
    record = {"id": "a", "history": [{"by": "x"}]}
    added = history.add(record, "dt-y", "y|v:1", changed=False)
    assert record == {"id": "a", "history": [{"by": "x"}]}
    assert added["history"] == [{"by": "x"}, {"by": "dt-y", "signature": "y|v:1", "changed": False}]


def test_groups_are_the_variants_of_one_source_and_system():
    keys = [("X", "a", None), ("X", "a", "n:1"), ("X", "b", None), ("Y", "b", None)]
    records = [{"system": system, "id": id, "variant": variant} for system, id, variant in keys]
    assert [len(group) for group in history.groups(records)] == [2, 1, 1]


def edited(record: dict, by: str, start: int, before: str, after: str) -> dict:
    changed, made = edits.apply(record, [["/text", start, start + len(before), before, after]])
    return history.add(changed, by, "s", edits=made)


def test_the_last_edit_is_undone_first():
    source = {"id": "a", "text": "abc"}
    first = edited(source, "dt-one", 0, "a", "xx")
    both = edited(first, "dt-two", 2, "b", "")
    assert both["text"] == "xxc"
    with pytest.raises(
        RecordError,
        match="dt-two changed the record after dt-one did: undo the latest change first",
    ):
        history.undo(both, "dt-one")
    undone, entry = history.undo(both, "dt-two")
    assert undone["text"] == "xxbc" and entry["number"] == 1
    undone = history.add(undone, "dt-two", "s", undoes=entry["number"])
    again, entry = history.undo(undone, "dt-one")
    assert again["text"] == "abc" and entry["number"] == 0
    done = history.add(again, "dt-one", "s", undoes=0)
    assert history.undo(done, "dt-one") == (done, None)


def test_an_entry_without_edits_stands_in_nobodys_way():
    record = history.add(
        edited({"id": "a", "text": "abc"}, "dt-one", 0, "a", "x"), "dt-generate", "s"
    )
    assert history.undo(record, "dt-one")[0]["text"] == "abc"
    assert history.undo({"id": "a"}, "dt-one") == ({"id": "a"}, None)


def test_what_an_entry_undoes_may_be_anything():
    changed = edited({"id": "a", "text": "abc"}, "dt-one", 0, "a", "x")
    assert (
        history.undo(history.add(changed, "other", "s", undoes=[0]), "dt-one")[0]["text"] == "abc"
    )


@pytest.mark.parametrize("step", [[], 7, "1", ["1", 2], [0, 2]])
def test_a_step_that_is_none_is_an_error_on_that_record(step):
    entry = {
        "by": "dt-perturb",
        "signature": "s",
        "edits": [["/text", 0, 1, "A", "a"]],
        "step": step,
    }
    with pytest.raises(
        RecordError, match=r'"step" in the history is \[which, of how many\].* \(id 1\)'
    ):
        list(
            dialtools.perturb(
                [{"id": 1, "lang": "en", "text": "ab", "history": [entry]}], restore=True
            )
        )


@pytest.mark.parametrize(
    "pipe",
    [
        "dt-perturb -k typo.case -q | dt-perturb --restore -q",
        "dt-swap-names -q | dt-swap-names --restore -q",
        "dt-swap-names -q | dt-perturb -k typo.case -k typo.keyboard --chain -q | dt-perturb --restore -q | "
        "dt-swap-names --restore -q",
    ],
)
def test_a_language_that_was_null_is_null_again(shell, pipe: str):
    record = {"id": 1, "lang": None, "dialogue": "Ann: Hi Bob\nBob: Hello Ann"}
    made = shell(f"echo '{json.dumps(record)}' | {pipe}")
    assert made.status == 0, made.err
    undone = json.loads(made.out)
    assert {key: undone[key] for key in record} == record


def test_a_malformed_history_beside_a_null_is_told(shell):
    made = shell(
        """echo '{"id": 1, "lang": null, "history": 3, "text": "a"}' | dt-perturb -k typo.case -q"""
    )
    assert made.status == 3 and "history" in made.err and made.err.count("\n") == 1
