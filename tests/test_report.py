"""dt-report: what it recognises and computes, and its page in a real browser."""

import json
import math
import re
import shutil
from pathlib import Path

import pytest
from conftest import ROOT
from table_tests import each_row

import dialtools
from dialtools.clustering import partition
from dialtools.html_report import estimates
from dialtools.html_report.page import Report
from dialtools.html_report.sections import Table
from dialtools.system.errors import RecordError

DIALOGUES = ROOT / "examples" / "speaker-names" / "dialogues.jsonl"
LONG = "x" * 100_000
HOSTILE = {
    "id": "</style><script>alert(1)</script>",
    "lang": "en",
    "system": "<script>alert(2)</script>",
    "dialogue": [
        {"speaker": "\u202eAnn\u202c", "text": f"<b>bold</b> \x00 {LONG}"},
        {"speaker": "سارة", "text": "مرحبا \u200f!"},
    ],
    "reference": "]]><!-- & \"quoted\" 'text'",
    "prediction": "</script><img src=x onerror=alert(3)>\x1b[31m",
    "scores": {"rouge2": 0.1},
}


def lines(path: Path, records: list[dict]) -> str:
    dialtools.write(records, str(path))
    return str(path)


def said(found: Report) -> str:
    """Return all verdicts and sentences of a report, whose pictures are not drawn for that."""
    return "\n".join(
        text
        for section in found.sections
        for text in (
            *(f"{verdict.claim} {verdict.numbers}" for verdict in section.verdicts),
            *section.sentences,
        )
    )


def table_of(found: Report, caption: str) -> Table:
    """Return the only table of a report whose caption begins so."""
    (table,) = [
        table
        for section in found.sections
        for table in section.tables
        if table.caption.startswith(caption)
    ]
    return table


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return files of two systems: records and records of sources, a summary and a test."""
    folder = tmp_path_factory.mktemp("report")
    read = [record for record in dialtools.read(str(DIALOGUES)) if record["lang"] in ("en", "zh")]
    variants = list(dialtools.swap_names(read, variants=3, seed=1, keep_original=True))
    files = []
    for system in ("lead", "longest"):
        made = dialtools.swap_names(dialtools.generate(variants, generator=system), restore=True)
        outputs = [record | {"system": system} for record in made]
        files.append(lines(folder / f"{system}.jsonl", outputs))
        own = list(dialtools.score(outputs, metric=["rouge2"], sensitivity=True, per_source=True))
        files.append(lines(folder / f"{system}.sources.jsonl", own))
    files.append(
        lines(
            folder / "means.jsonl",
            list(dialtools.score(outputs, metric=["rouge2"], sensitivity=True)),
        )
    )
    return files


@pytest.fixture(scope="module")
def browser():
    """Return a Chromium for all tests of this file."""
    sync = pytest.importorskip("playwright.sync_api")
    path = (
        shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )
    if not path:
        pytest.skip("needs chromium")
    with sync.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def page(demo: list[str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the page of the demo's files and of hostile records."""
    folder = tmp_path_factory.mktemp("page")
    hostile = [HOSTILE, HOSTILE | {"variant": "names:1", "prediction": "other <i>text</i>"}]
    return dialtools.report(*demo, hostile, title="A <page> & more").save(
        str(folder / "page.html")
    ) or str(folder / "page.html")


def test_a_page_in_a_browser(browser, page: str):
    """Nothing is loaded or complained of, hostile texts are texts, filters and axe's rules hold, a phone fits."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    for scheme, width in (("light", 1400), ("dark", 400)):
        opened = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        messages: list[str] = []
        asked: list[str] = []
        opened.on("console", lambda message: messages.append(message.text))
        opened.on("pageerror", lambda error: messages.append(str(error)))
        opened.on("dialog", lambda dialog: messages.append(dialog.message))
        opened.on("request", lambda request: asked.append(request.url))
        opened.goto(Path(page).as_uri())
        assert (messages, len(asked)) == ([], 1)
        assert opened.evaluate("document.documentElement.scrollWidth") == width
        found = axe.run(opened).response["violations"]
        assert [
            (rule["id"], [node["html"][:200] for node in rule["nodes"]]) for rule in found
        ] == []
        assert opened.title() == "A <page> & more"
        texts = opened.evaluate("document.body.textContent")
        for text in (
            "</script><img src=x onerror=alert(3)>␛[31m",
            "⟨U+202E⟩Ann⟨U+202C⟩",
            "<b>bold</b> ␀ xxx",
            "more characters)",
            HOSTILE["id"],
            HOSTILE["system"],
        ):
            assert text in texts
        cases = opened.locator("article.case")
        every = cases.count()
        opened.select_option("select[name=system]", "longest")
        assert 0 < opened.locator("article.case:visible").count() < every
        shown = opened.locator("article.case:visible")
        systems = [one.get_attribute("data-system").split("\n") for one in shown.all()]
        assert all("longest" in of_case for of_case in systems)
        assert f"of {every} cases" in opened.locator(".filters output").inner_text()
        opened.select_option("select[name=lang]", "zh")
        shown = opened.locator("article.case:visible")
        assert {one.get_attribute("data-lang") for one in shown.all()} == {"zh"}
        opened.fill("input[name=id]", "no such id")
        assert opened.locator("article.case:visible").count() == 0
        opened.click("text=Show all")
        opened.wait_for_function(
            f"document.querySelectorAll('article.case:not([hidden])').length === {every}"
        )
        opened.close()


def test_a_part_of_a_page_with_a_thousand_systems(browser, tmp_path: Path):
    """In a page of somebody else's; a kind is chosen, and only the rows of this kind are left."""
    results = [
        {
            "metric": "rougeL",
            "system": f"system {n}",
            "lang": "en",
            "kind": kind,
            "unit": "percent",
            "n": 9,
            "consistency": n / 20,
            "consistency_ci": None,
            "signature": "rougeL|v:1",
        }
        for n in range(1000)
        for kind in ("typo.case", "dialogue.split")
    ]
    part = dialtools.report(results).fragment()
    (tmp_path / "page.html").write_text(
        '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Mine</title>'
        f"<body><main>{part}</main></body></html>"
    )
    opened = browser.new_page(viewport={"width": 400, "height": 900})
    messages: list[str] = []
    opened.on("console", lambda message: messages.append(message.text))
    opened.on("pageerror", lambda error: messages.append(str(error)))
    opened.goto((tmp_path / "page.html").as_uri())
    opened.select_option("select[name=kind]", "typo.case")
    left = opened.evaluate(
        "Array.from(document.querySelectorAll('tr[data-kind]')).filter(row => !row.hidden)"
        ".map(row => row.dataset.kind)"
    )
    assert len(left) >= 1000 and set(left) == {"typo.case"}
    assert "24 of 2,000 rows with the highest values" in opened.evaluate(
        "document.body.textContent"
    )
    assert (messages, opened.evaluate("document.documentElement.scrollWidth")) == ([], 400)
    opened.close()


