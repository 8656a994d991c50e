"""What dialtools does on a GPU: checks, and times beside a plain loop of the reference library.

    python tests/gpu/measure.py [--output gpu.json] [--device cuda] [--tiny] [ROW …]

The models have the shapes of real ones and random weights: how fast they are is
real, what they write is not.  Each row runs the reference ("peer") and dialtools
in turns, loading left out, and prints the ratio of their best times, the goal,
the memory in GiB that each took beyond what was loaded, and whether the check
held.  A row whose library is missing says so.  --output collects all rows as
JSON.  --tiny takes tiny models, to try the script itself on a CPU (Linux), where
memory is that of the process.
"""

import argparse
import json
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))

import shapes
import synthetic
from flat_options import generate

import dialtools
from dialtools.models import checkpoints, folders
from dialtools.models.decoding import Loading
from dialtools.system.errors import MissingError

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
    memory: float | None = None  # GiB
    reference_memory: float | None = None


class Run(NamedTuple):
    """What a call took, and gave."""

    seconds: float
    result: Any
    memory: float | None  # GiB at its peak beyond what it began with


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
    print(
        f"{'row':20} {'seconds':>8} {'peer':>8} {'ratio':>6} {'goal':>5} {'GiB':>6} {'peer':>6}"
        "  check   note"
    )
    for name in names:
        forget(setting.device)
        try:
            row = ROWS[name](setting)
        except MissingError as error:
            row = Row(note=str(error))
        except Exception as error:
            traceback.print_exc()
            row = Row(check=False, note=f"{type(error).__name__}: {error}")
        ratio = row.reference / row.seconds if row.reference and row.seconds else None
        cells = [
            f"{value:{width}}" if value is not None else " " * int(width.split(".")[0])
            for value, width in (
                (row.seconds, "8.2f"),
                (row.reference, "8.2f"),
                (ratio, "6.2f"),
                (row.goal, "5.1f"),
                (row.memory, "6.2f"),
                (row.reference_memory, "6.2f"),
            )
        ]
        held = {True: "ok", False: "FAILED", None: "-"}[row.check]
        print(f"{name:20} {' '.join(cells)}  {held:6}  {row.note}", flush=True)
        yield {"row": name, **row._asdict(), "ratio": ratio}


def forget(device: str) -> None:
    """Drop what is loaded."""
    import gc

    for name, module in list(sys.modules.items()):
        if name.startswith("dialtools.models."):
            for value in vars(module).values():
                getattr(value, "cache_clear", bool)()
    gc.collect()
    if device.startswith("cuda"):
        import torch

        torch.cuda.empty_cache()


def memory(device: str, begin: bool = False) -> float | None:
    """Return GiB: what is taken, from where a peak is looked for (begin), or that peak."""
    if device.startswith("cuda"):
        import torch

        if begin:
            torch.cuda.reset_peak_memory_stats()
            return torch.cuda.memory_allocated() / 2**30
        return torch.cuda.max_memory_allocated() / 2**30
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    if begin:
        Path("/proc/self/clear_refs").write_text("5")  # proc(5): resets VmHWM
    sizes = dict(line.split(":", 1) for line in status.read_text().splitlines())
    return int(sizes["VmRSS" if begin else "VmHWM"].split()[0]) / 2**20


def machine(device: str) -> str:
    import torch

    return torch.cuda.get_device_name() if device.startswith("cuda") else "CPU"


def timed(call: Callable[[], Any], device: str) -> Run:
    """Return seconds by the clock until the device has finished, the result, and the memory."""
    import torch

    before = memory(device, begin=True)
    start = time.perf_counter()
    result = call()
    if device.startswith("cuda"):
        torch.cuda.synchronize()
    seconds, peak = time.perf_counter() - start, memory(device)
    return Run(seconds, result, None if peak is None or before is None else max(0.0, peak - before))


def in_turns(reference: Callable[[], Any], ours: Callable[[], Any], device: str) -> tuple[Run, Run]:
    """Return the best run of both; the first run loads what is not loaded yet."""
    runs: tuple[list[Run], list[Run]] = [], []
    for _ in range(RUNS):
        for call, row in zip((reference, ours), runs, strict=True):
            row.append(timed(call, device))
    best_reference, best = (min(row, key=lambda run: run.seconds) for row in runs)
    return best_reference, best


def compared(reference: Run, ours: Run, goal: float, check: bool, note: str) -> Row:
    """Return the row of two runs."""
    return Row(ours.seconds, reference.seconds, goal, check, note, ours.memory, reference.memory)


