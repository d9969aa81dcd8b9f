"""Joints stop at their limits: their own and one another's, a ball at that of its swing."""

import math

import numpy as np
import pytest

from linkages.drawing import Drawing, at, axis
from mechanisms import four_bar, four_bar_angles
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.errors import SampleError, StoppedError, UnreachableError
from robocompiler.model.joint_kinds import JointKind as K
from robocompiler.model.mechanism import Body, Frame, Inertia, Joint, Mechanism
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.solve.assembly.branches import branches
from robocompiler.solve.continuation.corrector import correct
from robocompiler.solve.motion.driver_range import Stop, driver_range
from robocompiler.solve.motion.follow import follow
from robocompiler.solve.state import starting_coordinates
from robocompiler.solve.system import systems_of
from robocompiler.solve.values import Want
from robocompiler.spatial import Pose, exp_rotation, quaternion_of

OPEN = ((-99.0, 99.0),)


def swing(quaternion):
    return 2.0 * math.acos(min(1.0, abs(quaternion[0])))


def at_elbow(crank):
    """The angle of joint B where the crank stands so."""
    return four_bar_angles(crank)[0] - crank


def about_z(angle):
    return (math.cos(angle / 2.0), 0.0, 0.0, math.sin(angle / 2.0))


def hung(kind, **fields):
    """One body on one joint of the world."""
    joint = Joint(name="j", kind=kind, parent="F", child="M", **fields)
    inertia = Inertia(mass=1.0, moments=(1.0, 1.0, 1.0))
    return compile_mechanism(
        Mechanism(
            name="hung",
            bodies=(Body(name="b", inertia=inertia),),
            frames=(Frame(name="F", body="world"), Frame(name="M", body="b")),
            joints=(joint,),
        )
    )


def with_a_ball(where, stop, cut="B", **fields):
    """The planar four-bar with a ball for a pin: in its plane it turns as the pin would."""
    others = {name: {"limits": OPEN} for name in "ABCD" if name not in (where, cut)}
    joint = {**others, where: {"swing_limit": stop, **fields}}
    mechanism = four_bar(0.7, kinds={where: K.BALL}, joint=joint)
    return compile_mechanism(mechanism, cuts=[cut])


def test_a_must_beyond_a_limit_names_the_limit():
    limits = {"D": {"limits": ((-4.0, 2.1),)}}
    with pytest.raises(
        StoppedError, match=r"its own limit lets it go as far as 120.321°"
    ) as caught:
        assemble(compile_mechanism(four_bar(0.7, joint=limits)), {"D": 2.2})
    assert caught.value.nearest[0] == pytest.approx(2.1, abs=1e-9)


def test_a_joint_is_not_moved_beyond_its_limit_nor_another_s():
    limited = compile_mechanism(four_bar(0.7, joint={"D": {"limits": ((1.0, 1.8),)}}))
    with pytest.raises(UnreachableError, match=r"the limit of joint 'D' lets it go as far as"):
        assemble(limited, {"A": 2.5})
    alone = hung(K.REVOLUTE, limits=((-1.0, 1.0),))
    with pytest.raises(UnreachableError, match=r"its own limit lets it go as far as 57\.2958°"):
        assemble(alone, {"j": 2.0})


def test_a_joint_that_rounding_takes_past_its_limit_stays_at_it():
    """The rocker drawn at its limit, the loop drawn 0.3 mm open towards it."""
    rocker = four_bar_angles(0.7)[1]
    limit = rocker - 0.001
    mechanism = four_bar(0.7, joint={"D": {"limits": ((0.0, limit),), "start": (limit,)}})
    found = assemble(compile_mechanism(mechanism))
    assert found.gaps[0].drawn_gap > 2e-4
    assert found.of("D") == (limit,)
    assert found.of("A")[0] != 0.7


@pytest.mark.parametrize("cut", ["B", "C"])
def test_a_ball_stops_the_driver_where_its_swing_is_at_its_limit(cut):
    """In the plane a ball swings by the angle of the pin it stands for."""
    compiled = with_a_ball("B", abs(at_elbow(0.2)), cut)
    found = driver_range(compiled, "A")
    assert (found.lowest.stop, found.lowest.joints) == (Stop.LIMIT, ("B",))
    assert found.lowest.value == pytest.approx(0.2, abs=1e-12)
    assert swing(found.lowest.configuration.of("B")) == pytest.approx(at_elbow(0.2), abs=1e-12)
    with pytest.raises(StoppedError, match="the limit of joint 'B' lets it go") as caught:
        assemble(compiled, {"A": -0.5})
    assert caught.value.nearest[0] == pytest.approx(0.2, abs=1e-6)
    with pytest.raises(SampleError, match="Sample 2 of 3") as stopped:
        follow(compiled, {"A": [0.5, 0.3, -0.1]})
    assert stopped.value.nearest[0] == pytest.approx(0.2, abs=1e-6)
    assert stopped.value.cause.stop == "B"
    assert follow(compiled, {"A": [0.5, 0.3, 0.2 + 1e-9]}).q.shape[0] == 3


@pytest.mark.parametrize("cut", ["B", "C"])
def test_the_other_way_round_the_same_swing_is_reached_elsewhere(cut):
    """A swing has no sign: beyond its zero it grows again."""
    compiled = with_a_ball("B", abs(at_elbow(0.2)), cut)
    low, high = 0.7, 2.0
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (middle, high) if abs(at_elbow(middle)) < at_elbow(0.2) else (low, middle)
    assert driver_range(compiled, "A").highest.value == pytest.approx(low, abs=1e-12)


