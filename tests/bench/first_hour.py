"""The first hour of somebody who has a model: twelve jobs, by commands that the README and --help name.

    python tests/bench/first_hour.py [--only WORD]... [--dialogues 50000]

A job is what somebody has, what they type, and what must come of it.  Each prints its number of
commands, its seconds by the clock, and "done", or what was missing.  What they have (tables, a
program, a server that fails in a fifth of its requests) is made in a temporary folder; the
largest job takes some ten minutes with 50,000 dialogues on two processors.
"""

import argparse
import csv
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
ROOT = TESTS.parent
sys.path[:0] = [str(TESTS), str(TESTS / "bench")]

import misbehaving_server  # noqa: E402
import synthetic  # noqa: E402

SAMPLES = ROOT / "examples" / "speaker-names" / "dialogues.jsonl"
SYSTEMS = ("bart", "t5", "pegasus", "lead", "gpt")


@dataclass(frozen=True)
class Job:
    """What is to be done: files that are there, lines that are typed, what their output shows."""

    name: str
    prepare: Callable[[Path], None]
    lines: str
    shows: str  # regular expression in what the lines print
    check: Callable[[Path], str] = lambda folder: ""  # what is wrong with what they made


def table_of_systems(folder: Path) -> None:
    """Write systems.csv as a spreadsheet of a German computer does: semicolons, a mark in front."""
    with open(folder / "systems.csv", "w", encoding="utf-8-sig", newline="") as file:
        rows = csv.writer(file, delimiter=";")
        rows.writerow(["id", "dialogue", "summary", "bart", "t5"])
        for record in samples(12):
            reference = record["reference"]
            short = " ".join(reference.split()[:5])
            rows.writerow([record["id"], record["dialogue"], reference, short, reference[::-1]])


def samples(count: int, lang: str = "en") -> list[dict]:
    """Return dialogues of the examples in a language, with the dialogue as one text."""
    records = [json.loads(line) for line in SAMPLES.read_text(encoding="utf-8").splitlines()]
    chosen = [record for record in records if record["lang"] == lang][:count]
    for record in chosen:
        if isinstance(record["dialogue"], list):
            turns = [f"{turn['speaker']}: {turn['text']}" for turn in record["dialogue"]]
            record["dialogue"] = "\n".join(turns)
    return chosen


