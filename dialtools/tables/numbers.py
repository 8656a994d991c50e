"""Numbers as people read them: no more digits than their intervals support."""

from collections.abc import Sequence
from math import floor, log10

MOST_DIGITS = 2  # of percentages and points
_HUGE = 1e15

Interval = Sequence[float] | None


def probability(value: float) -> str:
    """Return a p as people read it: never as 0.0000.

    >>> probability(0.03417), probability(4e-9)
    ('0.0342', '< 0.0001')
    """
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}"


def rounded(value: float, places: int) -> str:
    """Return a number with so many decimals, or one digit if rounding would leave zero.

    Of a huge one only the first digits are shown.

    >>> rounded(31.2409, 2), rounded(-0.0004, 2), rounded(1.25e300, 2)
    ('31.24', '-0.0004', '1.25e+300')
    """
    if abs(value) >= _HUGE:
        return f"{value:.{places}e}"
    return f"{value:.1g}" if value and not round(value, places) else plain(value, places)


def plain(value: float, places: int) -> str:
    """Return a number with so many decimals; never -0.

    >>> plain(-0.04, 1), plain(7.94, 1)
    ('0.0', '7.9')
    """
    if abs(value) >= _HUGE:
        return f"{value:.{places}e}"
    return f"{round(value, places) + 0.0:.{places}f}"


def decimals(column: Sequence[tuple]) -> int:
    """Return the decimals of a column: 2, or 4 if a value that is no percentage is below 1."""
    values = [
        number
        for value, unit in column
        if unit not in ("percent", "points")
        for number in (value if isinstance(value, list) else [value])
        if isinstance(number, float)
    ]
    return 4 if any(0 < abs(number) < 1 for number in values) else 2


def places(intervals: Sequence[Interval], values: Sequence[float | None], unit: str | None) -> int:
    """Return the decimals that the intervals of a column support: two digits of the median half.

    Without an interval it is 2, or 4 for numbers below 1 that are no percentages.

    >>> places([[6.9, 7.5], [5.0, 5.8], None], [7.2, 5.4, 1.0], "percent")
    2
    >>> places([[-5, 29]], [12.0], "percent")
    0
    """
    halves = sorted(half(interval) for interval in intervals if interval and half(interval) > 0)
    if not halves:
        return decimals([(value, unit) for value in values])
    digits = max(1 - floor(log10(halves[len(halves) // 2])), 0)
    return min(digits, MOST_DIGITS if unit in ("percent", "points") else 6)


def half(interval: Sequence[float]) -> float:
    """Return half the width of an interval."""
    return (interval[1] - interval[0]) / 2


def spreads(
    values: Sequence[float | None], intervals: Sequence[Interval], digits: int
) -> list[str]:
    """Return the intervals of a column as "± 1.3", or "[0.2, 4.1]" if one is not symmetric.

    An empty one is "".

    >>> spreads([2.0, 1.0], [[1.0, 3.0], None], 1), spreads([2.0, 2.0], [[1.0, 3.0], [1.0, 4.0]], 1)
    (['± 1.0', ''], ['[1.0, 3.0]', '[1.0, 4.0]'])
    """
    pairs = [
        (value, interval if interval and interval[0] != interval[1] else None)
        for value, interval in zip(values, intervals, strict=True)
    ]
    symmetric = all(
        abs(low + high - 2 * value) < 10.0**-digits
        for value, interval in pairs
        if interval and value is not None
        for low, high in [interval]
    )
    if symmetric:
        return [f"± {rounded(half(interval), digits)}" if interval else "" for _, interval in pairs]
    return [
        f"[{plain(interval[0], digits)}, {plain(interval[1], digits)}]" if interval else ""
        for _, interval in pairs
    ]
