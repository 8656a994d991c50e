"""Change dialogues as people naturally vary: typos, greetings, joined turns."""

from collections.abc import Callable, Iterable, Iterator

import click

from dialtools import cli, dialogue, edits, history, keyed, kinds, registry, words
from dialtools.errors import OptionError, RecordError, about

BY = "dt-perturb"
TRIES = 20  # draws before a further variant that differs is given up


def perturb(records: Iterable[dict], *, kind: list[str | Callable], rate: float | None = None, variants: int = 1,
            seed: int = 0, keep_original: bool = False, paraphrase: Callable | None = None,
            similarity: Callable | None = None) -> Iterator[dict]:
    """Yield variants of each record, each with one kind of perturbation.

    kind: specs such as "typo.keyboard:rate=0.1", or functions (record, rng) -> edits.
    rate: probability of each word, for the kinds that have a rate and whose spec does not give it.
    variants: how many of each kind; they differ from each other.
    keep_original: yield the record itself before its variants.
    paraphrase, similarity: functions for the kinds that want them.

    A variant that could not be changed says "changed": false in its history.
    """
    if rate is not None:
        words.check_rate(rate)
    plugins = [registry.load("perturbations", spec).given(**({} if rate is None else {"rate": rate}))
               .bound(paraphrase=paraphrase, similarity=similarity) for spec in kind]
    labels = [plugin.label for plugin in plugins]
    if len(set(labels)) < len(labels):
        raise OptionError(f"a kind is there twice: {', '.join(labels)}")
    for record in records:
        if keep_original:
            yield record
        for plugin in plugins:
            with about(record):
                yield from _variants(record, plugin, variants, seed)


def _variants(record: dict, plugin: registry.Plugin, variants: int, seed: int) -> Iterator[dict]:
    kinds.check(plugin, record)
    view, before = dialogue.view(record), []
    options = {"lang": record.get("lang"), **plugin.defaults(), "seed": seed}
    remark = plugin.constant("REMARK", None)
    facts = {"remark": remark} if remark else {}
    for number in range(1, variants + 1):
        rng = keyed.rng(seed, plugin.name, record["id"], number)
        draws = (plugin.call(view, rng) for _ in range(TRIES))
        wanted = next((draw for draw in draws if not draw or draw not in before), None)
        if wanted is None:
            raise RecordError(f"{plugin.label} makes only {number - 1} variants that differ, not {variants}", record)
        before.append(wanted)
        changed, made = edits.apply(record, wanted)
        changed = changed | {"variant": history.variant(record, plugin.label, number)}
        signature = history.signature(plugin.name, **options)
        yield history.add(changed, BY, signature, edits=made, changed=bool(made), **facts)


@cli.command(
    BY,
    click.option("-k", "--kind", type=cli.Plugin("perturbations"), multiple=True, required=True,
                 help="Perturbation to apply; repeat for one variant of each."),
    click.option("--rate", type=float, metavar="P", help="Probability of each word, from 0 to 1; each kind has its own "
                 "default."),
    click.option("--variants", type=click.IntRange(min=1), default=1, show_default=True, metavar="N",
                 help="Variants of each kind."),
    click.option("--keep-original", is_flag=True, help="Write the record itself before its variants."),
    cli.seed, cli.listing("perturbations"), *cli.stream("dialogue", "text"))
def main(**options) -> int:
    """Change dialogues as people naturally vary.

    Each record becomes one variant for each -k, with what was changed in its
    "history".  A kind that is not defined for the record's language is an
    error; a variant in which there was nothing to change is counted.

    Memory: one record at a time.

    Examples:

    $ echo '{"id": 1, "dialogue": "Ann: Hi Bob\\nBob: Hi"}' | dt-perturb -k dialogue.greeting --lang en |
      jq -r .dialogue
    Bob: Hiya, what's up?
    Ann: Hi Bob
    Bob: Hi
    """
    return cli.run(perturb, by=BY, keys=["dialogue|text"], **options)
