"""Metrics and people: correlations over outputs and over systems, ratings of several raters."""

import csv
import json
import random
from itertools import combinations, permutations
from pathlib import Path
from statistics import mean, median

import pytest
from scipy import stats

import dialtools
from dialtools.system.errors import OptionError, RecordError

SYSTEMS = {"bart": 4.0, "t5": 3.5, "lead": 2.0, "random": 1.5, "empty": 1.0}


def rated(seed: int = 1, n: int = 20) -> list[dict]:
    """Return outputs of five systems for the same dialogues, with a score and mostly a rating."""
    rng = random.Random(seed)
    records = []
    for system, quality in SYSTEMS.items():
        for number in range(n):
            human = min(5, max(1, round(quality + rng.gauss(0, 0.8))))
            score = min(1.0, max(0.0, human / 5 + rng.gauss(0, 0.2)))
            record = {"id": f"d{number}", "system": system, "scores": {"rouge2": score}}
            records.append(record | ({"human": human} if rng.random() > 0.1 else {}))
    return records


def pairs(records: list[dict]) -> list[tuple[float, float]]:
    return [(one["scores"]["rouge2"], one["human"]) for one in records if "human" in one]


@pytest.mark.parametrize("test", ["kendall", "pearson", "spearman"])
def test_several_systems_have_the_same_ids(test: str):
    """The coefficient and p over all outputs are those of scipy."""
    records = rated()
    (result,) = dialtools.ttest(records, value="rouge2", versus="human", test=test)
    function = {"kendall": stats.kendalltau, "pearson": stats.pearsonr, "spearman": stats.spearmanr}
    expected = function[test](*zip(*pairs(records), strict=True))
    assert result["n"] == len(pairs(records)) and result["dropped"] == {
        "missing": 100 - result["n"]
    }
    assert result["effect"] == pytest.approx(expected[0], abs=1e-12)
    assert result["p"] == pytest.approx(expected[1], rel=1e-9)
    assert "100 outputs of 20 sources are not independent" in result["notes"][0]
    random.Random(2).shuffle(records)
    records.sort(key=lambda record: record["id"])
    (again,) = dialtools.ttest(records, value="rouge2", versus="human", test=test)
    assert (again["effect"], again["p"]) == (result["effect"], result["p"])


def test_each_group_is_correlated_by_itself():
    """With --versus, --by tests each group as if it were the whole input."""
    records = rated()
    options = {"value": "rouge2", "versus": "human", "test": "pearson"}
    together = list(dialtools.ttest(records, by="system", **options))
    assert [result["group"] for result in together] == [*SYSTEMS]
    for system, result in zip(SYSTEMS, together, strict=True):
        of_system = [record for record in records if record["system"] == system]
        (alone,) = dialtools.ttest(of_system, **options)
        expected = stats.pearsonr(*zip(*pairs(of_system), strict=True))
        assert (result["n"], result["p"]) == (alone["n"], alone["p"])
        assert result["effect"] == alone["effect"] == pytest.approx(expected[0], abs=1e-12)
        assert result["family"] == len(SYSTEMS) and f" in {system}: r " in result["verdict"]
    of_sources = dialtools.ttest(
        records, by="id", **options
    )  # no limit: none is compared with another
    assert len(list(of_sources)) == 20
    of_records = [{"id": n, "name": n, "scores": {"rouge2": n / 11}, "human": n} for n in range(11)]
    with pytest.raises(OptionError, match="groups of one record"):
        list(dialtools.ttest(of_records, by="name", **options))


@pytest.mark.parametrize("by", [None, "system"])
def test_a_number_is_not_compared_with_itself(by: str | None):
    for value, versus in ("human", "human"), ("rouge2", "scores.rouge2"):
        with pytest.raises(OptionError, match="are the same number"):
            list(dialtools.ttest(rated(), value=value, versus=versus, by=by, test="pearson"))


@pytest.mark.parametrize("test", ["kendall", "pearson"])
def test_systems_are_compared_by_their_means(test: str):
    """The means are over outputs that have both numbers; the coefficient is that of scipy."""
    records = rated()
    (result,) = dialtools.ttest(records, value="rouge2", versus="human", per="system", test=test)
    means = []
    for system in SYSTEMS:
        scores, ratings = zip(
            *pairs([record for record in records if record["system"] == system]), strict=True
        )
        means.append((mean(scores), mean(ratings)))
    function = {"kendall": stats.kendalltau, "pearson": stats.pearsonr}[test]
    expected = function(*zip(*means, strict=True))
    assert result["effect"] == pytest.approx(expected[0], abs=1e-12)
    assert result["p"] == pytest.approx(expected[1], rel=1e-9)
    assert result["n"] == 5 and result["verdict"].endswith("n = 5 systems.")
    assert not any("independent" in note for note in result["notes"])


