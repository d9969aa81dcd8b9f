"""Two parts and one joint between them."""

from __future__ import annotations

import math

import numpy as np
from partcad_drawing import assembly, at, connected, jointed, part, request

from robocompiler.read.partcad import read_partcad
from robocompiler.spatial import Pose, rotation_of

TO = at(30.0, -20.0, 10.0, (0.3, 1.0, -0.2), 40.0)
OWN = at(-5.0, 7.0, 3.0, (1.0, 0.2, 0.5), 100.0)
DEG = math.pi / 180.0
LEADER = 2
"""Place of the first free step of a connection, after the port and the half turn."""


def read(steps, static=True, **more):
    """The one joint of base and arm, with the mechanism and PartCAD's own account of it."""
    import kinematics

    arm = jointed("arm", "base", "j", connected(TO, steps, OWN), **more)
    mechanism = read_partcad(request(assembly("pair", [part("base"), arm]), static=static))
    mine = next(joint for joint in mechanism.joints if joint.name == "j")
    return mechanism, mine, kinematics.Joint(arm["joint"])


def theirs(partcad_joint, values=None):
    """Where PartCAD puts the arm seen from the base."""
    q, t = partcad_joint.location(values)
    return Pose(rotation_of(np.array(q)), np.array(t) * 1e-3)
