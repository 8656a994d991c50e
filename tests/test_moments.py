"""Sums that do not depend on the order, against fractions."""

import random
from fractions import Fraction
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialtools.statistics import moments


@given(st.lists(st.floats(-1e300, 1e300), max_size=30), st.randoms(use_true_random=False))
def test_a_sum_is_exact_in_any_order(values: list[float], rng: random.Random):
    exact = float(sum(map(Fraction, values)))
    assert moments.Sum(values).value() == exact
    rng.shuffle(values)
    one, other = moments.Sum(values[::2]), moments.Sum(values[1::2])
    one.add(*other.terms)
    assert one.value() == exact


def test_what_a_long_sum_holds_is_exact_to_the_last_bit():
    rng, values, total = random.Random(1), [], moments.Sum()
    for _ in range(9000):
        values.append(rng.uniform(-1, 1) * 10.0 ** rng.randint(-250, 250))
        total.add(values[-1])
    assert len(total.terms) < 4500
    assert sum(map(Fraction, total.terms)) == sum(map(Fraction, values))


@pytest.mark.parametrize("number", [9, 5000])
def test_a_sum_beyond_the_numbers_is_infinite(number: int):
    total = moments.Sum()
    for _ in range(number):
        total.add(1e308)
    assert total.value() == inf
