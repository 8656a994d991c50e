"""Train a model: a generator on dialogues, or a dependency parser on treebanks."""

from dialtools import cli
from dialtools.commands import _train_parser as parser

BY = "dt-train"


@cli.group(BY, {"parser": parser.main})
def main() -> None:
    """Train a model.

    parser makes dependency parsers for dt-parse.  dt-train parser --help tells
    more.

    Memory: a model with the state of its training, some four times its weights,
    and the data.

    Examples:

    $ dt-train parser --train tests/data/annotated.conllu --dev tests/data/annotated.conllu \\
        --epochs 2 --output-dir /tmp/example.$$ -q | jq -c .best | tail -n 1
    2
    """
