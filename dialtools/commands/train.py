"""Train a model: a generator, a scorer or an encoder of texts, or a dependency parser.

generator makes models that write texts for dialogues, for dt-generate; scorer
makes models that give texts a label or a number, for dt-generate -g classifier
and dt-score -m regressor; encoder makes vectors of texts, for dt-score -m cosine
and dt-cluster; parser makes dependency parsers for dt-parse.
dt-train generator --help tells more.
--list lists objectives of a generator.

Memory: a model with the state of its training, some four times its weights,
and the data.

Examples:

$ dt-train parser --train tests/data/annotated.conllu --dev tests/data/annotated.conllu \\
    --epochs 2 --output-dir /tmp/example.$$ -q | jq -c .best | tail -n 1
2
"""

from dialtools.pipeline import cli

BY = "dt-train"


@cli.group(
    BY,
    {part: f"_train_{part}" for part in ("encoder", "generator", "parser", "scorer")},
    cli.listing("objectives"),
)
def main() -> None:
    """List the objectives; the commands within it do the rest."""