def test_a_picture_is_on_the_first_screen(browser, page: str):
    """Beside the verdicts on a desk, below the first one on a phone, where numbers keep their units."""
    for width, height in ((1400, 900), (900, 900), (400, 900)):
        opened = browser.new_page(viewport={"width": width, "height": height})
        opened.goto(Path(page).as_uri())
        verdict, picture = (
            opened.locator(which).first.bounding_box() for which in (".main li", "svg.picture")
        )
        assert picture["y"] + picture["height"] / 2 < height
        assert (picture["x"] > verdict["x"] + verdict["width"]) == (width > 400)
        assert not re.search(r"\d %|\bp =", opened.locator(".verdicts.main").inner_text())
        opened.close()


def test_a_page_without_script_shows_everything(browser, page: str):
    opened = browser.new_context(java_script_enabled=False).new_page()
    opened.goto(Path(page).as_uri())
    assert (
        opened.locator("article.case").count() == opened.locator("article.case:visible").count() > 3
    )
    assert not opened.locator("form.filters").is_visible()
    opened.close()


def test_verdicts_are_those_of_the_paired_test(demo: list[str]):
    """The numbers are dt-ttest's."""
    text = said(dialtools.report(*demo))
    longest, lead = (dialtools.read(path) for path in (demo[3], demo[1]))
    (test,) = dialtools.ttest(longest, lead, ("longest", "lead"), value="scores.S:rouge2")
    low, high = test["ci"]
    assert test["p"] > 0.05
    assert (
        f"It is not certain which of longest and lead is more sensitive to names, by rouge2. "
        f"S {test['mean_a']:.2f} % against {test['mean_b']:.2f} %, difference {test['difference']:.2f} "
        f"(95 % CI {low:.2f} to {high:.2f}), p = {test['p']:.4f}, 16 sources."
    ).replace("-", "−") in text


def test_systems_are_compared_by_their_records_too():
    """Of records alone each metric is tested; p of 5 pairs by SciPy's ttest_rel."""
    scores = {"one": [0.1, 0.2, 0.3, 0.4, 0.6], "two": [0.1, 0.1, 0.3, 0.2, 0.3]}
    records = [
        {
            "id": n,
            "lang": "en",
            "system": system,
            "variant": f"names:{k}",
            "prediction": "x",
            "scores": {"rouge1": scores[system][n]},
        }
        for system in scores
        for n in range(5)
        for k in (1, 2)
    ]
    text = said(dialtools.report(records))
    # 0.32 and 0.2 in the mean, t = 2.058, p = 0.1087
    assert "It is not certain which of one and two is better, by rouge1." in text
    assert "rouge1 32.00 % against 20.00 %, difference 12.00 " in text and "p = 0.1087" in text


def test_outputs_without_scores_are_an_error(shell, tmp_path: Path):
    record = {"id": 1, "lang": "en", "prediction": "x"}
    for records, how in (
        ([record], "-m rougeL"),
        ([record | {"variant": "names:1"}], "--sensitivity --per-source -m rougeL"),
    ):
        path = lines(tmp_path / "out.jsonl", records)
        answer = shell(f"dt-report -o page.html {path}")
        assert (answer.status, answer.err.rpartition("; ")[2]) == (
            2,
            f"score first: dt-score {how}\n",
        )


