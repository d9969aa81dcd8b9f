"""The evaluation that cycles are compared with: a whole robot in the world, twists dense.

Forward kinematics of all bodies in the world, with the spatial twist of every speed; then for each
closure the twists of all speeds (6 × nv) carried into its frame, and the rows of its residual and
Jacobian. The functions are the reference's own (`evaluate`, `joint_pose`, `seen_at_chord`,
`closure_rows`, `closure_gradient`), traced on symbols of the same kind, and run by the same
emitter: one kernel for the kinematics, and one for each kind of closure, which runs on each of its
closures as blocks do. Dense: no constant is known when code is made, so that nothing is folded and
no structural zero dropped, as in a library that takes a robot as data.

In its favour: what is computed alike is computed once; which speeds are on which side of a closure
is in the tables, which name a twist, its negative or zero, and costs nothing.

`folded` is the whole robot once more, in one kernel, with constants folded and zeros dropped.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from robocompiler.codegen.emitters import Emitter
from robocompiler.codegen.graph import Graph, Symbol
from robocompiler.codegen.kernels import STATE, Straight
from robocompiler.compiler.compiled import Closure, CompiledMechanism
from robocompiler.compiler.tracing import as_symbols
from robocompiler.equations.residuals import closure_gradient, closure_rows
from robocompiler.model.joint_kinds import JointKind
from robocompiler.solve.closure import path_columns, seen_at_chord
from robocompiler.solve.state import State, evaluate, joint_pose
from robocompiler.spatial import Array, Pose

Call = Callable[[], int]


@dataclass(slots=True, eq=False)
class OpaqueGraph(Graph):
    """A graph to which constants are inputs: it folds nothing."""

    first: int = 0
    """The input slot of the first constant."""
    values: list[float] = field(default_factory=list)

    def constant(self, value: float) -> Symbol:
        """An input that will have that value."""
        symbol = self._constants.get(value)
        if symbol is None:
            symbol = self._constants[value] = self.input(STATE, self.first + len(self.values))
            self.values.append(float(value))
        return symbol


@dataclass(frozen=True)
class Whole:
    """A whole robot's residual and Jacobian, bound to buffers."""

    run: Sequence[Call]
    q: Array
    residual: Array
    jacobian: Array
    operations: int

    def __call__(self) -> None:
        """Evaluate."""
        for call in self.run:
            call()


def dense(compiled: CompiledMechanism, emitter: Emitter) -> Whole:
    """As a library that takes robots as data."""
    nq, nv = compiled.nq, compiled.nv
    rows = sum(closure.rows for closure in compiled.closures)
    graph = OpaqueGraph(first=nq)
    state = evaluate(compiled, graph.inputs(STATE, nq))
    frames = [pose for closure in compiled.closures for pose in _ends(state, closure)]
    entries = [x for X in frames for x in (*X.R.ravel(), *X.p)]
    columns = as_symbols(graph, state.columns).T.ravel()
    results = as_symbols(graph, np.array([*entries, *columns, *-columns], dtype=object))
    kinematics = Straight(
        name="kinematics", graph=graph, inputs=nq + len(graph.values), results=tuple(results)
    )
    of_kind = {kind: _rows(kind, nv) for kind in {c.kind for c in compiled.closures}}
    # One buffer: what kinematics take; what it gives; a zero; constants of rows; φ and K.
    given = kinematics.inputs
    zero = given + len(results)
    at = zero + 1
    constants: dict[JointKind, int] = {}
    for kind, (_, values) in of_kind.items():
        constants[kind], at = at, at + len(values)
    buffer = np.zeros((at + rows * (1 + nv), 1))
    buffer[nq:given, 0] = graph.values
    for kind, (_, values) in of_kind.items():
        buffer[constants[kind] : constants[kind] + len(values), 0] = values
    run = [_prepared(emitter, kinematics, buffer, [list(range(zero))])]
    operations = graph.operations(results)
    twists, first = given + len(entries), at
    lines: dict[JointKind, list[list[int]]] = {kind: [] for kind in of_kind}
    for i, closure in enumerate(compiled.closures):
        _, values = of_kind[closure.kind]
        own = range(constants[closure.kind], constants[closure.kind] + len(values))
        places = list(_twists(compiled, closure, twists, zero))
        phi = range(first, first + closure.rows)
        start = at + rows + (first - at) * nv
        K = range(start, start + closure.rows * nv)
        ends = range(given + 24 * i, given + 24 * (i + 1))
        lines[closure.kind].append([*ends, *places, *own, *phi, *K])
        first += closure.rows
    for kind, (kernel, _) in of_kind.items():
        run.append(_prepared(emitter, kernel, buffer, lines[kind]))
        operations += len(lines[kind]) * kernel.graph.operations(kernel.results)
    residual, jacobian = buffer[at : at + rows, 0], buffer[at + rows :, 0].reshape(rows, nv)
    return Whole(run, buffer[:nq, 0], residual, jacobian, operations)


