"""What users of other tools report (R…), of every format that is written: none of it happens here.

Not here: R3's model that Gazebo's default engine would hold, which nothing here could try; R32 and
R33, of parts that are taken apart into many hulls, since each is one here; R48, of sensors, which
no mechanism has yet.
Each format is read by a library of its own (`written`), and compared with closed forms.
"""

import math
from dataclasses import replace

import numpy as np
import pytest

import robocompiler as rc
from linkages.planar import slider_crank
from linkages.spatial import delta
from linkages.stewart import stewart, task_pose
from mechanisms import four_bar
from reported import cabinet, in_world, split_coupler, twins
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import (
    Coupling,
)
from robocompiler.write.known_formats import FORMATS
from robocompiler.write.links import axis_names, axis_values
from robocompiler.write.options import WriteOptions
from solids import box, moved, tube
from written import READERS

SINGLE = {"usd"}
"""Formats that hold numbers in single precision."""
CUBE = moved(box(0.02, 0.02, 0.02), [-0.01, -0.01, 0.0])
"""20 mm, standing on its origin."""
WASHER = tube(0.02, 0.01, 1e-4, 60)
"""0.1 mm thick."""

pytestmark = pytest.mark.parametrize("form", FORMATS)


def tolerance(form):
    return 2e-6 if form in SINGLE else 1e-12


def written(form, mechanism, folder, geometry=lambda mesh, coarseness: CUBE, **asked):
    """A mechanism as a library of the format's reads it, assembled, and what was said of it."""
    known = FORMATS[form]
    options = {"intermediate_mass": 1e-3, **asked}
    options = {name: value for name, value in options.items() if name in known.options}
    path = folder / f"{mechanism.name}{known.suffixes[0]}"
    compiled = rc.compile(mechanism, known.cuttable(WriteOptions(**options)))
    standing = dict(rc.assemble(compiled).values)
    result = rc.write(compiled, path, format=form, geometry=geometry, **options)
    changed = result.names.get("joint", {})
    at = {
        changed.get(name, name): value
        for joint in (tree_joint.edge.joint for tree_joint in compiled.tree)
        for name, value in zip(
            axis_names(joint), axis_values(joint, np.array(standing[joint.name])), strict=True
        )
    }
    return READERS[form](path, at), result


def test_there_is_a_reader_for_every_format(form):
    assert form in READERS


def test_what_is_loaded_is_as_large_as_it_was_drawn_in_metres(form, tmp_path):
    """R35, R36: a mesh in millimetres is a thousand times larger."""
    model, _ = written(form, cabinet(), tmp_path)
    plinth = np.array([in_world((-0.01, -0.01, 0.07)), in_world((0.01, 0.01, 0.05))])
    np.testing.assert_allclose(model.shapes["plinth"], plinth, atol=1e-6)
    panel = np.array([in_world((-0.01, 0.28, 0.01)), in_world((0.01, 0.30, -0.01))])
    np.testing.assert_allclose(model.shapes["panel"], panel, atol=1e-6)


def test_masses_centres_and_inertias_are_those_of_the_bodies_however_they_lie(form, tmp_path):
    """R25, R27, R29, R44: the root is turned and fixed, a body weighs a seventh of a gram."""
    model, _ = written(form, cabinet(), tmp_path)
    turn = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    base = np.array([[0.02, 1e-3, -2e-3], [1e-3, 0.03, 3e-3], [-2e-3, 3e-3, 0.04]])
    for name, mass, center, tensor in (
        ("base", 5.0, in_world((0.1, 0.2, 0.3)), base),
        ("door", 1.0 / 3.0, in_world((0.0, 0.35, 0.0)), np.diag([2e-3, 3e-3, 4e-3])),
        ("drawer", 1e-3 / 7.0, in_world((0.2, 0.0, 0.0)), np.diag([3e-10, 4e-10, 5e-10])),
    ):
        own, close = model.bodies[name], tolerance(form)
        assert own.mass == pytest.approx(mass, rel=close)
        np.testing.assert_allclose(own.center, center, atol=4 * close)
        expected = turn @ tensor @ turn.T
        np.testing.assert_allclose(own.inertia, expected, atol=close * np.abs(tensor).max())


