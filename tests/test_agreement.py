"""Agreement among raters, and correlations with them, against published values and by hand."""

import json

import pytest

from dialtools import ttest
from dialtools.plugins import registry
from dialtools.system.errors import OptionError, RecordError

# Krippendorff 2011, section C: four observers, twelve units
OBSERVERS = list(
    zip(
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    )
)
# Shrout and Fleiss 1979, table 2: six targets, four judges
JUDGES = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def run(test: str, *columns, **options) -> dict:
    return registry.load("hypothesis_tests", test).call(*columns, 0.95, **options)


@pytest.mark.parametrize(
    "scale, alpha", [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_alpha_as_published(shell, tmp_path, scale: str, alpha: float):
    """The same from a table, where a rating that is missing is an empty cell, or blanks."""
    result = run("krippendorff", OBSERVERS, scale=scale)
    assert result["effect"] == pytest.approx(alpha, abs=0.0005)
    assert (
        result["too_few_ratings"] == 1 and result["effect_ci"][0] < alpha < result["effect_ci"][1]
    )
    rows = ["id,A,B,C,D"] + [
        f"{n},{','.join(' ' if x is None else str(x) for x in item)}"
        for n, item in enumerate(OBSERVERS)
    ]
    (tmp_path / "ratings.csv").write_text("\n".join(rows) + "\n")
    made = shell(
        "dt-convert -q --lang en ratings.csv | dt-ttest --value A --value B --value C --value D "
        f"-t krippendorff:scale={scale}"
    )
    read = json.loads(made.out)
    assert read["effect"] == result["effect"] and read["dropped"] == {"too_few_ratings": 1}


def test_a_verdict_states_the_scale_and_what_may_be_meant():
    def told(test: str, value=("A", "B", "C", "D"), items=OBSERVERS, **options) -> str:
        rated = [{"id": n, **dict(zip("ABCD", item))} for n, item in enumerate(items)]
        return next(ttest(rated, value=value, test=test, **options))["verdict"]

    assert ", nominal scale: alpha 0.7434 (" in told("krippendorff")
    meant = "from 1 to 5, and were taken for names: scale=ordinal or scale=interval may be meant."
    assert told("krippendorff").endswith(meant)
    assert "may be meant" not in told("krippendorff:scale=nominal")
    assert ", ordinal scale: " in told("krippendorff:scale=ordinal")
    assert "krippendorff:scale=ordinal or" in told("fleiss", items=JUDGES)
    kappa = told("kappa", "B", versus="D")
    assert ", unweighted (" in kappa and kappa.endswith("weights=quadratic may be meant.")
    assert "quadratic weights: kappa" in told("light:weights=quadratic", items=JUDGES)
    yes_or_no = [[int(x > 5) for x in item] for item in JUDGES]  # for two all scales are alike
    assert "may be meant" not in told("krippendorff", items=yes_or_no)


@pytest.mark.parametrize("test", ["krippendorff:scale=ordinal", "icc", "light:weights=linear"])
def test_words_on_a_scale_of_numbers_are_an_error_that_names_the_key(test: str):
    rated = [{"id": n, "A": one, "B": "3"} for n, one in enumerate(["1", "2", "good"])]
    with pytest.raises(RecordError, match='"A" must be a number, not "good"; leave .* empty'):
        list(ttest(rated, value=["A", "B"], test=test))


def test_alpha_of_words_is_that_of_numbers_under_other_names():
    words = [[rating and "abcde"[rating - 1] for rating in item] for item in OBSERVERS]
    numbers = run("krippendorff", OBSERVERS)
    assert run("krippendorff", words) == {k: v for k, v in numbers.items() if k != "whole_numbers"}
    assert run("light", [["a", "a"], ["b", "a"], ["b", "b"]])["effect"] == pytest.approx(0.4)
    with pytest.raises(OptionError, match="ordinal scale has numbers"):
        run("krippendorff", words, scale="ordinal")


def test_fleiss_as_published():
    """14 raters of 10 items in 5 categories: the table of the article "Fleiss' kappa", kappa 0.210."""
    table = [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
    items = [
        [category for category, count in enumerate(row) for _ in range(count)] for row in table
    ]
    assert run("fleiss", items)["effect"] == pytest.approx(0.210, abs=0.0005)
    assert "krippendorff does not" in run("fleiss", [[1, 2], [1, 2, 2]])["reason"]


@pytest.mark.parametrize(
    "model, of, icc, low, high",
    [
        (1, "one", 0.17, -0.133, 0.723),
        (2, "one", 0.29, 0.019, 0.761),
        (3, "one", 0.71, 0.342, 0.946),
        (1, "mean", 0.44, -0.884, 0.912),
        (2, "mean", 0.62, 0.071, 0.927),
        (3, "mean", 0.91, 0.676, 0.986),
    ],
)
def test_icc_as_published(model: int, of: str, icc: float, low: float, high: float):
    """Shrout and Fleiss 1979, table 4; the intervals are those of R's psych::ICC."""
    result = run("icc", JUDGES, model=model, of=of)
    assert result["effect"] == pytest.approx(icc, abs=0.006)
    assert result["effect_ci"] == pytest.approx([low, high], abs=0.001)


def test_icc_has_no_interval_where_satterthwaite_leaves_no_freedom():
    """Items of equal means: F is 0, and the freedom of the denominator of model 2 is 0, by hand."""
    result = run("icc", [[0, 3], [1, 2]])
    assert (result["effect"], result["effect_ci"]) == (-0.25, None)


def test_light_is_the_mean_of_the_pairs():
    """0.8, 0.75 and 0.5, by hand from the observed and the expected squared distances."""
    result = run("light", [[1, 1, 1], [2, 2, 2], [3, 3, 2], [1, 2, 1]], weights="quadratic")
    assert result["effect"] == pytest.approx((0.8 + 0.75 + 0.5) / 3)
    assert (result["lowest"], result["highest"]) == (pytest.approx(0.5), pytest.approx(0.8))


@pytest.mark.parametrize("correlation", ["kendall", "pearson", "spearman"])
def test_permuted_correlations_agree_with_scipy_and_with_all_exchanges(correlation: str):
    from itertools import product

    from scipy import stats

    of = {"kendall": stats.kendalltau, "pearson": stats.pearsonr, "spearman": stats.spearmanr}[
        correlation
    ]
    people = [1, 2, 2, 3, 4, 5, 6, 7]
    a, b = [1, 3, 2, 4, 4, 6, 5, 8], [5, 1, 4, 2, 8, 3, 7, 6]
    result = run("correlation-permutation", a, b, people, correlation=correlation, resamples=4000)
    assert result["mean_a"] == pytest.approx(of(a, people)[0])
    assert result["mean_b"] == pytest.approx(of(b, people)[0])
    x, y = (
        (stats.zscore(own if correlation == "pearson" else stats.rankdata(own))) for own in (a, b)
    )
    corr = stats.pearsonr if correlation == "spearman" else of  # of ranks
    target = stats.rankdata(people) if correlation == "spearman" else people
    gaps = []
    for swap in product([False, True], repeat=8):
        one = [v if s else u for u, v, s in zip(x, y, swap)]
        other = [u if s else v for u, v, s in zip(x, y, swap)]
        gaps.append(abs(corr(one, target)[0] - corr(other, target)[0]))
    exact = sum(gap >= abs(result["difference"]) - 1e-9 for gap in gaps) / len(gaps)
    assert result["p"] == pytest.approx(exact, abs=0.03)


def records() -> list[dict]:
    return [
        {"id": str(n), "human": h, "scores": {"a": h + (n % 3), "b": (7 * n) % 5}, "votes": votes}
        for n, (h, votes) in enumerate(
            [(1, [1, 1]), (2, [1, 2]), (3, [2]), (4, []), (2, [2, 2, 1]), (5, [2, 2])]
        )
    ]


def test_ttest_compares_correlations_with_ratings():
    (result,) = ttest(records(), value=["scores.a", "scores.b"], versus="human", test="williams")
    assert (result["a"], result["b"], result["versus"]) == ("scores.a", "scores.b", "human")
    assert "correlat" in result["verdict"] and result["n"] == 6
    three = list(
        ttest(
            [{**r, "c": r["human"] * (r["id"] != "2")} for r in records()],
            versus="human",
            value=["scores.a", "scores.b", "c"],
            test="williams",
            baseline="c",
        )
    )
    assert [r["b"] for r in three] == ["c", "c"] and all("p_adjusted" in r for r in three)
    with pytest.raises(OptionError, match="two or more 'value'"):
        list(ttest(records(), value="scores.a", versus="human", test="williams"))


def test_ttest_takes_lists_of_ratings_and_leaves_out_items_without():
    (result,) = ttest(records(), value="votes", test="krippendorff")
    assert (result["raters"], result["n"]) == (3, 4)
    assert result["dropped"] == {"no_ratings": 1, "too_few_ratings": 1}
    json.dumps(result, allow_nan=False)
    assert result["verdict"].startswith(
        "Agreement of 3 raters of votes in the input, nominal scale: alpha"
    )


def test_agreement_makes_no_comparison():
    with pytest.raises(OptionError, match="makes no comparison"):
        list(ttest(records(), value="votes", test="krippendorff", power=True))
    with pytest.raises(OptionError, match="one input"):
        list(ttest(records(), value="votes", versus="human", test="fleiss"))


@pytest.mark.parametrize(
    "test", ["anova", "friedman", "likert", "mann-whitney", "student", "two-proportions", "welch"]
)
def test_two_values_of_a_record_take_a_test_of_pairs(test: str):
    with pytest.raises(OptionError, match=f"{test} is no test of pairs, .*wilcoxon"):
        list(ttest(records(), value="scores.a", versus="human", test=test))
