"""What is wrong with the values of a line that a page shows; null is no value.

Anybody may have written a result, and a page that left a number out would not say so.
"""

from collections.abc import Callable
from contextlib import suppress
from math import isfinite
from typing import Any, NamedTuple

from dialtools.html_report import inputs
from dialtools.records.wellformed import is_number
from dialtools.system.errors import RecordError, show

LARGEST = 10**15  # of counts: floats and pictures tell larger ones not apart


class _Type(NamedTuple):
    """What a value is, for messages, and whether a value is that."""

    name: str
    fits: Callable[[object], bool]


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value <= LARGEST


def _is_list(value: object, fits: Callable[[object], bool]) -> bool:
    return isinstance(value, list) and all(map(fits, value))


def _is_object(value: object, fits: Callable[[object], bool]) -> bool:
    return isinstance(value, dict) and all(map(fits, value.values()))


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_score(value: object) -> bool:
    return value is None or is_number(value)


def _is_interval(value: object) -> bool:
    return _is_list(value, is_number) and len(value) == 2  # type: ignore[arg-type]


def _are_numbers(keys: Any) -> bool:
    with suppress(ValueError):
        return all(isfinite(float(key)) for key in keys)
    return False


_TEXT = _Type("a string", _is_text)
_TEXTS = _Type("a list of strings", lambda value: _is_list(value, _is_text))
_NUMBER = _Type("a number", is_number)
_COUNT = _Type(f"a whole number from 0 to {LARGEST:,}", _is_count)
_INTERVAL = _Type("a list of two numbers", _is_interval)
_LABEL = _Type("a string or a number", lambda value: _is_text(value) or is_number(value))
_SCORES = _Type("an object of numbers", lambda value: _is_object(value, _is_score))
_COUNTS = _Type("an object of whole numbers", lambda value: _is_object(value, _is_count))
_RATINGS = _Type(
    "an object of numbers of ratings", lambda value: _COUNTS.fits(value) and _are_numbers(value)
)
_OBJECTS = _Type("a list of objects", lambda value: _is_list(value, lambda one: type(one) is dict))


def _typed(type: _Type, keys: str) -> dict[str, _Type]:
    return dict.fromkeys(keys.split(), type)


# What dt-score and dt-ttest write: tests, summaries, gaps, confusions.
_OF_RESULTS = {
    **_typed(_TEXT, "metric value test unit better verdict reason signature note system lang by"),
    **_typed(_TEXT, "kind pool statistic_name effect_name correction of highest lowest command"),
    **_typed(_LABEL, "a b group true predicted"),
    **_typed(
        _NUMBER,
        "mean sentence_mean S R D gap corpus consistency saliency faithfulness worst affected",
    ),
    **_typed(_NUMBER, "control of_control distinct margin share median p p_adjusted p_best"),
    **_typed(_NUMBER, "p_difference p_difference_adjusted difference mean_a mean_b statistic"),
    **_typed(_NUMBER, "effect level ci_level power df d top"),
    **_typed(_COUNT, "n n_a n_b n_needed dialogues variants sets empty unchanged left_out family"),
    **_typed(_COUNT, "no_reference no_dialogue empty_reference pairs raters averaged"),
    **_typed(_COUNTS, "zero_denominator dropped"),
    **_typed(_RATINGS, "counts"),
    **_typed(_OBJECTS, "chain"),
    **_typed(_TEXTS, "notes groups"),
}
_OF_SOURCES = {
    **_typed(_TEXT, "unit pool speaker"),
    **_typed(_NUMBER, "position turns"),
    **_typed(_SCORES, "scores"),
    **_typed(_TEXTS, "outputs"),
    **_typed(_OBJECTS, "chain"),
}
_OF_TRAINING = {
    **_typed(_NUMBER, "epoch best loss dev_loss gap"),
    **_typed(_COUNT, "fold repeat train dev weights parameters"),
    **_typed(_TEXTS, "warnings"),
    **_typed(_SCORES, "objectives"),
}
_OF_OTHERS = {
    **_typed(_TEXT, "level finding term signature"),
    **_typed(_LABEL, "cluster_label nearest joins"),
    **_typed(_NUMBER, "distance height weight share"),
    **_typed(_COUNT, "n count elsewhere"),
}
_KINDS: dict[str, dict[str, _Type]] = {
    inputs.RECORD: _typed(_SCORES, "scores") | _typed(_LABEL, "cluster_label"),
    inputs.SOURCE: _OF_SOURCES,
    inputs.EPOCH: _OF_TRAINING,
    inputs.FINDING: _OF_OTHERS,
    inputs.OTHER: _OF_OTHERS,
}
# Keys that such a line has in any case, and that are not null.
_WANTED: dict[str, tuple[str, ...]] = {
    inputs.TEST: ("test", "value", "verdict", "n"),
    inputs.CONFUSION: ("metric",),
    inputs.GAP: ("metric",),
    **dict.fromkeys(inputs.SUMMARIES, ("metric",)),
}
# Keys that are not without others.
_TOGETHER: dict[str, dict[str, tuple[str, ...]]] = {
    inputs.TEST: {
        "a": ("b",),
        "b": ("a",),
        "p": ("level",),
        "ci": ("level",),
        "effect": ("effect_name",),
        "raters": ("group",),
        "share": ("group", "top"),
    },
    inputs.OTHER: {"joins": ("height",)},
}


def check(line: dict, kind: str, place: str) -> None:
    """Raise RecordError for a value that a line of a kind cannot have."""
    types = _KINDS.get(kind, _OF_RESULTS)
    for key, value in line.items():
        type = types.get(key) or (_INTERVAL if key.endswith("ci") else None)
        if type and value is not None and not type.fits(value):
            raise RecordError(f'"{key}" is {type.name}, here is {show(value)}', place=place)
    wanted = [*_WANTED.get(kind, ())]
    for key, others in _TOGETHER.get(kind, {}).items():
        wanted += others if line.get(key) is not None else ()
    for key in wanted:
        if line.get(key) is None:
            raise RecordError(f'no "{key}", which is {types[key].name}', place=place)
