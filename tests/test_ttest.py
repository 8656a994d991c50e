"""dt-ttest: groups, pairs, notes and verdicts; samples by hand."""

import json
import math
import random

import pytest
from scipy import stats

import dialtools
from dialtools.system.errors import OptionError, RecordError


def record(id, value, **more) -> dict:
    return {"id": id, "scores": {"m": value}} | more


def compare(a: list[dict], b: list[dict], value: str = "scores.m", **options) -> dict:
    (result,) = dialtools.ttest(a, b, value=value, **options)
    return result


def test_pairs_are_joined_by_id_and_what_is_dropped_is_counted():
    a = [
        record(1, 3),
        record("1", 50),
        record(2, 5),
        record("x", 8),
        record("y", 1),
        record("z", None),
        record("n", 0),
    ]
    b = [
        record(2, 4),
        record("x", 6),
        record(1, 2),
        record("y", None),
        {"id": "z"},
        {"id": "n"},
        record("b", 1),
    ]
    result = compare(a, b)
    assert (result["n"], result["mean_a"], result["mean_b"]) == (3, 16 / 3, 4)
    assert result["dropped"] == {"only_a": 1, "only_b": 1, "null": 2, "missing": 1}
    apart = compare(a, b, test="welch")
    assert (apart["n"], apart["n_a"], apart["n_b"]) == (10, 6, 4)
    assert apart["dropped"] == {"null": 2, "missing": 2}
    assert "but they share 3 ids" in " ".join(apart["notes"])
    told = 'ids that are an integer in one record and a string in another (1, "1"): 1'
    assert told in result["notes"] and told in apart["notes"]
    assert compare(b, b)["notes"] == []


def test_variants_are_averaged_before_they_are_tested():
    a = [record(i, i + v, variant=f"names:{v}") for i in range(3) for v in (1, 2)]
    b = [record(i, i * 2 + v, variant=f"names:{v}") for i in range(3) for v in (1, 2, 3)]
    result = compare(a, b)
    plain = compare(
        [record(i, i + 1.5) for i in range(3)], [record(i, i * 2 + 2) for i in range(3)]
    )
    same = ("n", "statistic", "df", "p", "ci", "mean_a", "mean_b", "effect", "d")
    assert [result[key] for key in same] == [plain[key] for key in same]
    assert (result["averaged"], plain["averaged"]) == (15, 0)
    assert "6 of a to 3, 9 of b to 3" in result["notes"][0]
    assert "more values in one group" in result["notes"][1]
    assert plain["notes"] == []


def test_originals_and_gaps_among_variants_are_noted():
    a = [
        record(1, 1),
        record(1, 4, variant="names:1"),
        record(2, None, variant="names:1"),
        record(2, 3, variant="names:2"),
        record(3, 9),
    ]
    result = compare(a, [record(1, 2.5), record(2, 2), record(3, 8)])
    assert result["mean_a"] == (2.5 + 3 + 9) / 3
    notes = " ".join(result["notes"])
    assert "over an original and its variants: 1" in notes and "left out of means: 1" in notes


def test_variants_that_nothing_was_changed_in_are_noted():
    """Of those with a number, and where no filter of a chain has changed anything."""
    made = [[True], [False], [True, False], [False, False], [], [False]]
    rows = [
        record(
            i,
            None if i == 5 else i,
            variant="v:1",
            history=[{"by": "x", "changed": one} for one in of],
        )
        for i, of in enumerate(made)
    ]
    originals = [record(i, i, history=[{"by": "dt-clean", "changed": False}]) for i in range(6)]
    assert compare(originals, rows)["notes"] == ["unchanged variants are included: 2 of b"]
    assert compare(originals, rows[:1])["notes"] == []


def test_shared_clusters_are_noted():
    a, b = ([record(i, i * k, cluster=f"d{i // 2}") for i in range(6)] for k in (1, 3))
    assert "6 ids in 3 clusters" in compare(a, b)["notes"][0]
    assert compare(a, b, per="cluster")["notes"] == []
    assert (
        compare([record(i, i, cluster=i) for i in range(3)], [record(i, 0) for i in range(3)])[
            "notes"
        ]
        == []
    )


def test_true_and_false_are_one_and_zero():
    """In every test, and mixed with numbers."""
    a, b = [True, True, False, True, True, 1], [False, True, False, False, True, 0]
    for test in ("mcnemar", "kappa", "paired", "permutation"):
        said, counted = (
            compare(
                *([record(i, kind(x)) for i, x in enumerate(values)] for values in (a, b)),
                test=test,
            )
            for kind in (bool, int)
        )
        assert said == counted and said["p"] is not None


@pytest.mark.parametrize(
    "options, told",
    [
        ({"per": "cluster"}, True),
        ({"test": "cluster-bootstrap:resamples=50"}, True),
        ({}, False),
        ({"per": "record"}, False),
    ],
)
def test_clusters_that_nobody_names_are_told(options: dict, told: bool):
    """As where they are under another key, which --key cluster=was not told of."""
    a, b = ([record(i, i * k) for i in range(4)] for k in (1, 2))
    note = 'no record names a cluster, so each id is its own (key={"cluster": "NAME"})'
    assert (note in compare(a, b, **options)["notes"]) == told
    named = [one | {"cluster": "x"} if one["id"] == 2 else one for one in b]
    assert note not in compare(a, named, **options)["notes"]


