"""TweetSumm: English customer support on Twitter, each dialogue with summaries by several people.

The published lines hold numbers of tweets in place of texts: download twcs.csv, the
Kaggle data set "Customer Support on Twitter", and give tweetsumm:tweets=twcs.csv.
What its authors' script makes of both (one object a line with "dialog" and
"summaries") is read, too.  The speakers are Customer and Agent; each abstractive
summary is a reference, the extractive ones stay as "extractive", a list of texts.

Source: Feigenblat et al. 2021, https://aclanthology.org/2021.findings-emnlp.24.

>>> from io import BytesIO
>>> said = '{"dialog_id": "a", "turns": [{"is_agent": false, "sentences": ["Hi.", "Help!"]}]}'
>>> summaries = '{"extractive_summaries": [], "abstractive_summaries": [["A customer asks."]]}'
>>> _, record = next(read(BytesIO(f'{{"dialog": {said}, "summaries": {summaries}}}'.encode())))
>>> record["dialogue"], record["reference"]
([{'speaker': 'Customer', 'text': 'Hi. Help!'}], ['A customer asks.'])
"""

import re
from collections.abc import Iterator
from typing import BinaryIO

from dialtools.conversion import items, rows
from dialtools.plugins.format import Format
from dialtools.system import files
from dialtools.system.errors import OptionError, RecordError, show

_SPAN = re.compile(r"\s*\[?\s*(\d+)\s*,\s*(\d+)\s*\]?\s*")
_COLUMNS = ("tweet_id", "inbound", "text")

Tweets = dict[str, tuple[str, str]]  # a number: who speaks, the text


def read(file: BinaryIO, *, tweets: str = "", lang: str = "en") -> items.Placed:
    """Yield a record for each dialogue; the file is held, and of `tweets` what it needs.

    tweets: the file twcs.csv.
    """
    dialogues = list(items.json_lines(file))
    known: Tweets = {}
    if tweets:
        numbers = set()  # of all dialogues; malformed ones have errors of their own
        for _, item in dialogues:
            turns = item.get("tweet_ids_sentence_offset") if isinstance(item, dict) else None
            if isinstance(turns, list):
                numbers |= {str(turn.get("tweet_id")) for turn in turns if isinstance(turn, dict)}
        with files.open_input(tweets) as table:
            for _, row in items.sound(rows.quoted(table)):
                if any(column not in row for column in _COLUMNS):
                    raise OptionError(
                        f"tweetsumm: {tweets} has no columns {', '.join(_COLUMNS)}: is it twcs.csv?"
                    )
                if row["tweet_id"] in numbers:
                    speaker = "Customer" if row["inbound"].lower() == "true" else "Agent"
                    known[row["tweet_id"]] = speaker, row["text"]

    def record(item: dict) -> Iterator[dict]:
        parts = _processed(item) if "dialog" in item else _published(known, item)
        id, turns, abstractive, extractive = parts
        # some dialogues have summaries of one kind alone
        summaries = {"reference": abstractive, "extractive": extractive}
        yield {
            "id": id,
            "dialogue": turns,
            **{key: texts for key, texts in summaries.items() if texts},
        }

    return items.each(iter(dialogues), record, lang)


Parts = tuple[str, list[dict], list[str], list[str]]  # id, turns, abstractive, extractive summaries


def _published(tweets: Tweets, item: dict) -> Parts:
    """Return the parts of a published line, which holds numbers of tweets."""
    turns = []
    for turn in items.objects(item, "tweet_ids_sentence_offset"):
        number = items.get(turn, "tweet_id", object)
        spans = items.get(turn, "sentence_offsets", list)
        text = " ".join([_sentence(tweets, number, span) for span in spans])
        turns.append({"speaker": tweets[str(number)][0], "text": text, "tweet_id": number})
    extractive, abstractive = [], []
    for annotation in items.objects(item, "annotations"):
        if annotation.get("extractive"):
            sentences = [
                _sentence(
                    tweets,
                    items.get(part, "tweet_id", object),
                    items.get(part, "sentence_offset", object),
                )
                for part in items.objects(annotation, "extractive")
            ]
            extractive.append(" ".join(sentences))
        if annotation.get("abstractive"):
            abstractive.append(_joined(items.get(annotation, "abstractive", list)))
    return items.get(item, "conversation_id"), turns, abstractive, extractive


def _sentence(tweets: Tweets, number: object, span: object) -> str:
    """Return a sentence of a tweet; RecordError if there is no such tweet."""
    if str(number) not in tweets:
        remedy = "tweetsumm:tweets=twcs.csv gives the texts (Customer Support on Twitter, Kaggle)"
        where = "twcs.csv has no such tweet" if tweets else remedy
        raise RecordError(f"only the number of a tweet, {number}: {where}")
    places = _SPAN.fullmatch(span) if isinstance(span, str) else None
    if not places:
        raise RecordError(f'a sentence stands from where to where, "[0, 12]", not {show(span)}')
    return tweets[str(number)][1][int(places[1]) : int(places[2])]


def _processed(item: dict) -> Parts:
    """Return the parts of a line that the script of the authors has made."""
    talk, summaries = items.get(item, "dialog", dict), items.get(item, "summaries", dict)
    turns = [
        {
            "speaker": "Agent" if items.get(turn, "is_agent", bool) else "Customer",
            "text": _joined(items.get(turn, "sentences", list)),
        }
        for turn in items.objects(talk, "turns")
    ]
    extractive = [
        " ".join(
            _joined(items.get(turn, "sentences", list))
            for turn in items.objects({"a summary": summary}, "a summary")
        )
        for summary in items.get(summaries, "extractive_summaries", list)
    ]
    abstractive = [
        _joined(summary)
        for summary in items.get(summaries, "abstractive_summaries", list)
        if summary
    ]
    return items.get(talk, "dialog_id"), turns, abstractive, extractive


def _joined(sentences: object) -> str:
    if not isinstance(sentences, list) or not all(isinstance(text, str) for text in sentences):
        raise RecordError(f"sentences are a list of strings, not {show(sentences)}")
    return " ".join(sentences)


def recognise(head: bytes) -> bool:
    """Tell whether it begins with an object with these keys."""
    is_published = items.like("{", "conversation_id", "tweet_ids_sentence_offset")(head)
    return is_published or items.like("{", "dialog", "turns", "is_agent")(head)


FORMAT = Format(read, recognise=recognise)
