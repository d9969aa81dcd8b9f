"""The bodies of a stage: rigid bodies, their masses, and what is fixed to them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from robocompiler.errors import UnwritableError
from robocompiler.model.mechanism import Inertia
from robocompiler.model.validity import inertia_tensor
from robocompiler.spatial import Array, Pose, quaternion_of
from robocompiler.write.inertias import ball, writable_tensor
from robocompiler.write.loops import closure_frames
from robocompiler.write.names import legal_names
from robocompiler.write.statements import named_frames
from robocompiler.write.usd.physx import make_root
from robocompiler.write.usd.prims import (
    Prim,
    Value,
    doubles,
    placed,
    point,
    real,
    token,
    turn,
    vector,
)
from robocompiler.write.usd.scene import Scene, display, holds, legal
from robocompiler.write.usd.shapes import shape_prims

WEIGHTLESS_BASE = Inertia(mass=1.0, moments=(0.01, 0.01, 0.01))
"""Of a base that states none, where it has to have some: it never moves."""
SITE_RADIUS = 0.005
"""[m], of what marks a frame."""


def body_prims(scene: Scene) -> Iterator[Prim]:
    """The base and every link, each where it stands, next to one another below the model."""
    roots = _roots(scene)
    for link in scene.written_links:
        index = link.body
        original = link.name if index != 0 else scene.base
        prim = Prim(
            name=scene.links[link.name],
            type="Xform",
            display=display(original, scene.links[link.name]),
            attributes=placed(scene.stands[link.name]),
        )
        if index is None:
            _weigh_intermediate(scene, prim)
        elif index != 0 or scene.base_is_rigid:
            _weigh(scene, prim, index)
        if index is not None:
            X_PB = _own_frame(scene, index)
            prim.children += _fixed(scene, index, X_PB)
        if prim.name in roots:
            make_root(prim, scene)
        yield prim


def _own_frame(scene: Scene, index: int) -> Pose:
    """The compiled body's frame seen from its prim."""
    return scene.base_pose.inverse() if index == 0 else Pose.identity()


def _roots(scene: Scene) -> set[str]:
    """Prims of the bodies from which articulations start: a base that joints lead from, else what
    they lead to from the world; and free bodies that carry others.
    """
    world = scene.tree.links[0].name
    free = {j.child for j in scene.tree.joints if not holds(j.kind)}
    found: set[str] = set()
    for joint in (j for j in scene.tree.joints if holds(j.kind)):
        if joint.parent == world:
            if scene.base_is_rigid and scene.profile.physx:
                continue
            found.add(world if scene.base_is_rigid else scene.outer_link(joint))
        elif joint.parent in free:
            found.add(joint.parent)
    return {scene.links[name] for name in found}


