"""Write a vector for each node of a graph, by the walks that pass through it.

    python3 vectors.py DIMENSIONS < edges.tsv > vectors.jsonl

A line of edges.tsv has two nodes; an edge that comes twice counts twice.  The vectors are those of
NetMF (Qiu et al. 2018): the factors of a matrix that says how much more often than by chance two
nodes meet on walks of up to 3 steps.
"""

import json
import sys

import numpy
from sklearn.utils.extmath import randomized_svd

STEPS = 3


def walked(edges: list[list[str]], nodes: list[str]) -> numpy.ndarray:
    """Return the logarithm of how much more often than by chance two nodes meet; 0 if it is less."""
    place = {node: number for number, node in enumerate(nodes)}
    graph = numpy.zeros((len(nodes), len(nodes)))
    for head, tail in edges:
        graph[place[head], place[tail]] += 1
        graph[place[tail], place[head]] += 1
    degrees = graph.sum(axis=1)
    walk = graph / degrees[:, None]
    met = sum(numpy.linalg.matrix_power(walk, steps) for steps in range(1, STEPS + 1)) / STEPS
    return numpy.log(numpy.maximum(1, graph.sum() * met / degrees))


def main(dimensions: int) -> None:
    edges = [line.rstrip("\n").split("\t") for line in sys.stdin]
    nodes = sorted({node for edge in edges for node in edge})
    left, strengths, _ = randomized_svd(
        walked(edges, nodes), min(dimensions, len(nodes)), random_state=0
    )
    for node, vector in zip(nodes, left * numpy.sqrt(strengths), strict=True):
        record = {"id": node, "node": node, "vector": [round(float(one), 5) for one in vector]}
        print(json.dumps(record, ensure_ascii=False))


if __name__ == "__main__":
    main(int(sys.argv[1]))