def need_library(name: str, wanted: str) -> None:
    """Raise MissingError unless a library is installed."""
    if find_spec(name) is None:
        raise MissingError(f"{wanted} is not installed")


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
    full, half = in_turns(
        lambda: texts_of(setting, "seq2seq", records, precision="float32", **asked),
        lambda: texts_of(setting, "seq2seq", records, precision=other, **asked),
        setting.device,
    )
    same = sum(one == two for one, two in zip(full.result, half.result, strict=True))
    return compared(
        full,
        half,
        1.0,
        all(map(str.strip, half.result)),
        f"{same} of {len(records)} texts as in float32, the peer",
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
        ).seconds
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
    plain, ours = in_turns(
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
    same = sum(one == two for one, two in zip(plain.result, ours.result, strict=True))
    return compared(
        plain,
        ours,
        goal,
        half != "float32" or same == len(records),
        f"{same} of {len(records)} texts as generate's, {half}, batch {size}, {beams} beams",
    )


def vllm(setting: Setting) -> Row:
    """dt-generate -g causal:engine=vllm beside vLLM itself, each in a process of its own.

    vLLM takes most of a GPU's memory, and gives it back when its process ends.
    """
    need_library("vllm", "vllm")
    if setting.device == "cpu":
        return Row(note="vllm runs on a GPU")
    reference, plain = apart(plain_vllm, setting)
    seconds, ours = apart(our_vllm, setting)
    torch = timed(lambda: our_texts(setting, "torch"), setting.device)
    same = sum(one == two for one, two in zip(plain, ours, strict=True))
    return Row(
        seconds,
        reference,
        1 / 1.2,
        all(map(str.strip, ours)),
        f"{same} of {len(ours)} texts the same; engine=torch takes {torch.seconds:.2f} s",
    )


def apart(call: Callable[[Setting], Any], setting: Setting) -> Any:
    """Return the result of a call in another process."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(call, setting).result()


def for_vllm(setting: Setting) -> tuple[list[dict], int]:
    """Return records, and how many tokens are written."""
    return shapes.dialogues(setting.size(256, 6), setting.size(300, 10)), setting.size(60, 6)


def plain_vllm(setting: Setting) -> tuple[float, list[str]]:
    """Return the seconds and the texts of vLLM, loading left out."""
    import vllm

    records, tokens = for_vllm(setting)
    words = checkpoints.tokenizer_of(folders.Checkpoint(setting.models["causal"], True))
    prompts = [
        {"prompt_token_ids": words(record["text"] + "\n")["input_ids"]} for record in records
    ]
    model = vllm.LLM(setting.models["causal"], dtype="bfloat16", seed=0)
    asked = dict(temperature=0.0, max_tokens=tokens, stop_token_ids=[words.eos_token_id])
    asked |= dict(seed=None, stop=None, logprobs=None, min_tokens=0, repetition_penalty=1.0)
    settings = [vllm.SamplingParams(**asked) for _ in prompts]
    model.generate(prompts[:2], settings[:2], use_tqdm=False)
    start = time.perf_counter()
    answers = model.generate(prompts, settings, use_tqdm=False)
    seconds = time.perf_counter() - start
    ids = [list(answer.outputs[0].token_ids) for answer in answers]
    return seconds, [text.strip() for text in words.batch_decode(ids, skip_special_tokens=True)]


def our_vllm(setting: Setting) -> tuple[float, list[str]]:
    """Return the same of dt-generate."""
    our_texts(setting, "vllm", 2)  # loads the model
    start = time.perf_counter()
    texts = our_texts(setting, "vllm")
    return time.perf_counter() - start, texts


def our_texts(setting: Setting, engine: str, number: int | None = None) -> list[str]:
    records, tokens = for_vllm(setting)
    return texts_of(
        setting,
        "causal",
        records[:number],
        engine=engine,
        beams=1,
        window=256,
        precision="bfloat16",
        max_new_tokens=tokens,
    )


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
    need_library("bert_score", "bert-score")
    from bert_score import BERTScorer

    records = shapes.variants(setting.size(200, 2))
    layer, model = shapes.layers(setting.tiny), setting.models["encoder"]
    peer = BERTScorer(model_type=model, num_layers=layer, device=setting.device)
    one, other = synthetic.compared(records)
    spec = f"bertscore:model={model},layer={layer}"

    def own() -> list[dict]:
        return list(
            dialtools.score(
                records,
                metric=[spec],
                sensitivity=True,
                per_source=True,
                loading=Loading(device=setting.device, precision="float32"),
            )
        )

    plain, ours = in_turns(lambda: peer.score(one, other)[2].tolist(), own, setting.device)
    first = plain.result[: 5 + 20]
    between = 100 * (1 - sum(first[5:]) / 20)
    scores = ours.result[0]["scores"]
    sensitivity = next(score for name, score in scores.items() if name.startswith("S:"))
    return compared(
        plain,
        ours,
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
                records,
                metric=[spec],
                loading=Loading(device=setting.device, precision="float32"),
            )
        ]

    plain, ours = in_turns(loop, own, setting.device)
    far = max(abs(one - two) / two for one, two in zip(ours.result, plain.result, strict=True))
    return compared(plain, ours, 1.0, far < 1e-3, f"differs by {far:.1e}, relative")


def two_devices(setting: Setting) -> Row:
    """--device 0,1 beside --device 0, whole processes."""
    import torch

    if not setting.device.startswith("cuda") or torch.cuda.device_count() < 2:
        return Row(note="there are no two GPUs")
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
        found[devices] = timed(lambda: subprocess.run(line, check=True), setting.device).seconds
        written[devices] = out.read_bytes()
    return Row(found["0,1"], found["0"], 1.6, written["0"] == written["0,1"], "with start-up")


def training(setting: Setting) -> Row:
    """dt-train generator beside transformers' Trainer on the same records, in seconds for 100,000 tokens."""
    need_library("accelerate", "accelerate")
    import training as bench

    folder, model = setting.folder, setting.models["seq2seq"]
    bench.write(folder / "train.jsonl", setting.size(300, 8), 1, shapes.WORDS)
    bench.write(folder / "dev.jsonl", setting.size(8, 2), 2, shapes.WORDS)
    ours = timed(lambda: bench.ours(folder, model, setting.device), setting.device)
    forget(setting.device)
    plain = timed(lambda: bench.plain(folder, setting.device), setting.device)
    (speed, padding), (plain_speed, plain_padding) = ours.result, plain.result
    return Row(
        1e5 / speed,
        1e5 / plain_speed,
        1.0,
        (folder / "model" / "model.safetensors").exists(),
        f"a second {speed:,.0f} tokens and {plain_speed:,.0f}; padding {padding:.0%} and "
        f"{plain_padding:.0%}",
        ours.memory,
        plain.memory,
    )


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
