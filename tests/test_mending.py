"""examples/mending: a fair comparison, and a test over seeds and dialogues."""

import doctest
import json
import random
import re
import shlex
import shutil
import sys
from math import ceil
from pathlib import Path
from statistics import fmean

import pytest
import tiny_models
from conftest import ROOT
from scipy import stats

HOME = ROOT / "examples" / "mending"
sys.path.append(str(HOME))
import compare  # noqa: E402
import kinds  # noqa: E402
import means  # noqa: E402
import speakers  # noqa: E402

# Rows whose training data are as many as those of another.
SAME_SIZE = {
    "short": "vanilla",
    "emb": "vanilla",
    "id": "vanilla",
    "share20": "vanilla",
    "ins": "aug",
    "freins": "freaug",
}


@pytest.fixture(scope="module")
def table() -> list[list[float]]:
    """Return differences of three seeds by forty dialogues, in which both differ."""
    drawn = random.Random(1)
    dialogues = [drawn.gauss(-4, 6) for _ in range(40)]
    return [
        [dialogue + of_seed + drawn.gauss(0, 3) for dialogue in dialogues]
        for of_seed in (-1.0, 0.4, 2.0)
    ]


def test_the_square_of_t_is_min_f(table: list[list[float]]):
    """F over seeds and F over dialogues by scipy; minF' = F1 F2 / (F1 + F2), df by Clark 1973, p. 347."""
    columns = list(zip(*table, strict=True))
    f1 = stats.ttest_1samp([sum(column) / 3 for column in columns], 0).statistic ** 2
    f2 = stats.ttest_1samp([sum(row) / 40 for row in table], 0).statistic ** 2
    lowest = f1 * f2 / (f1 + f2)
    freedom = (f1 + f2) ** 2 / (f1**2 / 2 + f2**2 / 39)
    test = compare.crossed(table)
    assert test.p == pytest.approx(stats.f.sf(lowest, 1, freedom))
    assert test.mean == pytest.approx(sum(map(sum, table)) / 120)
    assert abs(test.mean) / test.half == pytest.approx(lowest**0.5 / stats.t.ppf(0.975, freedom))


def test_p_is_corrected_as_by_hand():
    """Holm: 0.01 · 4, 0.02 · 3, then no less than that: 0.03 · 2 and 0.04 · 1."""
    assert compare.holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])


def shown(tmp_path: Path, capsys, outputs_of_aug: list[str], quality: float) -> str:
    """Return the line of aug, whose S is 20 points below that of vanilla, in a table of made-up runs."""
    drawn = random.Random(2)
    scores, sources = [], []
    for seed in (1, 2, 3):
        for system, change, mean in ("vanilla", 40, 50.0), ("aug", 20, quality):
            row = {"metric": "rouge2", "by": "pool", "system": system, "group": "seen", "n": 20}
            # the names differ from dialogue to dialogue: neither of these tells a collapsed row
            row |= {"seed": seed, "mean": mean, "S": change, "control": 99.0, "distinct": 100.0}
            scores.append(row)
            for n in range(20):
                text = outputs_of_aug[n] if system == "aug" else f"Ann asks Bob {n}"
                source = {"system": system, "pool": "seen", "seed": seed, "id": n}
                source["scores"] = {"S:rouge2": change + drawn.gauss(0, 2)}
                sources.append(source | {"outputs": [text]})
    records = {
        "scores": scores,
        "sources": sources,
        "test": [{"reference": f"{name} asks Bob {n}"} for n, name in enumerate(NAMES)],
    }
    for name, part in records.items():
        lines = "".join(json.dumps(record) + "\n" for record in part)
        (tmp_path / f"{name}.jsonl").write_text(lines)
    files = [
        tmp_path / name for name in ("scores.jsonl", "sources.jsonl", "names.tsv", "test.jsonl")
    ]
    files[2].write_text("".join(f"{name}\tu\n" for name in ("Ann", "Bob", *NAMES)))
    compare.main("rouge2", *map(str, files))
    return next(line for line in capsys.readouterr().out.splitlines() if line.startswith("aug "))


NAMES = [f"Name{n}" for n in range(20)]


@pytest.mark.parametrize(
    "outputs, quality, starred",
    [
        ([f"{name} asks Bob {n}" for n, name in enumerate(NAMES)], 50.0, True),
        (
            [f"{name} and Bob talk" for name in NAMES],
            50.0,
            False,
        ),  # the same of each, but for names
        ([f"{name} asks Bob {n}" for n, name in enumerate(NAMES)], 45.0, False),  # less quality
    ],
)
def test_a_collapsed_row_has_no_star(tmp_path, capsys, outputs, quality, starred):
    assert shown(tmp_path, capsys, outputs, quality).endswith("*") == starred