def test_the_score_of_a_system_is_that_of_its_corpus(shell, tmp_path):
    """As in WMT: corpus BLEU, here by sacrebleu, of the outputs that people have rated."""
    import sacrebleu

    rng = random.Random(3)
    words = "they meet on monday to talk about the new office and its long tables".split()
    records = []
    for system, share in (("a", 0.9), ("b", 0.7), ("c", 0.5), ("d", 0.3)):
        for number in range(9):
            output = " ".join(word for word in words if rng.random() < share) or "none"
            record = {"id": number, "system": system, "lang": "en", "prediction": output}
            record["reference"] = " ".join(words)
            records.append(record | {"human": 5 * share + rng.gauss(0, 1) if number else None})
    dialtools.write(records, tmp_path / "in")
    done = shell(
        "dt-score -m bleu -q in | dt-ttest --value bleu --versus human --per system -t pearson"
    )
    result = json.loads(done.out)
    scores, ratings = [], []
    for system in "abcd":
        of_system = [one for one in records if one["system"] == system and one["human"] is not None]
        outputs = [one["prediction"] for one in of_system]
        scores.append(sacrebleu.corpus_bleu(outputs, [[" ".join(words)] * 8]).score)
        ratings.append(mean(one["human"] for one in of_system))
    assert result["effect"] == pytest.approx(stats.pearsonr(scores, ratings)[0], abs=1e-9)
    assert (result["value"], result["mean_a"]) == ("statistics.bleu", pytest.approx(mean(scores)))


def test_what_a_comparison_over_systems_needs():
    with pytest.raises(OptionError, match="correlates the means of systems with those"):
        list(dialtools.ttest(rated(), value="rouge2", by="system", per="system"))
    nameless = [{"id": 1, "scores": {"rouge2": 1}, "human": 2}]
    with pytest.raises(RecordError, match="takes the mean of each"):
        list(
            dialtools.ttest(nameless, value="rouge2", versus="human", per="system", test="kendall")
        )
    two = [record for record in rated() if record["system"] in ("bart", "t5")]
    (result,) = dialtools.ttest(two, value="rouge2", versus="human", per="system", test="kendall")
    assert (result["n"], result["p"]) == (2, None)
    assert "needs at least 3" in result["verdict"]


def interval_alpha(texts: list[list[float]]) -> float:
    """Return Krippendorff's alpha from its definition: one minus observed by expected disagreement.

    Krippendorff 2011, Computing Krippendorff's alpha-reliability: pairs of a text weigh 1 / (m - 1).
    """
    texts = [ratings for ratings in texts if len(ratings) > 1]
    everything = [rating for ratings in texts for rating in ratings]
    observed = sum(
        sum((a - b) ** 2 for a, b in permutations(ratings, 2)) / (len(ratings) - 1)
        for ratings in texts
    )
    expected = sum((a - b) ** 2 for a, b in permutations(everything, 2)) / (len(everything) - 1)
    return 1 - observed / expected


RATERS = ("ann", "bob", "eve")
WORDS = "they meet on monday to talk about the new office and its long tables".split()


