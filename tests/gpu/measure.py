"""What dialtools does on a GPU: checks, and times beside a plain loop of the reference library.

    python tests/gpu/measure.py [--output gpu.json] [--device cuda] [--tiny] [ROW …]

The models have the shapes of real ones and random weights: how fast they are is
real, what they write is not.  Each row runs the reference and dialtools in
turns, loading left out, and prints the ratio of their best times, the goal, the
peak of the GPU's memory in GiB, and whether the check held.  --output collects
all rows as JSON.  --tiny takes tiny models, to try the script itself on a CPU.
"""

import argparse
import json
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import groupby, permutations
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))

import shapes
from flat import generate

import dialtools
from dialtools.models import checkpoints, folders

RUNS = 2
SEARCH = {"stop_at_beams": True, "renormalize": True, "no_repeat_ngram_size": 0}


class Setting(NamedTuple):
    """Where and how large the rows are."""

    device: str
    tiny: bool
    models: dict[str, str]
    folder: Path

    def size(self, real: int, tiny: int) -> int:
        return tiny if self.tiny else real


class Row(NamedTuple):
    """What a row found; ratio: the reference's seconds over ours."""

    seconds: float | None = None
    reference: float | None = None
    goal: float | None = None
    check: bool | None = None
    note: str = ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, help="write all rows here, as JSON")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--tiny", action="store_true", help="tiny models, on any device")
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"of {', '.join(ROWS)}")
    given = parser.parse_args()
    if unknown := set(given.rows) - set(ROWS):
        parser.error(f"no row is called {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        models = {
            name: make(place / name, given.tiny)
            for name, make in (
                ("seq2seq", shapes.seq2seq),
                ("causal", shapes.causal),
                ("encoder", shapes.encoder),
            )
        }
        setting = Setting(given.device, given.tiny, models, place)
        found = list(measured(setting, given.rows or list(ROWS)))
    if given.output:
        given.output.write_text(
            json.dumps({"machine": machine(given.device), "rows": found}, indent=1) + "\n"
        )
    return int(any(row["check"] is False for row in found))


def measured(setting: Setting, names: list[str]) -> Iterator[dict]:
    """Yield each row as it is done, and print it; a row that breaks does not end the others."""
    print(f"{'row':24} {'seconds':>8} {'peer':>8} {'ratio':>6} {'goal':>5} {'GiB':>6}  check  note")
    for name in names:
        forget(setting.device)
        try:
            row = ROWS[name](setting)
        except Exception as error:
            traceback.print_exc()
            row = Row(check=False, note=f"{type(error).__name__}: {error}")
        ratio = row.reference / row.seconds if row.reference and row.seconds else None
        peak = memory(setting.device)
        cells = [
            f"{value:{width}}" if value is not None else " " * int(width.split(".")[0])
            for value, width in (
                (row.seconds, "8.2f"),
                (row.reference, "8.2f"),
                (ratio, "6.2f"),
                (row.goal, "5.1f"),
                (peak, "6.2f"),
            )
        ]
        held = {True: "ok", False: "FAILED", None: "-"}[row.check]
        print(f"{name:24} {' '.join(cells)}  {held:6} {row.note}", flush=True)
        yield {"row": name, **row._asdict(), "ratio": ratio, "peak_gib": peak}


def forget(device: str) -> None:
    """Drop what is loaded, and begin to measure memory anew."""
    import gc

    from dialtools.models import encoders

    encoders.encoder.cache_clear()
    gc.collect()
    if device.startswith("cuda"):
        import torch

        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()


def memory(device: str) -> float | None:
    """Return the peak of the memory that torch took, in GiB."""
    if not device.startswith("cuda"):
        return None
    import torch

    return torch.cuda.max_memory_allocated() / 2**30


def machine(device: str) -> str:
    import torch

    return torch.cuda.get_device_name() if device.startswith("cuda") else "CPU"


