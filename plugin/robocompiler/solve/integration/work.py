"""Energy and work along a motion, of many states at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.limbs import limbs_of
from robocompiler.compiler.ports import Port
from robocompiler.equations.dynamics import motions
from robocompiler.solve.dynamics.energy import Energy, stored_energy
from robocompiler.solve.dynamics.tree import Tree, acting, port_rows, tree_at
from robocompiler.solve.dynamics.wrenches import external_efforts
from robocompiler.spatial import Array

AT_ONCE = 1024
"""States that are evaluated together: few enough for the memory, many enough for NumPy."""


@dataclass(frozen=True, slots=True, eq=False)
class Powers:
    """What is given and taken [W] at states, shape (…) each, of ports (…, ports)."""

    ports: Array
    wrenches: Array
    dissipated: Array


class Meter:
    """Counts the powers of a mechanism's ports, wrenches and dampers, and what it has stored."""

    def __init__(
        self,
        compiled: CompiledMechanism,
        ports: Sequence[Port],
        loads: Sequence[str],
        gravity: Array,
    ) -> None:
        """See `bind_dynamics`."""
        self._compiled, self._ports, self._gravity = compiled, tuple(ports), gravity
        self._loads = tuple(loads)
        self._damping = np.zeros(compiled.nv)
        for joint in compiled.tree:
            if not joint.prescribed:
                self._damping[joint.v] = joint.edge.joint.damping
        cut = [closure.chord.joint for closure in compiled.closures]
        damped = any(joint.damping for joint in cut)
        self._cut_stores = any(joint.stiffness or joint.armature for joint in cut) or any(
            port.cut for port in ports
        )
        self.asks_where = damped or bool(loads) or any(port.cut for port in ports)
        """Whether powers depend on coordinates: of cut joints and of wrenches they do."""
        self._rows = np.zeros((len(ports), compiled.nv))
        for row, port in zip(self._rows, ports, strict=True):
            for speed, ratio in port.tree:
                row[speed] += ratio

    def powers(self, q: Array, v: Array, efforts: Array, wrenches: Array) -> Powers:
        """At states (n, nq), (n, nv) under efforts (n, ports) and wrenches (n, 6 · loads)."""
        if not self.asks_where:
            given = efforts * (v @ self._rows.T)
            return Powers(given, np.zeros(len(v)), (v * v) @ self._damping)
        tree = tree_at(self._compiled, q, v)
        speeds = [np.sum(row * v, axis=-1) for row, _ in port_rows(tree, self._ports)]
        taken = np.zeros(len(v))
        for own in acting(tree, self._ports):
            speed = np.sum(own.row * v, axis=-1)
            taken = taken + own.damping * speed * speed
        given = efforts * np.stack(speeds, axis=-1) if speeds else efforts
        return Powers(given, self._pushed(tree, wrenches), taken)

    def _pushed(self, tree: Tree, wrenches: Array) -> Array:
        parts = np.split(wrenches, len(self._loads), axis=-1) if self._loads else []
        efforts = external_efforts(tree, dict(zip(self._loads, parts, strict=True)))
        return np.asarray(np.sum(efforts * tree.v, axis=-1))

    def energy(self, q: Array, v: Array) -> Energy:
        """What is stored at states (n, nq), (n, nv)."""
        parts = []
        for at in range(0, len(q), AT_ONCE):
            tree = self._tree(q[at : at + AT_ONCE], v[at : at + AT_ONCE])
            parts.append(stored_energy(tree, acting(tree, self._ports), self._gravity))
        return Energy(
            kinetic=np.concatenate([part.kinetic for part in parts]),
            gravity=np.concatenate([part.gravity for part in parts]),
            springs=np.concatenate([part.springs for part in parts]),
        )

    def _tree(self, q: Array, v: Array) -> Tree:
        """The tree at states, without its cut joints where these store nothing."""
        if self._cut_stores:
            return tree_at(self._compiled, q, v)
        limbs = limbs_of(self._compiled)
        return Tree(self._compiled, limbs, motions(limbs, q), q, v, ())


class Stages:
    """What happened at the stages of steps, kept until their work is counted.

    Attributes:
        q, v, efforts, wrenches: of each step at each stage, shape (steps, stages, …).
    """

    def __init__(self, meter: Meter, weights: Sequence[float], widths: Sequence[int]) -> None:
        """`weights` of the stages in a step [s]; `widths` of q, v, efforts and wrenches."""
        self._meter, self._weights = meter, np.array(weights)
        size = AT_ONCE // len(weights), len(weights)
        self.q, self.v, self.efforts, self.wrenches = (np.zeros((*size, n)) for n in widths)
        self.at = 0
        """How many steps there are."""
        self._ports: list[Array] = [np.zeros((1, widths[2]))]
        self._others: list[Array] = [np.zeros((1, 2))]

    def step_over(self) -> None:
        """Keep a step; count them where there is no room for more."""
        self.at += 1
        if self.at == len(self.v):
            self.count()

    def count(self) -> None:
        """Count the work of the steps that are kept."""
        if not self.at:
            return
        n, (_, stages, _) = self.at, self.v.shape
        kept = (own[:n].reshape(n * stages, own.shape[-1]) for own in self._kept)
        powers, self.at = self._meter.powers(*kept), 0
        self._ports.append(self._summed(powers.ports))
        self._others.append(self._summed(np.stack([powers.wrenches, powers.dissipated], axis=-1)))

    @property
    def _kept(self) -> tuple[Array, Array, Array, Array]:
        return self.q, self.v, self.efforts, self.wrenches

    def _summed(self, powers: Array) -> Array:
        """Work in each step, shape (steps, …), of powers at its stages."""
        stages = len(self._weights)
        of_steps = powers.reshape(len(powers) // stages, stages, powers.shape[-1])
        return np.asarray(np.einsum("s,ksi->ki", self._weights, of_steps))

    def work(self) -> tuple[Array, Array, Array]:
        """Of ports, wrenches and dampers: before the first step and after each, since then."""
        self.count()
        others = np.cumsum(np.concatenate(self._others), axis=0)
        return np.cumsum(np.concatenate(self._ports), axis=0), others[:, 0], others[:, 1]