def test_outputs_of_systems_to_one_dialogue_stand_side_by_side():
    """With the reference and the number of each; an empty one is there; what is worst of both is one case."""
    outputs = {"one": ["yes", "", "yes"], "two": ["no", "no", "well"], "three": ["no"] * 3}
    records = [
        {
            "id": n,
            "lang": "en",
            "system": system,
            "reference": "yes",
            "prediction": text,
            **({"variant": f"names:{k}"} if k else {}),
        }
        for system, texts in outputs.items()
        for n in (1, 2)
        for k, text in enumerate(texts if n == 1 else texts[:1] * 3)
    ]
    sources = list(dialtools.score(records, metric=["exact"], sensitivity=True, per_source=True))
    (case, *others) = dialtools.report(records, sources).cases
    assert (case.whose, case.systems, case.references) == (
        "one and two",
        ["one", "two", "three"],
        ["yes"],
    )
    assert [row.whose for row in case.outputs] == ["original", "names:1", "names:2"]
    assert [
        [
            "".join(piece.text for piece in output.pieces if piece.sign != "-")
            for output in row.outputs
        ]
        for row in case.outputs
    ] == [["yes", "no", "no"], ["", "no", "no"], ["yes", "well", "no"]]
    assert re.sub("[\u2068\u2069]", "", case.value) == (
        "S by exact: one 100.00 %, two 100.00 %, three 0.00 %"
    )
    assert {other.rank for other in others} == {"median"}
    assert '<em class="empty">(empty)</em>' in dialtools.report(records, sources).html()


def test_a_question_has_one_verdict():
    """Three systems by two metrics, of which the second finds nothing; p by SciPy, corrected by hand."""
    values = {
        "a": ((30.0, 32.0, 31.0), (3.0, 1.0, 2.0)),
        "b": ((10.0, 12.0, 11.5), (1.0, 2.0, 3.0)),
        "c": ((11.0, 10.5, 12.0), (2.0, 2.5, 1.0)),
    }
    sources = [
        {
            "id": n,
            "lang": "en",
            "system": system,
            "unit": "percent",
            "outputs": ["x", "y"],
            "scores": {"S:exact": first[n], "S:f1": second[n]},
        }
        for system, (first, second) in values.items()
        for n in range(3)
    ]
    (section, *_) = dialtools.report(sources).sections
    (verdict,) = section.verdicts
    assert verdict.claim == "a is more sensitive than b and c, by exact." and verdict.is_certain
    assert verdict.numbers.startswith("a 31.00 %, b 11.17 %, c 11.17 %; a and b: p = 0.0004; ")
    assert verdict.numbers.endswith("By f1 it may be chance.")


def test_systems_that_always_differ_by_the_same_are_not_called_alike():
    """A paired test has no variance then; of six systems, which are not tested, the ends are named."""

    def sources(systems: str) -> list[dict]:
        return [
            SOURCE | {"id": n, "system": system, "scores": {"S:f1": n + 10.0 * place}}
            for place, system in enumerate(systems)
            for n in range(3)
        ]

    (verdict,) = dialtools.report(sources("abc")).sections[0].verdicts
    assert verdict.claim == "No test of c, b and a, by f1." and verdict.is_certain is None
    assert "c and b: no test (" in verdict.numbers
    (verdict, remark) = dialtools.report(sources("abcdef")).sections[0].verdicts
    assert "The outputs for one source differ most for f, 51.00 %" in verdict.claim
    assert "and least for a, 1.00 %" in verdict.claim and "too many" in remark.claim


def test_scores_and_their_summaries_are_shown_once(tmp_path: Path):
    """Of records, sources and summaries of one thing each number is one row and one column."""
    records = [
        {
            "id": n,
            "lang": "en",
            "system": "a",
            "variant": f"names:{k}",
            "prediction": text,
            "reference": "a b c d",
        }
        for n, texts in enumerate((["a b c d", "a b"], ["a b", "c d"]))
        for k, text in enumerate(texts, 1)
    ]
    given = [
        list(dialtools.score(records, metric=["rougeL", "bleu"], **how))
        for how in (
            {},
            {"summary": True},
            {"sensitivity": True},
            {"sensitivity": True, "per_source": True},
        )
    ]
    found = dialtools.report(*given)
    table = table_of(found, "Systems")
    (row,) = table.rows
    shown = dict(zip(table.columns, (cell.text for cell in row.cells), strict=False))
    # ROUGE-L by hand: 1, 2/3, 2/3, 2/3; a mean of 75 %, of each metric once
    assert (shown["n"], shown["mean"]) == ("2", "75.00")
    assert table.columns.count("sentence mean") == table.columns.count("mean") == 1


def test_of_several_pools_the_mean_is_tested_first():
    """By hand: the sources have S of 10, 20, 28 and 10, 10, 10; of "rare" one system lacks a source, which is left out."""
    given = {
        "a": {"common": (6.0, 18.0, 28.0), "rare": (14.0, 22.0, 32.0)},
        "b": {"common": (10.0,) * 3, "rare": (10.0,) * 2},
    }
    sources = [
        {
            "id": n,
            "lang": "en",
            "system": system,
            "variant": f"names.{pool}",
            "pool": pool,
            "unit": "percent",
            "outputs": ["x", "y"],
            "scores": {"S:exact": value},
        }
        for system, pools in given.items()
        for pool, values in pools.items()
        for n, value in enumerate(values)
    ]
    found = dialtools.report(sources)
    text = said(found)
    # means over the pools that both have: 10, 20, 28 against 10: differences 0, 10, 18; t = 1.7926, p = 0.2149
    assert (
        "It is not certain which of a and b is more sensitive to names, by exact. S 19.33 % against 10.00 %"
        in text
    )
    assert "p = 0.2149, 3 sources" in text
    assert "With either pool alone, it is not certain which. Differences in S: common 7.33" in text
    table = table_of(found, "Tests")
    assert [line.cells[3].text for line in table.rows] == ["all pools", "common", "rare"]


