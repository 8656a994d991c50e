"""dt-cluster: clusters against SciPy and scikit-learn, many vectors in batches; what it refuses."""

import random

import pytest

import dialtools
from dialtools.clustering import partition
from dialtools.system.errors import OptionError, RecordError

numpy = pytest.importorskip("numpy")
pytest.importorskip("sklearn")


def points(count: int, groups: int, spread: float = 0.1) -> list[list[float]]:
    """Return vectors in turn near one of so many directions."""
    rng = random.Random(4)
    centres = [[rng.gauss(0, 1) for _ in range(8)] for _ in range(groups)]
    return [[value + rng.gauss(0, spread) for value in centres[n % groups]] for n in range(count)]


def test_the_command_writes_records_or_results(shell, tmp_path):
    lines = [
        f'{{"id": {n}, "lang": "en", "v": {vector}}}\n' for n, vector in enumerate(points(9, 3))
    ]
    (tmp_path / "in.jsonl").write_text("".join(lines))
    command = "dt-cluster --vectors v --clusters 3 in.jsonl"
    assert shell(f"{command} | jq -c .cluster_label").out == "1\n2\n3\n" * 3
    assert shell(f"{command} --summary | jq -c .n").out == "3\n" * 3
    assert shell(f"{command} --summary --format csv").out.count("\n") == 4


def clustered(vectors: list, **options) -> list[dict]:
    return list(
        dialtools.cluster(
            [{"id": n, "lang": "en", "v": vector} for n, vector in enumerate(vectors)],
            vectors="v",
            **options,
        )
    )


def groups_of(labels) -> set[frozenset[int]]:
    labels = list(labels)
    return {frozenset(n for n, own in enumerate(labels) if own == label) for label in labels}


def test_the_number_of_clusters_is_that_of_the_highest_silhouette():
    from scipy.cluster import hierarchy
    from sklearn.metrics import silhouette_score

    vectors = points(60, 4, 0.5)
    units = numpy.array(
        [numpy.array(vector) / numpy.linalg.norm(vector) for vector in vectors], "float32"
    )
    tree = hierarchy.linkage(units, "ward")
    cuts = {number: hierarchy.fcluster(tree, number, "maxclust") for number in range(2, 9)}
    best = max(cuts, key=lambda number: silhouette_score(units, cuts[number]))
    made = clustered(vectors, choose="2..8")
    assert groups_of(record["cluster_label"] for record in made) == groups_of(cuts[best])
    sizes = [
        sum(record["cluster_label"] == label for record in made) for label in range(1, best + 1)
    ]
    assert sizes == sorted(sizes, reverse=True)
    own = [units[record["id"]] for record in made if record["cluster_label"] == 1]
    mean = numpy.mean(own, axis=0)
    first = next(record for record in made if record["cluster_label"] == 1)
    expected = 1 - own[0] @ mean / numpy.linalg.norm(mean)
    assert first["cluster_distance"] == pytest.approx(float(expected), abs=1e-4)


@pytest.mark.parametrize("at_once", [1000, 50])
def test_many_vectors_are_divided_by_k_means_first(monkeypatch, at_once: int):
    """In batches, too; six groups far apart are the clusters."""
    monkeypatch.setattr(partition, "AT_ONCE", at_once)
    made = clustered(points(300, 6, 0.02), clusters=6, centres=20)
    assert groups_of(record["cluster_label"] for record in made) == groups_of(
        n % 6 for n in range(300)
    )


@pytest.mark.parametrize(
    "vectors, options, reason",
    [
        ([[1, 0], [0, 1]], {"clusters": 3}, "3 clusters of 2 records"),
        ([[1, 0], [0, 1]], {}, "give the number of 'clusters'"),
        ([[1, 0], [0, 1]], {"choose": "2..5"}, "5 clusters of 2 records"),
        ([[1, 0], [0, 1]], {"choose": "1..5"}, "a range from 2 on"),
        ([[n, 1] for n in range(9)], {"clusters": 5, "centres": 4}, "give more 'centres'"),
    ],
)
def test_clusters_that_there_cannot_be(vectors: list, options: dict, reason: str):
    with pytest.raises(OptionError, match=reason):
        clustered(vectors, **options)


@pytest.mark.parametrize(
    "vector, reason",
    [
        ([1.0], "its vector has 1 numbers, the first has 2"),
        (None, 'no vector under "v"'),
        ([0, 0], "no direction"),
        ([1e40, 1], "list of numbers up to"),
        ("1 2", "must be a list of numbers"),
    ],
)
def test_vectors_that_are_none(vector, reason: str):
    with pytest.raises(RecordError, match=reason):
        clustered([[1, 0], [0, 1], vector], clusters=2)
