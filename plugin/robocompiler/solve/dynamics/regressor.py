"""Inverse dynamics as a linear function of what bodies weigh, to identify it from measurements."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.limbs import limb_frames
from robocompiler.equations.dynamics import Moving, inward, own_wrench
from robocompiler.equations.inertia import Rigid, twist_in, wrench_from
from robocompiler.errors import BadValueError
from robocompiler.model.mechanism import Inertia
from robocompiler.model.validity import inertia_tensor
from robocompiler.solve.dynamics.conditions import Conditions
from robocompiler.solve.dynamics.given import Given, given_motion
from robocompiler.solve.reduction.checks import said
from robocompiler.spatial import Array, Pose, apply, skew

PARAMETERS = ("m", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
"""Of each body, seen from its own frame: mass [kg], mass times centre of mass [kg m], and the
tensor's entries [kg m²] about the frame's origin."""
_ENTRIES = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


TOLD_APART = 1e-9
"""Share of a parameter's own effect, besides those of others, above which it can be told apart."""


@dataclass(frozen=True, slots=True, eq=False)
class Regressor:
    """τ_r = Y π + rest, at one state or at each of a batch."""

    Y: Array
    """Shape (…, m, 10 · bodies)."""
    parameters: Array
    """π as the mechanism states it, shape (10 · bodies,)."""
    rest: Array
    """What springs, dampers, rotors and wrenches take of the independent speeds, shape (…, m)."""
    names: tuple[str, ...]
    """Of each parameter, `body/parameter`, in the order of the bodies and of `PARAMETERS`."""
    speeds: tuple[str, ...]
    """What the rows are called: the independent speeds."""

    @property
    def generalized(self) -> Array:
        """τ_r of the parameters as stated, shape (…, m)."""
        return np.asarray(apply(self.Y, self.parameters) + self.rest)


def regressor(
    compiled: CompiledMechanism,
    q: Array,
    u: Array,
    u_dot: Array,
    **conditions: Unpack[Conditions],
) -> Regressor:
    """How τ_r of inverse dynamics depends on each body's mass, centre of mass and tensor.

    Bodies are the mechanism's own, also those welded to others, but for those that stand still.
    Not all parameters can be told apart by motions, see `base_parameters`.

    Args:
        compiled: the mechanism.
        q: where it stands closed, shape (…, nq).
        u: independent speeds, shape (…, m).
        u_dot: their rates, shape (…, m).
        **conditions: see `Conditions`.

    Raises:
        BadValueError, UnknownNameError, NotClosedError, PartitionError, SupportError: as
            `reduced_dynamics`.
    """
    given = given_motion(compiled, q, u, u_dot, None, **conditions)
    dynamics, moving = given.dynamics, given.moving
    columns, parameters, names = list[Array](), list[Array](), list[str]()
    for name, limb, X_LB, inertia in _bodies(given):
        wrenches = _unit_wrenches(X_LB, moving[limb])
        columns.append(_along(given, limb, wrenches))
        parameters.append(inertial_parameters(inertia))
        names += [f"{name}/{parameter}" for parameter in PARAMETERS]
    batch = (*given.v_dot.shape[:-1], len(dynamics.names))
    none = np.zeros((*batch, 0))
    wide = [np.broadcast_to(own, (*batch, len(PARAMETERS))) for own in columns]
    return Regressor(
        Y=np.concatenate([none, *wide], axis=-1),
        parameters=np.concatenate([np.zeros(0), *parameters]),
        rest=_rest(given),
        names=tuple(names),
        speeds=dynamics.names,
    )


@dataclass(frozen=True, slots=True, eq=False)
class BaseParameters:
    """The combinations of parameters that some motions can tell apart: τ_r = Y_b (C π) + rest."""

    names: tuple[str, ...]
    """A parameter of each combination, of which the others in it cannot be told."""
    columns: tuple[int, ...]
    """Where these are among all: Y_b is these columns of Y."""
    combinations: Array
    """C, shape (combinations, parameters)."""