def test_a_mean_has_the_interval_of_its_clusters():
    """By hand: the mean of 2, 4, 6 is 4, its standard error 2/√3, t of 2 df 4.302653."""
    found = estimates.mean([("a", 2.0), ("b", 4.0), ("c", 6.0)], "percent")
    assert found.ci == pytest.approx([4 - 4.968275, 4 + 4.968275], abs=1e-5)
    # two clusters of two: their means are 3 and 5, as if they were two values: ±12.706205·1
    found = estimates.mean([("a", 2.0), ("a", 4.0), ("b", 5.0), ("b", 5.0)], "percent")
    assert (found.n, found.ci) == (4, pytest.approx([4 - 12.706205, 4 + 12.706205], abs=1e-5))
    # Wilson's of 200 of 200 and of 199 ends at 98.1155 and 97.2226 (scipy's binomtest)
    for last, low, high in ((100.0, 98.115467, 100.0), (0.0, 97.222630, 99.911683)):
        values = [(n, 100.0) for n in range(199)] + [(199, last)]
        assert estimates.mean(values, "percent", "mean").ci == pytest.approx([low, high])
    assert estimates.mean([(n, 0.0) for n in range(9)], "percent", "S").ci is None


def test_intervals_end_where_no_number_can_lie_beyond():
    """Of BLEU, which ends at 0, and of a difference of two S, which ends at 100."""
    means = {"metric": "bleu", "lang": "en", "unit": "points", "n": 3, "signature": "s"}
    given = means | {"system": "a", "sentence_mean": 1.0, "sentence_mean_ci": [-2.0, 4.0]}
    found = dialtools.report([given], [COMPARED | {"value": "scores.S:f1", "ci": [1.0, 103.0]}])
    below = [
        cell.below
        for section in found.sections
        for table in section.tables
        for line in table.rows
        for cell in line.cells
        if " to " in cell.below
    ]
    assert below == ["0.00 to 4.00", "1.00 to 100.00"]


RESULTS = {
    "Change of the output, rougeL": [
        {
            "metric": "rougeL",
            "system": "a",
            "lang": "en",
            "kind": kind,
            "unit": "percent",
            "n": 9,
            "consistency": 5.0,
            "consistency_ci": [1.0, 9.0],
            "saliency": 3.0,
            "faithfulness": None,
            "signature": "rougeL|v:1",
        }
        for kind in ("typo.case", "typo.keyboard")
    ],
    "S by gender": [
        {
            "metric": "rougeL",
            "system": "a",
            "lang": "en",
            "by": "gender",
            "group": group,
            "unit": "percent",
            "n": 9,
            "mean": 20.0,
            "S": 4.0,
            "signature": "s",
        }
        for group in ("f", "m")
    ],
    "Agreement with people": [
        {
            "value": "scores.chrf",
            "test": "kendall",
            "a": "scores.chrf",
            "b": "rating",
            "n": 50,
            "difference": None,
            "effect_name": "tau-b",
            "effect": 0.4,
            "effect_ci": [0.2, 0.6],
            "p": 0.01,
            "level": 0.95,
            "verdict": "scores.chrf and rating correlate.",
        }
    ],
    "Agreement among raters": [
        {
            "value": "r1, r2",
            "test": "krippendorff",
            "group": "all",
            "raters": 2,
            "n": 6,
            "p": None,
            "effect_name": "alpha",
            "effect": 0.4,
            "effect_ci": [-0.2, 0.8],
            "difference": None,
            "level": 0.95,
            "verdict": "Agreement of 2 raters: alpha 0.4.",
        }
    ],
    "Ratings in first": [
        {
            "value": "first",
            "test": "likert",
            "group": group,
            "n": 3,
            "counts": {"3": 1, "5": 2},
            "top": 4,
            "share": 66.7,
            "share_ci": [20.8, 93.9],
            "mean": 4.3,
            "median": 5.0,
            "verdict": "v",
        }
        for group in ("with", "without")
    ],
    "Training, records 1": [{"recipe": {}, "weights": 3}]
    + [{"epoch": n, "loss": 3.0 - n, "dev_loss": 3.1 - n, "gap": 0.01} for n in (1, 2)]
    + [{"best": 2}],
    "Sizes of clusters": [
        {"id": n, "lang": "en", "text": f"text {n}", "cluster_label": f"c{n % 2}"} for n in range(6)
    ],
    "Training, records 1 in folds": [
        {
            "epoch": epoch,
            "repeat": 1,
            "fold": fold,
            "dev_loss": 0.5 + fold / epoch,
            "gap": 0.2,
            "macro_f1": 0.1 * fold,
        }
        for fold in (1, 2)
        for epoch in (1, 2)
    ],
    "Dendrogram of clusters": [
        {
            "cluster_label": n,
            "n": 9 - n,
            "distance": 0.1,
            "nearest": n,
            "joins": joins,
            "height": height,
        }
        for n, (joins, height) in enumerate([(None, None), (1, 3.0), (1, 1.0), (2, 2.0)], 1)
    ],
    "S by position and number of turns": [
        {
            "id": n,
            "lang": "en",
            "variant": f"names:{n}",
            "system": "a",
            "unit": "percent",
            "speaker": "Ann",
            "position": n,
            "turns": 9 - n,
            "outputs": ["x", "y"],
            "scores": {"S:exact": 10.0 * n},
        }
        for n in range(1, 8)
    ],
    "Gaps between groups": [
        {
            "metric": "bleu",
            "system": "a",
            "lang": "en",
            "by": "age",
            "gap": 2.0,
            "of": "mean",
            "highest": "old",
            "lowest": "young",
            "signature": "s",
        }
    ],
    "Confusions": [
        {"metric": "accuracy", "system": "a", "true": "x", "predicted": "y", "n": 3, "share": 0.2}
    ],
    "What dt-check found": [
        {"level": "odd", "finding": "an empty turn", "count": 3, "place": "x:1", "example": ""}
    ],
}


