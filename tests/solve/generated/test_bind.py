"""Buffers and what may be done to them; and what bound code says of input it cannot use."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import robocompiler as rc
from codegen.llvm.generated import needs_llvm
from linkages.bound import bound, every_emitter
from linkages.drawing import Drawing, at, planar
from linkages.known import TABLE
from linkages.planar import GRASHOF, crank_range, four_bar_at, four_bar_of, four_bar_solution
from linkages.robots import go2
from linkages.spatial import loop_with
from linkages.stewart import leg_values, stewart, task_pose
from robocompiler.codegen.llvm import jit
from robocompiler.errors import (
    BadValueError,
    ClosureError,
    MechanismError,
    NotClosedError,
    UnknownNameError,
)
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD
from robocompiler.solve.reduction.partition import PartitionError
from robocompiler.solve.reduction.reduce import reduce

LENGTHS = tuple(f"leg {i} length" for i in range(6))


@every_emitter
def test_legs_of_a_stewart_platform_go_where_the_closed_form_says(emitter):
    own = bound(stewart(), emitter)
    assert own.independent == LENGTHS
    for t in np.arange(0.0, 20.0, 0.05):
        expected = leg_values(task_pose(float(t)))
        for name in LENGTHS:
            own.q[own.compiled.tree_joint(name).q] = expected[name]
        own.correct()
        for name, value in expected.items():
            assert own.q[own.compiled.tree_joint(name).q] == pytest.approx(value, abs=1e-12)


@every_emitter
def test_lift_and_curvature_are_slopes_of_the_closed_form(emitter):
    """Of a four-bar's angles over its crank's, by central differences."""
    own, h = bound(four_bar_of(), emitter), 1e-4
    for crank in (0.7, 0.9, 1.2):
        own.q[0], own.v[0] = crank, 2.0
        own.motion()
        before, here, after = (np.array(four_bar_at(crank + k * h)) for k in (-1, 0, 1))
        np.testing.assert_allclose(own.q, here, atol=1e-12)
        np.testing.assert_allclose(own.E[:, 0], (after - before) / (2 * h), atol=1e-7)
        np.testing.assert_allclose(own.v, 2.0 * own.E[:, 0], rtol=1e-14)
        np.testing.assert_allclose(own.c, 4.0 * (after - 2 * here + before) / h**2, atol=1e-6)


def test_before_anything_is_called_nothing_is_known():
    """Zeros would be taken for an answer."""
    own = bound(stewart(), "python")
    dependent = list(own.code.layout.partition.dependent)
    assert np.isnan(own.E[dependent]).all()
    assert np.isnan(own.residual).all()
    assert np.isnan(own.jacobian).all()
    own.correct()
    own.evaluate()
    assert np.isfinite(own.E).all()
    assert np.isfinite(own.residual).all()
    assert np.isfinite(own.jacobian).all()


@every_emitter
def test_what_is_assigned_is_copied_into_the_buffer(emitter):
    own = bound(four_bar_of(), emitter)
    own.correct()  # so that the call is bound to the buffer
    buffer, given = own.q, own.q + np.array([0.1, 0.0, 0.0])
    own.q = given
    own.correct()
    assert own.q is buffer
    np.testing.assert_allclose(own.q, four_bar_at(0.8), atol=1e-12)
    assert given[1] != own.q[1]
    own.q += np.array([0.1, 0.0, 0.0])
    own.v = np.array([1.0, 0.0, 0.0])
    own.motion()
    np.testing.assert_allclose(own.q, four_bar_at(0.9), atol=1e-12)
    assert own.v[2] == own.E[2, 0] != 0.0


@pytest.mark.parametrize("name", ["c", "E", "residual", "jacobian"])
def test_results_cannot_be_assigned(name):
    own = bound(four_bar_of(), "python")
    with pytest.raises(AttributeError):
        setattr(own, name, np.zeros(1))


@pytest.mark.parametrize("shape", [(), (1,), (4,), (3, 1)])
def test_what_has_another_shape_is_not_spread_over_the_buffer(shape):
    own = bound(four_bar_of(), "python")
    before = own.q.copy()
    for name in ("q", "v"):
        with pytest.raises(BadValueError, match="shape"):
            setattr(own, name, np.ones(shape))
    np.testing.assert_array_equal(own.q, before)


BAD = {"nan": np.nan, "infinite": np.inf, "beyond squaring": 1e200}


@every_emitter
@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("call", ["correct", "motion", "lift"])
@pytest.mark.parametrize("joint", ["A", "S"])
def test_a_coordinate_that_is_no_number_is_refused_by_its_joint(joint, call, bad, emitter):
    own = bound(TABLE["slider-crank"][0], emitter)
    own.q[own.compiled.tree_joint(joint).q] = BAD[bad]
    before = own.q.copy()
    with pytest.raises(BadValueError, match=f"'{joint}'"):
        getattr(own, call)()
    np.testing.assert_array_equal(own.q, before)


@every_emitter
@pytest.mark.parametrize("bad", BAD)
def test_a_speed_that_is_no_number_is_refused(bad, emitter):
    own = bound(four_bar_of(), emitter)
    own.v[0] = BAD[bad]
    with pytest.raises(BadValueError, match="v=a speed"):
        own.motion()
    own.correct()  # which does not look at speeds


@every_emitter
def test_a_quaternion_of_nothing_is_refused_and_one_of_any_length_or_sign_is_a_turn(emitter):
    own = bound(stewart(kind="ball"), emitter)
    own.correct()
    home, E = own.q.copy(), own.E.copy()
    turn = own.compiled.tree_joint("leg 0 foot").q
    for factor in (-1.0, 2.0, 1e-3):
        own.q = home
        own.q[turn] *= factor
        own.correct()
        np.testing.assert_allclose(own.E, E, atol=1e-13)
    own.q = home
    own.q[turn] = 0.0
    with pytest.raises(BadValueError, match=r"'leg 0 foot'.*quaternion"):
        own.correct()


def test_evaluating_takes_anything():
    own = bound(loop_with(JointKind.BALL), "python")
    own.q[0] = np.nan
    own.evaluate()
    assert np.isnan(own.residual).any()


def test_where_it_is_to_start_has_to_be_closed():
    compiled = rc.compile(four_bar_of())
    here = rc.assemble(compiled)
    values = dict(here.values) | {"D": (here.of("D")[0] + 1e-3,)}
    ajar = replace(here, values=tuple(values.items()))
    with pytest.raises(NotClosedError, match="'C'"):
        rc.bind(compiled, near=ajar)


@every_emitter
def test_independent_joints_are_those_that_were_asked_for(emitter):
    own = bound(four_bar_of(), emitter, ["D"])
    assert own.independent == ("D",)
    own.q[2] += 0.05
    own.correct()
    coupler, rocker = four_bar_solution(GRASHOF["crank-rocker"], own.q[0])
    np.testing.assert_allclose(own.q[1:], [coupler - own.q[0], rocker], atol=1e-12)
    with pytest.raises(UnknownNameError):
        bound(four_bar_of(), emitter, ["X"])
    with pytest.raises(PartitionError):
        bound(four_bar_of(), emitter, ["A", "D"])


PARTLY = {
    JointKind.PLANAR: "kind/moveX",
    JointKind.CYLINDRICAL: "kind/turnZ",
    JointKind.UNIVERSAL: "kind/turnX",
    JointKind.TRANSLATION: "kind/moveX",
    JointKind.BALL: "kind/rotation.x",
}


@every_emitter
@pytest.mark.parametrize("kind", PARTLY)
def test_a_joint_may_be_independent_in_part(kind, emitter):
    own = bound(loop_with(kind), emitter, [PARTLY[kind]], cuts=["drive"])
    assert own.independent == (PARTLY[kind],)
    at = own.compiled.tree_joint("kind").q.start
    if kind is not JointKind.BALL:  # of whose quaternion no number is a speed's
        own.q[at] += 0.02
    kept = own.q[at]
    own.correct()
    reduction = reduce(own.compiled, own.q, own.code.layout.partition)
    np.testing.assert_allclose(own.E, reduction.E, atol=1e-11)
    if kind is not JointKind.BALL:
        assert own.q[at] == kept


def test_emitters_by_their_names():
    compiled = rc.compile(four_bar_of())
    assert rc.bind(compiled, emitter="python").emitter == "Python"
    with pytest.raises(BadValueError, match="emitter=C"):
        rc.bind(compiled, emitter="C")
    expected = "machine code" if jit.available() else "Python"
    assert rc.bind(compiled).emitter.startswith(expected)


@pytest.mark.parametrize("tolerance", [0.0, -1.0, np.nan, "small", 1.1e-5, 1.0])
def test_tolerances_that_are_none(tolerance):
    with pytest.raises(MechanismError):
        rc.bind(rc.compile(four_bar_of()), tolerance=tolerance)


@every_emitter
@pytest.mark.parametrize("kind", ["toggle", "change point"])
def test_a_mechanism_that_is_drawn_singular(kind, emitter):
    """Drawn at a toggle the other joint drives it; at a change point nothing can be said."""
    if kind == "toggle":
        bars = GRASHOF["rocker-crank"]
        own = bound(four_bar_of(bars, crank_range(bars)[0]), emitter)
        assert own.independent == ("D",)
        own.correct()
        assert abs(own.E[0, 0]) < 1e-7  # the crank stands still there
        with pytest.raises(PartitionError):
            bound(four_bar_of(bars, crank_range(bars)[0]), emitter, ["A"])
        return
    own = bound(four_bar_of(GRASHOF["parallelogram"], 0.0), emitter)
    for size in (0.1, 1e-2, 1e-3):
        own.q[:] = 0.0
        own.q[0] = size  # both that it may leave by are independent: they cannot be given apart
        with pytest.raises(ClosureError):
            own.correct()


@every_emitter
def test_joints_on_no_loop_are_lifted_by_themselves_and_kept(emitter):
    own = bound(go2(limits=False), emitter)
    own.q += 0.1
    given = own.q.copy()
    own.motion()
    np.testing.assert_array_equal(own.q, given)
    assert sorted(own.E.sum(axis=0)) == [1.0] * own.compiled.nv


def test_what_stands_still_may_be_open_nowhere():
    """Rows on which nothing depends are checked all the same: a shaft in bearings on the ground."""
    own = bound(TABLE["differential in bearings"][0], "python", eliminate_couplings=True)
    assert not own.code.layout.partition.dependent
    own.q += 0.1
    own.correct()
    own.evaluate()
    assert np.abs(own.residual).max() < 1e-15
    assert np.abs(own.jacobian).max() < 1e-15


@every_emitter
def test_a_triangle_of_bars_that_nothing_drives_stands_still(emitter):
    drawing = Drawing("triangle")
    for bar, pose in (("left", planar(0.0, 0.0, 1.0)), ("right", planar(1.0, 0.0, 2.0))):
        drawing.body(bar, pose)
    drawing.revolute("A", (WORLD, "left"), at(0.0, 0.0), 1.0)
    drawing.revolute("B", (WORLD, "right"), at(1.0, 0.0), 2.0)
    drawing.revolute("C", ("left", "right"), at(0.4, 0.8), 1.0)
    own = bound(drawing.mechanism(), emitter)
    assert own.independent == ()
    home = own.q.copy()
    own.q += 0.01
    own.v[:] = 1.0
    own.motion()
    np.testing.assert_allclose(own.q, home, atol=1e-12)
    np.testing.assert_array_equal([own.v, own.c], np.zeros((2, own.compiled.nv)))


_STARTED = """
import sys
import robocompiler as rc
from linkages.planar import four_bar_of
rc.bind(rc.compile(four_bar_of()), emitter="machine").correct()
print("robocompiler.codegen.llvm.assembly" in sys.modules)
"""


@needs_llvm
def test_what_writes_assembly_is_imported_only_where_the_cache_has_no_code(tmp_path):
    environment = dict(
        os.environ, PYTHONPATH=os.pathsep.join(sys.path), ROBOCOMPILER_CACHE=str(tmp_path)
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", _STARTED],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout.strip()
        for _ in range(2)
    ]
    assert said == ["True", "False"]
