"""Speeds of every joint that fit the loops, from those asked of some."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import MechanismError, SpeedError, raise_all
from robocompiler.model.shown import show_speeds
from robocompiler.solve.assembly.singular import singular_faults
from robocompiler.solve.closure import count_above, length_scale
from robocompiler.solve.reduction.logarithm import chart_lift, chart_slices
from robocompiler.solve.reduction.partition import INDEPENDENCE, speed_names
from robocompiler.solve.reduction.reduce import Reduction, reduce
from robocompiler.solve.state import evaluate
from robocompiler.solve.values import Numbers
from robocompiler.spatial import Array

AGREES = 1e-6
"""Share by which a speed that follows from others may differ from what is asked: people round."""
ROUNDING = 1e-12
"""The same of the largest speed asked for: nothing but rounding."""

Missed = tuple[tuple[str, float], ...]


def starting_speeds(
    compiled: CompiledMechanism, q: Array, must: Numbers, want: Numbers
) -> tuple[Numbers, Missed]:
    """The speeds [m/s, rad/s] of every joint, in the tree or cut, at a closed q of shape (nq,).

    The motions the loops leave are narrowed down step by step: by the places of tasks that are not
    asked for, which stand still; by each speed that must be met; by each that is wanted, as nearly
    as those before leave it; and then by the independent joints that are left, which rest.

    Returns:
        The speeds by joint name, and by how much wanted ones are missed.

    Raises:
        SpeedError: a speed that must be met and follows from others, or cannot be; with what it
            would have to be.
        SingularError: joints are asked of a loop that is singular where it stands.
    """
    raise_all(singular_faults(compiled, q, {*must, *want}))
    motions = _Motions(compiled, q)
    for place in (t.edge.joint for t in compiled.tree if t.prescribed):
        if place.name not in {*must, *want}:
            motions.ask(place.name, (0.0,) * place.kind.dof)
    given, faults, missed = list[str](), list[MechanismError](), list[tuple[str, float]]()
    largest = max((motions.size_of(n, x) for n, x in {**must, **want}.items()), default=0.0)
    for name, wanted in must.items():
        follows = motions.ask(name, wanted)
        off, size = (motions.size_of(name, x) for x in (follows - wanted, np.array(wanted)))
        if off > AGREES * max(size, motions.size_of(name, follows)) + ROUNDING * largest:
            faults.append(_contradicted(compiled, motions, name, wanted, follows, given))
        given.append(name)
    raise_all(faults)
    for name, wanted in want.items():
        off = float(np.max(np.abs(motions.ask(name, wanted) - wanted)))
        if motions.size_of(name, [off]) > ROUNDING * largest:
            missed.append((name, off))
    motions.rest()
    found = {name: tuple(motions.speeds(name).tolist()) for name in compiled.joints}
    for name, wanted in must.items():  # what differs by rounding only is as it was asked for
        if np.allclose(found[name], wanted, rtol=ROUNDING, atol=0.0):
            found[name] = wanted
    return found, tuple(missed)


def _contradicted(
    compiled: CompiledMechanism,
    motions: _Motions,
    name: str,
    wanted: tuple[float, ...],
    follows: Array,
    given: list[str],
) -> MechanismError:
    joint = compiled.joints[name]
    said = (show_speeds(joint, wanted), show_speeds(joint, follows.tolist()))
    free = [n for n in compiled.joints if n != name and n not in given and motions.is_free(n)]
    return SpeedError(name, wanted, follows.tolist(), said, given, free)


class _Motions:
    """The motions that the loops and what was asked before leave.

    Speeds are D⁻¹ N (w + Z y): N an orthonormal basis of the motions of the tree in one unit, and
    its rows for cut joints; w what was asked, y what is left to choose.
    """

    def __init__(self, compiled: CompiledMechanism, q: Array) -> None:
        self.compiled, self.q = compiled, q
        self.scales = _scales(compiled, q)
        moving = _with_places(reduce(compiled, q), self.scales[: compiled.nv])
        tree = np.linalg.qr(self.scales[: compiled.nv, None] * moving)[0]
        chart = chart_lift(compiled, q) @ (tree / self.scales[: compiled.nv, None])
        cut = self.scales[compiled.nv :, None] * chart
        self.N = np.concatenate([tree, cut])
        self.w, self.Z = np.zeros(moving.shape[1]), np.eye(moving.shape[1])
        self.rows = {t.edge.joint.name: t.v for t in compiled.tree}
        for closure, (_, own) in zip(compiled.closures, chart_slices(compiled), strict=True):
            start = compiled.nv + own.start
            self.rows[closure.chord.joint.name] = slice(start, start + closure.kind.dof)
        self.asked: list[int] = []

    def size_of(self, name: str, speeds: Iterable[float] | Array) -> float:
        """The largest of a joint's speeds, in one unit."""
        return float(np.max(np.abs(self.scales[self.rows[name]] * np.asarray(speeds)), initial=0.0))

    def speeds(self, name: str) -> Array:
        """The speeds of a joint as they are so far."""
        own = self.rows[name]
        return np.asarray(self.N[own] @ self.w / self.scales[own])

    def is_free(self, name: str) -> bool:
        """Whether a joint's speeds are still open."""
        return bool(np.linalg.norm(self.N[self.rows[name]] @ self.Z) > INDEPENDENCE)

    def ask(self, name: str, speeds: tuple[float, ...]) -> Array:
        """Bring a joint's speeds as near as can be to some, for good; they are returned."""
        own = self.rows[name]
        self.asked += range(own.start, own.stop)
        self._narrow(own, self.scales[own] * speeds)
        return self.speeds(name)

    def _narrow(self, own: slice, target: Array) -> None:
        U, s, Vt = np.linalg.svd(self.N[own] @ self.Z)
        count = int(np.sum(s > INDEPENDENCE))
        left = U[:, :count].T @ (target - self.N[own] @ self.w)
        self.w = self.w + self.Z @ (Vt[:count].T @ (left / s[:count]))
        self.Z = self.Z @ Vt[count:].T

    def rest(self) -> None:
        """Put to rest what is still open: the joints that `choose_partition` has independent."""
        names, own = speed_names(self.compiled), set(self.compiled.movable)
        taken, basis = list[str](), np.zeros((0, self.N.shape[1]))
        for i in (i for i in self.asked if i in own):
            row = self.N[i] - basis.T @ (basis @ self.N[i])
            size = float(np.linalg.norm(row))
            if size > 2.0 * INDEPENDENCE:
                taken.append(names[i])
                basis = np.vstack([basis, row / size])
        for i in reduce(self.compiled, self.q, taken).independent[len(taken) :]:
            self._narrow(slice(i, i + 1), np.zeros(1))


