"""The bodies of a compiled mechanism as limbs: each with the joint that carries it."""

from __future__ import annotations

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.equations.dynamics import BASE, Limb
from robocompiler.equations.inertia import Rigid, SpatialInertia, seen_from
from robocompiler.equations.loops import Crossing
from robocompiler.model.mechanism import Inertia
from robocompiler.model.validity import inertia_tensor
from robocompiler.spatial import Pose, skew


def limb_frames(compiled: CompiledMechanism) -> tuple[Pose, ...]:
    """Of each compiled body the frame that its limb's quantities are seen from, in the body's own:
    the one that its tree joint leads to. The world's is its own.
    """
    frames = [Pose.identity()] * len(compiled.bodies)
    for joint in compiled.tree:
        frames[joint.outboard] = joint.edge.X_PF if joint.reversed else joint.edge.X_CM
    return tuple(frames)


def limbs_of(compiled: CompiledMechanism) -> tuple[Limb, ...]:
    """A limb for each tree joint, in their order."""
    frames = limb_frames(compiled)
    index = {joint.outboard: at for at, joint in enumerate(compiled.tree)}
    limbs: list[Limb] = []
    for joint in compiled.tree:
        edge = joint.edge
        met = edge.X_CM if joint.reversed else edge.X_PF
        crossing = Crossing(
            kind=edge.joint.kind,
            pitch=edge.joint.pitch,
            backwards=joint.reversed,
            before=frames[joint.inboard].inverse() @ met,
            q=joint.q,
            v=joint.v,
        )
        inertia = compiled.bodies[joint.outboard].inertia
        own = None if inertia is None else rigid(inertia, frames[joint.outboard])
        limbs.append(Limb(crossing, index.get(joint.inboard, BASE), own))
    return tuple(limbs)


def rigid(inertia: Inertia, X_BL: Pose) -> SpatialInertia:
    """A body's inertia seen from a frame L of it."""
    center = np.array(inertia.center)
    c = skew(center)
    mass = np.array([inertia.mass])
    whole = Rigid(mass, inertia.mass * center, inertia_tensor(inertia) - inertia.mass * c @ c)
    return seen_from(X_BL.inverse(), whole)
