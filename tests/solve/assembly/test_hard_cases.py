"""What a hostile reviewer broke: redundant, spherical and change-point loops; limits; misfits."""

import math
from dataclasses import replace

import numpy as np
import pytest

import mechanisms
from linkages.planar import GRASHOF, four_bar_of, four_bar_solution
from mechanisms import four_bar
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.errors import (
    BadValueError,
    CouplingError,
    PortsApartError,
    SingularError,
)
from robocompiler.model.joint_kinds import JointKind as K
from robocompiler.model.mechanism import Body, Coupling, Frame, Inertia, Joint, Mechanism
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.solve.assembly.each import assemble_each
from robocompiler.solve.assembly.update import Assembled
from robocompiler.solve.describe import coordinates
from robocompiler.solve.mobility.mobility import mobility
from robocompiler.solve.motion.driver_range import driver_range
from robocompiler.solve.motion.follow import follow
from robocompiler.solve.values import Want
from robocompiler.spatial import Pose, exp_rotation

PARALLELOGRAM = GRASHOF["parallelogram"]
ORIGIN = Pose.identity()
INERTIA = Inertia(mass=1.0, center=(0.01, 0.02, 0.03), moments=(0.02, 0.03, 0.04))


def at(x, y=0.0, z=0.0):
    return Pose(np.eye(3), np.array([x, y, z], dtype=float))


def built(bodies, joints, couplings=()):
    """Joints as (name, kind, body, X_AF, body, X_BM, fields)."""
    frames, made = [], []
    for name, kind, a, F, b, M, fields in joints:
        for frame, body, X in ((f"{name}.F", a, F), (f"{name}.M", b, M)):
            placed = {"position": X.position, "rotation": X.quaternion}
            frames.append(Frame(name=frame, body=body, **placed))
        made.append(Joint(name=name, kind=kind, parent=f"{name}.F", child=f"{name}.M", **fields))
    return Mechanism(
        name="m",
        bodies=tuple(Body(name=body, inertia=INERTIA) for body in bodies),
        frames=tuple(frames),
        joints=tuple(made),
        couplings=tuple(couplings),
    )


def mobility_of(compiled):
    return int(mobility(compiled, coordinates(compiled, assemble(compiled))))


@pytest.mark.parametrize("kind", [K.REVOLUTE, K.PRISMATIC, K.CYLINDRICAL])
def test_a_door_on_two_hinges_keeps_its_start_its_freedom_and_can_be_moved(kind):
    """The second hinge holds nothing more: its rows are all rounding, in any orientation."""
    for seed in range(25):
        random = np.random.default_rng(seed)
        G, o = exp_rotation(random.standard_normal(3)), 10.0 * random.standard_normal(3)
        start = (0.5,) if kind.nq == 1 else (0.5, 0.1)
        door = built(
            ["leaf"],
            [
                (n, kind, "world", Pose(G, o + G @ np.array([0, 0, z])), "leaf", at(0, 0, z),
                 {"start": start, "closes_loop": z > 0})
                for n, z in (("top", 0.0), ("bottom", 0.8))
            ],
        )  # fmt: skip
        compiled = compile_mechanism(door)
        assert mobility_of(compiled) == kind.dof
        assert assemble(compiled).moved == ()
        (name,) = (t.edge.joint.name for t in compiled.tree)
        there = (0.9,) if kind.nq == 1 else (0.9, 0.2)
        assert assemble(compiled, {name: there}).of(name) == there


@pytest.mark.parametrize("apart", [0.0, 1e-17, 1e-9])
def test_a_lead_screw_on_one_axis_has_its_freedom_however_its_frames_are_rounded(apart):
    jack = built(
        ["spindle", "nut"],
        [
            ("turn", K.REVOLUTE, "world", at(0.3), "spindle", ORIGIN, {}),
            ("thread", K.SCREW, "spindle", at(apart), "nut", ORIGIN, {"pitch": 0.001}),
            ("rail", K.PRISMATIC, "world", at(0.3 + apart), "nut", ORIGIN, {"closes_loop": True}),
        ],
    )
    compiled = compile_mechanism(jack)
    assert mobility_of(compiled) == 1
    names = [t.edge.joint.name for t in compiled.tree]
    if "turn" in names:
        moved = assemble(compiled, {"turn": 2.0})
        assert abs(moved.of("rail")[0]) == pytest.approx(0.002, abs=1e-12)


@pytest.mark.parametrize("branch", [1, -1])
def test_a_step_over_a_change_point_does_not_end_on_the_other_branch(branch):
    """By closing what it opens, such a step led from the parallelogram to the antiparallelogram."""
    compiled = compile_mechanism(four_bar_of(GRASHOF["parallelogram"], 1.2, branch))
    for angle in (-0.05, -0.5, -1.0, -2.0):
        exact = four_bar_solution(GRASHOF["parallelogram"], angle, -branch)[1]
        off = assemble(compiled, {"A": angle}).of("D")[0] - exact
        assert math.remainder(off, 2 * math.pi) == pytest.approx(0.0, abs=1e-11)