@each_row("title", RESULTS)
def test_what_is_there_has_its_section(title: str):
    found = dialtools.report(RESULTS[title])
    titles = [
        one
        for section in found.sections
        for one in (
            section.title,
            *(picture.title for picture in section.pictures),
            *(table.caption for table in section.tables),
        )
    ]
    assert any(title.removesuffix(" in folds") in one for one in titles), titles
    for picture in found.pictures:
        picture.draw()


def test_what_the_sections_say():
    assert "the model hardly reads its input" in said(
        dialtools.report(RESULTS["Training, records 1"])
    )
    folds = said(dialtools.report(RESULTS["Training, records 1 in folds"]))
    assert "2 models, one for each fold" in folds
    assert (
        "dev loss 1.25, gap 0.2, macro f1 0.15" in folds
    )  # (0.5 + 1/2 + 0.5 + 2/2) / 2; (0.1 + 0.2) / 2
    # the ranks rise together without exception
    assert "rho 1.00" in said(dialtools.report(RESULTS["S by position and number of turns"]))


def test_half_of_the_pairs_in_order_is_no_agreement():
    (tau,) = RESULTS["Agreement with people"]
    pairwise = {**tau, "test": "pairwise", "effect_name": "pairwise accuracy", "effect": 0.7}
    for result, nothing in ((tau, "0"), (pairwise, "0.5")):
        (picture,) = dialtools.report([result]).pictures
        assert f"1 is perfect agreement, {nothing} none" in picture.description
        picture.draw()


def test_a_summary_of_clusters_tells_their_tree():
    """As SciPy's hierarchy of the same points: at what distance each pair of them first is in one group."""
    numpy, hierarchy = pytest.importorskip("numpy"), pytest.importorskip("scipy.cluster.hierarchy")
    angles = (0.1, 1.4, 0.2, 2.9, 1.3, 0.35)
    points = [[math.cos(angle), math.sin(angle)] for angle in angles]
    records = [{"id": n, "lang": "en", "v": point} for n, point in enumerate(points)]
    results = list(dialtools.cluster(records, vectors="v", clusters=6, summary=True))
    joined = {
        one["cluster_label"]: (one["joins"], one["height"]) for one in results if one["joins"]
    }
    expected = hierarchy.cophenet(hierarchy.linkage(points, "ward"))
    assert hierarchy.cophenet(numpy.array(partition.merges_of(joined), float)) == pytest.approx(
        expected, abs=1e-6
    )


def test_perplexity_is_shown_pair_by_pair():
    label = "perplexity:model=m,of=text"
    one, two = (
        [
            {"id": n, "lang": "zh", "text": "t", "scores": {label: float(base + n)}}
            for n in range(1, 9)
        ]
        for base in (10, 12)
    )
    tests = list(
        dialtools.ttest(
            one, two, ("records 1", "records 2"), value=f"scores.{label}", test="wilcoxon"
        )
    )
    found = dialtools.report(one, two, tests)
    (picture,) = [
        picture
        for section in found.sections
        for picture in section.pictures
        if picture.name == "perplexity-pairs"
    ]
    assert [cell.text for cell in picture.table.rows[0].cells] == [
        "records 1",
        "records 2",
        "8",
        "0",
    ]


@each_row("is_one_file", [True, False])
def test_the_pairs_of_texts_that_are_furthest_apart_are_cases(is_one_file: bool):
    """Of five pairs whose perplexities are 0, 1, 2, 3 and 40 apart; the median gap is 2."""
    label = "perplexity:model=m,of=text"
    one, two = (
        [
            {
                "id": n,
                "lang": "zh",
                "text": f"{who}走了。",
                "scores": {label: 10 + gap},
                **({"variant": "terms.swap:1"} if gap else {}),
            }
            for n, gap in enumerate(gaps)
        ]
        for who, gaps in (("她", (0.0,) * 5), ("他", (1e-9, 1.0, 40.0, 3.0, 2.0)))
    )
    given = (
        [[line for pair in zip(one, two, strict=True) for line in pair]]
        if is_one_file
        else [one, two]
    )
    found = dialtools.report(*given)
    assert {(case.rank, case.id, case.value) for case in found.cases} >= {
        ("worst", "2", "perplexity differs by 40.00")
    }
    ((place, case),) = found.glances
    assert (place, case.varied) == (1, "terms.swap")
    (output,) = case.outputs[1].outputs
    assert [(piece.sign, piece.text) for piece in output.pieces] == [
        ("-", "她"),
        ("+", "他"),
        ("=", "走了。"),
    ]
    assert "What was varied: terms.swap (swap words for groups of people" in said(found)


