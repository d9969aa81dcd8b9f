"""What is judged at a witness: a state of a mechanism, against its records alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from figure import Figure, at_most, equal

import robocompiler as rc
from linkages.oracle import Standing, lift, loop_rows
from robocompiler.compiler.rows import linearize
from robocompiler.compiler.steps import step
from robocompiler.solve.mass import mass_matrix
from robocompiler.solve.reduction.reduce import Reduction
from robocompiler.solve.state import evaluate
from robocompiler.spatial import Array


@dataclass
class Worst:
    """The worst of each gate over all witnesses of a claim."""

    claim: str
    gates: dict[str, tuple[float, str]]
    """The most that is allowed, and the papers' figure where they state one."""
    found: dict[str, float] = field(default_factory=dict)
    count: int = 0

    def see(self, found: Mapping[str, float]) -> None:
        """The figures of one witness, by gate."""
        self.count += 1
        for gate, value in found.items():
            kept = self.found.get(gate, 0.0)
            self.found[gate] = kept if value <= kept else float(value)  # NaN is kept

    def figures(self, expected: int) -> Iterator[Figure]:
        """A row for each gate."""
        yield equal(f"{self.claim}: witnesses", self.count, expected, "")
        for gate, (most, reference) in self.gates.items():
            name = f"{self.claim}: {gate}"
            yield at_most(name, self.found.get(gate, np.nan), most, reference)


def records_lift(
    compiled: rc.CompiledMechanism, standing: Standing, independent: Sequence[int]
) -> tuple[Array, bool]:
    """E from loops walked in the records, and whether the dependent speeds are settled."""
    slots = {t.edge.joint.name: t.v for t in compiled.tree}
    return lift(loop_rows(standing, slots, compiled.nv), independent, compiled.nv)


def outside(compiled: rc.CompiledMechanism, standing: Standing) -> Array:
    """Where a row's loop does not contain the joint of a speed, from the records: (rows, nv)."""
    slots = {t.edge.joint.name: t.v for t in compiled.tree}
    joints = {joint.name: joint for joint in standing.mechanism.joints}
    free = np.ones((sum(c.rows for c in compiled.closures), compiled.nv), dtype=bool)
    at = 0
    for closure in compiled.closures:
        for name in standing.loop(joints[closure.chord.joint.name]):
            if name in slots:
                free[at : at + closure.rows, slots[name]] = False
        at += closure.rows
    return free


def by_differences(compiled: rc.CompiledMechanism, q: Array, h: float) -> Array:
    """∂φ/∂v by central differences, shape (rows, nv)."""
    steps = h * np.concatenate([np.eye(compiled.nv), -np.eye(compiled.nv)])
    there = step(compiled, np.broadcast_to(q, (len(steps), compiled.nq)), steps)
    phi = linearize(compiled, there).residual
    return (phi[: compiled.nv] - phi[compiled.nv :]).T / (2.0 * h)


def whole_lift(compiled: rc.CompiledMechanism, reduction: Reduction) -> Array:
    """E from all rows at once, not module by module."""
    K, own = reduction.jacobian, list(reduction.independent)
    others = list(reduction.dependent)
    E = np.zeros((compiled.nv, len(own)))
    E[own, range(len(own))] = 1.0
    E[others] = -np.linalg.pinv(K[:, others], rcond=1e-9) @ K[:, own]
    return E


def reduced_mass(compiled: rc.CompiledMechanism, reduction: Reduction) -> Array:
    """M_r = Eᵀ M E of the bodies' inertia."""
    M = mass_matrix(compiled, evaluate(compiled, reduction.q))
    return np.asarray(reduction.E.T @ M @ reduction.E)


def relative(found: Array, expected: Array) -> float:
    """The greatest difference over the greatest entry."""
    return float(np.max(np.abs(found - expected)) / np.max(np.abs(expected)))