def test_a_hinge_has_its_limits_in_its_unit_and_a_slide_in_its_own(form, tmp_path):
    """R46: degrees for radians, and radians for metres."""
    model, _ = written(form, cabinet(), tmp_path)
    hinge, rail = model.joints["hinge"], model.joints["rail"]
    assert (hinge.turns, rail.turns) == (True, False)
    assert hinge.limits == pytest.approx((-math.pi / 2, math.pi / 2), rel=tolerance(form))
    assert rail.limits == pytest.approx((0.0, 0.1), rel=tolerance(form))
    np.testing.assert_allclose(hinge.direction, [1.0, 0.0, 0.0], atol=tolerance(form))
    np.testing.assert_allclose(rail.direction, [0.0, 0.0, 1.0], atol=tolerance(form))


def test_a_fixed_base_is_a_body_and_what_weighs_nothing_a_frame(form, tmp_path):
    """R38, R39, R44: bases are not lost in the world, nor sensors' frames with what is welded."""
    model, _ = written(form, cabinet(), tmp_path)
    assert set(model.bodies) == {"base", "door", "drawer"}
    at = in_world((0.2, 0.01, 0.0))
    np.testing.assert_allclose(model.frames["probe"][:3, 3], at, atol=4 * tolerance(form))


def names_of(name, result):
    """What a file may call something: by its own name, or by one that is told."""
    return {name, *(changed[name] for changed in result.names.values() if name in changed)}


def test_parts_of_one_name_stay_two_and_one_solid_is_stored_once(form, tmp_path):
    """R37: names clash within a kind and not across kinds; meshes overwrite each other."""

    def geometry(mesh, coarseness):
        return moved(CUBE, [0.0, 0.0, 0.5]) if mesh.name == "part_b_2" else CUBE

    model, result = written(form, twins(), tmp_path, geometry)
    stored = sorted(path.name for path in result.files if path.suffix == ".obj")
    assert stored == ["part_a.obj", "part_b.obj", "part_b_2.obj"]
    for found in (model.bodies, model.joints, model.shapes):
        for name in ("left/part_a", "right/part_a"):
            assert names_of(name, result) & set(found)
    heights = {name: bounds[0, 2] for name, bounds in model.shapes.items()}
    assert sorted(round(height, 6) for height in heights.values()) == [0.0, 0.0, 0.0, 0.5]


def test_a_weld_within_a_loop_makes_one_body_and_is_no_closure(form, tmp_path):
    """R41: a fixed joint in a ring takes a freedom from it, and is not the joint to cut."""
    model, _ = written(form, split_coupler(), tmp_path)
    assert set(model.bodies) == {"ground", "crank", "coupler", "rocker"}
    assert set(model.closures) == {"C"}
    alone = next(body.inertia for body in four_bar().bodies if body.name == "coupler")
    assert model.bodies["coupler"].mass == pytest.approx(2 * alone.mass, rel=tolerance(form))


def test_a_coupling_ties_its_joints_when_what_they_move_is_welded_on(form, tmp_path):
    """R40: tools that merge fixed parts lose the mimic that named one of their joints."""
    tie = Coupling.gear(name="tie", leader="hinge", follower="rail", ratio=0.01)
    # USD's importers differ in what a move that mimics a turn is, so that a profile is needed.
    tied = replace(cabinet(), couplings=(tie,))
    model, _ = written(form, tied, tmp_path, usd_profile="newton")
    assert model.ties["rail"][0] == "hinge"


def test_a_follower_turns_as_many_times_and_as_far_off_as_it_should(form, tmp_path):
    """R21: a second finger that follows by 2, off by 0.1 rad, goes the other way, or by degrees."""
    fingers = twins()
    starts = {"left/part_a": 0.2, "right/part_a": 0.5}
    joints = tuple(replace(joint, start=(starts[joint.name],)) for joint in fingers.joints)
    tie = Coupling.gear(
        name="tie", leader="left/part_a", follower="right/part_a", ratio=2.0, offset=0.1
    )
    model, result = written(form, replace(fingers, joints=joints, couplings=(tie,)), tmp_path)
    ((follower, (leader, ratio, offset)),) = model.ties.items()
    assert follower in names_of("right/part_a", result)
    assert leader in names_of("left/part_a", result)
    assert ratio == pytest.approx(2.0, rel=tolerance(form))
    # Coordinates of SDFormat count from where it stands.
    stands = 2.0 * 0.2 - 0.5 if form == "sdf" else 0.0
    assert offset == pytest.approx(0.1 + stands, abs=tolerance(form))


def test_both_ends_of_a_loop_are_frames_that_can_be_found_and_meet(form, tmp_path):
    """R53: solvers of inverse kinematics look for them by name, the same but for its slash."""
    model, _ = written(form, four_bar(), tmp_path)
    slash = "_" if form == "urdf" else "/"
    ends = [model.frames[f"C{slash}{side}"] for side in ("parent", "child")]
    np.testing.assert_allclose(ends[0][:3, 3], ends[1][:3, 3], atol=max(tolerance(form), 1e-9))


