"""dt-generate's engines beside transformers, in CPU seconds of one thread.

    OMP_NUM_THREADS=1 python tests/bench/generating.py [--count 16] [--tokens 40] [ROW …]

The models have the shapes of BART-base and -large and random weights: how fast
they are is real, what they write is not.  Rows: base, large (ctranslate2 in
float32 against model.generate at its best batch size, with the texts
compared), sorting (what batches by length save), repeated (what it costs when
each prompt comes four times).  Nothing here fails, it only measures.

"matrix products alone" counts what no float32 engine can leave out, by torch on
this machine: the encoder's weights, and those of keys and values that decoders
look at, times each token of input once; the decoder's other weights and the
head times each beam at each of the N new tokens, all records at once.
"""

import argparse
import os
import re
import sys
import tempfile
import time
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import products
import tiny_models

from dialtools.models import checkpoints, folders

SHAPES = {
    "base": dict(
        d_model=768,
        encoder_layers=6,
        decoder_layers=6,
        encoder_attention_heads=12,
        decoder_attention_heads=12,
        encoder_ffn_dim=3072,
        decoder_ffn_dim=3072,
        vocab_size=50265,
    ),
    "large": dict(
        d_model=1024,
        encoder_layers=12,
        decoder_layers=12,
        encoder_attention_heads=16,
        decoder_attention_heads=16,
        encoder_ffn_dim=4096,
        decoder_ffn_dim=4096,
        vocab_size=50265,
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=16, help="records (default 16)")
    parser.add_argument("--tokens", type=int, default=40, help="new tokens of each (default 40)")
    parser.add_argument("rows", nargs="*", metavar="ROW", help="only these")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        for row in given.rows or ["base", "sorting", "repeated", "large"]:
            shape = "large" if row == "large" else "base"
            model = saved(Path(folder, shape), shape)
            {"sorting": sorting, "repeated": repeated}.get(row, engines)(
                row, model, given.count, given.tokens
            )


def saved(place: Path, shape: str) -> str:
    if not place.exists():
        words = tiny_models.tokenizer()
        tiny_models.save(
            place,
            tiny_models.bart(words, max_position_embeddings=1024, init_std=0.05, **SHAPES[shape]),
            words,
        )
    return str(place)


def texts(count: int, seed: int = 1) -> list[dict]:
    """Return records of 20 to 400 tokens, most of them short, as dialogues are."""
    rng, words = Random(seed), " ".join(tiny_models.TEXTS).split()
    return [
        {
            "id": number,
            "lang": "en",
            "text": " ".join(rng.choices(words, k=int(5 + rng.gammavariate(2, 20)))),
        }
        for number in range(count)
    ]


def ours(model: str, records: list[dict], **options) -> tuple[float, list]:
    """Return CPU seconds, loading left out, and the predictions."""
    from flat_options import generate

    options = {
        "stop_at_beams": True,
        "renormalize": True,
        "no_repeat_ngram_size": 0,
        "precision": "float32",
        "model": model,
        "window": 1000,
        **options,
    }
    list(generate(records[:1], **{**options, "max_new_tokens": 2}))
    start = time.process_time()
    made = [record["prediction"] for record in generate(records, **options)]
    return time.process_time() - start, made


def transformers(model: str, records: list[dict], size: int, tokens: int) -> tuple[float, list]:
    """Return CPU seconds and texts of model.generate over records that are sorted by length."""
    import torch

    words, network = checkpoints.network(
        "AutoModelForSeq2SeqLM", folders.Checkpoint(model, True), "cpu", "float32"
    )
    order = sorted(range(len(records)), key=lambda at: -len(records[at]["text"]))
    found: dict[int, str] = {}
    start = time.process_time()
    with torch.inference_mode(), checkpoints.hushed():
        for at in range(0, len(order), size):
            batch = words(
                [records[number]["text"] for number in order[at : at + size]],
                padding=True,
                return_tensors="pt",
            )
            out = network.generate(
                input_ids=batch["input_ids"],
                attention_mask=batch["attention_mask"],
                num_beams=4,
                max_new_tokens=tokens,
                early_stopping=True,
                do_sample=False,
            )
            found.update(
                zip(order[at : at + size], words.batch_decode(out[:, 1:], skip_special_tokens=True))
            )
    return time.process_time() - start, [found[number].strip() for number in range(len(records))]


def alone(model: str, records: list[dict], tokens: int) -> float:
    """Return the CPU seconds of the products of weights with input and output, with 4 beams."""
    words, network = checkpoints.network(
        "AutoModelForSeq2SeqLM", folders.Checkpoint(model, True), "cpu", "float32"
    )
    layers = products.linear(network)
    once = {name for name in layers if re.search(r"\.encoder\.|\.encoder_attn\.[kv]_proj", name)}
    read = sum(len(words(record["text"])["input_ids"]) for record in records)
    beams = 4 * len(records)
    return products.seconds([layers[name] for name in once], read) + products.seconds(
        [layer for name, layer in layers.items() if name not in once], beams * tokens, rows=beams
    )


def engines(row: str, model: str, count: int, tokens: int) -> None:
    records = texts(count)
    theirs = {size: transformers(model, records, size, tokens) for size in (1, 4, 8, 16)}
    best = min(theirs, key=lambda size: theirs[size][0])
    shown = ", ".join(f"batch {size} {seconds:.1f} s" for size, (seconds, _) in theirs.items())
    for precision in ("float32", "int8"):
        seconds, made = min(
            ours(
                model,
                records,
                engine="ctranslate2",
                precision=precision,
                max_new_tokens=tokens,
                batch_size=size,
            )
            for size in (8, 16)
        )
        same = sum(a == b for a, b in zip(made, theirs[1][1], strict=True))
        print(
            f"{row:9} {precision:8} {seconds:6.1f} s  transformers {shown}  ratio "
            f"{theirs[best][0] / seconds:.2f}  same text {same} of {count}",
            flush=True,
        )
    seconds = alone(model, records, tokens)
    print(
        f"{row:9} matrix products alone {seconds:.1f} s  ratio {theirs[best][0] / seconds:.2f}",
        flush=True,
    )


def sorting(row: str, model: str, count: int, tokens: int) -> None:
    for engine in ("torch", "ctranslate2"):
        plain, _ = ours(model, texts(count), engine=engine, max_new_tokens=tokens, window=8)
        by_length, _ = ours(model, texts(count), engine=engine, max_new_tokens=tokens)
        print(
            f"{row:9} {engine:12} unsorted {plain:.1f} s  sorted {by_length:.1f} s  ratio "
            f"{plain / by_length:.2f}",
            flush=True,
        )


def repeated(row: str, model: str, count: int, tokens: int) -> None:
    few = texts(max(count // 4, 1))
    many = [{**record, "id": f"{record['id']}.{n}"} for record in few for n in range(4)]
    once, _ = ours(model, few, engine="ctranslate2", max_new_tokens=tokens)
    often, _ = ours(model, many, engine="ctranslate2", max_new_tokens=tokens)
    print(f"{row:9} {len(few)} prompts {once:.1f} s  each four times {often:.1f} s", flush=True)


if __name__ == "__main__":
    main()
