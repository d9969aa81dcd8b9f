"""The generated dynamics of one mechanism: kernels of its clusters, in the order that they run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import groupby
from threading import RLock
from typing import Any

import numpy as np

from robocompiler.codegen.emitters import Emitter, Loaded
from robocompiler.codegen.graph import Graph
from robocompiler.codegen.kernels import STATE, Call, Kernel, Notes, Settings, Straight
from robocompiler.codegen.split import KEPT, Part
from robocompiler.compiler.clusters.kernels import BACK, DYNAMICS, IN, OUT, generate_dynamics
from robocompiler.compiler.clusters.plans import ClusterPlan
from robocompiler.compiler.clusters.types import ClusterType, structure_of
from robocompiler.solve.bound_dynamics.places import Places
from robocompiler.solve.generated.code import hashed, sources
from robocompiler.spatial import Array

Changed = Callable[[Kernel, Notes], tuple[Kernel, Notes]]
"""What is made of a kernel."""
Run = tuple[int, list[int]]
"""A type of cluster, and clusters of it that run one after the other."""


class DynamicsCode:
    """Kernels of a mechanism's clusters by their names (see `DYNAMICS`) and walks."""

    def __init__(self, places: Places, emitter: Emitter, gravity: Array) -> None:
        self.places, self.emitter, self.gravity = places, emitter, gravity
        self._lock = RLock()  # tracing is not for several threads, and copies share this
        self._parts: dict[tuple[int, str], dict[int, Part]] = {}
        self._loaded: dict[tuple[int, str, int, bool], Loaded] = {}
        self._runs: dict[str, list[tuple[int, Run]]] = {}
        self._tables: dict[tuple[str, int], Array] = {}
        self._contents = [hashed(_content(kind)) for kind in places.types]
        self._kept: tuple[dict[str, list[int]], int] = self._keeps()

    def __reduce__(self) -> tuple[Any, ...]:
        """For `pickle`: it is loaded anew, from where it is kept."""
        return DynamicsCode, (self.places, self.emitter, self.gravity)

    def __deepcopy__(self, memo: dict[int, Any]) -> DynamicsCode:
        """Itself: buffers are what copies must not share."""
        return self

    @property
    def rows(self) -> int:
        """How many rows there are after those of `Layout`."""
        return self._kept[1] - int(self.places.layout.E.stop)

    def prepare(
        self,
        name: str,
        buffer: Array,
        status: Sequence[Array],
        settings: Settings,
        states: range,
        releasing: bool,
    ) -> list[Call]:
        """The kernels of a name bound to a buffer; `status` of each run, (clusters, states)."""
        many, calls = len(states) > 1 or releasing, list[Call]()
        for at, (walk, (kind, clusters)) in enumerate(self.runs(name)):
            loaded, own = self.loaded(kind, name, walk, many), status[at]
            if (name, at) not in self._tables:
                self._tables[name, at] = self.table(loaded.notes, clusters, name)
            table = self._tables[name, at]
            calls.append(loaded.prepare(buffer, buffer, own, table, settings, states, releasing))
        return calls

    def runs(self, name: str) -> list[tuple[int, Run]]:
        """What runs one after the other: its walk, and which clusters."""
        if name not in self._runs:
            self._runs[name] = self._in_order(name)
        return self._runs[name]

    def _in_order(self, name: str) -> list[tuple[int, Run]]:
        found: list[tuple[int, Run]] = []
        for walk in (OUT, IN, BACK):
            order = [at for at in self._order if self._walks(self.places.plans[at], name, walk)]
            order = order[::-1] if walk == IN else order
            found += [
                (walk, (kind, list(own)))
                for kind, own in groupby(order, key=lambda at: self._kinds[at])
            ]
        return found

    @cached_property
    def _kinds(self) -> dict[int, int]:
        """The type of each cluster."""
        plans = {id(plan): at for at, plan in enumerate(self.places.plans)}
        types = enumerate(self.places.types)
        return {plans[id(plan)]: kind for kind, own in types for plan in own.plans}

    @cached_property
    def _order(self) -> list[int]:
        """Clusters, nearer the base first, those of one type side by side where they can be."""
        kinds, plans = self._kinds, self.places.plans
        return sorted(range(len(plans)), key=lambda at: (plans[at].cluster.depth, kinds[at], at))

    @staticmethod
    def _walks(plan: ClusterPlan, name: str, walk: int) -> bool:
        """Whether a cluster has a kernel of a walk."""
        if walk == OUT:
            return bool(plan.carriers)
        return walk == IN or (name == "forward" and plan.has_parent)

    def loaded(
        self, kind: int, name: str, walk: int, many: bool = False, made: Changed | None = None
    ) -> Loaded:
        """A kernel ready to be bound; `many` where it is for many states at once.

        Args:
            kind: of cluster.
            name: of the kernels.
            walk: which of them.
            many: whether it is for many states at once.
            made: what is made of the kernel and its notes; None for themselves.
        """
        changed = "" if made is None else made.__name__
        at = (kind, name + changed, walk, many)

        def make() -> tuple[Kernel, Notes]:
            own = self._made(kind, name, walk)
            return own if made is None else made(*own)

        with self._lock:
            if at not in self._loaded:
                key = f"{name}{changed}-{walk}-{sources()}-{self._contents[kind]}"
                self._loaded[at] = self.emitter.load(key, many, make)
            return self._loaded[at]

    def _made(self, kind: int, name: str, walk: int) -> tuple[Kernel, Notes]:
        if (kind, name) not in self._parts:
            self._parts[kind, name] = generate_dynamics(self.places.types[kind], name)
        part = self._parts[kind, name].get(walk) or _idle(f"{name}_{walk}")
        notes = {
            "inputs": [list(e) for e in part.inputs],
            "results": [list(e) for e in part.results],
        }
        return part.kernel, notes

    def table(self, notes: Notes, clusters: Sequence[int], name: str) -> Array:
        """Which rows each cluster uses."""
        entries = [(array, slot) for array, slot in (*notes["inputs"], *notes["results"])]
        kept = self._kept[0][name]
        lines = [self.places.line(own, entries, name, kept[own]) for own in clusters]
        return np.array(lines, dtype=np.int64)

    def _keeps(self) -> tuple[dict[str, list[int]], int]:
        """For each name where what each cluster keeps begins, and where all of it ends."""
        at, starts, types = self.places.starts["end"], dict[str, list[int]](), self.places.types
        for name in DYNAMICS:
            counts = [self._count(kind, name) for kind in range(len(types))]
            own = [counts[self._kinds[cluster]] for cluster in range(len(self.places.plans))]
            ends: list[int] = (at + np.cumsum([0, *own])).tolist()
            starts[name], at = ends[:-1], ends[-1]
        return starts, at

    def _count(self, kind: int, name: str) -> int:
        """How many rows a cluster of a type keeps. One that is alone has one walk, and none."""
        plan = self.places.types[kind].first
        walks = [walk for walk in (OUT, IN, BACK) if self._walks(plan, name, walk)]
        if len(walks) == 1:
            return 0
        results = [self.loaded(kind, name, walk).notes["results"] for walk in walks]
        return max((slot + 1 for own in results for array, slot in own if array == KEPT), default=0)


def _content(kind: ClusterType) -> bytes:
    """All that code for a type is made of."""
    numbers = [np.ascontiguousarray(x, dtype=float).tobytes() for x in kind.constants]
    return repr(structure_of(kind.first, kind.constants[0])).encode() + b"".join(numbers)


def _idle(name: str) -> Part:
    """What does nothing, where a walk has nothing to do."""
    graph = Graph()
    kernel = Straight(name=name, graph=graph, inputs=1, results=(graph.input(STATE, 0),))
    return Part(kernel, (("q", 0),), (("q", 0),))
