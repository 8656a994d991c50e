"""Dates and times as phones write them, in any order, digits and language, made ISO 8601.

The marks of 12-hour clocks are those of Unicode's CLDR.  A calendar other than the Gregorian and
the Thai one, and a mark that nobody knows, leave a time as it is written.
"""

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from itertools import pairwise
from typing import Literal, NamedTuple

Order = Literal["dmy", "mdy", "ymd"]

MARKS = "\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff"  # of direction: nobody sees them
_DATE = r"(\d{1,4})\s?[./\-年년]\s?(\d{1,2})\s?[./\-月월]\s?(\d{1,4})(?!\d)\s?[.日일]?"
_TIME = r"(\d{1,2})[:.٫](\d{2})(?:[:.](\d{2}))?"
_DATE_FIRST = re.compile(rf"{_DATE}(\D{{0,20}}){_TIME}(\D{{0,20}})")
_TIME_FIRST = re.compile(rf"{_TIME}(\D{{0,15}}),\s?{_DATE}")
_MARK = re.compile(r"[\s.,،、\u200c]+")
# between a date and a time, or behind it: at, o'clock, year
_WORDS = set("à às as at um uhr kl klo h о в г ч alas 的 lúc ngày pukul الساعة".split())
_KOREAN = {"오전", "오후"}  # beside them the year comes first
_FIRST = 2009  # the year in which WhatsApp began
_THAI = 543  # years that the Thai calendar is ahead


class Stamp(NamedTuple):
    """A date and a time as they were written.

    date: its three numbers, in any order.
    clock: hour, minute and second; None without a second.
    marks: what stands around the time, such as p.m. or 오후, without spaces and points.
    """

    text: str
    date: tuple[int, int, int]
    clock: tuple[int, int, int | None]
    marks: tuple[str, ...]


class StampReading(NamedTuple):
    """How the stamps of a file are to be read.

    order: of day, month and year.
    is_certain: False if another order fits as well.
    halves: {mark: am, pm or noon}; none where hours count to 24.
    """

    order: Order | None
    is_certain: bool
    halves: dict[str, str]


def stamp(text: str) -> Stamp | None:
    """Return the date and time that a text consists of, None for any other text.

    >>> stamp("2024. 3. 5. 오후 3:45")
    Stamp(text='2024. 3. 5. 오후 3:45', date=(2024, 3, 5), clock=(3, 45, None), marks=('오후',))
    """
    plain = re.sub(f"[{MARKS}]", "", text).strip()
    if match := _DATE_FIRST.fullmatch(plain):
        *date, before, hour, minute, second, after = match.groups()
    elif match := _TIME_FIRST.fullmatch(plain):
        hour, minute, second, after, *date = match.groups()
        before = ""
    else:
        return None
    first, middle, last = map(int, date)
    marks = tuple(filter(None, map(_plain, (before, after))))
    clock = int(hour), int(minute), int(second) if second else None
    return Stamp(plain, (first, middle, last), clock, marks)


def _plain(mark: str) -> str:
    return _MARK.sub("", mark).casefold()


def reading(stamps: Sequence[Stamp], order: Order | None = None) -> StampReading:
    """Return how the stamps of a file, earlier ones first, are to be read.

    order: of day, month and year, if it is known.
    """
    halves = {}
    if not any(stamped.clock[0] > 12 or stamped.clock[0] == 0 for stamped in stamps):
        path = os.path.join(os.path.dirname(__file__), "clocks.tsv")
        with open(path, encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file.readlines()[1:]]
        halves = {_plain(mark): half for half, mark in rows}
    if order:
        return StampReading(order, True, halves)
    if any(stamped.date[0] > 31 or not _KOREAN.isdisjoint(stamped.marks) for stamped in stamps):
        return StampReading("ymd", True, halves)
    orders: tuple[Order, ...] = ("dmy", "mdy", "ymd")
    falls = [(kind, _falls(stamps, kind)) for kind in orders]
    fitting = {kind: number for kind, number in falls if number is not None}
    if not fitting:
        return StampReading(None, True, halves)
    days: list[Order] = [kind for kind in fitting if kind != "ymd"]
    days = days or ["ymd"]
    fewest = min(fitting[kind] for kind in days)
    best = [kind for kind in days if fitting[kind] == fewest]
    is_american = any(
        half in stamped.text and stamped.date[2] < 100
        for stamped in stamps
        for half in ("AM", "PM")
    )
    return StampReading(best[-1] if is_american else best[0], len(best) == 1, halves)


def _falls(stamps: Sequence[Stamp], order: Order) -> int | None:
    """Return how often a date is before the one above; None if one is no date in this order."""
    try:
        dates = [_date(stamped, order) for stamped in stamps]
    except ValueError:
        return None
    return sum(after < before for before, after in pairwise(dates))


def _date(stamped: Stamp, order: Order) -> datetime:
    """Return the day of a stamp; ValueError if it is none."""
    numbers = dict(zip(order, stamped.date, strict=True))
    year = numbers["y"] + 2000 if numbers["y"] < 100 else numbers["y"]
    year -= _THAI if 2500 < year < 2700 else 0
    if not _FIRST <= year < 2200:
        raise ValueError(year)
    return datetime(year, numbers["m"], numbers["d"])


def written(stamped: Stamp, how: StampReading) -> str:
    """Return a stamp in ISO 8601, or as it was written where it cannot be told.

    >>> one = stamp("١٥/٩/٢٠٢٦، ٨:٤٦ م")
    >>> written(one, reading([one]))
    '2026-09-15T20:46'
    """
    hour, minute, second = stamped.clock
    with suppress(ValueError):
        for mark in stamped.marks if how.halves else ():
            half = how.halves.get(mark)
            if half in ("am", "pm") or half == "noon" and hour < 11:
                hour = hour % 12 + 12 * (half != "am")
                break
            if half is None and mark not in _WORDS:
                return stamped.text
        if how.order:
            match = _date(stamped, how.order).replace(hour=hour, minute=minute, second=second or 0)
            return match.isoformat(timespec="minutes" if second is None else "seconds")
    return stamped.text