def test_a_ball_that_rounding_takes_past_the_limit_of_its_swing_stays_at_it():
    """Drawn at its limit, with the loop open towards it by a thousandth of a radian."""
    stop = abs(at_elbow(0.7)) - 0.001
    compiled = with_a_ball("B", stop, "C", start=about_z(math.copysign(stop, at_elbow(0.7))))
    found = assemble(compiled)
    assert swing(found.of("B")) <= stop + 1e-12
    assert found.gaps[0].gap < 1e-14
    assert found.of("A")[0] != 0.7
    free = with_a_ball("B", None, "C", start=about_z(math.copysign(stop, at_elbow(0.7))))
    assert swing(assemble(free).of("B")) > stop + 1e-4


@pytest.mark.parametrize("inside", [0.0, 2e-4])
def test_a_corrector_finds_at_once_what_a_ball_at_its_limit_leaves_free(inside):
    """Pushed back to the limit after each step alone, it would take some thirty evaluations."""
    drawn = abs(at_elbow(0.7)) - 0.001
    start = about_z(math.copysign(drawn, at_elbow(0.7)))
    (system,) = systems_of(with_a_ball("B", drawn + inside, "C", start=start))
    q = starting_coordinates(system.compiled)
    found = correct(system, q, range(system.compiled.nv), limited=True)
    assert found.misfit < 1e-14
    assert system.measured(found.q)[1] == pytest.approx(drawn + inside, abs=1e-12)
    assert system.work.residuals <= 6


def test_a_ball_that_stands_alone_goes_to_the_limit_on_its_way():
    compiled = hung(K.BALL, swing_limit=0.5)
    axis = np.array([0.6, 0.0, 0.8])

    def turned(angle):
        return (math.cos(angle / 2.0), *(math.sin(angle / 2.0) * axis))

    assert assemble(compiled, {"j": turned(0.4)}).of("j") == pytest.approx(turned(0.4))
    with pytest.raises(StoppedError, match="its own limit") as caught:
        assemble(compiled, {"j": turned(0.9)})
    np.testing.assert_allclose(caught.value.nearest, turned(0.5), atol=1e-15)
    with pytest.raises(SampleError, match="Sample 1 of 2") as stopped:
        follow(compiled, {"j": [turned(0.1), -np.array(turned(-0.9))]})
    np.testing.assert_allclose(np.abs(stopped.value.nearest), np.abs(turned(-0.5)), atol=1e-15)


def head(stop):
    """A body on a ball, with a telescope from the ground to a point of it: three freedoms."""
    foot, top = np.array([0.2, 0.0, 0.0]), np.array([0.15, 0.05, 0.35])
    drawing = Drawing("head")
    drawing.body("head", at(0.0, 0.0, 0.3))
    along = axis(foot, top - foot)
    drawing.body("low", along)
    drawing.body("high", Pose(along.R, top))
    drawing.ball("neck", ("world", "head"), (0.0, 0.0, 0.3), swing_limit=stop, effort=1.0)
    drawing.joint("foot", K.UNIVERSAL, ("world", "low"), along, limits=OPEN * 2)
    length = float(np.linalg.norm(top - foot))
    drawing.prismatic("length", ("low", "high"), along, length, limits=OPEN)
    drawing.ball("top", ("high", "head"), top)
    return compile_mechanism(drawing.mechanism())


def test_a_driven_ball_in_a_loop_goes_on_its_way_as_far_as_its_swing_lets_it():
    turn = np.array([0.5, -0.3, 0.4])
    size = float(np.linalg.norm(turn))
    foot, top = np.array([0.2, 0.0, -0.3]), np.array([0.15, 0.05, 0.05])
    free = assemble(head(None), {"neck": quaternion_of(exp_rotation(turn))})
    length = float(np.linalg.norm(exp_rotation(turn) @ top - foot))
    assert free.of("length")[0] == pytest.approx(length, abs=1e-13)
    stopped = quaternion_of(exp_rotation(turn * 0.4 / size))
    with pytest.raises(StoppedError, match=r"'neck' .* its own limit") as caught:
        assemble(head(0.4), {"neck": quaternion_of(exp_rotation(turn))})
    np.testing.assert_allclose(caught.value.nearest, stopped, atol=1e-7)
    found = assemble(head(0.4), {"neck": Want(quaternion_of(exp_rotation(turn)))})
    assert found.missed == (("neck", pytest.approx(size - 0.4, abs=1e-6)),)
    with pytest.raises(SampleError, match="Sample 1 of 2"):
        follow(head(0.4), {"neck": [stopped, quaternion_of(exp_rotation(turn))]})


def test_a_quaternion_of_either_sign_is_the_same_value():
    value = quaternion_of(exp_rotation(np.array([0.2, 0.1, -0.1])))
    for sign in (1.0, -1.0):
        wanted = assemble(head(None), {"neck": Want(sign * value)})
        assert wanted.missed == ()
        np.testing.assert_allclose(np.abs(wanted.of("neck")), np.abs(value), atol=1e-15)


@pytest.mark.parametrize("cut", ["B", "C"])
def test_assemblies_that_a_ball_cannot_swing_to_are_left_out(cut):
    """With the coupler on the other side of the ground, B stands at another angle."""
    free = branches(with_a_ball("B", None, cut), starts=32)
    swings = sorted(swing(c.of("B")) for c in free.configurations)
    kept = branches(with_a_ball("B", (swings[0] + swings[-1]) / 2.0, cut), starts=32)
    assert len(kept.configurations) < len(free.configurations)
    assert kept.beyond_limits == len(free.configurations) - len(kept.configurations)
    assert all(swing(c.of("B")) < swings[-1] - 0.1 for c in kept.configurations)
