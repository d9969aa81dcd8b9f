"""Power: what ports give, what wrenches give, and how the energy grows; on every mechanism.

What ports give is judged against max(1 W, sum |f l_dot|), l_dot of the reference's speeds. How the
energy grows, as v_dot of ours has it by the reference's M and h and as `rc.power` says, is what is
left of what goes round among the bodies, which may be much more: it is judged against that as well,
sum |v| (|M| |v_dot| + |h|), where that is more. What it is in W over the first is said beside it.
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
from linkages.robots import FEET, go2, kangaroo, panda
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
    "Panda": panda,
}
PORTS = "f l_dot against u tau_r"
GROWTH = "energy's growth by v_dot against what is put in"
STORED = "energy's growth as rc.power says it"
DEFECT = "rc.power's own defect"


class Balance:
    """The worst of every mechanism."""

    def __init__(self) -> None:
        self.found = dict.fromkeys((PORTS, GROWTH, STORED, DEFECT), (0.0, ""))
        self.strict: dict[str, float] = {}
        """What the energy's growth is off over max(1 W, sum |f l_dot|)."""
        self.mechanisms = self.states = 0

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
        whole = max(size, _going_round(exact))
        self._grown(GROWTH, exact.power_error(ours.v_dot), size, whole, name)
        said = rc.power(compiled, q, u, exact.u_dot, f, wrenches=push, gravity=GRAVITY)
        off = exact.stored_error(float(said.stored), exact.u_dot)
        self._grown(STORED, off, size, whole, name)
        self._keep(DEFECT, float(said.defect / said.scale), name)

    def _grown(self, what: str, off: float, size: float, whole: float, name: str) -> None:
        self.strict[what] = max(self.strict.get(what, 0.0), off / size)
        self._keep(what, off / whole, name)

    def _keep(self, what: str, value: float, name: str) -> None:
        if not value <= self.found[what][0]:  # NaN is kept
            self.found[what] = value, name

    def figures(self) -> Iterator[Figure]:
        """A row for each balance."""
        title = f"power, {self.mechanisms} mechanisms, {self.states} states"
        for what, (value, name) in self.found.items():
            strict = f"; {self.strict[what]:.1e} over the first" if what in self.strict else ""
            yield at_most(f"{title}: {what}", value, MOST, f"worst: {name}{strict}")


def _going_round(exact: Reference) -> float:
    """What goes round among the bodies [W]."""
    M, h, v = (np.abs(floats(x)) for x in (exact.M, exact.h, exact.v))
    return float(v @ (M @ np.abs(exact.v_dot) + h))


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
