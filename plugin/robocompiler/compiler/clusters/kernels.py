"""Pass: the dynamics of a type of cluster as kernels, one for each walk along the tree.

`forward` walks outward for speeds, inward for what takes part, outward for accelerations; `inverse`
outward for motion and inward for efforts. What clusters tell each other stands in rows at the limbs
that others hang on: speeds V, accelerations A and how the limb is turned R, from the base; and what
hangs on it takes, from the tips: an articulated inertia and a wrench, added up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

import numpy as np

from robocompiler.codegen.graph import Graph, Symbol
from robocompiler.codegen.split import Entry, Part, split
from robocompiler.compiler.clusters.acting import Row, dot, rows_of
from robocompiler.compiler.clusters.definite import Definite
from robocompiler.compiler.clusters.packing import (
    ARTICULATED,
    articulated,
    in_blocks,
    packed,
    packed_matrix,
)
from robocompiler.compiler.clusters.plans import ClusterPlan
from robocompiler.compiler.clusters.types import ClusterType, with_constants
from robocompiler.compiler.tracing import as_symbols
from robocompiler.equations.dynamics import (
    Motions,
    Moving,
    inward,
    masses,
    motions,
    outward,
    own_wrench,
)
from robocompiler.equations.inertia import SpatialInertia, added, momentum
from robocompiler.spatial import Array, apply, cross

OUT, IN, BACK = 0, 1, 2
"""The walks, in their order."""
DYNAMICS = ("forward", "inverse")
"""Names of what can be generated.

