"""Write the vectors of nodes that a model of triples learns, and how well it finds the ends of triples.

    python3 kge.py transe DIMENSIONS EPOCHS SEED triples.tsv VECTORS.jsonl > table-row.tsv

The models are those of PyKEEN: transe, distmult, complex, simple, rotate.  Of the triples a tenth
is kept for the test; ranks are filtered, and the mean of both ends.  A vector with complex numbers
is written as its real parts and its imaginary parts.
"""

import json
import logging
import sys

import numpy
import torch
from pykeen.pipeline import pipeline
from pykeen.triples import TriplesFactory


def main(model: str, dimensions: str, epochs: str, seed: str, triples: str, vectors: str) -> None:
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    factory = TriplesFactory.from_path(triples)
    learned, tested = factory.split([0.9, 0.1], random_state=int(seed))
    # half as many complex numbers, so that all vectors are of one length
    width = int(dimensions) // (2 if model in ("complex", "rotate") else 1)
    result = pipeline(
        training=learned,
        testing=tested,
        model=model,
        model_kwargs={"embedding_dim": width},
        optimizer_kwargs={"lr": 0.01},
        training_kwargs={"num_epochs": int(epochs), "use_tqdm": False, "batch_size": 256},
        evaluation_kwargs={"use_tqdm": False},
        random_seed=int(seed),
        device="cpu",
    )
    with torch.no_grad():
        rows = result.model.entity_representations[0](None).numpy()
    rows = numpy.hstack([rows.real, rows.imag]) if numpy.iscomplexobj(rows) else rows
    with open(vectors, "w", encoding="utf-8") as file:
        for node, number in sorted(factory.entity_to_id.items()):
            row = {"id": node, "node": node, "vector": [round(float(x), 5) for x in rows[number]]}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    names = ("inverse_harmonic_mean_rank", "hits_at_1", "hits_at_3", "hits_at_10")
    figures = [100 * result.get_metric(f"both.realistic.{name}") for name in names]
    print(model, seed, *(f"{figure:.1f}" for figure in figures), sep="\t")


if __name__ == "__main__":
    main(*sys.argv[1:])
