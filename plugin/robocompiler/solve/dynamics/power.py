"""Where power comes from and where it goes: drives, wrenches, friction, and what is stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.equations.inertia import momentum
from robocompiler.errors import UnknownNameError
from robocompiler.solve.dynamics.conditions import Conditions
from robocompiler.solve.dynamics.given import Efforts, Given, given_motion
from robocompiler.spatial import Array, apply


@dataclass(frozen=True, slots=True, eq=False)
class Power:
    """Power [W] in a motion, at one state or at each of a batch."""

    names: tuple[str, ...]
    """Of the ports."""
    speeds: Array
    """ℓ̇ of each port [m/s or rad/s], shape (…, ports)."""
    efforts: Array
    """f of each port [N or N m], shape (…, ports)."""
    ports: Array
    """f ℓ̇: what each gives, shape (…, ports)."""
    wrenches: Array
    """What wrenches on bodies give, shape (…)."""
    missing: Array
    """What would have to be given besides, along motions that no port drives: of inverse dynamics
    alone, 0 where efforts are given, shape (…)."""
    dissipated: Array
    """What dampers and dry friction take, shape (…)."""
    stored: Array
    """The rate of kinetic energy, of height and of springs, body by body, shape (…)."""
    defect: Array
    """|fᵀ ℓ̇ - uᵀ Lᵀ f|: zero but for rounding, shape (…)."""

    @property
    def balance(self) -> Array:
        """What is given less what is dissipated and stored: zero but for rounding where the
        efforts make the motion, shape (…).
        """
        given = np.sum(self.ports, axis=-1) + self.wrenches + self.missing
        return np.asarray(given - self.dissipated - self.stored)

    @property
    def scale(self) -> Array:
        """What a defect is small against: Σ |f ℓ̇|, at least 1 W, shape (…)."""
        return np.asarray(np.maximum(np.sum(np.abs(self.ports), axis=-1), 1.0))

    def of(self, port: str) -> Array:
        """What the port of that name gives, shape (…)."""
        if port not in self.names:
            raise UnknownNameError("Power", "port", port, self.names)
        return np.asarray(self.ports[..., self.names.index(port)])


def power(
    compiled: CompiledMechanism,
    q: Array,
    u: Array,
    u_dot: Array,
    efforts: Efforts | None = None,
    **conditions: Unpack[Conditions],
) -> Power:
    """The power of every port in a motion, and where it goes.

    Args:
        compiled: the mechanism.
        q: where it stands closed, shape (…, nq).
        u: independent speeds, shape (…, m).
        u_dot: their rates, shape (…, m).
        efforts: of the ports [N or N m]; None for those of `inverse_dynamics`.
        **conditions: see `Conditions`.

    Raises:
        BadValueError, UnknownNameError, NotClosedError, PartitionError, SupportError: as
            `reduced_dynamics`.
    """
    given = given_motion(compiled, q, u, u_dot, efforts, **conditions)
    dynamics, speeds = given.dynamics, apply(given.dynamics.B, given.dynamics.v)
    felt = apply(np.swapaxes(dynamics.L, -1, -2), given.efforts)
    along = np.asarray(u, dtype=float)
    lacking = np.sum(along * given.missing, axis=-1)
    batch = given.v_dot.shape[:-1]
    return Power(
        names=dynamics.port_names,
        speeds=np.broadcast_to(speeds, given.efforts.shape),
        efforts=given.efforts,
        ports=given.efforts * speeds,
        wrenches=np.broadcast_to(_of_wrenches(given), batch),
        missing=np.broadcast_to(lacking if efforts is None else 0.0, batch),
        dissipated=np.broadcast_to(_dissipated(given, **conditions), batch),
        stored=np.broadcast_to(_stored(given), batch),
        defect=np.abs(np.sum(given.efforts * speeds, axis=-1) - np.sum(along * felt, axis=-1)),
    )


def _of_wrenches(given: Given) -> Array:
    parts = zip(given.moving, given.external, strict=True)
    found = [np.sum(own.V * wrench, axis=-1) for own, wrench in parts if wrench is not None]
    return np.asarray(sum(found, np.zeros(())))


def _dissipated(given: Given, **conditions: Unpack[Conditions]) -> Array:
    found = np.zeros(())
    for own in given.dynamics.acting:
        speed = np.sum(own.row * given.dynamics.v, axis=-1)
        found = found + own.damping * speed * speed
        if conditions.get("dry_friction", False):
            found = found + own.friction * np.abs(speed)
    return found


def _stored(given: Given) -> Array:
    """V · (I A) body by body, the world accelerating against gravity: what I V does to itself as
    the body turns, V · (V × I V), is nothing and would only be rounding.
    """
    found = np.zeros(())
    for limb, own in zip(given.dynamics.tree.limbs, given.moving, strict=True):
        if limb.inertia is not None:
            found = found + np.sum(own.V * momentum(limb.inertia, own.A), axis=-1)
    for acts in given.dynamics.acting:
        speed = np.sum(acts.row * given.dynamics.v, axis=-1)
        rate = np.sum(acts.row * given.v_dot, axis=-1) + acts.bias
        found = found + (acts.spring + acts.armature * rate) * speed
    return found
