"""Which speeds a motion is integrated by: those that it began with, until they lose their hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.ports import Port
from robocompiler.model.configuration import Configuration
from robocompiler.solve.bound_dynamics.bind import bind_dynamics
from robocompiler.solve.bound_dynamics.bound import BoundDynamics
from robocompiler.solve.describe import describe
from robocompiler.solve.reduction.partition import Partition, choose_partition, speed_names
from robocompiler.solve.reduction.reduce import reduce
from robocompiler.spatial import Array, Vec3

LOST = 5.0
"""How much faster dependent speeds may get, against the independent ones, before others are
looked for."""
BETTER = 0.5
"""What others must leave of that to be worth a change."""
NOT_PREFERRED = 1.0
"""So free a joint must be to be preferred because it is actuated: not at all, where all that
matters is how well the others follow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """What `bind_dynamics` is to be given wherever it binds."""

    compiled: CompiledMechanism
    ports: tuple[Port, ...] | None
    loads: tuple[str, ...]
    gravity: Vec3 | None
    emitter: str | None

    def at(self, q: Array, independent: Sequence[str]) -> BoundDynamics:
        """Dynamics bound where the mechanism stands closed, q (nq,)."""
        bound = bind_dynamics(
            self.compiled,
            near=configuration_at(self.compiled, q),
            independent=independent,
            ports=self.ports,
            loads=self.loads,
            gravity=self.gravity,
            emitter=self.emitter,
        )
        bound.q = q
        return bound

    def with_ports(self, ports: tuple[Port, ...]) -> Binding:
        """The same with these ports, whichever speeds are independent."""
        return replace(self, ports=ports)


def configuration_at(compiled: CompiledMechanism, q: Array) -> Configuration:
    """Coordinates by name."""
    return describe(compiled, q, {closure.name: (0.0, 0.0) for closure in compiled.closures})


class Hold:
    """How well dependent speeds follow the independent ones of some bound dynamics."""

    def __init__(self, dynamics: BoundDynamics) -> None:
        """Of the partition that its code is for, where it stands closed and `E` is known."""
        bound = dynamics.bound
        layout = bound.code.layout
        self._bound, self._partition = bound, layout.partition
        self._E = bound.buffer[layout.E, 0]
        self._weights = _weights(layout.compiled, layout.partition).ravel()
        self._scaled = np.zeros_like(self._weights)
        at, independent = self._gain(), len(layout.partition.independent)
        dependent = len(layout.partition.dependent)
        self._most = LOST**2 * max(min(at, dependent), independent, 1)
        self._recovered = bound.recovered

    def _gain(self) -> float:
        """The sum of squares of E over lengths and angles made one unit, dependent rows alone."""
        np.multiply(self._E, self._weights, self._scaled)
        return float(self._scaled @ self._scaled)

    def lost(self) -> bool:
        """Whether others should be looked for: they follow badly, or code is no longer sure."""
        return not self._gain() <= self._most or self._bound.recovered > self._recovered

    def bear(self) -> None:
        """There are none that are better: it may get worse before they are looked for again."""
        self._most = max(self._most, 4.0 * self._gain())
        self._recovered = 2 * self._bound.recovered

    def other(self, q: Array) -> tuple[str, ...] | None:
        """Names of speeds that would be better independent at a closed q (nq,); None for none."""
        compiled = self._bound.compiled
        chosen = choose_partition(compiled, q, least=NOT_PREFERRED)
        if set(chosen.independent) == set(self._partition.independent):
            return None
        now, then = (_gain_at(compiled, q, own) for own in (self._partition, chosen))
        names = speed_names(compiled)
        return tuple(names[i] for i in chosen.independent) if not then > BETTER**2 * now else None


def _gain_at(compiled: CompiledMechanism, q: Array, partition: Partition) -> float:
    scaled = reduce(compiled, q, partition).E * _weights(compiled, partition)
    return float(np.sum(scaled * scaled))


def _weights(compiled: CompiledMechanism, partition: Partition) -> Array:
    """What makes entries of E one unit where a speed is dependent, 0 elsewhere, (nv, m)."""
    column = {speed: at for at, speed in enumerate(partition.independent)}
    weights = np.zeros((compiled.nv, len(column)))
    for block in partition.blocks:
        own, by = list(block.dependent), list(block.inputs)
        scales = block.speed_scales
        columns = [column[speed] for speed in by]
        weights[np.ix_(own, columns)] = scales[own][:, None] / scales[by]
    return weights
