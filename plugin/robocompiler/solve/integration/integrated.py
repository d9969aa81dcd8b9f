"""What integrating gives: a motion, and where its energy came from and went to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robocompiler.errors import UnknownNameError
from robocompiler.spatial import Array


@dataclass(frozen=True, slots=True, eq=False)
class Ledger:
    """Energy and work [J] at each sample; work since the beginning."""

    port_names: tuple[str, ...]
    kinetic: Array
    """Of bodies, and of rotors by the armature of joints and actuators, shape (samples,)."""
    gravity: Array
    """Of weights: 0 where a body's centre of mass is on the world's origin, (samples,)."""
    springs: Array
    """Of joints in the tree and of cut ones: 0 where they are slack, (samples,)."""
    ports: Array
    """What each port has given, shape (samples, ports)."""
    wrenches: Array
    """What wrenches on bodies have given, shape (samples,)."""
    dissipated: Array
    """What dampers have taken, shape (samples,)."""

    @property
    def energy(self) -> Array:
        """All that is stored, shape (samples,)."""
        return np.asarray(self.kinetic + self.gravity + self.springs)

    @property
    def work(self) -> Array:
        """All that was given, less what dampers took, shape (samples,)."""
        return np.asarray(np.sum(self.ports, axis=-1) + self.wrenches - self.dissipated)

    @property
    def residual(self) -> Array:
        """Energy gained less work: the integration's error, shape (samples,)."""
        return np.asarray(self.energy - self.energy[0] - self.work)

    def of(self, port: str) -> Array:
        """What the port of that name has given, shape (samples,)."""
        if port not in self.port_names:
            raise UnknownNameError("Ledger", "port", port, self.port_names)
        return np.asarray(self.ports[:, self.port_names.index(port)])


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """Other speeds were made independent."""

    time: float
    """[s]"""
    names: tuple[str, ...]
    """Of those that were from then on."""


@dataclass(frozen=True, slots=True, eq=False)
class Integrated:
    """A motion, at its samples."""

    names: tuple[str, ...]
    """What the entries of u are called: what was independent at the beginning, whatever changed."""
    times: Array
    """[s], shape (samples,): the first is 0."""
    q: Array
    """Coordinates, closed, shape (samples, nq)."""
    u: Array
    """Shape (samples, m)."""
    v: Array
    """All speeds, shape (samples, nv)."""
    u_dot: Array
    """Rates of u, shape (samples, m)."""
    v_dot: Array
    """Rates of v, shape (samples, nv)."""
    efforts: Array
    """Of the ports, as they are from then on [N or N m], shape (samples, ports)."""
    ledger: Ledger
    changes: tuple[Change, ...]
    """Of the speeds that it is integrated by, which are invisible in the results."""
    stopped: bool
    """Whether `until` ended it."""

    @property
    def ports(self) -> tuple[str, ...]:
        """What the entries of `efforts` are called."""
        return self.ledger.port_names
