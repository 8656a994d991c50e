"""Cut running translations into the sentences of their references.

The words of the translation and those of all references in sequence are aligned
by minimum edit distance, ignoring case; where a reference ends in the alignment,
a part of the translation ends.  The edit distances of the parts then add up to
the least that any cuts could give.  Unaligned words at a cut go with the part
before it, those at the very beginning with the first part.

Source: Matusov et al. 2005, https://aclanthology.org/2005.iwslt-1.19, whose
mwerSegmenter does so for one reference or several.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Literal

import click

from dialtools import languages
from dialtools.pipeline import cli
from dialtools.pipeline.work import Work
from dialtools.records import dialogue, history, validation
from dialtools.records.wellformed import is_number
from dialtools.system.errors import RecordError, about, show

BY = "dt-resegment"
COUNTERS = {"empty": ("sentences empty", "references to which no words belong")}
_DELAYS = ("delays", "elapsed")
_OF_TALK = (
    "segments",
    "reference",
    "reference_tokens",
    "source_length",
    "prediction",
    *dialogue.OF_PREDICTION,
)  # keys that no part of a talk has

Span = tuple[int, int]


def resegment(
    records: Iterable[dict], *, unit: Literal["auto", "word", "char"] = "auto"
) -> Iterator[dict]:
    """Yield, for each record with a running translation, one record for each of its "segments".

    unit: what is aligned and has a delay: words, characters, or (auto) characters in languages
        without spaces.
    """
    for record in validation.completed(records):
        with about(record):
            language = languages.get(dialogue.lang(record))
            spaced = unit == "word" or (unit == "auto" and bool(language.space))
            yield from _parts(record, _segments(record), spaced)


def _parts(record: dict, segments: list[dict], spaced: bool) -> Iterator[dict]:
    """Yield the records of a talk's segments."""
    text = dialogue.best(record)
    words = _spans(text, spaced)
    references = [
        [reference[slice(*span)] for span in _spans(reference, spaced)]
        for reference in (segment["reference"] for segment in segments)
    ]
    delays = {
        key: _delays(record, key, len(words)) for key in _DELAYS if record.get(key) is not None
    }
    starts = _starts(segments) if delays else [0.0] * len(segments)
    signature = history.signature("resegment", unit="word" if spaced else "char")
    shared = {key: value for key, value in record.items() if key not in _OF_TALK}
    parts = cuts([text[slice(*span)] for span in words], references)
    numbered = enumerate(zip(segments, parts, starts, strict=True), 1)
    for number, (segment, (first, last), start) in numbered:
        prediction = text[words[first][0] : words[last - 1][1]] if first < last else ""
        made = {
            **shared,
            "id": f"{record['id']}-{number}",
            "cluster": record.get("cluster") or str(record["id"]),
            **segment,
            "prediction": prediction,
        }
        made |= {key: [delay - start for delay in own[first:last]] for key, own in delays.items()}
        yield history.add(made, BY, signature, counts={} if first < last else {"empty": 1})


def _spans(text: str, spaced: bool) -> list[Span]:
    """Return the spans of the words, or, in a language without spaces, of the characters."""
    return [word.span() for word in re.finditer(r"\S+" if spaced else r"\S", text)]


def cuts(words: Sequence[str], references: Sequence[Sequence[str]]) -> list[Span]:
    """Return for each reference its part of the words, as (first, after the last).

    >>> cuts("the cat sat um on it goes".split(), ["the cat sat".split(), "It goes".split()])
    [(0, 5), (5, 7)]
    """
    from rapidfuzz.distance import Levenshtein

    said = [word.casefold() for word in words]
    wanted = [word.casefold() for reference in references for word in reference]
    changes = list(Levenshtein.opcodes(wanted, said))
    ends = [change.src_end for change in changes]
    places = [0]
    for end in list(accumulate(map(len, references)))[:-1]:
        at = bisect_right(ends, end)  # after the words inserted there
        if at == len(ends):
            places.append(len(words))
        else:
            change = changes[at]
            places.append(min(change.dest_start + end - change.src_start, change.dest_end))
    return list(pairwise([*places, len(words)]))


def _segments(record: dict) -> list[dict]:
    segments = record.get("segments")
    if not isinstance(segments, list) or not segments:
        raise RecordError(
            f'"segments" must be a list of objects with a "reference", not {show(segments)}'
        )
    for number, segment in enumerate(segments, 1):
        if not isinstance(segment, dict) or not isinstance(segment.get("reference"), str):
            raise RecordError(
                f'segment {number} must be an object whose "reference" is a string, '
                f"not {show(segment)}"
            )
    return segments


def _delays(record: dict, key: str, words: int) -> list[float]:
    delays = record[key]
    if not isinstance(delays, list) or not all(map(is_number, delays)):
        raise RecordError(f'"{key}" must be a list of numbers, not {show(delays)}')
    if len(delays) != words:
        raise RecordError(
            f'"{key}" has {len(delays)} numbers, '
            f"the prediction has {words} words (or characters, --unit)"
        )
    return delays


def _starts(segments: list[dict]) -> list[float]:
    """Return the start of each segment in the source: its "start", or the sum of lengths before."""
    if all(is_number(segment.get("start")) for segment in segments):
        return [segment["start"] for segment in segments]
    for number, segment in enumerate(segments, 1):
        if not is_number(segment.get("source_length")):
            raise RecordError(
                f'segment {number} has no number "source_length", and not all have a '
                '"start": delays are counted from there'
            )
    return [0, *accumulate(segment["source_length"] for segment in segments[:-1])]


@cli.command(
    BY,
    click.option(
        "--unit",
        type=click.Choice(["auto", "word", "char"]),
        default="auto",
        show_default=True,
        help="What is aligned and has a delay: words, characters, or "
        "characters in languages that are written without spaces.",
    ),
    cli.files,
    cli.output,
    cli.limit,
    cli.lang,
    cli.on_error,
    cli.jobs,
    cli.shard,
    cli.key_options("id", "lang", "prediction"),
    cli.progress,
    cli.quiet,
)
def main(**options) -> int:
    """Cut running translations into the sentences of their references.

    A record is a talk: its "prediction" is the output of a system, as one text or
    in lines of its own; its "segments" are objects with a "reference" each.  The
    output has one record for each segment, with its part of the prediction; the
    parts minimise the sum of edit distances to the references.  All records of a
    talk have it as their "cluster", and an "id" such as talk-1.

    "delays" and "elapsed", one for each word (or character) of the prediction,
    are cut with it and then counted from the start of the segment in the source:
    its "start", or else the sum of the "source_length" of the segments before it.
    Score the result with dt-score -m laal, -m bleu and the like.  There is no
    --resume: the output has other ids than the input.

    Memory: one record at a time.

    Examples:

    $ echo '{"id": 7, "prediction": "a b", "segments": [{"reference": "A"}, {"reference": "b"}]}' |
      dt-resegment -q | jq -c '[.id, .prediction]'
    ["7-1","a"]
    ["7-2","b"]
    """
    return cli.run(
        Work(resegment, by=BY, counters=COUNTERS, keys=["prediction", "segments"]), **options
    )
