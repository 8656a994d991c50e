"""Sensitivity to names on Ray Data.

    ray job submit --working-dir . -- python ray_job.py IN.jsonl OUT.jsonl

A row is a source: its lines stay together. Models are kept by the actors of `Outputs`, one a GPU.
The results go to a file: what Ray says of its workers goes to standard output.
"""

import json
import os
import sys
from itertools import groupby

import orjson

import dialtools

GENERATE = json.loads(os.environ.get("GENERATE", '{"generator": "longest"}'))
GPUS = int(os.environ.get("GPUS", 0))


def text(records):
    """Return records as lines; those of engines' own would be columns, which spoil lists."""
    return b"".join(orjson.dumps(record) + b"\n" for record in records).decode()


def records(batch):
    """Yield the records of a batch; ids are given before the corpus is divided."""
    for lines in batch["text"]:
        for record in map(orjson.loads, lines.splitlines()):
            if record.get("id") is None:
                raise ValueError("a record without id: give ids first, as dt-convert does")
            yield record


def rows(records):
    """Return a batch of one row a source."""
    return {"text": [text(own) for _, own in groupby(records, lambda record: record["id"])]}


def vary(batch):
    return rows(dialtools.swap_names(records(batch), variants=5, seed=1, keep_original=True))


class Outputs:
    def __call__(self, batch):
        return rows(dialtools.generate(records(batch), **GENERATE))


def score(batch):
    restored = dialtools.swap_names(records(batch), restore=True)
    return rows(dialtools.score(restored, metric=["rouge2"], sensitivity=True, per_source=True))


def main(path, out):
    import ray

    # fractions of a CPU: else reading may wait for ever for one that the actors hold
    made = (
        ray.data.read_text(path, ray_remote_args={"num_cpus": 0.25})
        .map_batches(vary, batch_size=64, num_cpus=0.5)
        .map_batches(Outputs, batch_size=32, concurrency=max(GPUS, 1), num_gpus=min(GPUS, 1))
        .map_batches(score, batch_size=64, num_cpus=0.5)
    )
    sources = (record for batch in made.iter_batches() for record in records(batch))
    dialtools.write(dialtools.merge([sources], summary=True), out)


if __name__ == "__main__":
    main(*sys.argv[1:])