def _ends(state: State, closure: Closure) -> tuple[Pose, Pose]:
    """F and M of a cut joint in the world."""
    edge = closure.chord
    return state.poses[edge.parent] @ edge.X_PF, state.poses[edge.child] @ edge.X_CM


def _rows(kind: JointKind, nv: int) -> tuple[Straight, list[float]]:
    """Of a kind of closure, from F and M in the world and a twist for each speed: φ, then K; and
    the values of its constants.
    """
    graph = OpaqueGraph(first=24 + 6 * nv)
    slots = graph.inputs(STATE, 24 + 6 * nv)
    F, M = (Pose(x[:9].reshape(3, 3), x[9:]) for x in (slots[:12], slots[12:24]))
    X_FM = F.inverse() @ M
    twists = slots[24:].reshape(nv, 6).T
    K = closure_gradient(kind, X_FM) @ Pose(F.R, M.p).inverse().carry(twists)
    results = as_symbols(graph, np.concatenate([closure_rows(kind, X_FM), K.ravel()]))
    inputs = 24 + 6 * nv + len(graph.values)
    name = f"rows_{kind.value}"
    return Straight(name=name, graph=graph, inputs=inputs, results=tuple(results)), graph.values


def _twists(compiled: CompiledMechanism, closure: Closure, twists: int, zero: int) -> Iterator[int]:
    """For each speed where its twist is, its negative, or zero six times."""
    nv = compiled.nv
    sides = {
        speed: at
        for at, path in ((6 * nv, closure.to_parent), (0, closure.to_child))
        for joint in path
        for speed in range(compiled.tree[joint].v.start, compiled.tree[joint].v.stop)
    }
    for speed in range(nv):
        for k in range(6):
            yield twists + sides[speed] + 6 * speed + k if speed in sides else zero


def folded(compiled: CompiledMechanism, emitter: Emitter) -> Whole:
    """With all that is known when code is made; K's zeros are not written."""
    nq, nv = compiled.nq, compiled.nv
    graph = Graph()
    state = evaluate(compiled, graph.inputs(STATE, nq))
    phi, K = [], []
    for closure in compiled.closures:
        X_FM = joint_pose(state, closure.chord)
        seen = seen_at_chord(state, closure, path_columns(compiled, state, closure))
        phi.append(closure_rows(closure.kind, X_FM))
        K.append(closure_gradient(closure.kind, X_FM) @ seen)
    residual = as_symbols(graph, np.concatenate(phi))
    jacobian = as_symbols(graph, np.concatenate(K)).ravel()
    there = [i for i, entry in enumerate(jacobian) if entry.constant != 0.0]
    results = (*residual, *jacobian[there])
    rows = len(residual)
    buffer = np.zeros((nq + rows * (1 + nv), 1))
    kernel = Straight(name="whole", graph=graph, inputs=nq, results=results)
    line = [*range(nq + rows), *(nq + rows + i for i in there)]
    run = [_prepared(emitter, kernel, buffer, [line])]
    parts = np.split(buffer[:, 0], [nq, nq + rows])
    return Whole(run, parts[0], parts[1], parts[2].reshape(rows, nv), graph.operations(results))


def _prepared(emitter: Emitter, kernel: Straight, buffer: Array, lines: list[list[int]]) -> Call:
    content = repr((kernel.graph.nodes, [result.index for result in kernel.results]))
    key = f"{kernel.name} {hashlib.sha256(content.encode()).hexdigest()}"
    loaded = emitter.load(key, False, lambda: (kernel, {}))
    table = np.array(lines, dtype=np.int64)
    return loaded.prepare(buffer, buffer, None, table, None, range(1))