def test_joints_in_one_place_do_not_lose_their_starts():
    gears = built(
        ["x", "y"],
        [
            ("g", K.REVOLUTE, "world", ORIGIN, "x", ORIGIN, {"start": (0.2,)}),
            ("h", K.PRISMATIC, "world", at(1e-17), "y", ORIGIN, {"start": (0.004,)}),
        ],
        [Coupling.gear(name="rack", leader="g", follower="h", ratio=0.02)],
    )
    found = assemble(compile_mechanism(gears))
    assert (found.of("g"), found.of("h")) == ((0.2,), (0.004,))


def spherical(ground=0.5, crank=1.2, coupler=1.0, rocker=1.3, turn=0.8):
    """A spherical four-bar with all ports at its centre, closed by spherical trigonometry.

    Each bar is an arc: its far axis is its near one, z, turned about x.
    """
    z = np.array([0.0, 0.0, 1.0])

    def arc(angle):
        return exp_rotation(np.array([angle, 0.0, 0.0]))

    def spin_towards(local):
        """The turn about z after which an arc about x points at `local`."""
        return math.atan2(local[0], -local[1])

    B, D = exp_rotation(turn * z) @ arc(crank), arc(ground)
    b, d = B @ z, D @ z
    k, s, t = float(b @ d), math.cos(coupler), math.cos(rocker)
    u, v = np.linalg.solve([[1.0, k], [k, 1.0]], [s, t])
    normal = np.cross(b, d)
    height = 1.0 - u * u - v * v - 2.0 * u * v * k
    c = u * b + v * d + math.sqrt(height / float(normal @ normal)) * normal
    at_b, at_d = spin_towards(B.T @ c), spin_towards(D.T @ c)
    seen_b = B @ exp_rotation(at_b * z) @ arc(coupler)
    seen_d = D @ exp_rotation(at_d * z) @ arc(rocker)
    R = seen_b.T @ seen_d
    at_c = math.atan2(R[1, 0], R[0, 0])

    def rot(R):
        return Pose(R, np.zeros(3))

    joints = [
        ("A", K.REVOLUTE, "world", ORIGIN, "crank", ORIGIN, {"start": (turn,)}),
        ("B", K.REVOLUTE, "crank", rot(arc(crank)), "coupler", ORIGIN, {"start": (at_b,)}),
        ("D", K.REVOLUTE, "world", rot(D), "rocker", ORIGIN, {"start": (at_d,)}),
        ("C", K.REVOLUTE, "coupler", rot(arc(coupler)), "rocker", rot(arc(rocker)),
         {"start": (at_c,), "closes_loop": True}),
    ]  # fmt: skip
    return built(["crank", "coupler", "rocker"], joints)


def test_a_spherical_four_bar_with_all_ports_at_its_centre_assembles_and_moves():
    compiled = compile_mechanism(spherical())
    assert mobility_of(compiled) == 1
    assert assemble(compiled).moved == ()
    assert assemble(compiled, {"A": 1.0}).gaps[0].angle < 1e-12


@pytest.fixture
def parallelogram(monkeypatch):
    bars = {"ground": 2.0, "crank": 1.0, "coupler": 2.0, "rocker": 1.0}
    monkeypatch.setattr(mechanisms, "BARS", bars)
    monkeypatch.setattr(mechanisms.four_bar_angles, "__defaults__", (bars,))
    return compile_mechanism(four_bar(0.7))


@pytest.mark.parametrize("angle", [1.0, 3.1, 3.2, 4.0, 5.0, 6.0, 6.5, -2.0, -4.0])
def test_a_parallelogram_goes_straight_through_its_change_point(parallelogram, angle):
    """The coupler stays parallel to the ground, on either side of where all bars are in line."""
    found = assemble(parallelogram, {"A": angle})
    assert found.of("A")[0] + found.of("B")[0] == pytest.approx(0.0, abs=1e-9)
    assert found.gaps[0].gap < 1e-12


def test_a_coupling_that_contradicts_the_drawing_says_which_offset_would_not():
    gears = built(
        ["x", "y"],
        [
            ("g", K.REVOLUTE, "world", ORIGIN, "x", ORIGIN, {"start": (0.5,)}),
            ("h", K.PRISMATIC, "world", at(0.1), "y", ORIGIN, {"start": (0.173,)}),
        ],
        [Coupling.gear(name="rack", leader="g", follower="h", ratio=0.02)],
    )
    said = r"drawn at 173 mm, but 'g' at 28\.6479° puts it at 10 mm\. State offset=163"
    with pytest.raises(CouplingError, match=said):
        assemble(compile_mechanism(gears))


