"""Accelerations of all candidates at the states of a set, judged by the fifty-digit reference."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from figure import Figure, at_most, shown, skipped

import robocompiler as rc
from accuracy_figures import mujoco_peer, pinocchio_peer
from accuracy_figures.state import State
from dynamics_oracle import Reference, reference_dynamics
from fifty_digits import floats
from robocompiler.spatial import Array

OURS, OTHER = "ours", "another partition"
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
        self.count, self.off, self.misfit, self.inverse = 0, 0.0, 0.0, 0.0
        self.floor = Errors()
        self.missing: dict[str, str] = {}
        self._kept: dict[tuple[str, int], tuple[rc.CompiledMechanism, object]] = {}
        for state in states:
            self._judge(state)

    def _judge(self, state: State) -> None:
        given = (state.compiled, state.q, state.u, state.efforts, state.wrenches)
        reference = reference_dynamics(*given, state.independent)
        self.count += 1
        self.off = max(self.off, reference.off)
        self.misfit = max(self.misfit, reference.misfit)
        if reference.misfit > EXACT and len(self.floor.of) < FLOORS:
            self._floor(state, reference)
        self._ours(state, reference)
        v = floats(reference.v)
        if why := pinocchio_peer.missing():
            self.missing["Pinocchio"] = why
        else:
            peer = self._made(state, pinocchio_peer.Pinocchio)
            for name in pinocchio_peer.ALGORITHMS:
                self._see(name, reference, peer.forward(name, state, v))
        if why := mujoco_peer.missing():
            self.missing["MuJoCo"] = why
        else:
            peer = self._made(state, mujoco_peer.MuJoCo)
            self._see(f"MuJoCo {peer.version}", reference, peer.forward(state, v))

    def _ours(self, state: State, reference: Reference) -> None:
        options = state.conditions()
        free, q = state.without_support()
        found = rc.forward_dynamics(free, q, state.u, state.efforts, **options)
        v_dot = state.with_support(found.v_dot)
        self._see(OURS, reference, v_dot)
        needed = rc.inverse_dynamics(free, q, state.u, reference.u_dot, **options)
        off = reference.effort_error(needed.generalized, reference.u_dot)
        self.inverse = max(self.inverse, off)
        if state.others:
            options["independent"] = state.others
            at = [state.compiled.tree_joint(name).v.start for name in state.others]
            u = floats(reference.v[at])
            other = rc.forward_dynamics(state.compiled, q, u, state.efforts, **options)
            self._see(OTHER, reference, other.v_dot)

    def _floor(self, state: State, reference: Reference) -> None:
        """Which of redundant rows are met is a choice: what another changes, none can do better."""
        weights = np.random.default_rng(0).uniform(0.3, 3.0, len(reference.gamma))
        given = (state.compiled, state.q, state.u, state.efforts, state.wrenches)
        other = reference_dynamics(*given, state.independent, weights=weights)
        self.floor.see(reference, other.v_dot)

    def _made(self, state: State, make: Callable):
        """A peer of a mechanism, made once for each."""
        key = make.__name__, id(state.compiled)
        if key not in self._kept:
            self._kept[key] = state.compiled, make(state.compiled, state.q)
        return self._kept[key][1]

    def _see(self, name: str, reference: Reference, v_dot: Array) -> None:
        self.errors.setdefault(name, Errors()).see(reference, v_dot)

    def figures(self, title: str, most: Mapping[str, float], paper: str) -> Iterator[Figure]:
        """Ours against `most` of delta_a, delta_f and tau_r; then the peers, and the reference."""
        ours = self.errors[OURS]
        title = f"{title}, {self.count} states"
        yield at_most(f"{title}: delta_a", ours.most(0), most["delta_a"], paper)
        of = f"median {ours.median(1):.1e}; median delta_a {ours.median(0):.1e}"
        yield at_most(f"{title}: delta_f", ours.most(1), most["delta_f"], of)
        yield shown(f"{title}: r_c [m/s2, rad/s2]", ours.most(2))
        yield at_most(f"{title}: tau_r of inverse dynamics", self.inverse, most["delta_f"])
        if OTHER in self.errors:
            other = self.errors[OTHER]
            name = f"{title}: delta_a of {OTHER}"
            yield at_most(name, other.most(0), most["delta_a"], other.said())
        if self.floor.of:
            yield shown(f"{title}: floor of delta_a", self.floor.most(0), self.floor.said())
        for name, errors in self.errors.items():
            if name not in (OURS, OTHER):
                yield shown(f"{title}: delta_a of {name}", errors.most(0), errors.said())
        for name, why in self.missing.items():
            yield skipped(f"{title}: delta_a of {name}", why)
        about = f"rows that redundancy leaves {self.misfit:.1e}"
        yield at_most(f"{title}: what the reference is off", self.off, DECIMALS, about)
