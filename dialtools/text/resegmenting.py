"""Running translations cut into the sentences of their references.

The words of the translation and those of all references in sequence are aligned
by minimum edit distance, ignoring case; where a reference ends in the alignment,
a part of the translation ends.  The edit distances of the parts then add up to
the least that any cuts could give.  Unaligned words at a cut go with the part
before it, those at the very beginning with the first part.

Source: Matusov et al. 2005, https://aclanthology.org/2005.iwslt-1.19, whose
mwerSegmenter does so for one reference or several.  Delays of a stream: Papi et al. 2024,
https://arxiv.org/abs/2406.06097, and the script stream_laal.py of FBK-fairseq.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from dialtools.records import dialogue, history
from dialtools.records.wellformed import is_number
from dialtools.system.errors import RecordError, show

BY = "dt-resegment"
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


def parts(record: dict, spaced: bool, stream: bool = False) -> Iterator[dict]:
    """Yield the records of a talk's segments.

    spaced: words are aligned, else characters.
    stream: count delays as StreamLAAL does.
    """
    segments = _segments(record)
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
    signature = history.signature(
        "resegment", unit="word" if spaced else "char", stream=stream or None
    )
    shared = {key: value for key, value in record.items() if key not in _OF_TALK}
    spans = cuts([text[slice(*span)] for span in words], references)
    word_starts = [
        start
        for (first, last), start in zip(spans, starts, strict=True)
        for _ in range(first, last)
    ]
    counted = {
        key: [delay - start for delay, start in zip(of_words, word_starts, strict=True)]
        for key, of_words in delays.items()
    }
    if stream:
        counted = _streamed(delays, word_starts)
    numbered = enumerate(zip(segments, spans, strict=True), 1)
    for number, (segment, (first, last)) in numbered:
        prediction = text[words[first][0] : words[last - 1][1]] if first < last else ""
        part = {
            **shared,
            "id": f"{record['id']}-{number}",
            "cluster": record.get("cluster") or str(record["id"]),
            **segment,
            "prediction": prediction,
        }
        part |= {key: of_words[first:last] for key, of_words in counted.items()}
        yield history.add(part, BY, signature, counts={} if first < last else {"empty": 1})


def _streamed(delays: dict[str, list[float]], starts: list[float]) -> dict[str, list[float]]:
    """Return delays from the starts of their segments as StreamLAAL counts them.

    None is below 0, and of the time for computing, which SimulEval adds up over a talk, each word
    has that since the word before; words that were written at once have the same.
    """
    if "delays" not in delays:
        raise RecordError('no "delays", which --stream counts')
    plain, elapsed = delays["delays"], delays.get("elapsed")
    counted = {
        "delays": [max(0, delay - start) for delay, start in zip(plain, starts, strict=True)]
    }
    if elapsed is None:
        return counted
    counted["elapsed"] = []
    for number, (delay, time, start) in enumerate(zip(plain, elapsed, starts, strict=True)):
        if number and time == elapsed[number - 1]:
            time = counted["elapsed"][-1] - counted["delays"][number - 1] + delay
        elif number:
            time += plain[number - 1] - elapsed[number - 1]
        counted["elapsed"].append(max(0, time - start))
    return counted


def _spans(text: str, spaced: bool) -> list[Span]:
    """Return the spans of the words, or, in a language without spaces, of the characters."""
    return [word.span() for word in re.finditer(r"\S+" if spaced else r"\S", text)]


def cuts(words: Sequence[str], references: Sequence[Sequence[str]]) -> list[Span]:
    """Return for each reference its part of the words, as (first, after the last).

    >>> cuts("the cat sat um on it goes".split(), ["the cat sat".split(), "It goes".split()])
    [(0, 5), (5, 7)]
    """
    from rapidfuzz.distance import Levenshtein

    folded = [word.casefold() for word in words]
    wanted = [word.casefold() for reference in references for word in reference]
    changes = list(Levenshtein.opcodes(wanted, folded))
    ends = [change.src_end for change in changes]
    places = [0]
    for end in list(accumulate(map(len, references)))[:-1]:
        number = bisect_right(ends, end)  # after the words inserted there
        if number == len(ends):
            places.append(len(words))
        else:
            change = changes[number]
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