def test_robustness_has_worst_cases_and_says_what_was_varied():
    """The first line changes when a greeting comes first, and not when something is said at the end."""
    read = [record for record in dialtools.read(str(DIALOGUES)) if record["lang"] == "en"]
    records = list(
        dialtools.generate(
            dialtools.perturb(
                read, kind=["dialogue.greeting", "dialogue.closing"], keep_original=True
            ),
            generator="lead",
        )
    )
    given = [
        [
            record | {"system": name, "prediction": record["prediction"] if name == "lead" else "x"}
            for record in records
        ]
        for name in ("lead", "constant")
    ]
    sources = [
        list(dialtools.score(own, metric=["rougeL"], robustness=True, per_source=True))
        for own in given
    ]
    found = dialtools.report(*given, *sources)
    text = said(found)
    assert (
        "What was varied: dialogue.greeting (begin the dialogue with a greeting); dialogue.closing (end"
        in text
    )
    assert (
        "After dialogue.greeting, lead changes its outputs more than constant, by rougeL. lead changes its outputs by "
        in text
    )
    assert (
        "After dialogue.closing, lead and constant do not differ in any source, by rougeL." in text
    )
    ((_, case),) = found.glances
    assert (case.whose, case.measure, case.varied) == (
        "lead",
        "consistency:rougeL",
        "dialogue.greeting",
    )
    ends = [
        end
        for section in found.sections
        for table in section.tables
        if table.caption.startswith("Change after")
        for line in table.rows
        for cell in line.cells
        if " to " in cell.below
        for end in cell.below.split(" to ")
    ]
    assert ends and all(0 <= float(end) <= 100 for end in ends)
    assert case.turns and "greeting" in case.after


@pytest.mark.parametrize(
    "given, message",
    [
        (
            "metric  mean\nrouge2  3.1\n",
            "in.txt:1: not JSON: unexpected character, expected a JSON value (column 1); "
            "dt-report reads JSON Lines",
        ),
        ('{"id": 1}\n{"name": "x", "age": 3}\n', "in.txt:2: this is nothing that dialtools writes"),
        ('{"id": 1, "dialogue": 3}\n', "in.txt:1: a dialogue is a list of turns or a string"),
        ("[1]\n", "in.txt:1: a line is"),
    ],
)
def test_other_files_are_errors(tmp_path: Path, given: str, message: str):
    path = tmp_path / "in.txt"
    path.write_text(given)
    with pytest.raises(RecordError) as error:
        dialtools.report(str(path))
    assert message in str(error.value).replace(f"{tmp_path}/", "")


COMPARED = {
    "value": "scores.rouge2",
    "test": "paired",
    "unit": "percent",
    "a": "lead",
    "b": "longest",
    "n": 8,
    "mean_a": 7.0,
    "mean_b": 5.0,
    "difference": 2.0,
    "ci": [1.0, 3.0],
    "level": 0.95,
    "p": 0.01,
    "effect_name": "d",
    "effect": 0.4,
    "effect_ci": [0.1, 0.7],
    "dropped": {},
    "notes": [],
    "verdict": "v",
}
SUMMED = {"metric": "rouge2", "lang": "en", "n": 8, "mean": 7.0, "mean_ci": [6.0, 8.0]}
SOURCE = {"id": 1, "lang": "en", "unit": "percent", "outputs": ["a", "b"], "scores": {"S:f1": 3.0}}
CLUSTER = {"cluster_label": 1, "n": 9, "joins": None, "height": None}
SCORED = {"id": 1, "lang": "en", "prediction": "a", "scores": {"f1": 0.3}}


@each_row("line", [COMPARED, SUMMED, SOURCE, CLUSTER, SCORED])
def test_odd_values_are_errors_that_name_place_and_key(line: dict):
    """They were internal errors, or numbers that a page left out and said nothing."""
    dialtools.report([line])
    for key in line:
        for value in ({"x": [1]}, [[1]], [1, None, 2]):
            with pytest.raises(RecordError) as error:
                dialtools.report([line | {key: value}]).html()
            assert "records 1:1: " in str(error.value) and key in str(error.value)


def test_a_test_without_a_number_has_its_own_verdict():
    """It was an internal error; the words of the file are shown."""
    compared = COMPARED | {"better": "higher", "verdict": "Words."}
    for key in ("difference", "mean_a", "better"):
        result = {name: value for name, value in compared.items() if name != key}
        assert said(dialtools.report([result])).startswith("Words.")
    del compared["ci"]
    assert said(dialtools.report([compared])).startswith("lead is better than longest, by rouge2.")


def test_a_key_without_a_name_is_passed_over():
    assert dialtools.report([SUMMED | {"": {"x": 1}}]).html()


def test_pictures_that_cannot_be_written_are_an_error_of_the_file(shell):
    """Of the library that packs them, it was an internal error."""
    line = json.dumps(COMPARED)
    answer = shell(f"dt-report -o page.html --pdf /dev/full <(echo '{line}')")
    assert (answer.status, answer.err) == (5, "dt-report: /dev/full: No space left on device\n")


@each_row("key", ["metric", "value", "test", "verdict", "level", "n"])
def test_what_says_what_a_result_is_of_is_not_null(key: str):
    line = SUMMED if key == "metric" else COMPARED
    with pytest.raises(RecordError, match=f'records 1:1: no "{key}", which is a'):
        dialtools.report([line | {key: None}])


