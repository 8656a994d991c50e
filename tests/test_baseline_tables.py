"""dt-ttest --baseline as a table: what stands in its cells and below it; means by hand."""

import dialtools
from dialtools.comparison import baseline_tables

LEVELS = "* p < 0.05, ** p < 0.01, *** p < 0.001"


def records(**systems: dict[int, float | None]) -> list[dict]:
    return [{"id": i, "system": name, "m": one, "k": -100 * i} for name, numbers in systems.items()
            for i, one in numbers.items()]


def rows(made: list[dict], value: list[str] = ["m"], **options) -> list[dict]:
    return baseline_tables.rows(dialtools.ttest(made, value=value, by="system", baseline="x",
                                                **options))


def result(a: str = "y", value: str = "m", **more) -> dict:
    """Return what of a comparison with x goes into a table."""
    return {"a": a, "b": "x", "value": value, "n": 9, "mean_a": 2.0, "mean_b": 1.0, "p": 0.5,
            "test": "paired", "verdict": f"{a} and {value}.", "notes": [],
            "signature": "paired|v:1"} | more


def test_a_row_for_each_system_and_a_column_for_each_value():
    """The baseline is the first row; the values have different magnitudes."""
    numbers = {"y": {1: 0.5, 2: 0.25, 3: 0.0}, "x": {1: 0.125, 2: 0.0, 3: 0.0},
               "z": {1: -9.0, 2: 1.0, 3: 2.0}}
    made = rows(records(**numbers), ["m", "k"])
    assert [list(row) for row in made] == [["system", "m", "k", "notes", "signature"]] * 3
    assert [row["system"] for row in made] == ["x", "y", "z"]
    assert [row["m"] for row in made] == [" 0.0417", " 0.2500", "-2.0000"]
    assert [row["k"] for row in made] == ["-200.00"] * 3
    assert all((row["notes"], row["signature"]) == (made[0]["notes"], made[0]["signature"])
               for row in made)
    assert made[0]["signature"] == ["paired|by:system|level:0.95|v:" + dialtools.__version__]


def test_stars_are_of_the_corrected_p():
    p = {"a": 0.05, "b": 0.0499, "c": 0.01, "d": 0.0099, "e": 0.001, "f": 0.0009, "g": None}
    made = baseline_tables.rows(result(name, p=one) for name, one in p.items())
    assert [row["m"].partition(" ")[2] for row in made] == ["", "", "*", "*", "**", "**", "***", ""]
    assert made[0]["notes"] == [f"{name} and m." for name in p] + [f"{LEVELS} against x (paired)"]
    made = baseline_tables.rows([result(p=0.001, p_adjusted=0.02, correction="bh", family=2),
                                 result("z")])
    assert [row["m"] for row in made] == ["1.00", "2.00 *", "2.00"]
    assert made[0]["notes"][2] == f"{LEVELS} against x (paired, bh over 1 or 2 tests)"
    _, row = baseline_tables.rows([result(p=0.0, margin=1, test="tost:margin=1")])
    assert row["notes"][1] == f"{LEVELS} of equivalence with x (tost:margin=1)"


def test_the_sizes_of_all_families_are_told():
    """z has no number under k, so that there is one test of k, not corrected, and two of m."""
    numbers = {"x": [1.0, 2.0, 4.0], "y": [3.0, 9.0, 4.0], "z": [2.0, 7.0, 9.0]}
    made = [{"id": i, "system": name, "m": one, "k": None if name == "z" else one * one}
            for name, own in numbers.items() for i, one in enumerate(own)]
    legends = {family: rows(made, ["k", "m"], family=family)[0]["notes"][4]
               for family in ("value", "all", "pair")}
    assert legends == {"value": f"{LEVELS} against x (paired, holm over 1 or 2 tests)",
                       "all": f"{LEVELS} against x (paired, holm over 3 tests)",
                       "pair": f"{LEVELS} against x (paired, holm over 1 or 2 tests)"}


def test_numbers_that_are_not_there():
    """A system without any number under a value, or that is not compared there."""
    made = baseline_tables.rows([result(mean_a=None), result("z", "k", mean_a=0.5, mean_b=None)])
    assert [(row["system"], row["m"], row["k"]) for row in made] == [
        ("x", "1.00", "     –"), ("y", "   –", "     –"), ("z", "   –", "0.5000")]


def test_corpus_scores_and_percentages_have_their_decimals():
    corpus = {key: value for key, value in result().items() if not key.startswith("mean")}
    made = baseline_tables.rows([corpus | {"corpus_a": 30.25, "corpus_b": 0.5}])
    assert [row["m"] for row in made] == [" 0.5000", "30.2500"]
    made = baseline_tables.rows([result(mean_a=30.25, mean_b=0.5, unit="percent")])
    assert [row["m"] for row in made] == [" 0.50", "30.25"]


def test_notes_are_told_once():
    made = baseline_tables.rows([result(notes=["rough", "few"]), result("z", notes=["rough"]),
                                result("z", "k", notes=["rough", "few"])])
    assert made[0]["notes"][4:] == ["rough", "y, m; z, k: few"]
    signed = baseline_tables.rows([result(), result("z", signature="other"), result("w")])
    assert signed[0]["signature"] == ["paired|v:1", "other"]


def test_a_test_of_all_groups_stands_before_the_pairs():
    whole = {"groups": ["x", "y"], "value": "m", "p": 0.5, "verdict": "All.", "notes": ["rough"],
             "signature": "f"}
    made = baseline_tables.rows([whole, result()])
    assert made[0]["notes"] == ["All.", "y and m.", f"{LEVELS} against x (paired)",
                                "x, y, m: rough"]
    assert baseline_tables.rows([whole]) == [whole]


def test_the_baseline_among_fewer_ids_is_told():
    """z has a high mean of ids in which x is higher still; the table has the mean of all of x."""
    numbers = {"x": {i: i / 10 for i in range(8)}, "y": {i: i / 10 for i in range(8)},
               "z": {i: i / 10 - 0.1 for i in range(6, 8)}, "w": {9: 1.0}}
    for order in ("xyzw", "wzyx"):
        made = rows(records(**{name: numbers[name] for name in order}))
        assert {row["system"]: row["m"].strip() for row in made} == {
            "x": "0.3500", "y": "0.3500", "z": "0.5500", "w": "–"}
        assert made[0]["notes"][4] == "z, m: x has 0.65 in the n = 2 compared here"
        assert not any("w, m: x has" in note or "y, m: x has" in note for note in made[0]["notes"])
