"""Divide records into clusters of texts that an encoder finds alike."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import click

from dialtools.clustering.partition import Partition, Spool, dendrogram, divided, joins
from dialtools.pipeline import cli
from dialtools.pipeline.work import Closing, Work, render
from dialtools.records import history, validation, values
from dialtools.system.batches import batches
from dialtools.system.errors import OptionError, about, need

BY = "dt-cluster"
BATCH = 256  # texts that an encoder reads at once
PLACES = 6  # of a distance: vectors are kept with some seven digits


def cluster(
    records: Iterable[dict],
    note: Callable[[Partition], object] = lambda found: None,
    *,
    encoder: str | None = None,
    vectors: str | None = None,
    of: str | None = None,
    clusters: int | None = None,
    choose: str | None = None,
    centres: int = 2000,
    device: str | None = None,
    batch_size: int = 32,
    seed: int = 0,
    offline: bool = False,
    summary: bool = False,
) -> Iterator[dict]:
    """Yield the records, each with "cluster_label" (from 1, the largest cluster first) and
    "cluster_distance" (1 minus the cosine with the cluster's mean, from 0 to 2).

    note: told the partition before the first record.
    encoder: sentence encoder, a folder or a hub name; or else:
    vectors: path of a vector that each record brings.
    of: path of the text to read; by default "text", or else all utterances of the dialogue.
    clusters: how many.
    choose: a range of numbers such as "2..50", from which the silhouette chooses.
    summary: yield a result for each cluster instead: its size, the mean distance, and the id of
        the record nearest to its mean.
    centres: of k-means, which Ward then merges; fewer records go to Ward as they are.
    """
    need("sklearn", "train")
    if (encoder is None) == (vectors is None):
        raise OptionError("give --encoder, or --vectors for vectors in the records")
    numbers = _numbers(clusters, choose)
    signature = history.signature(
        "cluster",
        encoder=encoder,
        vectors=vectors,
        of=of,
        clusters=clusters,
        choose=choose,
        centres=centres,
        seed=seed,
    )
    with Spool() as spool:
        if encoder is None:
            for record in validation.completed(records):
                with about(record):
                    spool.add([record], [_unit(values.vector(record, str(vectors)))])
        else:
            read = _reader(encoder, device or "auto", offline, batch_size)
            for batch in batches(validation.completed(records, deep=True), BATCH):
                spool.add(batch, read([_text(record, of) for record in batch]))
        if not spool.size:
            return
        found = divided(spool.vectors(), numbers, centres, seed)
        note(found)
        placed = _placed(spool, found, signature)
        if not summary:
            yield from placed
            return
        yield from _summed(placed, joins(found.merges))


def _placed(spool: Spool, found: Partition, signature: str | dict) -> Iterator[dict]:
    """Yield the records with their clusters."""
    for record, label, distance in zip(
        spool.records(), found.labels.tolist(), found.distances.tolist(), strict=True
    ):
        placed = {
            **record,
            "cluster_label": label,
            "cluster_distance": round(max(0.0, distance), PLACES),
        }
        yield history.add(placed, BY, signature)


def _numbers(clusters: int | None, choose: str | None) -> list[int]:
    """Return the numbers of clusters to try."""
    if (clusters is None) == (choose is None):
        raise OptionError("give the number of --clusters, or --choose 2..50")
    if clusters is not None:
        if clusters < 1:
            raise OptionError(f"--clusters must be 1 or more, not {clusters}")
        return [clusters]
    found = re.fullmatch(r"(\d+)\.\.(\d+)", str(choose))
    if not found or not 2 <= int(found[1]) < int(found[2]):
        raise OptionError(f"--choose must be a range from 2 on, such as 2..50, not {choose!r}")
    return list(range(int(found[1]), int(found[2]) + 1))


def _reader(
    model: str, device: str, offline: bool, batch_size: int
) -> Callable[[list[str]], list[Any]]:
    """Return the function from texts to their vectors of length 1."""
    from dialtools.models import encoders
    from dialtools.models.checkpoints import Place

    place = Place("float32", device, offline, batch_size)

    def read(texts: list[str]) -> list[Any]:
        known = encoders.embeddings(model, texts, place)
        return [known[text].vector for text in texts]

    return read


def _text(record: dict, of: str | None) -> str:
    with about(record):
        return values.text(record, of)


def _unit(vector: list[float]) -> Any:
    """Return the vector with a length of 1."""
    import numpy

    return numpy.array(vector) / numpy.linalg.norm(vector)


def _summed(records: Iterable[dict], joins: Mapping[int, tuple[int, float]]) -> Iterator[dict]:
    """Yield a result for each cluster: its size, mean distance, the record nearest its mean, and
    which cluster it joins at what distance."""
    found: dict[int, dict] = {}
    for record in records:
        label, distance = record["cluster_label"], record["cluster_distance"]
        own = found.setdefault(
            label,
            {
                "cluster_label": label,
                "n": 0,
                "distance": 0.0,
                "nearest": record["id"],
                "_nearest": distance,
            },
        )
        own["n"] += 1
        own["distance"] += distance
        if distance < own["_nearest"]:
            own["nearest"], own["_nearest"] = record["id"], distance
    for label, own in sorted(found.items()):
        del own["_nearest"]
        other, height = joins.get(label, (None, None))
        yield {**own, "distance": own["distance"] / own["n"], "joins": other, "height": height}


@cli.command(
    BY,
    click.option(
        "--encoder",
        metavar="MODEL",
        help="Sentence encoder that reads the texts: a folder or a hub name.",
    ),
    click.option(
        "--vectors",
        metavar="PATH",
        help="Take the vectors that records have here, lists of numbers, instead.",
    ),
    click.option(
        "--of",
        metavar="PATH",
        help='The text to read, such as prediction; by default "text", or else all utterances.',
    ),
    click.option("--clusters", type=click.IntRange(min=1), metavar="N", help="How many clusters."),
    click.option(
        "--choose",
        metavar="A..B",
        help="Try these numbers of clusters, and take the one with the highest mean silhouette.",
    ),
    click.option(
        "--centres",
        type=click.IntRange(min=2),
        default=2000,
        show_default=True,
        metavar="N",
        help="Divide more records than this into so many groups first, by "
        "k-means; Ward's method then merges the groups.",
    ),
    click.option(
        "--summary", is_flag=True, help="Write a result for each cluster instead of the records."
    ),
    click.option(
        "--tree",
        "tree_file",
        metavar="FILE",
        help="Draw the clusters as a dendrogram, an SVG file.",
    ),
    click.option("--device", metavar="NAME", help="Where the encoder runs: auto, cpu, cuda, …"),
    click.option(
        "--batch-size",
        type=click.IntRange(min=1),
        default=32,
        show_default=True,
        metavar="N",
        help="Texts that the encoder reads at once.",
    ),
    cli.threads,
    cli.seed,
    cli.offline,
    cli.format_option,
    cli.files,
    cli.output,
    cli.limit,
    cli.lang,
    cli.key_options("id", "lang", "dialogue", "text"),
    cli.progress,
    cli.quiet,
)
def main(summary: bool, tree_file: str | None, format: str | None, **options: Any) -> int:
    """Divide records into clusters of texts that an encoder finds alike.

    Each record gets "cluster_label", the number of its cluster (1 is the largest),
    and "cluster_distance", 1 minus the cosine of its text with the cluster's mean.
    Ward's method merges the texts, or the groups that k-means makes of many texts,
    by the Euclidean distance of vectors of length 1; the same --seed gives the same
    clusters.  --choose takes the number of clusters with the highest mean
    silhouette, from a sample of 5,000 texts.

    A cluster of --summary has its size "n", the mean "distance" of its texts, the id
    of the "nearest" one, and the tree: it "joins" the group of clusters that this
    one is the first of, at this "height".

    dt-keywords names the clusters: dt-keywords --label-key cluster_label --weight
    tfidf --ngram 2.

    Memory: 8 bytes for each pair of --centres; records and vectors are on disk, in
    the folder for temporary files, 4 bytes for each number of a vector.

    Examples:

    $ printf '%s\\n' '{"id": 1, "v": [1, 0]}' '{"id": 2, "v": [0, 1]}' '{"id": 3, "v": [5, 1]}' |
      dt-cluster --vectors v --clusters 2 --lang en -q | jq -c '[.id, .cluster_label]'
    [1,1]
    [2,2]
    [3,1]
    """
    if format and not summary:
        raise click.UsageError("--format is for --summary")
    cli.check_apart("--tree", tree_file, options["output"], options["files"])
    drawn: list[Partition] = []

    def closing() -> Closing:
        return Closing(list(map(_said, drawn)), alone=True)

    work = Work(
        partial(cluster, note=drawn.append, summary=summary),
        by=BY,
        results=summary,
        render=cli.renderer(format, options["output"]) if summary else render,
        closing=closing,
    )
    status = cli.run(work, **options)
    if tree_file and drawn:
        cli.write([dendrogram(drawn[0])], tree_file)
    return status


def _said(found: Partition) -> str:
    """Return the sizes of clusters in a line."""
    silhouette = found.silhouettes.get(len(found.sizes))
    chosen = "" if silhouette is None else f", mean silhouette {silhouette:.3f}"
    return (
        f"{len(found.sizes):,} clusters of {found.sizes[-1]:,} to {found.sizes[0]:,} "
        f"records{chosen}"
    )
