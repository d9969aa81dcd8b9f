"""What robots of the records stand on, as supports; and what moving bodies carry along."""

from __future__ import annotations

import numpy as np

from linkages.records import record
from linkages.robots import FEET
from robocompiler import CompiledMechanism, JointKind, Task
from robocompiler.model.validity import inertia_tensor
from robocompiler.solve.state import evaluate
from robocompiler.spatial import Array, quaternion_of


def go2_feet() -> tuple[Task, ...]:
    """Its four feet, each a point."""
    sites = {site["id"]: site for site in record("go2")["point_sites"]}
    return tuple(
        Task(name=foot, body=sites[foot]["body"], position=tuple(sites[foot]["point_m"]))
        for foot in FEET
    )


def kangaroo_soles() -> tuple[Task, ...]:
    """Its soles, `left` and `right`, each a frame."""
    return tuple(
        Task(
            name=site["id"].split("_")[0],
            body=site["body"],
            position=tuple(site["frame_translation_m"]),
            rotation=tuple(quaternion_of(np.array(site["frame_rotation"])).tolist()),
            kind=JointKind.FIXED,
        )
        for site in record("kangaroo")["sole_sites"]
    )


def total_mass(compiled: CompiledMechanism) -> float:
    """Of all bodies that move [kg]."""
    return sum(b.inertia.mass for b in compiled.bodies[1:] if b.inertia is not None)


def mass_center(compiled: CompiledMechanism, q: Array) -> Array:
    """Of all bodies that move [m]."""
    poses, moment = evaluate(compiled, q).poses, np.zeros(3)
    for body, X in zip(compiled.bodies[1:], poses[1:], strict=True):
        if body.inertia is not None:
            moment += body.inertia.mass * (X.p + X.R @ np.array(body.inertia.center))
    return moment / total_mass(compiled)


def potential(compiled: CompiledMechanism, q: Array, gravity: float = 9.81) -> float:
    """Σ m g z of the bodies [J], gravity along -z."""
    return gravity * total_mass(compiled) * float(mass_center(compiled, q)[2])


def momentum(compiled: CompiledMechanism, q: Array, v: Array, about: Array) -> Array:
    """Of all bodies: linear [kg m/s], and angular about a point [kg m²/s], body by body."""
    state, twists = evaluate(compiled, q), {0: np.zeros(6)}
    for own in compiled.tree:
        twists[own.outboard] = twists[own.inboard] + state.columns[:, own.v] @ v[own.v]
    total = np.zeros(6)
    for index, body in enumerate(compiled.bodies):
        if index and body.inertia is not None:
            X, twist = state.poses[index], twists[index]
            center = X.p + X.R @ np.array(body.inertia.center)
            linear = body.inertia.mass * (twist[:3] + np.cross(twist[3:], center))
            spin = X.R @ inertia_tensor(body.inertia) @ X.R.T @ twist[3:]
            total += [*linear, *(spin + np.cross(center - about, linear))]
    return total