@pytest.mark.parametrize(
    ("mechanism", "loops"),
    [(four_bar(), 1), (delta(), 5), (stewart(task_pose(5.7)), 5)],
    ids=["four-bar", "delta", "Stewart"],
)
def test_every_loop_is_closed_and_no_body_is_there_twice(form, mechanism, loops, tmp_path):
    """R1, R2, R14, R15, R51, R52: extra parents are discarded, or what has two is there twice."""
    model, result = written(form, mechanism, tmp_path)
    cut = rc.compile(mechanism, FORMATS[form].cuttable(WriteOptions()))
    assert len(model.closures) == loops == len(cut.closures)
    for body in cut.bodies[1:]:
        assert names_of(body.name, result) & set(model.bodies)
    for closure in cut.closures:
        (name,) = names_of(closure.name, result) & set(model.closures)
        (one, at), (other, there) = model.closures[name]
        chord = closure.chord
        for end, body in ((one, chord.parent), (other, chord.child)):
            assert end in names_of(cut.bodies[body].name, result)
        np.testing.assert_allclose(at, there, atol=max(tolerance(form), 1e-9))


def test_a_ram_that_is_drawn_as_closing_a_loop_is_not_left_out(form, tmp_path):
    """R7, R9: a slide is no point, so what closes loops at points has to open them elsewhere."""
    drawn = slider_crank()
    joints = tuple(replace(joint, closes_loop=joint.name == "S") for joint in drawn.joints)
    model, _ = written(form, replace(drawn, joints=joints), tmp_path)
    (((one, at), (other, there)),) = model.closures.values()
    if JointKind.PRISMATIC in FORMATS[form].cuttable(WriteOptions()):
        assert {one, other} & {"slider"}
    else:
        assert not model.joints["S"].turns
        np.testing.assert_allclose(at, there, atol=max(tolerance(form), 1e-9))


@pytest.mark.parametrize(
    ("mechanism", "balls"),
    [(stewart(task_pose(5.7)), 1), (four_bar(kinds={"C": JointKind.BALL}), 0)],
    ids=["Stewart", "four-bar"],
)
def test_loops_are_cut_at_balls_and_one_that_stays_is_told(form, mechanism, balls, tmp_path):
    """R47: what counts one number a joint misreads it. A URDF has hinges for it."""
    _, result = written(form, mechanism, tmp_path)
    cut = rc.compile(mechanism, FORMATS[form].cuttable(WriteOptions()))
    own = [t.edge.joint.name for t in cut.tree if t.edge.joint.kind is JointKind.BALL]
    assert len(own) == balls
    told = [warning for warning in result.warnings if "a ball stays in the tree" in warning]
    assert len(told) == (balls if form in ("mjcf", "usd") else 0)
    assert all(f"'{name}'" in warning for warning in told for name in own)


@pytest.mark.parametrize("shape", [WASHER, box(0.1, 0.1, 1e-5)], ids=["washer", "foil"])
def test_what_is_thin_weighs_what_it_is_said_to_weigh(form, shape, tmp_path):
    """R30: a mesh that is integrated for its mass has none, or a negative one."""
    model, result = written(form, cabinet(), tmp_path, lambda mesh, coarseness: shape)
    assert model.bodies["door"].mass == pytest.approx(1.0 / 3.0, rel=tolerance(form))
    assert not any(entry.where == "mesh cube" for entry in result.unsupported)


def test_each_shape_collides_once_and_adds_no_mass(form, tmp_path):
    """R34: the hulls of what was taken apart are one mesh again, or weigh."""
    ring = tube(0.02, 0.01, 0.01, 60)
    shapes = sum(len(body.shapes) for body in cabinet().bodies)
    model, _ = written(form, cabinet(), tmp_path, lambda mesh, coarseness: ring)
    assert len(model.shapes) == shapes
    assert model.bodies["base"].mass == pytest.approx(5.0, rel=tolerance(form))


def test_what_is_inside_out_is_the_same_model_with_a_warning(form, tmp_path):
    flipped = replace(CUBE, faces=CUBE.faces[:, ::-1])
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    _, right = written(form, cabinet(), tmp_path / "a")
    _, wrong = written(form, cabinet(), tmp_path / "b", lambda mesh, coarseness: flipped)
    for one, other in zip(right.files, wrong.files, strict=True):
        assert one.read_bytes() == other.read_bytes()
    assert any("'cube' is inside out" in warning for warning in wrong.warnings)