@pytest.mark.skipif(not shutil.which("make") or not shutil.which("jq"), reason="needs make and jq")
def test_names_are_held_out_and_steps_are_equal(shell, tmp_path: Path):
    data = {row: tmp_path / f"{row}.1.train.jsonl" for row in ("vanilla", "aug", "fre", "freaug")}
    settings = f"OUT={tmp_path} ROWS='{' '.join(data)}'"
    result = shell(f"make -s {settings} {tmp_path}/variants-all.jsonl", cwd=HOME, timeout=300)
    assert result.status == 0, result.err
    learned = [
        record for file in (*data.values(), *tmp_path.glob("*.dev.jsonl")) for record in read(file)
    ]
    words = {
        word
        for record in learned
        for word in re.findall(r"\w+", f"{record['dialogue']} {record['reference']}")
    }
    names = {"seen": set(), "unseen": set()}
    for record in read(tmp_path / "variants-all.jsonl"):
        pool = record["variant"].removeprefix("names.").partition(":")[0]
        names[pool] |= {turn.partition(":")[0] for turn in record["dialogue"].splitlines()}
    assert names["seen"] <= words and not names["unseen"] & words
    assert min(map(len, names.values())) > 40
    train, dev, test = (
        {nameless(record) for record in read(tmp_path / f"base.{part}.jsonl")}
        for part in ("train", "dev", "test")
    )
    assert not train & dev and not train & test and not dev & test

    plan = shell(
        f"make -n --always-make OUT={tmp_path} 'ROWS=$(EVERY)' ABLATIONS= all", cwd=HOME
    ).out.replace("\\\n", " ")
    steps = {}
    for words_of_line in map(shlex.split, re.findall("^dt-train .*", plan, flags=re.MULTILINE)):
        option = dict(zip(words_of_line, words_of_line[1:], strict=False))
        row = Path(option["--output-dir"]).name.partition(".")[0]
        batches = ceil(len(read(data[SAME_SIZE.get(row, row)])) / int(option["--batch-size"]))
        steps[row] = int(option["--epochs"]) * batches
        assert ("--allow-blind" in words_of_line) == (row in ("ins", "freins"))
    assert steps.pop("short") == 126
    assert set(steps) == {*data, *SAME_SIZE} - {"short"} and set(steps.values()) == {252}


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("make") or not shutil.which("jq"), reason="needs make and jq")
def test_adapters_take_equal_steps_and_are_set_beside_the_model_as_it_came(shell, torch, tmp_path):
    pytest.importorskip("ctranslate2")
    pytest.importorskip("peft")
    from dialtools.models import stand_ins

    stand_ins.main("causal", str(tmp_path / "model"))
    for part, first in ("train", 0), ("dev", 40), ("test", 80):
        items = [
            {
                "fname": f"{part}_{number}",
                "dialogue": f"#Person1#: Is bag {number} here?\n#Person2#: No.",
                "summary": f"#Person1# looks for bag {number}.",
                "topic": "bags",
            }
            for number in range(first, first + 12)
        ]
        lines = "".join(f"{json.dumps(item)}\n" for item in items)
        (tmp_path / f"dialogsum.{part}.jsonl").write_text(lines, encoding="utf-8")
    line = (
        f"make -s LORA=1 DATA={tmp_path} MODEL={tmp_path}/model OUT={tmp_path}/out SEEDS='1 2' "
        "FIRST_train=8 FIRST_dev=4 FIRST_test=3 ROWS='untrained vanilla aug ins-ca' METRICS=chrf "
        "TRAINING='--lora 2 --batch-size 4 --dev-outputs 1 --max-new-tokens 4 --allow-blind' "
        "DECODING='--beams 1 --max-new-tokens 4'"
    )
    result = shell(line, cwd=HOME, timeout=600, XDG_CACHE_HOME=str(tmp_path))
    assert result.status == 0, result.err
    steps = {
        run: int(count)
        for run, _, count, *_ in map(
            str.split, (tmp_path / "out" / "steps.txt").read_text().splitlines()
        )
    }
    rows = [f"{row}.{seed}" for row in ("vanilla", "aug", "ins-ca") for seed in (1, 2)]
    assert steps == dict.fromkeys(rows, 4)
    table = (tmp_path / "out" / "remedies.txt").read_text()
    assert set(re.findall(r"(?m)^(\S+) +unseen +\d", table)) == {
        "untrained",
        "vanilla",
        "aug",
        "ins-ca",
    }
    assert len(read(tmp_path / "out" / "variants-all.jsonl")) == 6
    again = shell(line.replace("make -s", "make -n"), cwd=HOME, timeout=60)
    assert again.status == 0 and "dt-train" not in again.out  # nothing is trained twice


