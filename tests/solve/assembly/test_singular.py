"""Where loops are singular it is said which joints can move and which way, by closed forms."""

import math

import numpy as np
import pytest

from linkages.planar import GRASHOF, crank_range, five_bar, four_bar_of
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.errors import SingularError
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.solve.continuation.arc import Ray, along, begin
from robocompiler.solve.continuation.holding import held_place
from robocompiler.solve.motion.driver_range import Stop, driver_range
from robocompiler.solve.motion.follow import follow
from robocompiler.solve.system import systems_of


def flat_parallelogram():
    """All its bars in line: two branches meet, and each can begin to move."""
    compiled = compile_mechanism(four_bar_of(GRASHOF["parallelogram"], 0.5))
    return compiled, assemble(compiled, {"A": 0.0})


def stretched():
    """A driver A at its toggle: coupler and rocker in line, their speeds as their lengths say."""
    bars = GRASHOF["rocker-crank"]
    compiled = compile_mechanism(four_bar_of(bars, 0.9))
    return compiled, driver_range(compiled, "A").highest.configuration, bars


def test_a_driver_at_its_toggle_is_told_how_the_others_turn():
    """With the crank at rest the pin between coupler and rocker moves: ℓ_b ω_b = -ℓ_c ω_c."""
    compiled, toggle, (_, _, b, c) = stretched()
    for ask in (
        lambda: driver_range(compiled, "A", near=toggle),
        lambda: follow(compiled, {"A": [0.9]}, start=toggle),
        lambda: assemble(compiled, {"A": 0.9}, near=toggle),
    ):
        with pytest.raises(SingularError, match="at rest it can still begin to move") as caught:
            ask()
        assert caught.value.joints == ("D", "B")
        assert caught.value.ways == (f"D +1 rad, B {-c / b:+.3g} rad",)
    assert driver_range(compiled, "B", near=toggle).value == toggle.of("B")[0]


@pytest.mark.parametrize("driver", ["A", "D"])
def test_no_range_begins_where_two_branches_meet(driver):
    compiled, flat = flat_parallelogram()
    with pytest.raises(SingularError) as caught:
        driver_range(compiled, driver, near=flat)
    assert {"A", "B", "D"} - {driver} == set(caught.value.joints)


def test_no_path_begins_where_two_branches_meet():
    compiled, flat = flat_parallelogram()
    with pytest.raises(SingularError) as caught:
        follow(compiled, {"A": [0.0, 0.1]}, start=flat)
    _, _, b, c = GRASHOF["parallelogram"]
    # All pins on the x axis: only their y count, and that of C is b (ω_a + ω_b) = c ω_d.
    assert caught.value.ways == (f"D +1 rad, B {c / b:+.3g} rad",)


def test_an_arc_does_not_leave_rows_open_that_it_does_not_solve():
    """On the flat parallelogram one row fewer is retained: the loop gaped by 0.18 m."""
    compiled, flat = flat_parallelogram()
    (system,) = systems_of(compiled)
    q = np.array([flat.of(t.edge.joint.name)[0] for t in compiled.tree])
    ray = Ray(held_place(system, q, ["A"]).hold, np.array([1.0, 0.0, 0.0]))
    assert along(system, ray, begin(system, ray, q), 0.02) is None


def test_what_another_freedom_leaves_loose_is_not_singular():
    assert driver_range(compile_mechanism(five_bar()), "A").held == ("E",)
    low, _ = crank_range(GRASHOF["rocker-crank"])
    near = compile_mechanism(four_bar_of(GRASHOF["rocker-crank"], low + 1e-4))
    found = driver_range(near, "A")
    assert found.lowest.stop is Stop.TOGGLE
    assert found.lowest.value == pytest.approx(low, abs=1e-13)
    assert math.isclose(found.value, low + 1e-4)