def write(path: Path, records: list[dict]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def program(folder: Path) -> None:
    """Write a program that reads dialogues and writes the last sentence of each."""
    write(folder / "records.jsonl", samples(8))
    (folder / "last.py").write_text(
        "import sys\n"
        "for line in sys.stdin:\n"
        '    print(line.strip().split(".")[-2].strip() or "?", flush=True)\n'
    )


def prompts(folder: Path) -> None:
    """Write 150 records with different prompts."""
    records = [{"id": n, "lang": "en", "text": f"Summarise number {n}."} for n in range(150)]
    write(folder / "prompts.jsonl", records)


def paid_once(folder: Path) -> str:
    """Return what is lost or paid for twice, but for the four that were on their way at the kill."""
    records = [json.loads(line) for line in (folder / "out.jsonl").open(encoding="utf-8")]
    missing = [record["id"] for record in records if "prediction" not in record]
    twice = [prompt for prompt, times in FLAKY.answered.items() if times > 1]
    if len(records) != 150 or missing or len(twice) > 4:
        return f"{len(records)} records, without answer: {missing}, paid for twice: {twice}"
    return ""


class Flaky:
    """A server that takes a twentieth of a second, and fails in a fifth of its requests."""

    def __init__(self) -> None:
        self.rng = random.Random(1)
        self.answered: dict[str, int] = {}

    def __call__(self, handler: misbehaving_server.Handler, body: dict, before: int) -> None:
        time.sleep(0.05)
        with handler.server.lock:  # type: ignore[attr-defined]
            fails = self.rng.random() < 0.2
        if fails:
            handler.give({"error": {"message": "overloaded"}}, status=503)
            return
        misbehaving_server.shout(handler, body, before)
        prompt = misbehaving_server.said(body)
        with handler.server.lock:  # type: ignore[attr-defined]
            self.answered[prompt] = self.answered.get(prompt, 0) + 1


FLAKY = Flaky()


def intents(folder: Path) -> None:
    """Train a small classifier of questions and statements, and write texts to try it on."""
    rng = random.Random(2)
    things = "train parcel ticket order invoice room flight card account phone".split()
    records = []
    for number in range(200):
        thing = rng.choice(things)
        texts = {
            "question": f"where is my {thing} number {number}",
            "thanks": f"thank you for the {thing} {number}",
        }
        label = rng.choice(sorted(texts))
        records.append({"id": number, "lang": "en", "text": texts[label], "label": label})
    write(folder / "train.jsonl", records[:160])
    write(
        folder / "test.jsonl", [record | {"reference": record["label"]} for record in records[160:]]
    )
    _, said = shell(
        "dt-train scorer --model tiny:layers=1,hidden=32,heads=2,vocabulary=300 --epochs 6 "
        "--learning-rate 1e-3 --train train.jsonl --dev test.jsonl --target label "
        "--output-dir intents -o log.jsonl",
        folder,
    )
    if not (folder / "intents").exists():
        raise RuntimeError(said)


def ratings(folder: Path) -> None:
    """Write a table of five systems, twenty dialogues and three raters, one rating a row."""
    rng = random.Random(3)
    with open(folder / "ratings.csv", "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "system", "summary", "output", "rater", "rating"])
        for number in range(20):
            reference = " ".join(
                rng.choices("the cat sat on a red mat in my old house".split(), k=8)
            )
            for quality, system in enumerate(SYSTEMS):
                words = [
                    w if rng.random() < 0.4 + 0.12 * quality else "so" for w in reference.split()
                ]
                for rater in "ABC":
                    rating = min(5, max(1, quality + 1 + rng.randint(-1, 1)))
                    rating_or_none = "" if rng.random() < 0.05 else rating
                    row = [number, system, reference, " ".join(words), rater, rating_or_none]
                    rows.writerow(row)


def japanese_and_korean(folder: Path) -> None:
    texts = {
        "ja": ["明日の会議は三時に始まります。", "明日の会議は三時から始まります。"],
        "ko": ["내일 회의는 세 시에 시작합니다.", "내일 회의는 세 시부터 시작합니다."],
    }
    for lang, (hypothesis, reference) in texts.items():
        (folder / f"hyp.{lang}").write_text(hypothesis + "\n", encoding="utf-8")
        (folder / f"ref.{lang}").write_text(reference + "\n", encoding="utf-8")


def chinese(folder: Path) -> None:
    (folder / "posts.jsonl").write_bytes((ROOT / "examples/chinese-bias/posts.jsonl").read_bytes())
    shell(f"{sys.executable} -m dialtools.models.stand_ins causal model", folder)


def nothing(folder: Path) -> None:
    pass


def two_systems(folder: Path) -> None:
    write(folder / "records.jsonl", samples(8) + samples(8, "zh"))


def relatedness(folder: Path) -> None:
    """Write a table with tabs: pairs of sentences and how related they are."""
    rng = random.Random(4)
    words = "boat river child ball dog garden song piano bread kitchen".split()
    for name, count in (("train", 120), ("test", 40)):
        with open(folder / f"{name}.tsv", "w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file, delimiter="\t")
            rows.writerow(["id", "sentence", "paraphrase", "relatedness"])
            for number in range(count):
                left = rng.sample(words, 4)
                kept = rng.randint(0, 4)
                right = left[:kept] + rng.sample(words, 4 - kept)
                rows.writerow([number, " ".join(left), " ".join(right), 1 + kept])


def notebook(folder: Path) -> None:
    """Write what somebody types in a notebook, and what a type checker must object to."""
    write(folder / "records.jsonl", samples(8))
    (folder / "work.py").write_text(
        "import pandas as pd\n"
        "import dialtools\n"
        'frame = pd.read_json("records.jsonl", lines=True)\n'
        "renamed = dialtools.swap_names(frame, variants=3, seed=1)\n"
        'outputs = dialtools.generate(renamed, generator="longest")\n'
        'results = dialtools.score(outputs, metric="rouge2", summary=True)\n'
        "print(results)\n"
        "print(results.to_pandas().columns.tolist())\n"
    )
    (folder / "wrong.py").write_text('import dialtools\ndialtools.score([], metrik="rouge2")\n')


def own_plugins(folder: Path) -> None:
    write(folder / "records.jsonl", samples(8))
    (folder / "mine.py").write_text(
        "from dialtools.plugins.metric import Metric\n"
        "from dialtools.plugins.perturbation import Perturbation\n"
        "def brevity(predictions, references):\n"
        '    """Return 1 where the prediction is no longer than its first reference."""\n'
        "    rows = zip(predictions, references)\n"
        "    return [float(len(text) <= len(texts[0])) for text, texts in rows]\n"
        "def shout(record, rng):\n"
        '    """Put the first turn in capitals."""\n'
        '    text = record["dialogue"][0]["text"]\n'
        '    return [["/dialogue/0/text", 0, len(text), text, text.upper()]]\n'
        "brief = Metric(brevity, range=(0, 1))\n"
        "loud = Perturbation(shout)\n"
    )


JOBS = (
    Job(
        "CSV to LaTeX",
        table_of_systems,
        "dt-convert --lang en --field reference=summary --field prediction:bart=bart "
        "--field prediction:t5=t5 systems.csv | "
        "dt-score -m rougeL --summary --by system --format latex",
        r"bart & \\textbf",
    ),
    Job(
        "a program of one's own",
        program,
        "dt-swap-names --variants 3 --keep-original records.jsonl | "
        "dt-generate -g 'exec:name=last,python last.py' | dt-swap-names --restore | "
        "dt-score --sensitivity -m rouge2 --format text",
        r"system last(.|\n)*rouge2",
    ),
    Job(
        "a server that fails, and a kill",
        prompts,
        "timeout -s KILL 3 dt-generate --endpoint $SERVER --model m --concurrency 4 "
        "--cache made.sqlite prompts.jsonl -o out.jsonl --resume || true; "
        "dt-generate --endpoint $SERVER --model m --concurrency 16 "
        "--cache made.sqlite prompts.jsonl -o out.jsonl --resume; wc -l out.jsonl",
        r"150 out.jsonl",
        paid_once,
    ),
    Job(
        "a classifier under typos",
        intents,
        "dt-perturb -k typo.keyboard --rate 0.1 --variants 3 --keep-original test.jsonl | "
        "dt-generate --model ./intents | dt-score -m accuracy --robustness --format text",
        r"accuracy",
    ),
    Job(
        "five systems, three raters",
        ratings,
        "dt-convert --lang en --raters rater --field reference=summary --field prediction=output "
        "ratings.csv | dt-score -m rougeL -q -o rated.jsonl; "
        "dt-ttest --value rougeL --versus rating -t kendall --per system --format text rated.jsonl; "
        "dt-ttest --value rating --by system --baseline lead --format latex rated.jsonl",
        r"kendall(.|\n)*tabular",
    ),
    Job(
        "BLEU in Japanese and Korean",
        japanese_and_korean,
        "for l in ja ko; do dt-score --lines -b -m bleu:tok=$l-mecab --lang $l hyp.$l ref.$l; "
        "sacrebleu ref.$l -i hyp.$l -l en-$l -b -w 2; done",
        r"(?P<ja>\d+\.\d\d)\d*\n(?P=ja)\n(?P<ko>\d+\.\d\d)\d*\n(?P=ko)\n",
    ),
    Job(
        "gender in Chinese",
        chinese,
        "grep gender posts.jsonl > women.jsonl; "
        "dt-perturb -k terms.swap:spec=gender,direction=forth --require-change skip women.jsonl "
        "-o men.jsonl || true; "
        "for f in women men; do dt-score -m perplexity:model=./model,of=text $f.jsonl "
        "-o $f.scored.jsonl; done; "
        "dt-ttest --value perplexity --format text women.scored.jsonl men.scored.jsonl",
        r"perplexity",
    ),
    Job(
        "many dialogues on two processors",
        nothing,
        "dt-swap-names --jobs 2 --pool frequent --variants 2 --keep-original many.jsonl | "
        "dt-generate -g longest | dt-swap-names --restore --jobs 2 | "
        "dt-score --sensitivity -m rouge2 --format text",
        r"rouge2",
    ),
    Job(
        "the page",
        two_systems,
        "for g in lead longest; do dt-swap-names --variants 3 --keep-original records.jsonl | "
        "dt-generate -g $g | dt-swap-names --restore | "
        "dt-score -m rougeL -o $g.jsonl; done; "
        "dt-report -o report.html lead.jsonl longest.jsonl; grep -c '<svg' report.html",
        r"^[1-9]",
    ),
    Job(
        "a scorer from a table",
        relatedness,
        "for f in train test; do dt-convert --lang en --field text=sentence "
        "--field reference=paraphrase $f.tsv -o $f.jsonl; done; "
        "dt-train scorer --model tiny:layers=1,hidden=32,heads=2,vocabulary=300 --epochs 2 "
        "--train train.jsonl --dev test.jsonl --pair text,reference --target relatedness "
        "--output-dir related -o log.jsonl; "
        "dt-score -m regressor:model=./related test.jsonl | "
        "dt-ttest --value regressor --versus relatedness -t spearman --format text",
        r"spearman",
    ),
    Job(
        "pandas, with types",
        notebook,
        "python work.py; python -m mypy wrong.py",
        r"rouge2(.|\n)*'mean'(.|\n)*metrik",
    ),
    Job(
        "a metric and a perturbation of one's own",
        own_plugins,
        "dt-perturb -k ./mine.py:loud --keep-original records.jsonl | dt-generate -g longest | "
        "dt-score -m ./mine.py:brief -m rouge2 --robustness --format text",
        r"brief",
    ),
)


def shell(lines: str, folder: Path) -> tuple[str, str]:
    """Return what lines of bash print, and what they say."""
    bin_folders = f"{ROOT / 'bin'}{os.pathsep}{Path(sys.executable).parent}"
    environment = os.environ | {
        "PATH": bin_folders + os.pathsep + os.environ["PATH"],
        "PYTHONPATH": f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
    }
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", lines],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    return done.stdout, done.stderr


def main() -> int:
    """Do the jobs; return 1 if one was not done."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", default=[], metavar="WORD")
    parser.add_argument("--dialogues", type=int, default=50_000, metavar="N")
    asked = parser.parse_args()
    undone = 0
    with misbehaving_server.serving(FLAKY) as server:
        os.environ["SERVER"] = server.url
        print("| job | commands | seconds | |\n| --- | --- | --- | --- |")
        for job in JOBS:
            if asked.only and not any(word in job.name for word in asked.only):
                continue
            with tempfile.TemporaryDirectory() as place:
                folder = Path(place)
                job.prepare(folder)
                if "many.jsonl" in job.lines:
                    dialogues = synthetic.pairs(asked.dialogues)
                    synthetic.write(
                        folder / "many.jsonl",
                        ({k: v for k, v in d.items() if k != "prediction"} for d in dialogues),
                    )
                start = time.monotonic()
                printed, said = shell(job.lines, folder)
                seconds = time.monotonic() - start
                if re.search(job.shows, printed):
                    problem = job.check(folder)
                else:
                    problem = f"it printed {printed[-300:]!r} and said {said[-600:]!r}"
                commands = len(re.findall(r"(?<![\w-])(?:dt-\w|python |sacrebleu )", job.lines))
                print(
                    f"| {job.name} | {commands} | {seconds:.1f} | {problem or 'done'} |", flush=True
                )
                undone += bool(problem)
    return int(undone > 0)


if __name__ == "__main__":
    sys.exit(main())
