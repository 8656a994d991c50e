"""Sensitivity to names on Spark: spark-submit spark_job.py IN.jsonl OUT

Then: dt-merge --summary OUT/part-*. Lines are shipped as they are: Spark's JSON reader would turn
lists of references into text.
"""

import json
import sys

import dialtools


def part(lines):
    """Yield a line for each source of a partition; one line of the input is one source."""
    given = map(json.loads, lines)
    varied = dialtools.swap_names(given, variants=5, seed=1, keep_original=True)
    restored = dialtools.swap_names(dialtools.generate(varied, generator="longest"), restore=True)
    for source in dialtools.score(restored, metric=["rouge2"], sensitivity=True, per_source=True):
        yield json.dumps(source, ensure_ascii=False)


def main(path, out):
    from pyspark.sql import SparkSession

    context = SparkSession.builder.appName("dialtools").getOrCreate().sparkContext
    context.textFile(path).mapPartitions(part).saveAsTextFile(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
