"""dt-score --by: groups by a key, a kind, a part of a signature; the gap between them; what is unknown."""

import pytest

import dialtools
from dialtools.evaluation import gaps
from dialtools.system.errors import OptionError, RecordError


def record(number: int, prediction: str, **more) -> dict:
    return {"id": number, "prediction": prediction, "reference": "a b", **more}


def results(records: list[dict], by: str, **options) -> tuple[dict, list[dict]]:
    """Return the results by group, and the gaps."""
    found = list(dialtools.score(records, metric=["rouge1"], by=by, **options))
    return {one["group"]: one for one in found if "gap" not in one}, [
        one for one in found if "gap" in one
    ]


def test_groups_by_a_path():
    """In percent, ROUGE-1 by hand: 1 and 1/2 of the old, 0 of the young, 1 where nobody says."""
    records = [
        record(1, "a b", meta={"age": "old"}),
        record(2, "a c", meta={"age": "old"}),
        record(3, "c d", meta={"age": "young"}),
        record(4, "a b", meta={}),
        record(5, "a b"),
    ]
    groups, (gap,) = results(records, "meta.age", summary=True)
    assert {name: (one["n"], one["mean"]) for name, one in groups.items()} == {
        "old": (2, 75),
        "young": (1, 0),
        None: (2, 100),
    }
    assert {key: gap[key] for key in ("by", "gap", "of", "highest", "lowest")} == {
        "by": "meta.age",
        "gap": 75,
        "of": "mean",
        "highest": "old",
        "lowest": "young",
    }


@pytest.mark.parametrize(
    "path, keys",
    [
        ("a.b", {"a.b": "x", "a": {"b": "y"}}),
        ("meta.a.b", {"meta": {"a.b": "x", "a": {"b": "y"}}}),
        ("said.1.by", {"said": [{"by": "y"}, {"by": "x"}]}),
    ],
)
def test_what_is_left_of_a_path_is_looked_for_whole(path: str, keys: dict):
    assert set(results([record(1, "a b", **keys)], path, summary=True)[0]) == {"x"}


def test_what_rounding_alone_keeps_apart_is_no_gap():
    """ROUGE-1 of both is 1/3 by hand, 0.3333333333333333 and 0.33333333333333337 in floating point."""
    pair = [record(1, "a c c c", of="x"), record(2, "a b c c c c c c c c", of="y")]
    for records in (pair, pair[::-1]):
        groups, (gap,) = results(records, "of", summary=True)
        assert groups["x"]["mean"] < groups["y"]["mean"] and gap["gap"] == 0


def test_the_gap_of_a_value_of_data_sets_is_that_of_the_corpus():
    """By hand: of the old two of four are right, no more than by chance, kappa 0; of the young both, kappa 1."""
    labels = [("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")]
    records = [
        {"id": f"{age}{n}", "age": age, "prediction": said, "reference": true}
        for age, pairs in (("old", labels), ("young", labels[::3]))
        for n, (said, true) in enumerate(pairs)
    ]
    *_, gap = dialtools.score(records, metric=["kappa"], summary=True, by="age")
    assert (gap["of"], gap["gap"], gap["highest"], "note" in gap) == ("corpus", 1, "young", False)
    assert "|level:corpus|" in gap["signature"]


def test_groups_by_language_and_system():
    records = [
        record(1, "a b", lang="en", system="x"),
        record(2, "a c", lang="jv", system="x"),
        record(3, "a b", lang="en", system="y"),
    ]
    groups, found = results(records, "lang", summary=True)
    assert [(gap["system"], gap["gap"], gap["highest"], gap["lowest"]) for gap in found] == [
        ("x", 50, "en", "jv")
    ]
    assert "lang" not in found[0] and found[0]["signature"].count("rouge1|") == 2
    groups, found = results(records, "system", summary=True)
    assert [(gap["lang"], gap["gap"]) for gap in found] == [("en", 0)]


def test_numbers_that_are_equal_in_python_are_groups_of_their_own():
    one, other, _ = dialtools.score(
        [record(1, "a", x=1), record(2, "b", x=True)], metric=["rouge1"], by="x", summary=True
    )
    assert (one["group"], one["n"]) == (1, 1) and (other["group"], other["n"]) == (True, 1)


def variants(number: int, outputs: dict[str, str], **history) -> list[dict]:
    return [
        record(
            number,
            output,
            variant=variant or None,
            history=[
                {"by": "dt-swap-names", "signature": f"names|pool:{variant.partition(':')[0]}|v:1"}
            ]
            if variant
            else [],
        )
        for variant, output in outputs.items()
    ]


OUTPUTS = {"": "a b", "rare:1": "a b", "rare:2": "c d", "frequent:1": "a b", "frequent:2": "a b"}


def test_sensitivity_by_a_part_of_a_signature():
    """Of rare names nothing is shared between two outputs, S 100; of frequent ones all, S 0."""
    groups, (gap,) = results(variants(1, OUTPUTS), "pool", sensitivity=True)
    assert {name: (one["S"], one["variants"]) for name, one in groups.items()} == {
        "rare": (100, 2),
        "frequent": (0, 2),
    }
    assert (gap["gap"], gap["of"], gap["unit"], gap["highest"]) == (100, "S", "percent", "rare")
    groups, _ = results(variants(1, OUTPUTS), "pool", sensitivity=True, with_original=True)
    assert groups["rare"]["variants"] == 3 and groups["rare"]["S"] == pytest.approx(200 / 3)


