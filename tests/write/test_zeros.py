"""Where balls and free bodies count from: what the ledger says, against what a consumer counts."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

import robocompiler as rc
from arms import arm
from exporting import write
from linkages.drawing import Drawing, at, turn
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD
from robocompiler.spatial import Pose, exp_rotation, quaternion_of
from robocompiler.write.fidelity import Fidelity, Property
from robocompiler.write.known_formats import FORMATS

TURNED = tuple(quaternion_of(exp_rotation(np.array([0.2, -0.4, 0.3]))).tolist())
STANDS = (0.1, 0.2, 0.3, *TURNED)
EVERY = pytest.mark.parametrize("form", FORMATS)


def floating(where=None, on=None, values=STANDS, reverse=False):
    """A body that floats, its joint's frame `where` in the world and `on` the body."""
    drawing = Drawing("floating")
    F, M = where or at(), on or at()
    X_FM = Pose.of(values[:3], values[3:])
    X_WM = F @ (X_FM.inverse() if reverse else X_FM)
    drawing.body("b", X_WM @ M.inverse())
    ends, own = (("b", WORLD), X_WM) if reverse else ((WORLD, "b"), F)
    drawing.joint("float", JointKind.FREE, ends, own, *values)
    return drawing.mechanism()


def zero_of(form, mechanism, joint, folder):
    result = write(form, mechanism, folder)
    (entry,) = (e for e in result.ledger if (e.property, e.where) == (Property.ZERO, joint))
    return entry


@EVERY
def test_a_free_joint_between_the_world_and_its_body_is_where_the_body_stands(form, tmp_path):
    entry = zero_of(form, floating(), "float", tmp_path)
    assert (entry.fidelity, entry.error) == (Fidelity.EXACT, None)


@EVERY
@pytest.mark.parametrize(
    "drawn",
    [{"where": at(1.0)}, {"on": at(0.5)}, {"where": turn([0.5, 0.0, 0.0])}, {"reverse": True}],
    ids=["from elsewhere", "to elsewhere", "turned", "reversed"],
)
def test_one_that_counts_otherwise_than_its_body_stands_is_not_exact(form, drawn, tmp_path):
    entry = zero_of(form, floating(**drawn), "float", tmp_path)
    if form == "urdf":
        assert entry.fidelity is Fidelity.DROPPED
    else:
        assert (entry.fidelity, entry.unit) == (Fidelity.APPROXIMATED, "m")


@pytest.mark.parametrize("reverse", [False, True])
def test_the_error_of_a_ball_is_how_far_mujoco_s_coordinates_are_from_ours(reverse, tmp_path):
    mechanism = arm(JointKind.BALL, reverse)
    entry = zero_of("mjcf", mechanism, "J", tmp_path)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
    theirs = model.key_qpos[0][model.joint("J").qposadr[0] :][:4]
    ours = np.array(mechanism.joints[1].start)
    assert (entry.fidelity, entry.unit) == (Fidelity.APPROXIMATED, "rad")
    assert entry.error == pytest.approx(2.0 * np.arccos(abs(theirs @ ours)))


def test_a_ball_that_stands_at_its_zero_counts_alike_there_and_not_along_other_axes(tmp_path):
    joints = arm(JointKind.BALL).joints
    mechanism = replace(arm(JointKind.BALL), joints=(joints[0], replace(joints[1], start=())))
    assert zero_of("mjcf", mechanism, "J", tmp_path).fidelity is Fidelity.EXACT
    compiled = rc.compile(mechanism)
    there = rc.assemble(compiled, {"J": TURNED})
    result = rc.write(compiled, tmp_path / "m.xml", configurations={"there": there})
    (entry,) = (e for e in result.ledger if (e.property, e.where) == (Property.ZERO, "J"))
    assert entry.error > 0.1


def test_a_floating_joint_of_a_urdf_counts_to_its_link(tmp_path):
    """Where it is no root, it has a joint in the file: from anywhere, to its link's own frame."""
    for drawn, fidelity in (({"where": at(1.0)}, Fidelity.EXACT), ({"on": at(0.5)}, None)):
        one, other = floating(**drawn), arm(JointKind.REVOLUTE)
        both = replace(
            one,
            bodies=(*one.bodies, *other.bodies),
            frames=(*one.frames, *other.frames),
            joints=(*one.joints, *other.joints),
        )
        entry = zero_of("urdf", both, "float", tmp_path)
        assert entry.fidelity is (fidelity or Fidelity.DROPPED)