def timed(call: Callable[[], Any], device: str) -> tuple[float, Any]:
    """Return seconds by the clock until the device has finished, and the result."""
    import torch

    start = time.perf_counter()
    result = call()
    if device.startswith("cuda"):
        torch.cuda.synchronize()
    return time.perf_counter() - start, result


def in_turns(
    reference: Callable[[], Any], ours: Callable[[], Any], device: str
) -> tuple[float, Any, float, Any]:
    """Return the best seconds and the last result of both."""
    best = [float("inf")] * 2
    results: list[Any] = [None, None]
    for _ in range(RUNS):
        for at, call in enumerate((reference, ours)):
            seconds, results[at] = timed(call, device)
            best[at] = min(best[at], seconds)
    return best[0], results[0], best[1], results[1]


def texts_of(setting: Setting, model: str, records: list[dict], **options: Any) -> list[str]:
    """Return what dt-generate writes."""
    made = generate(
        records, model=setting.models[model], device=setting.device, **{**SEARCH, **options}
    )
    return [record["prediction"] for record in made]


def plainly(
    setting: Setting,
    model: str,
    records: list[dict],
    size: int,
    tokens: int,
    beams: int,
    precision: str,
) -> list[str]:
    """Return what model.generate writes, batch by batch in the order of the records."""
    import torch

    causal = model == "causal"
    words, network = checkpoints.network(
        "AutoModelForCausalLM" if causal else "AutoModelForSeq2SeqLM",
        folders.Checkpoint(setting.models[model], True),
        setting.device,
        precision,
    )
    words.padding_side = "left" if causal else "right"
    found: list[str] = []
    with torch.inference_mode(), checkpoints.hushed():
        for start in range(0, len(records), size):
            prompts = [record["text"] + "\n" * causal for record in records[start : start + size]]
            batch = words(prompts, padding=True, return_tensors="pt").to(setting.device)
            out = network.generate(
                input_ids=batch["input_ids"],
                attention_mask=batch["attention_mask"],
                num_beams=beams,
                max_new_tokens=tokens,
                do_sample=False,
                early_stopping=beams > 1,
            )
            new = out[:, batch["input_ids"].shape[1] :] if causal else out[:, 1:]
            found += words.batch_decode(new, skip_special_tokens=True)
    return [text.strip() for text in found]


def precision(setting: Setting, other: str) -> Row:
    """How many texts are the same in half precision as in float32?"""
    records = shapes.dialogues(setting.size(128, 4), setting.size(300, 40))
    asked = dict(beams=4, max_new_tokens=setting.size(60, 6), batch_size=setting.size(32, 2))
    full_seconds, full = timed(
        lambda: texts_of(setting, "seq2seq", records, precision="float32", **asked), setting.device
    )
    seconds, half = timed(
        lambda: texts_of(setting, "seq2seq", records, precision=other, **asked), setting.device
    )
    same = sum(one == two for one, two in zip(full, half, strict=True))
    return Row(
        seconds,
        full_seconds,
        check=all(map(str.strip, half)),
        note=f"{same} of {len(records)} texts as in float32",
    )


def batch_sizes(setting: Setting) -> Row:
    """Which batch size writes the most texts a second?"""
    records = shapes.dialogues(setting.size(256, 4), setting.size(300, 40))
    found = {}
    for size in (8, 16, 32, 64, 128) if not setting.tiny else (2, 4):
        found[size] = timed(
            lambda: texts_of(
                setting,
                "seq2seq",
                records,
                beams=4,
                batch_size=size,
                window=256,
                batch_tokens=1 << 17,
                max_new_tokens=setting.size(60, 6),
            ),
            setting.device,
        )[0]
    best = min(found, key=lambda size: found[size])
    return Row(
        found[best],
        check=True,
        note=f"best batch size {best}; "
        + ", ".join(f"{size}: {len(records) / seconds:.1f}/s" for size, seconds in found.items()),
    )


