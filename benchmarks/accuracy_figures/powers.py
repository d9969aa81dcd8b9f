"""Power: what ports give, what wrenches give, and how the energy grows; on every mechanism.

What ports give is judged against max(1 W, sum |f l_dot|), l_dot of the reference's speeds. How the
energy grows, as v_dot of ours has it by the reference's M and h, is judged against all that goes
round among the bodies as well, sum |v (M v_dot + h)|, where that is more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import pytest
from figure import Figure, at_most, skipped

import robocompiler as rc
from accuracy_figures.state import rigid
from dynamics_oracle import GRAVITY, Reference, reference_dynamics
from fifty_digits import digits, floats
from linkages.excavator import excavator
from linkages.known import TABLE
from linkages.robots import FEET, go2, kangaroo
from linkages.stewart import stewart
from robocompiler.spatial import Array

MOST = 1e-14
STATES = 3
MORE: Mapping[str, Callable[[], rc.Mechanism]] = {
    "Stewart": stewart,
    "Stewart, 24 coordinates": lambda: stewart(chart=True),
    "excavator": excavator,
    "Go2 on two feet": lambda: go2(FEET[:2]),
    "Go2 in the air": go2,
    "Kangaroo": kangaroo,
}
PORTS, GROWTH = "f l_dot against u tau_r", "energy's growth against what is put in"


class Balance:
    """The worst of every mechanism."""

    def __init__(self) -> None:
        self.found: dict[str, tuple[float, str]] = {PORTS: (0.0, ""), GROWTH: (0.0, "")}
        self.mechanisms = self.states = 0
        self.refused: list[str] = []

    def see(self, name: str, mechanism: rc.Mechanism) -> None:
        """A mechanism as drawn, moving and driven at random."""
        compiled = rc.compile(rigid(mechanism))
        q = rc.coordinates(compiled, rc.assemble(compiled))
        random = np.random.default_rng(7)
        count = len(rc.reduce(compiled, q).names)
        self.mechanisms += 1
        for _ in range(STATES):
            u = random.uniform(-1.0, 1.0, count)
            f = random.uniform(-100.0, 100.0, compiled.nv)
            push = {compiled.bodies[-1].name: random.uniform(-10.0, 10.0, 6)}
            self._at(name, compiled, q, u, f, push)

    def _at(
        self,
        name: str,
        compiled: rc.CompiledMechanism,
        q: Array,
        u: Array,
        drawn: Array,
        push: Mapping[str, Array],
    ) -> None:
        known = rc.reduced_dynamics(compiled, q, u)
        f = drawn[: len(known.ports)]
        ours = rc.forward_dynamics(compiled, q, u, f, wrenches=push, gravity=GRAVITY)
        self.states += 1
        rates, B = ours.dynamics.B @ ours.v, digits(ours.dynamics.B)
        exact = reference_dynamics(compiled, q, u, B.astype(float).T @ f, push)
        size = max(1.0, float(np.sum(np.abs(f * rates))))
        reduced = ours.dynamics.L.T @ f
        self._keep(PORTS, abs(float(f @ (B @ exact.v)) - float(u @ reduced)) / size, name)
        self._keep(GROWTH, exact.power_error(ours.v_dot) / max(size, _moved(exact)), name)

    def _keep(self, what: str, value: float, name: str) -> None:
        if not value <= self.found[what][0]:  # NaN is kept
            self.found[what] = value, name

    def figures(self) -> Iterator[Figure]:
        """A row for each balance."""
        title = f"power, {self.mechanisms} mechanisms, {self.states} states"
        for what, (value, name) in self.found.items():
            yield at_most(f"{title}: {what}", value, MOST, f"worst: {name}")


def _moved(exact: Reference) -> float:
    """What goes round among the bodies [W]: sum |v_i (M v_dot + h)_i|."""
    return float(np.sum(np.abs(floats(exact.v * (exact.M @ exact.exact_v_dot + exact.h)))))


def balance() -> Iterator[Figure]:
    """Every mechanism of the tests, the robots, and the benchmark's."""
    worst = Balance()
    for name, (mechanism, _) in TABLE.items():
        worst.see(name, mechanism)
    for name, make in MORE.items():
        try:
            mechanism = make()
        except pytest.skip.Exception:
            yield skipped(f"power of {name}", "no record")
            continue
        worst.see(name, mechanism)
    yield from worst.figures()
