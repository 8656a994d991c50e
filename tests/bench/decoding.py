"""dt-generate beside transformers' generate and llama.cpp on a model with real weights, in CPU seconds.

    OMP_NUM_THREADS=1 python tests/bench/decoding.py MODEL [--gguf FILE] [--tokens 60] [ROW …]

MODEL is a folder of a causal model, as weights.py of the example real-model writes it; FILE has the
same weights for llama.cpp (llama-cpp-python), which is left out without it.  All read the 24
dialogues of that example with its prompt and the model's chat template, and write greedily until
they end, or at most so many tokens; on one thread.  Each row is a process of its own:

load      from the start of Python to the first token of a short text
prompt    one token of each dialogue
decoding  what a run of all tokens takes beyond that

"matrix products alone" is what the products of the weights with as many tokens take by torch, eight
outputs at once: without it no float32 engine can do.  "read/s" are tokens of prompts a second of "prompt", "written/s" tokens of outputs a second of
"decoding", "in all" those of outputs a second of both; "same" counts texts equal to those of
transformers, one by one.  Nothing here fails, it only measures.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
EXAMPLE = ROOT / "examples" / "real-model"

Write = Callable[[Sequence[dict], int], list[str]]  # (records, most tokens) -> texts


def main() -> None:
    """Print a line for each row."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", metavar="MODEL", help="folder of a causal model")
    parser.add_argument("--gguf", metavar="FILE", help="its weights for llama.cpp")
    parser.add_argument("--tokens", type=int, default=60, help="most new tokens (default 60)")
    parser.add_argument("--count", type=int, default=24, help="dialogues (default 24)")
    parser.add_argument("--measure", metavar="ROW", help=argparse.SUPPRESS)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="only these")
    given = parser.parse_intermixed_args()
    if given.measure:
        print(json.dumps(measured(ROWS[given.measure], given)))
        return
    names = given.rows or [name for name in ROWS if given.gguf or name != "llama.cpp"]
    words = tokenizer(given.model)
    read = sum(map(len, words(prompts(given)).input_ids))
    print(f"{given.count} dialogues, {read} tokens of prompts")
    print(
        f"{'row':<31}{'load':>4}{'prompt':>8}{'decoding':>10}{'read/s':>8}{'written/s':>11}"
        f"{'in all':>8}{'same':>6}"
    )
    first: list[str] = []
    for name in names:
        arguments = [arg for arg in sys.argv[1:] if arg not in given.rows]
        result = json.loads(
            subprocess.run(
                [sys.executable, __file__, *arguments, "--measure", name],
                check=True,
                stdout=subprocess.PIPE,
            ).stdout
        )
        first = first or result["texts"]
        written = sum(len(words(text).input_ids) + 1 for text in result["texts"])
        load, prompt, all_of_it = result["seconds"]
        same = sum(one == other for one, other in zip(result["texts"], first, strict=True))
        show(name, f"{load:.1f}", prompt, all_of_it - prompt, read, written, str(same))
    written = sum(len(words(text).input_ids) + 1 for text in first)
    show("matrix products alone", "", *alone(given, read, written), read, written, "")


def show(
    name: str, load: str, prompt: float, decoding: float, read: int, written: int, same: str
) -> None:
    print(
        f"{name:<31}{load:>4}{prompt:>8.1f}{decoding:>10.1f}{read / prompt:>8.0f}"
        f"{written / decoding:>11.1f}{written / (prompt + decoding):>8.1f}{same:>6}",
        flush=True,
    )


def measured(load: Callable[[argparse.Namespace], Write], given: argparse.Namespace) -> dict:
    """Return the seconds of loading, of prompts and of all, and the texts."""
    write = load(given)
    write([{"id": "short", "lang": "en", "dialogue": "Ann: Hi!"}], 1)
    seconds = [process_time()]
    for tokens in (1, given.tokens):
        start = process_time()
        texts = write(records(given), tokens)
        seconds.append(process_time() - start)
    return {"seconds": seconds, "texts": [text.strip() for text in texts]}


