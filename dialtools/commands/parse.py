"""Add words, parts of speech and dependencies to dialogues."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice

import click

from dialtools import cli, dialogue, history, registry
from dialtools.converting import items
from dialtools.errors import OptionError, RecordError, show

BY = "dt-parse"
BATCH = 32  # records that a parser gets at once


def parse(records: Iterable[dict], *, parser: str | Callable, overwrite: bool = False) -> Iterator[dict]:
    """Yield each record with "tokens" in every turn, and beside its "text"; a dialogue becomes a list of turns.

    parser: a spec such as "fugashi" or "stanza:dir=models", or a function (texts, *, lang) -> lists of tokens.
    overwrite: parse records anew that have tokens already.
    """
    plugin = registry.load("parsers", parser)
    records = iter(records)
    while batch := list(islice(records, BATCH)):
        yield from _batch(batch, plugin, overwrite)


def _batch(batch: list[dict], plugin: registry.Plugin, overwrite: bool) -> Iterator[dict]:
    """Yield parsed records; where the parser fails on some of them, those before the first of these."""
    try:
        yield from _parsed(batch, plugin, overwrite)
    except RecordError as error:
        if len(batch) == 1:
            raise RecordError(error.reason, batch[0]) from None
        for record in batch:
            yield from _batch([record], plugin, overwrite)


def _parsed(batch: list[dict], plugin: registry.Plugin, overwrite: bool) -> list[dict]:
    views = [dialogue.view(record) for record in batch]
    made: dict[int, dict] = {}
    for lang in dict.fromkeys(record["lang"] for record in batch):  # a parser gets one language at a time
        options = {"lang": lang, **plugin.options}
        places = [place for place, record in enumerate(batch) if record["lang"] == lang]
        texts = [holder["text"] for place in places for holder in _holders(views[place], overwrite)]
        found = zip(texts, plugin.call(texts, **options), strict=True)
        lists = iter([_checked(text, tokens) for text, tokens in found])
        versions = plugin.constant("versions", None)
        signature = history.signature(plugin.name, lang=options["lang"], **(versions(**options) if versions else {}))
        made |= {place: _annotated(views[place], lists, signature) for place in places}
    return [made[place] for place in range(len(batch))]


def _holders(view: dict, overwrite: bool) -> list[dict]:
    """Return what holds a text in a record; RecordError where it has tokens already that are not to be overwritten."""
    holders = dialogue.holders(view)
    for number, holder in enumerate(holders, 1):
        if holder.get("tokens") is not None and not overwrite:
            where = "beside its text" if holder is view else f"in turn {number}"
            raise RecordError(f'the record has "tokens" already, {where} (--overwrite parses it anew)')
    return holders


def _checked(text: str, tokens: list[dict]) -> list[dict]:
    """Return the tokens of a text if they stand where they say; a text with letters or digits must have some."""
    at = 0
    for token in tokens:
        if not at <= token["start"] < token["end"] or text[token["start"]:token["end"]] != token["form"]:
            raise RecordError(f"the parser's word {show(token['form'])} does not stand at {token['start']} to "
                              f"{token['end']} of {show(text)}")
        at = token["end"]
    if not tokens and any(map(str.isalnum, text)):
        raise RecordError(f"the parser finds no word in {show(text)}")
    return tokens


def _annotated(view: dict, lists: Iterator[list[dict]], signature: str) -> dict:
    """Return a record with the next lists of tokens, one for each of its texts."""
    made, found = dict(view), []
    if view.get("dialogue"):
        made["dialogue"] = [{**turn, "tokens": next(lists)} for turn in view["dialogue"]]
        found = [turn["tokens"] for turn in made["dialogue"]]
    if view.get("text") is not None:
        made["tokens"] = next(lists)
        found.append(made["tokens"])
    sentences = sum(len({token.get("sent") for token in tokens}) for tokens in found)
    counts = {"tokens": sum(map(len, found)), "sentences": sentences, "texts without a word": found.count([])}
    return history.add(made, BY, signature, counts=counts)


@cli.command(
    BY,
    click.option("--parser", type=cli.Plugin("parsers"), help="Parser to use, such as fugashi or stanza:dir=models; "
                 "there is no default."),
    click.option("--to", type=click.Choice(["jsonl", "conllu"]), default="jsonl", show_default=True,
                 help="What to write: records, or CoNLL-U."),
    click.option("--overwrite", is_flag=True, help="Parse records anew that have tokens already."),
    cli.listing("parsers"), *cli.stream("dialogue", "text"))
def main(to, **options) -> int:
    """Add words, parts of speech and dependencies to dialogues.

    Every turn, and a "text", gets "tokens": form, start and end (code points of
    the text), lemma, upos, xpos, feats, head and deprel as far as the parser
    knows them, and sent, the number of the sentence in the turn.  A dialogue
    that is a string becomes a list of turns.

    --to conllu writes sentences instead of records, with the id, variant, turn
    and speaker of each in comments.

    Memory: 32 records at a time, and the parser's model.

    Examples:

    $ echo '{"id": 1, "dialogue": "A: 猫が寝る。"}' | dt-parse --parser fugashi --lang ja -q |
      jq -c '.dialogue[0].tokens[0] | [.form, .start, .end, .upos, .reading]'
    ["猫",0,1,"NOUN","ネコ"]
    $ echo '{"id": 1, "dialogue": "A: 猫が寝る。"}' |
      dt-parse --parser fugashi --lang ja --to conllu -q | cut -f 1-4
    # id = 1
    # turn = 1
    # speaker = A
    # text = 猫が寝る。
    1	猫	猫	NOUN
    2	が	が	ADP
    3	寝る	寝る	VERB
    4	。	。	PUNCT
    """
    if options["parser"] is None:
        raise OptionError(f"which --parser? There are {', '.join(registry.names('parsers'))}; see --list")
    if to == "conllu" and options["on_error"] == "keep":
        raise click.UsageError("--to conllu cannot keep a record that was not parsed: --on-error skip")
    render = cli.render if to == "jsonl" else partial(items.written, to)
    return cli.run(parse, by=BY, keys=["dialogue|text"], render=render, **options)
