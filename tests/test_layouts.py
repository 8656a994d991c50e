"""What dt-score and dt-ttest show to people: one screen, intervals, marks, the best in bold; numbers by hand."""

import random

from table_tests import each_row

import dialtools
from dialtools.tables import tables

LONG = "/data/models/experiments/2026/spring/t5-large-finetuned-on-samsum-checkpoint-12000"


def shown(results, format: str = "text", **options) -> list[str]:
    return b"".join(tables.render(results, format, **options)).decode().splitlines()


def rows(lang: str = "en", n: int = 8, **systems: float) -> list[dict]:
    """Return records of systems, each with a share of right words."""
    rng = random.Random(1)
    made = []
    for system, share in systems.items():
        for i in range(n):
            words = [f"w{rng.randrange(20)}" for _ in range(6)]
            said = [word if rng.random() < share else "x" for word in words]
            made.append(
                {
                    "id": f"{lang}{i}",
                    "lang": lang,
                    "system": system,
                    "prediction": " ".join(said),
                    "reference": " ".join(words),
                }
            )
    return made


def right(system: str, *scores: int) -> list[dict]:
    return [
        {
            "id": n,
            "lang": "en",
            "system": system,
            "prediction": "x" if one else "y",
            "reference": "x",
        }
        for n, one in enumerate(scores)
    ]


def test_systems_by_metrics_with_the_interval_of_each():
    """By hand: three of four right is 75 %; their error rate has a deviation of 0.5, so that t (3.182) has
    0.796 on each side.  Of scipy are the intervals of Wilson: 30.1 to 95.4, and 0 to 49.0."""
    records = right("good", 1, 1, 1, 0) + right("bad", 0, 0, 0, 0)
    assert shown(dialtools.score(records, metric=["exact", "cer"], summary=True)) == [
        "Means ± 95 % interval, percent (cer raw), ↓ lower is better; lang en, n 4",
        "",
        "system        exact        cer ↓",
        "good    75 [30, 95]  0.25 ± 0.80",
        "bad      0 [0, 49]   1.00",
        "",
        "signature: exact|lang:en|refs:1/max|v:" + dialtools.__version__,
        "signature: cer|lang:en|refs:1/min|v:" + dialtools.__version__,
    ]


def test_marks_say_which_groups_differ_from_the_best_and_the_gap_has_an_interval():
    """Scipy: paired t of 100 - 0 seven times and once 0 has t = 7, p = 0.0002; Wilson's intervals are 67.6 to
    100 and 2.2 to 47.1, so that the gap's ends are 87.5 - (32.4² + 34.6²)**0.5 and 87.5 + 10.3."""
    records = right("good", *[1] * 8) + right("bad", *[0] * 7, 1)
    lines = shown(dialtools.score(records, metric=["exact"], summary=True, by="system"))
    assert lines[2:5] == [
        "system              exact",
        "good    100 [68, 100]",
        "bad      12 [2, 47]   ***",
    ]
    assert lines[6:9] == [
        "Gap of mean between the highest and the lowest system ± 95 % interval",
        "",
        "metric          gap       p  highest  lowest",
    ]
    assert lines[9] == "exact   88 [40, 98]  0.0002  good     bad"
    assert "*** p < 0.001: other than the best" in lines[11]


def test_latex_has_the_best_in_bold_and_words_as_comments():
    results = list(
        dialtools.score(
            right("a_b", 1, 1, 1, 0) + right("c&d", 1, 0, 0, 1),
            metric=["exact", "cer"],
            summary=True,
            by="system",
        )
    )
    lines = shown(results, "latex")
    start, end = lines.index(r"\begin{tabular}{lrr}"), lines.index(r"\end{tabular}")
    assert lines[start + 1 : end] == [
        r"\toprule",
        r"system & exact & cer $\downarrow$ \\",
        r"\midrule",
        r"a\_b & \textbf{75} [30, 95] & \textbf{0.25} $\pm$ 0.80 \\",
        r"c\&d & 50 [15, 85] & 0.50 $\pm$ 0.92 \\",
        r"\bottomrule",
    ]
    assert all(line.startswith("%") for line in lines[:start] + lines[end + 1 :])
    assert sum("% exact" in line for line in lines) == 1, "the gap is a comment"


