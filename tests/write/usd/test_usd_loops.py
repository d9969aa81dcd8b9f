"""Loops of a stage, read by USD's own library."""

import numpy as np
import pytest
from usd_writing import FLOATS, lowered, written

import robocompiler as rc
from linkages.drawing import Drawing, at
from linkages.spatial import delta, loop_with
from linkages.stewart import stewart, task_pose
from mechanisms import four_bar
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD
from robocompiler.solve.state import evaluate
from robocompiler.write.options import USD_PROFILES
from usd_reading import read_stage


@pytest.mark.parametrize("profile", USD_PROFILES)
@pytest.mark.parametrize(
    ("mechanism", "loops"),
    [(four_bar(), 1), (delta(), 5), (stewart(task_pose(5.7)), 5)],
    ids=["four-bar", "delta", "Stewart"],
)
def test_each_loop_is_one_excluded_ball_that_is_closed_where_the_bodies_stand(
    profile, mechanism, loops, tmp_path
):
    """R14 to R16: what is outside the articulation is marked, and the rest is a tree."""
    stage, _ = written(mechanism, tmp_path, **lowered(profile))
    closures = stage.closures()
    assert len(closures) == loops
    for closure in closures.values():
        assert closure.kind == "Spherical"
        assert closure.gap < FLOATS
    tree = [j for j in stage.joints.values() if not j.excluded]
    pairs = {j.bodies for j in tree}
    outer = [body for _, body in pairs]
    assert len(outer) == len(set(outer))
    # Without a base each joint on the world starts an articulation; PhysX fixes a base by its weld.
    based = "fixed" in stage.joints
    on_world = sum(joint.bodies[0] == "" for joint in tree)
    roots = sum(body.articulation for body in stage.bodies.values())
    assert roots == (0 if based and profile == "physx" else on_world)


@pytest.mark.parametrize("profile", USD_PROFILES)
@pytest.mark.parametrize("ends", [("left", WORLD), (WORLD, "left")])
def test_a_closure_leads_to_a_body_where_its_other_side_is_the_bare_world(ends, profile, tmp_path):
    """MuJoCo leaves out one that leads to nothing."""
    drawing = Drawing("held")
    drawing.body("left", at(0.2))
    drawing.revolute("hinge", (WORLD, "left"), at(), effort=1.0)
    drawing.ball("tip", ends, (0.0, 0.0, 0.5), closes_loop=True)
    stage, _ = written(drawing.mechanism(), tmp_path, usd_profile=profile)
    (closure,) = stage.closures().values()
    assert closure.bodies[1] != ""
    assert closure.gap < FLOATS


def test_a_hinge_of_a_spatial_loop_is_two_points_of_its_axis_or_a_hinge(tmp_path):
    mechanism = loop_with(JointKind.REVOLUTE, reverse=True)
    generic, _ = written(mechanism, tmp_path, cut=JointKind.REVOLUTE, intermediate_mass=1e-3)
    name, axis = generic.closures()
    point, second = generic.closures().values()
    assert axis == f"{name}/axis"
    assert {point.kind, second.kind} == {"Spherical"}
    between = second.frames[0][:3, 3] - point.frames[0][:3, 3]
    assert 0.01 - FLOATS <= np.linalg.norm(between) <= 0.1 + FLOATS
    for profile in ("physx", "newton"):
        folder = tmp_path / profile  # USD keeps a layer by its path
        folder.mkdir()
        stage, _ = written(mechanism, folder, cut=JointKind.REVOLUTE, **lowered(profile))
        (hinge,) = stage.closures().values()
        assert hinge.kind == "Revolute"
        for one, other in ((point, hinge), (second, hinge)):
            off = np.cross(one.frames[0][:3, 3] - other.frames[0][:3, 3], other.axis)
            assert np.linalg.norm(off) < FLOATS
        assert hinge.gap < FLOATS
        z = [X[:3, 2] for X in hinge.frames]
        np.testing.assert_allclose(z[0], z[1], atol=FLOATS)


CLOSED = {
    JointKind.PRISMATIC: {"linear"},
    JointKind.CYLINDRICAL: {"rotZ", "transZ"},
    JointKind.UNIVERSAL: {"rotX", "rotY"},
    JointKind.PLANAR: {"transX", "transY", "rotZ"},
    JointKind.TRANSLATION: {"transX", "transY", "transZ"},
}


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", CLOSED)
def test_for_physx_a_cut_joint_of_any_kind_is_that_joint_outside_the_articulation(
    kind, reverse, tmp_path
):
    """Its frames meet, since PhysX warns of those that are apart; a universal joint's axes cross
    squarely, the first body's y and the second's x, which is the drawing's the other way round.
    """
    compiled = rc.compile(loop_with(kind, reverse=reverse), frozenset({kind}))
    path = tmp_path / "m.usda"
    rc.write(compiled, path, **lowered("physx"))
    (joint,) = read_stage(path).closures().values()
    chord = compiled.closures[0].chord
    parent, child = (compiled.bodies[body].name for body in (chord.parent, chord.child))
    state = evaluate(compiled, rc.coordinates(compiled, rc.assemble(compiled)))
    X_WF, X_WM = state.poses[chord.parent] @ chord.X_PF, state.poses[chord.child] @ chord.X_CM
    assert joint.gap < FLOATS
    free = {axis for axis, (low, high) in joint.limits.items() if low < high}
    if kind is JointKind.PRISMATIC:
        assert joint.kind == "Prismatic"
        np.testing.assert_allclose(joint.axis, X_WF.R[:, 2], atol=FLOATS)
    else:
        assert free == CLOSED[kind]
    if kind is JointKind.UNIVERSAL:
        assert joint.bodies == (child, parent)
        assert abs(joint.frames[0][:3, 1] @ joint.frames[1][:3, 0]) < FLOATS
        np.testing.assert_allclose(joint.frames[0][:3, :3], X_WM.R, atol=FLOATS)
    else:
        assert joint.bodies == (parent, child)
        for frame in joint.frames:
            np.testing.assert_allclose(frame[:3, :3], X_WM.R, atol=FLOATS)
