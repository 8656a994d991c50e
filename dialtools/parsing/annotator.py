"""Batches of records through a parser, a language at a time."""

import functools
from collections.abc import Callable, Iterator
from typing import NamedTuple

from dialtools import languages
from dialtools.languages import Language
from dialtools.parsing import AUTO
from dialtools.parsing.texts import LONGEST, TokenizedText, joined, split, texts, with_tokens
from dialtools.plugins import registry
from dialtools.plugins.registry import Plugin
from dialtools.records import dialogue, history, tokens
from dialtools.system.errors import OptionError, RecordError, show

BY = "dt-parse"
ORDER = ("stanza", "fugashi", "jieba")  # of auto: trees before parts of speech


class Annotator(NamedTuple):
    """A parser and its options; see dt-parse."""

    parser: str | Callable
    overwrite: bool
    pretokenised: bool
    also: tuple[str, ...]
    device: str | None
    offline: bool

    def annotated(self, batch: list[dict]) -> list[dict]:
        """Return the records with tokens; RecordError, without the record, if one fails."""
        parsed: dict[int, dict] = {}
        for lang in dict.fromkeys(record["lang"] for record in batch):
            numbers = [number for number, record in enumerate(batch) if record["lang"] == lang]
            views = [dialogue.view(batch[number]) for number in numbers]
            parsed |= zip(numbers, self._of_language(views, languages.get(lang)), strict=True)
        return [parsed[number] for number in range(len(batch))]

    def _of_language(self, views: list[dict], language: Language) -> list[dict]:
        is_auto = self.parser == AUTO
        plugin = chosen(language) if is_auto else registry.load("parsers", self.parser)
        if self.offline:
            plugin = plugin.given(offline=True)
        if self.device is not None:
            if not is_auto and "device" not in plugin.defaults():
                raise OptionError(f"{plugin.name} has no model: --device does not apply")
            plugin = plugin.given(device=self.device)
        options = {"language": language, **plugin.options}
        listed = [text for view in views for text in self._texts(view)]
        if self.pretokenised:
            if not plugin.is_ours:
                raise OptionError("--pretokenised needs a parser of dialtools, not a function")
            if plugin.declared.annotate is None:
                able = ", ".join(registry.declaring("parsers", "annotate"))
                raise OptionError(
                    f"{plugin.name} cannot annotate given words (--pretokenised); these can: {able}"
                )
            annotate = registry.load("parsers", plugin.name, "annotate").call
            annotated = annotate([text.tokens or [] for text in listed], **options)
            pairs = zip((text.text for text in listed), annotated, strict=True)
            lists = iter([_checked(text, parsed) for text, parsed in pairs])
        else:  # long texts are parsed in chunks
            chunked = [split(text.text, options["language"]) for text in listed]
            flat = [chunk for chunks in chunked for chunk in chunks]
            pairs = zip(flat, plugin.call(flat, **options), strict=True)
            checked = iter([_checked(chunk, parsed) for chunk, parsed in pairs])
            lists = iter([joined(chunks, checked) for chunks in chunked])
        versions = plugin.declared.versions
        signature = history.signature(
            plugin.name,
            lang=options["language"].tag,
            words="given" if self.pretokenised else None,
            also="+".join(self.also) or None,
            **versions(**options) if versions else {},
        )
        return [self._entered(view, lists, signature) for view in views]

    def _texts(self, view: dict) -> list[TokenizedText]:
        """Return the texts of a record; RecordError if they have tokens against the options."""
        listed = texts(view, self.also)
        for text in listed:
            if self.pretokenised:
                holder = text._asdict()
                tokens.require_aligned(holder)
                if not tokens.has(holder):
                    raise RecordError(f'no "tokens" {text.where}: --pretokenised needs them')
                if word := tokens.without(holder):
                    raise RecordError(
                        f"{show(word)} {text.where} has no token, as --pretokenised needs: "
                        "--overwrite parses a perturbed text again"
                    )
            elif text.tokens is not None and not self.overwrite:
                raise RecordError(
                    f'the record already has "tokens" {text.where} (--overwrite '
                    "parses it again, --pretokenised keeps its words)"
                )
        return listed

    def _entered(self, view: dict, lists: Iterator[list[dict]], signature: str) -> dict:
        """Return a record with the next lists of tokens, and counts in its history."""
        record = with_tokens(view, self.also, lists)
        listed = texts(record, self.also)
        tokens_of = [text.tokens or [] for text in listed]
        sentences = [{token.get("sent") for token in tokens} for tokens in tokens_of]
        counts = {
            "tokens": sum(map(len, tokens_of)),
            "sentences": sum(map(len, sentences)),
            "texts without a word": tokens_of.count([]),
        }
        long = sum(len(text.text) > LONGEST for text in listed)
        if long:
            counts["long texts in pieces"] = long
        return history.add(record, BY, signature, counts=counts)


@functools.lru_cache(maxsize=None)
def chosen(language: Language) -> Plugin:
    """Return the best parser that is ready for a language, with its models; RecordError if none is.

    Others need the name of a model.
    """
    for name in ORDER:
        plugin = registry.load("parsers", name)
        if plugin.declared.ready(language=language):
            return plugin
    raise RecordError(
        f"--parser auto finds no parser for {language.tag} among {', '.join(ORDER)}: --parser NAME "
        "says what is missing; udpipe and biaffine need the name of a model, and whitespace "
        "needs nothing but finds only words"
    )


def _checked(text: str, parsed: list[dict]) -> list[dict]:
    """Return the tokens of a text; RecordError if they do not fit it, or miss all its words."""
    tokens.require_aligned({"text": text, "tokens": parsed})
    if not parsed and any(map(str.isalnum, text)):
        raise RecordError(f"the parser finds no word in {show(text)}")
    return parsed