@each_row("systems, metrics", [(2, 12), (5, 4), (9, 2), (1, 12), (5, 12)])
def test_one_screen_whatever_there_is(systems: int, metrics: int):
    """A terminal of 80 columns; a long path is no column's width, but is whole in JSON."""
    names = [
        "rouge1",
        "rouge2",
        "rougeL",
        "rougeLsum",
        "bleu",
        "chrf",
        "ter",
        "cer",
        "meteor",
        "f1",
        "edit",
        "exact",
    ]
    made = rows(**{LONG.replace("12000", str(n)): 0.5 + n / 20 for n in range(systems)})
    results = list(dialtools.score(made, metric=names[:metrics], summary=True))
    lines = [line for line in shown(results) if not line.startswith(("signature", "Means"))]
    assert max(map(len, lines)) <= 80 and len(lines) <= 24
    assert {result["system"] for result in results} == {record["system"] for record in made}


def test_nine_languages_stand_together_and_their_signatures_too():
    made = [
        record
        for lang in ("hi", "id", "jv", "es", "de", "fr", "it", "pt", "nl")
        for record in rows(lang, a=0.5, b=0.7)
    ]
    lines = shown(dialtools.score(made, metric=["rougeL"], summary=True))
    assert [line.split()[:2] for line in lines[3:9]] == [
        ["hi", "a"],
        ["hi", "b"],
        [],
        ["id", "a"],
        ["id", "b"],
        [],
    ]
    signed = [line for line in lines if line.startswith("signature")]
    assert len(signed) == 1 and "|lang:hi,id,jv,es,de,fr,it,pt,nl|" in signed[0]


def test_sensitivity_is_a_row_for_each_metric_and_system():
    made = [
        record
        | {"variant": f"names:{k}", "prediction": record["prediction"] + " z" * (k * (n % 2))}
        for n, record in enumerate(rows(a=0.5, b=0.8))
        for k in (1, 2)
    ]
    lines = shown(dialtools.score(made, metric=["rouge1", "rouge2"], sensitivity=True), width=120)
    assert lines[0] == "mean, S, R, D ± 95 % interval, percent, ↓ lower is better; lang en, n 8"
    assert lines[2].split()[:8] == ["metric", "system", "mean", "S", "↓", "R", "↓", "D"]
    assert [line.split()[:2] for line in lines[3:8]] == [
        ["rouge1", "a"],
        ["rouge1", "b"],
        [],
        ["rouge2", "a"],
        ["rouge2", "b"],
    ]
    narrow = shown(dialtools.score(made, metric=["rouge1", "rouge2"], sensitivity=True))
    assert any(
        line.startswith("(no room for the columns ") and "of control" in line for line in narrow
    )
    assert not any("nothing" in line or "unchanged" in line for line in narrow)


def perturbed(changed: bool) -> list[dict]:
    history = [] if changed else [{"by": "dt-perturb", "changed": False}]
    return [
        {
            "id": n,
            "lang": "en",
            "dialogue": "A: a b c",
            "reference": "a b",
            "prediction": text,
            **({"variant": name, "history": history if name.endswith("2") else []} if name else {}),
        }
        for n in range(3)
        for name, text in (
            ("", "a b"),
            ("typo.case:1", "a c"),
            ("typo.case:2", "a b"),
            ("typo.keyboard:1", "c"),
        )
    ]


@each_row("changed", [True, False])
def test_unchanged_variants_have_a_table_only_where_there_are_some(changed: bool):
    """The family is all there is: all kinds together would repeat it."""
    lines = shown(dialtools.score(perturbed(changed), metric=["rouge1"], robustness=True))
    assert ("The same without unchanged variants" in " ".join(lines)) == (not changed)
    assert sum(line.startswith("typo.*") for line in lines) == 2 - changed
    assert not any(line.startswith("all ") for line in lines)


def compared(**systems: list[float]) -> list[dict]:
    return [
        {"id": n, "system": name, "scores": {"rouge1": value}}
        for name, row in systems.items()
        for n, value in enumerate(row)
    ]


BASE = [0.30, 0.40, 0.50, 0.45, 0.35]
BETTER = [
    0.35,
    0.46,
    0.56,
    0.50,
    0.42,
]  # gaps of 5, 6, 6, 5, 7 %: 5.8, with a half of 2.776 * 0.8367 / √5 = 1.04


