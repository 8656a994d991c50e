"""Models as dt-generate reads with them, asked how likely a text is after what they have read."""

from typing import Any, NamedTuple

from dialtools.inference import inputs, prompts
from dialtools.models import (
    attributions,
    checkpoints,
    engine_torch,
    folders,
    likelihoods,
    multilingual,
)
from dialtools.models.checkpoints import Place
from dialtools.models.decoding import Decoding
from dialtools.models.likelihoods import Query
from dialtools.models.multilingual import Languages
from dialtools.models.writers import Writer, end_tokens
from dialtools.records import dialogue
from dialtools.system.errors import OptionError, RecordError, about


class ContinuationModel(NamedTuple):
    """A model; most: tokens of input."""

    kind: str
    network: Any
    writer: Writer
    decoding: Decoding
    most: int

    def read(self, view: dict, named: bool = True) -> inputs.Read:
        """Return what the model reads of a view of a record; named: with names and places."""
        side, source = self.decoding.truncate, self.decoding.src_lang
        return inputs.rows([view], self.writer, self.kind, self.most, side, source, named)[0]

    def tokens(self, text: str, view: dict, ended: bool) -> tuple[int, ...]:
        """Return the tokens of a text that the model might write after a view of a record; ended:
        with its end.
        """
        tokenizer, ends = self.writer.tokenizer, end_tokens(self.writer.settings)
        with about(view):
            if self.kind == "causal":
                end = tuple(ends[:1]) if ended else ()
                # an output may be nothing but its end
                return (*self._going_on(view, text), *end) if text or not end else end
            languages = Languages(self.decoding.src_lang, self.decoding.tgt_lang)
            multilingual.tell(tokenizer, languages._replace(lang=dialogue.lang(view)))
        ids = tuple(tokenizer(text_target=text, verbose=False)["input_ids"])
        return ids if ended or ids[-1] not in ends else ids[:-1]

    def _going_on(self, view: dict, text: str) -> tuple[int, ...]:
        """Return the tokens of a text as it goes on from what a causal model reads.

        Where that ends without white space there is a space between, if the language writes spaces;
        a text stands alone after a chat template that ends so ([/INST]).
        """
        tokenizer, read = self.writer.tokenizer, prompts.of(view)
        if tokenizer.chat_template:
            read = inputs.rendered_chat(tokenizer, read, view.get("system_prompt"))
            if not read[-1:].isspace():
                return likelihoods.encoded(tokenizer, text)
        elif view.get("prompt") is None:
            read += "\n"
        if text and not read[-1:].isspace() and not text[:1].isspace():
            text = dialogue.language(view).space + text
        before, both = (likelihoods.encoded(tokenizer, part) for part in (read, read + text))
        # alone, the tokenizers of Llama 2 and Mistral would put one more sign of a new word before it
        if len(both) > len(before) and both[: len(before)] == before:
            return both[len(before) :]
        return likelihoods.encoded(tokenizer, text)

    def asked(self, read: inputs.Read, ids: tuple[int, ...], record: dict) -> Query:
        """Return the row that asks how likely tokens are after what was read."""
        positions = len(ids) + (len(read.ids) if self.kind == "causal" else 0)
        if positions > self.positions:
            raise RecordError(
                f"{positions} tokens with the output, and the model has positions for "
                f"{self.positions}",
                record,
            )
        return likelihoods.continuation(self.network, read.ids, ids, read.names)

    @property
    def positions(self) -> int:
        """Tokens that it may write, for a causal model with those that it has read."""
        return checkpoints.positions(self.writer.tokenizer, self.writer.config, "decoder")


def reader(name: str, decoding: Decoding, place: Place, shows: bool = False) -> ContinuationModel:
    """Return a model by folder or hub name; shows: one that can show its attention."""
    kind = likelihoods.kind(name, place.offline)
    if kind == "masked":
        raise OptionError(f"{name} is a masked model, which writes nothing")
    load = attributions.showing if shows else likelihoods.loaded
    tokenizer, network = load(kind, name, place)
    writer = engine_torch.over(kind, tokenizer, network)
    decoding = folders.with_habits(decoding, name)
    if multilingual.many(tokenizer) and not decoding.tgt_lang:
        raise OptionError(f"{name} writes many languages: which one? tgt_lang=CODE")
    most = inputs.limit(writer, kind, decoding.max_input, decoding.max_new_tokens)
    return ContinuationModel(kind, network, writer, decoding, most)
