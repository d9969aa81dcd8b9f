"""Faults of what bodies weigh: what moves has a mass, and inertias are those of rigid bodies.

A body that is welded need not turn by itself: a point mass or a bare rod is judged with all that
it is welded to, and not at all where that is the world.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from robocompiler.errors import BadValueError, InertiaError, MassError, MechanismError
from robocompiler.model.mechanism import WORLD, Body, Inertia, Mechanism
from robocompiler.model.welds import poses_in_groups, welded_groups
from robocompiler.spatial import Array, Pose

# Rounded moments of a flat plate miss a + b = c by their last digit.
TRIANGLE_TOLERANCE = 1e-6
# A principal moment less than this share of the largest is zero, rounded.
NO_MOMENT = 1e-12


def inertia_tensor(inertia: Inertia) -> Array:
    """The tensor [kg m²] about the centre of mass, along the body's axes, shape (3, 3)."""
    (xx, yy, zz), (xy, xz, yz) = inertia.moments, inertia.products
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def principal_moments(tensor: Array) -> tuple[float, float, float]:
    """Eigenvalues [kg m²], the smallest first; 0 where there is only rounding."""
    moments = np.linalg.eigvalsh(tensor)
    moments[np.abs(moments) <= NO_MOMENT * np.abs(moments).max()] = 0.0
    return (float(moments[0]), float(moments[1]), float(moments[2]))


def body_faults(body: Body) -> Iterator[MechanismError]:
    """What no body may weigh, however it is held; its numbers are finite."""
    inertia = body.inertia
    if inertia is None:
        return
    if inertia.mass < 0.0:
        yield MassError(body.name, inertia.mass)
    elif inertia.mass == 0.0 and np.any(inertia_tensor(inertia)):
        said = ", ".join(f"{moment:.6g}" for moment in inertia.moments)
        expected = "0, as that of a body whose mass is 0"
        yield BadValueError(f"Body '{body.name}'", "inertia.moments", f"({said})", expected)
    elif inertia.mass > 0.0:
        a, b, c = principal_moments(inertia_tensor(inertia))
        if a < 0.0 or a + b < c * (1.0 - TRIANGLE_TOLERANCE):
            yield InertiaError(body.name, (a, b, c))


def mass_faults(mechanism: Mechanism) -> Iterator[MechanismError]:
    """Bodies that move and weigh nothing, with all they are welded to. Names are sound."""
    groups = welded_groups(mechanism)
    total: dict[str, float] = {}
    for body in mechanism.bodies:
        mass = abs(body.inertia.mass) if body.inertia else 0.0
        total[groups[body.name]] = total.get(groups[body.name], 0.0) + mass
    for body in mechanism.bodies:
        if groups[body.name] == body.name and total[body.name] == 0.0:
            yield MassError(body.name, body.inertia.mass if body.inertia else None)


def group_faults(mechanism: Mechanism, wrong: set[str]) -> Iterator[MechanismError]:
    """Groups of welded bodies that weigh something and have no inertia about some axis.

    Args:
        mechanism: with sound names and frames.
        wrong: names of bodies at fault themselves, whose groups are not judged.
    """
    groups = welded_groups(mechanism)
    members: dict[str, list[Body]] = {}
    for body in mechanism.bodies:
        members.setdefault(groups[body.name], []).append(body)
    suspects = {
        host: group
        for host, group in members.items()
        if host != WORLD and not wrong & {b.name for b in group} and _may_not_turn(group)
    }
    poses = poses_in_groups(mechanism, groups) if suspects else {}
    for host, group in suspects.items():
        moments = principal_moments(_tensor_of(group, poses))
        if moments[0] <= 0.0:
            yield InertiaError(host, moments, [b.name for b in group if b.name != host])


def _may_not_turn(group: list[Body]) -> bool:
    """Whether no body of a group that weighs something has, by itself, inertia about all axes."""
    own = [body.inertia for body in group if body.inertia and body.inertia.mass > 0.0]
    return bool(own) and all(principal_moments(inertia_tensor(i))[0] <= 0.0 for i in own)


def _tensor_of(group: list[Body], poses: dict[str, Pose]) -> Array:
    """About the group's centre of mass, along the axes of its host, shape (3, 3)."""
    weights = [(b.inertia, poses[b.name]) for b in group if b.inertia and b.inertia.mass > 0.0]
    masses = np.array([inertia.mass for inertia, _ in weights])
    centers = np.array([X.R @ np.array(inertia.center) + X.p for inertia, X in weights])
    tensor = np.zeros((3, 3))
    for (inertia, X), mass, d in zip(
        weights, masses, centers - masses @ centers / masses.sum(), strict=True
    ):
        tensor += X.R @ inertia_tensor(inertia) @ X.R.T
        tensor += mass * (d @ d * np.eye(3) - np.outer(d, d))
    return tensor