def _with_places(reduction: Reduction, scales: Array) -> Array:
    """The lift, and how the tree follows the places of tasks where those can move, (nv, m)."""
    compiled, K = reduction.compiled, reduction.jacobian
    rows = np.ones(len(K))
    for block in reduction.partition.blocks:
        rows[list(block.rows)] = block.row_scales
    places = np.eye(compiled.nv)[:, list(compiled.prescribed)] / scales[:, None]
    follows = places - reduction.inverse @ (K @ places)
    _, s, Vt = np.linalg.svd(rows[:, None] * (K @ follows))
    return np.concatenate([reduction.E, follows @ Vt[count_above(s) :].T], axis=1)


def _scales(compiled: CompiledMechanism, q: Array) -> Array:
    """What makes speeds one unit, those of the tree and then those of the cut joints."""
    edges = [*(t.edge for t in compiled.tree), *(c.chord for c in compiled.closures)]
    lengths = dict.fromkeys((edge.joint.name for edge in edges), 1.0)
    for module in compiled.modules:
        size = length_scale(compiled, evaluate(compiled, q, module.joints), module)
        own = [compiled.tree[i].edge for i in module.joints]
        own += [compiled.closures[i].chord for i in module.closures]
        lengths.update(dict.fromkeys((edge.joint.name for edge in own), size))
    return np.array(
        [
            1.0 if factor.is_turn else 1.0 / lengths[edge.joint.name]
            for edge in edges
            for factor in edge.joint.kind.factors
            for _ in range(factor.nv)
        ]
    )
