"""The jobs in examples/: those that need no model are run, of the others each dt- command is parsed as it would run."""

import json
import re
import shlex
import shutil
from importlib import import_module
from itertools import combinations
from pathlib import Path
from statistics import fmean

import pytest
import tiny_models
from conftest import ROOT
from scipy.stats import kendalltau

import dialtools

MAKEFILES = sorted(ROOT.glob("examples/*/Makefile"))
each = pytest.mark.parametrize(
    "folder", [file.parent for file in MAKEFILES], ids=lambda folder: folder.name
)


@pytest.fixture
def copied(folder: Path, tmp_path: Path) -> Path:
    """Return a copy of an example's folder alone, as those make who take it for their own experiment."""
    return shutil.copytree(folder, tmp_path / "elsewhere" / folder.name)


@each
def test_every_command_of_a_copied_example_can_be_parsed(
    shell, tmp_path: Path, copied: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(copied)  # for plug-ins of its own
    makefile = copied.joinpath("Makefile").read_text(encoding="utf-8")
    target = "fast" if "\nfast:" in makefile else "all"
    check_commands(shell, f"{target} OUT={tmp_path}/out", copied)


def test_commands_of_a_comparison_of_budgets_can_be_parsed(shell, tmp_path: Path):
    line = f"budget SETS='sick jsts' MODEL={tmp_path} DATA={tmp_path} OUT={tmp_path}/out"
    for file in "jglue-jsts/valid-v1.3 jglue-jsts/train-v1.3".split():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / f"{file}.json").touch()
    (tmp_path / "sick").mkdir()
    for name in "train", "trial", "test_annotated":
        (tmp_path / "sick" / f"SICK_{name}.txt").touch()
    check_commands(shell, line, ROOT / "examples" / "metric-agreement")


def check_commands(shell, goal: str, folder: Path) -> None:
    """Parse each command of a goal as it would run."""
    result = shell(f"make --dry-run --always-make {goal}", cwd=folder)
    assert result.status == 0, result.err
    assert "../" not in result.out
    commands = [
        words
        for line in result.out.replace("\\\n", " ").splitlines()
        for words in segments(line)
        if words[0].startswith("dt-")
    ]
    assert commands
    for name, *arguments in commands:
        main = import_module(
            f"dialtools.commands.{name.removeprefix('dt-').replace('-', '_')}"
        ).main
        if arguments[0] in getattr(main, "parts", {}):  # dt-train generator
            main, arguments = main.get_command(None, arguments[0]), arguments[1:]
        assert main.make_context(name, arguments), shlex.join([name, *arguments])


@each
@pytest.mark.parametrize("mode", ["FULL", "PAPER", "DATA"])
def test_a_mode_is_explained_or_refused(shell, folder: Path, mode: str):
    """FULL=1, PAPER=1 and DATA=… mean the same in all folders, and nowhere nothing."""
    head = folder.joinpath("Makefile").read_text(encoding="utf-8").partition("SHELL =")[0]
    refusal = f"{mode}=1 is not meant here"
    assert (refusal in shell(f"make -n {mode}=1", cwd=folder).err) != (f"{mode}=" in head)
    assert refusal not in shell("make -n", cwd=folder, **{mode: "1"}).err


@each
def test_data_is_used_or_refused(shell, folder: Path, tmp_path: Path):
    plain = shell(f"make -n OUT={tmp_path}", cwd=folder)
    with_data = shell(f"make -n OUT={tmp_path} DATA={tmp_path}/none", cwd=folder)
    assert plain.out != with_data.out or with_data.status == 2


@each
@pytest.mark.parametrize("mode", ["FULL", "PAPER"])
def test_a_mode_says_what_data_it_needs(shell, folder: Path, mode: str):
    result = shell(f"make -n {mode}=1", cwd=folder)
    assert result.status == 2
    assert re.search(
        rf"{mode}=1 is not meant|{mode}=1 .*needs? .*=FOLDER|DATA=\S+ holds no", result.err
    )


def test_the_tiny_model_of_an_example_is_in_its_folder_for_output(shell, tmp_path: Path):
    for model in ("random", "out/random"):
        line = f"make --dry-run MODEL={model} OUT={tmp_path}/x measure"
        planned = shell(line, cwd=ROOT / "examples" / "chinese-bias").out.splitlines()
        assert f"python3 -m dialtools.models.stand_ins causal {tmp_path}/x/random" in planned
        assert sum(f"model={tmp_path}/x/random," in line for line in planned) == 12


def test_an_example_names_a_model_folder_that_is_not_there(shell, tmp_path: Path):
    result = shell(f"make --dry-run MODEL={tmp_path}/typo", cwd=ROOT / "examples" / "chinese-bias")
    assert result.status == 2 and f"MODEL={tmp_path}/typo: there is no such folder" in result.err