def test_many_sources_are_sampled_and_the_worst_is_of_all():
    sources = [
        {
            "id": n,
            "lang": "en",
            "system": system,
            "unit": "percent",
            "outputs": ["a", "b"],
            "scores": {"S:exact": 100.0 if n == 777 else 1.0},
        }
        for system in ("one", "two")
        for n in range(1000)
    ]
    found = dialtools.report(sources, most_sources=50)
    assert "those of 50 of 1,000 ids" in said(found)
    assert {
        (case.id, case.rank) for case in found.cases if case.value == "S by exact 100.00 %"
    } == {("777", "worst")}
    table = table_of(found, "Systems")
    assert [line.cells[1].text for line in table.rows] == ["50", "50"]


def test_corpus_scores_and_sentence_means_have_names_of_their_own():
    """Sentence BLEU by hand: the words of the reference score 100, others 0."""
    records = [
        {"id": n, "lang": "en", "system": system, "prediction": text, "reference": "a b c d"}
        for system, texts in (("x", ["a b c d", "a b c d"]), ("y", ["a b c d", "e"]))
        for n, text in enumerate(texts)
    ]
    scored = list(dialtools.score(records, metric=["bleu"]))
    results = list(dialtools.score(records, metric=["bleu"], summary=True))
    of_records, of_results = (
        table_of(dialtools.report(material), "Systems") for material in (scored, results)
    )
    assert of_records.columns[-1:] == ["sentence mean"]
    assert of_results.columns[-2:] == ["corpus score", "sentence mean"]
    assert [line.cells[-1].text for line in of_results.rows] == ["100.00", "50.00"]
    assert "x has the best corpus bleu. en 100.00" in said(dialtools.report(results))


def test_a_thousand_systems():
    """The table has them all, the pictures those with the highest numbers."""
    means = [
        {
            "metric": "bleu",
            "system": f"system {n}",
            "lang": "en",
            "n": 9,
            "mean": n / 20,
            "S": n / 20,
            "signature": "bleu|v:1",
        }
        for n in range(1000)
    ]
    found = dialtools.report(means)
    table = table_of(found, "Systems")
    assert len(table.rows) == 1000
    assert any("24 of 1,000 rows" in picture.description for picture in found.pictures)


def test_files_of_one_system_are_told_apart(tmp_path: Path):
    for pool in ("frequent", "rare"):
        (tmp_path / pool).mkdir()
        lines(
            tmp_path / pool / "a.jsonl",
            [
                {
                    "id": n,
                    "lang": "en",
                    "system": "a",
                    "outputs": ["x", "y"],
                    "scores": {"S:exact": float(n)},
                }
                for n in range(3)
            ],
        )
    found = dialtools.report(*(tmp_path / pool / "a.jsonl" for pool in ("frequent", "rare")))
    assert {name for case in found.cases for name in case.systems} == {"a (frequent)", "a (rare)"}


def test_a_command_writes_pictures_and_a_fragment(shell, demo: list[str]):
    result = shell(
        f"dt-report --embed --pdf all.pdf --png pictures -o part.html {demo[2]} {demo[3]} && "
        "head -c 5 all.pdf && grep -ac FontFile2 all.pdf && grep -ac /Type3 all.pdf; ls pictures; cat part.html"
    )
    assert result.status == 0, result.err
    assert re.match(
        r"%PDF-[1-9]\d*\n0\n", result.out
    )  # letters of one type, which readers can show
    assert "sensitivity-rouge2.png" in result.out
    part = result.out[result.out.index("<div") :]
    assert "<html" not in part and "<main" not in part
    ids = re.findall(r'(?<![-\w])id="([^"]*)"', part)
    assert len(ids) == len(set(ids)) and all(re.match(r"dt[0-9a-f]{8}-", own) for own in ids)
    for target in re.findall(r'(?:href="#|url\(#)([\w-]+)', part):
        assert target in ids


def test_a_result_tells_its_chain():
    chain = [
        {"by": "dt-swap-names", "signature": "names|pool:rare|v:1", "records": 9},
        {"by": "dt-score", "signature": "exact|lang:en|v:1"},
    ]
    mean = {
        "metric": "exact",
        "system": "a",
        "lang": "en",
        "n": 9,
        "mean": 50.0,
        "signature": "exact|lang:en|v:1",
        "chain": chain,
        "chain_differs": 2,
    }
    found = dialtools.report([mean])
    (run,) = found.making.runs
    assert run.steps == [
        ("dt-swap-names", ["names|pool:rare|v:1"]),
        ("dt-score", ["exact|lang:en|v:1"]),
    ]
    assert "2 records behind results of records 1 were made otherwise than most." in said(found)


def test_a_notebook_shows_a_report():
    found = dialtools.report([json.loads(json.dumps(HOSTILE))])
    assert found._repr_html_() == found.fragment() and "&lt;script&gt;alert(2)" in found.fragment()
    assert repr(found).startswith("Report('Report', ")


def test_a_summary_of_all_pools_has_its_own_row():
    """By hand: S of white 2 and 4, of black 0 and 2; the summary's 2 of both is that of neither pool."""
    chain = [
        {"by": "dt-swap-names", "signature": f"names|lang:en|pool:{pool}|v:1"}
        for pool in ("white", "black")
    ]
    sources = [
        {
            "id": n,
            "lang": "en",
            "system": "a",
            "variant": f"names.{pool}",
            "pool": pool,
            "unit": "percent",
            "outputs": ["x", "y"],
            "scores": {"S:exact": value},
        }
        for pool, values in {"white": (2.0, 4.0), "black": (0.0, 2.0)}.items()
        for n, value in enumerate(values)
    ]
    summary = {
        "metric": "exact",
        "system": "a",
        "lang": "en",
        "unit": "percent",
        "n": 2,
        "S": 2.0,
        "S_ci": [1.0, 3.0],
        "control": 50.0,
        "distinct": 30.0,
        "signature": "exact|v:1",
        "chain": chain,
    }
    found = dialtools.report(sources, [summary])
    table = table_of(found, "Systems")
    at = {name: place for place, name in enumerate(table.columns)}
    assert {
        tuple(line.cells[at[name]].text for name in ("pool", "S", "control S", "distinct"))
        for line in table.rows
    } == {
        ("white", "3.00", "–", "–"),
        ("black", "1.00", "–", "–"),
        ("all", "2.00", "50.00", "30.00"),
    }
    assert "differ most for white, 3.00 %" in said(found)


