"""What is said of those who misread a file: roots, what floats, and states."""

from dataclasses import replace

import pytest

from arms import arm
from mechanisms import four_bar
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Frame, Joint
from robocompiler.write.fidelity import Property
from urdfs import Written


def told(own, words):
    return [warning for warning in own.ledger.warnings if words in warning]


def test_a_root_that_is_not_the_world_is_said_to_float_what_is_welded_to_the_world():
    own = Written(four_bar(), root="base_footprint")
    (warning,) = told(own, "lets the whole mechanism float")
    assert "Drake" in warning
    assert "GetFrameByName('base_footprint')" in warning
    assert "lets float" in own.entry(Property.WELDED, "ground").how
    plain = Written(four_bar())
    assert not told(plain, "float")
    assert plain.entry(Property.WELDED, "ground").how == ""


def with_floating_tool():
    """Something that floats, counted from a body that moves."""
    own = arm(JointKind.REVOLUTE)
    tool = replace(own.bodies[-1], name="tool", shapes=())
    frames = (*own.frames, Frame(name="T", body="lower"), Frame(name="F", body="tool"))
    floats = Joint(
        name="floats", kind=JointKind.FREE, parent="T", child="F", start=JointKind.FREE.zero
    )
    joints = (*own.joints, floats)
    return replace(own, bodies=(*own.bodies, tool), frames=frames, joints=joints)


def test_what_floats_below_another_link_than_the_world_is_refused_by_mujoco_and_said_to_be():
    own = Written(with_floating_tool())
    (warning,) = told(own, "MuJoCo refuses")
    assert "'floats' floats on 'lower'" in warning
    with pytest.raises(ValueError, match="free joint can only be used on top level"):
        own.mujoco()


def hinge(turned, limits=None):
    own = arm(JointKind.REVOLUTE)
    first, second = own.joints
    second = replace(second, limits=((-3.0, 3.0),) if limits else None or ())
    rotation = (1.0, 0.0, 0.0, 0.0) if not turned else (0.0, 1.0, 0.0, 0.0)
    frames = tuple(
        replace(f, rotation=rotation) if f.name in (first.child, second.child) else f
        for f in own.frames
    )
    return replace(own, frames=frames, joints=(first, second))


def test_a_state_that_pinocchio_does_not_read_is_told_with_its_joint():
    """About z it reads it, about -z it does not, nor of any other axis; with limits always."""
    own = Written(hinge(turned=True))
    (warning,) = told(own, "Pinocchio leaves")
    assert "'S', 'J' at 0" in warning
    assert "'S', 'J'" in own.entry(Property.CONFIGURATION, "configuration 'assembled'").how
    assert not told(Written(hinge(turned=False)), "Pinocchio leaves")
    (warning,) = told(Written(hinge(turned=True, limits=True)), "Pinocchio leaves")
    assert "'J'" not in warning


def test_a_state_of_zero_is_read_by_doing_nothing():
    own = Written(hinge(turned=True), values={"S": 0.0, "J": 0.0})
    assert not told(own, "Pinocchio leaves")
