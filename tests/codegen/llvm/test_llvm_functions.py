"""What each operation gives as machine code, against fifty digits and the C library."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from codegen.llvm.generated import WAYS, every_way, needs_llvm, of, straight
from robocompiler.codegen.llvm import jit

pytestmark = needs_llvm

_RNG = np.random.default_rng(1)
ANGLES = {
    "within a turn": _RNG.uniform(-math.pi, math.pi, 400),
    "within a thousand": _RNG.uniform(-1e3, 1e3, 400),
    "within a million": _RNG.uniform(-1e6, 1e6, 400),
    "tiny": 10.0 ** _RNG.uniform(-300, -1, 200),
    "at quarter turns": np.arange(-600, 601) * (math.pi / 2),
    "between quadrants": (2 * np.arange(-300, 300) + 1) * (math.pi / 4),
    "at far quarter turns": np.arange(600_000, 600_200) * (math.pi / 2),
}
turns = of(1, lambda x: np.sin(x[0]), lambda x: np.cos(x[0]))
ODD = np.array([0.0, -0.0, math.nan, math.inf, -math.inf])
operations = of(
    3,
    lambda x: np.rint(x[0]),
    lambda x: np.arctan2(x[0], x[1]),
    lambda x: (x[0] < x[1]).select(x[2], -x[0]),
    lambda x: (x[0] <= x[1]).select(1.0, 2.0),
    lambda x: np.sqrt(x[0]),
    lambda x: x[0] / x[1],
    lambda x: (x[0] < x[1]).both(x[1] <= x[2]).select(1.0, 2.0),
    lambda x: (x[0] < x[1]) * 3.0 + x[2].select(5.0, 7.0),
)


def _ulps(function, angles, found):
    with mpmath.workprec(200):
        exact = [function(mpmath.mpf(angle)) for angle in angles]
        return max(
            float(abs(e - mpmath.mpf(f))) / np.spacing(abs(float(e)))
            for e, f in zip(exact, found, strict=True)
        )


@every_way
@pytest.mark.parametrize("where", ANGLES)
def test_sines_and_cosines_are_right_to_the_last_digit(way, where):
    angles = ANGLES[where]
    sine, cosine = straight(turns, [angles], way)
    allowed = 2.3 if "million" in where or "far" in where else 1.6
    assert _ulps(mpmath.sin, angles, sine) < allowed
    assert _ulps(mpmath.cos, angles, cosine) < allowed


@every_way
def test_the_sine_of_nothing_is_nothing_and_that_of_no_angle_is_no_number(way):
    sine, cosine = straight(turns, [[0.0, -0.0, math.nan, math.inf, -math.inf, 1.1e6, -1e300]], way)
    assert list(sine[:2]) == [0.0, 0.0]
    assert list(cosine[:2]) == [1.0, 1.0]
    assert np.isnan(sine[2:]).all()
    assert np.isnan(cosine[2:]).all()


@every_way
def test_operations_are_those_of_the_c_library_with_every_pair_of_odd_numbers(way):
    values = [*ODD, 0.5, 1.5, 2.5, -0.5, -1.5, -2.6, 1e15 + 0.5, 2.0**52 + 1, -(2.0**53), 1e300]
    a, b = (grid.ravel() for grid in np.meshgrid(values, values))
    c = np.resize([3.0, 0.0, math.nan, -1.0], a.size)
    with np.errstate(all="ignore"):
        wanted = [
            np.rint(a),
            np.array([math.atan2(*pair) for pair in zip(a, b, strict=True)]),
            np.where(a < b, c, -a),
            np.where(a <= b, 1.0, 2.0),
            np.sqrt(a),
            a / b,
            np.where((a < b) & (b <= c), 1.0, 2.0),
            (a < b) * 3.0 + np.where(c != 0.0, 5.0, 7.0),
        ]
    for found, right in zip(straight(operations, [a, b, c], way), wanted, strict=True):
        np.testing.assert_array_equal(found, right)
        numbers = ~np.isnan(right)
        np.testing.assert_array_equal(np.signbit(found)[numbers], np.signbit(right)[numbers])


products = of(
    3,
    lambda x: x[0] * x[1] + x[2],
    lambda x: x[2] - x[0] * x[1],
    lambda x: x[0] * x[1] - x[2],
    lambda x: x[0] * x[1] * 1.0,
)
alone = [
    of(3, f)
    for f in (
        lambda x: x[0] * x[1] + x[2],
        lambda x: x[2] - x[0] * x[1],
        lambda x: x[0] * x[1] - x[2],
    )
]


@pytest.mark.parametrize(("which", "signs"), [(0, (1, 1)), (1, (-1, 1)), (2, (1, -1))])
@every_way
def test_a_product_that_is_only_added_is_rounded_once_where_the_processor_can(way, which, signs):
    tiny = 2.0**-40
    a, b, c = 1.0 + tiny, 1.0 - tiny, 1.0 if signs[0] != signs[1] else -1.0
    (found,) = straight(alone[which], [[a], [b], [c]], way)[0]
    exact = signs[0] * Fraction(a) * Fraction(b) + signs[1] * Fraction(c)
    assert exact == -signs[0] * Fraction(tiny) ** 2
    fused = jit.this_machine().fused and way in WAYS[:4]
    assert found == (float(exact) if fused else 0.0)


@every_way
def test_a_product_that_others_need_too_is_the_same_for_all(way):
    tiny = 2.0**-40
    found = straight(products, [[1.0 + tiny], [1.0 - tiny], [-1.0]], way)[:, 0]
    assert list(found) == [0.0, -2.0, 2.0, 1.0]
