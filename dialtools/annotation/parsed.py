"""Batches of records through a parser."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from dialtools import registry
from dialtools.annotation import choosing, pieces, places
from dialtools.errors import OptionError, RecordError, show
from dialtools.records import dialogue, history, tokens

BY = "dt-parse"
AUTO = "auto"


class Task(NamedTuple):
    """What is asked for; see dt-parse."""

    parser: str | Callable
    overwrite: bool
    pretokenised: bool
    also: tuple[str, ...]
    device: str | None
    offline: bool

    def plugin(self, lang: str) -> registry.Plugin:
        """Return the parser of a language."""
        plugin = choosing.chosen(lang) if self.parser == AUTO else registry.load("parsers", self.parser)
        if self.offline:
            plugin = plugin.given(offline=True)
        if self.device is None:
            return plugin
        if self.parser != AUTO and "device" not in plugin.defaults():
            raise OptionError(f"{plugin.name} works without a model that a device could take (--device)")
        return plugin.given(device=self.device)


def parsed(batch: list[dict], task: Task) -> list[dict]:
    """Return the records with tokens; RecordError, without its record, where a parser fails on one of them."""
    made: dict[int, dict] = {}
    for lang in dict.fromkeys(record["lang"] for record in batch):  # a parser gets one language at a time
        numbers = [number for number, record in enumerate(batch) if record["lang"] == lang]
        of_lang = _of_language([dialogue.view(batch[number]) for number in numbers], lang, task)
        made |= zip(numbers, of_lang, strict=True)
    return [made[number] for number in range(len(batch))]


def _of_language(views: list[dict], lang: str, task: Task) -> list[dict]:
    plugin = task.plugin(lang)
    options = {"lang": lang, **plugin.options}
    texts = [text for view in views for text in _texts(view, task)]
    find = _annotated if task.pretokenised else _parsed
    lists = iter(find(texts, plugin, options))
    signature = _signature(plugin, options, task)
    return [_entered(view, lists, task.also, signature) for view in views]


def _texts(view: dict, task: Task) -> list[places.Text]:
    """Return the texts of a record; RecordError where tokens are there, or not, against what was asked for."""
    found = places.texts(view, task.also)
    for text in found:
        if task.pretokenised:
            _check_words(text)
        elif text.tokens is not None and not task.overwrite:
            raise RecordError(f'the record has "tokens" already, {text.where} (--overwrite parses it anew, '
                              "--pretokenised keeps its words)")
    return found


def _check_words(text: places.Text) -> None:
    """Raise RecordError unless each word of a text has a token."""
    holder = text._asdict()
    tokens.check(holder)
    if not tokens.has(holder):
        raise RecordError(f'no "tokens" {text.where}, and --pretokenised takes the words that are there')
    word = tokens.without(holder)
    if word:
        raise RecordError(f"{show(word)} {text.where} has no token, and --pretokenised takes the words that are there: "
                          "--overwrite parses a text anew that was perturbed")


def _parsed(texts: list[places.Text], plugin: registry.Plugin, options: dict) -> list[list[dict]]:
    """Return the parser's tokens of each text; it gets long texts in pieces."""
    cut = [pieces.cut(text.text, options["lang"]) for text in texts]
    whole = [piece for parts in cut for piece in parts]
    found = zip(whole, plugin.call(whole, **options), strict=True)
    lists = iter([_checked(piece, made) for piece, made in found])
    return [pieces.joined(parts, lists) for parts in cut]


def _annotated(texts: list[places.Text], plugin: registry.Plugin, options: dict) -> list[list[dict]]:
    """Return the tokens that texts have, with what the parser says of them."""
    if plugin.module is None:
        raise OptionError("a function takes no words that are given: --parser NAME")
    if plugin.constant("annotate", None) is None:
        others = ", ".join(registry.said_to_define("parsers", "annotate"))
        raise OptionError(f"{plugin.name} says nothing of words that are given (--pretokenised), which {others} do")
    annotate = registry.load("parsers", plugin.name, "annotate").call
    found = annotate([text.tokens or [] for text in texts], **options)
    return [_checked(text.text, made) for text, made in zip(texts, found, strict=True)]


def _checked(text: str, found: list[dict]) -> list[dict]:
    """Return the tokens of a text if they stand where they say; a text with letters or digits must have some."""
    at = 0
    for token in found:
        if not at <= token["start"] < token["end"] <= len(text) or text[token["start"]:token["end"]] != token["form"]:
            raise RecordError(f"the parser's word {show(token['form'])} does not stand at {token['start']} to "
                              f"{token['end']} of {show(text)}")
        at = token["end"]
    if not found and any(map(str.isalnum, text)):
        raise RecordError(f"the parser finds no word in {show(text)}")
    return found


def _signature(plugin: registry.Plugin, options: dict, task: Task) -> str:
    versions = plugin.constant("versions", None)
    of_parser = versions(**options) if versions else {}
    return history.signature(plugin.name, lang=options["lang"], words="given" if task.pretokenised else None,
                             also="+".join(task.also) or None, **of_parser)


def _entered(view: dict, lists: Iterator[list[dict]], also: tuple[str, ...], signature: str) -> dict:
    """Return a record with the next lists of tokens, one for each of its texts, and what was done in its history."""
    made = places.placed(view, also, lists)
    texts = places.texts(made, also)
    found = [text.tokens or [] for text in texts]
    counts = {"tokens": sum(map(len, found)),
              "sentences": sum(len({token.get("sent") for token in of_text}) for of_text in found),
              "texts without a word": found.count([])}
    long = sum(len(text.text) > pieces.LONGEST for text in texts)
    if long:
        counts["long texts in pieces"] = long
    return history.add(made, BY, signature, counts=counts)