Arrays that kernels read: `q`, `v`, `c` and `lift` of the cluster (see `ClusterPlan`), `parameter`,
`effort` of its ports, `wrench` on its loads, six each; `V`, `A`, `R` of what it hangs on, `hung`
that hangs on each of its carriers; `u_dot`. They write `V+k`, `A+k`, `R+k` of carrier k, `hung` and
what they add to `hangs` of their parent; `forward` writes `u_dot` and `v_dot`, `inverse` `tau`.
"""
WRENCH = 6
"""How many numbers a wrench has."""


def generate_dynamics(kind: ClusterType, name: str) -> dict[int, Part]:
    """The kernels of a type of cluster by their walks, see `DYNAMICS`."""
    trace = _Trace.of(kind)
    results, sound = trace.forward() if name == "forward" else trace.inverse()
    return split(trace.graph, trace.walks(name), results, sound, name)


def hung_numbers(name: str) -> int:
    """How many numbers a carrier is told of what hangs on it."""
    return ARTICULATED + WRENCH if name == "forward" else WRENCH


@dataclass(frozen=True, slots=True, eq=False)
class _Trace:
    """A cluster of symbols, and what is common to its kernels."""

    graph: Graph
    plan: ClusterPlan
    """With symbols where clusters of its type differ."""
    at: Motions
    v: Array
    c: Array
    E: Array
    """Shape (nv, m)."""
    rows: list[Row] = field(default_factory=list)
    """What acts on coordinates of joints and ports."""

    @staticmethod
    def of(kind: ClusterType) -> _Trace:
        """Of a type of cluster."""
        graph, constants = Graph(), kind.constants[0].astype(object)
        constants[kind.varying] = graph.inputs("parameter", len(kind.varying))
        plan = with_constants(kind.first, constants)
        q = graph.inputs("q", plan.nq)
        c = np.full(plan.nv, graph.constant(0.0), dtype=object)
        c[list(plan.moving)] = graph.inputs("c", len(plan.moving))
        E = np.full((plan.nv, len(plan.inputs)), graph.constant(0.0), dtype=object)
        E[list(plan.inputs), range(len(plan.inputs))] = graph.constant(1.0)
        column = {speed: at for at, speed in enumerate(plan.inputs)}
        for slot, (speed, of) in enumerate(plan.lift):
            E[speed, column[of]] = graph.input("lift", slot)
        v = graph.inputs("v", plan.nv)
        own = _Trace(graph, plan, motions(plan.limbs, q), v, c, E)
        own.rows.extend(rows_of(kind.first, plan, graph, q, v))
        return own

    def walks(self, name: str) -> dict[str, int]:
        """In which walk each array is known. What nothing hangs on starts with the second."""
        first = OUT if self.plan.carriers else IN
        arrays = dict.fromkeys(("q", "v", "c", "lift", "parameter", "effort", "wrench"), first)
        arrays |= {"V": first, "R": first, "u_dot": first, "hung": IN, "hangs": IN}
        return arrays | {"A": BACK if name == "forward" else first}

    # What is common

    def _base(self, accelerates: bool) -> Moving:
        """How what it hangs on moves; at rest against gravity where that is the world."""
        nothing = np.full(6, self.graph.constant(0.0), dtype=object)
        if not self.plan.has_parent:
            gravity = np.concatenate([-self.plan.gravity, np.zeros(3)])
            return Moving(nothing, as_symbols(self.graph, gravity))
        V = self.graph.inputs("V", 6)
        return Moving(V, self.graph.inputs("A", 6) if accelerates else nothing)

    def _turned(self) -> list[Array]:
        """How each limb is turned in the world, (3, 3)."""
        own = np.eye(3)
        if self.plan.has_parent:
            own = self.graph.inputs("R", 9).reshape(3, 3)
        found: list[Array] = []
        for limb, ways in zip(self.plan.limbs, self.at, strict=True):
            R = own if limb.inboard < 0 else found[limb.inboard]
            found.append(reduce(lambda R, way: R @ way.X.R, ways, R))
        return found

    def _told(self, moving: Sequence[Moving], accelerations: bool) -> dict[Entry, Symbol]:
        """What carriers tell of how they move."""
        found: dict[Entry, Symbol] = {}
        for k, limb in enumerate(self.plan.carriers):
            found |= _entries(f"V+{k}", moving[limb].V)
            if accelerations:
                found |= _entries(f"A+{k}", moving[limb].A)
        if self.plan.turns and self.plan.carriers:
            turned = self._turned()
            for k, limb in enumerate(self.plan.carriers):
                found |= _entries(f"R+{k}", turned[limb].ravel())
        return self._as_symbols(found)

    def _as_symbols(self, entries: Mapping[Entry, Symbol | float]) -> dict[Entry, Symbol]:
        graph = self.graph
        return {
            entry: x if isinstance(x, Symbol) else graph.constant(float(x))
            for entry, x in entries.items()
        }

    def _wrenches(self, moving: Sequence[Moving]) -> list[Array | None]:
        """What each limb takes of its own motion, less the loads on it."""
        found: list[Array | None] = [
            None if limb.inertia is None else own_wrench(limb.inertia, own)
            for limb, own in zip(self.plan.limbs, moving, strict=True)
        ]
        turned = self._turned() if self.plan.loads else []
        for k, load in enumerate(self.plan.loads):
            given = self.graph.inputs("wrench", 6 * len(self.plan.loads))[6 * k : 6 * k + 6]
            back = turned[load.limb].T
            force = apply(back, given[:3])
            torque = apply(back, given[3:]) + cross(load.arm, force)
            taken, own = found[load.limb], np.concatenate([force, torque])
            found[load.limb] = -own if taken is None else taken - own
        return found

    def _hung(self, k: int, count: int) -> Array:
        """What hangs on a carrier, as it was told."""
        return self.graph.inputs("hung", count * len(self.plan.carriers))[
            count * k : count * (k + 1)
        ]

    def _effort(self) -> Array:
        """Efforts of ports along the speeds, shape (nv,)."""
        total = np.full(self.plan.nv, self.graph.constant(0.0), dtype=object)
        for row in self.rows:
            if row.port is not None:
                total = total + row.row * self.graph.input("effort", row.port)
        return total

    def _passive(self, tau: Array) -> Array:
        """Efforts with what springs, dampers and rotors take, at v̇ = c."""
        for row in self.rows:
            speed = dot(row.row, self.v)
            rate = dot(row.row, self.c) + row.bias
            tau = tau + row.row * (row.armature * rate + row.damping * speed + row.spring)
        return tau

    def forward(self) -> tuple[dict[Entry, Symbol], Symbol | None]:
        """What is found of efforts, and whether it can be relied upon."""
        plan, count = self.plan, ARTICULATED + WRENCH
        moving = outward(plan.limbs, self.at, self.v, self.c, self._base(accelerates=False))
        results, wrenches = self._told(moving, accelerations=False), self._wrenches(moving)
        inertias: list[SpatialInertia | None] = [limb.inertia for limb in plan.limbs]
        for k, limb in enumerate(plan.carriers):
            hung = self._hung(k, count)
            carried = articulated(hung[:ARTICULATED])
            taken = momentum(carried, moving[limb].A) + hung[ARTICULATED:]
            before, own = wrenches[limb], inertias[limb]
            wrenches[limb] = taken if before is None else before + taken
            inertias[limb] = carried if own is None else added(own, carried)
        tau, left, _ = inward(plan.limbs, self.at, wrenches, plan.nv)
        found = masses(plan.limbs, self.at, inertias, plan.nv)
        M = found.M
        for row in self.rows:
            M = M + row.armature * np.outer(row.row, row.row)
        short = apply(self.E.T, self._effort() - self._passive(tau))
        ahead = Definite.of(as_symbols(self.graph, self.E.T @ M @ self.E), self._uncancelled(M))
        u_dot = np.array(ahead.solve(list(as_symbols(self.graph, short))), dtype=object)
        if plan.has_parent:
            u_dot, added_up = self._hanging(ahead, found.F @ self.E, found.whole, left, u_dot)
            results |= added_up
        results |= self._accelerated(u_dot)
        return results, ahead.sound

    def _uncancelled(self, M: Array) -> list[Symbol]:
        """How large the diagonal of Eᵀ M E would be if no two parts of it took each other away;
        of each entry, or [] where each has but one part.
        """
        if not self.plan.loaded and self.plan.nv == len(self.plan.inputs):
            return []
        found = (self.E * self.E).T @ np.diagonal(M)
        if self.plan.loaded:
            found = found + np.array(self.plan.loaded, dtype=object)
        return list(as_symbols(self.graph, found))

    def _hanging(
        self,
        ahead: Definite,
        U: Array,
        whole: SpatialInertia | None,
        left: Array,
        u_dot: Array,
    ) -> tuple[Array, dict[Entry, Symbol]]:
        """u̇ with what the parent's acceleration makes of it, and what the parent is told."""
        columns = as_symbols(self.graph, U.T)
        W = np.array([ahead.solve(list(columns[:, k])) for k in range(6)], dtype=object).T
        A = self.graph.inputs("A", 6)
        taken = left + U @ u_dot
        numbers = np.zeros(ARTICULATED) if whole is None else packed(in_blocks(whole))
        numbers = numbers - packed_matrix(U @ W)
        told = np.concatenate([numbers, taken])
        before = self.graph.inputs("hangs", len(told))
        return u_dot - W @ A, self._as_symbols(_entries("hangs", before + told))

    def _accelerated(self, u_dot: Array) -> dict[Entry, Symbol]:
        """Accelerations of speeds, and of carriers."""
        a = self.E @ u_dot + self.c
        found = _entries("u_dot", u_dot) | _entries("v_dot", a)
        if self.plan.carriers:
            moving = outward(self.plan.limbs, self.at, self.v, a, self._base(accelerates=True))
            for k, limb in enumerate(self.plan.carriers):
                found |= _entries(f"A+{k}", moving[limb].A)
            nothing = np.zeros((ARTICULATED + WRENCH) * len(self.plan.carriers))
            found |= _entries("hung", nothing)
        return self._as_symbols(found)

    def inverse(self) -> tuple[dict[Entry, Symbol], None]:
        """What is found of accelerations: the efforts along the independent speeds that are left
        when the ports give theirs.
        """
        plan = self.plan
        a = self.E @ self.graph.inputs("u_dot", len(plan.inputs)) + self.c
        moving = outward(plan.limbs, self.at, self.v, a, self._base(accelerates=True))
        results, wrenches = self._told(moving, accelerations=True), self._wrenches(moving)
        for k, limb in enumerate(plan.carriers):
            hung, before = self._hung(k, WRENCH), wrenches[limb]
            wrenches[limb] = hung if before is None else before + hung
        tau, left, _ = inward(plan.limbs, self.at, wrenches, plan.nv)
        ahead = a - self.c
        for row in self.rows:
            tau = tau + row.row * (row.armature * dot(row.row, ahead))
        tau = self._passive(tau) - self._effort()
        results |= self._as_symbols(_entries("tau", apply(self.E.T, tau)))
        if plan.has_parent:
            before = self.graph.inputs("hangs", WRENCH)
            results |= self._as_symbols(_entries("hangs", before + left))
        nothing = _entries("hung", np.zeros(WRENCH * len(plan.carriers)))
        return results | self._as_symbols(nothing), None


def _entries(name: str, values: Array) -> dict[Entry, Symbol]:
    return {(name, k): value for k, value in enumerate(values)}
