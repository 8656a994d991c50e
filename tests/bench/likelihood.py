"""Perplexity against a loop over plain transformers, one text at a time, in CPU seconds.

    OMP_NUM_THREADS=1 python tests/bench/likelihood.py [--count 64] [--runs 3] [--model FOLDER]

The model has the shape of GPT-2 small, random weights, and a tokenizer trained
on the texts, which are predictions of synthetic.py.  All have loaded it before
the clock starts, and take turns; medians.  Goal: 3 times the loop's rate with
engine=ctranslate2.  "differs" is the largest difference from the loop, relative.
"matrix products alone" is what the products of the model's weights with the
texts' tokens, the head included, take by torch on this machine: no float32
engine is much faster than that.
"""

import argparse
import json
import math
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import process_time

import products
import synthetic

sys.path.insert(0, str(synthetic.ROOT))
GOAL = {"engine=torch": None, "engine=ctranslate2": 3.0}


def main() -> None:
    """Print a line for each way."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=64, help="texts (default 64)")
    parser.add_argument("--runs", type=int, default=3, help="runs of each (default 3)")
    parser.add_argument("--model", help="a model's folder, instead of one made on the spot")
    given = parser.parse_args()
    texts = [record["prediction"] for record in synthetic.pairs(given.count)]
    with tempfile.TemporaryDirectory() as folder:
        measure(given.model or gpt2(Path(folder)), texts, given.runs)


def gpt2(place: Path) -> str:
    """Write a model of the shape of GPT-2 small; return its folder."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(1)
    for part in (GPT2LMHeadModel(GPT2Config(bos_token_id=0, eos_token_id=0)), words()):
        part.save_pretrained(place)
    return str(place)


def words():
    """Return a tokenizer of synthetic texts with as many tokens as GPT-2; some never occur."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.train_from_iterator(
        (record["reference"] for record in synthetic.pairs(5000)),
        trainers.BpeTrainer(
            vocab_size=4000,
            special_tokens=["<end>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    state = json.loads(made.to_str())
    known = state["model"]["vocab"]
    known |= {f"<never{number}>": number for number in range(len(known), 50_257)}
    return PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer.from_str(json.dumps(state)), bos_token="<end>", eos_token="<end>"
    )


def measure(model: str, texts: list[str], runs: int) -> None:
    ways = {"plain transformers": loop(model)} | {
        name: ours(model, name.partition("=")[2]) for name in GOAL
    }
    # the first call loads
    found = {name: way(texts[:4]) and way(texts) for name, way in ways.items()}
    times = {
        name: statistics.median(values)
        for name, values in {
            name: [seconds(way, texts) for _ in range(runs)] for name, way in ways.items()
        }.items()
    }
    first = next(iter(times))
    for name, time in times.items():
        differs = max(abs(a / b - 1) for a, b in zip(found[name], found[first], strict=True))
        ratio, goal = times[first] / time, GOAL.get(name)
        verdict = "" if goal is None else f"goal {goal:.1f}  {'ok' if ratio >= goal else 'MISSED'}"
        print(
            f"{name:21} {len(texts) / time:6.1f} texts a CPU second {ratio:5.2f}  differs "
            f"{differs:.1e}  {verdict}".rstrip()
        )
    time = alone(model, texts)
    print(
        f"{'matrix products alone':21} {len(texts) / time:6.1f} texts a CPU second "
        f"{times[first] / time:5.2f}"
    )


def seconds(way: Callable[[list[str]], list[float]], texts: list[str]) -> float:
    start = process_time()
    way(texts)
    return process_time() - start


def loop(model: str) -> Callable[[list[str]], list[float]]:
    """Return what users write: a text at a time, the model's own loss."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    words = AutoTokenizer.from_pretrained(model)
    network = AutoModelForCausalLM.from_pretrained(model).eval()

    def perplexities(texts: list[str]) -> list[float]:
        found = []
        for text in texts:
            tokens = words(text, return_tensors="pt")
            with torch.inference_mode():
                found.append(math.exp(network(**tokens, labels=tokens["input_ids"]).loss))
        return found

    return perplexities


def alone(model: str, texts: list[str]) -> float:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokens = sum(map(len, AutoTokenizer.from_pretrained(model)(texts)["input_ids"]))
    return products.seconds(
        products.linear(AutoModelForCausalLM.from_pretrained(model)).values(), tokens
    )


def ours(model: str, engine: str) -> Callable[[list[str]], list[float]]:
    from dialtools.metrics import perplexity

    return lambda texts: perplexity.score(
        texts, model=model, engine=engine, device="cpu", offline=True
    )


if __name__ == "__main__":
    main()
