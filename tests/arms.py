"""An arm of two bodies, with a joint of any kind between them in general position."""

import numpy as np

from mechanisms import bar
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Body, Frame, Joint, Mechanism
from robocompiler.spatial import exp_rotation, quaternion_of

MOVING = [kind for kind in JointKind if kind not in (JointKind.FIXED, JointKind.FREE)]


def arm(kind, reverse=False, **fields):
    """World - shoulder (revolute) - upper - `joint` - lower, frames in general position."""
    X = tuple(quaternion_of(exp_rotation(np.array([0.4, 0.3, -0.8]))).tolist())
    Y = tuple(quaternion_of(exp_rotation(np.array([-0.2, 0.7, 0.1]))).tolist())
    starts = {
        JointKind.BALL: tuple(quaternion_of(exp_rotation(np.array([0.2, 0.1, 0.3]))).tolist()),
        JointKind.REVOLUTE: (0.4,),
        JointKind.PRISMATIC: (0.1,),
        JointKind.SCREW: (2.0,),
        JointKind.CYLINDRICAL: (0.5, 0.05),
        JointKind.UNIVERSAL: (0.3, -0.4),
        JointKind.PLANAR: (0.05, -0.02, 0.6),
        JointKind.TRANSLATION: (0.05, -0.02, 0.1),
    }
    ends = ("upper.J", "lower.J")
    parent, child = ends[::-1] if reverse else ends
    pitch = 0.01 if kind is JointKind.SCREW else 0.0
    return Mechanism(
        name="arm",
        bodies=(
            Body(name="upper", inertia=bar(1.0, 0.3)),
            Body(name="lower", inertia=bar(0.5, 0.2)),
        ),
        frames=(
            Frame(name="world.S", body=WORLD, position=(0.1, 0.0, 0.5), rotation=Y),
            Frame(name="upper.S", body="upper"),
            Frame(name="upper.J", body="upper", position=(0.3, 0.01, 0.02), rotation=X),
            Frame(name="lower.J", body="lower", position=(0.02, 0.03, 0.0), rotation=Y),
        ),
        joints=(
            Joint(
                name="S", kind=JointKind.REVOLUTE, parent="world.S", child="upper.S", start=(0.2,)
            ),
            Joint(
                name="J",
                kind=kind,
                parent=parent,
                child=child,
                start=starts[kind],
                pitch=pitch,
                **fields,
            ),
        ),
    )