@pytest.mark.skipif(not shutil.which("make") or not shutil.which("jq"), reason="needs make and jq")
@pytest.mark.parametrize("task", ["qg", "rc"])
def test_questions_of_molweni_are_read(shell, tmp_path: Path, task: str):
    """Those with an answer alone, whose numbers and words are counted."""
    asked = {
        "id": "q1",
        "question": "What is broken , ann_ ?",
        "answers": [{"text": "the lamp", "answer_start": 0}],
        "is_impossible": False,
    }
    other = {"id": "q2", "question": "Why ?", "answers": [], "is_impossible": True}
    talk = {
        "edus": [{"speaker": "ann_", "text": "the lamp is broken"}],
        "context": "ann_: the lamp",
    }
    item = {"data": {"title": "x", "dialogues": [talk | {"qas": [asked, other]}]}}
    for part in ("train", "dev", "test"):
        (tmp_path / f"{part}.json").write_text(json.dumps(item))
    out = tmp_path / "out"
    line = f"make -s PAPER=1 TASK={task} DATA={tmp_path} OUT={out}"
    result = shell(f"{line} {out}/sizes.txt {out}/variants-original.jsonl", cwd=HOME)
    assert result.status == 0, result.err
    [record] = read(out / "base.test.jsonl")
    pair = record["context"], record["reference"]
    assert pair == (
        ("the lamp", asked["question"]) if task == "qg" else (asked["question"], "the lamp")
    )
    assert read(out / "variants-original.jsonl") == [record]
    size = f"1\trecords of\t{6 if task == 'qg' else 2}\t±\t0\twords"
    assert (out / "sizes.txt").read_text().splitlines()[2] == f"test\t{size}"
    plan = shell(f"{line} -n", cwd=HOME).out
    swaps = re.findall(r"^dt-swap-names .*--pool.*", plan, flags=re.MULTILINE)
    assert swaps and all("--no-gender" in swap for swap in swaps)
    assert ("states:weight=10 " in plan) == (task == "qg") and "--best bleu" in plan


@pytest.mark.parametrize("module", [kinds, means, speakers], ids=lambda module: module.__name__)
def test_examples_in_the_scripts(module):
    tested = doctest.testmod(module)
    assert tested.attempted and not tested.failed


def test_means_are_over_seeds(tmp_path: Path, capsys):
    """By hand: 10 and 14 have the mean 12 and the standard deviation 2.8; their ranges are 4 and 8."""
    results = [
        {"system": "ins", "seed": seed, "metric": "bleu", "group": group, "sentence_mean": mean}
        for seed, low, high in ((1, 10, 14), (2, 14, 22))
        for group, mean in (("rare", low), ("unknown", high))
    ]
    file = tmp_path / "results.jsonl"
    file.write_text("".join(json.dumps(result) + "\n" for result in results))
    means.main(str(file), "rare,unknown")
    row = capsys.readouterr().out.splitlines()[-1].split("  ")
    assert [cell.strip() for cell in row if cell] == [
        "ins",
        "12.0 ± 2.8",
        "18.0 ± 5.7",
        "6.0 ± 2.8",
    ]


def test_speakers_are_compared_with_all_at_once(tmp_path: Path, capsys):
    """D of all names is 2 in both dialogues; of one name 1 and 3.5 in the first, 0 and 3 in the second."""
    shared = {"system": "ins", "pool": "seen", "seed": 1}
    one = [
        shared
        | {"id": id, "position": place, "turns": 2, "scores": {"D:x": spread, "S:x": 2 * spread}}
        for id, values in (("a", (1.0, 3.5)), ("b", (0.0, 3.0)))
        for place, spread in enumerate(values, 1)
    ]
    all_names = [shared | {"id": id, "scores": {"D:x": 2.0, "S:x": 4.0}} for id in "ab"]
    files = [tmp_path / "one.jsonl", tmp_path / "all.jsonl"]
    for file, sources in zip(files, (one, all_names), strict=True):
        file.write_text("".join(json.dumps(source) + "\n" for source in sources))
    speakers.main("x", *map(str, files))
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("ins")]
    assert rows[0] == ["ins", "seen", "100.0", "50.0"]
    assert rows[1] == [
        "ins",
        "S",
        "1.0",
        "6.5",
        "89.4",
    ]  # ranks 2 4 1 3 of S beside 1.5 3.5 1.5 3.5
    assert rows[4] == ["ins", "D", "1.9", "0.0"]  # all have two turns


