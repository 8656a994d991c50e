"""Records to learn from, read whole, with the place of each for messages."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from dialtools.records import jsonl, validation
from dialtools.system.errors import RecordError


class Data(NamedTuple):
    """Records of files, and where each stands."""

    records: list[dict]
    places: dict[tuple, str]  # FILE:LINE by id and variant
    numbered: bool  # some record got its id by its number


def read(
    paths: Iterable[str], keys: Iterable[str], lang: str | None, check: Callable[[dict], object]
) -> Data:
    """Return the records of files. Raise RecordError for one without the keys.

    lang: language of records without one.
    check: raises RecordError for a record that cannot be learned.
    """
    places: dict[tuple, str] = {}
    numbered: list[str] = []
    found: list[dict] = []
    last: list[str] = []

    def remember(pair: tuple[tuple, str]) -> None:
        (_, id, variant), place = pair
        places[id, variant] = place
        last[:] = [place]

    for record in validation.validated(
        jsonl.lines(paths),
        make=jsonl.loads,
        keys=list(keys),
        lang=lang,
        remember=remember,
        note=numbered.append,
        order=validation.AnyOrder(),
    ):
        try:
            check(record)
        except RecordError as error:
            raise RecordError(error.reason, record, last[0]) from None
        found.append(record)
    return Data(found, places, "id" in numbered)


@contextmanager
def located(data: Data) -> Iterator[None]:
    """Say in an error of a record where the record stands."""
    try:
        yield
    except RecordError as error:
        record = error.record or {}
        places = ((record.get("id"), variant) for variant in (record.get("variant"), None))
        place = error.place or next(filter(None, map(data.places.get, places)), None)
        raise RecordError(error.reason, error.record, place) from None