@pytest.mark.parametrize(
    "given, layer", [("", ",layer=4"), ("LAYER=5", ",layer=5"), ("ENCODER=roberta-large", "")]
)
def test_an_example_takes_a_layer_of_any_encoder(shell, tmp_path: Path, given: str, layer: str):
    """Of a folder that says how many layers it has, two thirds of the way up; bert-score knows the others."""
    (tmp_path / "config.json").write_text('{"num_hidden_layers": 6}')
    encoder = given.partition("ENCODER=")[2] or tmp_path
    planned = shell(
        f"make --dry-run METHODS=model ENCODER={tmp_path} {given}",
        cwd=ROOT / "examples" / "counterfactuals",
    ).out
    assert f"-m 'bertscore:against=text,model={encoder}{layer}' -m" in planned


def segments(line: str) -> list[list[str]]:
    """Return the words of each command of a line of shell, without what is redirected."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    found: list[list[str]] = [[]]
    for word in lexer:
        if set(word) <= set("|&;<>"):
            found.append([])
        else:
            found[-1].append(word)
    return [words for words in found if words]


def test_segments_of_a_line():
    assert segments("cd out && dt-x -m 'a b' <in | dt-y; z") == [
        ["cd", "out"],
        ["dt-x", "-m", "a b"],
        ["in"],
        ["dt-y"],
        ["z"],
    ]


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for what the examples make, which is made once."""
    return tmp_path_factory.mktemp("out")


@each
def test_a_copied_example_without_a_model_comes_out_as_expected(shell, out: Path, copied: Path):
    if "check:" not in copied.joinpath("Makefile").read_text(encoding="utf-8"):
        pytest.skip("needs a model")
    result = shell(f"make check OUT={out}/{copied.name}", cwd=copied, COLUMNS="")
    assert result.status == 0, result.out + result.err


@pytest.mark.skipif(not shutil.which("make") or not shutil.which("jq"), reason="needs make and jq")
def test_the_table_of_metric_agreement_is_that_of_scipy(shell, out: Path):
    """Kendall's tau, of rounded scores, so that ties that rounding broke are ties."""
    home, made = ROOT / "examples" / "metric-agreement", out / "metric-agreement"
    assert shell(f"make check OUT={made}", cwd=home).status == 0
    rows = [line.split() for line in (home / "expected" / "table.txt").read_text().splitlines()[1:]]
    for column, name in enumerate(("jsts", "jsick", "sick"), 1):
        records = [
            json.loads(line)
            for line in (made / "plain" / f"{name}.scored.jsonl").read_text().splitlines()
        ]
        human = [record["human"] for record in records]
        for row in rows:
            scores = [round(record["scores"][row[0]], 10) for record in records]
            shown = float(
                row[column].replace("-", "nan", row[column] == "-")
            )  # where all scores are the same
            assert shown == pytest.approx(
                kendalltau(scores, human).statistic, abs=0.0005001, nan_ok=True
            )


@pytest.mark.skipif(not shutil.which("make") or not shutil.which("jq"), reason="needs make and jq")
def test_the_papers_of_both_sources_of_review_scores_are_read(shell, tmp_path: Path):
    """Files in the form of PeerRead and of ASAP-Review: three papers with scores, two with marks."""
    for n, clarity in enumerate((["4"], ["2", "5"], []), 1):
        reviews = [{"CLARITY": score, "comments": "…"} for score in clarity] + [{"comments": "…"}]
        acl = "PeerRead/data/acl_2017/train"
        text = {"abstractText": f"Paper {n}.", "sections": [{"heading": "1", "text": "It."}]}
        write(tmp_path / acl / f"reviews/{n}.json", {"reviews": reviews})
        write(tmp_path / acl / f"parsed_pdfs/{n}.pdf.json", {"metadata": text})
    marks = []
    for n, mark, decision in (1, "positive", "Accept"), (2, "negative", "Reject"):
        iclr, id = "ReviewAdvisor/dataset/ICLR_2017", f"ICLR_2017_{n}"
        write(tmp_path / iclr / f"ICLR_2017_content/{id}_content.json", {"metadata": text})
        write(tmp_path / iclr / f"ICLR_2017_paper/{id}_paper.json", {"decision": decision})
        marks.append({"id": id, "labels": [[0, 4, f"clarity_{mark}"], [5, 9, "summary"]]})
    write(tmp_path / "ReviewAdvisor/dataset/aspect_data/review_with_aspect.jsonl", *marks)
    made = [tmp_path / "out" / name for name in ("CLARITY.jsonl", "first.clarity.jsonl")]
    result = shell(
        f"make -s PAPER=1 DATA={tmp_path} OUT={tmp_path}/out {made[0]} {made[1]}",
        cwd=ROOT / "examples" / "review-scores",
    )
    assert result.status == 0, result.err
    labels = [[json.loads(line)["label"] for line in lines(file)] for file in made]
    assert labels == [["4", "4"], ["positive", "negative"]]  # 3.5 is rounded up