def test_people_say_how_outputs_differ(tmp_path: Path, capsys):
    (tmp_path / "key.jsonl").write_text(
        "".join(
            json.dumps({"id": n, "row": "ins", "rule": "information", "a": "p", "b": "q"}) + "\n"
            for n in "12"
        )
    )
    sheet = tmp_path / "pairs.csv"
    head = "id,a,b,x,y,z\n1,p,q,fact,fact,same\n"
    sheet.write_text(f"{head}2,p,q,same,fact,expression\n")
    kinds.rated(str(sheet), str(tmp_path / "key.jsonl"), "x y z")
    assert [line.split() for line in capsys.readouterr().out.splitlines()[1:]] == [
        ["ins", "people", "0.0", "0.0", "50.0", "0.0", "50.0"],
        ["ins", "rule", "0.0", "0.0", "0.0", "100.0", "0.0"],
    ]
    sheet.write_text(f"{head}2,p,q,same,facts,same\n")
    with pytest.raises(SystemExit, match="pair 2: 'facts' is none of same"):
        kinds.rated(str(sheet), str(tmp_path / "key.jsonl"), "x y z")
    sheet.write_text(f"{head}2,q,p,same,fact,same\n")
    with pytest.raises(SystemExit, match="pair 2 is of other outputs"):
        kinds.rated(str(sheet), str(tmp_path / "key.jsonl"), "x y z")


def test_distances_of_attentions_are_those_of_loops(torch, tmp_path: Path):
    """Names of one and of several tokens, the variants of which have inputs of other lengths."""
    import attention

    words = tiny_models.tokenizer()
    model = tiny_models.bart(words, attn_implementation="eager").eval()
    written = [
        {
            "id": "1",
            "variant": f"names.seen:{number}",
            "dialogue": f"{one}: Hi {other}!\n{other}: Hi.",
            "prediction": f"{one} greets {other}.",
            "history": [{"names": {"A": one, "B": other}}],
        }
        for number, (one, other) in enumerate([("Ann", "Bob"), ("Zacharias", "Wilhelmina")], 1)
    ]
    restored = [{**record, "prediction": "A greets B."} for record in written]
    found = attention.distances(model, words, written, restored)
    assert set(found) == {("seen", "cross", "agree"), ("seen", "encoder", "agree")}
    rows = {"cross": [], "encoder": []}
    for record in written:
        read = words(record["dialogue"], return_offsets_mapping=True)
        with torch.no_grad():
            outputs = model(
                input_ids=torch.tensor([read["input_ids"]]),
                labels=torch.tensor([words(record["prediction"])["input_ids"]]),
                output_attentions=True,
            )
        lengths = list(map(len, record["history"][0]["names"].values()))
        starts = [0, lengths[0] + 5, sum(lengths) + 7]  # {one}: Hi {other}!\n{other}
        spans = [
            (start, start + length)
            for start, length in zip(starts, (*lengths, lengths[1]), strict=True)
        ]
        layers = {"cross": outputs.cross_attentions, "encoder": outputs.encoder_attentions}
        for name, layer in layers.items():
            heads = layer[-1][0].tolist()  # heads, queries, tokens
            row = []
            for head in heads:
                places: dict = {}
                for token, (start, end) in enumerate(read["offset_mapping"]):
                    inside = [span for span in spans if span[0] < end and start < span[1]]
                    place = inside[0] if inside else token
                    mean = fmean(query[token] for query in head)
                    places[place] = places.get(place, 0.0) + mean
                row.append(list(places.values()))
            rows[name].append(row)
    for name, (one, other) in rows.items():
        width = max(len(one[0]), len(other[0]))
        errors = [
            (a - b) ** 2
            for head, second in zip(one, other, strict=True)
            for a, b in zip(
                head + [0.0] * (width - len(head)),
                second + [0.0] * (width - len(second)),
                strict=True,
            )
        ]
        assert found["seen", name, "agree"] == [pytest.approx(1e6 * fmean(errors), rel=1e-4)]
        assert found["seen", name, "agree"][0] > 0


def nameless(record: dict) -> str:
    speakers = {turn.partition(":")[0] for turn in record["dialogue"].splitlines()}
    return re.sub("|".join(speakers), "", record["dialogue"])


def read(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
