"""Accelerations of all candidates at the states of a set, judged by the fifty-digit reference."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from figure import Figure, at_most, shown, skipped

import robocompiler as rc
from accuracy_figures import mujoco_peer, pinocchio_peer
from accuracy_figures.state import State
from dynamics_oracle import Reference, reference_dynamics
from fifty_digits import floats
from robocompiler.codegen.llvm.target import available
from robocompiler.solve.reduction.partition import Partition
from robocompiler.spatial import Array

OURS, GENERATED, OTHER = "by numbers", "generated", "another partition"
DECIMALS = 1e-40
"""How well the reference must know itself."""
EXACT, FLOORS = 1e-40, 4
"""What redundant rows leave where they are redundant to the last digit; and at how many states it
is asked what that leaves open."""


@dataclass
class Errors:
    """Of one candidate: δ_a, δ_f and r_c of every state."""

    of: list[tuple[float, float, float]] = field(default_factory=list)

    def see(self, reference: Reference, v_dot: Array) -> None:
        """One state more."""
        self.of.append(
            (
                reference.acceleration_error(v_dot),
                reference.force_error(v_dot),
                reference.row_error(v_dot),
            )
        )

    def most(self, which: int) -> float:
        """The largest; NaN where any is."""
        return float(np.max([own[which] for own in self.of]))

    def median(self, which: int) -> float:
        """In the middle."""
        return float(np.median([own[which] for own in self.of]))

    def said(self) -> str:
        """All but the largest δ_a."""
        return (
            f"median {self.median(0):.1e}; delta_f {self.most(1):.1e}, median"
            f" {self.median(1):.1e}; r_c {self.most(2):.1e} m/s2"
        )


class Judged:
    """A set of states, all candidates at each."""

    def __init__(self, states: Iterator[State]) -> None:
        self.errors: dict[str, Errors] = {}
        self.inverse: dict[str, float] = {}
        self.count, self.off, self.misfit = 0, 0.0, 0.0
        self.floor = Errors()
        self._seen: set[int] = set()
        self.missing: dict[str, str] = {}
        self._kept: dict[tuple[str, int], tuple[rc.CompiledMechanism, Any]] = {}
        for state in states:
            self._judge(state)

    def _judge(self, state: State) -> None:
        given = (state.compiled, state.q, state.u, state.efforts, state.wrenches)
        reference = reference_dynamics(*given, state.independent)
        self.count += 1
        self._seen.add(id(state.compiled))
        self.off = max(self.off, reference.off)
        self.misfit = max(self.misfit, reference.misfit)
        if reference.misfit > EXACT and len(self.floor.of) < FLOORS:
            self._floor(state, reference)
        self._by_numbers(state, reference)
        self._generated(state, reference)
        self._peers(state, reference, floats(reference.v))

    @property
    def mechanisms(self) -> int:
        """How many there are, each set of supports making one of its own."""
        return len(self._seen)

    def _by_numbers(self, state: State, reference: Reference) -> None:
        options = state.conditions()
        free, q = state.without_support()
        found = rc.forward_dynamics(free, q, state.u, state.efforts, **options)
        self._see(OURS, reference, state.with_support(found.v_dot))
        needed = rc.inverse_dynamics(free, q, state.u, reference.u_dot, **options)
        self._need(OURS, reference, needed.generalized)
        if state.others:
            options["independent"] = state.others
            at = [state.compiled.tree_joint(name).v.start for name in state.others]
            u = floats(reference.v[at])
            other = rc.forward_dynamics(state.compiled, q, u, state.efforts, **options)
            self._see(OTHER, reference, other.v_dot)

    def _generated(self, state: State, reference: Reference) -> None:
        if not available():
            self.missing[GENERATED] = "no llvmlite"
            return
        own = self._made("generated", state, state.bound)
        own.q, own.v = state.q, independent_speeds(state, own.bound.code.layout.partition)
        own.wrenches[state.body][...] = state.wrench
        own.efforts[...] = [state.efforts.get(port, 0.0) for port in own.ports]
        own.forward()
        self._see(GENERATED, reference, own.v_dot)
        own.u_dot[...] = reference.u_dot
        own.inverse()
        self._need(GENERATED, reference, own.tau)

    def _peers(self, state: State, reference: Reference, v: Array) -> None:
        if why := pinocchio_peer.missing():
            self.missing["Pinocchio"] = why
        else:
            make = partial(pinocchio_peer.Pinocchio, state.compiled, state.q)
            peer = self._made("Pinocchio", state, make)
            for name in pinocchio_peer.ALGORITHMS:
                self._see(name, reference, peer.forward(name, state, v))
        if why := mujoco_peer.missing():
            self.missing["MuJoCo"] = why
        else:
            peer = self._made("MuJoCo", state, partial(mujoco_peer.MuJoCo, state.compiled, state.q))
            self._see(f"MuJoCo {peer.version}", reference, peer.forward(state, v))

    def _floor(self, state: State, reference: Reference) -> None:
        """Which of redundant rows are met is a choice: what another changes, none can do better."""
        weights = np.random.default_rng(0).uniform(0.3, 3.0, len(reference.gamma))
        given = (state.compiled, state.q, state.u, state.efforts, state.wrenches)
        other = reference_dynamics(*given, state.independent, weights=weights)
        self.floor.see(reference, other.v_dot)

    def _made(self, who: str, state: State, make: Callable[[], Any]) -> Any:
        """A candidate's mechanism, made once for each; a peer's for each place of its tasks, which
        stand in its world.
        """
        if state.compiled.prescribed and who != "generated":
            return make()
        key = who, id(state.compiled)
        if key not in self._kept:
            self._kept[key] = state.compiled, make()
        return self._kept[key][1]

    def _see(self, name: str, reference: Reference, v_dot: Array) -> None:
        self.errors.setdefault(name, Errors()).see(reference, v_dot)

    def _need(self, name: str, reference: Reference, generalized: Array) -> None:
        off = reference.effort_error(generalized, reference.u_dot)
        self.inverse[name] = float(np.max([self.inverse.get(name, 0.0), off]))  # NaN is kept

    def figures(self, title: str, most: Mapping[str, float], paper: str) -> Iterator[Figure]:
        """Ours against `most` of delta_a, delta_f and tau_r; then the peers, and the reference."""
        title = f"{title}, {self.count} states"
        for name in (OURS, GENERATED, OTHER):
            if name in self.errors:
                yield from self._own(f"{title}, {name}", name, most, paper)
        for name, errors in self.errors.items():
            if name not in (OURS, GENERATED, OTHER):
                yield shown(f"{title}, {name}: delta_a", errors.most(0), errors.said())
        for name, why in self.missing.items():
            yield skipped(f"{title}, {name}", why)
        if self.floor.of:
            yield shown(f"{title}: floor of delta_a", self.floor.most(0), self.floor.said())
        about = f"rows that redundancy leaves {self.misfit:.1e}"
        yield at_most(f"{title}: what the reference is off", self.off, DECIMALS, about)

    def _own(
        self, title: str, name: str, most: Mapping[str, float], paper: str
    ) -> Iterator[Figure]:
        errors = self.errors[name]
        of = f"median {errors.median(0):.1e}; {paper}"
        yield at_most(f"{title}: delta_a", errors.most(0), most["delta_a"], of)
        of = f"median {errors.median(1):.1e}; r_c {errors.most(2):.1e} m/s2"
        yield at_most(f"{title}: delta_f", errors.most(1), most["delta_f"], of)
        if name in self.inverse:
            yield at_most(f"{title}: tau_r for u_dot", self.inverse[name], most["delta_f"])


def independent_speeds(state: State, partition: Partition) -> Array:
    """The independent speeds where generated code minds them, shape (nv,)."""
    v = np.zeros(state.compiled.nv)
    v[list(partition.independent)] = state.u
    return v
