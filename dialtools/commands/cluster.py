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

dt-keywords names the clusters: dt-keywords --by cluster_label --weight
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

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from dialtools.pipeline import cli, sink
from dialtools.pipeline.work import Closing, Work, render
from dialtools.system.errors import OptionError, about, need

if TYPE_CHECKING:
    from dialtools.clustering.partition import Partition

BY = "dt-cluster"
BATCH = 256  # texts that an encoder reads at once
PLACES = 6  # of a distance: vectors are kept with some seven digits


def cluster(
    records: Iterable[dict],
    note: Callable[["Partition"], object] = lambda partition: None,
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
    from dialtools.clustering import partition
    from dialtools.records import history, values
    from dialtools.records.validation import completed
    from dialtools.system.batches import batches

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
    with partition.Spool() as spool:
        if encoder is None:
            import numpy

            for record in completed(records):
                with about(record):
                    vector = values.vector(record, str(vectors))
                    unit = numpy.array(vector) / numpy.linalg.norm(vector)
                    spool.add([record], [unit])
        else:
            from dialtools.models import encoders
            from dialtools.models.checkpoints import Place

            machine = Place("float32", device or "auto", offline, batch_size)
            for batch in batches(completed(records, deep=True), BATCH):
                texts = []
                for record in batch:
                    with about(record):
                        texts.append(values.text(record, of))
                embeddings = encoders.embeddings(encoder, texts, machine)
                spool.add(batch, [embeddings[text].vector for text in texts])
        if not spool.size:
            return
        divided = partition.divided(spool.vectors(), numbers, centres, seed)
        note(divided)

        def placed() -> Iterator[dict]:
            for record, label, distance in zip(
                spool.records(), divided.labels.tolist(), divided.distances.tolist(), strict=True
            ):
                labelled = {
                    **record,
                    "cluster_label": label,
                    "cluster_distance": round(max(0.0, distance), PLACES),
                }
                yield history.add(labelled, BY, signature)

        yield from partition.summed(placed(), divided) if summary else placed()


def _numbers(clusters: int | None, choose: str | None) -> list[int]:
    """Return the numbers of clusters to try."""
    if (clusters is None) == (choose is None):
        raise OptionError("give the number of --clusters, or --choose 2..50")
    if clusters is not None:
        if clusters < 1:
            raise OptionError(f"--clusters must be 1 or more, not {clusters}")
        return [clusters]
    bounds = re.fullmatch(r"(\d+)\.\.(\d+)", str(choose))
    if not bounds or not 2 <= int(bounds[1]) < int(bounds[2]):
        raise OptionError(f"--choose must be a range from 2 on, such as 2..50, not {choose!r}")
    return list(range(int(bounds[1]), int(bounds[2]) + 1))


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
    *cli.reading("dialogue", "text"),
)
def main(summary: bool, tree_file: str | None, format: str | None, **options: Any) -> int:
    if format and not summary:
        raise click.UsageError("--format is for --summary")
    cli.check_apart("--tree", tree_file, options["output"], options["files"])
    partitions: list[Partition] = []

    def closing() -> Closing:
        lines = []
        for partition in partitions:
            number = len(partition.sizes)
            silhouette = partition.silhouettes.get(number)
            chosen = "" if silhouette is None else f", mean silhouette {silhouette:.3f}"
            lines.append(
                f"{number:,} clusters of {partition.sizes[-1]:,} to {partition.sizes[0]:,} "
                f"records{chosen}"
            )
        return Closing(lines, alone=True)

    work = Work(
        partial(cluster, note=partitions.append, summary=summary),
        by=BY,
        results=summary,
        render=cli.renderer(format, options["output"]) if summary else render,
        closing=closing,
    )
    status = cli.run(work, **options)
    if tree_file and partitions:
        from dialtools.clustering.partition import dendrogram

        sink.write([dendrogram(partitions[0])], tree_file)
    return status