def test_a_cluster_may_be_a_number(shell, tmp_path):
    """As an id may; one is one cluster, whatever reads it."""
    for name in "ab":
        rows = [{"id": i, "x": i * (1 + (name == "a")), "cluster": i // 2} for i in range(1, 9)]
        dialtools.write(rows, tmp_path / name)
    done = shell("dt-ttest --value x -t cluster-bootstrap a b | jq .clusters")
    assert (done.out, done.err) == ("5\n", "")


def test_what_follows_scores_is_one_key():
    for path in [
        "scores.S:rouge2",
        "scores.rougeL:x=y",
        "scores.a.b.c",
        "scores.",
        "top",
        "one.two",
    ]:

        def made(value: float) -> dict:
            scores = {path.removeprefix("scores."): value}
            return {"id": 1, "top": value, "one": {"two": value}, "scores": scores}

        assert compare([made(1)], [made(3)], path)["mean_b"] == 3


def test_what_is_no_number_is_an_error():
    for value, said in [
        ("0,5", 'must be a number, not "0,5"; '),
        ("none", 'not "none"; leave the cell empty, or null, where there is none'),
        ([True], "must be a number, not [true]"),
        ([1], "must be a number, not [1]"),
        (math.nan, "infinite, not a number"),
        (-math.inf, "infinite, not a number"),
        (10**400, "beyond 1e+300"),
        (-2e300, "beyond 1e+300"),
    ]:
        with pytest.raises(RecordError, match=r'"scores.m" (is|must be)') as error:
            compare([record("x1", 1)], [record("x1", 1), record("x2", value)])
        assert said in str(error.value) and '(id "x2")' in str(error.value)


def test_texts_of_numbers_are_numbers_and_empty_ones_are_none():
    rows = [{"id": 1, "rating": "4"}, {"id": 2, "rating": " 2.5 "}, {"id": 3, "rating": ""}]
    found = compare(rows, [{"id": n, "rating": 1} for n in (1, 2, 3)], "rating")
    assert (found["mean_a"], found["n"], found["dropped"]) == (3.25, 2, {"null": 1})
    (found,) = dialtools.ttest(rows, value="rating", test="likert")
    assert found["counts"] == {"2.5": 1, "4": 1} and found["dropped"] == {"null": 1}


def test_a_value_that_no_record_has_is_an_error():
    with pytest.raises(RecordError, match='no record of b has "scores.m"; "scores" has x, y'):
        compare([record(1, 1)], [{"id": 1, "scores": {"x": 1, "y": 2}}])
    with pytest.raises(RecordError, match='no record of a has "f1"; the first has id, scores'):
        compare([record(1, 1)], [record(1, 1)], "f1")
    with pytest.raises(RecordError, match='no record of y has "scores.m"; "scores" has x'):
        list(
            dialtools.ttest(
                [record(1, 1, system="x"), {"id": 1, "system": "y", "scores": {"x": 1}}],
                value="scores.m",
                by="system",
            )
        )
    assert compare([record(1, None)], [record(1, 2)])["dropped"] == {"null": 1}


@pytest.mark.parametrize("other", ["1", True, 1.0])
def test_groups_are_told_apart_by_value_and_type(other: object):
    records = [record(i, i + k, group=name) for k, name in enumerate((1, other)) for i in range(3)]
    (result,) = dialtools.ttest(records, value="scores.m", by="group")
    assert (result["a"], result["b"], result["n"], result["difference"]) == (1, other, 3, -1)
    (result,) = dialtools.ttest(
        [{**r, "meta": {"g": r["group"]}} for r in records]
        + [record("x", 1), record("y", 1, meta={"g": ""})],
        value="scores.m",
        by="meta.g",
    )
    assert result["dropped"] == {"no_group": 2}


def test_paths_to_keys_with_dots_and_into_lists():
    """As dt-convert and dt-score read them; a column of a table may be called scores.m."""
    records = [
        {
            "id": i,
            "group.of": name,
            "group": {"of": "c"},
            "ratings": [9, i + k],
            "scores": {"m:x=0.5": i + k, "m:x=0": {"5": 9}},
        }
        for k, name in enumerate("ab")
        for i in range(3)
    ]
    for path in ("scores.m:x=0.5", "ratings.1"):
        (result,) = dialtools.ttest(records, value=path, by="group.of")
        assert (result["a"], result["b"], result["difference"]) == ("a", "b", -1)
    table = [
        {"id": i, "scores.m": i + k, "of": name} for k, name in enumerate("ab") for i in range(3)
    ]
    assert [one["difference"] for one in dialtools.ttest(table, value="scores.m", by="of")] == [-1]


def test_originals_are_a_group_of_variants():
    records = [
        record(i, i * v, **({"variant": "names:1"} if v == 2 else {}))
        for i in range(3)
        for v in (1, 2)
    ]
    (result,) = dialtools.ttest(records, value="scores.m", by="variant")
    assert (result["a"], result["b"], result["difference"], result["averaged"]) == (
        "original",
        "names:1",
        -1,
        0,
    )


@pytest.mark.parametrize(
    "names, said",
    [
        (["only"], 'makes 1 group: "only"'),
        ([f"g{i}" for i in range(500)], "makes more than 10 groups: "),
    ],
)
def test_other_than_two_groups_are_named(names: list, said: str):
    with pytest.raises(OptionError) as error:
        list(
            dialtools.ttest(
                [record(i, 1, system=name) for i, name in enumerate(names)],
                value="scores.m",
                by="system",
            )
        )
    assert said in str(error.value) and len(str(error.value)) < 200


def test_ten_groups_are_compared():
    """Each with each other: 10 * 9 / 2."""
    records = [record(i, i, system=name) for name in "abcdefghij" for i in range(3)]
    assert len(list(dialtools.ttest(records, value="scores.m", by="system"))) == 45


def test_errors_of_groups():
    with pytest.raises(RecordError, match='no record has "system"; the first has id, scores'):
        list(dialtools.ttest([record(1, 1)], value="scores.m", by="system"))
    with pytest.raises(RecordError, match='"scores" must name a group, not {"m": 1}'):
        list(dialtools.ttest([record(1, 1)], value="scores.m", by="scores"))
    systems = [record(1, 1, system=name, half="a") for name in ("one", "two")]
    with pytest.raises(RecordError, match="this id comes twice in group a"):
        list(dialtools.ttest(systems, value="scores.m", by="half"))


@pytest.mark.parametrize(
    "correct, levels",
    [
        # three tests at 0.05, of which two are significant: Holm judges at 0.05 / 3, / 2, / 1
        ("holm", [1 - 0.05 / 3, 1 - 0.05 / 2, 0.95]),
        ("bonferroni", [1 - 0.05 / 3] * 3),
        ("bh", [1 - 0.05 * 2 / 3] * 3),
        ("none", [None] * 3),
    ],
)
def test_an_interval_beside_a_corrected_p_is_corrected_too(correct: str, levels: list):
    """As scipy's paired t test gives it at the level that Holm, Bonferroni or B.-H. judges by."""
    rng = random.Random(1)
    base = [rng.gauss(0, 1) for _ in range(20)]
    groups = {"x": base} | {
        name: [one + rng.gauss(shift, 1) for one in base]
        for name, shift in (("y", 2), ("z", 0.9), ("w", 0.01))
    }
    made = [
        record(i, one, system=name) for name, row in groups.items() for i, one in enumerate(row)
    ]
    found = list(
        dialtools.ttest(made, value="scores.m", by="system", baseline="x", correct=correct)
    )
    for result, level in zip(found, levels, strict=True):
        assert result.get("ci_level") == (None if level is None else pytest.approx(level))
        own = stats.ttest_rel(groups[result["a"]], base).confidence_interval(level or 0.95)
        assert result["ci"] == pytest.approx(list(own))
        p = result.get("p_adjusted", result["p"])
        assert (p < 0.05) == (result["ci"][0] > 0 or result["ci"][1] < 0)
    assert [result["p"] < 0.04 for result in found] == [True, True, False]


def test_a_test_and_an_interval_that_disagree_decide_nothing():
    """By hand: five ranks of one sign have p = 2 / 2^5; the mean of 1 to 5 is not near 0."""
    result = compare(
        [record(i, i) for i in range(1, 6)], [record(i, 0) for i in range(1, 6)], test="wilcoxon"
    )
    assert result["p"] == 0.0625 and result["ci"][0] > 0
    assert result["verdict"].startswith(
        "Undecided in scores.m between a and b, for wilcoxon finds none but its "
        "interval excludes 0: difference 3 (95 % CI"
    )


def test_corrected_by_none():
    made = [record(i, i * k % 7, system=str(k)) for k in (2, 3, 5) for i in range(9)]
    results = list(dialtools.ttest(made, value="scores.m", by="system", correct="none"))
    assert len(results) == 3 and not any(
        "p_adjusted" in one or " after " in one["verdict"] for one in results
    )


def test_options_that_do_not_fit():
    with pytest.raises(OptionError, match="a second stream, by a key, or against"):
        list(dialtools.ttest([], value="x"))
    with pytest.raises(OptionError, match="between 0 and 1, not 95"):
        list(dialtools.ttest([], [], value="x", level=95))
    with pytest.raises(
        OptionError, match="correct must be one of holm, bonferroni, bh, none, not 'tukey'"
    ):
        list(dialtools.ttest([], [], value="x", correct="tukey"))
    assert (
        list(dialtools.ttest([], [], value="x"))
        == list(dialtools.ttest([], value="x", by="system"))
        == []
    )


def test_what_follows_from_p_follows_from_the_corrected_one():
    """Thirty differences of ±1: margin over error is 1.85, p 0.037, twice that not significant."""
    records = [record(i, n and (-1) ** i, system=str(n)) for i in range(30) for n in (0, 1, 2)]
    results = list(
        dialtools.ttest(
            records,
            value="scores.m",
            by="system",
            test="tost:margin=0.3435",
            baseline="0",
            correct="bonferroni",
        )
    )
    for result in results:
        assert 0.037 < result["p"] < 0.038 and result["p_adjusted"] == 2 * result["p"]
        assert result["p_difference_adjusted"] == 1
        assert not result["equivalent"] and "are not shown equivalent in" in result["verdict"]
    alone = compare(
        *([r for r in records if r["system"] == n] for n in "10"), test="tost:margin=0.3435"
    )
    assert alone["equivalent"] and "are equivalent in" in alone["verdict"]


def test_values_near_the_ends_of_what_numbers_can_hold(recwarn):
    """Squares of these overflow or vanish; results are those of the same values near 1."""
    rng = random.Random(4)
    near = [(rng.gauss(0, 1), rng.gauss(0.5, 2)) for _ in range(25)]
    for test in (
        "paired",
        "welch",
        "student",
        "wilcoxon",
        "bootstrap:interval=normal",
        "permutation",
        "mann-whitney",
    ):
        expected = compare(
            *([record(i, one[k]) for i, one in enumerate(near)] for k in (0, 1)),
            test=test,
            power=True,
        )
        for scale in (2.0**-660, 2.0**660):
            made = compare(
                *([record(i, one[k] * scale) for i, one in enumerate(near)] for k in (0, 1)),
                test=test,
                power=True,
            )
            assert made["p"] == pytest.approx(expected["p"], rel=1e-9)
            if expected["ci"]:
                assert [bound / scale for bound in made["ci"]] == pytest.approx(
                    expected["ci"], rel=1e-9
                )
            assert made["notes"] == expected["notes"]
    assert not recwarn.list


def test_a_difference_beyond_all_doubt_has_power_1_at_once():
    a = [1.0, 1.0 + 1e-12, 1.0]
    result = compare(
        [record(i, x) for i, x in enumerate(a)], [record(i, 0) for i in range(3)], power=True
    )
    assert (result["power"], result["n_needed"]) == (1.0, 2)


def test_numbers_nearer_to_0_than_can_be_told_apart_are_0():
    tiny = [record(i, (-1) ** i * i * 5e-324) for i in range(12)]
    for test in ("paired", "student", "welch"):
        assert "reason" in compare(tiny, tiny[::-1], test=test)
        assert compare(tiny, tiny, test=test)["mean_a"] == 0


def test_why_there_is_no_power_is_told():
    for test, values, said in [
        ("cluster-bootstrap", range(1, 9), "no power: pairs of one cluster are dependent"),
        (
            "kappa",
            [0, 1, 0, 1],
            "no power: it is defined for d, effects of ranks or signs, and correlations",
        ),
        (
            "tost:margin=1",
            range(1, 9),
            "no n would show equivalence: the difference seen is beyond the margin",
        ),
        ("paired", [1, -1, 2, -2], "no power: the effect seen is 0"),
        ("paired", [*[1, -1] * 5, 0.001], "80 % power needs more than 10,000,000 pairs"),
        ("wilcoxon", range(1, 9), None),
        ("paired", range(1, 9), None),
    ]:
        a, b = (
            [record(i, k * x if k else i // 3 * (test == "kappa")) for i, x in enumerate(values)]
            for k in (1, 0)
        )
        result = compare(a, b, test=test, power=True)
        assert (result["n_needed"] is None) == bool(said)
        assert ("80 % needs" in result["verdict"]) == (not said)
        assert any(note.startswith(said or "no power") for note in result["notes"]) == bool(said)


@pytest.mark.parametrize("n, few", [(19, True), (20, False)])
def test_few_pairs_are_no_population(n: int, few: bool):
    a, b = (
        [record(i, i % 5, cluster=str(i)) for i in range(n)],
        [record(i, i % 3) for i in range(n)],
    )
    for test in ("bootstrap:resamples=50", "cluster-bootstrap:resamples=50"):
        assert (
            any(note.startswith(f"only {n} ") for note in compare(a, b, test=test)["notes"]) == few
        )
    same = compare(
        [record(i, 2.0) for i in range(3)], [record(i, 1.0) for i in range(3)], test="permutation"
    )
    assert (same["p"], same["ci"], same["notes"]) == (0.25, None, [])  # no interval is too narrow


def test_ratings_of_one_group_alone(shell):
    """By hand: three of 5, 4, 2, 4 are 4 or more."""
    rated = [
        record(i, x, system="x", history=[{"by": "dt-generate", "identity": 0.5}])
        for i, x in enumerate((5, 4, 2, 4))
    ]
    for options in ({}, {"by": "system"}):
        (result,) = dialtools.ttest(rated, value="scores.m", test="likert", **options)
        assert (result["group"], result["share"]) == ("x", 75)
        assert (
            result["counts"] == {"2": 1, "4": 2, "5": 1}
            and "4 generated again (" in result["notes"][0]
        )
        assert len(result["notes"]) == 1  # and no other group that has its ids, too
    done = shell('echo \'{"id": 1, "m": 4}\' | dt-ttest --value m -t likert --format text')
    assert done.status == 0 and "standard input: 100 % of 1 rating in m is 4" in done.out
    with pytest.raises(OptionError, match="a second stream, by a key, or against"):
        list(dialtools.ttest(rated, rated, value="scores.m", by="system", test="likert"))


def test_another_key_may_hold_the_system(shell, tmp_path):
    rows = "".join(
        json.dumps({"id": i, "v": i * k, "judge": str(k)}) + "\n" for k in (1, 2) for i in range(4)
    )
    (tmp_path / "in").write_text(rows)
    done = shell("dt-ttest --value v --key system=judge --by system -t sign in")
    assert done.status == 0 and '"a":"1","b":"2","n":4' in done.out


def test_a_mean_that_goes_the_other_way_than_the_ranks():
    """Of twenty pairs nineteen are a little higher in a, and one is far lower."""
    a = [record(i, 0.1 + i / 1000) for i in range(19)] + [record(19, -50)]
    result = compare(a, [record(i, 0) for i in range(20)], test="wilcoxon")
    assert (
        result["difference"] < 0 < result["effect_ci"][0] and result["ci"][1] > 0
    )  # no sign of the mean
    assert result["verdict"].startswith(
        "a is mostly higher than b in scores.m: rank-biserial 0.8095 (95 % CI 0."
    )


def test_a_difference_that_is_the_same_everywhere_has_no_interval_of_its_mean():
    """By hand: of eight fair throws all fall alike with 2 / 2^8."""
    result = compare(*([record(i, i + k) for i in range(8)] for k in (1, 0)), test="sign")
    assert (result["p"], result["ci"]) == (2 / 2**8, None)
    assert result["verdict"].startswith(
        "a is mostly higher than b in scores.m: difference 1, p = 0.0078"
    )


@pytest.mark.parametrize("test", ["student", "mann-whitney"])
def test_variances_that_differ_are_noted(test: str):
    """p by scipy; welch does not take them to be equal."""
    a, b = [i % 7 * 10 for i in range(20)], [i % 5 + 25 for i in range(20)]
    p = stats.levene(a, b, center="median").pvalue
    apart = [record(i, x) for i, x in enumerate(a)], [record(i + 90, x) for i, x in enumerate(b)]
    assert p < 1e-4 and compare(*apart, test=test)["notes"] == [
        "variances differ (Brown–Forsythe test, p < 0.0001): use welch"
    ]
    assert compare(*apart, test="welch")["notes"] == []


def test_variances_differ_as_the_groups_do():
    """Values ten times as large vary ten times as much, but their ranks do not; p by scipy."""
    a, b = [10 * 1.2**i for i in range(20)], [1.2**i for i in range(20)]
    assert (
        stats.levene(a, b, center="median").pvalue < 0.01
        and stats.brunnermunzel(a, b).pvalue < 0.01
    )
    apart = [record(i, x) for i, x in enumerate(a)], [record(i + 90, x) for i, x in enumerate(b)]
    assert [len(compare(*apart, test=test)["notes"]) for test in ("student", "mann-whitney")] == [
        1,
        0,
    ]


@pytest.mark.parametrize("wider, p, noted", [(1.3, 0.0926, False), (1.4, 0.0338, True)])
def test_variances_are_doubted_where_p_is_below_5_percent(wider: float, p: float, noted: bool):
    """Of 0 to 29 and so many times as much; p by scipy."""
    a, b = [float(i) for i in range(30)], [wider * i for i in range(30)]
    assert stats.levene(a, b).pvalue == pytest.approx(p, abs=1e-4)
    found = compare(
        [record(i, x) for i, x in enumerate(a)],
        [record(i + 90, x) for i, x in enumerate(b)],
        test="student",
    )
    assert any("variances differ" in note for note in found["notes"]) == noted


def test_variances_that_cannot_be_compared_are_not_doubted():
    """Two values are equally far from their median, and a single value has no deviation."""
    assert (
        compare([record(1, 1), record(2, 2)], [record(3, 1), record(4, 5)], test="student")["notes"]
        == []
    )
    assert not any(
        "variances" in note
        for note in compare(
            [record(1, 1)], [record(2, 2), record(3, 7), record(4, 9)], test="mann-whitney"
        )["notes"]
    )


def test_raters_that_agree_less_than_by_chance():
    a = [float(i % 2) for i in range(20)]
    said = compare(
        [record(i, x) for i, x in enumerate(a)],
        [record(i, 1 - x) for i, x in enumerate(a)],
        test="kappa",
    )["verdict"]
    assert said.startswith("a and b agree less than by chance: kappa -1, unweighted, p ")


def test_clusters_may_be_named_in_either_file():
    a, b = (
        [record(i, i % 3) for i in range(8)],
        [record(i, i % 5, cluster=str(i // 2)) for i in range(8)],
    )
    for one, other in ((a, b), (b, a)):
        assert compare(one, other, test="cluster-bootstrap")["clusters"] == 4


def test_where_each_record_counts_those_of_an_id_are_a_cluster():
    a, b = ([record(i // 3, i * i % k, variant=f"v:{i % 3}") for i in range(9)] for k in (5, 4))
    result = compare(a, b, test="cluster-bootstrap", per="record")
    assert (result["n"], result["clusters"]) == (9, 3)
    assert "9 ids in 3 clusters" in compare(a, b, per="record")["notes"][0]


@pytest.mark.parametrize(
    "test, said",
    [
        ("bootstrap:resamples=1", "resamples must be 2 or more"),
        ("tost:margin=inf", "a margin above 0"),
        ("likert:top=nan", "top must be a rating"),
    ],
)
def test_options_of_tests_that_make_no_sense(test: str, said: str):
    with pytest.raises(OptionError, match=said):
        compare([record(1, 1), record(2, 5)], [record(1, 4), record(2, 1)], test=test)


def test_a_function_of_the_users_own_is_a_test():
    def count(a: list[float], b: list[float], level: float) -> dict:
        return {"p": 0.5, "difference": len(a) - len(b)}

    result = compare([record(1, 1), record(2, 2)], [record(1, 1)], test=count)
    assert (result["test"], result["difference"], result["ci"], result["n"]) == (
        "count",
        1,
        None,
        3,
    )
    assert "difference 1, p = 0.5000, n = 3 values." in result["verdict"]


@pytest.mark.parametrize(
    "value, said",
    [
        ("rouge2", "new is better than old in scores.rouge2: "),
        ("al", "new is worse than old in scores.al"),
        ("S:rouge2", "new is more sensitive than old in scores.S:rouge2"),
        ("R:rouge2", "new is more sensitive than old in scores.R:rouge2"),
        ("consistency:rouge2", "new changes more than old in scores.consistency:rouge2"),
        ("perplexity", "new is higher than old in scores.perplexity"),
        ("mine", "new is higher than old in scores.mine"),
    ],
)
@pytest.mark.parametrize("test", ["paired", "wilcoxon"])
def test_a_verdict_says_who_is_better(value: str, said: str, test: str):
    new, old = (
        [{"id": i, "scores": {value: (i + k) / 30}, "system": name} for i in range(9)]
        for k, name in ((9, "new"), (0, "old"))
    )
    for record in new:
        record["scores"][value] += record["id"] / 99  # differences are not all the same
    verdict = compare(new, old, value=f"scores.{value}", test=test)["verdict"]
    assert verdict.startswith(said)
    verdict = compare(old, new, value=f"scores.{value}", test=test)["verdict"]
    turned = {"better": "worse", "worse": "better", "more": "less", "higher": "lower"}
    words = [turned.get(word, word) for word in said.split()]
    words[words.index("than") + 1], words[0] = "new", "old"
    assert verdict.startswith(" ".join(words))


def test_files_are_called_after_their_systems(shell, tmp_path):
    for name, system, k in (("a", "bart", 3), ("b", "t5", 0), ("c", "bart", 1), ("d", None, 2)):
        rows = [
            {"id": i, "m": i * k, "n": 1} | ({"system": system} if system else {})
            for i in (1, 2, 3)
        ]
        dialtools.write(rows, tmp_path / f"{name}.jsonl")
    names = "--value m --format csv a.jsonl {} | cut -d, -f 5,6 | tail -n 1"
    for file, called in (
        ("b.jsonl", "bart,t5"),
        ("b.jsonl --baseline b.jsonl", "bart,t5"),
        ("b.jsonl --baseline a", "t5,bart"),
        ("b.jsonl --baseline bart", "t5,bart"),
        ("c.jsonl", "a.jsonl,c.jsonl"),  # one system twice
        ("d.jsonl", "a.jsonl,d.jsonl"),  # no system
    ):
        assert shell(f"dt-ttest -q {names.format(file)}").out.strip() == called


@pytest.mark.parametrize(
    "shift, said",
    [
        (5, "a is higher than b in scores.m: difference"),
        (-5, "a is lower than b"),
        (0.01, "No significant difference in scores.m between a and b: difference"),
    ],
)
def test_verdicts(shift: float, said: str):
    rng = random.Random(9)
    result = compare(
        [record(i, shift + rng.gauss(0, 1)) for i in range(20)], [record(i, 0) for i in range(20)]
    )
    assert result["verdict"].startswith(said) and ", n = 20 pairs." in result["verdict"]
    assert result["verdict"].endswith(" This does not show equivalence; see tost.") == (
        shift == 0.01
    )
    assert "p 0.0000" not in result["verdict"] and (
        abs(shift) < 1 or ", p < 0.0001," in result["verdict"]
    )


@pytest.mark.parametrize("test", ["welch", "mann-whitney", "two-proportions"])
def test_tost_is_named_for_pairs_alone(test: str):
    a = [record(f"a{i}", x) for i, x in enumerate([0, 1, 1, 0])]
    b = [record(f"b{i}", x) for i, x in enumerate([0, 1, 1, 1, 0])]
    assert compare(a, b, test=test)["verdict"].endswith(
        " This does not show equivalence: the interval says how large a difference may be."
    )


def test_what_is_just_at_the_level_is_not_below_it():
    """One value above 39 others is one of 2 extreme orders of 40; 1 - 0.95 exceeds 0.05."""
    result = compare(
        [record(1, 39)], [record(i, i) for i in range(39)], test="mann-whitney:resamples=10"
    )
    assert result["p"] == 0.05 and result["verdict"].startswith("Undecided in scores.m")


def test_several_groups():
    """A baseline need not come first; n counts ids where groups are of the same ids, else values.

    By hand: the values are 0 2 4 6 1 3, 0 3 6 2 5 1 and 0 4 1 5 2 6, of which the first one is
        taken away.
    """
    records = [
        record(i, i * k % 7, system=name) for k, name in enumerate("xyz", 2) for i in range(6)
    ]
    results = dialtools.ttest(records, value="scores.m", by="system", baseline="y")
    assert [(result["a"], result["b"]) for result in results] == [("x", "y"), ("z", "y")]
    with pytest.raises(OptionError, match="no group is called 'w'; there are x, y, z"):
        list(dialtools.ttest(records, value="scores.m", by="system", baseline="w"))
    first, second = (
        next(dialtools.ttest(records[1:], value="scores.m", by="system", test=test))
        for test in ("friedman", "anova")
    )
    assert (first["n"], first["dropped"], second["n"]) == (5, {"incomplete": 1}, 17)
    assert first["means"] == pytest.approx([16 / 5, 17 / 5, 18 / 5])
    assert second["means"] == pytest.approx([16 / 5, 17 / 6, 18 / 6])


def test_a_seed_draws_other_samples():
    a, b = ([record(i, i * i % k) for i in range(12)] for k in (7, 5))
    one, again, other = (
        compare(a, b, test="bootstrap:resamples=99", seed=seed)["ci"] for seed in (1, 1, 2)
    )
    assert one == again != other


def test_it_is_the_differences_that_are_to_be_normal():
    rng = random.Random(1)
    far = [5 * rng.expovariate(1) for _ in range(40)]
    near = [x + rng.gauss(0.1, 1) for x in far]
    a, b, none = (
        [record(i, x) for i, x in enumerate(values)] for values in (far, near, [0.0] * 40)
    )
    assert (
        not compare(a, b)["notes"] and "differences are not normal" in compare(a, none)["notes"][0]
    )


def test_the_stars_of_a_table_of_equivalence_say_what_they_show(shell, tmp_path):
    lines = "".join(
        f'{{"id": {i}, "system": "{name}", "m": {i % 3 + far}}}\n'
        for name, far in (("x", 0), ("y", 0.1))
        for i in range(9)
    )
    (tmp_path / "in").write_text(lines.replace('"y", "m": 0.1', '"y", "m": 0.2'))
    done = shell(
        f"dt-ttest --by system --baseline x --value m -t tost:margin=1 --format text {tmp_path}/in"
    )
    assert "***" in done.out.splitlines()[4] and "*** p < 0.001 of equivalence\n" in done.out


def test_verdicts_without_a_test_say_what_there_is_to_say():
    a, b = [record(i, 1) for i in range(4)], [record(i + 9, 1) for i in range(3)]
    assert compare(a, b)["verdict"].endswith(
        "needs at least 2 pairs, got 0 (dropped: 4 only in a, 3 only in b)."
    )
    assert compare(a, a, test="tost:margin=1")["verdict"].endswith(
        "all differences are 0, within ±1."
    )
    far = [record(i, 3) for i in range(4)]
    assert compare(far, a, test="tost:margin=1")["verdict"].endswith(
        "all differences are 2, not within ±1."
    )


@pytest.mark.parametrize(
    "test, said",
    [
        ("wilcoxon", "only 9 pairs: the bootstrap interval may be too narrow"),
        ("spearman", "only 9 ranks: p by Student's t is approximate"),
    ],
)
def test_few_pairs_are_noted(test: str, said: str):
    a, b = [record(i, i * i % 7) for i in range(9)], [record(i, i) for i in range(9)]
    assert said in compare(a, b, test=test)["notes"][0]
    enough = {"wilcoxon": 20, "spearman": 10}[test]
    a, b = ([record(i, (i * i + k) % 7 + i / 9) for i in range(enough)] for k in (0, 1))
    assert compare(a, b, test=test)["notes"] == [] != compare(a[1:], b, test=test)["notes"]


def test_one_pair_has_no_outlier():
    for test in ("paired", "welch"):
        result = compare([record(1, 1)], [record(1, 2)], test=test, outliers="sd:1")
        assert (result["p"], result["dropped"]) == (None, {})


def test_equal_values_are_no_outliers():
    """The mean of three or twelve 0.1 is a little more than 0.1."""
    for number in (3, 12):
        a, b = [record(i, 0.1) for i in range(number)], [record(i, i) for i in range(number)]
        result = compare(a, b, test="welch", outliers="sd:3")
        assert (result["n_a"], result["n_b"], result["dropped"]) == (number, number, {})


def test_an_id_comes_once_in_a_group_with_a_number_or_without():
    for values in ((None, 3), (3, None), (3, 3)):
        with pytest.raises(RecordError, match="this id comes twice in group a"):
            compare(
                [record(1, x, system=name) for x, name in zip(values, "xy", strict=True)],
                [record(1, 1)],
            )


def test_outliers_are_judged_by_what_a_value_stands_for():
    """One id of a cluster is far off, the mean of the cluster is not; paired and apart agree."""
    a = [record(i, 100 if i == 0 else i % 2 * 60, cluster=f"c{i // 10}") for i in range(40)]
    b = [record(i, i % 3, cluster=f"c{i // 10}") for i in range(40)]
    for test in ("paired", "welch"):
        result = compare(a, b, test=test, outliers="sd:1.7")
        assert "outlier" in result["dropped"]
        assert "|outliers:sd:1.7|level:0.95|" in result["signature"]
        result = compare(a, b, test=test, outliers="sd:1.8", per="cluster")
        assert (result["n"], result["dropped"]) == (4 if test == "paired" else 8, {})


def test_a_cluster_is_its_mean_by_hand():
    """x is (1 + 3) / 2 and (2 + 2) / 2; what has no cluster is one by itself."""
    a, b = (
        [
            record(i, one[k], **({"cluster": "xxy"[i]} if i < 3 else {}))
            for i, one in enumerate(((1, 2), (3, 2), (8, 3), (6, 5)))
        ]
        for k in (0, 1)
    )
    for test, n in (("paired", 3), ("welch", 6)):
        result = compare(a, b, test=test, per="cluster")
        assert (result["n"], result["mean_a"], result["mean_b"]) == (
            n,
            pytest.approx(16 / 3),
            pytest.approx(10 / 3),
        )
        plain = compare(a, b, test=test)
        assert (plain["n"], plain["mean_a"], plain["mean_b"]) == (n + n // 3, 18 / 4, 3)


@pytest.mark.parametrize(
    "a, b, unit",
    [
        ("percent", "percent", "percent"),
        ("percent", None, "as given"),
        (None, None, "as given"),
        ("kg", 3, "as given"),
    ],
)
def test_numbers_that_no_metric_has_stay_as_they_are(a: object, b: object, unit: str):
    """Only records of dt-score --per-source say percent."""
    rows = [
        [record(i, i * k, **({"unit": name} if name else {})) for i in range(3)]
        for k, name in ((1, a), (2, b))
    ]
    result = compare(*rows)
    assert (result["unit"], result["mean_a"], result["mean_b"]) == (unit, 1, 2)
    assert any("different units" in note for note in result["notes"]) == (a == "percent" != b)


def test_outliers_by_hand():
    """10 is 8 from the mean, two standard deviations of 4 (that of a sample would be 4.47)."""
    a, b = [record(i, x) for i, x in enumerate((0, 0, 0, 0, 10))], [record(i, i) for i in range(5)]
    for test in ("paired", "welch"):
        near, far = (compare(a, b, test=test, outliers=f"sd:{reach}") for reach in (2.01, 1.99))
        assert (near["dropped"], far["dropped"]) == ({}, {"outlier": 1}) and far["n"] < near["n"]


def test_tost_of_differences_that_are_not_normal_names_what_shows_equivalence_too():
    a, b = [record(i, 2.0 ** (i % 20)) for i in range(40)], [record(i, 0) for i in range(40)]
    (note,) = compare(a, b, test="tost:margin=1")["notes"]
    assert "not normal" in note and "wilcoxon" not in note
    assert 'test="bootstrap" is within the margin' in note


def test_a_value_that_is_asked_for_twice_is_tested_once():
    a, b = ([record(i, i * k % 5) for i in range(9)] for k in (2, 3))
    (result,) = dialtools.ttest(a, b, value=["scores.m", "scores.m"])
    assert "p_adjusted" not in result


@pytest.mark.parametrize(
    "test", ["bootstrap", "permutation", "cluster-bootstrap", "mann-whitney", "wilcoxon"]
)
@pytest.mark.parametrize("per", ["id", "record", "cluster"])
def test_what_is_drawn_does_not_depend_on_the_order_of_the_input(test: str, per: str):
    rng, ids = random.Random(5), [*range(30), *"abcdefghij"]
    a, b = (
        [record(id, rng.random(), cluster=f"c{at // 2}") for at, id in enumerate(ids)] for _ in "ab"
    )
    expected = compare(a, b, test=test, per=per)
    assert compare(a[::-1], rng.sample(b, len(b)), test=test, per=per) == expected
    if test != "mann-whitney":  # of two groups, each draws by itself
        assert compare(b, a, test=test, per=per)["p"] == expected["p"]
