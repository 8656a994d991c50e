"""What users run today, a function each: the scripts that the benchmarks compare dt-score with.

    python tests/bench/peers.py rouge pairs.jsonl out.jsonl

Each reads JSON Lines with json, scores with the usual package the way its
documentation shows it, and writes what it found.  The sensitivity scripts
score each prediction against the reference and all ordered pairs of variants.
"""

import json
import re
import sys
from collections.abc import Callable, Iterator
from itertools import groupby, permutations
from types import SimpleNamespace

Score = Callable[[str, str], dict]


def records(path: str) -> Iterator[dict]:
    with open(path, encoding="utf-8") as file:
        yield from map(json.loads, file)


def each(score: Score, source: str, target: str) -> None:
    """Write each record with the scores of its prediction against its reference."""
    with open(target, "w", encoding="utf-8") as file:
        for record in records(source):
            record["scores"] = score(record["prediction"], record["reference"])
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def variants(score: Score, source: str, target: str) -> None:
    """Write each source's scores against the reference and between ordered pairs of variants."""
    with open(target, "w", encoding="utf-8") as file:
        for id, group in groupby(records(source), key=lambda record: record["id"]):
            found = list(group)
            texts = [record["prediction"] for record in found]
            line = {
                "id": id,
                "quality": [score(record["prediction"], record["reference"]) for record in found],
                "pairs": [score(one, other) for one, other in permutations(texts, 2)],
            }
            file.write(json.dumps(line) + "\n")


def rouge(stem: bool) -> Score:
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=stem)
    return lambda prediction, reference: {
        name: value.fmeasure for name, value in scorer.score(reference, prediction).items()
    }


def sacrebleu(name: str) -> Score:
    from sacrebleu.metrics import BLEU, CHRF, TER

    metric = {
        "bleu": lambda: BLEU(effective_order=True),
        "chrf": CHRF,
        "chrf++": lambda: CHRF(word_order=2),
        "ter": TER,
    }[name]()
    return lambda prediction, reference: {
        name: metric.sentence_score(prediction, [reference]).score
    }


def meteor() -> Score:
    """Return NLTK's METEOR of words; without a WordNet nothing is a synonym."""
    from nltk.translate.meteor_score import single_meteor_score

    nothing = SimpleNamespace(synsets=lambda word: [])
    words = re.compile(r"[^\W_]+").findall
    return lambda prediction, reference: {
        "meteor": single_meteor_score(words(reference), words(prediction), wordnet=nothing)
    }


def orjson(source: str, target: str) -> None:
    """Read, add a key, write: the least that a filter does."""
    import orjson as library

    with open(source, "rb") as read, open(target, "wb") as file:
        for line in read:
            record = library.loads(line)
            file.write(
                library.dumps(
                    {**record, "scores": {"exact": 0.0}}, option=library.OPT_APPEND_NEWLINE
                )
            )


def main() -> None:
    peer, source, target = sys.argv[1:]
    peers = {
        "rouge": lambda: each(rouge(False), source, target),
        "rouge-stem": lambda: each(rouge(True), source, target),
        "rouge-variants": lambda: variants(rouge(False), source, target),
        "bleu": lambda: each(sacrebleu("bleu"), source, target),
        "bleu-variants": lambda: variants(sacrebleu("bleu"), source, target),
        "chrf": lambda: each(sacrebleu("chrf"), source, target),
        "chrf++": lambda: each(sacrebleu("chrf++"), source, target),
        "ter": lambda: each(sacrebleu("ter"), source, target),
        "meteor": lambda: each(meteor(), source, target),
        "chrf-variants": lambda: variants(sacrebleu("chrf"), source, target),
        "orjson": lambda: orjson(source, target),
    }
    peers[peer]()


if __name__ == "__main__":
    main()