@pytest.fixture
def study(tmp_path: Path) -> list[dict]:
    """Write a study of five systems, twenty dialogues and three raters as long and wide tables.

    Ratings are missing here and there, one text has none, and labels tie.
    """
    rng = random.Random(7)
    rows = []
    for system, quality in SYSTEMS.items():
        for number in range(20):
            kept = [word for word in WORDS if rng.random() < quality / 5] or ["none"]
            scores: dict[str, int] = {}
            for rater in RATERS:
                if rng.random() > 0.1 and (system, number) != ("lead", 3):
                    scores[rater] = min(5, max(1, round(len(kept) / 3 + rng.gauss(0, 0.8))))
            labels = {
                rater: "yes" if score + rng.gauss(0, 1) > 3 else "no"
                for rater, score in scores.items()
            }
            row = {"id": f"d{number}", "system": system, "reference": " ".join(WORDS)}
            rows.append(row | {"prediction": " ".join(kept), "score": scores, "fluent": labels})
    head = ["id", "system", "reference", "prediction"]
    with open(tmp_path / "long.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow([*head, "rater", "score", "fluent"])
        for rater in RATERS:
            for row in rows:
                ratings = [row[key].get(rater, "") for key in ("score", "fluent")]
                table.writerow([*(row[key] for key in head), rater, *ratings])
    with open(tmp_path / "wide.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow([*head, "r1", "r2", "r3", "f1", "f2", "f3"])
        for row in rows:
            ratings = [row[key].get(rater, "") for key in ("score", "fluent") for rater in RATERS]
            table.writerow([*(row[key] for key in head), *ratings])
    return rows


LONG = "dt-convert -q --lang en --raters rater long.csv"
WIDE = "dt-convert -q --lang en --raters score=r1+r2+r3 --raters fluent=f1+f2+f3 wide.csv"


@pytest.mark.parametrize("convert", [LONG, WIDE])
def test_a_study_takes_three_commands(shell, study, convert: str):
    """tau-b is that of scipy, alpha that of its definition, in long and wide tables."""
    scored = f"{convert} | dt-score -q -m rouge1 | dt-ttest --value rouge1 --versus score"
    result = json.loads(shell(f"{scored} -t kendall").out)
    rated = [row for row in study if row["score"]]
    f1 = []
    for row in rated:
        output = set(row["prediction"].split()) & {*WORDS}
        f1.append(2 * len(output) / (len(WORDS) + len(row["prediction"].split())))
    expected = stats.kendalltau(f1, [mean(row["score"].values()) for row in rated])
    assert result["effect"] == pytest.approx(expected[0])
    assert result["p"] == pytest.approx(expected[1])
    assert result["n"] == len(rated) < 100
    (agreement,) = result["agreement"]
    alpha = interval_alpha([list(row["score"].values()) for row in study])
    assert agreement["alpha"] == pytest.approx(alpha, abs=1e-12)
    assert (agreement["value"], agreement["raters"], agreement["scale"]) == ("score", 3, "interval")
    assert agreement["n"] == sum(len(row["score"]) > 1 for row in study)
    (note,) = [note for note in result["notes"] if "alpha" in note]
    assert note.startswith(f"score is the mean of 3 raters: Krippendorff's alpha {alpha:.4g} (95 %")
    table = shell(f"{scored} -t pearson --per system --format text").out
    assert note in table and "n 5 systems" in table


def test_ratings_of_a_long_table_are_joined_with_scores(shell, study, tmp_path):
    outputs = [{key: row[key] for key in ("id", "system", "prediction")} for row in study]
    dialtools.write(outputs, tmp_path / "outputs")
    done = shell("dt-join --raters rater --with long.csv --lang en outputs")
    joined = [json.loads(line) for line in done.out.splitlines()]
    assert [(row.get("score", {}), row.get("fluent", {})) for row in joined] == [
        (row["score"], row["fluent"]) for row in study
    ]
    assert "ratings in score, fluent, raters ann, bob, eve" in done.err


def test_majority_and_mean_of_ratings(study):
    """By hand: most raters, or the share of those who say yes; 1 to 5 become 0 to 1."""
    metrics = [
        "rating:key=score,scale=1-5",
        "rating:key=score,scale=5-1",
        "rating:key=score,scale=1-5,by=median",
        "rating:key=fluent,good=Yes",
        "rating:key=fluent,good=yes,by=majority",
    ]
    undecided = 0
    for record in dialtools.score([{**row, "lang": "en"} for row in study], metric=metrics):
        scores, labels = list(record["score"].values()), list(record["fluent"].values())
        got = [record["scores"].get(metric) for metric in metrics]
        if not scores:
            assert got == [None] * 5
            continue
        yes, no = labels.count("yes"), labels.count("no")
        expected = [(mean(scores) - 1) / 4, (5 - mean(scores)) / 4, (median(scores) - 1) / 4]
        assert got[:4] == pytest.approx([*expected, yes / (yes + no)])
        assert got[4] == (None if yes == no else float(yes > no))
        undecided += yes == no
    assert undecided


def test_words_that_nobody_said_are_counted_as_not_good():
    def counted(good: str) -> list[dict]:
        scored = dialtools.score(rows, metric=[f"rating:key=fluent,good={good}"])
        return [row["history"][-1]["counts"] for row in scored]

    said = [{"ann": "Yes", "bob": "no"}, ["no"], None, [False]]
    rows = [
        {"id": number, "lang": "en", **({} if words is None else {"fluent": words})}
        for number, words in enumerate(said)
    ]
    no_good = {"no_good": 1}
    assert counted("yes") == [{}, no_good, {"unrated": 1}, {}]  # a number is no word
    assert counted("yse") == [no_good, no_good, {"unrated": 1}, {}]


@pytest.mark.parametrize(
    "line, said",
    [
        ("dt-convert long.csv", "--raters rater makes one record of the ratings of each text"),
        ("dt-convert --raters ratr long.csv", 'no rater in "ratr" (did you mean rater?)'),
        ("dt-convert --raters s=r1+r2+r4 wide.csv", 'no row has "r4"'),
        ("dt-convert --raters prediction=r1+r2 wide.csv", "--raters OTHER=…"),
        ("dt-convert --raters rater --raters id long.csv", "each KEY comes once"),
        ("cut -d, -f 2- long.csv | dt-convert --from csv --raters rater", "--field id=COLUMN says"),
        (
            "cut -d, -f 1,3- long.csv | dt-convert --from csv --raters rater",
            "--field system=COLUMN tells systems apart",
        ),
        (
            "sed '3s/,ann,/,,/' long.csv | dt-convert --from csv --raters rater",
            'no rater in "rater"',
        ),
        (
            "sed 's/,ann,\\([0-9]\\)/,ann,\"\\1,5\"/' long.csv | dt-convert -q --lang en --from csv "
            "--raters rater | dt-ttest --value score --by system",
            "csv:decimals=comma reads it",
        ),
        (f"{LONG} | dt-ttest --value fluent --by system", "-m rating:key=fluent,good=yes makes"),
        (f"{LONG} | dt-score -m rating:key=score", "scale=1-5 says from what to what they go"),
        (f"{LONG} | dt-score -m rating:key=fluent", "good=WORD+WORD says which count 1"),
        (f"{LONG} | dt-score -m rating:key=score,good=4+5", "good lists words, and 4 is a number"),
        (f"{LONG} | dt-score -m rating:key=score,scale=5", "scale is WORST-BEST, such as 1-5"),
    ],
)
def test_what_a_newcomer_may_do_wrong(shell, study, line: str, said: str):
    done = shell(f"set -o pipefail; {line}")
    assert done.status != 0 and said in done.err


def test_each_rating_counts_where_a_group_is_described(shell, study):
    """By hand: the ratings of 4 and 5 among all of a system."""
    done = shell(f"{LONG} | dt-ttest --value score --by system -t likert")
    results = list(map(json.loads, done.out.splitlines()))
    assert len(results) == 5
    for result in results:
        ratings = [
            rating
            for row in study
            if row["system"] == result["group"]
            for rating in row["score"].values()
        ]
        assert result["n"] == len(ratings)
        assert result["share"] == pytest.approx(100 * mean(rating >= 4 for rating in ratings))


def test_raters_are_told_apart_by_their_names():
    """Light's kappa of two raters is Cohen's, here 0.4 by hand, though a text lists them anew."""
    pairs = [("a", "a"), ("b", "a"), ("b", "b")]
    records = [
        {"id": n, "label": {"x": x, "y": y} if n else {"y": y, "x": x}}
        for n, (x, y) in enumerate(pairs)
    ]
    (result,) = dialtools.ttest(records, value="label", test="light")
    assert result["effect"] == pytest.approx(0.4)


def test_objects_of_other_keys_are_no_ratings():
    with pytest.raises(RecordError, match='"scores" must be a number'):
        list(dialtools.ttest(rated(), value="scores", by="system"))


@pytest.mark.parametrize("options", [{}, {"per": "system"}])
def test_pairwise_accuracy_counts_pairs_in_the_same_order(options):
    """By counting: signs of both differences of a pair are equal, also where both are 0."""
    records = rated()
    (result,) = dialtools.ttest(records, value="rouge2", versus="human", test="pairwise", **options)
    (tau,) = dialtools.ttest(records, value="rouge2", versus="human", test="kendall", **options)
    points = pairs(records)
    if options:
        of_systems = [pairs([one for one in records if one["system"] == name]) for name in SYSTEMS]
        points = [tuple(map(mean, zip(*of_system, strict=True))) for of_system in of_systems]
    alike = [(a > x) - (a < x) == (b > y) - (b < y) for (a, b), (x, y) in combinations(points, 2)]
    assert result["effect"] == pytest.approx(mean(alike))
    assert (result["p"], result["effect_ci"]) == (tau["p"], None)
    assert ("agree in order" in result["verdict"]) == (result["p"] < 0.05)


def test_counts_of_ratings_stand_in_order(shell, study):
    table = shell(f"{LONG} | dt-ttest --value score --by system -t likert --format text").out
    assert ["group", "1", "2", "3", "4", "5"] in [line.split() for line in table.splitlines()]


def test_raters_who_all_agree_are_raters_too(shell):
    """Of two raters who give the same numbers to each text none is lost; a genre is of the text."""
    table = "id,rater,score,genre\n1,ann,5,news\n1,bob,5,news\n2,ann,3,chat\n2,bob,3,chat\n"
    result = shell(f"printf '{table}' | dt-convert --lang en --raters rater")
    records = [json.loads(line) for line in result.out.splitlines()]
    assert [record["score"] for record in records] == [{"ann": 5, "bob": 5}, {"ann": 3, "bob": 3}]
    assert [record["genre"] for record in records] == ["news", "chat"]
