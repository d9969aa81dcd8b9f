"""The four-bar with one thing changed, and what is wrong with it then."""

from dataclasses import replace

from mechanisms import bar, four_bar
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Body, Frame, Joint
from robocompiler.model.validity import faults_of


def with_body(mechanism, name, inertia):
    bodies = tuple(replace(b, inertia=inertia) if b.name == name else b for b in mechanism.bodies)
    return replace(mechanism, bodies=bodies)


def with_joint(mechanism, which, /, **fields):
    joints = tuple(replace(j, **fields) if j.name == which else j for j in mechanism.joints)
    return replace(mechanism, joints=joints)


def with_frame(mechanism, name, **fields):
    frames = tuple(replace(f, **fields) if f.name == name else f for f in mechanism.frames)
    return replace(mechanism, frames=frames)


def attached(mechanism, name, joint, parent="crank.B", inertia=None, **frame):
    """A further body on the frame `parent`, by a joint of fields `joint`."""
    end = Frame(name=f"{name}.o", body=name, **frame)
    held = Joint(name=f"to {name}", parent=parent, child=end.name, **joint)
    return replace(
        mechanism,
        bodies=(*mechanism.bodies, Body(name=name, inertia=inertia)),
        frames=(*mechanism.frames, end),
        joints=(*mechanism.joints, held),
    )


def hung(kind, **fields):
    """The four-bar with a bob on the crank's far end, by a joint named `to bob`."""
    return attached(four_bar(), "bob", {"kind": kind, **fields}, inertia=bar(1.0, 1.0))


def welded(mechanism, name, inertia, parent="crank.B", **frame):
    return attached(mechanism, name, {"kind": JointKind.FIXED}, parent, inertia, **frame)


def only(mechanism, error):
    """What the one fault says."""
    (fault,) = faults_of(mechanism)
    assert type(fault) is error
    return str(fault)