def test_an_overconstrained_loop_of_rounded_lengths_closes_to_its_misfit():
    """Three parallel cranks of which one is 0.01 mm long."""
    cranks = enumerate(((0.0, 0.1), (0.2, 0.1), (0.4, 0.10001)))
    joints = []
    for i, (x, length) in cranks:
        joints.append((f"g{i}", K.REVOLUTE, "world", at(x), f"k{i}", ORIGIN, {"start": (1.0,)}))
        joints.append(
            (f"c{i}", K.REVOLUTE, f"k{i}", at(length), "bar", at(x),
             {"start": (-1.0,), "closes_loop": i > 0})
        )  # fmt: skip
    found = assemble(compile_mechanism(built(["k0", "k1", "k2", "bar"], joints)))
    assert 1e-7 < max(gap.gap for gap in found.gaps) < 1e-5


def test_a_cut_joint_drawn_elsewhere_than_it_starts_is_a_loop_that_does_not_meet():
    """Along what the cut joint frees, its closure sees nothing: only its start does."""
    mechanism = four_bar(0.7, kinds={"B": K.CYLINDRICAL})
    joints = tuple(
        replace(j, start=(j.start[0], 0.1)) if j.name == "B" else j for j in mechanism.joints
    )
    compiled = compile_mechanism(replace(mechanism, joints=joints))
    assert compiled.closures[0].chord.joint.name == "B"
    with pytest.raises(PortsApartError, match="100 mm"):
        assemble(compiled)


def test_values_may_be_numpy_numbers_and_quaternions_of_any_sign_and_size():
    ball = built(["b"], [("j", K.BALL, "world", ORIGIN, "b", ORIGIN, {})])
    compiled = compile_mechanism(ball)
    q = np.array([math.cos(0.4), 0.0, math.sin(0.4), 0.0])
    for given in (q, 2.0 * q):
        np.testing.assert_allclose(assemble(compiled, {"j": given}).of("j"), q, atol=1e-15)
    for bad in ((0.0, 0.0, 0.0, 0.0), "x", None, (1.0, 0.0)):
        with pytest.raises(BadValueError):
            assemble(compiled, {"j": bad})
    hinge = compile_mechanism(four_bar())
    assert assemble(hinge, {"A": np.int64(1)}).of("A") == (1.0,)


@pytest.mark.parametrize("drawn", [True, False])
@pytest.mark.parametrize("flat", [0.0, math.pi])
@pytest.mark.parametrize(
    "leave",
    [
        lambda c, near: assemble(c, {"A": 0.5}, near=near),
        lambda c, near: assemble(c, {"A": Want(0.5)}, near=near),
        lambda c, near: assemble_each(c, {"A": [0.5]}, near=near),
        lambda c, near: follow(c, {"A": [0.5]}, start=near),
        lambda c, near: driver_range(c, "A", near=near),
        lambda c, near: Assembled(c, near or assemble(c), ["A"]),
    ],
)
def test_a_flat_parallelogram_is_not_moved_since_its_branch_cannot_be_told(leave, flat, drawn):
    """There it may become an antiparallelogram; nothing in its coordinates says which it was."""
    if drawn:
        compiled, near = compile_mechanism(four_bar_of(PARALLELOGRAM, flat)), None
    else:
        compiled = compile_mechanism(four_bar_of(PARALLELOGRAM, 0.7))
        near = assemble(compiled, {"A": flat})
        assert near.of("D")[0] == pytest.approx(flat, abs=1e-9)
    with pytest.raises(SingularError, match="is singular where it stands"):
        leave(compiled, near)


def test_a_flat_parallelogram_may_be_asked_for_what_it_is():
    compiled = compile_mechanism(four_bar_of(PARALLELOGRAM, 0.7))
    flat = assemble(compiled, {"A": 0.0})
    assert assemble(compiled, {"A": 0.0}, near=flat).of("D")[0] == pytest.approx(0.0, abs=1e-9)


def test_a_hundred_loops_assemble_in_a_time_that_grows_with_their_number():
    """By evaluations of joints, not by the clock: each module looks at its own joints only."""
    from robocompiler.solve import state

    def many(n):
        mechanism = four_bar(0.7)
        copies = []
        for i in range(n):
            rename = lambda name, i=i: name if name == "world" else f"{name}{i}"  # noqa: E731
            copies.append(
                replace(
                    mechanism,
                    bodies=tuple(replace(b, name=rename(b.name)) for b in mechanism.bodies),
                    frames=tuple(
                        replace(f, name=rename(f.name), body=rename(f.body))
                        for f in mechanism.frames
                    ),
                    joints=tuple(
                        replace(j, name=rename(j.name), parent=rename(j.parent),
                                child=rename(j.child))
                        for j in mechanism.joints
                    ),
                )
            )  # fmt: skip
        return compile_mechanism(
            Mechanism(
                name="many",
                bodies=tuple(b for c in copies for b in c.bodies),
                frames=tuple(f for c in copies for f in c.frames),
                joints=tuple(j for c in copies for j in c.joints),
            )
        )

    def joints_moved(compiled):
        count = 0
        original = state.joint_columns

        def counted(*arguments):
            nonlocal count
            count += 1
            return original(*arguments)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(state, "joint_columns", counted)
            assemble(compiled)
        return count

    assert joints_moved(many(16)) < 2.5 * joints_moved(many(8))