def records(given: argparse.Namespace) -> list[dict]:
    lines = (EXAMPLE / "dialogues.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines[: given.count]]


def prompts(given: argparse.Namespace, chosen: Sequence[dict] | None = None) -> list[str]:
    """Return what a model reads, by the example's prompt and its own chat template."""
    from dialtools.records import dialogue

    template = (EXAMPLE / "about.jinja").read_text(encoding="utf-8")
    words = tokenizer(given.model)
    return [
        words.apply_chat_template(
            [
                {
                    "role": "user",
                    "content": template.replace(
                        "{{ dialogue }}", dialogue.text(dialogue.turns(record))
                    ).strip(),
                }
            ],
            tokenize=False,
            add_generation_prompt=True,
        )
        for record in (records(given) if chosen is None else chosen)
    ]


def tokenizer(model: str):
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(model, padding_side="left")


def ours(engine: str, precision: str = "float32", batch: int = 8) -> Callable:
    def load(given: argparse.Namespace) -> Write:
        from flat_options import generate

        def write(chosen: Sequence[dict], tokens: int) -> list[str]:
            made = generate(
                chosen,
                model=given.model,
                prompt=str(EXAMPLE / "about.jinja"),
                engine=engine,
                precision=precision,
                batch_size=batch,
                beams=1,
                no_repeat_ngram_size=0,
                max_new_tokens=tokens,
            )
            return [record["prediction"] for record in made]

        return write

    return load


def transformers(batch: int) -> Callable:
    """Of model.generate on inputs that are sorted by length."""

    def load(given: argparse.Namespace) -> Write:
        import torch
        from transformers import AutoModelForCausalLM

        words = tokenizer(given.model)
        network = AutoModelForCausalLM.from_pretrained(given.model, dtype="float32").eval()

        def write(chosen: Sequence[dict], tokens: int) -> list[str]:
            read = prompts(given, chosen)
            order = sorted(range(len(read)), key=lambda place: -len(read[place]))
            texts: dict[int, str] = {}
            for start in range(0, len(order), batch):
                places = order[start : start + batch]
                inputs = words([read[place] for place in places], padding=True, return_tensors="pt")
                with torch.inference_mode():
                    out = network.generate(**inputs, do_sample=False, max_new_tokens=tokens)
                length = inputs.input_ids.shape[1]
                texts |= zip(places, words.batch_decode(out[:, length:], skip_special_tokens=True))
            return [texts[place] for place in range(len(read))]

        return write

    return load


def llama(given: argparse.Namespace) -> Write:
    from llama_cpp import Llama

    threads = int(os.environ.get("OMP_NUM_THREADS", 1))
    model = Llama(given.gguf, n_ctx=2048, n_threads=threads, n_threads_batch=threads, verbose=False)

    def write(chosen: Sequence[dict], tokens: int) -> list[str]:
        texts = []
        for prompt in prompts(given, chosen):
            model.reset()  # nothing of the prompt before
            made = model.create_completion(
                prompt, max_tokens=tokens, temperature=0.0, repeat_penalty=1.0
            )
            texts.append(made["choices"][0]["text"])
        return texts

    return write


def alone(given: argparse.Namespace, read: int, written: int) -> tuple[float, float]:
    """Return the seconds of the products with the tokens of prompts and with those of outputs."""
    import products
    from transformers import AutoModelForCausalLM

    layers = products.linear(AutoModelForCausalLM.from_pretrained(given.model, dtype="float32"))
    inner = [layer for name, layer in layers.items() if name != "lm_head"]
    return products.seconds(inner, read), products.seconds(layers.values(), written, rows=8)


ROWS: dict[str, Callable[[argparse.Namespace], Write]] = {
    "transformers, batch 1": transformers(1),
    "transformers, batch 8": transformers(8),
    "dt-generate": ours("torch"),
    "dt-generate, ctranslate2": ours("ctranslate2"),
    "dt-generate, ctranslate2 int8": ours("ctranslate2", "int8"),
    "llama.cpp": llama,
}

if __name__ == "__main__":
    main()