def test_what_is_in_no_gap():
    """A group without S, having one variant; an original alone, which is a source that is left out, once."""
    records = variants(1, {**OUTPUTS, "drawn:1": "a b"}) + [record(2, "a", meta={"pool": "x"})]
    groups, (gap,) = results(records, "pool", sensitivity=True)
    assert (groups["drawn"]["S"], gap["gap"], gap["lowest"]) == (None, 100, "frequent")
    assert (groups[None]["n"], groups[None]["left_out"]) == (1, 1)
    groups, _ = results(records, "pool", sensitivity=True, with_original=True)
    assert (groups[None]["variants"], groups["drawn"]["S"]) == (1, 0)


def test_the_latest_filter_that_names_it_tells_the_group():
    history = [{"by": "a", "signature": "a|seed:1|v:1"}, {"by": "b", "signature": "b|seed:2|v:1"}]
    groups, gaps = results([record(1, "a", history=history)], "seed", summary=True)
    assert list(groups) == ["2"] and not gaps


def test_robustness_by_kind():
    groups, (gap,) = results(variants(1, OUTPUTS), "kind", robustness=True)
    assert {name: one["consistency"] for name, one in groups.items()} == {"rare": 50, "frequent": 0}
    assert (gap["gap"], gap["of"]) == (50, "consistency")


def test_a_gap_is_of_one_metric_and_one_kind():
    """ROUGE-1 by hand: of the old "a b" becomes "a c" under one kind, "c d" under the other; the young are the same."""
    made = [
        record(number, output, variant=kind, age=age) if kind else record(number, "a b", age=age)
        for number, age, outputs in ((1, "old", ("a c", "c d")), (2, "young", ("a b", "a b")))
        for kind, output in (
            (None, ""),
            *zip(("typo.case:1", "dialogue.split:1"), outputs, strict=True),
        )
    ]
    found = dialtools.score(made, metric=["rouge1", "exact"], robustness=True, by="age")
    assert {(one["metric"], one["kind"]): one["gap"] for one in found if "gap" in one} == {
        ("rouge1", "typo.case"): 50,
        ("rouge1", "dialogue.split"): 100,
        ("rouge1", "all"): 75,
        ("exact", "typo.case"): 100,
        ("exact", "dialogue.split"): 100,
        ("exact", "all"): 100,
    }


def test_a_gap_has_the_notes_of_both():
    """Outputs to two dialogues are the same among the old, and differ among the young."""
    made = [
        record(number, output, variant=f"names:{n}", age=age)
        for number, age, outputs in (
            (1, "old", "ab"),
            (2, "old", "ab"),
            (3, "young", "cd"),
            (4, "young", "ef"),
        )
        for n, output in enumerate(outputs, 1)
    ]
    groups, (gap,) = results(made, "age", sensitivity=True)
    assert gap["note"] == groups["old"]["note"] and "note" not in groups["young"]


def test_quality_by_kind():
    groups, _ = results(variants(1, OUTPUTS), "kind", summary=True)
    assert {name: one["n"] for name, one in groups.items()} == {
        "original": 1,
        "rare": 2,
        "frequent": 2,
    }


@pytest.mark.parametrize("mode", ["summary", "sensitivity", "robustness"])
def test_what_no_record_has_is_named(mode: str):
    with pytest.raises(
        OptionError, match=r"a 'pol' \(did you mean pool\?\); the first has id, .*kind"
    ) as told:
        results(variants(1, OUTPUTS)[mode != "robustness" :], "pol", **{mode: True})
    assert "history" not in str(told.value)  # a list names no group
    assert list(dialtools.score([], metric=["rouge1"], by="pol", **{mode: True})) == []


@pytest.mark.parametrize("none", [None, ""])
def test_null_names_no_group(none: str | None):
    """As a key that is not there, and the empty cell of a table; a signature may name one then."""
    history = [{"by": "a", "signature": "a|x:z|v:1"}]
    made = [record(1, "a", x=none), record(2, "b", x="y"), record(3, "a", x=none, history=history)]
    assert set(results(made, "x", summary=True)[0]) == {None, "y", "z"}


def test_what_names_no_group():
    with pytest.raises(RecordError, match='"meta" names a group, here is {"age": 3}'):
        results([record(1, "a", meta={"age": 3})], "meta", summary=True)
    assert len(results([record(n, "a") for n in range(gaps.MOST)], "id", summary=True)[0]) == 1000
    with pytest.raises(OptionError, match="more than 1,000 groups"):
        results([record(n, "a") for n in range(gaps.MOST + 1)], "id", summary=True)
    with pytest.raises(OptionError, match="goes with summary"):
        list(dialtools.score([], metric=["rouge1"], by="x"))
    with pytest.raises(OptionError, match="'by' is for results"):
        list(dialtools.score([], metric=["rouge1"], by="x", sensitivity=True, per_source=True))


def test_the_closing_table_is_grouped(shell):
    lines = '{"id":1,"prediction":"a","reference":"a","age":"old"}\\n{"id":2,"prediction":"b","reference":"a"}'
    done = shell(
        f"printf '{lines}' | dt-score -m rouge1 --lang en --by age -o /dev/null --format json"
    )
    assert '"by":"age","group":"old","unit":"percent"' in done.err and '"group":null' in done.err
