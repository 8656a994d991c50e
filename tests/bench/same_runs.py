"""The lines of same.runs, each alternative written out."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import same_coverage

RUNS = Path(__file__).with_name("same.runs")
ALTERNATIVES = re.compile(r"\{((?:[^{}]|\{\w*\})*,(?:[^{}]|\{\w*\})*)\}")
FILTERS = (
    "dt-check",
    "dt-clean --urls --emoji --squeeze --duplicates",
    "dt-show",
    "dt-convert --from jsonl",
    "dt-generate -g longest",
    "dt-names collect",
    "dt-keywords --label a",
    "dt-parse --parser whitespace",
    "dt-perturb -k typo.case -k dialogue.combine",
    "dt-resegment",
    "dt-score -m rouge1 -m chrf",
    "dt-select --terms gender",
    "dt-swap-names",
    "dt-swap-names --restore",
    "dt-perturb --restore",
    "dt-ttest --value scores.f1 --by system",
    "dt-merge --order in/dialogues.jsonl",
)
KEYS = "id cluster lang dialogue text context reference prediction system variant".split()
# what a section imports before its runs
TORCH = (
    "torch",
    *(f"transformers.models.{name}.modeling_{name}" for name in ("bart", "t5", "gpt2", "bert")),
)
LIBRARIES = {
    "pages": ("matplotlib.pyplot",),
    "clusters": ("sklearn.cluster",),
    "models": TORCH,
    "training": (*TORCH, "transformers.trainer", "peft", "accelerate"),
    "encoders": (*TORCH, "sentence_transformers", "sklearn.cluster"),
    "examples": (*TORCH, "transformers.trainer", "sentence_transformers", "matplotlib.pyplot"),
}
# metrics that have files of their own
LABELS = "uas", "las", "clas", "upos", "kappa", "qwk", "macro_f1", "jaccard"


def all_lines(
    checkout: Path, place: Path, data: Path | None
) -> Iterator[tuple[str, str, tuple[str, ...], str]]:
    """Yield each line, its section, libraries that are imported before it, and the line of same.runs that it comes from."""
    lists = names(checkout, place)
    for section, lines in sections():
        libraries = LIBRARIES.get(section, ())
        if "torch" in libraries and not (find_spec("torch") and find_spec("transformers")):
            continue
        public = list(data_sets(data, section)) if section in ("data", "treebanks") else [""]
        for number, given in enumerate(public):
            for template in lines:
                line = template
                if given:
                    line = line.replace("{}", given).replace("in/public", f"in/public{number}")
                for one in expanded(line, lists):
                    yield one, section, libraries, template


def sections(path: Path = RUNS) -> Iterator[tuple[str, list[str]]]:
    """Yield the sections of a file, each with its lines."""
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"(?m)^#.*\n", "", text)
    for name, body in re.findall(r"(?ms)^\[(\w+)\]\n(.*?)(?=^\[|\Z)", text):
        yield name, [line for line in re.sub(r"\n +(?=\S)", " ", body).splitlines() if line]


def expanded(line: str, lists: dict[str, list[str]]) -> Iterator[str]:
    """Yield a line with each of its alternatives, and "resumed" and "sharded" written out.

    >>> list(expanded("a {b,c {n}} $D", {"D": ["1", "2"]}))
    ['a b 1', 'a b 2', 'a c {n} 1', 'a c {n} 2']
    """
    if named := re.search(r"\$([A-Z]+)", line):
        parts = ",".join(part.replace(",", r"\,") for part in lists[named[1]])
        line = line.replace(named[0], f"{{{parts}}}", 1)
    found = ALTERNATIVES.search(line)
    if not found:
        yield with_repeated(line)
        return
    for part in re.split(r"(?<!\\),\s*", found[1]):
        yield from expanded(
            line[: found.start()] + part.replace(r"\,", ",") + line[found.end() :], lists
        )


def with_repeated(line: str) -> str:
    """Return a line with "resumed" and "sharded" written out, both of its first command."""
    first = line.split(" ; ")[0]
    if first.endswith(" sharded"):
        command = first.removesuffix(" sharded")
        return line.replace(first, " ; ".join(f"{command} --shard {i}/3 -o {i}" for i in (1, 2, 3)))
    return re.sub(r"\bresumed$", lambda _: first.replace(" --limit 4", ""), line)


def names(old: Path, place: Path) -> dict[str, list[str]]:
    """Return the lists that lines name, with the plug-ins that the old code has."""
    kinds = {name: about for name, about in listed(old, "dt-perturb").items() if name != "exec"}
    metrics = {
        name: about
        for name, about in listed(old, "dt-score").items()
        if name not in (*LABELS, "judge") and not re.search(r"options.*(model|vectors)", about)
    }
    tests = {"tost": "tost:margin=5", "likert": "likert:top=3"}
    pools = re.findall(r"^(\w+) +([\w-]+)", shown(old, "dt-swap-names", "--list"), re.MULTILINE)
    formats = [path for path in (place / "formats").rglob("*") if path.is_file()]
    return {
        "COMMANDS": [path.name[3:] for path in (old / "bin").iterdir() if path.name != "dt"],
        "KINDS": list(kinds),
        "SPECS": [spec for name in kinds for spec in specs(name, kinds[name])],
        "METRICS": list(metrics),
        "PAIRED": [
            name
            for name, about in metrics.items()
            if 'needs "prediction" and "reference";' in about
        ],
        "POOLS": sorted({pool for _, pool in pools}),
        "LANGS": sorted({lang for lang, _ in pools}),
        "TESTS": [tests.get(name, name) for name in listed(old, "dt-ttest")],
        "FILTERS": list(FILTERS),
        "GENERAL": list(general(same_coverage.pages(old))),
        "KEYED": list(keyed(same_coverage.pages(old))),
        "TYPED": [
            f"--from {path.parent.name} in/{path.relative_to(place)}"
            for path in sorted(formats)
            if path.parent.name in listed(old, "dt-convert")
        ],
        "FAULTS": sorted(path.name for path in place.glob("fault-*")),
        "FORMATTED": sorted(f"in/{path.relative_to(place)}" for path in formats),
    }


def general(pages: dict[str, same_coverage.Page]) -> Iterator[str]:
    """Yield each filter with all options that many commands have."""
    for line in FILTERS:
        names = pages[line.split()[0]].names
        has = {
            "--progress": "",
            "--debug": "",
            "--lang": "en",
            "--on-error": "stop",
            "--limit": "3",
            "--output": "out.jsonl",
        }
        options = " ".join(
            f"{name} {value}".strip() for name, value in has.items() if name in names
        )
        yield f"{line} {options} in/no-lang.jsonl"


def keyed(pages: dict[str, same_coverage.Page]) -> Iterator[str]:
    """Yield each filter with all options for the names of keys, on records that have such names."""
    keys = " ".join(f"--key {key}=my-{key}" for key in KEYS)
    for line in FILTERS:
        if "--key" in pages[line.split()[0]].names:
            yield f"{line} {keys} in/other-keys.jsonl"


def specs(name: str, about: str) -> list[str]:
    """Return a kind alone, with a high rate, and with each value of its other options."""
    given = [name, f"{name}:rate=0.9"] if "rate=" in about else [name]
    for option, values in re.findall(r"(\w+)=(\[\w+\](?:\|\w+)+)", about):
        given += [f"{name}:{option}={value}" for value in values.split("|") if "[" not in value]
    return given


def listed(old: Path, command: str) -> dict[str, str]:
    """Return the plug-ins of the old code, each with the lines that explain it."""
    return dict(re.findall(r"^(\S+)(.*\n(?: .*\n)*)", shown(old, command, "--list"), re.MULTILINE))


def shown(old: Path, command: str, option: str) -> str:
    """Return what a command of the old code prints."""
    path = f"{old / 'bin'}:{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
    variables = os.environ | {"PYTHONPATH": str(old), "PATH": path, "COLUMNS": "80"}
    return subprocess.run(
        [command, option], env=variables, capture_output=True, text=True, check=True
    ).stdout


def data_sets(data: Path | None, section: str) -> Iterator[str]:
    """Yield files of public data: treebanks, or else at most four of a folder."""
    kinds = (".conllu",) if section == "treebanks" else (".json", ".jsonl", ".csv", ".tsv", ".txt")
    for folder in sorted(path for path in data.iterdir() if path.is_dir()) if data else ():
        files = [str(path) for path in sorted(folder.rglob("*")) if path.suffix in kinds]
        files = [name for name in files if "LICENSE" not in name and "readme" not in name]
        yield from files[: 1 if section == "treebanks" else 4]
