"""What a parser declares: tokens of texts."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class Parser:
    """Tokens of texts.

    parse(texts, *, language, options): a list of tokens for each text; [] for one without words.
        Texts are at most as long as parsing/texts.py says.  A token is a dict:

        form, start, end   text[start:end] == form, in code points; in order, without overlap
        sent               number of its sentence in the text, from 1
        lemma, upos, xpos, feats, head, deprel   as in CoNLL-U, if known; head counts from 1
        ner                tag of a named entity: O, B-PER, I-PER, …
        word, part         in a multiword token: see records/tokens.py
        reading            of Japanese words, in kana
    annotate(tokens, *, language, options): the same for texts that are tokenized; all tokens stay.
    versions(*, language, options): a dict for the signature: versions, models.
    ready(*, language): are library and models installed?  For --parser auto.
    """

    parse: Callable[..., list]
    annotate: Callable[..., list] | None = None
    versions: Callable[..., dict] | None = None
    ready: Callable[..., bool] | None = None
    summary: str = ""