def test_novels_are_read_by_their_quotation_marks(shell, tmp_path: Path):
    """Pairs at a distance of one and two, and of the sentences of one utterance; dots are no style."""
    novel = (
        "雨だ。\r\n「寒いわ。早く！」\r\n\r\n　「……」\r\n「そうね」\r\n男は笑った。\r\n「ああ」\r\n"
    )
    (tmp_path / "1.txt").write_text(
        novel + "彼は「はい」と言った。\nマリー「雪」\nミオ「は\nい」\n", encoding="utf-8"
    )
    make = f"make -s PAPER=1 DATA={tmp_path} OUT={tmp_path}/out SHARE=2 {tmp_path}/out"
    folder = ROOT / "examples" / "speech-style"
    result = shell(f"{make}/test.pairs.jsonl {tmp_path}/out/utterances.jsonl", cwd=folder)
    assert result.status == 0, result.err
    pairs = [json.loads(line) for line in lines(tmp_path / "out/test.pairs.jsonl")]
    assert [(pair["text"], pair["reference"], pair["same"]) for pair in pairs] == [
        ("寒いわ。早く！", "そうね", 1),
        ("寒いわ。", "早く！", 1),
    ]
    assert lines(tmp_path / "out/skipped.txt")[0].endswith("1 of 3 utterances")
    novels = [json.loads(line) for line in lines(tmp_path / "out/novels.jsonl")]
    named = [(turn["speaker"], turn["text"]) for turn in novels[1]["dialogue"]]
    assert named == [("マリー", "雪"), ("ミオ", "はい")]


def test_the_rated_turns_of_hazumi_are_read(shell, tmp_path: Path):
    """22 exchanges, one of them unusable, one without an answer; 8:1:1 by time."""
    module = import_module("paper_trees.interlocutor")
    (tmp_path / "F.eaf").write_text(module.conversation("1902F2001"), encoding="utf-8")
    line = f"dt-convert -q --from ./hazumi.py {tmp_path}/F.eaf | jq -c -f exchanges.jq"
    result = shell(line, cwd=ROOT / "examples" / "interlocutor")
    turns = [json.loads(line) for line in result.out.splitlines()]
    assert [turn["part"] for turn in turns] == ["train"] * 17 + ["dev"] * 2 + ["test"] * 2
    fifth = turns[4]
    assert (fifth["interlocutor"], fifth["outsider"]) == (5, 6)  # of number 4: 1 + 4, 1 + 12 % 7
    assert [(turn["speaker"], turn["text"]) for turn in fifth["dialogue"][-3:]] == [
        ("1902F2001", "あ2番ですかは"),
        ("Wizard", "話題の3番です。"),
        ("Wizard", "話題の4番です。"),
    ]
    assert turns[5]["interlocutor"] == 7 and turns[5]["dialogue"][-1]["text"] == "話題の6番です。"