def writing(setting: Setting, model: str, beams: int, goal: float) -> Row:
    """dt-generate -g causal:engine=torch beside model.generate, at one batch size."""
    records = shapes.dialogues(setting.size(256, 6), setting.size(300, 40))
    size, tokens = setting.size(32, 2), setting.size(60, 6)
    half = "float32" if setting.device == "cpu" else "bfloat16"
    reference, plain, seconds, own = in_turns(
        lambda: plainly(setting, model, records, size, tokens, beams, half),
        lambda: texts_of(
            setting,
            model,
            records,
            beams=beams,
            batch_size=size,
            precision=half,
            max_new_tokens=tokens,
            batch_tokens=1 << 17,
            window=256,
        ),
        setting.device,
    )
    same = sum(one == two for one, two in zip(plain, own, strict=True))
    return Row(
        seconds,
        reference,
        goal,
        len(own) == len(plain) and (half != "float32" or same == len(own)),
        f"{same} of {len(own)} texts the same, {half}, batch {size}, {beams} beams",
    )


def vllm(setting: Setting) -> Row:
    """dt-generate -g causal:engine=vllm beside vLLM itself."""
    if find_spec("vllm") is None or not setting.device.startswith("cuda"):
        return Row(note="vllm is not installed, or there is no GPU")
    from vllm import LLM, SamplingParams

    records = shapes.dialogues(256, 300)
    plain = LLM(
        setting.models["causal"], dtype="bfloat16", gpu_memory_utilization=0.4, enforce_eager=False
    )
    asked = SamplingParams(temperature=0, max_tokens=60)
    prompts = [record["text"] + "\n" for record in records]
    plain.generate(prompts[:2], asked, use_tqdm=False)
    reference, _ = timed(lambda: plain.generate(prompts, asked, use_tqdm=False), setting.device)
    seconds, own = timed(
        lambda: texts_of(
            setting,
            "causal",
            records,
            engine="vllm",
            beams=1,
            window=256,
            precision="bfloat16",
            max_new_tokens=60,
        ),
        setting.device,
    )
    return Row(seconds, reference, 1 / 1.2, len(own) == len(records), "ours with start-up")


def batching(setting: Setting) -> Row:
    """How many texts depend on the batch (the noise floor), and none with exact=yes?"""
    records = shapes.dialogues(setting.size(64, 4), setting.size(200, 40))
    asked = dict(beams=4, max_new_tokens=setting.size(60, 6))
    alone = texts_of(setting, "seq2seq", records, batch_size=1, window=1, **asked)
    many = texts_of(setting, "seq2seq", records, batch_size=setting.size(32, 4), **asked)
    exact = texts_of(setting, "seq2seq", records, exact=True, **asked)
    again = texts_of(setting, "seq2seq", records[::-1], exact=True, **asked)[::-1]
    moved = sum(one != two for one, two in zip(alone, many, strict=True))
    return Row(
        check=exact == again,
        note=f"{moved} of {len(records)} texts change with the batch, "
        f"{sum(one != two for one, two in zip(exact, again, strict=True))} with exact=yes",
    )


def bertscore(setting: Setting) -> Row:
    """dt-score --sensitivity -m bertscore beside the package bert-score, all pairs at once."""
    from bert_score import BERTScorer

    records = shapes.variants(setting.size(200, 2))
    layer, model = shapes.layers(setting.tiny), setting.models["encoder"]
    peer = BERTScorer(model_type=model, num_layers=layer, device=setting.device)
    one, other = [], []
    for _, group in groupby(records, key=lambda record: record["id"]):
        found = list(group)
        said = [record["prediction"] for record in found]
        for prediction, text in [
            *((record["prediction"], record["reference"]) for record in found),
            *permutations(said, 2),
        ]:
            one.append(prediction)
            other.append(text)
    spec = f"bertscore:model={model},layer={layer}"

    def own() -> list[dict]:
        return list(
            dialtools.score(
                records,
                metric=[spec],
                sensitivity=True,
                per_source=True,
                device=setting.device,
                precision="float32",
            )
        )

    list(
        dialtools.score(records[:2], metric=[spec], device=setting.device)
    )  # loaded before the clock
    reference, scores, seconds, made = in_turns(
        lambda: peer.score(one, other)[2].tolist(), own, setting.device
    )
    first = scores[: 5 + 20]
    between = 100 * (1 - sum(first[5:]) / 20)
    sensitivity = next(score for name, score in made[0]["scores"].items() if name.startswith("S:"))
    return Row(
        seconds,
        reference,
        3.0,
        abs(between - sensitivity) < 0.05,
        f"S of the first source {sensitivity:.3f}, of bert-score {between:.3f}",
    )