def _weigh(scene: Scene, prim: Prim, index: int) -> None:
    body = scene.compiled.bodies[index]
    inertia = body.inertia or WEIGHTLESS_BASE
    prim.schemas = ("PhysicsRigidBodyAPI", "PhysicsMassAPI")
    prim.attributes |= mass_attributes(body.name, inertia, _own_frame(scene, index))
    if scene.profile.newton:
        R = _own_frame(scene, index).R
        tensor = R @ writable_tensor(inertia_tensor(inertia)) @ R.T
        entries = [tensor[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        prim.schemas = ("PhysicsRigidBodyAPI", "NewtonMassAPI")
        prim.attributes["newton:inertia"] = doubles(entries, uniform=False)
    if scene.profile.mujoco:  # which takes one or the other
        del prim.attributes["physics:diagonalInertia"], prim.attributes["physics:principalAxes"]


def mass_attributes(name: str, inertia: Inertia, X_PB: Pose) -> dict[str, Value]:
    """Mass, centre and principal moments, with their axes, seen from the prim.

    Raises:
        UnwritableError: none that single precision can hold, since 0 means to USD that it is to
            find them by itself.
    """
    moments, axes = np.linalg.eigh(inertia_tensor(inertia))
    axes = X_PB.R @ (axes * np.linalg.det(axes))
    held = single_moments(moments)
    if not np.float32(inertia.mass) > 0.0 or not held[2] > 0.0:
        raise UnwritableError(
            f"USD holds masses and moments of inertia in single precision, where those of body "
            f"'{name}', {inertia.mass:.3g} kg and {moments[2]:.3g} kg m², are 0, which means that "
            "they are not stated. Weld what is so small to its neighbour, or check its units."
        )
    return {
        "physics:mass": real(inertia.mass),
        "physics:centerOfMass": point((X_PB @ Pose(np.eye(3), np.array(inertia.center))).position),
        "physics:diagonalInertia": Value("float3", tuple(float(v) for v in held)),
        "physics:principalAxes": turn(quaternion_of(axes)),
    }


def single_moments(moments: Array) -> Array:
    """Principal moments in single precision, the largest last, such that it is no larger than the
    others together: a flat body's is just as large, and rounding breaks that.
    """
    a, b, c = np.maximum(moments, 0.0).astype(np.float32)
    while float(a) + float(b) < float(c):
        c = np.nextafter(c, np.float32(0.0))
    return np.array([a, b, c])


def _weigh_intermediate(scene: Scene, prim: Prim) -> None:
    """A small ball: what is between axes has no shape, and needs some inertia."""
    own = ball(scene.export.options.intermediate_mass or 0.0)
    prim.schemas = ("PhysicsRigidBodyAPI", "PhysicsMassAPI")
    prim.attributes |= {
        "physics:mass": real(own.mass),
        "physics:centerOfMass": point(own.center),
        "physics:diagonalInertia": vector(own.moments),
        "physics:principalAxes": turn((1.0, 0.0, 0.0, 0.0)),
    }


def _fixed(scene: Scene, index: int, X_PB: Pose) -> list[Prim]:
    """The shapes and frames of a compiled body."""
    compiled = scene.compiled
    shapes = compiled.bodies[index].shapes
    frames: dict[str, Pose] = {}
    for welded in compiled.welded:
        if welded.host == index and welded.name not in (compiled.bodies[index].name, scene.base):
            frames[welded.name] = X_PB @ welded.pose
    hosts = {welded.name: welded for welded in compiled.welded}
    named = {frame.name: frame for frame in compiled.mechanism.frames}
    for name in named_frames(compiled):
        frame = named[name]
        host = hosts.get(frame.body)
        if host is None:
            on, X_HB = 0, Pose.identity()
        else:
            on, X_HB = host.host, host.pose
        if on == index:
            frames[name] = X_PB @ X_HB @ frame.pose()
    for closure in compiled.closures:
        chord = closure.chord
        ends = ((chord.parent, chord.X_PF), (chord.child, chord.X_CM))
        for name, (at, X) in zip(closure_frames(closure), ends, strict=True):
            if at == index:
                frames[name] = X_PB @ X
    written = [shape for shape in shapes if shape.mesh in scene.export.meshes.files]
    names = legal_names("shape or frame", [*(s.name for s in written), *frames], legal, "USD")
    prims = list(shape_prims(scene, written, names, X_PB))
    prims += [_frame(scene, name, names[name], X) for name, X in frames.items()]
    return prims


def _frame(scene: Scene, name: str, given: str, X: Pose) -> Prim:
    """A place without weight: for MuJoCo and Newton a small ball that only marks it."""
    prim = Prim(name=given, type="Xform", display=display(name, given), attributes=placed(X))
    if scene.profile.sites:
        prim.type = "Sphere"
        prim.schemas = scene.profile.sites
        prim.attributes |= {
            "purpose": token("guide"),
            "radius": Value("double", SITE_RADIUS),
            "extent": Value("float3[]", [[-SITE_RADIUS] * 3, [SITE_RADIUS] * 3]),
        }
    return prim
