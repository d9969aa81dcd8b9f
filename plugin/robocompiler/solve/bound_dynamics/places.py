"""Where everything of the dynamics stands in the buffer of generated code, after what `Layout` has.

First the parameters of all clusters, then what ports give, wrenches, independent accelerations, all
accelerations and efforts along the independent speeds; then what clusters tell each other, by walk:
V, A and R of each carrier and what hangs on it; then what kernels keep for later ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from robocompiler.codegen.split import KEPT, Entry
from robocompiler.compiler.clusters.kernels import WRENCH, hung_numbers
from robocompiler.compiler.clusters.packing import ARTICULATED
from robocompiler.compiler.clusters.plans import ClusterPlan
from robocompiler.compiler.clusters.types import ClusterType
from robocompiler.equations.dynamics import BASE
from robocompiler.solve.generated.layout import Layout
from robocompiler.spatial import Array

TOLD = {"V": 6, "A": 6, "R": 9, "hung": ARTICULATED + WRENCH}
"""How many rows a carrier has for each array."""


@dataclass(frozen=True, eq=False)
class Places:
    """Row numbers of the dynamics of one mechanism."""

    layout: Layout
    types: tuple[ClusterType, ...]
    plans: tuple[ClusterPlan, ...]
    """In the order of clusters, nearer the base first."""
    ports: int
    wrenches: int

    @cached_property
    def starts(self) -> dict[str, int]:
        """The first row of each array, and of what comes after them all (``end``)."""
        m, nv = len(self.layout.partition.independent), self.layout.compiled.nv
        sizes = {
            "parameter": sum(kind.parameters.size for kind in self.types),
            "effort": self.ports,
            "wrench": 6 * self.wrenches,
            "u_dot": m,
            "v_dot": nv,
            "tau": m,
        }
        carriers = sum(len(plan.carriers) for plan in self.plans)
        sizes |= {name: rows * carriers for name, rows in TOLD.items()}
        ends: list[int] = np.cumsum([self.layout.E.stop, *sizes.values()]).tolist()
        return dict(zip([*sizes, "end"], ends, strict=True))

    def rows(self, name: str) -> slice:
        """The rows of an array."""
        names = list(self.starts)
        after = names[names.index(name) + 1]
        return slice(self.starts[name], self.starts[after])

    @cached_property
    def _parameters(self) -> dict[int, int]:
        """Of each cluster, by its plan's identity, its first parameter's row."""
        found, at = {}, self.starts["parameter"]
        for kind in self.types:
            for plan in kind.plans:
                found[id(plan)] = at
                at += len(kind.varying)
        return found

    @cached_property
    def _first_carriers(self) -> list[int]:
        """Of each cluster how many carriers there are before its own."""
        counts = [len(plan.carriers) for plan in self.plans]
        ends: list[int] = np.cumsum([0, *counts]).tolist()
        return ends

    def _carrier(self, name: str, carrier: int) -> int:
        return self.starts[name] + TOLD[name] * carrier

    def line(self, cluster: int, entries: Sequence[Entry], name: str, kept: int) -> list[int]:
        """The rows of some entries of a cluster.

        Args:
            cluster: its number.
            entries: arrays and which of their entries.
            name: of the kernels, see `DYNAMICS`.
            kept: the first row of what it keeps.
        """
        known = self._rows_of(cluster, name, kept)
        return [known[array](slot) for array, slot in entries]

    def _rows_of(self, cluster: int, name: str, kept: int) -> Mapping[str, Callable[[int], int]]:
        plan, layout, starts = self.plans[cluster], self.layout, self.starts
        column = {speed: at for at, speed in enumerate(layout.partition.independent)}
        m, whole = len(column), [int(speed) for speed in plan.whole]
        own, hung = self._first_carriers[cluster], hung_numbers(name)
        parent = BASE
        if plan.has_parent:
            parent = self._first_carriers[plan.cluster.parent] + plan.hangs_on

        def lift(slot: int) -> int:
            speed, of = plan.lift[slot]
            return int(layout.E.start) + whole[speed] * m + column[whole[of]]

        def independent(array: str) -> Callable[[int], int]:
            return lambda slot: starts[array] + column[whole[plan.inputs[slot]]]

        found: dict[str, Callable[[int], int]] = {
            "q": lambda slot: int(plan.coordinates[slot]),
            "v": lambda slot: layout.v.start + whole[slot],
            "c": lambda slot: layout.c.start + whole[plan.moving[slot]],
            "lift": lift,
            "parameter": lambda slot: self._parameters[id(plan)] + slot,
            "effort": lambda slot: starts["effort"] + plan.ports[slot].port,
            "wrench": lambda slot: starts["wrench"] + 6 * plan.loads[slot // 6].wrench + slot % 6,
            "u_dot": independent("u_dot"),
            "tau": independent("tau"),
            "v_dot": lambda slot: starts["v_dot"] + whole[slot],
            "hung": lambda slot: self._carrier("hung", own + slot // hung) + slot % hung,
            "hangs": lambda slot: self._carrier("hung", parent) + slot,
            KEPT: lambda slot: kept + slot,
        }
        for array in ("V", "A", "R"):
            found[array] = _shifted(self._carrier(array, parent))
            for k in range(len(plan.carriers)):
                found[f"{array}+{k}"] = _shifted(self._carrier(array, own + k))
        return found

    def parameters(self) -> Array:
        """What stands in the rows of parameters."""
        return np.concatenate([*(kind.parameters.ravel() for kind in self.types), np.zeros(0)])


def _shifted(start: int) -> Callable[[int], int]:
    return lambda slot: start + slot
