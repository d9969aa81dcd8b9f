"""Wrenches on bodies as efforts on the tree."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.limbs import limb_frames
from robocompiler.equations.dynamics import inward
from robocompiler.errors import BadValueError, UnknownNameError
from robocompiler.model.mechanism import WORLD
from robocompiler.solve.dynamics.tree import Tree
from robocompiler.solve.reduction.checks import floats
from robocompiler.solve.state import evaluate
from robocompiler.spatial import Array, Pose, apply, cross

Wrenches = Mapping[str, Array]
"""By body or frame: force [N] and torque [N m] about its origin, along the world's axes, (…, 6)."""


def external_efforts(tree: Tree, wrenches: Wrenches) -> Array:
    """The efforts of wrenches along the tree's speeds, shape (…, nv).

    Raises:
        UnknownNameError: neither a body nor a frame is called so.
        BadValueError: no six finite numbers, or on a body that does not move.
    """
    own = limb_wrenches(tree, wrenches)
    return inward(tree.limbs, tree.at, own, tree.compiled.nv)[0]


def limb_wrenches(tree: Tree, wrenches: Wrenches) -> list[Array | None]:
    """What wrenches there are on each limb, seen from its own frame, shape (…, 6)."""
    compiled, batch = tree.compiled, tree.q.shape[:-1]
    found: list[Array | None] = [None] * len(tree.limbs)
    if not wrenches:
        return found
    limb = {joint.outboard: at for at, joint in enumerate(compiled.tree)}
    frames, poses = limb_frames(compiled), evaluate(compiled, tree.q).poses
    for name, given in wrenches.items():
        wrench = _read(name, given)
        host, point = attached(compiled, name)
        if host not in limb:
            where = f"The wrench on '{name}'"
            raise BadValueError(where, "body", name, "a body that moves")
        R = (poses[host].R @ frames[host].R).swapaxes(-1, -2)
        arm = (frames[host].inverse() @ point).p
        force = apply(R, wrench[..., :3])
        torque = apply(R, wrench[..., 3:]) + cross(np.broadcast_to(arm, force.shape), force)
        seen = np.concatenate(np.broadcast_arrays(force, torque), axis=-1)
        seen = np.broadcast_to(seen, np.broadcast_shapes(seen.shape, (*batch, 6)))
        before = found[limb[host]]
        found[limb[host]] = seen if before is None else before + seen
    return found


def attached(compiled: CompiledMechanism, name: str) -> tuple[int, Pose]:
    """The compiled body that a body or frame is on, and its frame seen from that.

    Raises:
        UnknownNameError: there is neither.
    """
    bodies = {WORLD: (0, Pose.identity())}
    bodies |= {body.name: (body.host, body.pose) for body in compiled.welded}
    if name in bodies:
        return bodies[name]
    for frame in compiled.mechanism.frames:
        if frame.name == name:
            host, pose = bodies.get(frame.body, (0, Pose.identity()))
            return host, pose @ frame.pose()
    known = [*bodies, *(frame.name for frame in compiled.mechanism.frames)]
    raise UnknownNameError("Wrenches", "body or frame", name, known)


def read_wrenches(given: Wrenches | None) -> dict[str, Array]:
    """Wrenches as arrays of shape (…, 6).

    Raises:
        BadValueError: no six finite numbers.
    """
    return {name: _read(name, own) for name, own in (given or {}).items()}


def _read(name: str, given: Array) -> Array:
    expected = "of shape (…, 6), finite: force and torque"
    wrench = floats(given, "Wrenches", name, f"an array {expected}")
    if not wrench.shape or wrench.shape[-1] != 6 or not np.all(np.isfinite(wrench)):
        raise BadValueError("Wrenches", name, f"an array of shape {wrench.shape}", expected)
    return wrench