def test_a_bert_reads_the_dialogues_before_it_judges(shell, tmp_path: Path, torch):
    """Hidden words of unseen dialogues become easier to guess, and the metric takes the model."""
    words = tiny_models.tokenizer(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    words.mask_token = "<mask>"
    model = tiny_models.save(tmp_path / "bert", tiny_models.masked(words), words)
    talk = {"lang": "en", "dialogue": [{"speaker": "Ann", "text": "Which room?"}]}
    records = [{**talk, "id": n, "prediction": "Thanks! See you."} for n in range(32)]
    made = tmp_path / "mlm"
    for part in ("train", "dev"):
        write(tmp_path / f"responses.{part}.jsonl", *records)
    result = shell(
        f"make -s PAPER=1 DATA={tmp_path} MODEL={model} OUT={tmp_path} {made}/config.json "
        f"-o {tmp_path}/responses.train.jsonl -o {tmp_path}/responses.dev.jsonl "
        "TRAINING='--epochs 3 --batch-size 4 --learning-rate 0.003 --max-input 8'",
        cwd=ROOT / "examples" / "interlocutor",
    )
    assert result.status == 0, result.err
    log = [json.loads(line) for line in lines(tmp_path / "mlm.log") if '"dev_loss"' in line]
    assert [entry["epoch"] for entry in log] == [1, 2, 3]
    assert log[-1]["dev_loss"] < log[0]["dev_loss"]
    metric = f"am_fm:model={made},against=dialogue,weight=1"
    [one] = dialtools.score(records[:1], metric=[metric])
    assert -1 < one["scores"][metric] < 1


def test_what_came_after_a_failed_best_one_is_listed_by_rank(shell, tmp_path: Path):
    """People found the best one of p1 not good; that of p2 was good."""
    rated = {"system": "model", "rater": "a", "fluent": "yes", "refers": "no", "meaning": 4}
    ratings = [{**rated, "id": id, "label": label} for id, label in (("p1", "no"), ("p2", "yes"))]
    write(tmp_path / "ratings.jsonl", *ratings)
    bleu, bert = "bleu", "bertscore"
    ranked = [("p1", "b", 70, 0.6), ("p2", "x", 90, 0.9), ("p1", "a", 60, 0.9), ("p1", "c", 0, 0)]
    for number in range(1, 6):
        write(
            tmp_path / f"rejected{number}.jsonl",
            *(
                {"id": id, "system": "model", "text": "t", "prediction": text}
                | {"scores": {bleu: of_bleu, bert: of_bert}}
                | {"rejected": "not the best" if text != "c" else "it is about the group"}
                for id, text, of_bleu, of_bert in ranked
                if number == 1
            ),
        )
    result = shell(
        f"make -s OUT={tmp_path} RATINGS={tmp_path}/ratings.jsonl BLEU={bleu} BERT={bert} "
        f"-o {tmp_path}/model.jsonl {tmp_path}/further.jsonl",
        cwd=ROOT / "examples" / "counterfactuals",
    )
    assert result.status == 0, result.err
    further = [json.loads(line) for line in lines(tmp_path / "further.jsonl")]
    assert [(one["id"], one["prediction"], one["rank"]) for one in further] == [
        ("p1", "a", 2),
        ("p1", "b", 3),
    ]


def test_a_mean_that_rounds_to_zero_has_no_sign(shell):
    row = '{"row": "r", "seed": 1, "column": "c", "value": -0.0001}'
    table = shell(
        f"echo '{row}' | jq -src --arg name x --argjson digits 3 -f {ROOT}/examples/interlocutor/seeds.jq"
    )
    assert table.out == "x\tc\nr\t0.000\n"


def test_the_best_checkpoint_is_that_of_the_second_task(shell, tmp_path: Path):
    """And ± of a table is the standard deviation of the repeats."""
    write(
        tmp_path / "folds.jsonl",
        *(
            {
                "target": "t",
                "system": "a",
                "checkpoint": c,
                "repeat": r,
                "accuracy": x,
                "macro_f1": 0,
            }
            for c, r, x in [("1", 1, 50), ("1", 2, 60), ("2", 1, 70), ("2", 2, 80), ("10", 1, 75)]
        ),
    )
    folder = ROOT / "examples" / "review-scores"
    result = shell(f"jq -sc -f best.jq {tmp_path}/folds.jsonl > {tmp_path}/best", cwd=folder)
    assert {json.loads(line)["checkpoint"] for line in lines(tmp_path / "best")} == {"2"}, result
    table = shell(f"jq -src --arg table scores -f table.jq {tmp_path}/best", cwd=folder)
    assert table.out.splitlines()[1].split("\t") == ["t", "a", "2", "75 ± 7.1", "0 ± 0"]


def write(file: Path, *records: dict) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def test_definitions_are_compared_with_all_subsets_of_their_points():
    """The best ROUGE-L of rouge-score over the first point with every subset of the others."""
    scorer = pytest.importorskip("rouge_score.rouge_scorer").RougeScorer(["rougeL"])
    home = ROOT / "examples" / "financial-definitions"
    points = {
        item["id"]: item["reference"] for item in map(json.loads, lines(home / "terms.jsonl"))
    }
    best = [
        max(
            scorer.score(" ".join([first, *some]), made["prediction"])["rougeL"].fmeasure
            for size in range(len(others) + 1)
            for some in combinations(others, size)
        )
        for made in map(json.loads, lines(home / "outputs.jsonl"))
        for first, *others in [points[made["id"]]]
    ]
    table = lines(home / "expected" / "table3.txt")
    [row] = [line for line in table if line.startswith("Investopedia  ") and "written" in line]
    assert float(row.split()[-1]) == pytest.approx(100 * fmean(best), abs=0.00501)


def test_delays_of_simultaneous_translations_are_those_by_hand():
    """AL of early: (640 + 3200/3 + 2380/3) / 3; with six words for five, LAAL has 3400/3.  late waits for all."""
    logs = ROOT / "examples" / "simultaneous" / "expected" / "logs.txt"
    early, late, cut = (means(logs, name) for name in ("early ", "late ", "one go "))
    assert early[3:5] == cut[3:5] == [833, 856]
    assert late[3:6] == [(2600 + 2000 + 3200) / 3] * 3


def means(table: Path, name: str) -> list[float]:
    """Return the numbers of the row that begins with a name, without intervals and stars."""
    line = next(line for line in lines(table) if line.startswith(name))
    return [
        float(number)
        for number in re.findall(r"(?<=\s)-?[\d.]+", re.sub(r"±\s+\d+|\[.*?\]", "", line))
    ]


def lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines()