def perplexity(setting: Setting) -> Row:
    """dt-score -m perplexity beside a loop, one text at a time."""
    import torch

    records = shapes.dialogues(setting.size(400, 6), setting.size(150, 40))
    words, network = checkpoints.network(
        "AutoModelForCausalLM",
        folders.Checkpoint(setting.models["causal"], True),
        setting.device,
        "float32",
    )
    spec = f"perplexity:model={setting.models['causal']},of=text"

    def loop() -> list[float]:
        found = []
        with torch.inference_mode():
            for record in records:
                ids = words(record["text"], return_tensors="pt")["input_ids"].to(setting.device)
                found.append(float(network(ids, labels=ids).loss.exp()))
        return found

    def own() -> list[float]:
        return [
            next(iter(record["scores"].values()))
            for record in dialtools.score(
                records, metric=[spec], device=setting.device, precision="float32"
            )
        ]

    own()
    reference, plain, seconds, made = in_turns(loop, own, setting.device)
    far = max(abs(one - two) / two for one, two in zip(made, plain, strict=True))
    return Row(seconds, reference, 1.0, far < 1e-3, f"differs by {far:.1e}, relative")


def two_devices(setting: Setting) -> Row:
    """--device 0,1 beside --device 0, whole processes."""
    import torch

    if not setting.device.startswith("cuda") or torch.cuda.device_count() < 2:
        return Row(note="there is one GPU")
    import subprocess

    source = setting.folder / "in.jsonl"
    source.write_text("".join(json.dumps(record) + "\n" for record in shapes.dialogues(1024, 300)))
    found, written = {}, {}
    for devices in ("0", "0,1"):
        out = setting.folder / f"out{len(devices)}.jsonl"
        line = [
            "dt-generate",
            "--model",
            setting.models["seq2seq"],
            "--device",
            devices,
            "-q",
            str(source),
            "-o",
            str(out),
        ]
        found[devices], _ = timed(lambda: subprocess.run(line, check=True), setting.device)
        written[devices] = out.read_bytes()
    return Row(found["0,1"], found["0"], 1.6, written["0"] == written["0,1"], "with start-up")


def training(setting: Setting) -> Row:
    """dt-train generator beside transformers' Trainer on the same records, tokens a second."""
    bench = Path(__file__).resolve().parent.parent / "bench" / "training.py"
    if not bench.exists():
        return Row(note="tests/bench/training.py is not there")
    import subprocess

    line = [sys.executable, str(bench), "--device", setting.device, "--json"]
    line += ["--tiny"] if setting.tiny else ["--model", setting.models["seq2seq"]]
    made = subprocess.run(line, check=True, capture_output=True, text=True).stdout
    found = json.loads(made.splitlines()[-1])
    return Row(found["seconds"], found["reference"], 1.0, True, found.get("note", ""))


ROWS: dict[str, Callable[[Setting], Row]] = {
    "bfloat16": lambda setting: precision(setting, "bfloat16"),
    "float16": lambda setting: precision(setting, "float16"),
    "batch sizes": batch_sizes,
    "BART-large, beam 4": lambda setting: writing(setting, "seq2seq", 4, 1.2),
    "1B causal, greedy": lambda setting: writing(setting, "causal", 1, 1.2),
    "vllm": vllm,
    "batching": batching,
    "bertscore": bertscore,
    "perplexity": perplexity,
    "two devices": two_devices,
    "training": training,
}


if __name__ == "__main__":
    sys.exit(main())