def test_a_verdict_on_s_names_only_the_variants_that_s_compares():
    """S is 0 after changes of names; after a greeting the outputs change."""
    sources = [
        {
            "id": n,
            "lang": "en",
            "system": "lead",
            "variant": "names.rare",
            "pool": "rare",
            "unit": "percent",
            "outputs": ["x", "x"],
            "scores": {"S:exact": 0.0},
            "chain": [{"by": "dt-swap-names", "signature": "names|lang:en|pool:rare|v:1"}],
        }
        for n in (1, 2)
    ]
    records = [
        {
            "id": n,
            "lang": "en",
            "system": "lead",
            "prediction": text,
            **(
                {
                    "variant": f"{kind}:1",
                    "history": [{"by": "dt-perturb", "signature": f"{kind}|v:1"}],
                }
                if kind
                else {}
            ),
        }
        for n in (1, 2)
        for kind, text in (("", "ab"), ("dialogue.greeting", "cd"), ("dialogue.closing", "ab"))
    ]
    assert "lead: after changes of names, the outputs for one source never differ." in said(
        dialtools.report(sources, records)
    )


def test_a_table_of_robustness_counts_the_sources_of_each_number():
    """Of 60 sources 2 have no saliency; where several variants are one source, their number is not known."""
    head = {
        "metric": "rougeL",
        "lang": "en",
        "unit": "percent",
        "n": 60,
        "signature": "rougeL|v:1",
        "no_reference": 0,
        "consistency": 9.0,
        "consistency_ci": [8.0, 10.0],
        "saliency": 5.0,
        "saliency_ci": [4.0, 6.0],
        "faithfulness": 0.0,
        "faithfulness_ci": [0.0, 0.0],
    }
    found = dialtools.report(
        [
            head
            | {
                "system": "a",
                "kind": "typo.case",
                "variants": 60,
                "zero_denominator": {"saliency": 2},
            },
            head
            | {"system": "a", "kind": "all", "variants": 120, "zero_denominator": {"saliency": 4}},
        ]
    )
    table = table_of(found, "Change after")
    below = {line.cells[1].text: [cell.below for cell in line.cells[3:]] for line in table.rows}
    assert below == {
        "typo.case": ["8.00 to 10.00", "4.00 to 6.00; n 58", ""],
        "all": ["8.00 to 10.00", "4.00 to 6.00; without 4 of 120 variants", ""],
    }
    assert "Intervals are the bootstrap intervals of the summary that was given, at 95 %." in said(
        found
    )


def test_what_is_tied_and_counted():
    """Three of four sources of each kind change wholly, and in two lines they are one source; names are a kind, too."""
    records = [
        {
            "id": n,
            "lang": "en",
            "system": system,
            "unit": "percent",
            "outputs": ["a", "b"],
            "variant": kind,
            "scores": {"consistency:exact": 100.0 if n and system == "a" else 0.0},
        }
        for system in "ab"
        for kind in ("typo.case", "dialogue.split")
        for n in range(4)
    ]
    names = [
        {
            "id": n,
            "lang": "en",
            "system": "a",
            "unit": "percent",
            "outputs": ["a", "b"],
            "variant": "names.rare",
            "chain": [{"by": "dt-swap-names", "signature": "names|lang:en|pool:rare|v:1"}],
            "scores": {"S:exact": 1.0 * n},
        }
        for n in range(4)
    ]
    found = dialtools.report(records, names)
    worst = [case for case in found.cases if case.rank == "worst"]
    assert {(case.kind, case.ties) for case in worst} >= {
        ("typo.case", 3),
        ("dialogue.split", 3),
        ("names", 1),
    }
    assert {case.kind for _, case in found.glances} == {"typo.case", "dialogue.split", "names"}
    table = table_of(found, "Counts of all")
    assert [line.cells[table.columns.index("sources")].text for line in table.rows] == ["4", "4"]
    assert "The outputs of a change in 3 of 4 sources, those of b in none." in said(found)
    page = found.html()
    assert page.index('id="cases"') < page.index('id="making"') < page.index('id="terms"')


def test_steps_that_several_files_continue_are_one_run():
    """Of three chains each continues the one before it."""
    steps = [
        {"by": "dt-generate", "signature": "lead|v:1"},
        {"by": "dt-swap-names", "signature": "restore|v:1"},
        {"by": "dt-score", "signature": "exact|v:1"},
    ]
    files = [
        [{"id": 1, "lang": "en", "scores": {"exact": 1.0}, "history": steps[:length]}]
        for length in (1, 2, 3)
    ]
    (run,) = dialtools.report(*files).making.runs
    assert len(run.steps) == 3 and run.files == ["records 1", "records 2", "records 3"]