def base_parameters(found: Regressor) -> BaseParameters:
    """What can be identified of a batch of motions: as many combinations as its rows have rank.

    By QR with pivoting, columns of Y made alike.

    Raises:
        BadValueError: of what is no regressor.
    """
    if not isinstance(found, Regressor):
        raise BadValueError("Base parameters", "found", said(found), "what `rc.regressor` returns")
    from scipy.linalg import qr, solve_triangular

    rows = found.Y.reshape(math.prod(found.Y.shape[:-1]), found.Y.shape[-1])
    size = np.linalg.norm(rows, axis=0)
    felt = np.flatnonzero(size > TOLD_APART * np.max(size, initial=0.0))
    if not len(felt):
        return BaseParameters((), (), np.zeros((0, rows.shape[-1])))
    R, order = qr(rows[:, felt] / size[felt], mode="r", pivoting=True)
    rank = int(np.sum(np.abs(np.diagonal(R)) > TOLD_APART))
    at = felt[order]
    C = np.zeros((rank, rows.shape[-1]))
    C[range(rank), at[:rank]] = 1.0
    others = solve_triangular(R[:rank, :rank], R[:rank, rank:])
    C[:, at[rank:]] = others * size[at[rank:]] / size[at[:rank], None]
    columns = tuple(int(i) for i in at[:rank])
    return BaseParameters(tuple(found.names[i] for i in columns), columns, C)


def inertial_parameters(inertia: Inertia | None) -> Array:
    """The ten `PARAMETERS` of a body, zeros where it weighs nothing."""
    if inertia is None:
        return np.zeros(len(PARAMETERS))
    moment, c = inertia.mass * np.array(inertia.center), skew(np.array(inertia.center))
    tensor = inertia_tensor(inertia) - inertia.mass * c @ c
    return np.array([inertia.mass, *moment, *(tensor[entry] for entry in _ENTRIES)])


def _bodies(given: Given) -> Iterator[tuple[str, int, Pose, Inertia | None]]:
    """Of every body that moves its limb, its frame seen from the limb's, and its inertia."""
    supported = given.dynamics.supported
    compiled, frames = supported.compiled, limb_frames(supported.compiled)
    limb = {joint.outboard: at for at, joint in enumerate(compiled.tree)}
    own = {body.name: body.inertia for body in supported.free.mechanism.bodies}
    for body in compiled.welded:
        if body.name in own and body.host in limb:
            X_LB = frames[body.host].inverse() @ body.pose
            yield body.name, limb[body.host], X_LB, own[body.name]


def _unit_wrenches(X_LB: Pose, moving: Moving) -> Array:
    """The wrench that one of each parameter takes, seen from the limb, shape (10, …, 6)."""
    own = Moving(twist_in(X_LB, moving.V), twist_in(X_LB, moving.A))
    units = np.eye(len(PARAMETERS))
    found = []
    for unit in units:
        tensor = np.zeros((3, 3))
        for (i, j), entry in zip(_ENTRIES, unit[4:], strict=True):
            tensor[i, j] = tensor[j, i] = entry
        found.append(wrench_from(X_LB, own_wrench(Rigid(unit[:1], unit[1:4], tensor), own)))
    return np.stack(found)


def _along(given: Given, limb: int, wrenches: Array) -> Array:
    """Wrenches on a limb as the independent speeds feel them, shape (…, m, 10)."""
    dynamics = given.dynamics
    on: list[Array | None] = [None] * len(dynamics.tree.limbs)
    on[limb] = wrenches
    efforts = inward(dynamics.tree.limbs, dynamics.tree.at, on, dynamics.v.shape[-1])[0]
    return np.moveaxis(dynamics.along(efforts), 0, -1)


def _rest(given: Given) -> Array:
    dynamics = given.dynamics
    taken = -dynamics.external
    for own, effort in zip(dynamics.acting, given.acting, strict=True):
        taken = taken + own.row * effort[..., None]
    return dynamics.along(np.broadcast_to(taken, given.v_dot.shape))
