"""What a generator declares: texts for records."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class Generator:
    """Texts for records.

    generate(records, *, options): as many dicts with "prediction", any iterable; those yielded
        before a record fails are kept.  A list is an n-best list, best first.  The records have
        dialogues as lists of turns and, where a template was given, "prompt", the text to be read
        instead, and perhaps "system_prompt".  Other facts (input_tokens, truncated, …) go into the
        history; "truncated" and "unfinished" are counted; "delays" and "source_length" of
        simultaneous translation go into the record.
    needs: keys that the record must have, or a function of the options.
    settings(*, options): the options as they take effect, for the signature; raises OptionError if
        they exclude each other.
    requests(records, *, options): the questions for a server, pairs (record, body); a generator
        that has them is asked for many records at once.
    read(answer, record, *, options): what generate would yield, of a server's answer.
    whole_spec, summary: as in Metric.

    A parameter "arrived" gets a function, or None: a generator that has outputs before it can yield
    them in order calls it with {place among the records: output}, in any thread, so that they are
    kept.  An option "model" is a model's path or hub name; "window", or else "batch_size", is the number
    of records to pass at once, by default one.  A parameter that is a value (Decoding, Runtime, …)
    offers its fields as options (see options.flat).
    """

    generate: Callable[..., Any]
    needs: tuple[str, ...] | Callable[[dict], tuple[str, ...]] = ("dialogue|text",)
    settings: Callable[..., dict] = dict
    requests: Callable[..., Any] | None = None
    read: Callable[..., dict] | None = None
    whole_spec: str = ""
    summary: str = ""