def test_a_baseline_and_its_comparisons():
    results = list(
        dialtools.ttest(
            compared(x=BASE, y=BETTER), value="scores.rouge1", by="system", baseline="x"
        )
    )
    lines = shown(results, baseline=True)
    assert lines[:5] == [
        "rouge1, percent; paired; n 5 pairs",
        "",
        "system  rouge1      difference",
        "x         40.0",
        "y         45.8  +5.8 ± 1.0 ***",
    ]
    assert lines[6:8] == ["intervals of 95 %", "* p < 0.05, ** p < 0.01, *** p < 0.001"]
    bold = [line for line in shown(results, "latex", baseline=True) if "textbf" in line]
    assert bold == [r"y & \textbf{45.8} & +5.8 $\pm$ 1.0$^{{*}{*}{*}}$ \\"]
    assert any(
        line.startswith("% y is better than x") for line in shown(results, "latex", baseline=True)
    )
    assert not any("is better than" in line for line in lines), "a paragraph a pair"


def test_all_pairs_are_a_row_each_and_few_have_their_verdicts():
    results = list(
        dialtools.ttest(
            compared(x=BASE, y=BETTER, z=BASE[::-1]), value="scores.rouge1", by="system"
        )
    )
    lines = shown(results)
    assert [line.split()[:2] for line in lines[2:6]] == [
        ["a", "b"],
        ["x", "y"],
        ["x", "z"],
        ["y", "z"],
    ]
    assert "by holm for 3 tests; intervals of 97.5 to 98.33 %" in " ".join(lines)
    assert not any("better" in line for line in lines)
    one = shown(dialtools.ttest(compared(x=BASE, y=BETTER), value="scores.rouge1", by="system"))
    assert any(
        line.startswith("x is worse than y in scores.rouge1: difference -5.8") for line in one
    )


def test_of_sensitivity_less_is_better():
    made = [
        {"id": n, "system": name, "unit": "percent", "scores": {"S:rouge1": 100 * value}}
        for name, row in (("x", BASE), ("y", BETTER))
        for n, value in enumerate(row)
    ]
    results = list(dialtools.ttest(made, value="scores.S:rouge1", by="system", baseline="x"))
    lines = shown(results, "latex", baseline=True)
    assert r"system & S:rouge1 $\downarrow$ & difference \\" in lines
    assert any(line.startswith(r"x & \textbf{40.0}") for line in lines)


def test_a_variable_sets_the_format_and_an_option_wins(shell, tmp_path):
    line = 'echo \'{"id": 1, "prediction": "a", "reference": "a"}\' | DIALTOOLS_FORMAT=%s dt-score -m exact -q'
    assert shell(line % "markdown" + " --summary --lang en").out.splitlines()[2] == "| exact |"
    assert shell(line % "markdown" + " --summary --lang en --format csv").out.startswith(
        "metric,system"
    )
    assert shell(line % "markdown" + " --lang en").out.startswith(
        '{"id":1'
    )  # records have one format
    assert shell(line % "text" + " -b --lang en").out == "100.0\n"
    done = shell(line % "xml" + " --summary")
    assert (
        done.status == 2
        and "DIALTOOLS_FORMAT=xml in the environment is no format; there are text" in done.err
    )


def test_latex_keeps_the_control_of_a_sensitivity():
    """Without it an S of 0 may be that of a model that always says the same."""
    records = [
        {"id": n, "lang": "en", "variant": f"names:{m}", "prediction": f"a {n} {m}"}
        for n in range(3)
        for m in range(2)
    ]
    lines = shown(list(dialtools.score(records, metric=["rouge1"], sensitivity=True)), "latex")
    head = next(line for line in lines if line.startswith("metric &"))
    assert head.startswith(r"metric & S $\downarrow$ & control &") and "worst" not in head


def test_a_corpus_score_says_why_it_has_no_interval_and_its_gap_keeps_its_digits():
    """Shares of five tokens of two records by hand: distinct1 is 5/8 and 6/8, the exact scores differ by 50 ± something."""
    records = [
        {"id": n, "lang": "en", "system": system, "prediction": text, "reference": "a b c d"}
        for system, texts in (("x", ("a b c d", "a b c e")), ("y", ("a b c f", "a b g e")))
        for n, text in enumerate(texts)
    ]
    results = dialtools.score(records, metric=["distinct1", "exact"], summary=True, by="system")
    lines = shown(list(results))
    assert "distinct1: no interval: samples repeat their texts" in lines
    gap = next(
        line.split() for line in lines[lines.index("") + 5 :] if line.startswith("distinct1 ")
    )
    assert gap[:3] == ["distinct1", "12.50", "–"] and any(
        line.startswith("exact") and "[-" in line for line in lines
    )
