"""Cut running translations into the sentences of their references."""

from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Literal

import click

from dialtools import cli, languages
from dialtools.commands import _resegmenting as resegmenting
from dialtools.commands._resegmenting import Span
from dialtools.errors import RecordError, about, show
from dialtools.records import dialogue, history
from dialtools.records.wellformed import is_number
from dialtools.run.source import completed

BY = "dt-resegment"
_DELAYS = ("delays", "elapsed")
_OF_ALL = ("segments", "reference", "reference_tokens", "source_length", "prediction",
           *dialogue.OF_PREDICTION)  # of the talk, not of its parts


def resegment(records: Iterable[dict], *, unit: Literal["auto", "word", "char"] = "auto") -> Iterator[dict]:
    """Yield, for each record with a running translation, one for each of its "segments", with its part of it.

    unit: what is aligned, and has a delay: words, characters, or characters in languages without spaces (auto).
    """
    for record in completed(records):
        with about(record):
            spaced = unit == "word" or (unit == "auto" and bool(languages.space(dialogue.lang(record))))
            yield from _parts(record, _segments(record), spaced)


def _parts(record: dict, segments: list[dict], spaced: bool) -> Iterator[dict]:
    """Yield the records of a talk's segments."""
    text = dialogue.best(record)
    words = resegmenting.spans(text, spaced)
    references = [_words(reference, resegmenting.spans(reference, spaced))
                  for reference in (segment["reference"] for segment in segments)]
    delays = {key: _delays(record, key, len(words)) for key in _DELAYS if record.get(key) is not None}
    starts = _starts(segments) if delays else [0.0] * len(segments)
    signature = history.signature("resegment", unit="word" if spaced else "char")
    shared = {key: value for key, value in record.items() if key not in _OF_ALL}
    cuts = resegmenting.cuts(_words(text, words), references)
    for number, (segment, cut, start) in enumerate(zip(segments, cuts, starts, strict=True), 1):
        made = {**shared, "id": f"{record['id']}-{number}", "cluster": record.get("cluster") or str(record["id"]),
                **segment, "prediction": _text(text, words, cut)}
        made |= {key: [delay - start for delay in own[slice(*cut)]] for key, own in delays.items()}
        yield history.add(made, BY, signature, counts={} if cut[0] < cut[1] else {"empty": 1})


def _words(text: str, spans: list[Span]) -> list[str]:
    return [text[start:end] for start, end in spans]


def _segments(record: dict) -> list[dict]:
    segments = record.get("segments")
    if not isinstance(segments, list) or not segments:
        raise RecordError(f'"segments" is a list of objects with a "reference", here is {show(segments)}')
    for number, segment in enumerate(segments, 1):
        if not isinstance(segment, dict) or not isinstance(segment.get("reference"), str):
            raise RecordError(f'segment {number} is no object with a "reference" that is a string: {show(segment)}')
    return segments


def _delays(record: dict, key: str, words: int) -> list[float]:
    delays = record[key]
    if not isinstance(delays, list) or not all(map(is_number, delays)):
        raise RecordError(f'"{key}" is a list of numbers, here is {show(delays)}')
    if len(delays) != words:
        raise RecordError(f'"{key}" has {len(delays)} numbers, '
                          f"the prediction has {words} words (or characters, --unit)")
    return delays


def _starts(segments: list[dict]) -> list[float]:
    """Return where each segment begins in the source: its "start", or else where the one before it ends."""
    if all(is_number(segment.get("start")) for segment in segments):
        return [segment["start"] for segment in segments]
    for number, segment in enumerate(segments, 1):
        if not is_number(segment.get("source_length")):
            raise RecordError(f'segment {number} has no "source_length", a number, nor do all have a "start": '
                              "its delays are counted from there")
    return [0, *accumulate(segment["source_length"] for segment in segments[:-1])]


def _text(text: str, words: list[Span], cut: Span) -> str:
    """Return the text from one word to another, as it stands there."""
    first, last = cut
    return text[words[first][0]:words[last - 1][1]] if first < last else ""


@cli.command(
    BY,
    click.option("--unit", type=click.Choice(["auto", "word", "char"]), default="auto", show_default=True,
                 help="What is aligned, and has a delay: words, characters, or characters in languages that are "
                 "written without spaces."),
    cli.files, cli.output, cli.limit, cli.lang, cli.on_error, cli.jobs, cli.shard,
    cli.key_options("id", "lang", "prediction"), cli.progress, cli.quiet)
def main(**options) -> int:
    """Cut running translations into the sentences of their references.

    A record is a talk: its "prediction" is what a system wrote, in one text or
    in lines of its own; its "segments" are objects with a "reference" each.  For
    each segment comes one record, with the part of the prediction that makes the
    sum of edit distances to the references least.  All records of a talk have
    it as their "cluster", and an "id" such as talk-1.

    "delays" and "elapsed", one for each word (or character) of the prediction,
    are cut with it and then counted from where the segment begins in the source:
    its "start", or else the sum of the "source_length" of those before it.  Then
    dt-score -m laal, -m bleu and the like go on.  There is no --resume: the ids of
    what comes out are not those of what goes in.

    Memory: one record at a time.

    Examples:

    $ echo '{"id": 7, "prediction": "we go it rained", "segments": [{"reference": "We go"}, {"reference": "It was"}]}' |
      dt-resegment -q | jq -c '[.id, .prediction]'
    ["7-1","we go"]
    ["7-2","it rained"]
    """
    return cli.run(resegment, by=BY, keys=["prediction", "segments"], **options)
